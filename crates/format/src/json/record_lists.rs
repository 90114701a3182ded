//! Lines with many records: an object with nested lists of objects, down a path of names
//! (`resourceLogs.scopeLogs.logRecords`). Each object at the end of the path is a record; other fields on the way down
//! apply to all records below.
//!
//! The text of a record is its own object and everything up to the next one; the first record of a line starts where
//! the line starts. So every byte belongs to exactly one record, and a record can be read again without the rest of its
//! line.

use std::ops::Range;

use crate::text::json_scan::{Raw, nested, skip_blank, string, value};

/// Names of the lists (or of objects around them), outermost first, with the alternatives at each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPath(Vec<Vec<Box<[u8]>>>);

/// Item found while a line is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathMatch {
    /// Object on the way down: its depth (1 for the object that holds the innermost list) and its range, which may be
    /// truncated.
    Around(usize, Range<usize>),
    /// Record.
    Record(Range<usize>),
}

impl RecordPath {
    /// Parses dotted names; `a|b` gives alternatives.
    pub(crate) fn new(path: &str) -> RecordPath {
        let names = |place: &str| place.split('|').map(|n| n.as_bytes().into()).collect();
        RecordPath(path.split('.').map(names).collect())
    }

    /// Whether this is a name of the list in an object at `depth`.
    fn is_name(&self, depth: usize, name: &[u8]) -> bool {
        let place = self.0.get(self.0.len().wrapping_sub(depth));
        place.is_some_and(|names| names.iter().any(|n| **n == *name))
    }

    /// Whether a line contains a name with which the path starts; if not, it has no such lists.
    pub(crate) fn is_in(&self, line: &[u8]) -> bool {
        let names = self.0.first().into_iter().flatten();
        let mut quoted = names.map(|name| [b"\"", &name[..], b"\""].concat());
        quoted.any(|name| memchr::memmem::find(line, &name).is_some())
    }

    /// Calls `f` with the items of a line, in order, until `f` returns false. `None` if the line is truncated or not
    /// such an object; `f` may have been called before that.
    pub(crate) fn walk(&self, line: &[u8], f: &mut impl FnMut(PathMatch) -> bool) -> Option<()> {
        self.object(line, skip_blank(line, 0), self.0.len(), f)?;
        Some(())
    }

    /// End of the object at `pos`, or of the text if `f` stopped the walk.
    fn object(
        &self,
        b: &[u8],
        start: usize,
        depth: usize,
        f: &mut impl FnMut(PathMatch) -> bool,
    ) -> Option<usize> {
        if b.get(start) != Some(&b'{') {
            return None;
        }
        if depth == 0 {
            let end = nested(b, start)?;
            return Some(if f(PathMatch::Record(start..end)) {
                end
            } else {
                b.len()
            });
        }
        if depth < self.0.len() {
            // Fields after the list apply to it, too, so the range is the whole object if it is complete.
            let end = nested(b, start).unwrap_or(b.len());
            if !f(PathMatch::Around(depth, start..end)) {
                return Some(b.len());
            }
        }
        let mut pos = skip_blank(b, start + 1);
        if b.get(pos) == Some(&b'}') {
            return Some(pos + 1);
        }
        loop {
            let (key, _, after) = string(b, pos)?;
            pos = skip_blank(b, after);
            if b.get(pos) != Some(&b':') {
                return None;
            }
            pos = skip_blank(b, pos + 1);
            pos = match b.get(pos) {
                Some(b'[') if self.is_name(depth, key) => self.list(b, pos, depth - 1, f)?,
                Some(b'{') if depth > 1 && self.is_name(depth, key) => {
                    self.object(b, pos, depth - 1, f)?
                }
                _ => value(b, pos)?.1,
            };
            if pos >= b.len() {
                return Some(pos);
            }
            pos = skip_blank(b, pos);
            match b.get(pos)? {
                b',' => pos = skip_blank(b, pos + 1),
                b'}' => return Some(pos + 1),
                _ => return None,
            }
        }
    }

    fn list(
        &self,
        b: &[u8],
        start: usize,
        depth: usize,
        f: &mut impl FnMut(PathMatch) -> bool,
    ) -> Option<usize> {
        let mut pos = skip_blank(b, start + 1);
        if b.get(pos) == Some(&b']') {
            return Some(pos + 1);
        }
        loop {
            pos = self.object(b, pos, depth, f)?;
            if pos >= b.len() {
                return Some(pos);
            }
            pos = skip_blank(b, pos);
            match b.get(pos)? {
                b',' => pos = skip_blank(b, pos + 1),
                b']' => return Some(pos + 1),
                _ => return None,
            }
        }
    }

    /// Object of the record in a text that is either a record and the text after it, or the start of a line up to the
    /// end of its first record.
    pub(crate) fn own<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let start = skip_blank(text, 0);
        if text.get(start) != Some(&b'{') {
            return None;
        }
        let first = skip_blank(text, start + 1);
        let is_line = !matches!(text.get(first), Some(b'"'))
            || string(text, first).is_some_and(|(key, ..)| self.is_name(self.0.len(), key));
        if !is_line {
            return text.get(start..nested(text, start)?);
        }
        let mut own = None;
        let _ = self.walk(text, &mut |found| match found {
            PathMatch::Record(range) => {
                own = Some(range);
                false
            }
            PathMatch::Around(..) => true,
        });
        match own {
            Some(range) => text.get(range),
            // Empty record.
            None if self.0.is_empty() || text.get(first) == Some(&b'}') => {
                text.get(start..nested(text, start)?)
            }
            None => None,
        }
    }

    /// Whether a field is one of the lists.
    pub(crate) fn is_list(&self, name: &[u8]) -> bool {
        self.0.iter().flatten().any(|n| **n == *name)
    }
}

/// Name-value pairs of a list of objects that have a `key` (or `name`) and a `value`. A value that is an object with a
/// single field, whose name is a type (`{"intValue": "7"}`), stands for the value of that field. `None` for any other
/// list.
pub(crate) fn pairs(list: &[u8]) -> Option<Vec<(&[u8], Raw<'_>)>> {
    let mut out = Vec::new();
    let mut pos = skip_blank(list, 1);
    if list.get(pos) == Some(&b']') {
        return Some(out);
    }
    loop {
        let end = nested(list, pos).filter(|_| list.get(pos) == Some(&b'{'))?;
        let fields = fields(list.get(pos..end)?)?;
        let name = fields
            .iter()
            .find(|(k, _)| matches!(*k, b"key" | b"name"))?;
        let Raw::Text { bytes: name, .. } = name.1 else {
            return None;
        };
        let found = fields.iter().find(|(k, _)| *k == b"value");
        out.push((name, found.map_or(Raw::Null, |(_, raw)| typed(*raw))));
        pos = skip_blank(list, end);
        match list.get(pos)? {
            b',' => pos = skip_blank(list, pos + 1),
            b']' => return Some(out),
            _ => return None,
        }
    }
}

fn typed(raw: Raw<'_>) -> Raw<'_> {
    let Raw::Object(object) = raw else { return raw };
    match fields(object).as_deref() {
        Some([(_, Raw::Object(inner))]) => match fields(inner).as_deref() {
            Some([(b"values", raw @ Raw::Array(_))]) => *raw,
            _ => Raw::Object(inner),
        },
        Some([(_, raw)]) => *raw,
        Some([]) => Raw::Null,
        _ => raw,
    }
}

/// Fields of an object, without those of nested objects.
fn fields(object: &[u8]) -> Option<Vec<(&[u8], Raw<'_>)>> {
    let mut out = Vec::new();
    let mut pos = skip_blank(object, 1);
    if object.get(pos) == Some(&b'}') {
        return Some(out);
    }
    loop {
        let (key, _, after) = string(object, pos)?;
        pos = skip_blank(object, after);
        if object.get(pos) != Some(&b':') {
            return None;
        }
        let (raw, after) = value(object, skip_blank(object, pos + 1))?;
        out.push((key, raw));
        pos = skip_blank(object, after);
        match object.get(pos)? {
            b',' => pos = skip_blank(object, pos + 1),
            b'}' => return Some(out),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = r#"{"a": [{"x": {"y": 1}, "b": [{"i": 1}, {"i": {"b": []}}]}, {"b": []}, {"b": [{"i": 3}], "z": 4}]}"#;

    fn records(line: &str) -> (Option<()>, Vec<String>) {
        let mut out = Vec::new();
        let done = RecordPath::new("a.b").walk(line.as_bytes(), &mut |found| {
            if let PathMatch::Record(range) = found {
                out.push(line[range].to_owned());
            }
            true
        });
        (done, out)
    }

    #[test]
    fn records_are_found_down_the_path() {
        let all = [r#"{"i": 1}"#, r#"{"i": {"b": []}}"#, r#"{"i": 3}"#];
        assert_eq!(records(LINE), (Some(()), all.map(str::to_owned).to_vec()));
        let (done, some) = records(&LINE[..LINE.len() - 25]);
        assert_eq!((done, some.len()), (None, 2));
        assert_eq!(records(r#"{"a": 1}"#), (Some(()), vec![]));
        assert_eq!(records("[1]").0, None);
        let mut seen = 0;
        let object = br#"{"a": [{"n": "m", "sum": {"p": [{"v": 1}, {"v": 2}]}}]}"#;
        RecordPath::new("a.gauge|sum.p").walk(object, &mut |found| {
            seen += usize::from(matches!(found, PathMatch::Record(_)));
            true
        });
        assert_eq!(seen, 2);
    }

    #[test]
    fn a_record_is_found_in_its_own_text() {
        let path = RecordPath::new("a.b");
        let mut at = Vec::new();
        path.walk(LINE.as_bytes(), &mut |found| {
            if let PathMatch::Record(range) = found {
                at.push(range);
            }
            true
        });
        for (i, range) in at.iter().enumerate() {
            let start = if i == 0 { 0 } else { range.start };
            let end = at.get(i + 1).map_or(LINE.len(), |r| r.start);
            let own = path.own(&LINE.as_bytes()[start..end]).unwrap();
            assert_eq!(own, &LINE.as_bytes()[range.clone()]);
        }
        assert_eq!(path.own(b"{}, "), Some(&b"{}"[..]));
        assert_eq!(path.own(b"no record"), None);
    }

    #[test]
    fn pairs_give_names_and_values() {
        let list = br#"[{"key": "a", "value": {"intValue": "7"}}, {"name": "b", "value": true}, {"key": "c"},
            {"key": "d", "value": {"arrayValue": {"values": [{"stringValue": "x"}]}}}]"#;
        let found = pairs(list).unwrap();
        let text = |raw| format!("{raw:?}");
        assert_eq!(found.len(), 4);
        assert_eq!(found[0].0, b"a");
        assert!(text(found[0].1).contains("55"));
        assert_eq!(found[1].1, Raw::Bare(b"true"));
        assert_eq!(found[2].1, Raw::Null);
        assert!(matches!(found[3].1, Raw::Array(_)));
        assert!(pairs(b"[1, 2]").is_none());
        assert!(pairs(b"[{\"key\": 1}]").is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_do(line in proptest::collection::vec(prop_oneof![Just(b'{'), Just(b'"'), Just(b':'), Just(b'a'), Just(b'['), Just(b']'), Just(b'}'), Just(b','), any::<u8>()], 0..60)) {
            let path = RecordPath::new("a.a");
            let _ = path.walk(&line, &mut |_| true);
            let _ = path.own(&line);
            let _ = pairs(&line);
        }
    }
}
