//! Fields of findings in JSON lines and CSV. The explorer and text show them as pages.

use serde_json::{Value as Json, json};

use widetui_analysis::entity::Id;
use widetui_diagnosis::{Diagnosis, Finding};
use widetui_report::event::{FullEvent, full_event};
use widetui_report::jsonl;
use widetui_report::sheet::{csv_text, id_object};
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::schema::{Schema, SchemaColumn};

/// Finding, and its position from 1.
pub struct FindingRow<'a> {
    rank: u64,
    snapshot: &'a Snapshot,
    finding: &'a Finding,
    evidence: Vec<FullEvent<'a>>,
}

/// Rows of findings, the worst first.
pub fn findings<'a>(
    snapshot: &'a Snapshot,
    findings: &'a [Finding],
) -> impl Iterator<Item = FindingRow<'a>> {
    let mut texts = TextReader::default();
    (1..).zip(findings).map(move |(rank, finding)| {
        let events = finding.evidence.iter();
        let events = events.filter_map(|id| snapshot.event(*id));
        FindingRow {
            rank,
            snapshot,
            finding,
            evidence: events.map(|e| full_event(&e, &mut texts)).collect(),
        }
    })
}

/// Columns of findings.
pub fn columns<'a>() -> Schema<FindingRow<'a>> {
    type Col<'a> = SchemaColumn<FindingRow<'a>>;
    Schema::from(vec![
        Col::count("rank", |row| row.rank),
        Col::text("severity", |row| row.finding.severity.name().to_owned()),
        Col::text("kind", |row| row.finding.kind.to_owned()),
        Col::text("title", |row| row.finding.title.clone()),
        Col::text("text", |row| row.finding.text.clone()),
        Col::nested("subject", |row| {
            let subject = subject(row.snapshot, row.finding.subject.as_ref())?;
            let text = csv_text(&subject);
            Some((subject, text))
        }),
        Col::count("count", |row| row.finding.count),
        Col::time("first", |row| row.finding.first),
        Col::time("last", |row| row.finding.last),
        Col::nested("evidence", |row| {
            let objects = row.evidence.iter().map(jsonl::event_object);
            let lines: Vec<String> = row.evidence.iter().map(FullEvent::to_line).collect();
            (Json::from_iter(objects.map(Json::Object)), lines.join("\n"))
        }),
        Col::nested("effects", |row| {
            let effects = row.finding.effects.iter();
            let objects: Json = effects
                .map(|effect| {
                    json!({
                        "kind": effect.kind,
                        "title": effect.title,
                        "count": effect.count,
                        "subject": subject(row.snapshot, effect.subject.as_ref()),
                        "relation": effect.relation,
                        "probability": (effect.probability * 100.0).round() / 100.0,
                    })
                })
                .collect();
            let titles = row.finding.effects.iter().map(|e| e.title.as_str());
            (objects, titles.collect::<Vec<_>>().join("\n"))
        }),
        Col::text("next", |row| row.finding.next.clone()),
        Col::text("url", |row| row.finding.url.clone()),
    ])
}

/// Entity and id of an instance as JSON.
fn subject(snapshot: &Snapshot, subject: Option<&(String, Id)>) -> Option<Json> {
    let (entity, id) = subject?;
    Some(json!({ "entity": entity, "id": id_object(snapshot, id) }))
}

/// Summary of a diagnosis, and the number of findings about unselected records.
pub struct DiagnosisSummary<'a> {
    /// Diagnosis.
    pub result: &'a Diagnosis,
    /// Number of findings about unselected records.
    pub elsewhere: usize,
}

/// Columns of the summary.
pub fn summary<'a>() -> Schema<DiagnosisSummary<'a>> {
    type Col<'a> = SchemaColumn<DiagnosisSummary<'a>>;
    Schema::from(vec![
        Col::text("kind", |_| "summary".to_owned()),
        Col::text("text", |row| row.result.summary.clone()),
        Col::count("count", |row| row.result.findings.len() as u64),
        Col::texts("unknown", |row| row.result.unknown.clone()),
        Col::count("elsewhere", |row| row.elsewhere as u64),
    ])
}
