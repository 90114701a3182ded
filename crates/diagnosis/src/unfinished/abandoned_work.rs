//! Work items whose owner abandoned them during their execution: no one waits for the result, and the resource may continue.

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use widetui_analysis::entity::Id;

/// Abandoned work.
pub(crate) struct GivenUp {
    /// Name with label: `action 24 (hang)`.
    pub(crate) name: String,
    /// Place where it was executed.
    pub(crate) place: Id,
    /// Event of its begin there.
    pub(crate) event: EventId,
}

/// Work items of an entity whose owner ended them without success, while the resource that executes them reported a
/// begin and no end.
pub(crate) fn look(snapshot: &Snapshot, goals: &Instances) -> Vec<GivenUp> {
    let entity = &goals.entity;
    if entity.executing_states.is_empty() || entity.executed_states.is_empty() {
        return Vec::new();
    }
    let of = |goal: &Instance| {
        let name = |state: u16| goals.states.get(usize::from(state));
        let is = |which: &[String], state: u16| name(state).is_some_and(|s| which.contains(s));
        let changes = goals.changes(goal);
        let begun = changes
            .iter()
            .rfind(|c| is(&entity.executing_states, c.state))?;
        let is_over = changes.iter().any(|c| is(&entity.executed_states, c.state));
        let is_failed = changes.iter().any(|c| is(&entity.failed_states, c.state));
        if is_over || !is_failed {
            return None;
        }
        let (title, number) = (&entity.title, goals.short_name(snapshot, goal));
        Some(GivenUp {
            name: match goals.label(snapshot, goal) {
                Some(label) => format!("{title} {number} ({label})"),
                None => format!("{title} {number}"),
            },
            place: goals.places(snapshot, goal),
            event: begun.event,
        })
    };
    goals.list.iter().filter_map(of).collect()
}
