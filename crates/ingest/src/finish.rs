//! Steps after reading, on all sources of a run: clocks, time order, duplicates, runs, attachments, named files, facts. A load
//! takes them once; a run that grows takes those of which an input changed, so that it is as if it were loaded then.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use widetui_core::cancel::Cancel;
use widetui_core::diag::{Diagnostic, Severity};
use widetui_store::source::{Source, ZoneBasis, Zoning};
use widetui_store::{Snapshot, SourceTrait};

use crate::clock_correction;
use crate::fact_tables;
use crate::load_context::LoadContext;
use crate::provenance::duplicates::mark_duplicates;
use crate::provenance::run_names::RunNames;
use crate::provenance::{attachments, flat_folders, named_files};
use crate::source_entries::problem;

/// Inverse of the maximum share of a core's time for the steps on a run that grows.
const SHARE: u32 = 40;

/// Lineage numbers, unique per follower and per break in its snapshots.
static LINEAGES: AtomicU64 = AtomicU64::new(1);

/// Returns a lineage number that no snapshot has.
pub(super) fn new_lineage() -> u64 {
    LINEAGES.fetch_add(1, Ordering::Relaxed)
}

/// True if an operation that took some time should not be repeated yet.
pub(super) fn is_soon((at, took): (Instant, Duration), now: Instant, share: u32) -> bool {
    now.duration_since(at) < took * share
}

/// Steps after reading, with their inputs and results that further records may change.
#[derive(Debug, Default)]
pub(crate) struct Finish {
    /// Names of the runs.
    pub(crate) run_names: RunNames,
    /// Inputs of the assignment to runs; `None` before the first.
    assigned: Option<AssignmentInputs>,
    /// True if a log without a run may turn out to repeat one with a run.
    has_unassigned: bool,
    /// Time and duration of the last steps on a run that grows.
    pub(crate) last: Option<(Instant, Duration)>,
    /// True if records came since.
    pub(crate) is_pending: bool,
}

/// Inputs of the assignment to runs, besides the records of unassigned logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AssignmentInputs {
    /// Number of changes of readers, paths and keys of sources.
    version: u64,
    /// Number of paths that records name.
    named_paths: usize,
}

impl Finish {
    /// True if the steps would take too large a share of the time.
    pub(crate) fn is_soon(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| is_soon(last, now, SHARE))
    }

    /// Takes the steps of which an input changed. The duplicates of the snapshot are marked, and its sources are those after
    /// the last steps; `read` are the sources as read, with their zones. A snapshot of a run that grows gets a new lineage if
    /// known results are not valid any more. `None` if cancelled.
    pub(crate) fn finish(
        &mut self,
        snapshot: Snapshot,
        read: Vec<Arc<Source>>,
        shared: &LoadContext,
    ) -> Option<Snapshot> {
        self.is_pending = false;
        let (lineage, before) = (snapshot.lineage, snapshot.sources.clone());
        let inputs = AssignmentInputs {
            version: shared.update(|h| h.version),
            named_paths: named_files::count(&snapshot.catalog),
        };
        let is_first = self.assigned.is_none();
        let read = clock_correction::correct_proven(&snapshot, read, &shared.cancel)?;
        let mut snapshot = in_order(snapshot, read, shared)?;
        // Duplicates show copies of runs, which have no names of their own.
        let by_records = self.has_unassigned || !snapshot.duplicates.is_empty();
        if self.assigned.replace(inputs) != Some(inputs) || by_records {
            snapshot = self.assign(snapshot, shared);
        } else {
            let pairs = snapshot.sources.iter().zip(before.iter());
            snapshot.sources = pairs.map(|(own, old)| with_run_of(own, old)).collect();
        }
        let changed = |is_like: fn(&Source, &Source) -> bool| {
            let mut pairs = before.iter().zip(snapshot.sources.iter());
            pairs.any(|(old, new)| old.stats.records() > 0 && !is_like(old, new))
        };
        if changed(|a, b| {
            let is_replica = |s: &Source| s.has_trait(SourceTrait::Replica);
            a.kind == b.kind && is_replica(a) == is_replica(b)
        }) {
            // Duplicates are records of logs of one kind, and the original is not in a copy.
            snapshot = match snapshot.ties.is_empty() {
                true => rebuilt(snapshot, &shared.cancel)?,
                false => mark_duplicates(snapshot, &shared.cancel),
            };
        } else if changed(|a, b| a.consts == b.consts) {
            snapshot.lineage = 0;
        }
        if is_first || fact_tables::has_unjoined(&before) {
            snapshot = fact_tables::with_problems(snapshot);
            for source in snapshot.sources.iter() {
                if source.has_trait(SourceTrait::Facts) {
                    let problems = source.problems.clone();
                    shared.change(source.id, |s| s.problems = problems);
                }
            }
        }
        if lineage != 0 && snapshot.lineage == 0 {
            snapshot.lineage = new_lineage();
        }
        Some(snapshot)
    }

    /// Assigns sources to runs, and gives them the values by which records name them.
    fn assign(&mut self, snapshot: Snapshot, shared: &LoadContext) -> Snapshot {
        let detector = &shared.detector;
        let snapshot = flat_folders::corrected(snapshot, detector);
        let names = RunNames::of(&snapshot, detector).after(&self.run_names);
        let lineage = match names.is_like(&self.run_names) {
            true => snapshot.lineage,
            false => 0,
        };
        self.run_names = names;
        let snapshot = self.run_names.disambiguated(snapshot, lineage == 0);
        let (snapshot, has_unassigned) = attachments::assign_runs(snapshot, detector);
        self.has_unassigned = has_unassigned;
        Snapshot {
            lineage,
            ..named_files::with_values(snapshot)
        }
    }
}

/// A snapshot with these sources, in a new order if records of a source moved. Sources of which the zone was a mere assumption
/// get a note.
fn in_order(
    snapshot: Snapshot,
    mut sources: Vec<Arc<Source>>,
    shared: &LoadContext,
) -> Option<Snapshot> {
    let mut is_moved = false;
    for (source, old) in sources.iter_mut().zip(snapshot.sources.iter()) {
        let is_like = source.shift == old.shift && are_alike(&source.zoning, &old.zoning);
        if old.stats.records() == 0 || is_like {
            continue;
        }
        is_moved = true;
        let basis = |source: &Source| match &source.zoning {
            Zoning::Local { basis, .. } => Some(*basis),
            Zoning::Stated => None,
        };
        if let Zoning::Local { how, .. } = &source.zoning
            && basis(old) == Some(ZoneBasis::LocalMachine)
            && basis(source) != basis(old)
        {
            let text = format!(
                "its times were taken to be in the zone of this machine at first; other logs show {how}, so they were \
                 corrected"
            );
            problem(shared, source.id, Severity::Note, text.clone());
            let note = Diagnostic::new(Severity::Note, source.path.clone(), text);
            Arc::make_mut(source).problems.push(note);
        }
    }
    let sources = sources.into();
    let snapshot = Snapshot {
        sources,
        ..snapshot
    };
    match is_moved {
        true => rebuilt(snapshot, &shared.cancel),
        false => Some(snapshot),
    }
}

/// A snapshot with its records in order, and its duplicates marked.
pub(super) fn rebuilt(snapshot: Snapshot, cancel: &Cancel) -> Option<Snapshot> {
    let (sources, segments) = (snapshot.sources.to_vec(), snapshot.segments.to_vec());
    let built = Snapshot::build(
        sources,
        segments,
        snapshot.tables,
        snapshot.complete,
        cancel,
    )?;
    Some(mark_duplicates(built, cancel))
}

/// True if records have the same times by two zones.
fn are_alike(a: &Zoning, b: &Zoning) -> bool {
    let passes = |zoning: &Zoning| match zoning {
        Zoning::Local { second_passes, .. } => {
            let all = second_passes.iter().map(|hour| (hour.from, hour.byte));
            all.collect::<Vec<_>>()
        }
        Zoning::Stated => Vec::new(),
    };
    let offsets = |zoning: &Zoning| match zoning {
        Zoning::Local { offsets, days, .. } => (offsets.clone(), days.clone()),
        Zoning::Stated => Default::default(),
    };
    a == b || offsets(a) == offsets(b) && passes(a) == passes(b)
}

/// A source with the run of the same source after the last steps.
fn with_run_of(source: &Arc<Source>, old: &Arc<Source>) -> Arc<Source> {
    let is_replica = old.has_trait(SourceTrait::Replica);
    if source.consts == old.consts && source.has_trait(SourceTrait::Replica) == is_replica {
        return source.clone();
    }
    let mut source = Source {
        consts: old.consts.clone(),
        kind: old.kind.clone(),
        ..(**source).clone()
    };
    source.traits.set(SourceTrait::Replica, is_replica);
    Arc::new(source)
}
