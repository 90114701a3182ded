//! Unfinished work and findings about selected rows, with the messages of their evidence.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_diagnosis::unfinished::{
    self, UnfinishedItem, UnfinishedWork, WorkStatus, find_unfinished,
};
use widetui_diagnosis::words::first_line;
use widetui_diagnosis::{Diagnosis, Finding, Severity, Stage, diagnose, gone};
use widetui_query::Selection;
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;
use widetui_time::zone::Zone;

use super::instances::InstanceCache;
use super::meaning::Meaning;
use super::rows::Rows;

/// Finds unfinished work, waiting workers and silent sources of the whole run. Ages extend to `now` (UTC ns) for a run
/// that is being written, else to the last record. `None` if cancelled.
pub fn unfinished_work(
    snapshot: &Snapshot,
    meaning: &Meaning,
    now: Option<i64>,
    cancel: &Cancel,
) -> Option<UnfinishedWork> {
    if let Some(known) = meaning.instance_cache.cached_unfinished(snapshot, now) {
        return Some(known);
    }
    let seen = meaning.instance_cache.instances(snapshot, cancel)?;
    let harmless = || meaning.harmless();
    let mut found = find_unfinished(snapshot, &seen.found, (now, &harmless), cancel)?;
    if !found.is_clear() {
        found.gone = gone(snapshot, &found, meaning.hints(), cancel)?;
    }
    meaning
        .instance_cache
        .cache_unfinished(snapshot, now, &found);
    Some(found)
}

/// Finds the unfinished items of the whole run, with ages to the last record. The other parts of the analysis are
/// skipped unless a cached result exists. `None` if cancelled.
pub(crate) fn unfinished_items(
    snapshot: &Snapshot,
    meaning: &Meaning,
    cancel: &Cancel,
) -> Option<Vec<UnfinishedItem>> {
    if let Some(known) = meaning.instance_cache.cached_unfinished(snapshot, None) {
        return Some(known.stuck);
    }
    let seen = meaning.instance_cache.instances(snapshot, cancel)?;
    unfinished::find_unfinished_items(snapshot, &seen.found, None, cancel)
}

/// Limits unfinished work to items with a record among some rows (`None`: all); their data is unchanged. `None` if
/// cancelled.
pub fn unfinished_among(
    snapshot: &Snapshot,
    instance_cache: &InstanceCache,
    mut known: UnfinishedWork,
    rows: Option<&Selection>,
    cancel: &Cancel,
) -> Option<UnfinishedWork> {
    if let Some(rows) = rows {
        let seen = instance_cache.instances(snapshot, cancel)?;
        known.tell_only(snapshot, &seen.found, rows);
    }
    (!cancel.is_cancelled()).then_some(known)
}

/// Diagnoses the whole run, as causes may lie outside the selection, and returns the findings with a record among some
/// rows (`None`: all), and the number of other findings. Ages extend to `now` as in [`hanging`]. `tell` receives each
/// stage. `None` if cancelled.
pub fn diagnose_run(
    snapshot: &Snapshot,
    meaning: &Meaning,
    (zone, now): (&Zone, Option<i64>),
    rows: Option<&Selection>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stage),
) -> Option<(Diagnosis, usize)> {
    let hung = unfinished_work(snapshot, meaning, now, cancel)?;
    let seen = meaning.instance_cache.instances(snapshot, cancel)?;
    let (found, hints) = (&seen.found, meaning.hints());
    let clocks = (zone, rows);
    let mut diagnosis = diagnose(snapshot, found, &hung, hints, clocks, cancel, tell)?;
    let elsewhere = rows.map_or(0, |rows| retain_about(snapshot, &mut diagnosis, rows));
    Some((diagnosis, elsewhere))
}

/// Findings about what stands still in a run of which no work is recognised; none for other runs. Parameters and result
/// are those of [`diagnose_run`].
pub fn standstills(
    snapshot: &Snapshot,
    meaning: &Meaning,
    (zone, now): (&Zone, Option<i64>),
    rows: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Vec<Finding>> {
    let hung = unfinished_work(snapshot, meaning, now, cancel)?;
    if hung.status() != WorkStatus::Unrecognised {
        return Some(Vec::new());
    }
    let (found, _) = diagnose_run(snapshot, meaning, (zone, now), rows, cancel, &mut |_| {})?;
    let all = found.findings.into_iter();
    let standing = all.filter(|f| f.is_standstill && f.severity >= Severity::Warning);
    Some(standing.collect())
}

/// Parameters of a diagnosis.
#[derive(Clone, Debug)]
pub struct DiagnosisRequest {
    /// Findings without a record among these rows are left out.
    pub rows: Rows,
    /// Compiled definitions in force.
    pub meaning: Arc<Meaning>,
    /// Time zone of the texts.
    pub zone: Zone,
    /// Present time on the clock of the logs, UTC ns, if the run is being written.
    pub now: Option<i64>,
}

/// Result of a diagnosis.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Findings about the requested rows, with their texts.
    pub diagnosis: Diagnosis,
    /// For each finding, the sources of its records, those of the evidence first.
    pub sources: Vec<Vec<SourceId>>,
    /// Number of findings about other rows only.
    pub elsewhere: usize,
    /// Time to which ages extend, UTC ns, if the run is being written.
    pub as_of: Option<i64>,
    /// First line of the message of each evidence record, by record number.
    pub words: FxHashMap<u32, String>,
}

/// Runs the diagnosis; `tell` receives each stage. `None` if cancelled.
pub(crate) fn findings(
    snapshot: &Snapshot,
    wish: &DiagnosisRequest,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stage),
) -> Option<Findings> {
    let rows = wish.rows.part(snapshot);
    let (meaning, clocks) = (&wish.meaning, (&wish.zone, wish.now));
    let (diagnosis, elsewhere) =
        diagnose_run(snapshot, meaning, clocks, rows.as_ref(), cancel, tell)?;
    let mut texts = TextReader::default();
    let mut words = FxHashMap::default();
    for id in diagnosis.findings.iter().flat_map(|f| &f.evidence) {
        if cancel.is_cancelled() {
            return None;
        }
        if let Some(event) = snapshot.event(*id) {
            let message = full_event(&event, &mut texts).message;
            words.insert(id.0, first_line(&message).to_owned());
        }
    }
    Some(Findings {
        sources: diagnosis
            .findings
            .iter()
            .map(|f| sources(snapshot, f))
            .collect(),
        elsewhere,
        as_of: wish.now,
        diagnosis,
        words,
    })
}

/// Removes the findings without a record among `rows`; returns their number.
fn retain_about(snapshot: &Snapshot, diagnosis: &mut Diagnosis, rows: &Selection) -> usize {
    let all = diagnosis.findings.len();
    diagnosis.findings.retain(|f| f.is_about(snapshot, rows));
    all - diagnosis.findings.len()
}

/// Text with the number of findings about the requested rows; `None` if all findings are.
pub fn selection_note(about: usize, elsewhere: usize) -> Option<String> {
    let all = several(about + elsewhere, "finding");
    match (elsewhere, about) {
        (0, _) => None,
        (_, 0) => Some(format!(
            "The whole run was examined: none of {all} has a record in the selection."
        )),
        (_, 1) => Some(format!(
            "The whole run was examined: 1 of {all} has a record in the selection; only that one is shown."
        )),
        (_, n) => Some(format!(
            "The whole run was examined: {n} of {all} have a record in the selection; only these are shown."
        )),
    }
}

fn sources(snapshot: &Snapshot, finding: &Finding) -> Vec<SourceId> {
    let mut out: Vec<SourceId> = Vec::new();
    let ids = finding.evidence.iter().chain(&finding.events);
    for event in ids.filter_map(|id| snapshot.event(*id)) {
        let id = event.source().id;
        if !out.contains(&id) {
            out.push(id);
        }
    }
    out
}
