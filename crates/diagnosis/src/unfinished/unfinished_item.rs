//! Work items that have not ended.

use widetui_analysis::entity::Standing;

/// Work item that has not ended.
pub(crate) struct Open {
    /// Its index among the instances of its entity.
    pub(crate) at: usize,
    pub(crate) standing: Standing,
    /// Index of its run.
    pub(crate) run: Option<usize>,
}
