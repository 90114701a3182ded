//! Cursor of the views over time.

use crate::model::Model;
use crate::view_plots::{axis_of, gantt_of, time_at_cursor, timeline_row_at_cursor};

use super::record_cursor;

/// Moves the cursor to the middle of a column of the plot.
pub(in crate::update) fn to_column(model: &mut Model, column: u16) {
    if let Some(axis) = axis_of(&model.shown()) {
        let (start, end) = axis.interval_of(column.min(axis.columns.saturating_sub(1)));
        let middle = start.saturating_add(end.saturating_sub(start) / 2);
        model.plots.moment = Some(middle);
    }
}

/// Returns the moment under the cursor if it is inside the bar of the row, otherwise the middle of the bar (UTC ns), and moves
/// the cursor there. `None` if there is no bar.
pub(in crate::update) fn to_bar_under_cursor(model: &mut Model) -> Option<i64> {
    let now = time_at_cursor(model);
    let (state, gantt) = gantt_of(&model.shown())?;
    let bar = gantt.at(timeline_row_at_cursor(state)?, now.unwrap_or(i64::MIN))?;
    let at = now.filter(|now| (bar.start..=bar.end).contains(now));
    let at = at.unwrap_or_else(|| bar.start.midpoint(bar.end));
    model.plots.moment = Some(at);
    Some(at)
}

/// Moves the cursor of the record list to the moment of the plot when the user leaves the plot for the records.
pub(in crate::update) fn leave(model: &mut Model) {
    if let Some(time) = model.plots.moment.take()
        && !model.is_empty()
    {
        let row = model.rows.row_at_time(&model.snapshot, time);
        record_cursor::to_row(model, row.min(model.len() - 1));
    }
}
