//! Arrays and objects in JSON records that are not read field by field: parts that become fields of their own, arrays that
//! are one value, objects that nobody looks into (their names vary from record to record).
//!
//! `story[-1]` is the last element of the array `story`, `startstops[0].start` a field of the first one's object. Picking is
//! done while a record is walked, so that all that comes after sees fields like any other.

use super::jsonscan::{self, Raw};

/// A part of an array, as a field: the whole text is the field's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Name of the field that it makes.
    pub name: String,
    field: String,
    index: isize,
    inside: Option<String>,
}

impl Pick {
    /// Reads `field[index]` or `field[index].inside`; a negative index counts from the end. `None` when it is neither.
    pub fn parse(text: &str) -> Option<Pick> {
        let (field, rest) = text.split_once('[')?;
        let (index, rest) = rest.split_once(']')?;
        let inside = match rest {
            "" => None,
            _ => Some(rest.strip_prefix('.')?.to_owned()),
        };
        Some(Pick {
            name: text.to_owned(),
            field: field.to_owned(),
            index: index.parse().ok()?,
            inside,
        })
    }

    /// The part of this array.
    fn of<'a>(&self, array: &'a [u8]) -> Option<Raw<'a>> {
        let element = jsonscan::element(array, self.index)?;
        let Some(inside) = &self.inside else {
            return Some(element);
        };
        let Raw::Object(object) = element else {
            return None;
        };
        let mut found = None;
        jsonscan::walk(object, |key, raw| {
            if key == inside.as_bytes() {
                found = Some(raw);
            }
        })?;
        found
    }
}

/// What a dialect says about arrays.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// Parts that become fields.
    pub pick: Vec<Pick>,
    /// Fields whose arrays are one value.
    pub whole: Vec<String>,
    /// Fields, and all fields inside them, that are read over.
    pub skip: Vec<String>,
}

impl Arrays {
    /// Whether records are as they stand.
    pub fn is_empty(&self) -> bool {
        self.pick.is_empty() && self.whole.is_empty() && self.skip.is_empty()
    }

    /// Hands a field on, and those that are picked from it.
    pub fn visit<'a>(&self, key: &[u8], raw: Raw<'a>, f: &mut impl FnMut(&[u8], Raw<'a>)) {
        let inside = |name: &String| {
            let rest = key.strip_prefix(name.as_bytes());
            matches!(rest, Some([] | [b'.', ..]))
        };
        if self.skip.iter().any(inside) {
            return;
        }
        let Raw::Array(array) = raw else {
            return f(key, raw);
        };
        if self.whole.iter().any(|w| w.as_bytes() == key) {
            f(key, Raw::Bare(array));
        } else {
            f(key, raw);
        }
        for pick in self.pick.iter().filter(|p| p.field.as_bytes() == key) {
            if let Some(part) = pick.of(array) {
                f(pick.name.as_bytes(), part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pick: &[&str], whole: &[&str], line: &str) -> Vec<String> {
        let arrays = Arrays {
            pick: pick.iter().map(|p| Pick::parse(p).unwrap()).collect(),
            whole: whole.iter().map(|w| (*w).to_owned()).collect(),
            skip: vec!["skipped".to_owned()],
        };
        let mut out = Vec::new();
        let mut scratch = Vec::new();
        let mut keep = |key: &[u8], raw: Raw<'_>| {
            let value = super::super::json::text(raw, &mut scratch);
            out.push(format!(
                "{}={}",
                String::from_utf8_lossy(key),
                String::from_utf8_lossy(value)
            ));
        };
        jsonscan::walk(line.as_bytes(), |key, raw| {
            arrays.visit(key, raw, &mut keep);
        })
        .unwrap();
        out
    }

    #[test]
    fn elements_and_their_fields_are_fields() {
        let line = r#"{"story": ["a b", {"x": [1]}, [2, 3], 17.5], "n": 1}"#;
        let got = fields(
            &["story[0]", "story[-1]", "story[2]", "story[9]", "n[0]"],
            &[],
            line,
        );
        assert_eq!(
            got[1..],
            ["story[0]=a b", "story[-1]=17.5", "story[2]=[2, 3]", "n=1"]
        );
        let line = r#"{"s": [{"start": 1, "what": {"name": "x"}}, {"start": 2}]}"#;
        let got = fields(&["s[0].what.name", "s[-1].start", "s[1].stop"], &[], line);
        assert_eq!(got[1..], ["s[0].what.name=x", "s[-1].start=2"]);
    }

    #[test]
    fn whole_arrays_are_one_value() {
        assert_eq!(
            fields(&[], &["key"], r#"{"key": ["a", 2], "k": "b"}"#),
            [r#"key=["a", 2]"#, "k=b"]
        );
    }

    #[test]
    fn skipped_objects_are_read_over() {
        let line = r#"{"skipped": {"a1": 1, "a2": {}}, "skipped2": 3, "b": {"skipped": 4}}"#;
        assert_eq!(fields(&[], &[], line), ["skipped2=3", "b.skipped=4"]);
    }

    #[test]
    fn what_is_no_pick_is_refused() {
        for text in ["story", "story[x]", "story[1]x", "story[1"] {
            assert_eq!(Pick::parse(text), None, "{text}");
        }
    }
}
