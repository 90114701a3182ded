//! What hangs, and what is wrong: what of it is about some rows; for the explorer with the words of its evidence.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_core::words::several;
use widetui_diagnosis::findings::words::first_line;
use widetui_diagnosis::findings::{Diagnosis, Finding, Stage, diagnose, gone};
use widetui_diagnosis::unfinished::{self, UnfinishedItem, UnfinishedWork, find_unfinished};
use widetui_query::Selection;
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;
use widetui_time::zone::Zone;

use super::instances::Things;
use super::meaning::Meaning;
use super::rows::Rows;

/// What began and never ended, who waits, what fell silent in the whole run; ages reach to `now` (UTC ns) where it is being
/// written, else to the last event. `None` when cancelled.
pub fn hanging(
    snapshot: &Snapshot,
    meaning: &Meaning,
    now: Option<i64>,
    cancel: &Cancel,
) -> Option<UnfinishedWork> {
    if let Some(known) = meaning.things.known_hung(snapshot, now) {
        return Some(known);
    }
    let seen = meaning.things.seen(snapshot, cancel)?;
    let harmless = || meaning.harmless();
    let mut found = find_unfinished(snapshot, &seen.found, (now, &harmless), cancel)?;
    if !found.is_clear() {
        found.gone = gone(snapshot, &found, meaning.hints(), cancel)?;
    }
    meaning.things.keep_hung(snapshot, now, &found);
    Some(found)
}

/// What of the whole run is stuck, with ages to the last event, and no more: what hangs besides is found out only if it was asked
/// for before. `None` when cancelled.
pub(crate) fn stuck(
    snapshot: &Snapshot,
    meaning: &Meaning,
    cancel: &Cancel,
) -> Option<Vec<UnfinishedItem>> {
    if let Some(known) = meaning.things.known_hung(snapshot, None) {
        return Some(known.stuck);
    }
    let seen = meaning.things.seen(snapshot, cancel)?;
    unfinished::find_unfinished_items(snapshot, &seen.found, None, cancel)
}

/// What of it has a record among some rows (`None`: all of it); what is known of each stays what it is. `None` when cancelled.
pub fn hanging_among(
    snapshot: &Snapshot,
    things: &Things,
    mut known: UnfinishedWork,
    rows: Option<&Selection>,
    cancel: &Cancel,
) -> Option<UnfinishedWork> {
    if let Some(rows) = rows {
        let seen = things.seen(snapshot, cancel)?;
        known.tell_only(snapshot, &seen.found, rows);
    }
    (!cancel.is_cancelled()).then_some(known)
}

/// What is wrong: findings with a record among some rows (`None`: all findings), and how many are about other rows only. The
/// analysis always looks at the whole run: causes may lie outside. Ages reach to `now` as those of what hangs. `tell` hears of every step. `None` when cancelled.
pub fn diagnosed(
    snapshot: &Snapshot,
    meaning: &Meaning,
    (zone, now): (&Zone, Option<i64>),
    rows: Option<&Selection>,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stage),
) -> Option<(Diagnosis, usize)> {
    let hung = hanging(snapshot, meaning, now, cancel)?;
    let seen = meaning.things.seen(snapshot, cancel)?;
    let (found, hints) = (&seen.found, meaning.hints());
    let mut diagnosis = diagnose(snapshot, found, &hung, hints, (zone, rows), cancel, tell)?;
    let elsewhere = rows.map_or(0, |rows| keep_about(snapshot, &mut diagnosis, rows));
    Some((diagnosis, elsewhere))
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Findings without a record among these are left out.
    pub rows: Rows,
    /// What the definitions in force say.
    pub meaning: Arc<Meaning>,
    /// In which clocks are told.
    pub zone: Zone,
    /// The present in the time of the logs, UTC ns, where the run is being written.
    pub now: Option<i64>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings about the rows that were asked for, in words.
    pub diagnosis: Diagnosis,
    /// Of each finding the sources in which its records stand, those of the evidence first.
    pub sources: Vec<Vec<SourceId>>,
    /// Findings that are about other rows only.
    pub elsewhere: usize,
    /// To when ages reach, UTC ns, where the run is being written.
    pub as_of: Option<i64>,
    /// The first lines of the messages of the evidence, by the number of the event.
    pub words: FxHashMap<u32, String>,
}

/// Looks for what is wrong; `tell` hears of every step. `None` when cancelled.
pub(crate) fn findings(
    snapshot: &Snapshot,
    wish: &Wish,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Stage),
) -> Option<Findings> {
    let rows = wish.rows.part(snapshot);
    let (meaning, clocks) = (&wish.meaning, (&wish.zone, wish.now));
    let (diagnosis, elsewhere) = diagnosed(snapshot, meaning, clocks, rows.as_ref(), cancel, tell)?;
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

/// Leaves out the findings that have no record among some; says how many these are.
fn keep_about(snapshot: &Snapshot, diagnosis: &mut Diagnosis, rows: &Selection) -> usize {
    let all = diagnosis.findings.len();
    diagnosis.findings.retain(|f| f.is_about(snapshot, rows));
    all - diagnosis.findings.len()
}

/// How many findings are about the rows that were asked for, in words; `None` when none was left out.
pub fn told_of(about: usize, elsewhere: usize) -> Option<String> {
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
