//! Outcomes of instances: ended, failed, lost.

use widetui_definition::semantics::EntityRole;

use crate::entity::{Instance, InstanceEnd, Instances, Standing, StateChange, has_begun};

impl Instances {
    /// Outcome of an instance without reported states; `None` if it has not ended.
    pub fn outcome(&self, instance: &Instance, standing: &Standing) -> Option<Outcome> {
        let entity = &self.entity;
        // A run without a clean shutdown has not necessarily failed.
        let can_fail = entity.role != EntityRole::Run;
        let is_lost = instance.lost.is_some() || matches!(standing.end, InstanceEnd::Lost(_));
        match (is_lost, standing.end) {
            (true, _) if can_fail && entity.is_resource() => Some(Outcome::Lost),
            (true, _) if can_fail => Some(Outcome::Failed),
            _ if !entity.can_end() => None,
            (_, InstanceEnd::Unfinished) => None,
            _ => Some(Outcome::Ended),
        }
    }

    /// Whether a state, an index into `states`, is a failure.
    pub fn is_failure(&self, state: u16) -> bool {
        let state = self.states.get(usize::from(state));
        state.is_some_and(|s| self.entity.failed_states.contains(s))
    }

    /// State changes of an instance to a failure, in time order, from all reporters.
    pub fn failures(&self, instance: &Instance) -> impl DoubleEndedIterator<Item = &StateChange> {
        let changes = self.changes(instance).iter();
        changes.filter(|change| self.is_failure(change.state))
    }

    /// Whether an instance failed: by its last state, or because its owner reported it lost.
    pub fn has_failed(&self, instance: &Instance, standing: &Standing) -> bool {
        match standing.state {
            Some(state) => self.is_failure(state),
            None => matches!(
                self.outcome(instance, standing),
                Some(Outcome::Failed | Outcome::Lost)
            ),
        }
    }

    /// True if an instance ended well: in a final state that is neither a failure nor neutral, or,
    /// without states, at its end.
    pub fn has_succeeded(&self, standing: &Standing) -> bool {
        match standing
            .state
            .and_then(|state| self.states.get(usize::from(state)))
        {
            Some(state) => {
                let other = [&self.entity.failed_states, &self.entity.neutral_states];
                standing.is_final && !other.iter().any(|states| states.contains(state))
            }
            None => matches!(standing.end, InstanceEnd::Ended(_)),
        }
    }

    /// True if an instance can end and has not, or goes on in another state after an end that is not the last word.
    pub fn is_unfinished(&self, standing: &Standing) -> bool {
        self.entity.can_end()
            && match standing.end {
                InstanceEnd::Unfinished => !standing.is_final,
                _ => self.is_open_again(standing),
            }
    }

    /// Time of the end, UTC ns; `None` for an instance that is open, also if it had ended before.
    pub fn end_time(&self, standing: &Standing) -> Option<i64> {
        standing
            .end
            .time()
            .filter(|_| !self.is_open_again(standing))
    }

    /// True if an instance has begun and is unfinished.
    pub fn is_open(&self, instance: &Instance, standing: &Standing) -> bool {
        self.is_unfinished(standing) && has_begun(self, instance)
    }

    /// True if an instance had ended and is in another state since, such as a task whose lost result is computed again.
    pub fn is_open_again(&self, standing: &Standing) -> bool {
        let goes_on = standing.state.is_some() && !self.entity.resumable_states.is_empty();
        goes_on && !standing.is_final && standing.end != InstanceEnd::Unfinished
    }
}

/// Outcome of an instance without states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The instance ended.
    Ended,
    /// Its owner reported a failure.
    Failed,
    /// A resource that was lost.
    Lost,
}

impl Outcome {
    /// Name of the outcome.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ended => "ended",
            Outcome::Failed => "failed",
            Outcome::Lost => "lost",
        }
    }
}
