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

/// Which instances each row is about.
pub(super) struct Members<'f> {
    pub of_row: &'f [u32],
    pub several: &'f Several,
}

impl Members<'_> {
    /// Calls `f` with each instance of a row, and its place of the row's list when there are several.
    #[inline]
    pub fn each(&self, row: usize, mut f: impl FnMut(u32, Option<usize>)) {
        match self.of_row[row] {
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
