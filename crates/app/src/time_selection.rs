//! Time selection as a step of the selection, as text and as a number of records.

use crate::event_list::TimeSelection;
use crate::model::Model;
use widetui_query::{Expr, Field, Op};
use widetui_session::selection::{SelectionStep, TimeRange};
use widetui_time::time::{NS_PER_SECOND, format_clock, rfc3339_nanos};

/// Number of selected records within a time selection.
pub(crate) fn record_count(model: &Model, brush: TimeSelection) -> usize {
    let rows = model.rows.own();
    let to = rows.row_at_time(&model.snapshot, brush.to.saturating_add(1));
    to.saturating_sub(rows.row_at_time(&model.snapshot, brush.from))
}

/// Formats a time range, with fractions of seconds if it is shorter than 10 s.
pub(crate) fn words(model: &Model, from: i64, to: i64) -> String {
    let close = to.saturating_sub(from) < 10 * NS_PER_SECOND;
    let digits = if close {
        model.source_names.digits.min(3)
    } else {
        0
    };
    let clock = |t| format_clock(t, model.zone.offset_at_utc(t), digits);
    format!("{}–{}", clock(from), clock(to))
}

/// Creates the step that selects the records within the time selection.
pub(crate) fn step(model: &Model) -> Option<SelectionStep> {
    let brush = model.events.time_selection?;
    let expr = Expr::all_of([
        Expr::compare(Field::Time, Op::Ge, literal(brush.from)),
        Expr::compare(Field::Time, Op::Le, literal(brush.to)),
    ]);
    let label = format!("time {}", words(model, brush.from, brush.to));
    Some(SelectionStep::new(label, expr))
}

/// Formats a time (UTC ns) as a literal of the query language.
pub(crate) fn literal(time: i64) -> String {
    rfc3339_nanos(time)
}

/// Divisor of the zoomed time range by which a step beyond its edge pans.
const PAN: i64 = 4;

/// Returns the zoomed time range panned to earlier or later times; `None` if nothing is zoomed or the run ends there.
pub(crate) fn panned(model: &Model, columns: i64) -> TimeRange {
    let ((first, last), (from, to)) = (model.snapshot.range()?, model.events.zoom?);
    let by = to.saturating_sub(from) / PAN;
    let by = match columns < 0 {
        true => -by.min(from.saturating_sub(first)),
        false => by.min(last.saturating_sub(to)),
    };
    let is_there = if columns < 0 { by < 0 } else { by > 0 };
    is_there.then_some((from.saturating_add(by), to.saturating_add(by)))
}
