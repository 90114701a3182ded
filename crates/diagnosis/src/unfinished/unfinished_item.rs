//! Work items that have not ended.

use widetui_analysis::entity::Standing;

/// A goal that did not end.
pub(crate) struct Open {
    /// Its place in the list of its kind.
    pub(crate) at: usize,
    pub(crate) standing: Standing,
    /// Index into the runs.
    pub(crate) run: Option<usize>,
}
