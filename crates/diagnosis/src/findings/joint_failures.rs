//! Work items that failed together, as a shared value shows: their owner gave up those that were not executed because of the
//! one that was.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::dict::Code;
use widetui_core::ids::EventId;

use crate::findings::context::Context;

/// Failed work items whose failure was caused by another one.
#[derive(Debug, Default)]
pub(crate) struct JointFailures {
    cause: FxHashMap<usize, usize>,
}

impl JointFailures {
    /// Examines failed work items with the events at which they failed.
    pub fn of(
        look: &Context<'_>,
        goals: &Instances,
        failed: impl Iterator<Item = (usize, EventId)>,
    ) -> JointFailures {
        let mut out = JointFailures::default();
        let key = goals.entity.shared_failure_key.as_ref();
        let Some(key) = key.and_then(|key| look.snapshot.catalog.keys.find(key)) else {
            return out;
        };
        let value = |event: EventId| {
            let mut found: Option<Code> = None;
            look.snapshot.event(event)?.for_each_code(|k, codes, _| {
                if let ([code], true) = (codes, k == key) {
                    found.get_or_insert(*code);
                }
            });
            found
        };
        let mut carried_out: FxHashMap<Code, usize> = FxHashMap::default();
        let mut several: FxHashSet<Code> = FxHashSet::default();
        let mut others: Vec<(usize, Code)> = Vec::new();
        for (at, event) in failed {
            let Some(value) = value(event) else { continue };
            match was_nowhere(goals, &goals.list[at], event) {
                true => others.push((at, value)),
                false if carried_out.insert(value, at).is_some() => {
                    several.insert(value);
                }
                false => {}
            }
        }
        // If several failed at once, the cause is ambiguous.
        for (at, value) in others.into_iter().filter(|o| !several.contains(&o.1)) {
            if let Some(cause) = carried_out.get(&value) {
                out.cause.insert(at, *cause);
            }
        }
        out
    }

    /// Work item that caused the failure of another one.
    pub(crate) fn cause(&self, at: usize) -> Option<usize> {
        self.cause.get(&at).copied()
    }
}

/// Whether a work item was in a state without a place when it failed.
fn was_nowhere(goals: &Instances, goal: &Instance, event: EventId) -> bool {
    let Some(recorder) = goals.reporter_of(goal) else {
        return false;
    };
    let changes = goals.changes_by(goal, recorder);
    let Some(place) = changes.iter().position(|c| c.event == event) else {
        return false;
    };
    let before = place.checked_sub(1).and_then(|at| changes.get(at));
    before.is_some_and(|c| {
        let state = goals.states.get(usize::from(c.state));
        state.is_some_and(|s| goals.entity.unplaced_states.contains(s))
    })
}
