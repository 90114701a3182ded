//! Plots of the views: which plot a view draws, and its time axis.

use crate::layout::margins;
use crate::model::{Model, View};
use crate::shown_view::ShownView;
use widetui_session::plots::{PairBy, window_of};
use widetui_tables::plots::gantt::Gantt;
use widetui_tables::plots::sequence::Sequence;
use widetui_tables::plots::{Plot, PlotCurve, TimeAxis};
use widetui_tables::table::TableState;
use widetui_time::time::rfc3339_nanos;

/// Maximum width of the row names of a timeline, in columns.
const NAMES: u16 = 24;

/// Height from which on actor names have two rows.
const TWO_ROWS: u16 = 10;

/// Title and plot of the view.
pub fn plot_of<'a>(model: &ShownView<'a>) -> Option<&'a (String, Plot)> {
    model.table()?.table.plot.as_ref()
}

/// Timeline of the view, if it is one.
pub fn gantt_of<'a>(model: &ShownView<'a>) -> Option<(&'a TableState, &'a Gantt)> {
    let state = model.table()?;
    match &state.table.plot {
        Some((_, Plot::Gantt(gantt))) => Some((state, gantt)),
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
    if let Some((_, gantt)) = gantt_of(model) {
        // Same margin as the overview, unless that would cut the names of rows.
        let most = NAMES.min(model.area.width / 4).max(left);
        left = (gantt.name_width + 3).clamp(left, most);
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
    match &model.plots.pairing {
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
    let state = model.table()?;
    match &state.table.plot {
        Some((_, Plot::Sequence(sequence))) => Some((state, sequence)),
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
    let (_, plot) = plot_of(&model.shown())?;
    let mut out = String::new();
    match plot {
        Plot::Words(sentences) => out.push_str(&(sentences.join("\n") + "\n")),
        Plot::Histogram(bars) => {
            out.push_str("from\tcount\n");
            for bar in bars {
                out.push_str(&format!("{}\t{}\n", bar.from, bar.count));
            }
        }
        Plot::Shares(bars) => {
            out.push_str("name\tshare\n");
            for bar in bars {
                out.push_str(&format!("{}\t{}\n", bar.name, bar.share));
            }
        }
        Plot::Stacked(curves) | Plot::Lines(curves, _) => {
            out.push_str("time\tname\tvalue\n");
            out.push_str(&points_as_text(curves.iter().map(|c| (c.name.clone(), c))));
        }
        Plot::Panels(panels) => {
            out.push_str("time\tgroup\tname\tvalue\n");
            let curves = panels.iter().flat_map(|panel| {
                let layers = panel.layers.iter();
                layers.map(|c| (format!("{}\t{}", panel.name, c.name), c))
            });
            out.push_str(&points_as_text(curves));
        }
        Plot::Gantt(_) | Plot::Sequence(_) => return None,
    }
    Some(out)
}

/// Points of named curves in time order, one line each.
fn points_as_text<'c>(curves: impl Iterator<Item = (String, &'c PlotCurve)>) -> String {
    let curves: Vec<(String, &PlotCurve)> = curves.collect();
    let mut points: Vec<(i64, &str, f64)> = curves
        .iter()
        .flat_map(|(name, c)| c.points.iter().map(|p| (p.0, name.as_str(), p.1)))
        .collect();
    points.sort_by_key(|p| p.0);
    let line = |(time, name, value)| format!("{}\t{name}\t{value}\n", rfc3339_nanos(time));
    points.into_iter().map(line).collect()
}
