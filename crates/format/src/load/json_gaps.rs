//! Gaps between the values of JSON lines: braces, names, colons, commas and blanks.
//!
//! A program writes the same gaps again and again, and most values repeat those of a previous line, too. So a line is
//! first compared with a similar one: the meaning of their common text is known, and only the values that changed are
//! parsed. If anything else changed, the line has other fields.

use std::ops::Range;

use widetui_core::bytes::shared;

use crate::text::json_scan::{Raw, skip_blank, text_from, value};

/// Maximum length of a line that is kept for comparison, bytes.
pub(crate) const MAX_LEN: usize = 16 << 10;

/// Kept line with the positions of its values.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    line: Vec<u8>,
    values: Vec<ValueSpan>,
}

/// Positions of the values of the current line, and which of them differ from the line that it was compared with.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    positions: Vec<ValueSpan>,
    changed: Vec<u32>,
}

/// Result of comparing a line with a kept one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Same fields, and only values changed that may.
    Same,
    /// A value changed that never did before: the line probably belongs to another step of the program, if it has the
    /// same fields at all.
    Unusual,
    /// Other fields.
    Other,
}

/// Values that may differ from the kept line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MayDiffer {
    /// Values that differed before among the kept lines.
    Usual,
    /// Any value.
    Any,
}

/// Position and kind of a value in a line.
#[derive(Clone, Copy, Debug)]
struct ValueSpan {
    start: u32,
    end: u32,
    kind: Kind,
    /// Whether it differed between any two successive kept lines.
    varies: bool,
}

impl ValueSpan {
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "at most `MAX_LINE` bytes of a line are examined"
    )]
    fn new(start: usize, end: usize, kind: Kind, varies: bool) -> ValueSpan {
        ValueSpan {
            start: start as u32,
            end: end as u32,
            kind,
            varies,
        }
    }

    fn of<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        line.get(self.start as usize..self.end as usize)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Value in these bytes.
    #[inline]
    fn raw(self, at: &[u8]) -> Raw<'_> {
        // Without the quotes.
        let text = |escaped| Raw::Text {
            bytes: at.get(1..at.len().saturating_sub(1)).unwrap_or_default(),
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

impl Reading {
    /// Records the values of a line and their positions.
    pub(crate) fn note(&mut self, values: &[Raw<'_>], spans: &[Range<usize>]) {
        self.positions.clear();
        self.changed.clear();
        let all = values.iter().zip(spans);
        let spans = all.map(|(raw, s)| ValueSpan::new(s.start, s.end, Kind::of(*raw), false));
        self.positions.extend(spans);
    }

    /// Indices of the values that differ from the line that this one was compared with, ascending.
    pub(crate) fn changed(&self) -> &[u32] {
        &self.changed
    }
}

impl Gaps {
    /// Replaces the kept line with a line that was compared with it.
    #[inline]
    pub(crate) fn keep(&mut self, line: &[u8], reading: &mut Reading) {
        if line.len() <= MAX_LEN {
            self.line.clear();
            self.line.extend_from_slice(line);
            std::mem::swap(&mut self.values, &mut reading.positions);
        }
    }

    /// Replaces the kept line with one of the same fields that was compared with another line or with none.
    pub(crate) fn keep_other(&mut self, line: &[u8], reading: &mut Reading) {
        let is_first = self.values.len() != reading.positions.len();
        let was = self.values.iter().map(Some).chain(std::iter::repeat(None));
        for (span, was) in reading.positions.iter_mut().zip(was) {
            let same =
                |was: &ValueSpan| was.kind == span.kind && was.of(&self.line) == span.of(line);
            span.varies = !is_first && was.is_some_and(|was| was.varies || !same(was));
        }
        self.keep(line, reading);
    }

    /// Reads the values of a line that has the same gaps, with the same result as walking it.
    #[inline]
    pub(crate) fn read<'a>(
        &self,
        line: &'a [u8],
        may: MayDiffer,
        values: &mut Vec<Raw<'a>>,
        reading: &mut Reading,
    ) -> Fit {
        values.clear();
        reading.positions.clear();
        reading.changed.clear();
        if self.values.is_empty() {
            return Fit::Other;
        }
        // `common`: number of common bytes of both lines from `pos` and `from` on.
        let (mut pos, mut from) = (0, 0);
        let mut common = shared(line, &self.line);
        for (at, span) in (0..).zip(&self.values) {
            let (gap, len) = (span.start as usize - from, span.end as usize - from);
            let start = pos + gap;
            // Including the next byte, because a number may be longer.
            if len < common {
                let end = pos + len;
                let Some(bytes) = line.get(start..end) else {
                    return Fit::Other;
                };
                values.push(span.kind.raw(bytes));
                let position = ValueSpan::new(start, end, span.kind, span.varies);
                reading.positions.push(position);
                continue;
            }
            if gap > common {
                return Fit::Other;
            }
            if !span.varies && may == MayDiffer::Usual {
                return Fit::Unusual;
            }
            // The common start of two texts, except for the last quote, needs no second check.
            let read = match span.kind {
                Kind::Text if common > gap => {
                    text_from(line, start, start + common.min(len - 1) - gap)
                }
                _ => value(line, start),
            };
            let Some((raw, end)) = read else {
                return Fit::Other;
            };
            // A different object has fields of its own here.
            if let Raw::Object(object) = raw
                && skip_blank(object, 1) + 1 < object.len()
            {
                return Fit::Other;
            }
            values.push(raw);
            reading.changed.push(at);
            let position = ValueSpan::new(start, end, Kind::of(raw), true);
            reading.positions.push(position);
            (pos, from) = (end, span.end as usize);
            let (Some(rest), Some(kept)) = (line.get(pos..), self.line.get(from..)) else {
                return Fit::Other;
            };
            common = shared(rest, kept);
        }
        match common == line.len() - pos && common == self.line.len() - from {
            true => Fit::Same,
            false => Fit::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::json_scan::walk_at;

    /// Names, values and byte ranges of the values, found by walking a line.
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

    /// Kept line, replaced by each line with the same fields.
    #[derive(Default)]
    struct Kept {
        gaps: Gaps,
        reading: Reading,
    }

    impl Kept {
        fn note(&mut self, line: &[u8], values: &[Raw<'_>], spans: &[Range<usize>]) {
            self.reading.note(values, spans);
            self.gaps.keep_other(line, &mut self.reading);
        }

        /// Whether a line has the same fields. Also checks the result for the values that changed.
        fn read<'a>(&mut self, line: &'a [u8], values: &mut Vec<Raw<'a>>) -> bool {
            let Kept { gaps, reading } = self;
            let usual = gaps.read(line, MayDiffer::Usual, values, reading);
            let any = gaps.read(line, MayDiffer::Any, values, reading);
            let varies = |at: &u32| gaps.values[*at as usize].varies;
            match usual {
                Fit::Same => assert!(any == Fit::Same && reading.changed.iter().all(varies)),
                Fit::Unusual => assert!(any == Fit::Other || !reading.changed.iter().all(varies)),
                Fit::Other => assert_eq!(any, Fit::Other),
            }
            if any != Fit::Same {
                return false;
            }
            for at in 0..values.len() {
                let is_same = gaps.values[at].of(&gaps.line) == reading.positions[at].of(line);
                assert_eq!(is_same, !reading.changed.contains(&(at as u32)));
            }
            gaps.keep(line, reading);
            true
        }
    }

    #[test]
    fn lines_with_the_same_gaps_have_the_same_fields() {
        let mut kept = Kept::default();
        let line = br#"{"a": 1, "b": {"c": "x", "d": {}}, "l": [1, "2"]}"#;
        let (_, found, spans) = walked(line).unwrap();
        kept.note(line, &found, &spans);
        let mut values = Vec::new();
        let same = br#"{"a": null, "b": {"c": "\"}", "d": []}, "l": -1.5}"#;
        assert!(kept.read(same, &mut values));
        assert_eq!(values, walked(same).unwrap().1);
        // Numbers that are longer or shorter.
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
                    assert!(kept.read(other, &mut values), "{other:?}");
                    assert_eq!(values, found);
                }
                None => assert!(!kept.read(other, &mut values), "{other:?}"),
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
            assert!(!kept.read(other, &mut values), "{other:?}");
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
        fn reading_agrees_with_walking(lines in proptest::collection::vec(json(), 2..8)) {
            let mut values = Vec::new();
            for line in &lines {
                let Some((names, found, spans)) = walked(line.as_bytes()) else { continue };
                let mut kept = Kept::default();
                kept.note(line.as_bytes(), &found, &spans);
                prop_assert!(kept.read(line.as_bytes(), &mut values) || found.is_empty());
                for other in &lines {
                    if kept.read(other.as_bytes(), &mut values) {
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
            let mut kept = Kept::default();
            let line = |(text, number, other): &(String, u32, String)| {
                format!(r#"{{"a": "{text}", "n":{number} , "o": {{"p": {other}}}}}"#)
            };
            let lines: Vec<String> = lines.iter().map(line).collect();
            let mut values = Vec::new();
            for line in &lines {
                let line = line.as_bytes();
                // The comparison accepts exactly the lines in which walking finds these three fields.
                let walked = walked(line).filter(|w| w.0 == [&b"a"[..], b"n", b"o.p"]);
                if kept.gaps.values.is_empty() {
                    if let Some((_, found, spans)) = walked {
                        kept.note(line, &found, &spans);
                    }
                } else if let Some((_, found, _)) = walked {
                    prop_assert!(kept.read(line, &mut values));
                    prop_assert_eq!(&values, &found);
                } else {
                    prop_assert!(!kept.read(line, &mut values));
                }
            }
        }
    }
}
