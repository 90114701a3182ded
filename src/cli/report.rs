//! `widetui report`: a run as a page or as Markdown.

use std::io::Write;
use std::path::Path;

use widetui_core::cancel::Cancel;
use widetui_core::words::shell_word;
use widetui_report::document::DocumentForm;
use widetui_session::export_files::export::{self as written, OlderFile};
use widetui_session::export_files::run_name;
use widetui_session::report::ReportRequest;
use widetui_session::rows;
use widetui_session::selection::SelectionStep;
use widetui_source::codec::Packer;
use widetui_tables::documents::report;

use super::args::ReportCommand;
use super::open;
use super::output::{self, Failure};
use super::positionals::or_standard_input;
use super::selection::{conditions, some};

/// `widetui report`.
pub fn run(mut c: ReportCommand) -> Result<(), Failure> {
    or_standard_input(&mut c.paths);
    // Mistakes in the name are reported before a long load.
    let form = form(&c.output)?;
    open::may_write(&c.output, OlderFile::with_force(c.force), &c.paths, &c.open)?;
    output::redirect(&c.output)?;
    let opened = open::load(&c.paths, &c.open)?;
    some(&opened, &c.select)?;
    let conditions = conditions(&opened, &c.select)?.into_iter();
    let steps: Vec<SelectionStep> = conditions
        .map(|expr| SelectionStep::new(expr.to_string(), expr))
        .collect();
    let cancel = Cancel::default();
    // A command is never cancelled.
    let (rows, _) = rows::select(&opened.snapshot, &steps, &cancel).unwrap_or_default();
    let request = ReportRequest {
        rows,
        steps,
        meaning: opened.meaning.clone(),
        zone: opened.zone.clone(),
        now: opened.now(),
        run: run_name(&c.paths),
        command: command_line(),
    };
    let document = report::document(&opened.snapshot, &request, &cancel).unwrap_or_default();
    output::Bytes.write_all(form.write(&document).as_bytes())?;
    Ok(output::Bytes.flush()?)
}

/// Form of the file.
///
/// # Errors
/// Its name gives none.
fn form(output: &Path) -> Result<DocumentForm, Failure> {
    let name = output.to_string_lossy().to_lowercase();
    let (stem, _) = Packer::<written::ExportFile>::of_name(&name);
    let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
    match DocumentForm::of_extension(extension) {
        None if written::is_stdout(output) => Ok(DocumentForm::Markdown),
        form => form.ok_or_else(|| {
            let known = DocumentForm::ALL.map(|form| format!(".{}", form.extension()));
            Failure::Message(format!(
                "{}: a report is written as {} (also with .gz or .zst)",
                output.display(),
                known.join(" or ")
            ))
        }),
    }
}

/// Command line of the process.
fn command_line() -> String {
    let args = std::env::args_os().skip(1);
    let args = args.map(|arg| shell_word(&arg.to_string_lossy()));
    let all: Vec<String> = std::iter::once("widetui".to_owned()).chain(args).collect();
    all.join(" ")
}
