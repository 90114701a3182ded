//! Time between a record and the previous one with the same value of a key.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

use widetui_core::cancel::Cancel;
use widetui_core::ids::{EventId, KeyId};
use widetui_query::{Comparison, Expr, Field, Op, template_hash};
use widetui_store::{EventRef, Snapshot};

use super::record_texts::Place;
use super::rows::{Rows, STRIDE, narrowed};

/// Parameters of the computation.
#[derive(Clone, Debug)]
pub struct RecurrenceRequest {
    /// Rows among which previous records are searched for.
    pub rows: Rows,
    /// Indices of the rows to compute it for.
    pub window: Range<usize>,
    /// Fields that must have equal values, the most selective first: keys, the source or the template.
    pub fields: Vec<Field>,
}

/// For each record with a value, the time since the previous record with the same value, ns; `None` for the first one.
pub type Recurrences = Vec<(Place, Option<i64>)>;

/// Code or hash of a value, for equality tests.
type Same = u64;

enum By {
    Key(KeyId),
    Source,
    Template,
}

impl By {
    fn resolve(snapshot: &Snapshot, field: &Field) -> Option<By> {
        match field {
            Field::Source => Some(By::Source),
            Field::Template => Some(By::Template),
            Field::Key(name) => {
                let mut keys = snapshot.catalog.keys.iter();
                keys.find(|k| *k.key.name == **name)
                    .map(|k| By::Key(k.key.id))
            }
            _ => None,
        }
    }

    /// Returns the first value of a record's field, and its spelling in queries.
    fn value(&self, event: &EventRef<'_>) -> Option<(Same, String)> {
        match self {
            By::Source => {
                let source = event.source();
                Some((u64::from(source.id.0), source.path.clone()))
            }
            By::Template => {
                let hash = event.template()?.hash;
                Some((hash, template_hash(hash)))
            }
            By::Key(id) => {
                let view = event.snapshot.catalog.keys.get(*id)?;
                let mut first = None;
                event.for_each_code(|key, codes, _| {
                    if key == *id && first.is_none() {
                        first = codes.first().copied();
                    }
                });
                let code = first?;
                let spelling = view.spelling(code)?;
                Some((u64::from(view.dict.canonical(code)), spelling))
            }
        }
    }
}

/// Returns the combined values of a record's fields, and the first one's spelling in queries.
fn all_of(by: &[By], event: &EventRef<'_>) -> Option<(Same, String)> {
    let (first, others) = by.split_first()?;
    let (same, spelling) = first.value(event)?;
    let mut all = FxHasher::default();
    all.write_u64(same);
    for other in others {
        all.write_u64(other.value(event)?.0);
    }
    let same = if others.is_empty() {
        same
    } else {
        all.finish()
    };
    Some((same, spelling))
}

/// Computes the times for a window; empty if a key is unknown, `None` if cancelled.
pub(crate) fn steps(
    snapshot: &Snapshot,
    wish: &RecurrenceRequest,
    cancel: &Cancel,
) -> Option<Recurrences> {
    let by: Option<Vec<By>> = wish
        .fields
        .iter()
        .map(|f| By::resolve(snapshot, f))
        .collect();
    let (Some(by), Some(field)) = (by, wish.fields.first()) else {
        return Some(Vec::new());
    };
    let events = wish.window.clone();
    let events = events.filter_map(|row| snapshot.event(wish.rows.get(snapshot, row)?));
    let window: Vec<(EventRef<'_>, Same, String)> = events
        .filter_map(|event| {
            let (same, spelling) = all_of(&by, &event)?;
            Some((event, same, spelling))
        })
        .collect();
    let Some((first, ..)) = window.first() else {
        return Some(Vec::new());
    };
    let mut values: Vec<String> = window.iter().map(|w| w.2.clone()).collect();
    values.sort_unstable();
    values.dedup();
    let expr = Expr::Compare(Comparison {
        field: field.clone(),
        op: Op::In,
        values,
    });
    let others = narrowed(snapshot, &wish.rows, &expr, cancel)?;
    let from = others.row_of(snapshot, first.id).unwrap_or(0);
    // Searches backwards from the window until each of its values is found.
    let mut last: FxHashMap<Same, i64> = FxHashMap::default();
    let mut open: rustc_hash::FxHashSet<Same> = window.iter().map(|w| w.1).collect();
    for (looked, row) in (0..from).rev().enumerate() {
        if open.is_empty() {
            break;
        }
        if looked.is_multiple_of(STRIDE) && cancel.is_cancelled() {
            return None;
        }
        let event = others
            .get(snapshot, row)
            .and_then(|id: EventId| snapshot.event(id));
        if let Some(event) = event
            && let Some((same, _)) = all_of(&by, &event)
            && let Some(time) = event.time()
            && open.remove(&same)
        {
            last.insert(same, time);
        }
    }
    let mut out = Vec::with_capacity(window.len());
    for (event, same, _) in &window {
        let time = event.time();
        let before = match time {
            Some(time) => last.insert(*same, time),
            None => None,
        };
        let step = time.zip(before).map(|(now, then)| now.saturating_sub(then));
        out.push((Place::from_event(event), step));
    }
    Some(out)
}
