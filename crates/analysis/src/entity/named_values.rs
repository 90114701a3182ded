//! Values stated by the first or last events of instances: labels and places.

use widetui_core::dict::{Code, NONE};
use widetui_store::key_column::{CellPosition, KeyColumn, usable};

use crate::entity::ids::NO_INSTANCE;
use crate::entity::members::RowMembers;
use crate::entity::shared_columns::{KeyNumber, SegmentColumns};

/// Value with the rank of its event; the greatest rank counts.
///
/// Rank: 2 with a time, 1 without, in the upper half; then the position in time order, reversed if the first event counts. 0
/// without an event.
#[derive(Clone, Copy, Debug)]
struct RankedValue {
    rank: u64,
    code: Code,
}

/// Choice among the events that state a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventChoice {
    /// First event; events without a time come after all others.
    First,
    /// Last event; events without a time come before all others.
    Last,
}

/// Values of instances for some keys.
#[derive(Debug, Default)]
pub(super) struct NamedValues {
    keys: usize,
    /// Value by instance and key.
    best: Vec<RankedValue>,
}

impl NamedValues {
    /// No values yet, for `instances` instances and `keys` keys.
    pub(crate) fn empty(instances: usize, keys: usize) -> NamedValues {
        let none = RankedValue {
            rank: 0,
            code: NONE,
        };
        NamedValues {
            keys,
            best: vec![none; instances * keys],
        }
    }

    /// Replaces the value of an instance by one with a greater rank.
    #[inline]
    fn offer(&mut self, instance: u32, key: usize, new: RankedValue) {
        let best = self.best.get_mut(instance as usize * self.keys + key);
        if let Some(best) = best.filter(|best| new.rank > best.rank) {
            *best = new;
        }
    }

    /// Values of an instance by key; `NONE` without a value.
    pub(crate) fn of_instance(&self, instance: usize) -> impl Iterator<Item = Code> {
        let own = self.best.chunks(self.keys.max(1)).nth(instance);
        own.unwrap_or_default().iter().map(|value| value.code)
    }

    /// Values of all instances, by instance and key.
    pub(crate) fn into_codes(self) -> Vec<Code> {
        self.best.into_iter().map(|value| value.code).collect()
    }

    /// Merges the values of a segment; `to` maps its instances to numbers of the whole run.
    pub(crate) fn merge(&mut self, new: &NamedValues, to: &[u32]) {
        for (values, to) in new.best.chunks(self.keys.max(1)).zip(to) {
            if *to != NO_INSTANCE {
                let values = values.iter().enumerate();
                values.for_each(|(key, value)| self.offer(*to, key, *value));
            }
        }
    }
}

/// Collects the values of some keys for the instances of a segment.
pub(super) fn collect_values(
    (segment_columns, members): (&SegmentColumns<'_>, &RowMembers),
    keys: &[KeyNumber],
    (instances, choice): (usize, EventChoice),
) -> NamedValues {
    let mut out = NamedValues::empty(instances, keys.len());
    let groups = segment_columns.view.segment.groups.iter();
    let columns = segment_columns.key_columns.iter();
    for ((group, key_columns), ends) in groups.zip(columns).zip(&segment_columns.ends) {
        let columns = keys.iter().map(|key| &key_columns[*key]).enumerate();
        let present: Vec<(usize, &KeyColumn)> =
            { columns }.filter(|(_, c)| !c.is_absent()).collect();
        if present.is_empty() || instances == 0 {
            continue;
        }
        for (place, row) in group.rows.iter().enumerate() {
            let row = usize::from(*row);
            let position = match choice {
                EventChoice::First => u32::MAX - segment_columns.positions[row],
                EventChoice::Last => segment_columns.positions[row],
            };
            let timed = 1 + u64::from(segment_columns.is_timed(row));
            let rank = timed << 32 | u64::from(position);
            members.for_each(row, |element, instance| {
                let cell = CellPosition {
                    row: place,
                    element,
                    ends: *ends,
                };
                for (key, column) in &present {
                    if let Some(code) = usable(column.at(cell)) {
                        out.offer(instance, *key, RankedValue { rank, code });
                    }
                }
            });
        }
    }
    out
}
