//! Placement of table columns on the screen.

use crate::rect::Rect;
use crate::shown_view::ShownView;
use crate::times::Stamp;
use widetui_report::figure::{CurveStyle, MAX_LINES, Plot};
use widetui_tables::plots::PlotCurve;
use widetui_tables::table::{PlacedColumn, TableState, place};

/// Width of the margin before the first cell: cursor bar and a blank.
pub const MARGIN: u16 = 2;

/// Width of the margin before the first cell; below a plot it includes the symbol of the row's
/// curve.
pub fn margin(state: &TableState) -> u16 {
    match curves(state).is_empty() {
        true => MARGIN,
        false => MARGIN + 2,
    }
}

/// Curves of the plot above a table, one per row.
pub fn curves(state: &TableState) -> &[PlotCurve] {
    let Some(Plot::Curves(curves)) = state.table.figure.as_ref().map(|f| &f.plot) else {
        return &[];
    };
    match (curves.panels.as_slice(), curves.style) {
        ([one], CurveStyle::Areas) => &one.curves,
        ([one], CurveStyle::Lines(_)) => &one.curves[..one.curves.len().min(MAX_LINES)],
        _ => &[],
    }
}

/// Indices of the columns that fit into `area`, from left to right.
pub(crate) fn columns_shown(model: &ShownView<'_>, area: Rect) -> Vec<usize> {
    let state = model.table();
    let placed = state.map_or(Vec::new(), |s| placed(model, s, area));
    placed.iter().map(|p| p.column).collect()
}

/// Columns that fit into `area`, with their positions.
pub fn placed(model: &ShownView<'_>, state: &TableState, area: Rect) -> Vec<PlacedColumn> {
    let room = area.width.saturating_sub(margin(state) + 1);
    place(&state.table, room, Stamp::new(model).columns())
}
