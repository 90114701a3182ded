//! How runs without a proper end stopped; runs that stopped in the same way are reported together.

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::unfinished::model::{Channel, UnfinishedWork};
use widetui_analysis::runs::Run;

/// Minimum time of further records of others after a stop, ns.
const WROTE_ON: i64 = 1_000_000_000;

/// How a run without a proper end stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// Reported its exit without a cleanup.
    Quit,
    /// Its main log stopped while other logs of the run continued for longer than its longest gap.
    Stopped,
    /// Its main log ends before the others by no more than its longest gap, so it may only have had nothing to report.
    Quiet,
    /// All of its logs stop at the same time.
    AllStop,
}

/// Stop of a run.
#[derive(Clone, Debug)]
pub struct RunStop<'h> {
    /// The run.
    pub(crate) run: &'h Run,
    /// Kind of the stop.
    pub way: StopKind,
    /// Last record of its main log, or the record of its exit.
    pub(crate) last: EventId,
    /// Time of that record, UTC ns.
    pub(crate) time: i64,
    /// Short name of its main log.
    pub(crate) tag: String,
    /// Time from then to the last record of the run, ns.
    pub(crate) after: i64,
}

/// Stop of a run. `None` if it ended properly or may have, if its definition describes no end, or if its main log is
/// missing or truncated.
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
        tag: snapshot.source_name(snapshot.source(source)?),
        after,
    })
}

/// Stops grouped by kind, in the order of the first of each group.
pub(crate) fn stops<'h>(
    snapshot: &Snapshot,
    hung: &'h UnfinishedWork,
    which: impl Fn(&Run) -> bool,
) -> Vec<Vec<RunStop<'h>>> {
    let mut out: Vec<Vec<RunStop<'h>>> = Vec::new();
    let all = hung.runs.iter().enumerate();
    // A run that is still active shows nothing about its end.
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
