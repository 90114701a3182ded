//! `widetui diagnose`: findings.

use serde_json::Value as Json;

use widetui_core::cancel::Cancel;
use widetui_diagnosis::findings::Diagnosis;
use widetui_diagnosis::findings::words::severity;
use widetui_report::event::{FullEvent, full_event};
use widetui_report::jsonl;
use widetui_session::findings::diagnose_run;
use widetui_store::texts::TextReader;

use super::args::{Format, SelectArgs, SelectedCommand};
use super::open;
use super::opened::Opened;
use super::output::{Failure, write_out};
use super::selection::some;
use super::sheet::{PrintedSheet, hidden, time, value};

mod text;

/// `widetui diagnose`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, &c.select, c.run.format)
}

/// Diagnoses the run and writes the findings.
fn print(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let rows = some(opened, select)?;
    let (meaning, zone, cancel) = (&opened.meaning, &opened.zone, Cancel::default());
    let found = diagnose_run(
        snapshot,
        meaning,
        (zone, None),
        rows.as_ref(),
        &cancel,
        &mut |_| {},
    );
    // A command is never cancelled.
    let (result, elsewhere) = found.unwrap_or_default();
    match format {
        Format::Text => text::write(opened, &result, elsewhere),
        _ => {
            // A run without findings is a result.
            let sheet = sheet(opened, &result, elsewhere);
            write_out(|out| sheet.write(out, format))
        }
    }
}

/// Rows of findings, the worst first, then the summary.
fn sheet(opened: &Opened, result: &Diagnosis, elsewhere: usize) -> PrintedSheet {
    let names = [
        "rank",
        "severity",
        "kind",
        "title",
        "text",
        "count",
        "first",
        "last",
        "evidence",
        "next",
        "unknown",
        "elsewhere",
    ];
    let mut sheet = PrintedSheet::new(names.map(hidden).into());
    let mut texts = TextReader::default();
    for (at, finding) in result.findings.iter().enumerate() {
        let events = finding.evidence.iter();
        let events = events.filter_map(|id| opened.snapshot.event(*id));
        let evidence: Vec<FullEvent<'_>> = events.map(|e| full_event(&e, &mut texts)).collect();
        let lines: Vec<String> = evidence.iter().map(FullEvent::to_line).collect();
        let objects = evidence.iter().map(jsonl::event_object).map(Json::Object);
        let evidence = value(objects.collect::<Vec<Json>>()).in_csv(lines.join("\n"));
        sheet.push_named([
            ("rank", value(at + 1)),
            ("severity", value(severity(finding.severity))),
            ("kind", value(finding.kind.name())),
            ("title", value(finding.title.clone())),
            ("text", value(finding.text.clone())),
            ("count", value(finding.count)),
            ("first", value(time(finding.first))),
            ("last", value(time(finding.last))),
            ("evidence", evidence),
            ("next", value(finding.next.clone())),
        ]);
    }
    sheet.push_named([
        ("kind", value("summary")),
        ("text", value(result.summary.clone())),
        ("count", value(result.findings.len())),
        ("unknown", value(result.unknown.clone())),
        ("elsewhere", value(elsewhere)),
    ]);
    sheet
}
