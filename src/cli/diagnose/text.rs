//! Findings as text that fits into a mail.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::colour::{TextRole, paint};
use crate::cli::opened::Opened;
use crate::cli::output::{Failure, safe, stdout, wrap};
use widetui_core::ids::EventId;
use widetui_core::words::{cut, listed};
use widetui_diagnosis::unfinished::words::capital;
use widetui_diagnosis::words::{
    MORE, NEXT, UNKNOWN, WORTH_KNOWING, counted, first_line, moment, severity, times,
};
use widetui_diagnosis::{Diagnosis, Finding, Severity};
use widetui_report::event::full_event;
use widetui_session::findings::selection_note;
use widetui_store::texts::TextReader;
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

/// Width of the text, columns.
const WIDTH: usize = 98;

/// Paths of the run, its first and last time with the zone, and the version of the program: for readers of a mail.
fn provenance(opened: &Opened, paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let moment = |time| format_datetime(time, opened.zone.offset_at_utc(time), 0);
    let times = opened.snapshot.range();
    let times = times.map_or_else(String::new, |(first, last)| {
        let offset = opened.zone.offset_at_utc(last);
        let zone = match opened.zone {
            Zone::Local => i32::try_from(offset).map_or(Zone::Local, Zone::Fixed),
            ref zone => zone.clone(),
        };
        format!(", {} to {} {zone}", moment(first), moment(last))
    });
    let version = env!("CARGO_PKG_VERSION");
    format!("{}{times}; widetui {version}", listed(&paths, PATHS))
}

/// Maximum number of paths listed.
const PATHS: usize = 4;

/// Writes the findings, worst first, and the limits of the diagnosis. `elsewhere` is the number of findings about
/// unselected records.
///
/// # Errors
/// The output is closed.
pub fn write(
    opened: &Opened,
    paths: &[PathBuf],
    result: &Diagnosis,
    elsewhere: usize,
) -> Result<(), Failure> {
    let mut out = stdout();
    let mut texts = TextReader::default();
    for text in [&result.summary, &provenance(opened, paths)] {
        for line in wrap(&safe(text), WIDTH) {
            writeln!(out, "{line}")?;
        }
    }
    for line in selection_note(result.findings.len(), elsewhere)
        .iter()
        .flat_map(|t| wrap(t, WIDTH))
    {
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
        for (n, line) in wrap(&head, WIDTH - 3).iter().enumerate() {
            let indent = if n == 0 { "" } else { "   " };
            writeln!(out, "{indent}{}", paint(of(finding.severity), line))?;
        }
        indented(&mut out, &safe(&finding.text), "   ", "   ")?;
        for id in &finding.evidence {
            if let Some(line) = evidence(opened, finding, *id, &mut texts) {
                writeln!(out, "     {line}")?;
            }
        }
        for (label, advice) in [(NEXT, &finding.next), (MORE, &finding.url)] {
            if !advice.is_empty() {
                let text = format!("{label} {}", safe(advice));
                indented(&mut out, &text, "   ", "   ")?;
            }
        }
    }
    // Findings for information, one line each.
    let rest: Vec<&Finding> = result.findings.iter().filter(|f| !is_told(f)).collect();
    if !rest.is_empty() {
        writeln!(out, "\n{}", heading(WORTH_KNOWING))?;
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
        writeln!(out, "\n{}", heading(UNKNOWN))?;
        indented(&mut out, &safe(&result.unknown.join(" ")), "", "")?;
    }
    out.flush()?;
    Ok(())
}

/// Heading of a list.
fn heading(text: &str) -> String {
    paint(TextRole::Heading, &format!("{}:", capital(text)))
}

/// Role of the title of a finding.
fn of(severity: Severity) -> TextRole {
    match severity {
        Severity::Error => TextRole::Error,
        Severity::Warning => TextRole::Warning,
        Severity::Info => TextRole::Heading,
    }
}

fn indented(out: &mut impl Write, text: &str, first: &str, rest: &str) -> std::io::Result<()> {
    for (n, line) in wrap(text, WIDTH - rest.len()).iter().enumerate() {
        writeln!(out, "{}{line}", if n == 0 { first } else { rest })?;
    }
    Ok(())
}

/// An event in one line: time, source, the first line of its message, cut to the width.
fn evidence(
    opened: &Opened,
    finding: &Finding,
    id: EventId,
    texts: &mut TextReader,
) -> Option<String> {
    let event = opened.snapshot.event(id)?;
    let full = full_event(&event, texts);
    let line = first_line(&full.message);
    let text = match moment(&event, &opened.zone) {
        Some(at) => format!("{at}  {}  {line}", full.source),
        None => format!("{}  {line}", full.source),
    };
    let text = safe(&text);
    // A single line of evidence is the finding itself and may be longer.
    let at_most = if finding.evidence.len() == 1 {
        2 * WIDTH
    } else {
        WIDTH
    };
    Some(cut(&text, at_most))
}
