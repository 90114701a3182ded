//! `widetui diagnose`: what is wrong, as findings.

use std::io::Write;

use serde_json::{Value as Json, json};

use crate::analysis::diagnose::words::{
    NEXT, UNKNOWN, WORTH_KNOWING, counted, first_line, moment, severity, times,
};
use crate::analysis::diagnose::{Diagnosis, Finding, Severity, diagnose};
use crate::analysis::hung::words::capital;
use crate::analysis::hung::{Found, hung};
use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::words::cut;
use crate::export::event::{FullEvent, full_event};
use crate::export::{csv, jsonl};
use crate::store::texts::Texts;

use super::args::Format;
use super::entities::{known, time};
use super::open::Opened;
use super::output::{Failure, safe, stdout, wrap};

/// Columns of the text, fit for a mail.
const WIDTH: usize = 98;

/// Looks and writes.
pub fn print(opened: &Opened, format: Format) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let cancel = Cancel::default();
    // Nobody cancels here.
    let found = Found::scan(snapshot, known(opened), &cancel).unwrap_or(Found { all: Vec::new() });
    let hung = hung(snapshot, &found, &opened.meaning.asked(), &cancel).unwrap_or_default();
    let hints = &opened.meaning.hints;
    let zone = &opened.zone;
    let result = diagnose(snapshot, &found, &hung, hints, zone, &cancel, &mut |_| {});
    let result = result.unwrap_or_default();
    match format {
        Format::Text => text(opened, &result),
        Format::Jsonl => lines(opened, &result),
        Format::Csv => table(opened, &result),
    }
}

fn full(opened: &Opened, id: EventId, texts: &mut Texts) -> Option<FullEvent> {
    Some(full_event(&opened.snapshot.event(id)?, texts))
}

fn lines(opened: &Opened, result: &Diagnosis) -> Result<(), Failure> {
    let mut out = stdout();
    let mut texts = Texts::default();
    for (at, finding) in result.findings.iter().enumerate() {
        let mut evidence = Vec::new();
        for id in &finding.evidence {
            if let Some(event) = full(opened, *id, &mut texts) {
                evidence.push(Json::Object(jsonl::event_object(&event)));
            }
        }
        let line = json!({
            "rank": at + 1,
            "severity": severity(finding.severity),
            "kind": finding.kind.name(),
            "title": finding.title,
            "text": finding.text,
            "count": finding.count,
            "first": time(finding.first),
            "last": time(finding.last),
            "evidence": evidence,
            "next": finding.next,
        });
        writeln!(out, "{}", jsonl::line(&line))?;
    }
    out.flush()?;
    Ok(())
}

fn text(opened: &Opened, result: &Diagnosis) -> Result<(), Failure> {
    let mut out = stdout();
    let mut texts = Texts::default();
    for line in wrap(&safe(&result.summary), WIDTH) {
        writeln!(out, "{line}")?;
    }
    let is_told = |f: &&Finding| f.severity != Severity::Info;
    for (at, finding) in result.findings.iter().filter(is_told).enumerate() {
        writeln!(out)?;
        let head = format!(
            "{}. {}: {}",
            at + 1,
            severity(finding.severity),
            safe(&counted(finding))
        );
        indented(&mut out, &head, "", "   ")?;
        indented(&mut out, &safe(&finding.text), "   ", "   ")?;
        for id in &finding.evidence {
            if let Some(line) = evidence(opened, finding, *id, &mut texts) {
                writeln!(out, "     {line}")?;
            }
        }
        if !finding.next.is_empty() {
            indented(
                &mut out,
                &format!("{NEXT} {}", safe(&finding.next)),
                "   ",
                "   ",
            )?;
        }
    }
    // What is only worth knowing, in a line each.
    let rest: Vec<&Finding> = result.findings.iter().filter(|f| !is_told(f)).collect();
    if !rest.is_empty() {
        writeln!(out, "\n{}:", capital(WORTH_KNOWING))?;
    }
    for finding in rest {
        let times = match times(finding.count) {
            none if none.is_empty() => none,
            times => format!(" ({times})"),
        };
        indented(
            &mut out,
            &format!("{}{times}", safe(&finding.title)),
            " - ",
            "   ",
        )?;
    }
    if !result.unknown.is_empty() {
        writeln!(out, "\n{}:", capital(UNKNOWN))?;
        indented(&mut out, &safe(&result.unknown.join(" ")), "", "")?;
    }
    out.flush()?;
    Ok(())
}

fn indented(out: &mut impl Write, text: &str, first: &str, rest: &str) -> std::io::Result<()> {
    for (n, line) in wrap(text, WIDTH - rest.len()).iter().enumerate() {
        writeln!(out, "{}{line}", if n == 0 { first } else { rest })?;
    }
    Ok(())
}

/// An event in one line: time, source, the first line of its message, cut to the width.
fn evidence(opened: &Opened, finding: &Finding, id: EventId, texts: &mut Texts) -> Option<String> {
    let event = opened.snapshot.event(id)?;
    let full = full(opened, id, texts)?;
    let line = first_line(&full.message);
    let text = match moment(&event, &opened.zone) {
        Some(at) => format!("{at}  {}  {line}", full.source),
        None => format!("{}  {line}", full.source),
    };
    let text = safe(&text);
    // A single line may be longer: it is the finding.
    let at_most = if finding.evidence.len() == 1 {
        2 * WIDTH
    } else {
        WIDTH
    };
    Some(cut(&text, at_most))
}

fn table(opened: &Opened, result: &Diagnosis) -> Result<(), Failure> {
    let mut out = stdout();
    let mut texts = Texts::default();
    writeln!(
        out,
        "rank,severity,kind,title,text,count,first,evidence,next"
    )?;
    for (at, finding) in result.findings.iter().enumerate() {
        let evidence = finding.evidence.iter();
        let evidence: Vec<String> = evidence
            .filter_map(|id| full(opened, *id, &mut texts))
            .map(|e| format!("{} {} {}", e.time.unwrap_or_default(), e.source, e.message))
            .collect();
        let cells = [
            (at + 1).to_string(),
            severity(finding.severity).to_owned(),
            finding.kind.name().to_owned(),
            finding.title.clone(),
            finding.text.clone(),
            finding.count.to_string(),
            time(finding.first).as_str().unwrap_or_default().to_owned(),
            evidence.join("\n"),
            finding.next.clone(),
        ];
        writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
    }
    out.flush()?;
    Ok(())
}
