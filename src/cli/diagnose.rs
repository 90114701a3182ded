//! `widetui diagnose`: findings.

use widetui_core::cancel::Cancel;
use widetui_diagnosis::{Diagnosis, Severity};
use widetui_session::findings::diagnose_run;
use widetui_tables::answers::findings::{self, DiagnosisSummary};

use super::args::{DiagnoseCommand, Format};
use super::open;
use super::opened::Opened;
use super::output::{Failure, verdict, write_out};
use super::selection::some;
use super::sheet::PrintedSheet;

mod text;

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
        Format::Text => text::write(opened, &c.run.paths, &result, elsewhere)?,
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

/// Rows of findings, the worst first, then the summary.
fn sheet(opened: &Opened, result: &Diagnosis, elsewhere: usize) -> PrintedSheet {
    let rows = findings::findings(&opened.snapshot, result);
    let mut sheet = opened.sheet(&findings::columns(), rows);
    let summary = DiagnosisSummary { result, elsewhere };
    sheet.append(opened.sheet(&findings::summary(), [summary]));
    sheet
}
