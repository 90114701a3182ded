//! Which instances the rows of a segment are about, while they are looked for.

use super::ids::NOBODY;

/// Marks a row that is about several instances: the rest is its place in `Several`.
pub(super) const SEVERAL: u32 = 1 << 31;

/// What the rows of a group are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupMembers {
    /// Nothing.
    None,
    /// All about the same.
    One(u32),
    /// Each row may be about others.
    Each,
}

/// Rows about several instances: for each a number of pairs, place in the list and instance.
pub(super) type Several = Vec<Vec<(u32, u32)>>;

/// What all groups are about, if it is the same; `None` without any.
pub(super) fn all(of_group: &[GroupMembers]) -> Option<GroupMembers> {
    let first = *of_group.first()?;
    let is_same = first != GroupMembers::Each && of_group.iter().all(|one| *one == first);
    is_same.then_some(first)
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
                for (place, one) in &self.several[(at & !SEVERAL) as usize] {
                    f(*one, Some(*place as usize));
                }
            }
        }
    }
}
