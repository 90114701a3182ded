//! `widetui hung`: unfinished work, idle resources, silent sources.

use std::io::Write;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_diagnosis::Finding;
use widetui_diagnosis::unfinished::UnfinishedWork;
use widetui_diagnosis::unfinished::words::{last_error_title, pause, silence, words};
use widetui_report::document::Block;
use widetui_session::findings::{standstills, unfinished_among, unfinished_work};
use widetui_store::texts::TextReader;
use widetui_tables::answers::findings;
use widetui_tables::answers::unfinished::{
    self, Reported, WorkSummary, event_value, instances, pauses, silences, summary,
};
use widetui_tables::documents::unfinished as unfinished_document;

use super::args::{Format, VerdictCommand};
use super::colour::{TextRole, paint};
use super::document::BlockWriter;
use super::open;
use super::opened::Opened;
use super::output::{Failure, verdict, write_out};
use super::selection::some;
use super::sheet::PrintedSheet;

/// `widetui hung`.
pub fn run(c: &VerdictCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let snapshot = &*opened.snapshot;
    let rows = some(opened, &c.select)?;
    let (meaning, cancel) = (&opened.meaning, Cancel::default());
    let result = unfinished_work(snapshot, meaning, opened.now(), &cancel).and_then(|whole| {
        unfinished_among(
            snapshot,
            &meaning.instance_cache,
            whole,
            rows.as_ref(),
            &cancel,
        )
    });
    let clocks = (&opened.zone, opened.now());
    let standstills = standstills(snapshot, meaning, clocks, rows.as_ref(), &cancel);
    // A command is never cancelled.
    let (result, standstills) = (result.unwrap_or_default(), standstills.unwrap_or_default());
    write(opened, &result, &standstills, c.run.format)?;
    let is_hung = result.told().next().is_some() || !standstills.is_empty();
    verdict(c.exit_code, is_hung)
}

/// Writes unfinished work, and what stands still where no work is recognised.
///
/// # Errors
/// The output is closed.
pub fn write(
    opened: &Opened,
    result: &UnfinishedWork,
    standstills: &[Finding],
    format: Format,
) -> Result<(), Failure> {
    match format {
        Format::Text => write_out(|out| text(opened, result, standstills, out)),
        format => write_out(|out| sheet(opened, result, standstills).write(out, format)),
    }
}

/// Writes the sections of unfinished work, and a paragraph in words; without a heading if that is all.
fn text(
    opened: &Opened,
    result: &UnfinishedWork,
    standstills: &[Finding],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let sections = unfinished_document::sections(opened.document(), result, standstills);
    for section in &sections {
        if sections.len() > 1 {
            writeln!(out, "{}", paint(TextRole::Heading, &section.title))?;
        }
        let (bullet, width) = ("  ", 100);
        // Lists inside an entry are indented by their bullet.
        let indent = match section.blocks[..] {
            [Block::List(_)] => 0,
            _ => 2,
        };
        BlockWriter { out, bullet, width }.write(&section.blocks, indent)?;
    }
    Ok(())
}

/// Rows of unfinished instances, silent sources, pauses and idle resources, and of the summary.
fn sheet(opened: &Opened, result: &UnfinishedWork, standstills: &[Finding]) -> PrintedSheet {
    let clock = &opened.clock();
    let mut texts = TextReader::default();
    let stuck = result.told().map(|one| {
        let text = unfinished_document::describe(opened.document(), result, one);
        reported(opened, result, one, one.last_event, text, &mut texts)
    });
    let mut sheet = opened.sheet(&instances(), stuck);
    let silent = result.silent.iter().filter(|s| s.is_told).map(|one| {
        let text = silence(one, clock);
        reported(opened, result, one, Some(one.last_event), text, &mut texts)
    });
    sheet.append(opened.sheet(&silences(), silent));
    let paused = result.pauses.iter().map(|one| {
        let text = pause(one, clock);
        reported(opened, result, one, Some(one.before), text, &mut texts)
    });
    sheet.append(opened.sheet(&pauses(), paused));
    let idle = result.idle.iter().map(|one| {
        let text = unfinished_document::idle(opened.document(), one);
        reported(opened, result, one, None, text, &mut texts)
    });
    sheet.append(opened.sheet(&unfinished::idle(), idle));
    let standing = findings::findings(&opened.snapshot, standstills);
    sheet.append(opened.sheet(&findings::columns(), standing));
    let last_error = result.last_error.filter(|_| !result.is_clear());
    let row = WorkSummary {
        work: result,
        last_error: event_value(&opened.snapshot, last_error, &mut texts),
        last_error_is: last_error.map(|_| last_error_title(result).to_owned()),
        text: words(&opened.snapshot, result, clock),
    };
    sheet.append(opened.sheet(&summary(), [row]));
    sheet
}

fn reported<'a, T>(
    opened: &'a Opened,
    work: &'a UnfinishedWork,
    of: &'a T,
    last_event: Option<EventId>,
    text: String,
    texts: &mut TextReader,
) -> Reported<'a, T> {
    Reported {
        snapshot: &opened.snapshot,
        work,
        of,
        last_event: event_value(&opened.snapshot, last_event, texts),
        text,
    }
}
