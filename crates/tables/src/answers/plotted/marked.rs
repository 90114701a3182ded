//! Tables of the time between two marked messages: a histogram, and the longest spans or groups.

use serde_json::Map;

use crate::table::{Cell, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::spans::Span;
use widetui_core::words::last_part;
use widetui_query::{Expr, Field, Op};
use widetui_session::plots::Marked;
use widetui_session::selection::SelectionStep;
use widetui_time::time::{format_span, rfc3339_nanos};

use super::spans::SpanLine;
use super::{InstanceName, spans};

/// Maximum number of listed spans.
const MOST: usize = 10_000;

pub(super) fn table(data: &Marked) -> Table {
    let title = format!("from {}", data.marks.told());
    let paired = match &data.key {
        Some(key) => format!("paired by {key}"),
        None => "paired as a queue".to_owned(),
    };
    let table = match &data.by {
        Some(by) => spans::groups(&data.spans, by).with_title(format!("by {by}")),
        None => list(data).with_title(paired.clone()),
    };
    let mut notes: Vec<String> = Vec::new();
    if data.by.is_some() {
        notes.push(paired);
    }
    notes.extend(Some(spans::note(&data.spans)).filter(|n| !n.is_empty()));
    if let Some((_, most)) = data.at_once {
        notes.push(format!("{} at once", grouped(most.unsigned_abs())));
    }
    table
        .with_note(notes.join(" · "))
        .with_figure(spans::histogram(title, &data.spans))
}

/// Lists spans, the longest first.
fn list(data: &Marked) -> Table {
    let mut order: Vec<(&Span, &String)> = data.spans.list.iter().zip(&data.names).collect();
    order.sort_by_key(|(s, _)| (std::cmp::Reverse(s.duration()), s.start));
    order.truncate(MOST);
    let longest = order.first().map_or(1, |(s, _)| s.duration().max(1)) as f64;
    let schema = spans::spans().without("label");
    let rows = order.into_iter().map(|(span, name)| {
        let label = match &data.key {
            Some(key) => format!("{} {name}", last_part(key)),
            None => format_span(span.duration()),
        };
        let line = SpanLine {
            name: InstanceName::value(Map::new(), label.clone()),
            group: "",
            span,
            longest,
        };
        row(data, span, name, label, schema.cells(&line))
    });
    let rows: Vec<Row> = rows.collect();
    Table::new(
        schema.columns(),
        rows,
        "no record of the first kind is here",
    )
}

fn row(data: &Marked, span: &Span, name: &str, label: String, cells: Vec<Cell>) -> Row {
    let pivots = data.key.iter();
    let pivots = pivots.map(|key| PivotValue::key(Field::named(key), last_part(key), name));
    // A span opens the records with its key, or the records written meanwhile.
    let expr = match &data.key {
        Some(key) => Expr::equals(Field::named(key), name),
        None => Expr::all_of([
            Expr::compare(Field::Time, Op::Ge, rfc3339_nanos(span.start)),
            Expr::compare(Field::Time, Op::Le, rfc3339_nanos(span.end)),
        ]),
    };
    let step = SelectionStep::new(label.clone(), expr);
    let row = Row::new(label, cells).with_pivots(pivots);
    row.with_action(RowAction::Filter(step.into()))
}
