//! Diagnosis: facts about instances, a graph of causes, and its roots as findings.
//!
//! ```text
//! definitions ──known────────────────────> Fact ┐
//! records ─────widetui_evidence::facts───> Fact ┴─graph─score─> roots ──words──> Finding
//! ```

use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::words::grouped;
use widetui_evidence::actors::read_with;
use widetui_evidence::score::{Outcome, roots};
use widetui_evidence::{facts, graph};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use crate::finding::{Diagnosis, Finding, Stage};
use crate::hint::Hint;
use crate::known::{self, Context, Input};
use crate::unfinished::model::UnfinishedWork;
use crate::words::{Writer, summary, unknown};

/// Steps of a diagnosis, in order.
const STAGES: [&str; 4] = ["known messages", "records", "facts", "causes"];

/// Diagnoses a snapshot; `None` if cancelled. `progress` is called before each step. With a selection in `among`, the
/// summary counts only the work items with a record in it.
pub fn diagnose(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
    hints: &[Hint],
    (zone, among): (&Zone, Option<&Selection>),
    cancel: &Cancel,
    progress: &mut dyn FnMut(Stage),
) -> Option<Diagnosis> {
    let mut stage = |at: usize| {
        progress(Stage {
            what: STAGES[at],
            number: at + 1,
            of: STAGES.len(),
        });
    };
    stage(0);
    let input = Input {
        snapshot,
        found,
        hung,
        hints,
        cancel,
    };
    let events = known::events(input)?;
    stage(1);
    let records = read_with(snapshot, found, &events.all, cancel)?;
    let context = Context::new(input, &records);
    let known = known::find(&context, &events)?;
    stage(2);
    let all = facts::find(&records, known);
    if cancel.is_cancelled() {
        return None;
    }
    stage(3);
    let graph = graph::graph(&records, all);
    let roots = roots(&records, &graph, outcome(hung));
    let mut writer = Writer::new(&context, &graph, zone);
    let findings: Vec<Finding> = roots.iter().map(|root| writer.finding(root)).collect();
    let counted = among.map(|rows| {
        let mut counted = hung.clone();
        counted.tell_only(snapshot, found, rows);
        counted
    });
    let about = findings
        .iter()
        .filter(|f| among.is_none_or(|rows| f.is_about(snapshot, rows)));
    let mut unknown = unknown(snapshot, found, hung);
    let all = snapshot.len().saturating_sub(snapshot.duplicates.len());
    if records.list.len() < all {
        unknown.push(format!(
            "Courses and durations were judged by {} of {} records: rare and telling ones, and whole instances.",
            grouped(records.list.len() as u64),
            grouped(all as u64)
        ));
    }
    Some(Diagnosis {
        summary: summary(snapshot, counted.as_ref().unwrap_or(hung), about),
        unknown,
        findings,
    })
}

/// Outcome of the work items of all runs.
fn outcome(hung: &UnfinishedWork) -> Outcome {
    let mut begun = hung.goals.iter().filter(|g| g.begun > 0).peekable();
    match () {
        () if !hung.is_clear() => Outcome::Bad,
        () if begun.peek().is_none() => Outcome::Unknown,
        () if begun.any(|g| g.failed > 0) => Outcome::Bad,
        () => Outcome::Succeeded,
    }
}
