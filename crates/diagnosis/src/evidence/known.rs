//! Findings of the detectors as facts.

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;
use widetui_evidence::actors::{InstanceIndex, RecordIndex, Records};
use widetui_evidence::facts::{Fact, Statement};

use crate::findings::{Finding, FindingKind};

/// Most records of a finding that are related to those of facts.
const RECORDS: usize = 100;

/// Facts of findings, in their order.
pub(super) fn facts(records: &Records, findings: &[Finding]) -> Vec<Fact> {
    let place: FxHashMap<EventId, RecordIndex> = (0..)
        .zip(&records.list)
        .map(|(i, r)| (r.event, i))
        .collect();
    let facts = findings.iter().enumerate();
    facts.map(|(i, f)| fact(records, &place, i, f)).collect()
}

fn fact(
    records: &Records,
    place: &FxHashMap<EventId, RecordIndex>,
    number: usize,
    f: &Finding,
) -> Fact {
    let strength = match f.severity {
        Severity::Error => 0.9,
        Severity::Warning => 0.55,
        Severity::Info => 0.15,
    };
    let statement = Statement::Known {
        finding: number,
        kind: kind(f.kind),
    };
    let shown: Vec<RecordIndex> = f
        .evidence
        .iter()
        .chain(&f.events)
        .filter_map(|e| place.get(e))
        .copied()
        .collect();
    let subject = f.subject.as_ref().and_then(|(entity, id)| {
        let known = records
            .known
            .iter()
            .position(|k| k.entity == *entity && k.id == *id)? as u32;
        records
            .instances
            .iter()
            .position(|i| i.known == Some(known))
            .map(|i| i as InstanceIndex)
    });
    let named = shown
        .iter()
        .take(10)
        .flat_map(|r| records.named(records.record(*r)).iter().copied());
    let named = named.filter(|i| !records.is_place(*i));
    let mut fact = Fact::new(statement, strength)
        .about(subject.into_iter().chain(named))
        .shown_by(shown.iter().copied().take(RECORDS));
    fact.count = u32::try_from(f.count).unwrap_or(u32::MAX).max(1);
    fact.is_bad = f.severity == Severity::Error;
    fact.time = shown
        .iter()
        .filter_map(|r| records.record(*r).seconds())
        .reduce(f64::min);
    fact
}

/// Name of a kind in the data of the evidence.
fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Cut => "known_cut",
        FindingKind::Interrupted => "known_interrupted",
        FindingKind::Hint => "known_hint",
        FindingKind::Lost => "known_lost",
        FindingKind::NeverCame => "known_never_came",
        FindingKind::Hung => "known_hung",
        FindingKind::Failures => "known_failures",
        FindingKind::Exception => "known_exception",
        FindingKind::Flapping => "known_flapping",
        FindingKind::Errors => "known_errors",
        FindingKind::AbruptEnd => "known_abrupt_end",
        FindingKind::Silence => "known_silence",
        FindingKind::Number => "known_number",
        FindingKind::Slow => "known_slow",
    }
}
