//! Views over time: their subject, the moment under their cursor, and the curves below the overview.

use crate::command::Command;
use crate::event_list::{SelectionEdge, TimeSelection};
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::time_selection;
use crate::view_plots::{axis_of, gantt_of, time_at_cursor, timeline_row_at_cursor};
use widetui_core::direction::Direction;
use widetui_session::plots::DagFocus;

use super::primitives::navigation::{show, turn_to_records};
use super::primitives::notices::say;
use super::primitives::{overview, plotting, selection};
use super::{availability, choices, time};

/// Shows the durations of steps; if they are already shown, their shares of the total time.
pub(super) fn view_latency(model: &mut Model) -> Vec<Effect> {
    let is_shown = model.view == View::LATENCY;
    show(
        model,
        if is_shown {
            View::ACCOUNT
        } else {
            View::LATENCY
        },
    )
}

/// Shows a numeric key over time; asks for the key if none is chosen yet or the view is already open.
pub(super) fn view_series(model: &mut Model) -> Vec<Effect> {
    match model.view == View::SERIES || model.plots.choices.key.is_none() {
        true => choices::offer(model, Command::ViewSeries),
        false => show(model, View::SERIES),
    }
}

/// Shows the graph of dependencies, or what it would need.
pub(super) fn view_dag(model: &mut Model) -> Vec<Effect> {
    match availability::no_dependencies(model) {
        Some(reason) => say(model, reason),
        None => show(model, View::DAG),
    }
}

/// Shows other instances in the graph of dependencies.
pub(super) fn focus_dag(model: &mut Model, focus: DagFocus) -> Vec<Effect> {
    model.plots.choices.dag.push(focus);
    plotting::recompute_plots(model)
}

/// Chooses the entity to plot; outside of plots, shows its states first.
pub(super) fn choose_entity(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    if !model.view.is_plotted() {
        effects = show(model, View::STATES);
    }
    effects.extend(choices::offer(model, Command::PlotEntity));
    effects
}

/// Chooses the key that splits rows, lines or durations.
pub(super) fn choose_split(model: &mut Model) -> Vec<Effect> {
    if let Some(reason) = availability::no_split(model) {
        return say(model, reason);
    }
    choices::offer(model, Command::PlotBy)
}

/// Chooses the key that determines the colours of the bars in the timeline.
pub(super) fn choose_colour(model: &mut Model) -> Vec<Effect> {
    if availability::not_timeline(model).is_some() {
        return say(model, "only the bars of the timeline are coloured");
    }
    choices::offer(model, Command::PlotColour)
}

/// Chooses the key that pairs the ends of spans with their starts.
pub(super) fn choose_pairing(model: &mut Model) -> Vec<Effect> {
    if model.view != View::SPANS || model.plots.marks.both().is_none() {
        return say(
            model,
            "spans between marked records are paired: mark where they start and where they end",
        );
    }
    choices::offer(model, Command::PairBy)
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
        && let Some(next) = time_selection::panned(model, columns)
    {
        effects = overview::pan(model, next);
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
        Some(time) => {
            model.plots.moment = Some(time);
            Vec::new()
        }
        None => say(model, "there is no further bar in this row"),
    }
}

/// Selects the records of the bar under the cursor; `None` if there is none.
pub(super) fn open(model: &mut Model) -> Option<Vec<Effect>> {
    let (state, gantt) = gantt_of(&model.shown())?;
    let bar = gantt.at(timeline_row_at_cursor(state)?, time_at_cursor(model)?)?;
    let found = state.table.instances.as_ref()?;
    let step = found.step(bar.instance as usize)?;
    turn_to_records(model);
    Some(selection::push(model, step))
}
