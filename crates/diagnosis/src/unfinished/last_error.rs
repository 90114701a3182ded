//! Last error of a run without a sign that it was killed: it may show what the run waits for.

use widetui_core::ids::{EventId, SourceId};
use widetui_core::level::Level;
use widetui_core::words::cut;
use widetui_store::Snapshot;
use widetui_time::clock::Clock;

use crate::unfinished::missed_peers::is_told;
use crate::unfinished::model::UnfinishedWork;
use crate::unfinished::run_stops::{RunStop, StopKind};

/// Maximum distance of errors of one moment, ns.
const ONE_MOMENT: i64 = 1_000_000_000;

/// Last error of the runs without a sign that they were killed, which may show what they wait for: the first error of
/// that moment.
pub(crate) fn last_words(
    snapshot: &Snapshot,
    hung: &UnfinishedWork,
    group: &[RunStop<'_>],
    clock: &Clock<'_>,
) -> Option<String> {
    let stop = group.iter().find(|s| s.way == StopKind::Quiet)?;
    let last = snapshot.event(hung.last_error?)?;
    let run = |of: SourceId| hung.of_source.get(of.index()).copied().flatten();
    let of = run(last.source().id).and_then(|at| hung.runs.get(at))?;
    let (source, time) = (last.source().id, last.time()?);
    if of.id != stop.run.id || time < stop.time || is_told(snapshot, hung, stop.run) {
        return None;
    }
    let before = (0..=last.id.0).rev().map(EventId).take(NEAR);
    let same = before.filter_map(|id| snapshot.event(id)).filter(|e| {
        let is_near = e
            .time()
            .is_some_and(|t| time.abs_diff(t) < ONE_MOMENT.unsigned_abs());
        e.source().id == source && e.level() >= Level::Error && is_near
    });
    let first = same.last()?;
    let template = first.template()?;
    Some(format!(
        "After that, at {}, {} reports an error: \"{}\".",
        clock.text(first.time()?),
        snapshot.source_name(first.source()),
        cut(&template.text, 160)
    ))
}

/// Maximum number of preceding records that are searched for errors of the same moment.
const NEAR: usize = 50;
