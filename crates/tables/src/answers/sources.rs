//! Table of sources: format, records, times and problems.

use std::cmp::Reverse;

use serde_json::{Map, Value as Json, json};

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::natural::natural;
use crate::table::{Cell, Column, Cut, PivotValue, Row, RowAction, Table};
use crate::text::{grouped, size};
use widetui_core::cancel::Cancel;
use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::level::Level;
use widetui_query::{Field, Selection};
use widetui_session::jobs::RunGrowth;
use widetui_session::problem_lines::problem_spots;
use widetui_store::display_names as source_names;
use widetui_store::source::Zoning;
use widetui_store::{Snapshot, Source};
use widetui_time::time::format_delta;

/// Time of the last change of any file of the run, UTC ns.
fn latest(snapshot: &Snapshot) -> Option<i64> {
    snapshot.sources.iter().map(|s| s.modified).max()
}

pub(super) fn table(snapshot: &Snapshot, growth: RunGrowth) -> Table {
    let names = source_names::display_names(&snapshot.sources);
    // Time since the last write matters only while files grow.
    let latest = latest(snapshot).filter(|_| growth == RunGrowth::Growing);
    let common = common_path(snapshot);
    let mut sources = rows(snapshot, &names, None);
    for row in &mut sources {
        row.path = row.path.get(common..).unwrap_or(row.path);
        row.latest = latest;
    }
    // Sources with problems come first, then logs, then faint attachments; each by errors, records and path.
    sources.sort_by_cached_key(|row| {
        let is_good = problems(row.source) == 0;
        let errors = row.of_levels(&[Level::Error, Level::Critical]);
        let most = Reverse((errors, row.records()));
        (is_good, !row.source.is_log, most, natural(&row.source.path))
    });
    let mut schema = self::sources();
    if latest.is_some() {
        schema.push(quiet());
    }
    let rows = sources.iter().map(|source| row(&schema, source)).collect();
    let attached = snapshot.sources.iter().filter(|s| !s.is_log).count();
    let listed = match attached {
        0 => String::new(),
        n => format!(" · {} only listed, below the others", grouped(n as u64)),
    };
    let copies = match snapshot.duplicates.len() {
        0 => String::new(),
        1 => " · one duplicate record, shown once".to_owned(),
        n => format!(" · {} duplicate records, shown once", grouped(n as u64)),
    };
    let note = format!("{}{copies}{listed}", sizes(snapshot));
    let mut columns = schema.columns();
    if snapshot.sources.iter().any(|s| s.shift != 0)
        && let Some(shift) = columns.iter_mut().find(|c| c.title == "shift")
    {
        shift.rank = 1;
    }
    Table::new(columns, rows, "nothing was found to read").with_note(note)
}

/// Size of the text of all logs, and of the memory for their records, in words.
fn sizes(snapshot: &Snapshot) -> String {
    let logs = snapshot.sources.iter().filter(|s| s.is_log);
    let text = logs.map(|s| s.bytes).sum();
    size_text(text, snapshot.memory().total(), snapshot.len())
}

/// Number of records from which memory per record is shown: below it the fixed cost of any run dominates.
const MANY: usize = 10_000;

/// Words for sizes of text and memory (bytes) of `records` records.
fn size_text(text: u64, memory: usize, records: usize) -> String {
    let text = size(text);
    match records {
        0..MANY => format!("text {text}"),
        n => {
            let each = memory / n;
            let memory = size(memory as u64);
            format!("text {text} · memory {memory} ({each} B a record)")
        }
    }
}

/// Source, and the numbers of its selected records.
pub struct SourceRow<'a> {
    snapshot: &'a Snapshot,
    /// Source.
    pub source: &'a Source,
    /// Name, unique in the run.
    name: &'a str,
    /// Path on the screen and in text.
    path: &'a str,
    /// Number of records by level.
    levels: [u64; 8],
    /// Earliest and latest time of the records, UTC ns.
    range: Option<(i64, i64)>,
    /// Time of the last change of any file of a growing run, UTC ns.
    latest: Option<i64>,
}

impl<'a> SourceRow<'a> {
    fn new(snapshot: &'a Snapshot, source: &'a Source, name: &'a str) -> SourceRow<'a> {
        SourceRow {
            snapshot,
            source,
            name,
            path: &source.path,
            levels: source.stats.levels,
            range: source.range(),
            latest: None,
        }
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.levels.iter().sum()
    }

    fn of_levels(&self, levels: &[Level]) -> u64 {
        levels.iter().map(|l| self.levels[*l as usize]).sum()
    }
}

/// All sources, or the sources of selected records with the numbers of these records; with their `names`.
pub fn rows<'a>(
    snapshot: &'a Snapshot,
    names: &'a [String],
    selected: Option<&Selection>,
) -> Vec<SourceRow<'a>> {
    let all = snapshot.sources.iter().zip(names);
    let mut all: Vec<_> = all
        .map(|(source, name)| SourceRow::new(snapshot, source, name))
        .collect();
    let Some(selected) = selected else {
        return all;
    };
    for row in &mut all {
        (row.levels, row.range) = ([0; 8], None);
    }
    for event in selected.ids().filter_map(|id| snapshot.event(id)) {
        let Some(own) = all.get_mut(event.source().id.index()) else {
            continue;
        };
        own.levels[event.level() as usize] += 1;
        let Some(time) = event.time() else { continue };
        let (first, last) = own.range.unwrap_or((time, time));
        own.range = Some((first.min(time), last.max(time)));
    }
    all.retain(|row| row.records() > 0);
    all
}

type Col<'a> = SchemaColumn<SourceRow<'a>>;

/// Columns of sources, on the screen and in the output of `widetui sources`.
pub fn sources<'a>() -> Schema<SourceRow<'a>> {
    let count = |heading, rank| Column::number(heading).rank(rank);
    Schema::from(vec![
        Col::text("source", |row| row.source.tag.clone())
            .cell(|row| Cell::Source(row.source.id, row.name.to_owned()))
            .layout(|c| c.between(8, 24).cut(Cut::Middle)),
        Col::text("path", |row| row.source.path.clone())
            .cell(|row| Cell::Text(row.path.to_owned()))
            .layout(|c| c.between(20, 90).rank(1).cut(Cut::Start)),
        Col::text("system", |row| row.source.system.clone()).hidden(),
        Col::count("records", SourceRow::records).cell(|row| match row.source.is_log {
            true => Cell::Count(row.records()),
            false => Cell::Unknown,
        }),
        Col::bytes("bytes", |row| row.source.bytes)
            .heading("size")
            .layout(|c| c.rank(4).role(Role::Muted)),
        Col::drawn(count("E", 1), |row| {
            let errors = row.of_levels(&[Level::Error, Level::Critical]);
            Cell::NonZero(errors, Role::BarsError)
        })
        .everywhere(),
        Col::drawn(count("W", 2), |row| {
            Cell::NonZero(row.of_levels(&[Level::Warning]), Role::BarsWarning)
        })
        .everywhere(),
        Col::drawn(count("I", 9).role(Role::Muted), |row| {
            Cell::NonZero(row.of_levels(&[Level::Info]), Role::Muted)
        }),
        Col::drawn(count("D", 9).role(Role::Muted), |row| {
            let details = row.of_levels(&[Level::Debug, Level::Trace]);
            Cell::NonZero(details, Role::Muted)
        }),
        Col::drawn(count("unread", 1), |row| {
            Cell::NonZero(problems(row.source), Role::Warning)
        })
        .everywhere(),
        Col::time("first", |row| row.range.map(|range| range.0))
            .cell(|row| time(row, row.range.map(|range| range.0)))
            .layout(|c| c.rank(6)),
        Col::time("last", |row| row.range.map(|range| range.1))
            .cell(|row| time(row, row.range.map(|range| range.1)))
            .layout(|c| c.rank(3)),
        Col::text("layout", |row| row.source.layout.clone())
            .heading("format")
            .cell(|row| Cell::Text(format(row.source)))
            .layout(|c| c.between(12, 24).rank(5).role(Role::Muted)),
        Col::object("levels", |row| {
            let levels = Level::ALL.iter().rev().filter(|l| **l != Level::Unknown);
            let counts = levels.map(|l| (l.name().to_owned(), row.levels[*l as usize]));
            let counts = counts.filter(|(_, n)| *n > 0);
            counts
                .map(|(name, n)| (name, n.into()))
                .collect::<Map<_, _>>()
        })
        .hidden(),
        Col::texts("problems", |row| {
            let problems = row.source.problems.iter();
            problems.map(ToString::to_string).collect::<Vec<_>>()
        })
        .heading("")
        .cell(|row| Cell::Text(notes(row.source)))
        .hidden(),
        Col::nested("problem_lines", problem_lines).hidden(),
        Col::text("zone", |row| zone_text(row.source))
            .cell(|row| zone(row.source))
            .layout(|c| c.between(8, 20).rank(8).role(Role::Muted))
            .on_screen(),
        Col::duration("shift_s", |row| row.source.shift)
            .heading("shift")
            .cell(|row| match row.source.shift {
                0 => Cell::Empty,
                ns => Cell::Styled(format_delta(ns), Role::Strong),
            })
            .layout(|c| c.rank(7))
            .on_screen(),
        Col::count("untimed", |row| row.source.stats.timeless)
            .heading("no time")
            .style(|_| Role::Muted)
            .layout(|c| c.rank(10).role(Role::Muted))
            .on_screen(),
    ])
}

/// Column of the time between the last write to a source and the last write to any source, of a growing run.
fn quiet<'a>() -> Col<'a> {
    let column = Column::number("quiet for").rank(6).role(Role::Muted);
    Col::drawn(column, |row| match (row.latest, row.source.modified) {
        (None, _) | (_, 0) => Cell::Empty,
        (Some(latest), at) => Cell::Span(latest.saturating_sub(at)),
    })
}

fn time(row: &SourceRow<'_>, time: Option<i64>) -> Cell {
    match row.source.is_log {
        true => Cell::time(time),
        false => Cell::Empty,
    }
}

/// Problems of a source with a place, each with its first line; in CSV as JSON.
fn problem_lines(row: &SourceRow<'_>) -> (Json, String) {
    let source = row.source;
    let spots = problem_spots(row.snapshot, source.id, &Cancel::default()).unwrap_or_default();
    let placed = source.problems.iter().filter_map(|problem| {
        let at = problem.offset?;
        let spot = spots.iter().find(|s| s.offset == at)?;
        Some(json!({
            "problem": problem.text,
            "count": problem.lines,
            "byte": spot.offset,
            "line": spot.line,
            "text": spot.text,
        }))
    });
    let lines = Json::from_iter(placed);
    let text = lines.to_string();
    (lines, text)
}

/// Reason why a file is listed and not read, if that is no problem.
fn notes(source: &Source) -> String {
    let notes = source.problems.iter();
    let notes = notes.filter(|p| p.severity == Severity::Note);
    notes
        .map(Diagnostic::message)
        .collect::<Vec<_>>()
        .join("; ")
}

fn row<'a>(schema: &Schema<SourceRow<'a>>, row: &SourceRow<'a>) -> Row {
    let source = row.source;
    let pivot = source.is_log.then(|| PivotValue {
        field: Field::Source,
        label: "source".to_owned(),
        value: source.path.clone(),
        shown: row.name.to_owned(),
    });
    let row = Row::new(source.path.clone(), schema.cells(row)).with_pivots(pivot);
    row.with_action(RowAction::Source(source.id))
        .faint(!source.is_log)
}

fn format(source: &Source) -> String {
    match &source.system {
        Some(system) if !source.layout.starts_with(system.as_str()) => {
            format!("{system} {}", source.layout)
        }
        _ => source.layout.clone(),
    }
}

fn problems(source: &Source) -> u64 {
    let bad = source
        .problems
        .iter()
        .filter(|p| p.severity >= Severity::Warning);
    bad.count() as u64
}

/// Zone of the times of a source, and how it is known: stated or inferred.
pub fn zone_text(source: &Source) -> Option<String> {
    match &source.zoning {
        Zoning::Stated if source.stats.first.is_some() => Some("UTC, as written".to_owned()),
        Zoning::Stated => None,
        Zoning::Local { how, .. } => Some(how.clone()),
    }
}

fn zone(source: &Source) -> Cell {
    let text = match &source.zoning {
        Zoning::Stated if source.stats.first.is_some() => "stated".to_owned(),
        Zoning::Stated => return Cell::Empty,
        Zoning::Local { offsets, .. } => match offsets.first() {
            Some((_, offset)) => {
                let minutes = offset.unsigned_abs() / 60;
                let sign = if *offset < 0 { '-' } else { '+' };
                format!("assumed {sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            None => "assumed".to_owned(),
        },
    };
    Cell::Text(text)
}

/// Length of the folder prefix that all paths share, bytes; 0 for a single path.
fn common_path(snapshot: &Snapshot) -> usize {
    let Some((first, rest)) = snapshot
        .sources
        .split_first()
        .filter(|(_, r)| !r.is_empty())
    else {
        return 0;
    };
    let first = first.path.as_str();
    let common = rest.iter().fold(first.len(), |common, source| {
        let pairs = first.bytes().zip(source.path.bytes());
        pairs.take(common).take_while(|(a, b)| a == b).count()
    });
    first.as_bytes()[..common]
        .iter()
        .rposition(|b| *b == b'/')
        .map_or(0, |slash| slash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shown_for_large_runs_only() {
        assert_eq!(size_text(2_700_000, 600_000, 9_999), "text 2.7 MB");
        let many = size_text(2_700_000, 626_000, 12_000);
        assert_eq!(many, "text 2.7 MB · memory 626 kB (52 B a record)");
    }
}
