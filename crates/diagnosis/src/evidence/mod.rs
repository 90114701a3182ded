//! Diagnosis by evidence: facts about instances, a graph of causes and its roots as findings.
//!
//! ```text
//! findings of the detectors ──known──> Fact ┐
//! records ──widetui_evidence::facts──> Fact ┴─graph─score─> roots ──words──> Finding
//! ```

mod known;
mod words;

use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_evidence::actors::read;
use widetui_evidence::score::roots;
use widetui_evidence::{facts, graph};
use widetui_store::Snapshot;

use crate::findings::words::summary;
use crate::findings::{Diagnosis, Finding};
use crate::unfinished::model::UnfinishedWork;

/// Way in which findings are found and ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Detectors in order.
    #[default]
    Detectors,
    /// Facts, and a graph of causes.
    Evidence,
}

/// Diagnosis by evidence, in which the findings of the detectors, `known`, are facts among others. `None` when cancelled.
pub fn by_evidence(
    snapshot: &Snapshot,
    found: &AllInstances,
    hung: &UnfinishedWork,
    known: Diagnosis,
    cancel: &Cancel,
) -> Option<Diagnosis> {
    let records = read(snapshot, found, cancel)?;
    let all = facts::find(&records, known::facts(&records, &known.findings));
    if cancel.is_cancelled() {
        return None;
    }
    let graph = graph::graph(&records, all);
    let has_failed = hung.goals.iter().any(|g| g.failed > 0) || !hung.is_clear();
    let roots = roots(&records, &graph, !has_failed);
    let mut writer = words::Writer::new(snapshot, &records, &graph);
    let findings: Vec<Finding> = roots
        .iter()
        .map(|root| writer.finding(root, &known.findings))
        .collect();
    Some(Diagnosis {
        summary: summary(snapshot, hung, findings.iter()),
        findings,
        ..known
    })
}
