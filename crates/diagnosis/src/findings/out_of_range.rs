//! Findings of numbers far out of the range of their template, such as an unsigned number that went below zero.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{EventId, KeyId, TemplateId};
use widetui_definition::key_type::KeyType;
use widetui_definition::semantics::Severity;
use widetui_store::Snapshot;
use widetui_store::key_column::UNUSABLE;
use widetui_store::segment::Segment;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Maximum distance of a wrapped number from the end of a machine integer's range.
const NEAR: u64 = 1_000;

/// Whether a number looks like an integer that wrapped around.
fn has_wrapped(number: u64) -> bool {
    let ends = [1u64 << 31, 1 << 32, 1 << 63];
    ends.iter()
        .any(|end| number >= end - NEAR && number < end + NEAR)
        || number > u64::MAX - NEAR
}

/// Values of a key in the records of a template.
#[derive(Clone, Copy, Default)]
struct Range {
    /// Greatest value that has not wrapped.
    most: u64,
    count: u64,
    /// A wrapped value, its event, and the number of such values.
    wrapped: Option<(u64, u32, u64)>,
}

impl Range {
    /// Adds a value of the key in an event; `wrapped` maps codes to wrapped numbers.
    fn add(&mut self, code: Code, event: u32, wrapped: &Codes) {
        self.count += 1;
        if code < ENTRY {
            self.most = self.most.max(u64::from(code));
        } else if code != NONE
            && code != UNUSABLE
            && let Some(number) = wrapped.get(&code)
        {
            let known = self.wrapped.get_or_insert((*number, event, 0));
            known.2 += 1;
        }
    }

    /// Adds the result of another segment.
    fn join(&mut self, other: Range) {
        self.most = self.most.max(other.most);
        self.count += other.count;
        self.wrapped = match (self.wrapped, other.wrapped) {
            (Some(a), Some(b)) => Some((a.0, a.1.min(b.1), a.2 + b.2)),
            (a, b) => a.or(b),
        };
    }
}

/// Wrapped numbers by their codes.
type Codes = FxHashMap<Code, u64>;

/// Values of each key, by template.
type Ranges = FxHashMap<(TemplateId, KeyId), Range>;

/// Findings of wrapped numbers; `None` when cancelled.
pub(crate) fn look(look: &Context<'_>) -> Option<Vec<Finding>> {
    let odd = odd_codes(look.snapshot);
    if odd.is_empty() {
        return Some(Vec::new());
    }
    let mut out: Vec<Finding> = ranges(look, &odd)?
        .into_iter()
        .filter_map(|((_, key), range)| {
            let (number, event, count) = range.wrapped?;
            // If most values are huge they are hashes or addresses.
            if count * 2 > range.count || range.most > 1 << 24 {
                return None;
            }
            let event = EventId(event);
            Some(finding(look, key, range.most, number, event, count))
        })
        .collect();
    out.sort_by_key(|f| (f.first, f.evidence.clone()));
    Some(out)
}

/// Codes of wrapped numbers by key; few keys have any.
fn odd_codes(snapshot: &Snapshot) -> FxHashMap<KeyId, Codes> {
    let mut odd = FxHashMap::default();
    for view in snapshot.catalog.keys.iter() {
        let counts = matches!(view.key.kind, KeyType::Int | KeyType::Auto | KeyType::Float);
        if view.key.identifier || !counts {
            continue;
        }
        let numbers = view.dict.iter();
        let numbers = numbers.filter_map(|(code, text)| Some((code, text.parse::<u64>().ok()?)));
        let codes: Codes = numbers.filter(|(_, n)| has_wrapped(*n)).collect();
        if !codes.is_empty() {
            odd.insert(view.key.id, codes);
        }
    }
    odd
}

/// Values of some keys in all events; `None` when cancelled.
fn ranges(look: &Context<'_>, odd: &FxHashMap<KeyId, Codes>) -> Option<Ranges> {
    let snapshot = look.snapshot;
    let of_segment = |(segment, base): (&Arc<Segment>, &u32)| {
        let mut ranges = Ranges::default();
        for group in &segment.groups {
            if look.cancel.is_cancelled() {
                break;
            }
            let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) else {
                continue;
            };
            for (key, column) in &group.columns {
                let Some(codes) = odd.get(key) else {
                    continue;
                };
                let range = ranges.entry((shape.template, *key)).or_default();
                column.for_each(group.rows.len(), |row, code| {
                    range.add(code, base + u32::from(group.rows[row]), codes);
                });
            }
        }
        ranges
    };
    let segments = snapshot.segments.par_iter().zip(snapshot.bases.par_iter());
    let all: Vec<Ranges> = segments.map(of_segment).collect();
    if look.cancel.is_cancelled() {
        return None;
    }
    let mut ranges = Ranges::default();
    for (key, range) in all.into_iter().flatten() {
        ranges.entry(key).or_default().join(range);
    }
    Some(ranges)
}

fn finding(
    look: &Context<'_>,
    key: KeyId,
    most: u64,
    number: u64,
    event: EventId,
    count: u64,
) -> Finding {
    let name = look.snapshot.catalog.keys.name(key);
    let e = look.snapshot.event(event);
    let template = e.and_then(|e| e.template());
    let template = template.map(|t| t.text.to_string()).unwrap_or_default();
    Finding {
        text: format!(
            "In all other records \"{template}\" it is at most {most}. A number just below a power of two is as a rule one \
             that went below zero and has no sign: the program counted wrongly."
        ),
        evidence: vec![event],
        events: Vec::new(),
        count,
        first: look.time(event),
        next: "Look at what the same writer counted just before.".to_owned(),
        ..Finding::new(
            FindingKind::Number,
            Severity::Warning,
            format!("{name} is {number}"),
        )
    }
}
