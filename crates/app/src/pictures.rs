//! Pictures of the views: what is drawn over time above tables and instead of their rows, and on which axis.

use crate::layout::margins;
use crate::model::{Model, View};
use crate::shown::Shown;
use widetui_session::plots::window_of;
use widetui_tables::plots::gantt::Gantt;
use widetui_tables::plots::sequence::Sequence;
use widetui_tables::plots::{Plot, TimeAxis};
use widetui_tables::table::TableState;
use widetui_time::time::rfc3339_nanos;

/// Most columns that the names of the rows of a timeline take.
const NAMES: u16 = 24;

/// From so many rows on names have two of them.
const TWO_ROWS: u16 = 10;

/// The picture of the view.
pub fn plot_of<'a>(model: &Shown<'a>) -> Option<&'a (String, Plot)> {
    model.table()?.table.plot.as_ref()
}

/// Bars in rows, when the view has them.
pub fn gantt_of<'a>(model: &Shown<'a>) -> Option<(&'a TableState, &'a Gantt)> {
    let state = model.table()?;
    match &state.table.plot {
        Some((_, Plot::Gantt(gantt))) => Some((state, gantt)),
        _ => None,
    }
}

/// The row of bars under the cursor.
pub fn lane_of(state: &TableState) -> Option<usize> {
    state.shown.get(state.list.cursor).map(|at| *at as usize)
}

/// The axis of the view: what is zoomed to, else what is selected, else the whole run.
pub fn axis_of(model: &Shown<'_>) -> Option<TimeAxis> {
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
        // As the strip has it, unless that cuts the names of rows.
        let most = NAMES.min(model.area.width / 4).max(left);
        left = (gantt.names + 3).clamp(left, most);
    }
    Some(TimeAxis {
        range,
        left: model.area.x + left,
        columns: model.area.width.saturating_sub(left + right),
    })
}

/// The moment under the cursor, UTC ns.
pub fn moment(model: &Model) -> Option<i64> {
    let own = model.plots.moment.filter(|_| model.has_moment());
    own.or_else(|| model.current().and_then(|e| e.time()))
}

/// The arrows, when the view has them.
pub fn sequence_of<'a>(model: &Shown<'a>) -> Option<(&'a TableState, &'a Sequence)> {
    let state = model.table()?;
    match &state.table.plot {
        Some((_, Plot::Sequence(sequence))) => Some((state, sequence)),
        _ => None,
    }
}

/// Rows above and below the arrows: names, and what is known of the message under the cursor.
pub fn frame(height: u16) -> u16 {
    names(height) + 1
}

/// Rows of the names of actors.
pub fn names(height: u16) -> u16 {
    if height >= TWO_ROWS { 2 } else { 1 }
}

/// What is drawn, as text: a line for each change, or each bar.
pub fn text(model: &Model) -> Option<String> {
    let (_, plot) = plot_of(&model.shown()).filter(|_| model.view != View::Timeline)?;
    let mut out = String::new();
    match plot {
        Plot::Histogram(bars) => {
            out.push_str("from\tcount\n");
            for bar in bars {
                out.push_str(&format!("{}\t{}\n", bar.from, bar.count));
            }
        }
        Plot::Stacked(courses) | Plot::Lines(courses, _) => {
            out.push_str("time\tname\tvalue\n");
            let mut points: Vec<(i64, &str, f64)> = courses
                .iter()
                .flat_map(|c| c.points.iter().map(|p| (p.0, c.name.as_str(), p.1)))
                .collect();
            points.sort_by_key(|p| p.0);
            for (time, name, value) in points {
                let stamp = rfc3339_nanos(time);
                out.push_str(&format!("{stamp}\t{name}\t{value}\n"));
            }
        }
        Plot::Gantt(_) | Plot::Sequence(_) => return None,
    }
    Some(out)
}
