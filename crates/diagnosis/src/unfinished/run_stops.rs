//! How runs without a proper end stopped; runs that stopped in the same way are reported together.

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::unfinished::model::{Channel, UnfinishedWork};
use widetui_analysis::runs::Run;

/// Others wrote on when they did so for longer than this, ns.
const WROTE_ON: i64 = 1_000_000_000;

/// How a run without a proper end stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// It said that it exits, and did not clean up.
    Quit,
    /// Its own log stopped while others of the run wrote on for longer than it had ever been silent.
    Stopped,
    /// Its own log ends before the others do, by no more than it had been silent before: it may only have had nothing to say.
    Quiet,
    /// All of its logs stop at the same time.
    AllStop,
}

/// One run, and its last sign of life.
#[derive(Clone, Debug)]
pub struct RunStop<'h> {
    /// Which run.
    pub(crate) run: &'h Run,
    /// How.
    pub way: StopKind,
    /// The last record of its own log, or the one that says that it exits.
    pub(crate) last: EventId,
    /// The time of that, UTC ns.
    pub(crate) time: i64,
    /// The tag of its own log.
    pub(crate) tag: String,
    /// From then to the last record of anything in the run, ns.
    pub(crate) after: i64,
}

/// How a run stopped; `None` when it ended properly, or may have, or nothing says what its end looks like, or none of its logs is
/// its own, or that was cut: then nobody knows.
pub fn stop<'h>(snapshot: &Snapshot, hung: &UnfinishedWork, run: &'h Run) -> Option<RunStop<'h>> {
    if !run.has_end || run.end_event.is_some() || run.may_have_ended {
        return None;
    }
    let (source, own_last) = run.main_source?;
    if run.abnormal_end.is_none() && hung.is_cut(source) {
        return None;
    }
    let last = run.abnormal_end.unwrap_or(own_last);
    let time = snapshot.event(last)?.time()?;
    let after = run.range?.1.saturating_sub(time);
    let is_silent =
        |s: &crate::unfinished::model::Silent| s.source == source && s.channel == Channel::Source;
    let way = if run.abnormal_end.is_some() {
        StopKind::Quit
    } else if hung.silent.iter().any(is_silent) || run.executed_after_log > 0 {
        StopKind::Stopped
    } else if after > WROTE_ON {
        match run.longest_gap.is_some_and(|gap| after <= gap) {
            true => StopKind::Quiet,
            false => StopKind::Stopped,
        }
    } else {
        StopKind::AllStop
    };
    Some(RunStop {
        run,
        way,
        last,
        time,
        tag: snapshot.source(source)?.tag.clone(),
        after,
    })
}

/// Runs by the way in which they stopped, in the order of the first of each.
pub(crate) fn stops<'h>(
    snapshot: &Snapshot,
    hung: &'h UnfinishedWork,
    which: impl Fn(&Run) -> bool,
) -> Vec<Vec<RunStop<'h>>> {
    let mut out: Vec<Vec<RunStop<'h>>> = Vec::new();
    let all = hung.runs.iter().enumerate();
    // That one which goes on has not ended yet says nothing of how it will.
    let all =
        all.filter(|(at, r)| which(r) && (r.abnormal_end.is_some() || !hung.is_alive(Some(*at))));
    for stop in all.filter_map(|(_, r)| stop(snapshot, hung, r)) {
        match out.iter_mut().find(|group| group[0].way == stop.way) {
            Some(group) => group.push(stop),
            None => out.push(vec![stop]),
        }
    }
    out
}
