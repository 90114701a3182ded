//! Expressions of filters and searches, until the query language is there: `key = value`, `not key = value`, words.

use std::ops::Range;

use crate::base::cancel::Cancel;
use crate::base::dict::Code;
use crate::base::ids::{EventId, KeyId};
use crate::store::{EventRef, Snapshot};

use super::ask::{Problem, Rows};
use super::fetch::Blocks;

enum Test {
    Same {
        key: String,
        value: String,
        not: bool,
    },
    Words(Vec<String>),
}

fn parse(text: &str) -> Result<Test, Problem> {
    let problem = |text: &str, at: usize, len: usize| Problem {
        text: text.to_owned(),
        at,
        len,
        suggestion: None,
    };
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(problem("an expression is missing", 0, 1));
    }
    let (not, rest) = match trimmed.strip_prefix("not ") {
        Some(rest) => (true, rest),
        None => (false, trimmed),
    };
    if let Some((key, value)) = rest.split_once('=') {
        let value = value.trim().trim_matches('"');
        if value.is_empty() {
            return Err(problem("a value is missing", text.len(), 1));
        }
        let key = key.trim().to_owned();
        return Ok(Test::Same {
            key,
            value: value.replace("\\\"", "\"").replace("\\\\", "\\"),
            not,
        });
    }
    Ok(Test::Words(
        rest.split_whitespace().map(str::to_lowercase).collect(),
    ))
}

/// Whether a text is an expression.
///
/// # Errors
/// What is wrong, and where.
pub fn check(text: &str) -> Result<(), Problem> {
    parse(text).map(|_| ())
}

/// A text as a value of an expression.
pub fn quoted(text: &str) -> String {
    let plain = !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/'));
    if plain {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Finds the words of a search in texts, for marking them.
#[derive(Clone, Debug, Default)]
pub struct Highlight {
    words: Vec<String>,
}

impl Highlight {
    /// For a search line.
    pub fn of(line: &str) -> Highlight {
        Highlight {
            words: line.split_whitespace().map(str::to_lowercase).collect(),
        }
    }

    /// Where the words stand in a text, ascending.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let lower = text.to_lowercase();
        if lower.len() != text.len() {
            return Vec::new();
        }
        let mut out: Vec<Range<usize>> = self
            .words
            .iter()
            .flat_map(|w| {
                lower
                    .match_indices(w.as_str())
                    .map(|(at, m)| at..at + m.len())
            })
            .filter(|r| text.is_char_boundary(r.start) && text.is_char_boundary(r.end))
            .collect();
        out.sort_by_key(|r| r.start);
        out.dedup_by(|b, a| b.start < a.end);
        out
    }
}

/// Those of some rows that fit an expression; none when it cannot be read.
pub fn narrowed(
    snapshot: &Snapshot,
    rows: &Rows,
    expression: &str,
    cancel: &Cancel,
) -> Option<Rows> {
    let Ok(test) = parse(expression) else {
        return Some(Rows::Some(Vec::new().into()));
    };
    let key = match &test {
        Test::Same { key, value, .. } => snapshot
            .tables
            .keys
            .find(key)
            .map(|k| (k.id, k.freeze().canonical(k.code(value)))),
        Test::Words(_) => None,
    };
    let mut blocks = Blocks::default();
    let mut out = Vec::new();
    for row in 0..rows.len(snapshot) {
        if row.is_multiple_of(1024) && cancel.is_cancelled() {
            return None;
        }
        let Some(id) = rows.get(snapshot, row) else {
            continue;
        };
        let Some(event) = snapshot.event(id) else {
            continue;
        };
        let fits = match &test {
            Test::Same {
                key: name,
                value,
                not,
            } => {
                let same = match (name.as_str(), key) {
                    ("source", _) => event.source().tag == *value || event.source().path == *value,
                    ("template", _) => event.template().is_some_and(|t| *t.text == **value),
                    ("level", _) => event.level().name() == value,
                    (_, Some((key, code))) => has(&event, key, code),
                    _ => false,
                };
                same != *not
            }
            Test::Words(words) => {
                let text = blocks.record(&event).text.to_lowercase();
                words.iter().all(|w| text.contains(w.as_str()))
            }
        };
        if fits {
            out.push(EventId::index(id) as u32);
        }
    }
    Some(Rows::Some(out.into()))
}

fn has(event: &EventRef<'_>, key: KeyId, code: Code) -> bool {
    let mut found = false;
    let view = event.snapshot.catalog.keys.get(key);
    event.for_each_code(|k, codes, _| {
        if k == key {
            found |= codes
                .iter()
                .any(|c| view.map_or(*c, |v| v.dict.canonical(*c)) == code);
        }
    });
    found
}
