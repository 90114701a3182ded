//! `widetui diagnose`: what is wrong, as findings.

use serde_json::Value as Json;

use widetui_core::cancel::Cancel;
use widetui_diagnosis::findings::Diagnosis;
use widetui_diagnosis::findings::words::severity;
use widetui_report::event::{FullEvent, full_event};
use widetui_report::jsonl;
use widetui_session::findings::diagnosed;
use widetui_store::texts::TextReader;

use super::args::{Format, SelectArgs, SelectedCommand};
use super::asked::some;
use super::open;
use super::opened::Opened;
use super::output::{Failure, write_out};
use super::sheet::{PrintedSheet, hidden, time, value};

mod text;

/// `widetui diagnose`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    print(&open::load_run(&c.run)?, &c.select, c.run.format)
}

/// Looks and writes.
fn print(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let rows = some(opened, select)?;
    let (meaning, zone, cancel) = (&opened.meaning, &opened.zone, Cancel::default());
    let found = diagnosed(
        snapshot,
        meaning,
        (zone, None),
        rows.as_ref(),
        &cancel,
        &mut |_| {},
    );
    // Nobody cancels here.
    let (result, elsewhere) = found.unwrap_or_default();
    match format {
        Format::Text => text::write(opened, &result, elsewhere),
        Format::Jsonl | Format::Csv => {
            // That nothing is wrong is an answer, too.
            let sheet = sheet(opened, &result, elsewhere);
            write_out(|out| sheet.write(out, format))
        }
    }
}

/// A row for each finding, the worst first; then one that sums it up.
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
        let evidence: Vec<FullEvent> = events.map(|e| full_event(&e, &mut texts)).collect();
        let lines: Vec<String> = evidence.iter().map(FullEvent::in_a_line).collect();
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
