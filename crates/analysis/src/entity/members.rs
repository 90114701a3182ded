//! Instances of the rows of a segment during the scan.

use crate::entity::ids::NO_INSTANCE;

/// Flag of a row with several instances; the other bits index into `ListedInstances`.
pub(super) const LIST_FLAG: u32 = 1 << 31;

/// Instances of the rows of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupMembers {
    /// No row has an instance.
    None,
    /// All rows belong to this instance.
    Single(u32),
    /// Each row has at most one instance.
    PerRow,
    /// Each row may have several instances.
    Lists,
}

/// Lists of instances for rows with several, stored contiguously because there are many short
/// lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowLists<T> {
    all: Vec<T>,
    ends: Vec<u32>,
}

impl<T> Default for RowLists<T> {
    fn default() -> RowLists<T> {
        RowLists {
            all: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T> RowLists<T> {
    /// Adds a list and returns its number.
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = T>) -> u32 {
        self.all.extend(list);
        self.ends.push(self.all.len() as u32);
        self.ends.len() as u32 - 1
    }

    /// List with this number.
    #[inline]
    pub fn get(&self, number: u32) -> &[T] {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[at] as usize]
    }

    /// Iterates over all lists.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len() as u32).map(|at| self.get(at))
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no lists.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Releases unused memory.
    pub(crate) fn shrink(&mut self) {
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Removes all lists and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }
}

/// Lists for rows with several instances during the scan: pairs of list element and instance.
pub(super) type ListedInstances = RowLists<(u32, u32)>;

/// Instances of all groups, if equal for all rows; `None` otherwise.
pub(super) fn common_members(of_group: &[GroupMembers]) -> Option<GroupMembers> {
    let first = *of_group.first()?;
    let is_constant = matches!(first, GroupMembers::None | GroupMembers::Single(_));
    (is_constant && of_group.iter().all(|one| *one == first)).then_some(first)
}

/// Instances of each row of a segment.
pub(super) struct RowMembers<'f> {
    /// Instance by row; empty if all rows have the same.
    by_row: &'f [u32],
    /// Instance of all rows, if `of_row` is empty.
    common: u32,
    lists: &'f ListedInstances,
}

impl<'f> RowMembers<'f> {
    /// Combines the instances of groups with those by row (`of_row`), if groups do not suffice.
    pub(crate) fn new(
        of_group: &[GroupMembers],
        of_row: &'f [u32],
        several: &'f ListedInstances,
    ) -> RowMembers<'f> {
        match common_members(of_group) {
            Some(members) => RowMembers {
                by_row: &[],
                common: match members {
                    GroupMembers::Single(one) => one,
                    _ => NO_INSTANCE,
                },
                lists: several,
            },
            None => RowMembers {
                by_row: of_row,
                common: NO_INSTANCE,
                lists: several,
            },
        }
    }

    /// Instance of a row, `NO_INSTANCE`, or `LIST_FLAG` with the number of a list.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        self.by_row.get(row).copied().unwrap_or(self.common)
    }

    /// Calls `f` with each instance of a row and, if the row has several, the element of the row's
    /// list.
    #[inline]
    pub(crate) fn for_each(&self, row: usize, mut f: impl FnMut(u32, Option<usize>)) {
        match self.get(row) {
            NO_INSTANCE => {}
            one if one < LIST_FLAG => f(one, None),
            at => {
                for (place, one) in self.lists.get(at & !LIST_FLAG) {
                    f(*one, Some(*place as usize));
                }
            }
        }
    }
}
