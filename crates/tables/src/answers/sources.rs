//! Table of sources: format, records, times and problems.

use crate::role::Role;
use crate::table::natural::natural;
use crate::table::{Cell, Column, Cut, PivotValue, Row, RowAction, Table};
use crate::text::{grouped, size};
use widetui_core::diag::Severity;
use widetui_core::level::Level;
use widetui_query::Field;
use widetui_session::jobs::RunGrowth;
use widetui_store::display_names as source_names;
use widetui_store::source::Zoning;
use widetui_store::{Snapshot, Source};

/// Time of the last change of any file of the run, UTC ns.
pub fn latest(snapshot: &Snapshot) -> Option<i64> {
    snapshot.sources.iter().map(|s| s.modified).max()
}

pub(super) fn table(snapshot: &Snapshot, growth: RunGrowth) -> Table {
    let names = source_names::display_names(&snapshot.sources);
    // Time since the last write matters only while files grow.
    let latest = latest(snapshot).filter(|_| growth == RunGrowth::Growing);
    let common = common_path(snapshot);
    let mut sources: Vec<_> = snapshot.sources.iter().zip(&names).collect();
    // Sources with problems come first, then logs, then faint attachments; each by path.
    sources.sort_by_cached_key(|(source, _)| {
        let is_good = problems(source) == 0;
        (is_good, !source.is_log, natural(&source.path))
    });
    let rows = sources.into_iter();
    let rows = rows
        .map(|(source, name)| row(source, name, common, latest))
        .collect();
    let attached = snapshot.sources.iter().filter(|s| !s.is_log).count();
    let listed = match attached {
        0 => String::new(),
        n => format!(" · {} only listed, below the others", grouped(n as u64)),
    };
    let copies = match snapshot.duplicates.len() {
        0 => String::new(),
        1 => " · one record is a copy, shown once".to_owned(),
        n => format!(" · {} records are copies, shown once", grouped(n as u64)),
    };
    let note = format!("{}{copies}{listed}", sizes(snapshot));
    let is_shifted = snapshot.sources.iter().any(|s| s.shift != 0);
    let columns = columns(latest.is_some(), is_shifted);
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

fn columns(is_live: bool, is_shifted: bool) -> Vec<Column> {
    let mut columns = vec![
        Column::text("source").between(8, 24).cut(Cut::Middle),
        Column::text("path").between(20, 90).rank(1).cut(Cut::Start),
        Column::number("records"),
        Column::number("size").rank(4).role(Role::Muted),
        Column::number("E").rank(1),
        Column::number("W").rank(2),
        Column::number("I").rank(9).role(Role::Muted),
        Column::number("D").rank(9).role(Role::Muted),
        Column::number("⚠").rank(1),
        Column::time("first").rank(6),
        Column::time("last").rank(3),
        Column::text("format")
            .between(12, 24)
            .rank(5)
            .role(Role::Muted),
        Column::text("zone")
            .between(8, 20)
            .rank(8)
            .role(Role::Muted),
        Column::number("shift").rank(if is_shifted { 1 } else { 7 }),
        Column::number("no time").rank(10).role(Role::Muted),
    ];
    if is_live {
        columns.push(Column::number("quiet for").rank(6).role(Role::Muted));
    }
    columns
}

fn row(source: &Source, name: &str, common: usize, latest: Option<i64>) -> Row {
    let levels = |wanted: &[Level]| {
        wanted
            .iter()
            .map(|l| source.stats.levels[*l as usize])
            .sum()
    };
    let path = source.path.get(common..).unwrap_or(&source.path);
    let count = |n: u64| {
        if source.is_log {
            Cell::Count(n)
        } else {
            Cell::Unknown
        }
    };
    let time = |t: Option<i64>| {
        if source.is_log {
            Cell::time(t)
        } else {
            Cell::Empty
        }
    };
    let mut cells = vec![
        Cell::Source(source.id, name.to_owned()),
        Cell::Text(path.to_owned()),
        count(source.stats.records()),
        Cell::Bytes(source.bytes),
        Cell::NonZero(levels(&[Level::Error, Level::Critical]), Role::BarsError),
        Cell::NonZero(levels(&[Level::Warning]), Role::BarsWarning),
        Cell::NonZero(levels(&[Level::Info]), Role::Muted),
        Cell::NonZero(levels(&[Level::Debug, Level::Trace]), Role::Muted),
        Cell::NonZero(problems(source), Role::Warning),
        time(source.range().map(|range| range.0)),
        time(source.range().map(|range| range.1)),
        Cell::Text(format(source)),
        zone(source),
        match source.shift {
            0 => Cell::Empty,
            ns => Cell::Styled(widetui_time::time::format_delta(ns), Role::Strong),
        },
        Cell::NonZero(source.stats.timeless, Role::Muted),
    ];
    cells.extend(latest.map(|latest| quiet(source, latest)));
    let pivot = source.is_log.then(|| PivotValue {
        field: Field::Source,
        label: "source".to_owned(),
        value: source.path.clone(),
        shown: name.to_owned(),
    });
    Row {
        name: source.path.clone(),
        cells,
        action: RowAction::Source(source.id),
        pivots: pivot.into_iter().collect(),
        is_faint: !source.is_log,
    }
}

/// Cell of the time between the last write to a source and the last write to any source.
fn quiet(source: &Source, latest: i64) -> Cell {
    match source.modified {
        0 => Cell::Empty,
        at => Cell::Span(latest.saturating_sub(at)),
    }
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
