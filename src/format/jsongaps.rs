//! What stands between the values of JSON lines: braces, names, colons, commas and blanks.
//!
//! A program writes the same of it again and again. So a line is first held against what lines like it had between their
//! values: where all of that is there, its fields are theirs, and only its values were looked at.

use std::ops::Range;

use crate::base::bytes::{equal, starts};

use super::jsonscan::{Raw, skip_blank, value};

/// What stands before each value of a line, and behind the last one.
#[derive(Debug, Default)]
pub struct Gaps {
    /// One after the other.
    text: Vec<u8>,
    /// Where in `text` each ends.
    ends: Vec<u32>,
}

impl Gaps {
    /// Those of a line whose values were found at these bytes.
    pub fn note(&mut self, line: &[u8], values: &[Range<usize>]) {
        self.text.clear();
        self.ends.clear();
        let mut pos = 0;
        let starts = values.iter().map(|value| value.start).chain([line.len()]);
        let behind = values.iter().map(|value| value.end).chain([line.len()]);
        for (start, end) in starts.zip(behind) {
            self.text.extend_from_slice(&line[pos..start]);
            self.ends.push(self.text.len() as u32);
            pos = end;
        }
    }

    /// Fills the values of a line with the same gaps, which walking would have found in the same fields; says whether it is one.
    #[inline]
    pub fn read<'a>(&self, line: &'a [u8], values: &mut Vec<Raw<'a>>) -> bool {
        values.clear();
        let Some((_, ends)) = self.ends.split_last() else {
            return false;
        };
        let (mut pos, mut from) = (0, 0);
        for end in ends {
            let gap = &self.text[from..*end as usize];
            if !starts(&line[pos..], gap) {
                return false;
            }
            let Some((raw, after)) = value(line, pos + gap.len()) else {
                return false;
            };
            // Another object has fields of its own here.
            if let Raw::Object(object) = raw
                && skip_blank(object, 1) + 1 < object.len()
            {
                return false;
            }
            values.push(raw);
            (pos, from) = (after, *end as usize);
        }
        equal(&line[pos..], &self.text[from..])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::jsonscan::walk_at;
    use super::*;

    /// Names and values by walking, and where the values are.
    type Walked<'a> = (Vec<Vec<u8>>, Vec<Raw<'a>>, Vec<Range<usize>>);

    fn walked(line: &[u8]) -> Option<Walked<'_>> {
        let (mut names, mut values, mut spans) = Walked::default();
        walk_at(line, |name, raw, span| {
            names.push(name.to_vec());
            values.push(raw);
            spans.push(span);
        })?;
        Some((names, values, spans))
    }

    #[test]
    fn lines_with_the_same_gaps_have_the_same_fields() {
        let mut gaps = Gaps::default();
        let line = br#"{"a": 1, "b": {"c": "x", "d": {}}, "l": [1, "2"]}"#;
        gaps.note(line, &walked(line).unwrap().2);
        let mut values = Vec::new();
        let same = br#"{"a": null, "b": {"c": "\"}", "d": []}, "l": -1.5}"#;
        assert!(gaps.read(same, &mut values));
        assert_eq!(values, walked(same).unwrap().1);
        for other in [
            &br#"{"a": 1, "b": {"c": "x", "d": {"e": 1}}, "l": [1, "2"]}"#[..],
            br#"{"a":  1, "b": {"c": "x", "d": {}}, "l": [1, "2"]}"#,
            br#"{"a": 1, "b": {"c": "x", "e": {}}, "l": [1, "2"]}"#,
            br#"{"a": 1, "b": {"c": "x", "d": {}}, "l": [1, "2"]} "#,
            br#"{"a": 1, "b": {"c": "x""#,
            b"",
        ] {
            assert!(!gaps.read(other, &mut values), "{other:?}");
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("1".to_owned()),
            Just("null".to_owned()),
            Just("\"x\"".to_owned()),
            Just("\"a\\\"b, \\\\\"".to_owned()),
            Just("{}".to_owned()),
            Just("{ }".to_owned()),
            Just("[1, {\"a\": 2}]".to_owned()),
            Just("x".to_owned()),
            Just(" 2".to_owned()),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            proptest::collection::vec(("[ab]", inner, prop_oneof![Just(": "), Just(":")]), 0..4)
                .prop_map(|fields| {
                    let fields = fields
                        .iter()
                        .map(|(k, v, colon)| format!("\"{k}\"{colon}{v}"));
                    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
                })
        })
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_walking_finds(lines in proptest::collection::vec(json(), 2..8)) {
            let mut values = Vec::new();
            for line in &lines {
                let Some((names, _, spans)) = walked(line.as_bytes()) else { continue };
                let mut gaps = Gaps::default();
                gaps.note(line.as_bytes(), &spans);
                prop_assert!(gaps.read(line.as_bytes(), &mut values) || values.iter().all(|v| !matches!(v, Raw::Object(_))));
                for other in &lines {
                    if gaps.read(other.as_bytes(), &mut values) {
                        let (same, found, _) = walked(other.as_bytes()).unwrap();
                        prop_assert_eq!(&names, &same);
                        prop_assert_eq!(&values, &found);
                    }
                }
            }
        }
    }
}
