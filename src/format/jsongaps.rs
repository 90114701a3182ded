//! What stands between the values of JSON lines: braces, names, colons, commas and blanks.
//!
//! A program writes the same of it again and again, and most values are those of the line before, too. So a line is first
//! held against the last one like it: of what both have alike it is known what it is, and only values that changed are
//! looked at. Where something else changed, the line has other fields.

use std::ops::Range;

use crate::base::bytes::shared;

use super::jsonscan::{Raw, skip_blank, text_from, value};

/// Bytes of a line up to which it is kept for the next one: each thread keeps one of each form.
const LONGEST: usize = 16 << 10;

/// The last line of a form, and where its values stand.
#[derive(Debug, Default)]
pub struct Gaps {
    line: Vec<u8>,
    values: Vec<Stood>,
    /// Values of the line at hand.
    next: Vec<Stood>,
}

/// Where a value stood in a line, and what it was.
#[derive(Clone, Copy, Debug)]
struct Stood {
    start: u32,
    end: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Escaped,
    Bare,
    Null,
    Array,
    Bytes,
    Object,
}

impl Kind {
    #[inline]
    fn of(raw: Raw<'_>) -> Kind {
        match raw {
            Raw::Text { escaped: false, .. } => Kind::Text,
            Raw::Text { escaped: true, .. } => Kind::Escaped,
            Raw::Bare(_) => Kind::Bare,
            Raw::Null => Kind::Null,
            Raw::Array(_) => Kind::Array,
            Raw::Bytes(_) => Kind::Bytes,
            Raw::Object(_) => Kind::Object,
        }
    }

    /// The value that stands at these bytes.
    #[inline]
    fn raw(self, at: &[u8]) -> Raw<'_> {
        // Without the quotes.
        let text = |escaped| Raw::Text {
            bytes: at.get(1..at.len() - 1).unwrap_or_default(),
            escaped,
        };
        match self {
            Kind::Text => text(false),
            Kind::Escaped => text(true),
            Kind::Bare => Raw::Bare(at),
            Kind::Null => Raw::Null,
            Kind::Array => Raw::Array(at),
            Kind::Bytes => Raw::Bytes(at),
            Kind::Object => Raw::Object(at),
        }
    }
}

impl Gaps {
    /// Keeps a line whose values were found at these bytes.
    pub fn note(&mut self, line: &[u8], values: &[Raw<'_>], spans: &[Range<usize>]) {
        let stood = values.iter().zip(spans).map(|(raw, span)| Stood {
            start: span.start as u32,
            end: span.end as u32,
            kind: Kind::of(*raw),
        });
        self.next.clear();
        self.next.extend(stood);
        self.keep(line);
    }

    /// Keeps a line whose values are those in `next`.
    #[inline]
    fn keep(&mut self, line: &[u8]) {
        if line.len() <= LONGEST {
            self.line.clear();
            self.line.extend_from_slice(line);
            std::mem::swap(&mut self.values, &mut self.next);
        }
    }

    /// Fills the values of a line with the same gaps, which walking would have found in the same fields; says whether it is one.
    #[inline]
    pub fn read<'a>(&mut self, line: &'a [u8], values: &mut Vec<Raw<'a>>) -> bool {
        values.clear();
        self.next.clear();
        if self.values.is_empty() {
            return false;
        }
        // From these bytes on, of the line and of the last one, they have so many alike.
        let (mut pos, mut from) = (0, 0);
        let mut alike = shared(line, &self.line);
        for stood in &self.values {
            let (gap, len) = (stood.start as usize - from, stood.end as usize - from);
            let start = pos + gap;
            // With the byte behind it: a number may go on.
            if len < alike {
                let end = pos + len;
                values.push(stood.kind.raw(&line[start..end]));
                self.next.push(Stood {
                    start: start as u32,
                    end: end as u32,
                    ..*stood
                });
                continue;
            }
            if gap > alike {
                return false;
            }
            // What a text has in common with the one before, but for its last quote, needs no second look.
            let read = match stood.kind {
                Kind::Text if alike > gap => {
                    text_from(line, start, start + alike.min(len - 1) - gap)
                }
                _ => value(line, start),
            };
            let Some((raw, end)) = read else {
                return false;
            };
            // Another object has fields of its own here.
            if let Raw::Object(object) = raw
                && skip_blank(object, 1) + 1 < object.len()
            {
                return false;
            }
            values.push(raw);
            self.next.push(Stood {
                start: start as u32,
                end: end as u32,
                kind: Kind::of(raw),
            });
            (pos, from) = (end, stood.end as usize);
            alike = shared(&line[pos..], &self.line[from..]);
        }
        let is_same = alike == line.len() - pos && alike == self.line.len() - from;
        if is_same {
            self.keep(line);
        }
        is_same
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
        let (_, found, spans) = walked(line).unwrap();
        gaps.note(line, &found, &spans);
        let mut values = Vec::new();
        let same = br#"{"a": null, "b": {"c": "\"}", "d": []}, "l": -1.5}"#;
        assert!(gaps.read(same, &mut values));
        assert_eq!(values, walked(same).unwrap().1);
        // Numbers that go on, and that end sooner.
        for other in [
            &br#"{"a": null, "b": {"c": "\"}", "d": []}, "l": -1.55}"#[..],
            br#"{"a": nullx, "b": {"c": "\"}", "d": []}, "l": -1.55}"#,
            br#"{"a": null, "b": {"c": "\"}", "d": []}, "l": -1}"#,
            br#"{"a": 11, "b": {"c": "\"}", "d": []}, "l": -1}"#,
            br#"{"a": 1, "b": {"c": "\"}, ", "d": []}, "l": -1}"#,
            br#"{"a": 1, "b": {"c": "\\", "d": []}, "l": -1}"#,
        ] {
            match walked(other) {
                Some((_, found, _)) => {
                    assert!(gaps.read(other, &mut values), "{other:?}");
                    assert_eq!(values, found);
                }
                None => assert!(!gaps.read(other, &mut values), "{other:?}"),
            }
        }
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
            Just("12".to_owned()),
            Just("-1e5".to_owned()),
            Just("null".to_owned()),
            Just("\"x\"".to_owned()),
            Just("\"xy\"".to_owned()),
            Just("\"\"".to_owned()),
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
                let Some((names, found, spans)) = walked(line.as_bytes()) else { continue };
                let mut gaps = Gaps::default();
                gaps.note(line.as_bytes(), &found, &spans);
                prop_assert!(gaps.read(line.as_bytes(), &mut values) || found.is_empty());
                for other in &lines {
                    if gaps.read(other.as_bytes(), &mut values) {
                        let (same, found, _) = walked(other.as_bytes()).unwrap();
                        prop_assert_eq!(&names, &same);
                        prop_assert_eq!(&values, &found);
                    }
                }
            }
        }

        #[test]
        fn a_line_is_read_whatever_came_before_it(
            lines in proptest::collection::vec(("[a\"\\\\]{0,3}", 0..300_u32, "(null|true|-?[0-9.]{1,3}|\\[\\]|\\{\\})"), 1..12)
        ) {
            let mut gaps = Gaps::default();
            let line = |(text, number, other): &(String, u32, String)| {
                format!(r#"{{"a": "{text}", "n":{number} , "o": {{"p": {other}}}}}"#)
            };
            let lines: Vec<String> = lines.iter().map(line).collect();
            let mut values = Vec::new();
            for line in &lines {
                let line = line.as_bytes();
                // `gaps` reads what walking reads as these three fields, and else nothing.
                let walked = walked(line).filter(|w| w.0 == [&b"a"[..], b"n", b"o.p"]);
                if gaps.values.is_empty() {
                    if let Some((_, found, spans)) = walked {
                        gaps.note(line, &found, &spans);
                    }
                } else if let Some((_, found, _)) = walked {
                    prop_assert!(gaps.read(line, &mut values));
                    prop_assert_eq!(&values, &found);
                } else {
                    prop_assert!(!gaps.read(line, &mut values));
                }
            }
        }
    }
}
