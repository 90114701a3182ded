//! `widetui diagnose`: findings.

use std::io::Write;
use std::path::PathBuf;

use widetui_core::cancel::Cancel;
use widetui_core::words::listed;
use widetui_diagnosis::{Diagnosis, Severity};
use widetui_report::document::Block;
use widetui_session::findings::diagnose_run;
use widetui_tables::answers::findings::{self, DiagnosisSummary};
use widetui_tables::documents::findings as findings_document;

use super::args::{DiagnoseCommand, Format};
use super::colour::{TextRole, paint};
use super::document::BlockWriter;
use super::open;
use super::opened::Opened;
use super::output::{Failure, verdict, write_out};
use super::selection::some;
use super::sheet::PrintedSheet;

/// `widetui diagnose`.
pub fn run(c: &DiagnoseCommand) -> Result<(), Failure> {
    let c = &c.verdict;
    let opened = &open::load_run(&c.run)?;
    let snapshot = &*opened.snapshot;
    let rows = some(opened, &c.select)?;
    let (meaning, zone, cancel) = (&opened.meaning, &opened.zone, Cancel::default());
    let found = diagnose_run(
        snapshot,
        meaning,
        (zone, opened.now()),
        rows.as_ref(),
        &cancel,
        &mut |_| {},
    );
    // A command is never cancelled.
    let (result, elsewhere) = found.unwrap_or_default();
    match c.run.format {
        Format::Text => write_out(|out| text(opened, &c.run.paths, (&result, elsewhere), out))?,
        format => {
            // A run without findings is a result.
            let sheet = sheet(opened, &result, elsewhere);
            write_out(|out| sheet.write(out, format))?;
        }
    }
    verdict(
        c.exit_code,
        result
            .findings
            .iter()
            .any(|f| f.severity == Severity::Error),
    )
}

/// Writes the findings, worst first, and the limits of the diagnosis.
fn text(
    opened: &Opened,
    paths: &[PathBuf],
    (result, elsewhere): (&Diagnosis, usize),
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut sections = findings_document::sections(opened.document(), result, elsewhere);
    // For readers of a mail.
    let provenance = Block::Text(provenance(opened, paths));
    sections[0].blocks.insert(1, provenance);
    for section in &sections {
        if !matches!(section.id, "summary" | "findings") {
            let heading = paint(TextRole::Heading, &format!("{}:", section.title));
            writeln!(out, "\n{heading}")?;
        }
        let (bullet, width) = (" - ", 98);
        BlockWriter { out, bullet, width }.write(&section.blocks, 0)?;
    }
    Ok(())
}

/// Paths of the run, its first and last time with the zone, and the version of the program.
fn provenance(opened: &Opened, paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let times = opened.document().times();
    let times = times.map_or_else(String::new, |times| format!(", {times}"));
    let version = env!("CARGO_PKG_VERSION");
    format!("{}{times}; widetui {version}", listed(&paths, PATHS))
}

/// Maximum number of paths listed.
const PATHS: usize = 4;

/// Rows of findings, the worst first, then the summary.
fn sheet(opened: &Opened, result: &Diagnosis, elsewhere: usize) -> PrintedSheet {
    let rows = findings::findings(&opened.snapshot, &result.findings);
    let mut sheet = opened.sheet(&findings::columns(), rows);
    let summary = DiagnosisSummary { result, elsewhere };
    sheet.append(opened.sheet(&findings::summary(), [summary]));
    sheet
}
