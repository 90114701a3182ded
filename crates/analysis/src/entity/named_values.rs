//! Values stated by the first or last events of instances: labels and places.

use widetui_core::dict::{Code, NONE};
use widetui_store::key_column::{CellPosition, KeyColumn, usable};

use crate::entity::ids::NO_INSTANCE;
use crate::entity::members::RowMembers;
use crate::entity::shared_columns::{KeyNumber, SegmentColumns};

/// Value with the rank of its event; the greatest rank counts.
///
/// Rank: 1 + the position in time order, reversed if the first event counts, with [`TIMED`]. 0 without an event.
#[derive(Clone, Copy, Debug)]
struct RankedValue {
    rank: u32,
    code: Code,
}

impl RankedValue {
    /// No value.
    const NONE: RankedValue = RankedValue {
        rank: 0,
        code: NONE,
    };
}

/// Bit of the ranks of events with a time.
const TIMED: u32 = 1 << 31;

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
    instances: usize,
    /// Values by key and instance; none of a key that no event has.
    best: Vec<Vec<RankedValue>>,
}

impl NamedValues {
    /// No values yet, for `instances` instances and `keys` keys.
    pub(crate) fn empty(instances: usize, keys: usize) -> NamedValues {
        NamedValues {
            instances,
            best: vec![Vec::new(); keys],
        }
    }

    /// Replaces the value of an instance by one with a greater rank.
    #[inline]
    fn offer(&mut self, instance: u32, key: usize, new: RankedValue) {
        let Some(values) = self.best.get_mut(key) else {
            return;
        };
        if values.is_empty() {
            values.resize(self.instances, RankedValue::NONE);
        }
        let best = values.get_mut(instance as usize);
        if let Some(best) = best.filter(|best| new.rank > best.rank) {
            *best = new;
        }
    }

    /// Values of an instance by key; `NONE` without a value.
    pub(crate) fn of_instance(&self, instance: usize) -> impl Iterator<Item = Code> {
        let value = move |values: &Vec<RankedValue>| values.get(instance).map_or(NONE, |v| v.code);
        self.best.iter().map(value)
    }

    /// Values of all instances, by instance and key.
    pub(crate) fn into_codes(self) -> Vec<Code> {
        let all = (0..self.instances).flat_map(|instance| self.of_instance(instance));
        all.collect()
    }

    /// Merges the values of a segment; `to` maps its instances to numbers of the whole run.
    pub(crate) fn merge(&mut self, new: &NamedValues, to: &[u32]) {
        for (key, values) in new.best.iter().enumerate() {
            for (value, to) in values.iter().zip(to) {
                if *to != NO_INSTANCE && value.rank > 0 {
                    self.offer(*to, key, *value);
                }
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
            let position = (segment_columns.positions[row] + 1).min(TIMED - 2);
            let position = match choice {
                EventChoice::First => TIMED - 1 - position,
                EventChoice::Last => position,
            };
            let rank = match segment_columns.is_timed(row) {
                true => position | TIMED,
                false => position,
            };
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
