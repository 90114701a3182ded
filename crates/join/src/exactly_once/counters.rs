//! Owners whose numbers have no gaps: assignment of numbered executions by the counter that each
//! owner can have reached.
//!
//! A number is executed by the owner whose counter has reached it. If several owners have reached
//! it, each is a possible assignment, followed until it leads to a number that no owner has
//! reached. An execution is decided if all assignments that reach the end agree on its owner.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;

/// Maximum number of assignments followed at a time.
const MAX_STATES: usize = 256;

/// Maximum number of counter states kept until the assignments meet again.
const MAX_KEPT_STATES: usize = 1 << 21;

/// Counter state: the next number of each owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CounterState(pub Vec<i64>);

/// Execution of a numbered operation.
#[derive(Debug)]
pub(crate) struct NumberedExecution {
    /// Time of the execution, UTC ns.
    pub(crate) time: i64,
    /// Number of the operation.
    pub(crate) number: i64,
    /// Identifier of the execution for the caller if its owner is unknown.
    pub(crate) id: Option<usize>,
    /// Indices of the owners that may have executed it.
    pub(crate) candidates: Vec<usize>,
}

/// Numbered executions of some owners in time order.
#[derive(Debug)]
pub(crate) struct NumberedExecutions {
    /// Counter state before the first step.
    pub(crate) initial: CounterState,
    /// Executions in time order.
    pub(crate) steps: Vec<NumberedExecution>,
    /// Codes of the owners.
    pub(crate) owners: Vec<Code>,
}

/// Possible counter states after a step, each with its predecessors and the owner that leads from
/// these to it.
type StateLayer = FxHashMap<CounterState, Vec<(CounterState, usize)>>;

impl NumberedExecutions {
    /// Identifiers and owners of the unassigned steps that have the same owner in all complete
    /// assignments. Empty if no assignment reaches the end: then records are missing, or the
    /// numbers have gaps.
    pub(crate) fn decided_owners(&self) -> Vec<(usize, Code)> {
        let mut out = Vec::new();
        let mut begin = self.initial.clone();
        let mut layers: Vec<StateLayer> = Vec::new();
        let mut from = 0;
        let mut kept = 0;
        for (at, step) in self.steps.iter().enumerate() {
            let layer = match layers.last() {
                None => next_states([&begin].into_iter(), step),
                Some(last) => next_states(last.keys(), step),
            };
            kept += layer.len();
            if layer.is_empty() || layer.len() > MAX_STATES || kept > MAX_KEPT_STATES {
                return Vec::new();
            }
            let met = (layer.len() == 1).then(|| layer.keys().next().cloned());
            layers.push(layer);
            if let Some(Some(count)) = met {
                self.trace_back(&mut layers, from, &mut out);
                (begin, from, kept) = (count, at + 1, 0);
            }
        }
        self.trace_back(&mut layers, from, &mut out);
        out
    }

    /// Walks back from the last layer over the states that reach it, adds the decided steps to
    /// `out`, and clears the layers; the first layer belongs to the step `from`.
    fn trace_back(&self, layers: &mut Vec<StateLayer>, from: usize, out: &mut Vec<(usize, Code)>) {
        let Some(last) = layers.last() else { return };
        let mut alive: Vec<CounterState> = last.keys().cloned().collect();
        for (at, layer) in layers.drain(..).enumerate().rev() {
            let ways = alive.iter().filter_map(|count| layer.get(count)).flatten();
            let mut by: Vec<usize> = Vec::new();
            let mut before: Vec<CounterState> = Vec::new();
            for (count, owner) in ways {
                by.push(*owner);
                before.push(count.clone());
            }
            by.sort_unstable();
            by.dedup();
            before.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            before.dedup();
            alive = before;
            if let (Some(open), [owner]) = (self.steps[from + at].id, &by[..]) {
                out.push((open, self.owners[*owner]));
            }
        }
    }
}

/// Counter states after a step.
fn next_states<'c>(
    counts: impl Iterator<Item = &'c CounterState>,
    step: &NumberedExecution,
) -> StateLayer {
    let mut layer = StateLayer::default();
    for count in counts {
        for owner in &step.candidates {
            if count.0[*owner] == step.number {
                let mut next = count.clone();
                next.0[*owner] = step.number.saturating_add(1);
                layer.entry(next).or_default().push((count.clone(), *owner));
            }
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::{CounterState, NumberedExecution, NumberedExecutions};

    /// Decides executions of two owners: each number with its owner, or `None` if both may have
    /// executed it.
    fn decided(numbers: &[(i64, Option<usize>)]) -> Vec<(usize, u32)> {
        let step = |(at, (number, known)): (usize, &(i64, Option<usize>))| NumberedExecution {
            time: at as i64,
            number: *number,
            id: known.is_none().then_some(at),
            candidates: known.map_or(vec![0, 1], |known| vec![known]),
        };
        let counted = NumberedExecutions {
            initial: CounterState(vec![0, 0]),
            steps: numbers.iter().enumerate().map(step).collect(),
            owners: vec![70, 71],
        };
        let mut found = counted.decided_owners();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_known_owner_decides_until_counters_are_equal() {
        let open = |numbers: &[i64]| numbers.iter().map(|n| (*n, None)).collect::<Vec<_>>();
        assert_eq!(decided(&open(&[0, 0, 1, 1])), []);
        assert_eq!(decided(&open(&[0, 1, 2, 0])), []);
        // The third is known, which decides the two before it and leaves the last to the other
        // owner.
        let known = [(0, None), (1, None), (2, Some(1)), (0, None)];
        assert_eq!(decided(&known), [(0, 71), (1, 71), (3, 70)]);
        // Both counters meet at 1: earlier executions do not decide later ones.
        let met = [(0, Some(0)), (0, None), (1, None), (1, None), (2, None)];
        assert_eq!(decided(&met), [(1, 71)]);
    }

    #[test]
    fn gaps_in_numbers_decide_nothing() {
        assert_eq!(decided(&[(0, Some(0)), (2, None), (0, None)]), []);
        assert_eq!(decided(&[]), []);
    }
}
