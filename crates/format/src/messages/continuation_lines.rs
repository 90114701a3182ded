//! What the further lines of a record say: `Compute Failed`, and below it `Key: ...`, a line each.
//!
//! A message may name patterns for the lines that continue its record. Each is looked for in the first lines below the
//! message; the first line that fits it counts. Records with such lines are rare, so nothing is remembered of them.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::keys::{Key, Keys};
use crate::pattern::{FieldKind, Pattern, Spans, spellings};

/// Bytes below the first line of a record in which further lines are looked at. Whoever cuts a source into chunks has so
/// many bytes behind each at hand.
pub const AHEAD: usize = 16 << 10;

/// Lines that are looked at.
const MOST_LINES: usize = 24;

/// A pattern over a further line.
#[derive(Clone, Debug)]
pub struct FurtherLine {
    /// The pattern over the whole line.
    pub(crate) pattern: Pattern,
    /// Key of each field; `None` for fields that are read over.
    pub(crate) keys: Vec<Option<Arc<Key>>>,
    /// Fields whose text is a list of hosts, and the key of each of these.
    hosts: Vec<(usize, Arc<Key>)>,
}

impl FurtherLine {
    /// A pattern whose fields have these keys.
    pub(crate) fn new(keys: Vec<Option<Arc<Key>>>, pattern: Pattern, all: &Keys) -> FurtherLine {
        let hosts = keys.iter().enumerate();
        let hosts = hosts.filter_map(|(at, key)| Some((at, all.hosts_of(key.as_ref()?)?)));
        FurtherLine {
            hosts: hosts.collect(),
            pattern,
            keys,
        }
    }
}

/// What a further line says of a key.
#[derive(Debug)]
pub(crate) struct Said {
    /// The key.
    pub(crate) key: Arc<Key>,
    /// How its text is read.
    pub(crate) kind: FieldKind,
    /// Where its text lies below the first line.
    pub(crate) span: Range<usize>,
}

/// What the lines of `rest`, the bytes below the first line, say; up to the first line of which `ends` says where in it the
/// record ends. Of a key that several patterns name the first counts.
pub(crate) fn read(
    patterns: &[FurtherLine],
    rest: &[u8],
    mut ends: impl FnMut(&[u8]) -> Option<usize>,
) -> Vec<Said> {
    let lines = lines_of(rest, &mut ends);
    let mut spans = Spans::new();
    let mut out: Vec<Said> = Vec::new();
    for further in patterns {
        let fits =
            |line: &&Range<usize>| further.pattern.matches(&rest[(*line).clone()], &mut spans);
        let Some(line) = lines.iter().find(fits) else {
            continue;
        };
        let fields = further.pattern.fields.iter().zip(&further.keys);
        let fields = fields.zip(&spans);
        let own =
            fields.filter_map(|((field, key), span)| Some((key.as_ref()?, &field.kind, span)));
        let hosts = further.hosts.iter();
        let hosts = hosts.filter_map(|(at, key)| Some((key, &FieldKind::Hosts, spans.get(*at)?)));
        for (key, kind, span) in own.chain(hosts) {
            if out.iter().all(|said| said.key.id != key.id) {
                out.push(Said {
                    key: key.clone(),
                    kind: kind.clone(),
                    span: line.start + span.start..line.start + span.end,
                });
            }
        }
    }
    out
}

/// As [`read`], with the values as they are spelled.
pub(crate) fn spelled(
    patterns: &[FurtherLine],
    rest: &[u8],
    ends: impl FnMut(&[u8]) -> Option<usize>,
) -> Vec<(Arc<Key>, Vec<String>)> {
    let said = read(patterns, rest, ends).into_iter();
    said.map(|said| {
        let values = spellings(&said.kind, &rest[said.span]);
        (said.key, values)
    })
    .collect()
}

/// Whether all lines that are looked at are in `rest`, whatever is written behind it; `ends` as in [`read`].
pub(crate) fn is_all_there(rest: &[u8], mut ends: impl FnMut(&[u8]) -> Option<usize>) -> bool {
    if rest.len() >= AHEAD {
        return true;
    }
    let whole = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
    let mut is_ended = false;
    let lines = lines_of(&rest[..whole], &mut |line: &[u8]| {
        let end = ends(line);
        is_ended |= end.is_some();
        end
    });
    is_ended || lines.len() >= MOST_LINES
}

/// The lines that are looked at, without their ends.
fn lines_of(rest: &[u8], ends: &mut impl FnMut(&[u8]) -> Option<usize>) -> Vec<Range<usize>> {
    let rest = &rest[..rest.len().min(AHEAD)];
    let mut out = Vec::new();
    let mut pos = 0;
    while pos < rest.len() && out.len() < MOST_LINES {
        let end = match memchr::memchr(b'\n', &rest[pos..]) {
            Some(n) => pos + n,
            None if rest.len() < AHEAD => rest.len(),
            None => break,
        };
        let line = &rest[pos..end];
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
