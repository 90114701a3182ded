//! Views over time: their subject, the moment under their cursor, and the curves below the overview.

use std::sync::Arc;
use widetui_core::direction::Direction;

use crate::command::Command;
use crate::event_list::{SelectionEdge, TimeSelection};
use crate::layout::default_curves;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::view::Split;
use crate::view_plots::{axis_of, gantt_of, time_at_cursor, timeline_row_at_cursor};
use widetui_analysis::overview::{Curve, CurveSubject};
use widetui_session::jobs::Question;
use widetui_session::plots::{CurvesRequest, PairBy};
use widetui_tables::plots::settings::CurveColumns;

use super::views::{enter, show_by_key};
use super::{ask, choices, moves, say, select, show, time};

/// Shows the durations of steps; if they are already shown, their shares of the total time.
pub(super) fn view_latency(model: &mut Model) -> Vec<Effect> {
    match model.view {
        View::Latency => show(model, View::Account),
        _ => show_by_key(model, View::Latency),
    }
}

/// Shows a numeric key over time; asks for the key if none is chosen yet or the view is already open.
pub(super) fn view_series(model: &mut Model) -> Vec<Effect> {
    match model.view == View::Series || model.plots.key.is_none() {
        true => choices::offer(model, Command::ViewSeries),
        false => show_by_key(model, View::Series),
    }
}

/// Chooses the entity to plot; outside of plots, shows its states first.
pub(super) fn choose_entity(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    if !model.view.is_plotted() {
        effects = show(model, View::States);
    }
    effects.extend(choices::offer(model, Command::PlotEntity));
    effects
}

/// Reason why the current view cannot be split by a key; `None` if it can.
pub(super) fn no_split(model: &Model) -> Option<&'static str> {
    let can_split = model.view.row().split == Split::ByKey;
    (!can_split).then_some("this view cannot be grouped by a key")
}

/// Chooses the key that splits rows, lines or durations.
pub(super) fn choose_split(model: &mut Model) -> Vec<Effect> {
    if let Some(reason) = no_split(model) {
        say(model, reason.to_owned());
        return Vec::new();
    }
    choices::offer(model, Command::PlotBy)
}

/// Chooses the key that determines the colours of the bars in the timeline.
pub(super) fn choose_colour(model: &mut Model) -> Vec<Effect> {
    if model.view != View::Timeline {
        let text = "only the bars of the timeline are coloured";
        say(model, text.to_owned());
        return Vec::new();
    }
    choices::offer(model, Command::PlotColour)
}

/// Chooses the key that pairs the ends of spans with their starts.
pub(super) fn choose_pairing(model: &mut Model) -> Vec<Effect> {
    if model.view != View::Spans || model.plots.marks.both().is_none() {
        let text =
            "spans between marked records are paired: mark where they start and where they end";
        say(model, text.to_owned());
        return Vec::new();
    }
    choices::offer(model, Command::PairBy)
}

/// Returns the key that pairs marked starts and ends: the chosen one, or the one found when the spans were computed.
pub(super) fn pairing(model: &Model) -> Option<String> {
    match &model.plots.pairing {
        PairBy::Key(key) => Some(key.clone()),
        PairBy::Queue => None,
        PairBy::Best => {
            let state = model.tables.get(&View::Spans).filter(|t| t.is_known)?;
            let mut keys = state.table.rows.iter().flat_map(|row| row.pivots.first());
            keys.next().map(|same| same.field.name().to_owned())
        }
    }
}

/// Discards the tables of all plots and requests the current one again after its settings changed.
pub(super) fn again(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let view = model.view;
    let plotted: Vec<View> = { model.tables.keys() }
        .copied()
        .filter(|v| v.is_plotted())
        .collect();
    plotted
        .into_iter()
        .for_each(|view| super::table::forget(model, view));
    show(model, view)
}

pub(super) fn chosen(model: &Model) -> Vec<CurveSubject> {
    let drawn = || {
        model
            .plots
            .drawn
            .iter()
            .map(|c| c.subject.clone())
            .collect()
    };
    model.plots.curves.clone().unwrap_or_else(drawn)
}

pub(super) fn choose(model: &mut Model, wanted: Vec<CurveSubject>) -> Vec<Effect> {
    model.popup = None;
    model.plots.curves = Some(wanted);
    (model.plots.epoch, model.plots.requested_records) = (0, 0);
    let mut effects = show(model, View::Events);
    effects.extend(keep_up(model));
    effects
}

/// Resamples the curves below the overview to its columns if either changed.
pub(super) fn place_curves(model: &mut Model) {
    let Some(strip) = &model.strip else { return };
    let (drawn, range, count) = (&model.plots.drawn, strip.range, strip.events.len());
    if !model.plots.columns.is_of(drawn, range, count) {
        model.plots.columns = CurveColumns::new(drawn.clone(), range, count);
    }
}

/// Requests the curves below the overview when the selection changed. While a run loads they are requested again only when
/// the number of records has grown by a quarter, so that they do not slow down loading.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let rows = model.rows_of(View::Events);
    let most = default_curves(rows);
    let len = model.snapshot.len();
    let is_settled =
        model.snapshot.complete && !model.joins.is_running() && !model.joins.is_delayed();
    let is_there = model.on_screen(View::Events).is_some() && rows >= crate::layout::CURVES_FROM;
    let steps = model.selection.steps();
    let plots = &mut model.plots;
    let is_like_before =
        plots.steps == steps && len < plots.requested_records + plots.requested_records / 4;
    if !is_settled && is_like_before {
        return None;
    }
    let is_fresh =
        plots.epoch == model.epoch && (plots.max_curves == most || plots.curves.is_some());
    if !is_there || plots.is_pending || is_fresh || model.snapshot.is_empty() {
        return None;
    }
    plots.epoch = model.epoch;
    plots.max_curves = most;
    plots.requested_records = len;
    plots.steps = steps.to_vec();
    plots.is_pending = true;
    let asked = curves_asked(model);
    let question = Question::Curves(model.rows.own().clone(), asked);
    Some(ask(model, question))
}

/// Returns the request for the curves below the overview.
pub(super) fn curves_asked(model: &Model) -> CurvesRequest {
    CurvesRequest {
        meaning: model.meaning.clone(),
        steps: model.selection.steps().to_vec(),
        of: model.plots.curves.clone(),
        most: default_curves(model.rows_of(View::Events)),
    }
}

/// Stores the computed curves.
pub(super) fn drawn(model: &mut Model, curves: Arc<[Curve]>) {
    let named = model.plots.curves.is_some();
    if named && let Some(empty) = curves.iter().find(|c| c.points.is_empty()) {
        let text = format!("{} has no values in these records", empty.subject.text());
        say(model, text);
    }
    model.plots.drawn = curves;
    model.plots.is_pending = false;
    moves::settle(model);
}

/// Moves the cursor by columns along the time axis. At the edge of a zoomed range it pans the range.
pub(super) fn sideways(model: &mut Model, columns: i64) -> Vec<Effect> {
    let Some(mut axis) = axis_of(&model.shown()) else {
        return Vec::new();
    };
    let (from, to) = axis.range;
    let now = time_at_cursor(model).unwrap_or(from).clamp(from, to);
    let mut column = i64::from(axis.column_of(now)) + columns;
    let last = i64::from(axis.columns.saturating_sub(1));
    let mut effects = Vec::new();
    if !(0..=last).contains(&column)
        && let Some(next) = time::panned(model, columns)
    {
        effects = time::pan(model, next);
        axis.range = next;
        column = i64::from(axis.column_of(now.clamp(next.0, next.1))) + columns;
    }
    let (from, to) = axis.range;
    let (start, end) = axis.interval_of(column.clamp(0, last) as u16);
    // The middle of the column: its start may belong to the previous column.
    let middle = start.saturating_add(end.saturating_sub(start) / 2);
    model.plots.moment = Some(middle.clamp(from, to));
    effects
}

/// Returns the time range of the column that contains `time` (UTC ns, both ends inclusive).
pub(super) fn column_now(model: &Model, time: i64) -> Option<(i64, i64)> {
    let axis = axis_of(&model.shown()).filter(|axis| axis.contains(time))?;
    let (from, to) = axis.interval_of(axis.column_of(time));
    Some((from, to.saturating_sub(1).max(from)))
}

/// Moves the cursor to the middle of a column of the plot.
pub(super) fn to_column(model: &mut Model, column: u16) {
    if let Some(axis) = axis_of(&model.shown()) {
        let (start, end) = axis.interval_of(column.min(axis.columns.saturating_sub(1)));
        let middle = start.saturating_add(end.saturating_sub(start) / 2);
        model.plots.moment = Some(middle);
    }
}

/// Makes a time selection from the column where the mouse button was pressed to column `to`.
pub(super) fn brush(model: &mut Model, to: usize) -> Vec<Effect> {
    let (Some(from), Some(axis)) = (model.events.dragged_from, axis_of(&model.shown())) else {
        return Vec::new();
    };
    let last = usize::from(axis.columns.saturating_sub(1));
    let stretch = |column: usize| axis.interval_of(column.min(last) as u16);
    let (start, end) = (stretch(from.min(to)).0, stretch(from.max(to)).1);
    let end = match from.max(to) >= last {
        true => axis.range.1,
        false => end.saturating_sub(1),
    };
    let brush = TimeSelection {
        from: start,
        to: end.max(start),
        edge: SelectionEdge::Both,
    };
    time::brush(model, brush);
    Vec::new()
}

pub(super) fn beside(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let found = gantt_of(&model.shown()).and_then(|(state, gantt)| {
        let time = time_at_cursor(model)?;
        gantt.adjacent_start(timeline_row_at_cursor(state)?, time, direction)
    });
    match found {
        Some(time) => model.plots.moment = Some(time),
        None => say(model, "there is no further bar in this row".to_owned()),
    }
    Vec::new()
}

/// Returns the moment under the cursor if it is inside the bar of the row, otherwise the middle of the bar (UTC ns), and moves
/// the cursor there. `None` if there is no bar.
pub(super) fn under_cursor(model: &mut Model) -> Option<i64> {
    let now = time_at_cursor(model);
    let (state, gantt) = gantt_of(&model.shown())?;
    let bar = gantt.at(timeline_row_at_cursor(state)?, now.unwrap_or(i64::MIN))?;
    let at = now.filter(|now| (bar.start..=bar.end).contains(now));
    let at = at.unwrap_or_else(|| bar.start.midpoint(bar.end));
    model.plots.moment = Some(at);
    Some(at)
}

/// Selects the records of the bar under the cursor; `None` if there is none.
pub(super) fn open(model: &mut Model) -> Option<Vec<Effect>> {
    let (state, gantt) = gantt_of(&model.shown())?;
    let bar = gantt.at(timeline_row_at_cursor(state)?, time_at_cursor(model)?)?;
    let step = gantt.step(bar)?;
    enter(model, View::Events);
    Some(select::push(model, step))
}

/// Moves the cursor of the record list to the moment of the plot when the user leaves the plot for the records.
pub(super) fn leave(model: &mut Model) {
    if let Some(time) = model.plots.moment.take()
        && !model.is_empty()
    {
        let row = model.rows.row_at_time(&model.snapshot, time);
        moves::to_row(model, row.min(model.len() - 1));
    }
}
