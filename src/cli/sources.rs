//! `widetui sources`: format, records, times and problems of each source.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use widetui_core::cancel::Cancel;
use widetui_core::diag::Severity;
use widetui_core::words::several;
use widetui_query::Selection;
use widetui_store::Source;
use widetui_store::display_names::display_names;
use widetui_store::source::Zoning;
use widetui_tables::answers::sources::{self, SourceRow, zone_text};
use widetui_time::time::format_datetime;

use super::args::{Format, SelectedCommand};
use super::document::BlockWriter;
use super::open::{load_for, read};
use super::opened::Opened;
use super::output::{Failure, count, safe, write_out};
use super::run_checks::{check_logs, check_shifts};
use super::selection::{some, wanted_keys};
use super::sheet::PrintedSheet;

/// `widetui sources`.
pub fn run(c: &SelectedCommand) -> Result<(), Failure> {
    let run = &c.run;
    if !c.select.is_all() {
        let wanted = |opened: &Opened| wanted_keys(opened, &c.select, &[]);
        let opened = load_for(&run.paths, &run.open, wanted)?;
        let rows = some(&opened, &c.select)?;
        return print(&opened, rows.as_ref(), run.format);
    }
    let (opened, _) = read(&run.paths, &run.open)?;
    check_shifts(&opened.snapshot, &run.open.shift)?;
    print(&opened, None, run.format)?;
    check_logs(&opened.snapshot)
}

/// Lists all sources, or those of selected records.
fn print(opened: &Opened, selected: Option<&Selection>, format: Format) -> Result<(), Failure> {
    let names = display_names(&opened.snapshot.sources);
    let rows = sources::rows(&opened.snapshot, &names, selected);
    write_out(|out| match format {
        Format::Text => text(opened, &rows, out),
        _ => opened.sheet(&sources::sources(), &rows).write(out, format),
    })
}

/// Writes the problems of sources, each with its first line.
fn problems(
    opened: &Opened,
    sources: &[SourceRow<'_>],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let sources = sources.iter().map(|row| row.source);
    let blocks = opened.document().problems(sources, &Cancel::default());
    // A command is never cancelled.
    let blocks = blocks.unwrap_or_default();
    if !blocks.is_empty() {
        writeln!(out, "\nproblems:")?;
    }
    let (bullet, width) = ("", WIDEST);
    Ok(BlockWriter { out, bullet, width }.write(&blocks, 0)?)
}

/// Width of messages and quoted lines, characters.
const WIDEST: usize = 120;

fn text(opened: &Opened, rows: &[SourceRow<'_>], out: &mut impl Write) -> Result<(), Failure> {
    let (logs, rest): (Vec<&SourceRow<'_>>, Vec<&SourceRow<'_>>) =
        rows.iter().partition(|s| s.source.is_log);
    let moment = |t| format_datetime(t, opened.zone.offset_at_utc(t), 3);
    let schema = sources::sources();
    let sheet = PrintedSheet::from(schema.sheet(logs.iter().copied(), moment));
    sheet.write(out, Format::Text)?;
    if !rest.is_empty() {
        writeln!(out, "\nlisted, not read:")?;
        let schema = schema.pick(&["path", "layout", "bytes", "problems"]);
        let sheet = PrintedSheet::from(schema.sheet(rest.iter().copied(), moment));
        sheet.write(out, Format::Text)?;
    }
    let records: u64 = logs.iter().map(|s| s.records()).sum();
    let logs: Vec<&Source> = logs.iter().map(|s| s.source).collect();
    zones(&logs, out)?;
    notes(&logs, out)?;
    problems(opened, rows, out)?;
    let bytes: u64 = logs.iter().map(|s| s.bytes).sum();
    writeln!(
        out,
        "\n{} records in {} logs, {} bytes; {} bytes of memory",
        count(records),
        count(logs.len() as u64),
        count(bytes),
        count(opened.snapshot.memory().total() as u64)
    )?;
    Ok(())
}

/// Writes the zones of logs whose times have none; each zone once, with some of its logs.
fn zones(logs: &[&Source], out: &mut impl Write) -> Result<(), Failure> {
    // A zone inferred from several logs names one of them.
    let mut taken: BTreeMap<String, (BTreeSet<String>, Vec<&str>)> = BTreeMap::new();
    for source in logs.iter().filter(|s| s.zoning != Zoning::Stated) {
        let Some(text) = zone_text(source) else {
            continue;
        };
        let (zone, from) = text.split_once(", as in ").unwrap_or((&text, ""));
        let (shown_by, tags) = taken.entry(zone.into()).or_default();
        shown_by.insert(from.into());
        tags.push(&source.tag);
    }
    let is_one = taken.len() == 1;
    for (zone, (shown_by, tags)) in taken {
        let more = match shown_by.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let from = shown_by.into_iter().next().filter(|from| !from.is_empty());
        let from = from.map_or_else(String::new, |from| format!(", as in {from}{more}"));
        let of = match is_one {
            true => String::new(),
            false => format!(" in {}", named(&tags)),
        };
        writeln!(
            out,
            "\ntimes without a zone{}: {}",
            safe(&of),
            safe(&(zone + &from))
        )?;
    }
    Ok(())
}

/// Writes the notes of logs; each note once, with some of its logs.
fn notes(logs: &[&Source], out: &mut impl Write) -> Result<(), Failure> {
    let mut notes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for source in logs {
        let own = source.problems.iter();
        for note in own.filter(|p| p.severity == Severity::Note) {
            notes.entry(note.message()).or_default().push(&source.tag);
        }
    }
    for (at, (note, tags)) in notes.iter().enumerate() {
        if at == 0 {
            writeln!(out, "\nnotes:")?;
        }
        writeln!(out, "{}: {}", safe(&named(tags)), safe(note))?;
    }
    Ok(())
}

/// First of several logs, by their tags.
fn named(tags: &[&str]) -> String {
    const NAMED: usize = 3;
    let first = tags[..tags.len().min(NAMED)].join(", ");
    match tags.len().checked_sub(NAMED) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {}", several(more, "more log")),
    }
}
