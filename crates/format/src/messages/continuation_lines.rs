//! Keys in continuation lines of a record: `Compute Failed`, followed by lines such as `Key: ...`.
//!
//! A message can define patterns for the lines that continue its record. Each is looked for in the first lines after
//! the message; the first matching line counts. Records with such lines are rare, so nothing is cached.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::keys::{Key, Keys};
use crate::pattern::{FieldKind, Pattern, Spans, spellings};

/// Number of bytes after the first line of a record in which continuation lines are read. Code that cuts a source into
/// chunks must provide this many bytes after each chunk.
pub const AHEAD: usize = 16 << 10;

/// Maximum number of continuation lines examined.
const MAX_LINES: usize = 24;

/// Pattern of a continuation line.
#[derive(Clone, Debug)]
pub struct ContinuationPattern {
    /// Pattern of the whole line.
    pub(crate) pattern: Pattern,
    /// Key of each field; `None` for fields whose value is not kept.
    pub(crate) keys: Vec<Option<Arc<Key>>>,
    /// Fields that are host lists, each with the key of a single host.
    hosts: Vec<(usize, Arc<Key>)>,
}

impl ContinuationPattern {
    /// Pattern whose fields have these keys.
    pub(crate) fn new(
        keys: Vec<Option<Arc<Key>>>,
        pattern: Pattern,
        all: &Keys,
    ) -> ContinuationPattern {
        let hosts = keys.iter().enumerate();
        let hosts = hosts.filter_map(|(at, key)| Some((at, all.host_key(key.as_ref()?)?)));
        ContinuationPattern {
            hosts: hosts.collect(),
            pattern,
            keys,
        }
    }
}

/// Value of a key in a continuation line.
#[derive(Debug)]
pub(crate) struct LineValue {
    /// Key.
    pub(crate) key: Arc<Key>,
    /// Kind of its field.
    pub(crate) kind: FieldKind,
    /// Byte range of its text in the continuation lines.
    pub(crate) span: Range<usize>,
}

/// Values in `rest`, the text after the first line, up to the first line in which `ends` finds the end of the record.
/// If several patterns provide a key, the first counts.
pub(crate) fn read(
    patterns: &[ContinuationPattern],
    rest: &[u8],
    mut ends: impl FnMut(&[u8]) -> Option<usize>,
) -> Vec<LineValue> {
    let lines = lines_of(rest, &mut ends);
    let mut spans = Spans::new();
    let mut out: Vec<LineValue> = Vec::new();
    for pattern in patterns {
        let fits = |line: &&Range<usize>| {
            let line = rest.get(line.start..line.end);
            line.is_some_and(|line| pattern.pattern.matches(line, &mut spans))
        };
        let Some(line) = lines.iter().find(fits) else {
            continue;
        };
        let fields = pattern.pattern.fields.iter().zip(&pattern.keys);
        let fields = fields.zip(&spans);
        let own =
            fields.filter_map(|((field, key), span)| Some((key.as_ref()?, &field.kind, span)));
        let hosts = pattern.hosts.iter();
        let hosts = hosts.filter_map(|(at, key)| Some((key, &FieldKind::Hosts, spans.get(*at)?)));
        for (key, kind, span) in own.chain(hosts) {
            if out.iter().all(|value| value.key.id != key.id) {
                out.push(LineValue {
                    key: key.clone(),
                    kind: kind.clone(),
                    span: line.start + span.start..line.start + span.end,
                });
            }
        }
    }
    out
}

/// As [`read`], with the spellings of the values.
pub(crate) fn spelled(
    patterns: &[ContinuationPattern],
    rest: &[u8],
    ends: impl FnMut(&[u8]) -> Option<usize>,
) -> Vec<(Arc<Key>, Vec<String>)> {
    let value = read(patterns, rest, ends).into_iter();
    value
        .map(|value| {
            let values = spellings(&value.kind, rest.get(value.span).unwrap_or_default());
            (value.key, values)
        })
        .collect()
}

/// Whether `rest` contains all lines that are examined, whatever is appended to it; `ends` as in [`read`].
pub(crate) fn is_complete(rest: &[u8], mut ends: impl FnMut(&[u8]) -> Option<usize>) -> bool {
    if rest.len() >= AHEAD {
        return true;
    }
    let whole = memchr::memrchr(b'\n', rest).and_then(|at| rest.get(..=at));
    let mut is_ended = false;
    let lines = lines_of(whole.unwrap_or_default(), &mut |line: &[u8]| {
        let end = ends(line);
        is_ended |= end.is_some();
        end
    });
    is_ended || lines.len() >= MAX_LINES
}

/// Byte ranges of the examined lines, without their ends.
fn lines_of(rest: &[u8], ends: &mut impl FnMut(&[u8]) -> Option<usize>) -> Vec<Range<usize>> {
    let rest = rest.get(..AHEAD).unwrap_or(rest);
    let mut out = Vec::new();
    let mut pos = 0;
    while let Some(left @ [_, ..]) = rest.get(pos..)
        && out.len() < MAX_LINES
    {
        let line = match memchr::memchr(b'\n', left) {
            Some(n) => left.get(..n).unwrap_or(left),
            None if rest.len() < AHEAD => left,
            None => break,
        };
        let end = pos + line.len();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let last = ends(line);
        let len = last.unwrap_or(line.len());
        if len > 0 || last.is_none() {
            out.push(pos..pos + len);
        }
        if last.is_some() {
            break;
        }
        pos = end + 1;
    }
    out
}
