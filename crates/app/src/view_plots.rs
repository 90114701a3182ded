//! Plots of the views: which plot a view draws, and its time axis.

use crate::layout::margins;
use crate::model::{Model, View};
use crate::shown_view::ShownView;
use widetui_report::figure::{BarMark, Figure, Gantt, Plot, Sequence};
use widetui_session::plots::{PairBy, window_of};
use widetui_tables::plots::TimeAxis;
use widetui_tables::table::TableState;
use widetui_time::time::rfc3339_nanos;

/// Maximum width of the row names of a timeline, in columns.
const NAMES: u16 = 24;

/// Height from which on actor names have two rows.
const TWO_ROWS: u16 = 10;

/// Figure of the view.
pub fn figure_of<'a>(model: &ShownView<'a>) -> Option<&'a Figure> {
    model.table()?.table.figure.as_ref()
}

/// Timeline of the view, if it is one.
pub fn gantt_of<'a>(model: &ShownView<'a>) -> Option<(&'a TableState, &'a Gantt)> {
    match &figure_of(model)?.plot {
        Plot::Gantt(gantt) => Some((model.table()?, gantt)),
        _ => None,
    }
}

/// Index of the timeline row under the cursor.
pub fn timeline_row_at_cursor(state: &TableState) -> Option<usize> {
    state.shown.get(state.list.cursor).map(|at| *at as usize)
}

/// Time axis of the view: the zoom, else the selected time range, else the whole run.
pub fn axis_of(model: &ShownView<'_>) -> Option<TimeAxis> {
    let whole = model.snapshot.range()?;
    let range = model.events.zoom.unwrap_or_else(|| {
        let window = window_of(model.selection.steps());
        let from = window.since.map_or(whole.0, |s| s.clamp(whole.0, whole.1));
        let until = window.until.map(|u| u.saturating_sub(1));
        let to = until.map_or(whole.1, |u| u.clamp(whole.0, whole.1));
        if from < to { (from, to) } else { whole }
    });
    let (mut left, right) = margins(model.area.width);
    if let Some((state, _)) = gantt_of(model) {
        // Same margin as the overview, unless that would cut the names of rows.
        let most = NAMES.min(model.area.width / 4).max(left);
        left = (state.table.natural_width(0) + 3).clamp(left, most);
    }
    Some(TimeAxis {
        range,
        left: model.area.x + left,
        columns: model.area.width.saturating_sub(left + right),
    })
}

/// Time under the cursor, UTC ns.
pub fn time_at_cursor(model: &Model) -> Option<i64> {
    let own = model.plots.moment.filter(|_| model.has_moment());
    own.or_else(|| model.current().and_then(|e| e.time()))
}

/// Key that pairs marked starts and ends: the chosen one, or the one found when the spans were computed.
pub(crate) fn pairing(model: &Model) -> Option<String> {
    match &model.plots.choices.pairing {
        PairBy::Key(key) => Some(key.clone()),
        PairBy::Queue => None,
        PairBy::Best => {
            let state = model.tables.get(&View::SPANS).filter(|t| t.is_known)?;
            let mut keys = state.table.rows.iter().flat_map(|row| row.pivots.first());
            keys.next().map(|same| same.field.name().to_owned())
        }
    }
}

/// Time range of the column that contains `time` (UTC ns, both ends inclusive).
pub(crate) fn interval_at(model: &Model, time: i64) -> Option<(i64, i64)> {
    let axis = axis_of(&model.shown()).filter(|axis| axis.contains(time))?;
    let (from, to) = axis.interval_of(axis.column_of(time));
    Some((from, to.saturating_sub(1).max(from)))
}

/// Sequence diagram of the view, if it is one.
pub fn sequence_of<'a>(model: &ShownView<'a>) -> Option<(&'a TableState, &'a Sequence)> {
    match &figure_of(model)?.plot {
        Plot::Sequence(sequence) => Some((model.table()?, sequence)),
        _ => None,
    }
}

/// Number of rows above and below the arrows: actor names, and details of the message under the
/// cursor.
pub(crate) fn rows_beside_arrows(height: u16) -> u16 {
    name_rows(height) + 1
}

/// Number of rows for the names of actors.
pub fn name_rows(height: u16) -> u16 {
    if height >= TWO_ROWS { 2 } else { 1 }
}

/// Plot as text, one line per step of a curve or per bar.
pub(crate) fn plot_as_text(model: &Model) -> Option<String> {
    let mut out = String::new();
    match &figure_of(&model.shown())?.plot {
        Plot::Words(sentences) => out.push_str(&(sentences.join("\n") + "\n")),
        Plot::Bars(groups) => {
            out.push_str("name\tlength\n");
            for bar in groups.iter().filter(|g| !g.is_listed).flat_map(|g| &g.rows) {
                if let BarMark::Length(length) = bar.mark {
                    out.push_str(&format!("{}\t{length}\n", bar.name));
                }
            }
        }
        Plot::Curves(curves) => {
            let has_groups = curves.panels.len() > 1;
            out.push_str(if has_groups { "time\tgroup" } else { "time" });
            out.push_str("\tname\tvalue\n");
            let all = curves.all().flat_map(|(panel, curve)| {
                let name = match has_groups {
                    true => format!("{panel}\t{}", curve.name),
                    false => curve.name.clone(),
                };
                curve
                    .points
                    .iter()
                    .map(move |(time, value)| (*time, name.clone(), *value))
            });
            let mut points: Vec<(i64, String, f64)> = all.collect();
            points.sort_by_key(|point| point.0);
            for (time, name, value) in points {
                out.push_str(&format!("{}\t{name}\t{value}\n", rfc3339_nanos(time)));
            }
        }
        Plot::Gantt(_) | Plot::Sequence(_) | Plot::Graph(_) => return None,
    }
    Some(out)
}
