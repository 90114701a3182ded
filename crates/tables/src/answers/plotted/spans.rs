//! Tables of durations: a histogram, and the longest instances or groups.

use std::cmp::Reverse;

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, Table};
use crate::text::grouped;
use widetui_analysis::histogram::bins;
use widetui_analysis::spans::{Span, SpanDurations, SpanOutcome, Spans};
use widetui_analysis::summary::Summary;
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_report::figure::{BarFold, BarMark, BarRow, Bars, Figure, Plot};
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::{NS_PER_SECOND, format_span};

use super::{InstanceName, SPREAD, instance_columns, instance_row, spread, summary_columns};

/// Maximum number of bars in the histogram.
const BARS: usize = 24;
/// Text of a table without spans.
const NO_START: &str = "no instance here has a start";
/// Maximum number of listed instances.
const MOST: usize = 10_000;

pub(super) fn table(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    spans: &Spans,
    by: Option<String>,
) -> Table {
    let title = format!("how long {} take", instances.entity.plural());
    let table = match &by {
        Some(key) => groups(spans, key).with_title(format!("by {key}")),
        None => list(snapshot, instances, spans).with_title("the longest"),
    };
    table
        .with_note(note(spans))
        .with_figure(histogram(title, spans))
}

/// Histogram of the durations of spans.
pub(super) fn histogram(title: String, spans: &Spans) -> Figure {
    let bars = bins(&spans.durations(), BARS);
    // All bars have the same width.
    let step = match &bars[..] {
        [first, second, ..] => second.lower.saturating_sub(first.lower),
        _ => i64::MAX,
    };
    let rows = bars.iter().map(|bar| BarRow {
        name: begin(bar.lower, step),
        mark: BarMark::Length(bar.count as f64),
        text: match bar.count {
            0 => String::new(),
            count => grouped(count),
        },
    });
    let bars = Bars {
        rows: rows.collect(),
        fold: BarFold::Add,
        ..Bars::default()
    };
    Figure::new(title, Plot::Bars(vec![bars]))
}

/// Lower bound of a bar, with as many digits as distinguish it from the next.
fn begin(from: i64, step: i64) -> String {
    let shown = format_span(from);
    if shown != format_span(from.saturating_add(step))
        && shown != format_span(from.saturating_sub(step))
    {
        return shown;
    }
    let (unit, name) = match from {
        NS_PER_SECOND.. => (1e9, "s"),
        1_000_000.. => (1e6, "ms"),
        1_000.. => (1e3, "µs"),
        _ => return format!("{from} ns"),
    };
    let digits = (unit / step as f64).log10().ceil().clamp(0.0, 9.0) as usize;
    format!("{:.digits$} {name}", from as f64 / unit)
}

pub(super) fn note(spans: &Spans) -> String {
    let open = spans
        .list
        .iter()
        .filter(|s| s.outcome == SpanOutcome::Unfinished);
    let open: Vec<i64> = open.map(Span::duration).collect();
    let mut parts: Vec<String> = Vec::new();
    if let Some(s) = Summary::from_values(&mut spans.durations()) {
        let say = |x: f64| format_span(x as i64);
        let (mean, p50, p95, max) = (say(s.mean), say(s.p50), say(s.p95), say(s.max));
        let ended = match open.is_empty() {
            true => String::new(),
            false => format!("{} ended: ", grouped(s.count)),
        };
        parts.push(format!(
            "{ended}mean {mean} · p50 {p50} · p95 {p95} · max {max}"
        ));
    }
    if let Some(longest) = open.iter().max() {
        let up_to = if open.len() > 1 { "up to " } else { "" };
        let longest = format_span(*longest);
        parts.push(format!(
            "{} open {up_to}{longest}",
            grouped(open.len() as u64)
        ));
    }
    if spans.unstarted > 0 {
        parts.push(format!("{} with no known start", grouped(spans.unstarted)));
    }
    parts.join(" · ")
}

/// Span, with the name of its instance or key.
pub struct SpanLine<'a> {
    /// Names of the instance or key.
    pub name: InstanceName,
    /// Group of the span.
    pub group: &'a str,
    /// Span.
    pub span: &'a Span,
    /// Duration with the full length of a bar, ns.
    pub longest: f64,
}

impl SpanLine<'_> {
    fn is_open(&self) -> bool {
        self.span.outcome == SpanOutcome::Unfinished
    }
}

/// Rows of spans in their order; `name` names each.
pub fn lines<'a>(
    spans: &'a Spans,
    name: impl Fn(&Span) -> InstanceName + 'a,
) -> impl Iterator<Item = SpanLine<'a>> {
    spans.list.iter().map(move |span| SpanLine {
        name: name(span),
        group: spans.groups.get(span.group as usize).map_or("", |g| g),
        span,
        longest: 1.0,
    })
}

type Col<'a> = SchemaColumn<SpanLine<'a>>;

/// Columns of spans, on the screen and in the output of `widetui spans`.
pub fn spans<'a>() -> Schema<SpanLine<'a>> {
    let mut columns = Vec::from(instance_columns(|line: &SpanLine<'a>| &line.name));
    columns.extend([
        Col::text("group", |line| line.group.to_owned()).in_text(),
        Col::duration("duration_s", |line| {
            (!line.is_open()).then(|| line.span.duration())
        })
        .heading("took")
        .cell(|line| Cell::Span(line.span.duration())),
        Col::flag("open", SpanLine::is_open).hidden(),
        Col::flag("lost", |line| line.span.outcome == SpanOutcome::Lost).hidden(),
        Col::drawn(Column::text("").between(4, 6).rank(1), |line| {
            match line.span.outcome {
                SpanOutcome::Ended if line.name.has_failed => {
                    Cell::Styled("failed".to_owned(), Role::ErrorText)
                }
                SpanOutcome::Ended => Cell::Empty,
                SpanOutcome::Lost => Cell::Styled("lost".to_owned(), Role::ErrorText),
                SpanOutcome::Unfinished => Cell::Styled("open…".to_owned(), Role::WarningText),
            }
        })
        .everywhere(),
        Col::drawn(Column::bar("", 60).between(6, 60).rank(1), |line| {
            Cell::Bar(line.span.duration().max(0) as f64 / line.longest)
        }),
        Col::time("start", |line| line.span.start).layout(|c| c.rank(3)),
        Col::time("end", |line| (!line.is_open()).then_some(line.span.end)).layout(|c| c.rank(4)),
    ]);
    Schema::from(columns)
}

/// Lists spans, the longest first.
fn list(snapshot: &Snapshot, instances: &EntityInstances, found: &Spans) -> Table {
    let mut order: Vec<&Span> = found.list.iter().collect();
    order.sort_by_key(|s| (Reverse(s.duration()), s.subject));
    order.truncate(MOST);
    let longest = order.first().map_or(1, |s| s.duration().max(1)) as f64;
    let schema = spans();
    let rows = order.into_iter().filter_map(|span| {
        let at = span.subject as usize;
        let line = SpanLine {
            name: InstanceName::new(snapshot, instances, at)?,
            group: "",
            span,
            longest,
        };
        instance_row(snapshot, instances, at, schema.cells(&line))
    });
    let rows: Vec<Row> = rows.collect();
    Table::new(schema.columns(), rows, NO_START)
}

/// Spans of a group.
pub struct GroupLine<'a> {
    name: &'a str,
    group: SpanDurations,
    longest: f64,
}

/// Rows of the groups of spans, the largest total duration first.
pub fn group_lines(spans: &Spans) -> Vec<GroupLine<'_>> {
    let found = spans.summary();
    let longest = found.iter().filter_map(|d| d.durations.map(|s| s.max));
    let longest = longest.fold(0.0, f64::max);
    let line = |group: SpanDurations| GroupLine {
        name: spans.groups.get(group.group).map_or("", |g| g),
        group,
        longest,
    };
    found.into_iter().map(line).collect()
}

/// Columns of groups of spans, on the screen and in the output of `widetui spans --summary`.
pub fn group_columns<'a>() -> Schema<GroupLine<'a>> {
    type Col<'a> = SchemaColumn<GroupLine<'a>>;
    let mut columns = vec![
        Col::text("group", |line| line.name.to_owned())
            .heading("value")
            .cell(|line| match line.name {
                "" => Cell::Text("(none)".to_owned()),
                name => Cell::Text(name.to_owned()),
            })
            .layout(|c| c.between(8, 60).role(Role::Value)),
        Col::count("count", |line| line.group.count).heading("n"),
        Col::count("open", |line| line.group.unfinished)
            .style(|_| Role::WarningText)
            .layout(|c| c.rank(4)),
        Col::count("lost", |line| line.group.lost)
            .style(|_| Role::ErrorText)
            .layout(|c| c.rank(4)),
    ];
    columns.extend(summary_columns("", [2, 1, 3], |line: &GroupLine<'a>| {
        line.group.durations
    }));
    columns.extend([
        Col::drawn(Column::bar(SPREAD, 60).between(21, 60).rank(5), |line| {
            spread(line.group.durations.as_ref(), line.longest)
        }),
        Col::mean("total_s", |line| line.group.durations.map(|s| s.total))
            .heading("sum")
            .layout(|c| c.rank(6).role(Role::Muted)),
    ]);
    Schema::from(columns)
}

/// Lists groups by value of a key, the largest total duration first.
pub(super) fn groups(spans: &Spans, key: &str) -> Table {
    let row = |line: &GroupLine<'_>, cells| group(key, line.name, cells);
    group_columns().table(group_lines(spans), row, NO_START)
}

fn group(key: &str, name: &str, cells: Vec<Cell>) -> Row {
    let pivot = PivotValue::key(Field::key(key), last_part(key), name.to_owned());
    let row = Row::new(name, cells).faint(name.is_empty());
    row.pivoting(Some(pivot).filter(|_| !name.is_empty()))
}
