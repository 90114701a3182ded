//! Is it hung? What began and never ended, on whom it waits, who has nothing to do, what fell silent, and how the runs
//! themselves ended.
//!
//! ```text
//! goal entities ──standing──> unfinished ──waits_for──> roots and waiters    what was begun and never ended
//! carrier entities ─────────> idle ones                                     nothing else holds the run
//! records per channel ──────> gaps at the end                               what fell silent
//! owner entities ───────────> runs: ended, or stopped without a word         a killed process, or a live one
//! ```
//!
//! Everything is plain data. What it comes to in words is made of it by [`words`].

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
mod pools;
pub mod run_stops;
mod selection;
mod silence;
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
    Channel, Cut, CutLog, FailedFirst, Goals, Gone, Hung, Idle, Known, Mutual, Nobody, Pace,
    Retried, SilenceReason, Silent, Stuck, Told,
};
pub use similar::{alike, is_of_one_label};

use widetui_analysis::entity::AllInstances;
use widetui_analysis::runs;
use widetui_core::cancel::Cancel;
use widetui_query::Expr;
use widetui_store::Snapshot;

/// Says which errors are known to be harmless; asked only where a last error would be told, as it takes long to know.
pub type Harmless<'a> = &'a dyn Fn() -> Vec<Expr>;

/// Looks for what is stuck, and no further: who has nothing to do and what fell silent stay empty. Ages reach to `now` (UTC
/// ns) where the run is being written, else to the last event. `None` when cancelled.
pub fn stuck(
    snapshot: &Snapshot,
    found: &AllInstances,
    now: Option<i64>,
    cancel: &Cancel,
) -> Option<Vec<Stuck>> {
    let mut out = Hung::default();
    let mut runs = runs::runs(snapshot, found);
    work_items::look(snapshot, found, &mut runs, now, cancel, &mut out)?;
    Some(out.stuck)
}

/// Looks at everything; ages reach to `now` as those of [`stuck`]. `None` when cancelled.
pub fn hung(
    snapshot: &Snapshot,
    found: &AllInstances,
    (now, harmless): (Option<i64>, Harmless<'_>),
    cancel: &Cancel,
) -> Option<Hung> {
    let mut out = Hung {
        now,
        ..Hung::default()
    };
    let mut runs = runs::runs(snapshot, found);
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
    // That it was cut is told, and no silence.
    let mut silent = std::mem::take(&mut out.silent);
    silent.retain(|s| !out.is_cut(s.source));
    out.silent = silent;
    out.strays = runs.ends.strays;
    out.last_error = silence::last_error(snapshot, &out, harmless, cancel)?;
    Some(out)
}
