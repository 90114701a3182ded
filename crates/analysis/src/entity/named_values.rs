//! Values stated by the first or last events of instances: labels and places.

use widetui_core::dict::{Code, NONE};
use widetui_store::key_column::{KeyColumn, UNUSABLE};

use crate::entity::extent::EventExtent;
use crate::entity::ids::NO_INSTANCE;
use crate::entity::members::{GroupMembers, LIST_FLAG, RowMembers};
use crate::entity::shared_columns::{KeyNumber, SegmentColumns, usable_or_none};
use crate::entity::time_range::{NO_SPOT, Spot, SpotRange, position, row_of};

/// Best value so far with the rank of its event; the greatest rank counts.
#[derive(Clone, Copy, Debug)]
struct RankedValue {
    rank: Rank,
    code: Code,
}

/// Rank of an event: 2 with a time, 1 without, in the upper half; then the position in time order,
/// reversed if the first counts. 0 without an event.
type Rank = u64;

impl RankedValue {
    /// Rank below that of any event, without a value.
    const EMPTY: RankedValue = RankedValue {
        rank: 0,
        code: NONE,
    };

    /// Replaces the value by one with a greater rank.
    #[inline]
    fn replace_if_greater(&mut self, new: RankedValue) {
        if new.rank > self.rank {
            *self = new;
        }
    }
}

/// Value of an instance of a segment: slot (instance times number of occurring keys plus key), and
/// the value.
type SlotValue = (u32, RankedValue);

/// Values of the instances of a segment. Kept compact, since the results of all segments wait for
/// the last one.
#[derive(Debug, Default)]
pub(super) struct SegmentValues {
    /// Occurring keys, as indices into all keys.
    keys: Box<[usize]>,
    /// By instance and occurring key: value in the first (or last) timed event; `NONE` without a
    /// value.
    end_values: Box<[Code]>,
    /// Values from other events where that event has none.
    other_values: Box<[SlotValue]>,
}

/// Choice among the events that state a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventChoice {
    /// First event; events without a time come after all others.
    First,
    /// Last event; events without a time come before all others.
    Last,
}

impl EventChoice {
    /// Rank of a row by its position in time order; always greater than 0.
    #[inline]
    fn rank(self, segment_columns: &SegmentColumns<'_>, row: usize) -> Rank {
        self.rank_of_position(
            segment_columns.positions[row],
            segment_columns.is_timed(row),
        )
    }

    fn rank_of_position(self, place: u32, is_timed: bool) -> Rank {
        let place = match self {
            EventChoice::First => u32::MAX - place,
            EventChoice::Last => place,
        };
        (1 + u64::from(is_timed)) << 32 | u64::from(place)
    }

    /// Greatest rank among the rows of a group.
    fn greatest(self, range: &SpotRange) -> Rank {
        match range.timed() {
            Some(timed) => self.rank_of_position(position(self.deciding_spot(timed)), true),
            None => self.rank_of_position(position(self.deciding_spot(range.all)), false),
        }
    }

    /// First or last spot of a range, depending on the choice.
    fn deciding_spot(self, [first, last]: [Spot; 2]) -> Spot {
        match self {
            EventChoice::First => first,
            EventChoice::Last => last,
        }
    }
}

/// Collects the values of some keys for the instances of a segment.
pub(super) fn collect_values(
    segment_columns: &SegmentColumns<'_>,
    row_instances: (&RowMembers<'_>, &[GroupMembers]),
    extents: &[EventExtent],
    keys: &[KeyNumber],
    choice: EventChoice,
) -> SegmentValues {
    let occurs = |key: &KeyNumber| {
        segment_columns
            .key_columns
            .iter()
            .any(|key_columns| !key_columns[*key].is_absent())
    };
    let occurring: Vec<usize> = (0..keys.len()).filter(|at| occurs(&keys[*at])).collect();
    if occurring.is_empty() || extents.is_empty() {
        return SegmentValues::default();
    }
    let keys: Vec<KeyNumber> = occurring.iter().map(|at| keys[*at]).collect();
    let mut at_end = vec![NONE; extents.len() * keys.len()];
    for (extent, codes) in extents.iter().zip(at_end.chunks_exact_mut(keys.len())) {
        let spot = choice.deciding_spot(extent.timed);
        let (row, in_group) = row_of(spot);
        // In a row with several instances each list element has its own value.
        if spot == NO_SPOT || row_instances.0.get(row) >= LIST_FLAG {
            continue;
        }
        let group = segment_columns.view.segment.group_number(row);
        let (key_columns, ends) = (
            &segment_columns.key_columns[group],
            segment_columns.ends[group],
        );
        for (code, key) in codes.iter_mut().zip(&keys) {
            *code = usable_or_none(key_columns[*key].row(in_group, ends));
        }
    }
    let others = MissingValues::find(&at_end, keys).search(segment_columns, row_instances, choice);
    SegmentValues {
        keys: occurring.into(),
        end_values: at_end.into(),
        other_values: others.into(),
    }
}

/// Values that the first (or last) events lack: few instances as a rule.
struct MissingValues<'a> {
    end_values: &'a [Code],
    /// Keys that occur in the segment, as numbers in the scan.
    keys: Vec<KeyNumber>,
    /// Instances that lack a value.
    lacking: Vec<u32>,
    /// Index into `lacking` by instance; `NO_INSTANCE` if nothing is missing.
    lacking_indices: Vec<u32>,
    /// Best value so far, by index into `lacking` and key.
    best: Vec<RankedValue>,
}

impl<'a> MissingValues<'a> {
    fn find(at_end: &'a [Code], keys: Vec<KeyNumber>) -> MissingValues<'a> {
        let mut lacking = Vec::new();
        let all = at_end.chunks_exact(keys.len()).zip(0..);
        let places = all.map(|(codes, instance)| match codes.contains(&NONE) {
            false => NO_INSTANCE,
            true => {
                lacking.push(instance);
                lacking.len() as u32 - 1
            }
        });
        let places = places.collect();
        MissingValues {
            end_values: at_end,
            best: vec![RankedValue::EMPTY; lacking.len() * keys.len()],
            keys,
            lacking,
            lacking_indices: places,
        }
    }

    /// Finds missing values in the other events.
    fn search(
        mut self,
        segment_columns: &SegmentColumns<'_>,
        (members, of_group): (&RowMembers<'_>, &[GroupMembers]),
        choice: EventChoice,
    ) -> Vec<SlotValue> {
        for (group, row_instances) in of_group.iter().enumerate() {
            match *row_instances {
                GroupMembers::Single(instance) if self.lacks(instance) => {
                    self.search_constant_group(segment_columns, group, instance, choice);
                }
                GroupMembers::PerRow | GroupMembers::Lists if !self.lacking.is_empty() => {
                    self.search_group(segment_columns, group, members, choice);
                }
                _ => {}
            }
        }
        let width = self.keys.len() as u32;
        let all = self.lacking.iter().zip(self.best.chunks(self.keys.len()));
        let slots = all.flat_map(|(instance, best)| (instance * width..).zip(best));
        let known = slots.filter(|(_, best)| best.code != NONE);
        known.map(|(slot, best)| (slot, *best)).collect()
    }

    /// Whether an instance lacks a value.
    #[inline]
    fn lacks(&self, instance: u32) -> bool {
        let place = self.lacking_indices.get(instance as usize);
        place.is_some_and(|place| *place != NO_INSTANCE)
    }

    /// Takes the value of an event for an occurring key if it is missing.
    #[inline]
    fn offer(&mut self, instance: u32, key: usize, code: Code, rank: impl FnOnce() -> Rank) {
        let (code, width) = (usable_or_none(code), self.keys.len());
        if code == NONE || self.end_values[instance as usize * width + key] != NONE {
            return;
        }
        let place = self.lacking_indices[instance as usize] as usize;
        let rank = rank();
        self.best[place * width + key].replace_if_greater(RankedValue { rank, code });
    }

    /// Occurring keys that a group has, with their columns.
    fn present<'l>(&self, key_columns: &'l [KeyColumn]) -> Vec<(usize, &'l KeyColumn)> {
        let key_columns = self.keys.iter().map(|key| &key_columns[*key]).enumerate();
        let is_absent = |key_column: &KeyColumn| {
            matches!(
                key_column,
                KeyColumn::Absent | KeyColumn::Const(NONE | UNUSABLE)
            )
        };
        key_columns
            .filter(|(_, key_column)| !is_absent(key_column))
            .collect()
    }

    /// Searches a group whose rows all belong to one instance.
    fn search_constant_group(
        &mut self,
        segment_columns: &SegmentColumns<'_>,
        group: usize,
        instance: u32,
        choice: EventChoice,
    ) {
        let rows = &segment_columns.view.segment.groups[group].rows;
        for (key, key_column) in self.present(&segment_columns.key_columns[group]) {
            if let KeyColumn::Const(code) = key_column {
                self.offer(instance, key, *code, || {
                    choice.greatest(segment_columns.group_range(group))
                });
                continue;
            }
            for (place, row) in rows.iter().enumerate() {
                let code = key_column.row(place, segment_columns.ends[group]);
                self.offer(instance, key, code, || {
                    choice.rank(segment_columns, usize::from(*row))
                });
            }
        }
    }

    /// Searches a group whose rows may belong to different instances.
    fn search_group(
        &mut self,
        segment_columns: &SegmentColumns<'_>,
        group: usize,
        members: &RowMembers<'_>,
        choice: EventChoice,
    ) {
        let present = self.present(&segment_columns.key_columns[group]);
        if present.is_empty() {
            return;
        }
        let ends = segment_columns.ends[group];
        let rows = segment_columns.view.segment.groups[group].rows.iter();
        for (place, row) in rows.map(|row| usize::from(*row)).enumerate() {
            members.for_each(row, |instance, slot| {
                if !self.lacks(instance) {
                    return;
                }
                for (key, key_column) in &present {
                    let code = match (key_column, slot) {
                        (KeyColumn::Elements(codes), Some(slot)) => {
                            codes.get(slot).copied().unwrap_or(NONE)
                        }
                        (key_column, _) => key_column.row(place, ends),
                    };
                    self.offer(instance, *key, code, || choice.rank(segment_columns, row));
                }
            });
        }
    }
}

/// Values of the instances of the whole run, with the ranks of their events.
pub(super) struct RunValues {
    /// Rank by instance and key.
    ranks: Vec<Rank>,
    codes: Vec<Code>,
    keys: usize,
    choice: EventChoice,
}

impl RunValues {
    /// No values yet, for `instances` instances and `keys` keys.
    pub(crate) fn empty(instances: usize, keys: usize, choice: EventChoice) -> RunValues {
        RunValues {
            ranks: vec![0; instances * keys],
            codes: vec![NONE; instances * keys],
            keys,
            choice,
        }
    }

    /// Values of an instance by key; `NONE` without a value.
    pub(crate) fn of_instance(&self, instance: usize) -> &[Code] {
        let of = instance * self.keys..(instance + 1) * self.keys;
        self.codes.get(of).unwrap_or_default()
    }

    /// Values of all instances, by instance and key.
    pub(crate) fn into_codes(self) -> Vec<Code> {
        self.codes
    }

    /// Merges the values of a segment; `to` maps its instances to numbers of the whole run.
    pub(crate) fn merge(&mut self, new: &SegmentValues, extents: &[EventExtent], to: &[u32]) {
        let width = new.keys.len();
        if width == 0 {
            return;
        }
        let ended = new.end_values.chunks_exact(width).zip(extents).zip(to);
        for ((codes, extent), to) in ended.filter(|(_, to)| **to != NO_INSTANCE) {
            let end = self.choice.deciding_spot(extent.timed);
            let rank = self.choice.rank_of_position(position(end), true);
            let of = *to as usize * self.keys..(*to as usize + 1) * self.keys;
            let (ranks, known) = (&mut self.ranks[of.clone()], &mut self.codes[of]);
            for (at, code) in new.keys.iter().zip(codes) {
                if *code != NONE && rank > ranks[*at] {
                    (ranks[*at], known[*at]) = (rank, *code);
                }
            }
        }
        for (slot, new_one) in &new.other_values {
            let (local, key) = (*slot as usize / width, *slot as usize % width);
            let at = to[local] as usize * self.keys + new.keys[key];
            if let (Some(rank), Some(code)) = (self.ranks.get_mut(at), self.codes.get_mut(at))
                && new_one.rank > *rank
            {
                (*rank, *code) = (new_one.rank, new_one.code);
            }
        }
    }
}
