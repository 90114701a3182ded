//! Unfinished work: work items that began and have not ended, their dependencies, idle resources, silent writers, and the
//! ends of runs.
//!
//! ```text
//! work item entities ──standing──> unfinished ──waits_for──> roots and waiters
//! resource entities ─────────────> idle ones                 no other work blocks the run
//! records per channel ───────────> gaps at the end           silences
//! owner entities ────────────────> runs                      ended, killed, or still alive
//! ```
//!
//! The result ([`UnfinishedWork`]) is plain data; [`words`] turns it into sentences.

mod abandoned_work;
mod absent_resources;
mod attempts;
mod capacity;
mod channels;
pub mod coverage;
mod ended_resources;
mod gaps;
mod heartbeats;
mod idle_resources;
mod last_error;
mod last_records;
mod live_runs;
pub(crate) mod missed_peers;
pub(crate) mod model;
mod nested_work;
mod pauses;
mod pools;
pub mod run_stops;
mod selection;
pub(crate) mod silence;
mod similar;
pub mod truncated_sources;
mod unassigned_records;
mod unassigned_work;
mod uncertainty;
mod unfinished_item;
mod wait_graph;
pub mod words;
mod work_items;

pub use live_runs::goes_on;
pub use model::{
    AbsentResource, Channel, Coverage, Cut, FailedDependency, Gone, IdleResources, MutualWait,
    Pause, Retried, SilenceReason, Silent, Told, TruncatedLog, UnfinishedItem, UnfinishedWork,
    WaitState, WorkItemCounts, WorkStatus,
};
pub use similar::{alike, is_of_one_label};

use widetui_analysis::entity::AllInstances;
use widetui_analysis::runs;
use widetui_core::cancel::Cancel;
use widetui_query::Expr;
use widetui_store::Snapshot;

/// Supplies the errors that are known to be harmless; called only when a last error would be reported, because it is slow.
pub(crate) type Harmless<'a> = &'a dyn Fn() -> Vec<Expr>;

/// Finds unfinished work items only, without idle resources and silences. Ages extend to `now` (UTC ns) while the run is
/// being written, otherwise to the last event. `None` when cancelled.
pub fn find_unfinished_items(
    snapshot: &Snapshot,
    found: &AllInstances,
    now: Option<i64>,
    cancel: &Cancel,
) -> Option<Vec<UnfinishedItem>> {
    let mut out = UnfinishedWork::default();
    let mut runs = runs::find_runs(snapshot, found);
    work_items::look(snapshot, found, &mut runs, now, cancel, &mut out)?;
    Some(out.stuck)
}

/// Finds all unfinished work with its evidence; ages extend to `now` as in [`find_unfinished_items`]. `None` when cancelled.
pub fn find_unfinished(
    snapshot: &Snapshot,
    found: &AllInstances,
    (now, harmless): (Option<i64>, Harmless<'_>),
    cancel: &Cancel,
) -> Option<UnfinishedWork> {
    let mut out = UnfinishedWork {
        now,
        ..UnfinishedWork::default()
    };
    let mut runs = runs::find_runs(snapshot, found);
    let ends = runs.ends.last.iter().flatten().map(|e| e.1).max();
    out.range = snapshot.range().map(|r| (r.0, ends.unwrap_or(r.1)));
    work_items::look(snapshot, found, &mut runs, now, cancel, &mut out)?;
    out.cuts = truncated_sources::cuts(snapshot, &runs.ends, &runs.of_source);
    out.runs = std::mem::take(&mut runs.list);
    out.of_source = std::mem::take(&mut runs.of_source);
    idle_resources::look(snapshot, found, &mut out);
    capacity::look(&mut out);
    if cancel.is_cancelled() {
        return None;
    }
    silence::look(snapshot, found, (now, &runs.ends), cancel, &mut out)?;
    // A truncated source is reported as such, not as silent.
    let mut silent = std::mem::take(&mut out.silent);
    silent.retain(|s| !out.is_cut(s.source));
    out.silent = silent;
    pauses::find(snapshot, &mut out);
    out.strays = runs.ends.strays;
    out.last_error = silence::last_error(snapshot, &out, harmless, cancel)?;
    Some(out)
}
