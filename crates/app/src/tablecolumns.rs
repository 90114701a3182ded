//! Columns of a table on the screen: which have room, and where they begin.

use crate::rect::Rect;
use crate::shown::Shown;
use crate::times::Stamp;
use widetui_tables::plots::{MOST_LINES, Plot, PlotCurve};
use widetui_tables::table::{PlacedColumn, TableState, place};

/// Columns before the first cell: the bar of the cursor and a blank.
pub const MARGIN: u16 = 2;

/// Columns before the first cell: where there is a picture above, each row has there what stands for it in it.
pub fn margin(state: &TableState) -> u16 {
    match courses(state).is_empty() {
        true => MARGIN,
        false => MARGIN + 2,
    }
}

/// What is drawn above a table, one for each of its rows.
pub fn courses(state: &TableState) -> &[PlotCurve] {
    match &state.table.plot {
        Some((_, Plot::Stacked(courses))) => courses,
        Some((_, Plot::Lines(courses, _))) => &courses[..courses.len().min(MOST_LINES)],
        _ => &[],
    }
}

/// The columns that have room in an area, from left to right.
pub fn columns_shown(model: &Shown<'_>, area: Rect) -> Vec<usize> {
    let state = model.table();
    let placed = state.map_or(Vec::new(), |s| placed(model, s, area));
    placed.iter().map(|p| p.column).collect()
}

/// Columns that have room in an area, with their places.
pub fn placed(model: &Shown<'_>, state: &TableState, area: Rect) -> Vec<PlacedColumn> {
    let room = area.width.saturating_sub(margin(state) + 1);
    place(&state.table, room, Stamp::of(model).columns())
}
