//! Tables of durations: a histogram, and the longest instances or groups.

use crate::plots::Plot;
use crate::plots::histogram::LengthBin;
use crate::plots::spread::LEGEND as SPREAD;
use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::histogram::bins;
use widetui_analysis::spans::{Span, SpanDurations, SpanOutcome, Spans};
use widetui_analysis::summary::Summary;
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::{NS_PER_SECOND, format_span};

use super::{spread, times};

/// Maximum number of bars in the histogram.
const BARS: usize = 24;
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
        .with_plot(title, histogram(spans))
}

/// Histogram of the durations of spans.
pub(super) fn histogram(spans: &Spans) -> Plot {
    let bars = bins(&spans.durations(), BARS);
    // All bars have the same width.
    let step = match &bars[..] {
        [first, second, ..] => second.lower.saturating_sub(first.lower),
        _ => i64::MAX,
    };
    let bars = bars.iter().map(|bar| LengthBin {
        from: begin(bar.lower, step),
        count: bar.count,
    });
    Plot::Histogram(bars.collect())
}

/// Lower bound of a bar, with as many digits as distinguish it from the next.
fn begin(from: i64, step: i64) -> String {
    match from / NS_PER_SECOND {
        1..60 if step < NS_PER_SECOND * 9 / 100 => format!("{:.2} s", from as f64 / 1e9),
        _ => format_span(from),
    }
}

pub(super) fn note(spans: &Spans) -> String {
    let open = spans
        .list
        .iter()
        .filter(|s| s.outcome == SpanOutcome::Unfinished);
    let open = open.count() as u64;
    let mut parts: Vec<String> = Vec::new();
    if let Some(s) = Summary::from_values(&mut spans.durations()) {
        let say = |x: f64| format_span(x as i64);
        let (mean, p50, p95, max) = (say(s.mean), say(s.p50), say(s.p95), say(s.max));
        parts.push(format!("mean {mean} · p50 {p50} · p95 {p95} · max {max}"));
    }
    if open > 0 {
        parts.push(format!("{} open", grouped(open)));
    }
    if spans.unstarted > 0 {
        parts.push(format!("{} with no known start", grouped(spans.unstarted)));
    }
    parts.join(" · ")
}

/// Lists spans, the longest first.
fn list(snapshot: &Snapshot, instances: &EntityInstances, spans: &Spans) -> Table {
    let mut order: Vec<&Span> = spans.list.iter().collect();
    order.sort_by_key(|s| (std::cmp::Reverse(s.duration()), s.subject));
    order.truncate(MOST);
    let longest = order.first().map_or(1, |s| s.duration().max(1)) as f64;
    let rows = order.into_iter().filter_map(|span| {
        let instance = instances.list.get(span.subject as usize)?;
        let step = instances.step(span.subject as usize)?;
        let mut cells = vec![
            Cell::Text(step.label.clone()),
            Cell::Text(instances.label(snapshot, instance).unwrap_or_default()),
        ];
        cells.extend(lasting(span, longest));
        Some(Row {
            name: step.label.clone(),
            cells,
            action: RowAction::Filter(step),
            pivots: super::instance_pivots(snapshot, instances, instance),
            is_faint: false,
        })
    });
    let rows: Vec<Row> = rows.collect();
    let mut columns = vec![
        Column::text("which").between(8, 40),
        Column::text("what")
            .between(6, 30)
            .rank(2)
            .role(Role::Value),
    ];
    columns.extend(lasting_columns());
    Table::new(columns, rows, "no instance here has a start")
}

/// Columns of a span: duration, start, end.
pub(super) fn lasting_columns() -> [Column; 5] {
    [
        Column::number("took"),
        Column::text("").between(4, 5).rank(1),
        Column::bar("", 60).between(6, 60).rank(1),
        Column::time("start").rank(3),
        Column::time("end").rank(4),
    ]
}

/// Cells of a span for [`lasting_columns`]; `longest` is the full length of the bar, ns.
pub(super) fn lasting(span: &Span, longest: f64) -> [Cell; 5] {
    let (how, role) = match span.outcome {
        SpanOutcome::Ended => ("", Role::Text),
        SpanOutcome::Lost => ("lost", Role::ErrorText),
        SpanOutcome::Unfinished => ("open…", Role::WarningText),
    };
    [
        Cell::Span(span.duration()),
        Cell::Styled(how.to_owned(), role),
        Cell::Bar(span.duration().max(0) as f64 / longest),
        Cell::Time(span.start),
        match span.outcome {
            SpanOutcome::Unfinished => Cell::Unknown,
            _ => Cell::Time(span.end),
        },
    ]
}

/// Lists groups by value of a key, the largest total duration first.
pub(super) fn groups(spans: &Spans, key: &str) -> Table {
    let found = spans.summary();
    let longest = found.iter().filter_map(|d| d.durations.map(|s| s.max));
    let longest = longest.fold(0.0, f64::max);
    let rows = found.iter().map(|d| group(spans, key, d, longest));
    let rows: Vec<Row> = rows.collect();
    let columns = vec![
        Column::text("value").between(8, 60).role(Role::Value),
        Column::number("n"),
        Column::number("open").rank(4),
        Column::number("lost").rank(4),
        Column::number("mean"),
        Column::number("p50").rank(2),
        Column::number("p95").rank(1),
        Column::number("max").rank(3),
        Column::bar(SPREAD, 60).between(21, 60).rank(5),
        Column::number("sum").rank(6).role(Role::Muted),
    ];
    Table::new(columns, rows, "no instance here has a start")
}

fn group(spans: &Spans, key: &str, d: &SpanDurations, longest: f64) -> Row {
    let name = spans.groups.get(d.group).cloned().unwrap_or_default();
    let [mean, p50, p95, max] = times(d.durations.as_ref());
    let is_none = name.is_empty();
    let pivots = PivotValue::key(Field::key(key), last_part(key), name.clone());
    let shown = match is_none {
        true => "(none)".to_owned(),
        false => name.clone(),
    };
    Row {
        name,
        cells: vec![
            Cell::Text(shown),
            Cell::Count(d.count),
            Cell::NonZero(d.unfinished, Role::WarningText),
            Cell::NonZero(d.lost, Role::ErrorText),
            mean,
            p50,
            p95,
            max,
            spread(d.durations.as_ref(), longest),
            d.durations
                .map_or(Cell::Empty, |s| Cell::Span(s.total as i64)),
        ],
        action: if is_none {
            RowAction::Nothing
        } else {
            RowAction::Pivot
        },
        pivots: if is_none { Vec::new() } else { vec![pivots] },
        is_faint: is_none,
    }
}
