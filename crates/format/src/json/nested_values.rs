//! Nested values of JSON records: elements picked as fields, arrays kept as one value, and objects that are skipped
//! because their names vary from record to record.
//!
//! `story[-1]` is the last element of the array `story`, `startstops[0].start` a field of its first object, and
//! `startstops[action=compute].start` a field of the first object whose `action` is `compute`. Elements are picked
//! while a record is walked, so that later stages treat them like any other field.

use crate::text::json_scan::{self, Raw};

/// Selector of an array element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Selector {
    /// Index from 0, or from -1 at the end.
    Index(isize),
    /// First object in which a field has this text.
    WithText(String, String),
}

/// Element of an array as a field, which is named by the whole expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    /// Name of the field.
    pub(crate) name: String,
    field: String,
    which: Selector,
    inside: Option<String>,
}

impl Pick {
    /// Parses `field[index]` or `field[index].inside`. A negative index counts from the end; `name=text` in place of
    /// the index selects the first element with that value. `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Pick> {
        let (field, rest) = text.split_once('[')?;
        let (index, rest) = rest.split_once(']')?;
        let inside = match rest {
            "" => None,
            _ => Some(rest.strip_prefix('.')?.to_owned()),
        };
        let which = match index.split_once('=') {
            Some((name, value)) => Selector::WithText(name.to_owned(), value.to_owned()),
            None => Selector::Index(index.parse().ok()?),
        };
        Some(Pick {
            name: text.to_owned(),
            field: field.to_owned(),
            which,
            inside,
        })
    }

    /// Selected element of an array.
    fn of<'a>(&self, array: &'a [u8]) -> Option<Raw<'a>> {
        let element = match &self.which {
            Selector::Index(index) => json_scan::element(array, *index)?,
            Selector::WithText(name, value) => {
                let mut scratch = Vec::new();
                let mut has = |element: &Raw<'a>| {
                    let raw = field(*element, name);
                    raw.is_some_and(|raw| {
                        crate::text::json_scan::text(raw, &mut scratch) == value.as_bytes()
                    })
                };
                let mut all = (0..).map_while(|at| json_scan::element(array, at));
                all.find(|element| has(element))?
            }
        };
        match &self.inside {
            None => Some(element),
            Some(inside) => field(element, inside),
        }
    }
}

/// Field of an object.
fn field<'a>(of: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    let Raw::Object(object) = of else {
        return None;
    };
    let mut found = None;
    json_scan::walk(object, |key, raw| {
        if key == name.as_bytes() {
            found = Some(raw);
        }
    })?;
    found
}

/// Treatment of arrays and objects in a dialect.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// Elements picked as fields.
    pub(crate) pick: Vec<Pick>,
    /// Fields whose arrays are one value.
    pub(crate) whole: Vec<String>,
    /// Fields that are skipped with all fields inside them.
    pub(crate) skip: Vec<String>,
}

impl Arrays {
    /// Whether records are read unchanged.
    pub fn is_empty(&self) -> bool {
        self.pick.is_empty() && self.whole.is_empty() && self.skip.is_empty()
    }

    /// Passes on a field and the elements picked from it.
    pub(crate) fn visit<'a>(&self, key: &[u8], raw: Raw<'a>, f: &mut impl FnMut(&[u8], Raw<'a>)) {
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
            let value = crate::text::json_scan::text(raw, &mut scratch);
            out.push(format!(
                "{}={}",
                String::from_utf8_lossy(key),
                String::from_utf8_lossy(value)
            ));
        };
        json_scan::walk(line.as_bytes(), |key, raw| {
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
    fn elements_are_picked_by_content() {
        let line = r#"{"s": [{"do": "load", "at": 1}, 7, {"do": "run", "at": 2}, {"do": "run", "at": 3}]}"#;
        let pick = [
            "s[do=run].at",
            "s[do=load].at",
            "s[do=save].at",
            "s[at=3].do",
        ];
        let got = fields(&pick, &[], line);
        assert_eq!(
            got[1..],
            ["s[do=run].at=2", "s[do=load].at=1", "s[at=3].do=run"]
        );
    }

    #[test]
    fn whole_arrays_are_one_value() {
        assert_eq!(
            fields(&[], &["key"], r#"{"key": ["a", 2], "k": "b"}"#),
            [r#"key=["a", 2]"#, "k=b"]
        );
    }

    #[test]
    fn skipped_objects_are_ignored() {
        let line = r#"{"skipped": {"a1": 1, "a2": {}}, "skipped2": 3, "b": {"skipped": 4}}"#;
        assert_eq!(fields(&[], &[], line), ["skipped2=3", "b.skipped=4"]);
    }

    #[test]
    fn other_text_is_not_a_pick() {
        for text in ["story", "story[x]", "story[1]x", "story[1"] {
            assert_eq!(Pick::parse(text), None, "{text}");
        }
    }
}
