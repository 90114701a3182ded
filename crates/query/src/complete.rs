//! Completion of a filter expression.

use std::ops::Range;

use widetui_core::cancel::Cancel;
use widetui_core::level::Level;
use widetui_core::words::several;
use widetui_format::catalog::keys::WRITER;
use widetui_store::Snapshot;
use widetui_time::time::rfc3339_nanos;

use crate::expr::{Field, Op, PSEUDO, spell, spell_pattern};
use crate::key_stats::{KeyStat, key_stats};
use crate::parse::{CompletionSlot, slot_at_end};
use crate::program::{resolve, template_hash};
use crate::values::values;

/// A replacement for the text before the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Byte range of the line to be replaced.
    pub replace: Range<usize>,
    /// Replacement text.
    pub text: String,
    /// Description with counts, for display.
    pub note: String,
}

/// Maximum number of proposals.
const MOST: usize = 100;

/// Returns completions at a cursor (a byte offset): names of keys, operators, values, `and` and `or`. Those that start
/// with the typed text come before those that contain it, and frequent ones first. Counts all records.
#[must_use]
pub fn complete(text: &str, cursor: usize, snapshot: &Snapshot) -> Vec<Completion> {
    let stats = key_stats(snapshot, &Cancel::default()).unwrap_or_default();
    complete_with(text, cursor, snapshot, &stats, &Cancel::default())
}

/// As [`complete`], with key statistics computed before; empty if cancelled.
#[must_use]
pub fn complete_with(
    text: &str,
    cursor: usize,
    snapshot: &Snapshot,
    stats: &[KeyStat],
    cancel: &Cancel,
) -> Vec<Completion> {
    let cursor = (0..=cursor.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let (slot, start) = slot_at_end(&text[..cursor]);
    let start = start.min(cursor);
    let typed = &text[start..cursor];
    let mut offers = match &slot {
        CompletionSlot::Term | CompletionSlot::Next => {
            let mut offers = keys(stats);
            offers.extend(words(&["not", "has"], "keyword"));
            if slot == CompletionSlot::Next {
                offers.extend(words(&["and", "or"], "keyword"));
            }
            offers
        }
        CompletionSlot::Key => keys(stats),
        CompletionSlot::Operator(name) => {
            let known =
                PSEUDO.contains(&name.as_str()) || resolve(&snapshot.catalog.keys, name).is_some();
            let mut offers = if known {
                operators(&Field::named(name))
            } else {
                Vec::new()
            };
            offers.extend(words(&["and", "or"], "keyword"));
            offers
        }
        CompletionSlot::Link => words(&["and", "or"], "keyword"),
        CompletionSlot::Value(field, op) => offered_values(snapshot, field, *op, cancel),
    };
    let typed = typed.trim_start_matches(['"', '\'', '`']).to_lowercase();
    let rank = |offer: &Offer| {
        let name = offer.name.to_lowercase();
        if name.starts_with(&typed) {
            Some(0)
        } else if name.contains(&format!(".{typed}")) {
            Some(1)
        } else {
            name.contains(&typed).then_some(2)
        }
    };
    offers.retain(|offer| rank(offer).is_some());
    // The sort is stable, so proposals of one rank keep their order.
    offers.sort_by_key(rank);
    offers
        .into_iter()
        .take(MOST)
        .map(|offer| Completion {
            replace: start..cursor,
            text: offer.text,
            note: offer.note,
        })
        .collect()
}

/// A proposal: the name to match, the text to insert and the note to show.
#[derive(Debug)]
struct Offer {
    name: String,
    text: String,
    note: String,
}

impl Offer {
    fn new(name: &str, text: impl Into<String>, note: impl Into<String>) -> Offer {
        Offer {
            name: name.to_owned(),
            text: text.into(),
            note: note.into(),
        }
    }
}

fn words(list: &[&str], note: &str) -> Vec<Offer> {
    list.iter().map(|w| Offer::new(w, *w, note)).collect()
}

fn keys(stats: &[KeyStat]) -> Vec<Offer> {
    let mut sorted: Vec<&KeyStat> = stats.iter().collect();
    // A key with one value selects nothing, and keys of the writer (logger, module, line) are seldom searched for.
    let rank = |stat: &KeyStat| {
        let is_writer = WRITER.contains(&stat.key.as_str());
        (stat.distinct == Some(1), is_writer, u64::MAX - stat.events)
    };
    sorted.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.key.cmp(&b.key)));
    let telling = sorted.partition_point(|stat| !rank(stat).0 && !rank(stat).1);
    let others = sorted.split_off(telling);
    let pseudo = PSEUDO.iter().map(|name| Offer::new(name, *name, ""));
    let offer = |stat: &KeyStat| {
        let kind = if stat.kind == "auto" {
            String::new()
        } else {
            format!("{}, ", stat.kind)
        };
        let note = match stat.distinct {
            Some(n) => format!(
                "{kind}{}, {}",
                several(n as usize, "value"),
                several(stat.events as usize, "event")
            ),
            None => format!("{kind}{}", several(stat.events as usize, "event")),
        };
        Offer::new(&stat.key, Field::key(&stat.key).to_string(), note)
    };
    let telling = sorted.into_iter().map(offer);
    telling
        .chain(pseudo)
        .chain(others.into_iter().map(offer))
        .collect()
}

fn operators(field: &Field) -> Vec<Offer> {
    let usable = |op: &Op| match field {
        Field::Time => !matches!(op, Op::Match | Op::NoMatch),
        Field::Level | Field::Key(_) => true,
        _ => !op.is_order(),
    };
    Op::ALL
        .into_iter()
        .filter(usable)
        .map(|op| {
            let note = match op {
                Op::Eq => "equals",
                Op::Ne => "has the key, not equal",
                Op::Match => "matches a pattern",
                Op::NoMatch => "has the key, does not match a pattern",
                Op::Lt => "less",
                Op::Le => "less than or equal",
                Op::Gt => "greater",
                Op::Ge => "greater than or equal",
                Op::In => "is in a list",
                Op::NotIn => "has the key, not in a list",
            };
            let text = if op.takes_list() {
                format!("{} (", op.sign())
            } else {
                op.sign().to_owned()
            };
            Offer::new(op.sign(), text, note)
        })
        .collect()
}

fn offered_values(snapshot: &Snapshot, field: &Field, op: Op, cancel: &Cancel) -> Vec<Offer> {
    match field {
        Field::Message => Vec::new(),
        Field::Time => {
            let ends = snapshot
                .range()
                .map(|(a, b)| [(a, "first event"), (b, "last event")]);
            let offer = |(ns, note)| {
                let text = rfc3339_nanos(ns);
                Offer::new(&text.clone(), text, note)
            };
            ends.into_iter().flatten().map(offer).collect()
        }
        Field::Level => {
            let counts = values(snapshot, field, None, cancel).unwrap_or_default();
            let count = |name: &str| counts.iter().find(|c| c.0 == name).map_or(0, |c| c.1);
            let levels = Level::ALL.into_iter().rev().map(Level::name);
            levels
                .filter(|name| !name.is_empty())
                .map(|name| Offer::new(name, name, several(count(name) as usize, "event")))
                .collect()
        }
        Field::Template if !matches!(op, Op::Match | Op::NoMatch) => {
            let counts = values(snapshot, field, None, cancel).unwrap_or_default();
            let hash = |text: &str| template_hash(widetui_format::catalog::stable_hash(text));
            counts
                .into_iter()
                .map(|(text, n)| {
                    let note = format!("{text}, {}", several(n as usize, "event"));
                    Offer::new(&text, hash(&text), note)
                })
                .collect()
        }
        Field::Source | Field::Template | Field::Key(_) => {
            // Counting values that are not in columns would read the whole text at each key press.
            let counts = if is_deferred(snapshot, field) {
                Vec::new()
            } else {
                values(snapshot, field, None, cancel).unwrap_or_default()
            };
            counts
                .into_iter()
                .map(|(text, n)| {
                    let as_pattern = match op {
                        Op::Match | Op::NoMatch => spell_pattern(&regex::escape(&text)),
                        _ => spell(&text),
                    };
                    Offer::new(&text, as_pattern, several(n as usize, "event"))
                })
                .collect()
        }
    }
}

fn is_deferred(snapshot: &Snapshot, field: &Field) -> bool {
    let keys = &snapshot.catalog.keys;
    let Field::Key(name) = field else {
        return false;
    };
    resolve(keys, name)
        .and_then(|id| keys.get(id))
        .is_some_and(|k| k.key.is_deferred())
}
