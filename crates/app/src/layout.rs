//! Layout of the panes of a view: a pure function of the model, used for drawing and for page
//! movements.

use crate::rect::Rect;

use super::join_details;
use super::model::screen_split::share_of;
use super::model::view::Detail;
use super::model::{Model, Pane, View};
use super::record_pane::PaneSide;
use super::shown_view::ShownView;
use super::source_details;
use super::table_columns::MARGIN;
use widetui_report::figure::Plot;
use widetui_session::overview::OverviewHistogram;
use widetui_tables::text::wrap;

/// Areas of the panes of a view; a pane without room has an empty area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// Title line above the view; only in a split where the view has no other first line.
    pub title: Rect,
    /// Overview: histogram and curves over time.
    pub overview: Rect,
    /// Line above the plot.
    pub plot_rule: Rect,
    /// Plot above a table, including its axis.
    pub plot: Rect,
    /// Line above the list.
    pub list_rule: Rect,
    /// List or table.
    pub list: Rect,
    /// Line between list and record pane: above the record, or to its left.
    pub record_rule: Rect,
    /// Record pane, or details of a source.
    pub record: Rect,
}

/// Width from which on the record pane is beside the list by default, in columns.
pub(crate) const WIDE: u16 = 170;
/// Width from which on the lines about the row under the cursor are beside the table, in columns.
const DETAILS_BESIDE: u16 = 160;
/// Least width for a record pane beside the list, in columns.
pub(crate) const NARROW: u16 = 100;

/// Height from which on the overview has curves, in rows.
pub(crate) const CURVES_FROM: u16 = 24;
/// Maximum number of curves in the overview.
pub(crate) const CURVES: u16 = 6;

/// Default number of curves for a screen of `rows` rows.
pub(crate) fn default_curves(rows: u16) -> usize {
    match rows {
        ..36 => 2,
        36..60 => 3,
        _ => 4,
    }
}
/// Maximum height of a plot, in rows: more rows do not make it clearer.
const MAX_PLOT_HEIGHT: u16 = 36;
/// Height of the overview without curves, in rows.
const STRIP: u16 = 3;

impl Areas {
    /// Areas of the view that has the keyboard focus.
    pub fn new(model: &Model) -> Areas {
        Areas::at(&model.shown())
    }

    /// Areas of a view within its own area.
    pub fn at(model: &ShownView<'_>) -> Areas {
        let (left, width) = (model.area.x, model.area.width);
        let row = |y: u16, h: u16| Rect::new(left, y, width, h);
        let (mut top, bottom) = (model.area.y, model.area.bottom());
        if model.screen.size.1 < 3 {
            // Too small for anything except the list.
            return Areas {
                list: model.area,
                ..Areas::default()
            };
        }
        // Heights of panes depend on the height of the whole screen, including its first and last
        // line.
        let height = model.area.height + 2;
        let mut areas = Areas::default();
        if model.view.is_records() && model.is_in_split() {
            areas.title = row(top, 1);
            top += 1;
        }
        // Without timestamps the overview would be empty.
        let is_timed =
            |overview: &OverviewHistogram| overview.range != (0, 0) || model.snapshot.is_empty();
        let has_times = model.overview.as_ref().is_none_or(is_timed);
        if model.view.is_records() && height >= 16 && has_times {
            let curves = match height {
                CURVES_FROM.. => (model.plots.drawn.len() as u16).min(CURVES),
                _ => 0,
            };
            areas.overview = row(top, STRIP + curves);
            top += STRIP + curves;
        }
        if let Some(rows) = rows_of_plot(model, bottom - top) {
            areas.plot_rule = row(top, 1);
            areas.plot = row(top + 1, rows);
            top += 1 + rows;
        }
        // In a split each view has a title.
        let is_named = model.is_in_split() && areas.title.is_empty() && areas.plot_rule.is_empty();
        if height >= 8 || (is_named && bottom - top > 1) {
            areas.list_rule = row(top, 1);
            top += 1;
        }
        let room = bottom - top;
        areas.list = row(top, room);
        if matches!(model.view.detail, Detail::Draft | Detail::Row) {
            if model.view.detail == Detail::Row && width >= DETAILS_BESIDE {
                areas.set_beside(width * 2 / 5, (top, room));
                areas.list_rule.width = areas.list.width;
                return areas;
            }
            let height = details_height(model, room);
            if height > 0 {
                areas.list.height = room - height - 1;
                areas.record_rule = row(top + areas.list.height, 1);
                areas.record = row(bottom - height, height);
            }
            return areas;
        }
        if model.view.has_detail() && (model.record.shown || model.pane == Pane::Record) {
            areas.split_off_record(model);
        }
        areas
    }

    /// Moves room from the list to the record pane, beside or below it.
    fn split_off_record(&mut self, model: &ShownView<'_>) {
        let (width, top, room) = (model.area.width, self.list.y, self.list.height);
        let split = model.record.split;
        let is_beside = match split.side {
            PaneSide::Fitting => width >= WIDE,
            PaneSide::Right => width >= NARROW,
            PaneSide::Below => false,
        };
        if is_beside && model.view.is_records() {
            let record = match split.right {
                None => (width * 2 / 5).min(110),
                Some(share) => share_of(width, share),
            };
            return self.set_beside(record, (top, room));
        }
        let focused = model.pane == Pane::Record;
        let record = match (focused, room) {
            (true, 0..10) => room.saturating_sub(1),
            (true, _) => room * 2 / 3,
            (false, 0..12) => return,
            (false, 12..20) if model.is_in_split() => return,
            (false, _) if model.view.detail == Detail::Source => {
                source_details::rows(model, width).min(room * 2 / 5)
            }
            (false, _) => (room * 2 / 5).min(16),
        };
        // The requested height, leaving a minimum for the list.
        let record = match split.below {
            Some(share) if room >= 12 => share_of(room, share),
            _ => record,
        };
        if record == 0 {
            return;
        }
        let row = |y: u16, h: u16| Rect::new(model.area.x, y, width, h);
        let list = room - record - 1;
        self.list.height = list;
        self.record_rule = row(top + list, 1);
        self.record = row(top + list + 1, record);
    }

    /// Puts a record pane of `record` columns beside the list, at a row and with a number of rows.
    fn set_beside(&mut self, record: u16, (top, room): (u16, u16)) {
        self.list.width -= record + 1;
        self.record_rule = Rect::new(self.list.right(), top, 1, room);
        self.record = Rect::new(self.record_rule.right(), top, record, room);
    }

    /// Whether the record pane is beside the list.
    pub fn is_beside(&self) -> bool {
        self.record.width > 0 && self.record.x > self.list.x
    }
}

/// Lines about a draft or the row under the cursor, each with a label.
pub fn details(model: &ShownView<'_>) -> Vec<(&'static str, String)> {
    match model.view.detail {
        Detail::Draft => join_details::lines(model),
        _ => { model.table().and_then(|state| state.current()) }
            .map_or_else(Vec::new, |row| row.details.clone()),
    }
}

/// Height of these lines: of rows that of the row with most, so that the table stays in its place.
fn details_height(model: &ShownView<'_>, room: u16) -> u16 {
    let (rows, shown) = match model.table().filter(|_| model.view.detail == Detail::Row) {
        None => return (details(model).len() as u16).min(room / 3),
        Some(state) => (&state.table.rows, state.len() as u16),
    };
    let most = rows.iter().map(|row| row.details.len()).max().unwrap_or(0) as u16;
    // The table has its heading, and the lines have a rule.
    most.min(room.saturating_sub(shown + 2).max(room / 3))
}

/// Height of the plot above the table; the last row of a plot over time is its axis.
fn rows_of_plot(model: &ShownView<'_>, room: u16) -> Option<u16> {
    let table = &model.table()?.table;
    let plot = &table.figure.as_ref()?.plot;
    // Rows that the table does not need, besides its line and its heading.
    let below = (table.rows.len() as u16).saturating_add(4);
    let left = room.saturating_sub(below);
    match plot {
        Plot::Gantt(_) | Plot::Sequence(_) | Plot::Graph(_) => None,
        _ if room < 12 => None,
        Plot::Words(_) => {
            let rows = sentence_lines(plot, model.area.width).len() as u16;
            Some(rows.min(room * 2 / 5))
        }
        Plot::Bars(groups) => {
            let rows = groups.iter().filter(|bars| !bars.is_listed);
            let rows = rows.map(|bars| bars.rows.len()).sum::<usize>() as u16;
            Some(rows.min(room * 2 / 5)).filter(|rows| *rows > 0)
        }
        Plot::Curves(curves) => match curves.panels.len() {
            1 => {
                // The single curve of a short table is not easier to read when it is high.
                let most = if table.rows.len() > 3 {
                    MAX_PLOT_HEIGHT
                } else {
                    12
                };
                Some((room * 2 / 5).min(24).max(left).clamp(5, most))
            }
            panels => {
                let rows = (panels as u16).saturating_mul(4).saturating_add(1);
                Some(rows.clamp(5, (room / 2).max(5)))
            }
        },
    }
}

/// Lines of the sentences above a table, wrapped to a view of `columns` columns.
pub fn sentence_lines(plot: &Plot, columns: u16) -> Vec<String> {
    let Plot::Words(sentences) = plot else {
        return Vec::new();
    };
    let room = usize::from(columns.saturating_sub(2 * MARGIN));
    let lines = sentences.iter().flat_map(|sentence| wrap(sentence, room));
    lines.collect()
}

/// Margins left and right of everything drawn over time in a view of `columns` columns. The
/// overview and all plots have the same margins, so that equal columns mean equal times.
pub fn margins(columns: u16) -> (u16, u16) {
    match columns {
        ..50 => (9, 12),
        50..80 => (15, 12),
        // Names of curves and rows on the left; two numbers of five characters on the right.
        80..130 => (17, 13),
        _ => (20, 15),
    }
}

/// Number of bars in the overview.
pub(crate) fn bins(model: &Model) -> usize {
    let columns = model.columns_of(View::EVENTS);
    let (left, right) = margins(columns);
    usize::from(columns.saturating_sub(left + right))
}

/// Number of lines in the description of the source under the cursor.
pub(crate) fn source_lines(model: &ShownView<'_>) -> usize {
    source_details::lines(model, Areas::at(model).record.width).len()
}
