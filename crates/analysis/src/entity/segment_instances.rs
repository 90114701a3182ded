//! Compact instances of an entity in one segment.

use std::sync::Arc;

use widetui_core::dict::Code;

use crate::entity::extent::{Extents, SingleExtent, extents};
use crate::entity::ids::{IdBuffers, Ids, NO_INSTANCE};
use crate::entity::members::{
    GroupMembers, LIST_FLAG, ListedInstances, RowLists, RowMembers, common_members,
};
use crate::entity::named_values::{EventChoice, SegmentValues, collect_values};
use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::{KeyNumber, SegmentColumns};

/// Kind of a mark of an instance at an event, in the order for marks of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InstanceMark {
    State(Code),
    Transition(u16),
    Start,
    AlternativeStart,
    Begun,
    End,
    AlternativeEnd,
    Lost,
    Obsolete,
    Returned,
    /// Dependency: index of the key, and its value.
    DependsOn(u8, Code),
    AwaitedBy(Code),
}

/// Variant of `LIST_FLAG` for instance numbers of two bytes.
const SHORT_LIST_FLAG: u16 = 1 << 15;

/// Instance by row, in the smallest integer type that fits, or by runs of rows with the same instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Packed {
    #[default]
    Empty,
    Uniform(u32),
    /// First row and instance of each run.
    Runs(Box<[(u16, u32)]>),
    Byte(Box<[u8]>),
    Short(Box<[u16]>),
    Long(Box<[u32]>),
}

/// Instances of the rows of a segment in compact form, kept as long as the instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RowInstances {
    by_row: Packed,
    /// Instances of rows with several: ascending, each once.
    lists: RowLists<u32>,
}

/// Event, instance in the segment, and the mark.
pub(super) type FoundMark = (u32, u32, InstanceMark);

/// Instances of one entity in one segment.
#[derive(Debug, Default)]
pub(super) struct SegmentInstances {
    /// Ids of the instances.
    pub(crate) ids: Ids,
    /// Instances of the rows.
    pub(crate) rows: Arc<RowInstances>,
    /// First and last events of the instances.
    pub(crate) extents: Extents,
    /// Facts about the instances.
    pub(crate) marks: Vec<FoundMark>,
    /// Labels from the first events of instances.
    pub(crate) labels: SegmentValues,
    /// Places from the last events of instances.
    pub(crate) places: SegmentValues,
    /// Number of rows whose instance cannot be decided.
    pub(crate) undecided: u64,
}

impl SegmentInstances {
    /// Empty result for an entity with this number of alternative ids.
    pub(crate) fn new(alternatives: usize, maps: IdBuffers) -> SegmentInstances {
        SegmentInstances {
            ids: Ids::with_buffers(alternatives, maps),
            ..SegmentInstances::default()
        }
    }

    /// Stores the instances of the rows and computes extents, labels and places; the result is
    /// complete then. Returns lookup structures for reuse.
    pub(crate) fn complete(
        &mut self,
        (segment_columns, plan): (&SegmentColumns<'_>, &EntityPlan),
        (labels, places): (&[KeyNumber], &[KeyNumber]),
        (of_group, of_row): (&[GroupMembers], &[u32]),
        (several, single_extents): (&ListedInstances, &mut Vec<SingleExtent>),
    ) -> IdBuffers {
        let members = RowMembers::new(of_group, of_row, several);
        let lists = unique_lists(several);
        let row_members = (&members, of_group);
        let extents = extents(
            (segment_columns, plan),
            row_members,
            (&lists, single_extents),
            self.ids.len(),
        );
        self.labels = collect_values(
            segment_columns,
            row_members,
            &extents.all,
            labels,
            EventChoice::First,
        );
        self.places = collect_values(
            segment_columns,
            row_members,
            &extents.all,
            places,
            EventChoice::Last,
        );
        self.extents = extents;
        self.rows = Arc::new(RowInstances {
            by_row: match common_members(of_group) {
                Some(GroupMembers::None) => Packed::Empty,
                Some(GroupMembers::Single(instance)) => Packed::Uniform(instance),
                _ => Packed::pack(of_row, self.ids.len(), lists.len()),
            },
            lists,
        });
        self.ids.release_buffers()
    }
}

/// Instances of rows with several: ascending, each once.
fn unique_lists(several: &ListedInstances) -> RowLists<u32> {
    let mut out = RowLists::default();
    let mut list: Vec<u32> = Vec::new();
    for pairs in several.iter() {
        list.clear();
        list.extend(pairs.iter().map(|pair| pair.1));
        list.sort_unstable();
        list.dedup();
        out.push(list.iter().copied());
    }
    out.shrink();
    out
}

impl RowInstances {
    /// Calls `f` with each row that has instances, and the instances, each once.
    pub(crate) fn for_each(&self, rows: usize, mut f: impl FnMut(usize, &[u32])) {
        let several = |at: u32| self.lists.get(at);
        match &self.by_row {
            Packed::Empty => {}
            Packed::Uniform(instance) => (0..rows).for_each(|row| f(row, &[*instance])),
            Packed::Runs(runs) => {
                for (at, (start, instance)) in runs.iter().enumerate() {
                    let end = runs.get(at + 1).map_or(rows, |next| usize::from(next.0));
                    let mut each =
                        |list: &[u32]| (usize::from(*start)..end).for_each(|row| f(row, list));
                    match *instance {
                        NO_INSTANCE => {}
                        instance if instance < LIST_FLAG => each(&[instance]),
                        list => each(several(list & !LIST_FLAG)),
                    }
                }
            }
            Packed::Byte(all) => {
                for (row, instance) in all.iter().enumerate().filter(|(_, o)| **o != u8::MAX) {
                    f(row, &[u32::from(*instance)]);
                }
            }
            Packed::Short(all) => {
                let is_several =
                    |instance: u16| !self.lists.is_empty() && instance & SHORT_LIST_FLAG != 0;
                for (row, instance) in all.iter().enumerate().filter(|(_, o)| **o != u16::MAX) {
                    match is_several(*instance) {
                        false => f(row, &[u32::from(*instance)]),
                        true => f(row, several(u32::from(*instance & !SHORT_LIST_FLAG))),
                    }
                }
            }
            Packed::Long(all) => {
                for (row, instance) in all.iter().enumerate().filter(|(_, o)| **o != NO_INSTANCE) {
                    match *instance < LIST_FLAG {
                        true => f(row, &[*instance]),
                        false => f(row, several(instance & !LIST_FLAG)),
                    }
                }
            }
        }
    }

    /// Result of `f` for the instances of a row.
    pub(crate) fn with_row<T>(&self, row: usize, f: impl FnOnce(&[u32]) -> T) -> T {
        match &self.by_row {
            Packed::Empty => f(&[]),
            Packed::Uniform(instance) => f(&[*instance]),
            Packed::Runs(runs) => {
                let after = runs.partition_point(|run| usize::from(run.0) <= row);
                match after.checked_sub(1).map_or(NO_INSTANCE, |at| runs[at].1) {
                    NO_INSTANCE => f(&[]),
                    instance if instance < LIST_FLAG => f(&[instance]),
                    list => f(self.lists.get(list & !LIST_FLAG)),
                }
            }
            Packed::Byte(all) => match all[row] {
                u8::MAX => f(&[]),
                instance => f(&[u32::from(instance)]),
            },
            Packed::Short(all) => match all[row] {
                u16::MAX => f(&[]),
                at if !self.lists.is_empty() && at & SHORT_LIST_FLAG != 0 => {
                    f(self.lists.get(u32::from(at & !SHORT_LIST_FLAG)))
                }
                instance => f(&[u32::from(instance)]),
            },
            Packed::Long(all) => match all[row] {
                NO_INSTANCE => f(&[]),
                instance if instance < LIST_FLAG => f(&[instance]),
                at => f(self.lists.get(at & !LIST_FLAG)),
            },
        }
    }

    /// Number of rows about several instances.
    pub(crate) fn lists(&self) -> usize {
        self.lists.len()
    }
}

impl Packed {
    /// Packs the instances of rows; `several` is the number of rows with several instances.
    fn pack(of_row: &[u32], instances: usize, several: usize) -> Packed {
        let changes = of_row.iter().zip(of_row.iter().skip(1));
        let runs = 1 + changes.filter(|(a, b)| a != b).count();
        if 2 * runs * size_of::<(u16, u32)>() < of_row.len() {
            let rows = of_row.iter().enumerate();
            let mut last = None;
            let starts = rows.filter(|(_, instance)| last.replace(**instance) != Some(**instance));
            return Packed::Runs(
                starts
                    .map(|(row, instance)| (row as u16, *instance))
                    .collect(),
            );
        }
        let most = match several {
            0 => u16::MAX,
            _ => SHORT_LIST_FLAG,
        };
        // The last number would equal the mark for no instance.
        if instances > usize::from(most) || several >= usize::from(!SHORT_LIST_FLAG) {
            return Packed::Long(of_row.into());
        }
        // Truncated to fewer bytes, `NO_INSTANCE` is the mark for no instance in that type, so no branch
        // is needed.
        if several == 0 && instances <= usize::from(u8::MAX) {
            return Packed::Byte(of_row.iter().map(|instance| *instance as u8).collect());
        }
        if several == 0 {
            return Packed::Short(of_row.iter().map(|instance| *instance as u16).collect());
        }
        let short = |instance: &u32| match *instance {
            NO_INSTANCE => u16::MAX,
            instance if instance < LIST_FLAG => instance as u16,
            several => several as u16 | SHORT_LIST_FLAG,
        };
        Packed::Short(of_row.iter().map(short).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Rows have the same instances in any integer type.
        #[test]
        fn packed_rows_keep_their_instances(
            rows in prop::collection::vec((prop_oneof![
                Just(Vec::new()), prop_oneof![0u32..4, 252u32..258, 32_766u32..32_769, 65_533u32..65_537].prop_map(|instance| vec![instance]),
                prop::collection::btree_set(0u32..9, 2..4).prop_map(|set| set.into_iter().collect()),
            ], prop_oneof![Just(1usize), 30usize..90]), 1..40),
            few in prop_oneof![Just(9u32), Just(255), Just(256), Just(u32::MAX)],
        ) {
            let rows = rows.into_iter().flat_map(|(row, times)| std::iter::repeat_n(row, times));
            let rows: Vec<Vec<u32>> = rows.map(|row| row.into_iter().filter(|instance| *instance < few).collect()).collect();
            let mut several = ListedInstances::default();
            let of_row = rows.iter().map(|row| match &row[..] {
                [] => NO_INSTANCE,
                [instance] => *instance,
                all => {
                    LIST_FLAG | several.push(all.iter().map(|instance| (0, *instance)))
                }
            });
            let of_row: Vec<u32> = of_row.collect();
            let instances = rows.iter().flatten().max().map_or(0, |most| *most as usize + 1);
            let several = unique_lists(&several);
            let packed = RowInstances { by_row: Packed::pack(&of_row, instances, several.len()), lists: several };
            let mut seen = vec![Vec::new(); rows.len()];
            packed.for_each(rows.len(), |row, all| seen[row] = all.to_vec());
            prop_assert_eq!(&seen, &rows);
            for (row, want) in rows.iter().enumerate() {
                prop_assert_eq!(packed.with_row(row, <[u32]>::to_vec), want.clone());
            }
        }
    }
}
