//! `widetui export`: events, a trace or a plot to a file.

use widetui_core::nearest::did_you_mean;
use widetui_session::export_files::export::{self as written, OlderFile};
use widetui_source::codec::Packer;

use super::args::{ExportCommand, ExportFormat};
use super::output::Failure;
use super::positionals::or_standard_input;
use super::run_store;
use super::{columnar, events, open, plot, trace_events};

/// `widetui export`.
pub fn run(mut c: ExportCommand) -> Result<(), Failure> {
    or_standard_input(&mut c.paths);
    let c = &c;
    if run_store::is_store(&c.output) {
        return run_store::export(c);
    }
    // Mistakes in the plot or the file are reported before a long load.
    let plot = plot::wanted(&c.plot, &c.output)?;
    let format = match plot {
        Some(_) if c.run.is_some() => {
            return Err(Failure::Message(
                "--run names the run in a Parquet file or a store: a plot takes none".to_owned(),
            ));
        }
        Some(_) => None,
        None => Some(format(c)?),
    };
    open::may_write(&c.output, OlderFile::with_force(c.force), &c.paths, &c.open)?;
    let opened = open::load(&c.paths, &c.open)?;
    match (plot, format) {
        (Some(plot), _) => plot::export(&opened, &plot, c),
        (None, Some(ExportFormat::Perfetto)) => trace_events::export(&opened, &c.select, &c.output),
        (None, Some(format)) => events::export(&opened, c, format),
        (None, None) => Ok(()),
    }
}

/// Format of the file.
///
/// # Errors
/// Its name gives none, or this build does not write it.
fn format(c: &ExportCommand) -> Result<ExportFormat, Failure> {
    let name = c.output.to_string_lossy().to_lowercase();
    let (stem, _) = Packer::<written::ExportFile>::of_name(&name);
    let default = written::is_stdout(&c.output).then_some(ExportFormat::Jsonl);
    let format = c.format.or_else(|| ExportFormat::of_name(stem)).or(default);
    let format = format.ok_or_else(|| {
        let typed = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
        let known = ["jsonl", "csv", "parquet", "arrows", "svg"];
        Failure::Message(format!(
            "{}: unknown format: use the extension .jsonl or .csv (also with .gz or .zst), .parquet or .arrows, .trace.json for Perfetto, or .svg for a plot; or --format{}",
            c.output.display(),
            did_you_mean(typed, known.into_iter())
        ))
    })?;
    columnar::check_export(format, &c.output)?;
    match (format, c.flat) {
        (ExportFormat::Perfetto, true) => Err(Failure::Message(
            "--flat is for tables of records: a trace takes none".to_owned(),
        )),
        _ if c.run.is_some() && (format != ExportFormat::Parquet || c.flat) => {
            Err(Failure::Message(
                "--run names the run in a Parquet file or a store: leave it out".to_owned(),
            ))
        }
        _ => Ok(format),
    }
}
