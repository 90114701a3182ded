//! Order of state transitions whose records name the previous state; the clocks of two reporters may differ.

use widetui_core::ids::EventId;
use widetui_time::time::NO_TIME;

use crate::entity::StateChange;

/// Maximum number of following state changes searched for a missing link.
const MAX_AHEAD: usize = 64;

/// Reorders state changes of an instance, given in time order, so that each leaves the state that
/// the previous one entered. A change that precedes another one by this order but has a later time
/// passes its time on. `previous_state` returns the state that an event leaves, if it names one.
pub(super) fn order_by_previous_state(
    changes: &mut [StateChange],
    previous_state: impl Fn(EventId) -> Option<u16>,
) {
    let mut at = 1;
    let mut remaining = changes.len();
    while at < changes.len() {
        let Some(link) = missing_link(changes, at, &previous_state).filter(|_| remaining > 0)
        else {
            at += 1;
            continue;
        };
        remaining -= 1;
        let found = changes[link];
        // It may be reported twice.
        let is_same = |c: &&StateChange| {
            (c.time, c.state, c.reporter) == (found.time, found.state, found.reporter)
        };
        let end = link + changes[link..].iter().take_while(is_same).count();
        let early = changes[at..link].iter_mut();
        for one in early.filter(|c| c.reporter == found.reporter) {
            one.time = one.time.max(found.time);
        }
        changes[at..end].rotate_right(end - link);
        changes[at..end].sort_by_key(|c| c.time);
    }
}

/// Index of the later change that leads from the previous state to the state that the change `at`
/// leaves.
fn missing_link(
    changes: &[StateChange],
    at: usize,
    previous_state: &impl Fn(EventId) -> Option<u16>,
) -> Option<usize> {
    let this = changes[at];
    let mut earlier = changes[..at].iter().rev();
    let before = earlier.find(|c| c.reporter == this.reporter)?.state;
    let leaves = previous_state(this.event)
        .filter(|previous_state| *previous_state != before && this.state != before)?;
    let mut later = (at + 1..changes.len()).take(MAX_AHEAD);
    let found = later.find(|other| {
        let other = changes[*other];
        let leads = || other.state == leaves && previous_state(other.event) == Some(before);
        // If it enters the state again, it is another cycle.
        other.reporter == this.reporter && (other.state == before || leads())
    })?;
    let is_link = changes[found].state == leaves && changes[found].time != NO_TIME;
    is_link.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times and states after the reordering of (time, new state, left state).
    fn states(reported: &[(i64, u16, u16)]) -> Vec<(i64, u16)> {
        reported_by(1, reported).remove(0)
    }

    /// Same as `states` for changes by several reporters in turn, by reporter.
    fn reported_by(reporters: u16, reported: &[(i64, u16, u16)]) -> Vec<Vec<(i64, u16)>> {
        let change = |(event, (time, state, _)): (usize, &(i64, u16, u16))| StateChange {
            time: *time,
            event: EventId(event as u32),
            state: *state,
            reporter: event as u16 % reporters,
        };
        let mut changes: Vec<StateChange> = reported.iter().enumerate().map(change).collect();
        order_by_previous_state(&mut changes, |event| Some(reported[event.0 as usize].2));
        let said = |by| {
            let own = changes.iter().filter(move |c| c.reporter == by);
            own.map(|c| (c.time, c.state)).collect()
        };
        (0..reporters).map(said).collect()
    }

    #[test]
    fn changes_are_ordered_by_previous_state() {
        // Runs, times out at 20, fails after that by a clock that reads 15, and runs again.
        let reported = [(10, 1, 0), (15, 3, 2), (20, 2, 1), (30, 1, 3), (40, 4, 1)];
        assert_eq!(
            states(&reported),
            [(10, 1), (20, 2), (20, 3), (30, 1), (40, 4)]
        );
        // Every change is reported twice.
        let reported = [(10, 1, 0), (15, 3, 2), (20, 2, 1), (30, 1, 3)];
        let twice: Vec<(i64, u16, u16)> = reported.iter().flat_map(|t| [*t, *t]).collect();
        let found = [(10, 1), (20, 2), (20, 3), (30, 1)];
        let both: Vec<(i64, u16)> = found.iter().flat_map(|t| [*t, *t]).collect();
        assert_eq!(states(&twice), both);
        assert_eq!(reported_by(2, &twice), [found, found]);
    }

    #[test]
    fn missing_changes_are_not_reordered() {
        // The change from 1 to 2 is missing the first time.
        let reported = [(10, 1, 0), (15, 3, 2), (30, 1, 3), (40, 2, 1), (50, 3, 2)];
        let same: Vec<(i64, u16)> = reported.iter().map(|t| (t.0, t.1)).collect();
        assert_eq!(states(&reported), same);
    }
}
