//! Selections that were in force before: what the one of now can be compared with.

use super::{SelectionStack, SelectionStep};

/// Selections that no way leads back to, which are kept.
const MOST: usize = 50;

impl SelectionStack {
    /// Selections that were in force in this session, each once, the latest first; neither that of now nor everything.
    pub fn earlier(&self) -> Vec<&[SelectionStep]> {
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

    /// Forgets what could be done again, but for its steps.
    pub(super) fn leave(&mut self) {
        let future = self.future.drain(..).map(|s| s.steps);
        self.left.extend(future.filter(|steps| !steps.is_empty()));
        let over = self.left.len().saturating_sub(MOST);
        self.left.drain(..over);
    }
}
