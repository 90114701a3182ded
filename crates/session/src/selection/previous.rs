//! Earlier selections that the current one can be compared with.

use super::{SelectionStack, SelectionStep};

/// Maximum number of selections kept of discarded redo histories.
const MOST: usize = 50;

impl SelectionStack {
    /// Returns the distinct earlier selections of this session, latest first, without the current and the empty one.
    pub fn earlier_selections(&self) -> Vec<&[SelectionStep]> {
        let past = self.past.iter().rev().map(|s| &s.steps);
        let future = self.future.iter().rev().map(|s| &s.steps);
        let left = self.left.iter().rev();
        let mut out: Vec<&[SelectionStep]> = Vec::new();
        for steps in future.chain(past).chain(left) {
            if !steps.is_empty() && *steps != self.now.steps && !out.contains(&&**steps) {
                out.push(steps);
            }
        }
        out
    }

    /// Discards the redo history but keeps its selections for comparisons.
    pub(super) fn discard_redo(&mut self) {
        let future = self.future.drain(..).map(|s| s.steps);
        self.left.extend(future.filter(|steps| !steps.is_empty()));
        let over = self.left.len().saturating_sub(MOST);
        self.left.drain(..over);
    }
}
