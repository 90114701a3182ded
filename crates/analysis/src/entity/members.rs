//! Instances of the rows of a segment, during the scan.

use crate::entity::ids::NOBODY;

/// Marks a row that is about several instances: the rest is its place in `Several`.
pub(super) const SEVERAL: u32 = 1 << 31;

/// What the rows of a group are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupMembers {
    /// Nothing.
    None,
    /// All about the same.
    One(u32),
    /// Each row may be about another one.
    Each,
    /// Each row may be about others, and about several of them.
    Lists,
}

/// Rows about several instances: lists that lie one behind the other, as there are very many short ones.
#[derive(Clone, Debug)]
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
    /// Adds a list; what it has is its number.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) -> u32 {
        self.all.extend(list);
        self.ends.push(self.all.len() as u32);
        self.ends.len() as u32 - 1
    }

    /// The list with this number.
    #[inline]
    pub fn get(&self, number: u32) -> &[T] {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[at] as usize]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len() as u32).map(|at| self.get(at))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Gives back what memory is not needed.
    pub fn shrink(&mut self) {
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Forgets all of them, and keeps the memory.
    pub fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }
}

/// Rows about several instances while they are looked for: for each pairs of a place in its list and an instance.
pub(super) type Several = RowLists<(u32, u32)>;

/// What all groups are about, if it is the same; `None` without any.
pub(super) fn all(of_group: &[GroupMembers]) -> Option<GroupMembers> {
    let first = *of_group.first()?;
    let is_told = matches!(first, GroupMembers::None | GroupMembers::One(_));
    (is_told && of_group.iter().all(|one| *one == first)).then_some(first)
}

/// Which instances each row is about.
pub(super) struct Members<'f> {
    /// Empty where all are about the same.
    of_row: &'f [u32],
    /// That.
    all: u32,
    several: &'f Several,
}

impl<'f> Members<'f> {
    /// Of the groups of a segment: `of_row` says it by row where they do not.
    pub fn new(of_group: &[GroupMembers], of_row: &'f [u32], several: &'f Several) -> Members<'f> {
        match all(of_group) {
            Some(about) => Members {
                of_row: &[],
                all: match about {
                    GroupMembers::One(one) => one,
                    _ => NOBODY,
                },
                several,
            },
            None => Members {
                of_row,
                all: NOBODY,
                several,
            },
        }
    }

    /// The instance of a row, `NOBODY`, or the place of several.
    #[inline]
    pub fn of(&self, row: usize) -> u32 {
        self.of_row.get(row).copied().unwrap_or(self.all)
    }

    /// Calls `f` with each instance of a row, and its place of the row's list when there are several.
    #[inline]
    pub fn each(&self, row: usize, mut f: impl FnMut(u32, Option<usize>)) {
        match self.of(row) {
            NOBODY => {}
            one if one < SEVERAL => f(one, None),
            at => {
                for (place, one) in self.several.get(at & !SEVERAL) {
                    f(*one, Some(*place as usize));
                }
            }
        }
    }
}
