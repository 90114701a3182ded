//! Instances of the rows of a segment: during the scan, and in compact form.

use std::collections::BTreeSet;
use std::ops::Range;

use widetui_store::column::{Cell, Column};

use crate::entity::ids::NO_INSTANCE;

/// Flag of a row with several instances; the other bits are the number of their list.
const LIST_FLAG: u32 = 1 << 31;

/// Instances of each row of a segment.
#[derive(Default)]
pub(super) struct RowMembers {
    /// Instance by row, `NO_INSTANCE`, or `LIST_FLAG` with the number of a list; empty while no row has an instance.
    by_row: Vec<u32>,
    /// Instances of rows with lists of ids, each with its element of the row's list.
    lists: Vec<Vec<(usize, u32)>>,
}

impl RowMembers {
    /// Sets the instances of a row of a segment with `len` rows, given that of each cell of its group.
    pub(crate) fn set(&mut self, (row, len): (usize, usize), cells: Range<usize>, own: &[u32]) {
        self.by_row.resize(len, NO_INSTANCE);
        if cells.len() == 1 {
            self.by_row[row] = own[cells.start];
            return;
        }
        let all = cells.map(|cell| (cell, own[cell]));
        let all: Vec<(usize, u32)> = all.filter(|(_, own)| *own != NO_INSTANCE).collect();
        if !all.is_empty() {
            self.by_row[row] = LIST_FLAG | self.lists.len() as u32;
            self.lists.push(all);
        }
    }

    /// True if a row has no instance.
    pub(crate) fn is_free(&self, row: usize) -> bool {
        self.by_row.get(row).is_none_or(|one| *one == NO_INSTANCE)
    }

    /// Calls `f` with each instance of a row and, if the row has several, the element of the row's
    /// list.
    #[inline]
    pub(crate) fn for_each(&self, row: usize, mut f: impl FnMut(Option<usize>, u32)) {
        match self.by_row.get(row) {
            None | Some(&NO_INSTANCE) => {}
            Some(one) if *one < LIST_FLAG => f(None, *one),
            Some(list) => {
                let list = self.lists[(list & !LIST_FLAG) as usize].iter();
                list.for_each(|(element, one)| f(Some(*element), *one));
            }
        }
    }

    /// Packs the instances of the rows for as long as the instances are kept; `instances` is their number.
    pub(crate) fn pack(self, instances: usize) -> RowInstances {
        let instances = instances as u32;
        let number = |one: &u32| match *one {
            NO_INSTANCE => 0,
            one if one < LIST_FLAG => one + 1,
            list => instances + 1 + (list & !LIST_FLAG),
        };
        let numbers: Vec<u32> = self.by_row.iter().map(number).collect();
        let changes = numbers.iter().zip(numbers.iter().skip(1));
        let runs = 1 + changes.filter(|(a, b)| a != b).count();
        let by_row = match 2 * runs * size_of::<(u16, u32)>() < numbers.len() {
            true => {
                let mut last = None;
                let rows = numbers.iter().enumerate();
                let starts = rows.filter(|(_, number)| last.replace(**number) != Some(**number));
                let starts = starts.map(|(row, number)| (row as u16, *number));
                Packed::Runs(starts.collect())
            }
            false => Packed::Column(Column::pack(&numbers)),
        };
        let unique = |list: Vec<(usize, u32)>| {
            let unique: BTreeSet<u32> = list.into_iter().map(|(_, one)| one).collect();
            unique.into_iter().collect()
        };
        RowInstances {
            by_row,
            instances,
            lists: self.lists.into_iter().map(unique).collect(),
        }
    }
}

/// Numbers of the rows of a segment: 0, an instance plus one, or beyond all instances a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Packed {
    Column(Column),
    /// First row and number of each run of rows with the same number.
    Runs(Box<[(u16, u32)]>),
}

/// Instances of the rows of a segment in compact form, kept as long as the instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowInstances {
    by_row: Packed,
    /// Number of instances in the segment.
    instances: u32,
    /// Instances of rows with several: ascending, each once.
    lists: Box<[Box<[u32]>]>,
}

impl Default for RowInstances {
    fn default() -> RowInstances {
        RowMembers::default().pack(0)
    }
}

impl RowInstances {
    /// Result of `f` for the instances of a row with a number.
    #[inline]
    fn with_number<T>(&self, number: u32, f: impl FnOnce(&[u32]) -> T) -> T {
        match number.checked_sub(1) {
            None => f(&[]),
            Some(one) if one < self.instances => f(&[one]),
            Some(list) => f(&self.lists[(list - self.instances) as usize]),
        }
    }

    /// Calls `f` with each row that has instances, and the instances, each once.
    pub(crate) fn for_each(&self, rows: usize, mut f: impl FnMut(usize, &[u32])) {
        let mut each = |row: usize, number: u32| match number {
            0 => {}
            number => self.with_number(number, |list| f(row, list)),
        };
        match &self.by_row {
            Packed::Column(column) => column.for_each(rows, each),
            Packed::Runs(runs) => {
                for (at, (start, number)) in runs.iter().enumerate() {
                    let end = runs.get(at + 1).map_or(rows, |next| usize::from(next.0));
                    (usize::from(*start)..end).for_each(|row| each(row, *number));
                }
            }
        }
    }

    /// Result of `f` for the instances of a row.
    pub(crate) fn with_row<T>(&self, row: usize, f: impl FnOnce(&[u32]) -> T) -> T {
        let number = match &self.by_row {
            Packed::Column(column) => match column.cell(row) {
                Cell::One(number) => number,
                _ => 0,
            },
            Packed::Runs(runs) => {
                let after = runs.partition_point(|run| usize::from(run.0) <= row);
                after.checked_sub(1).map_or(0, |at| runs[at].1)
            }
        };
        self.with_number(number, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Rows keep their instances, however they are packed.
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
            let mut members = RowMembers::default();
            for (row, all) in rows.iter().enumerate() {
                members.set((row, rows.len()), 0..all.len(), all);
            }
            let instances = rows.iter().flatten().max().map_or(0, |most| *most as usize + 1);
            let packed = members.pack(instances);
            let mut seen = vec![Vec::new(); rows.len()];
            packed.for_each(rows.len(), |row, all| seen[row] = all.to_vec());
            prop_assert_eq!(&seen, &rows);
            for (row, want) in rows.iter().enumerate() {
                prop_assert_eq!(packed.with_row(row, <[u32]>::to_vec), want.clone());
            }
        }
    }
}
