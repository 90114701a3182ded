//! The views that draw over time: about what they are, the moment under their cursor, the curves under the strip.

use std::sync::Arc;

use crate::analysis::Entity;
use crate::analysis::carriers::carriers_of;
use crate::analysis::overview::{Curve, Subject};
use crate::analysis::slowest::StepOf;
use crate::base::dict::ENTRY;
use crate::format::keys::{KeyType, KeyView};
use crate::ui::action::Action;
use crate::ui::capability::Drawing;
use crate::ui::eventlist::{Brush, Edge};
use crate::ui::keyrank;
use crate::ui::layout::{CURVES, usual_curves};
use crate::ui::model::{Model, View};
use crate::ui::msg::Effect;
use crate::ui::popups::{Goal, Item, Picker, PickerKind, Popup};
use crate::ui::views::plots::{axis_of, gantt_of, lane_of, moment};
use crate::workspace::jobs::Question;
use crate::workspace::plots::{ColourBy, CurvesAsked, LinesBy, RowsBy, measures};

use super::{alert, ask, moves, say, select, show, time};

/// Word for "tell nothing apart".
const NOTHING: &str = "nothing";
/// Word for the states of things.
const STATE: &str = "state";

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::ViewStates => show(model, View::States),
        Action::ViewTimeline => show(model, View::Timeline),
        Action::ViewLatency => show(model, View::Latency),
        Action::ViewSpans => show(model, View::Spans),
        Action::ViewSeries if model.plots.key.is_none() => offer(model, action),
        Action::ViewSeries if model.view == View::Series => offer(model, action),
        Action::ViewSeries => show(model, View::Series),
        Action::NextBar | Action::PrevBar => beside(model, action == Action::NextBar),
        Action::PlotBy if !matches!(model.view, View::Timeline | View::Spans | View::Series) => {
            say(model, "here is nothing to tell apart by a key".to_owned());
            Vec::new()
        }
        Action::PlotColour if model.view != View::Timeline => {
            say(
                model,
                "only the bars of the timeline are coloured".to_owned(),
            );
            Vec::new()
        }
        Action::PlotEntity if !model.view.is_plotted() => {
            let mut effects = show(model, View::States);
            effects.extend(offer(model, action));
            effects
        }
        _ => offer(model, action),
    }
}

/// Opens the list of what an action can be told.
fn offer(model: &mut Model, action: Action) -> Vec<Effect> {
    let (names, title): (Vec<String>, &str) = match action {
        Action::PlotEntity => (entities(model), "which things?"),
        Action::PlotBy if model.view == View::Timeline => (carriers(model), "a row for each …"),
        Action::PlotBy | Action::PlotColour => {
            let (first, title) = match action {
                Action::PlotColour => (STATE, "a colour for each …"),
                _ => (NOTHING, "told apart by …"),
            };
            let mut names = vec![first.to_owned()];
            names.extend(["source", "level", "template"].map(str::to_owned));
            names.extend(super::lists::keys_of(model));
            (names, title)
        }
        Action::PlotsWith => {
            let all = Drawing::ALL.map(|d| d.name().to_owned());
            (all.into(), "pictures are drawn with …")
        }
        Action::ViewSeries => (numbers(model), "which number over time?"),
        Action::AddCurve => (addable(model), "which curve under the strip?"),
        _ => {
            let drawn = model.plots.drawn.iter();
            let names = drawn.map(|c| c.subject.text()).collect();
            (names, "which curve goes?")
        }
    };
    if names.is_empty() {
        let text = match action {
            Action::DropCurve => "no curve is drawn",
            _ => "nothing in these logs is known that could be drawn",
        };
        say(model, text.to_owned());
        return Vec::new();
    }
    let item = |name: String| Item {
        goal: Goal::Tell(action, name.clone()),
        summary: described(model, &name),
        name,
        aliases: "",
        keys: String::new(),
        topic: "choice",
        why_not: None,
    };
    let items = names.into_iter().map(item).collect();
    let picker = Picker::new(PickerKind::Choice, items).titled(title);
    model.popup = Some(Popup::Picker(picker));
    Vec::new()
}

/// What is known of what can be chosen: of a kind of things and of a key.
fn described(model: &Model, name: &str) -> String {
    let (of, state) = name
        .split_once(':')
        .map_or((name, None), |(e, s)| (e, Some(s)));
    if let Some(entity) = model.meaning.entities.iter().find(|e| e.name == of) {
        return match state {
            Some(state) => format!("{} that are {state}", entity.plural()),
            None => entity.plural(),
        };
    }
    if let Some(flow) = model.meaning.flows.iter().find(|f| f.name == of) {
        let what = flow.name.rsplit('.').next().unwrap_or(&flow.name);
        return format!("messages of {what} that were sent and not received yet");
    }
    let keys = &model.snapshot.catalog.keys;
    keys.iter()
        .find(|k| *k.key.name == *name)
        .map_or(String::new(), |k| match &*k.key.label {
            label if label == name => String::new(),
            label => label.to_owned(),
        })
}

/// Does an action with what it was told.
pub(super) fn tell(model: &mut Model, action: Action, name: &str) -> Vec<Effect> {
    let name = name.trim().to_owned();
    let key = Some(name.clone()).filter(|n| n != NOTHING);
    match action {
        Action::PlotEntity => {
            if !model.meaning.entities.iter().any(|e| e.name == name) {
                alert(model, format!("no kind of things is called {name}"));
                return Vec::new();
            }
            model.plots.entity = Some(name);
            // Of other things there may be others that carry them.
            model.plots.rows_by = RowsBy::default();
            if !model.view.is_plotted() || model.view == View::Series {
                model.view = View::States;
            }
        }
        Action::PlotBy => match model.view {
            View::Timeline if name == EACH => model.plots.rows_by = RowsBy::Each,
            View::Timeline => model.plots.rows_by = RowsBy::Carrier(name),
            View::Series => model.plots.key_by = key.map_or(LinesBy::Nothing, LinesBy::Key),
            _ => model.plots.spans_by = key,
        },
        Action::PlotColour => {
            model.plots.colour = match name.as_str() {
                STATE => ColourBy::State,
                NOTHING => ColourBy::Usual,
                _ => ColourBy::Key(name),
            };
        }
        Action::ViewSeries => {
            model.plots.key_by = LinesBy::Usual;
            model.plots.key = Some(name);
            model.view = View::Series;
        }
        Action::PlotsWith => {
            model.popup = None;
            match Drawing::named(&name) {
                Some(drawing) => {
                    model.screen.plots_with = drawing;
                    say(model, format!("pictures are drawn with {name}"));
                }
                None => alert(model, format!("`{name}`: braille, blocks or ascii")),
            }
            return Vec::new();
        }
        Action::AddCurve => return add(model, &name),
        Action::DropCurve => return drop_curve(model, &name),
        _ => {}
    }
    again(model)
}

/// Asks for the table of the view once more, about something else.
fn again(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let view = model.view;
    model.tables.retain(|v, _| !v.is_plotted());
    show(model, view)
}

/// Shows the things for which a step took longest.
pub(super) fn slowest(model: &mut Model, step: StepOf) -> Vec<Effect> {
    model.plots.step = Some(step);
    model.tables.remove(&View::Slowest);
    show(model, View::Slowest)
}

/// Each thing in a row of its own.
const EACH: &str = "each its own row";

fn carriers(model: &Model) -> Vec<String> {
    let of = model.plots.entity.as_deref();
    let entities = &model.meaning.entities;
    let keys = &model.snapshot.catalog.keys;
    let own = entities.iter().filter(|e| of.is_none_or(|o| e.name == o));
    let occurs = |id: &Vec<String>| id.iter().all(|key| keys.find(key).is_some());
    let mut names: Vec<String> = Vec::new();
    for carrier in own.flat_map(|e| carriers_of(e, entities)) {
        if carrier.id.iter().any(occurs) && !names.contains(&carrier.name) {
            names.push(carrier.name.clone());
        }
    }
    names.push(EACH.to_owned());
    names
}

/// Kinds of things that may occur: one of their ids is among the keys of the run.
fn entities(model: &Model) -> Vec<String> {
    let keys = super::lists::keys_of(model);
    let occurs = |id: &Vec<String>| id.iter().all(|k| keys.contains(k));
    let all = model.meaning.entities.iter();
    all.filter(|e| e.id.iter().any(occurs))
        .map(|e| e.name.clone())
        .collect()
}

/// Keys that may hold numbers, those that are known to do so first.
fn numbers(model: &Model) -> Vec<String> {
    let occurring = super::lists::keys_of(model);
    let known = measures(&model.snapshot);
    let keys = &model.snapshot.catalog.keys;
    let is_number = |name: &String| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(holds_numbers)
    };
    let mut out: Vec<String> = occurring.into_iter().filter(is_number).collect();
    // Where it was written is a number, too, but none that anybody draws.
    out.sort_by_key(|key| (keyrank::writer(key).is_some(), !known.contains(key)));
    out
}

/// Values of a key that are looked at.
const LOOKED_AT: u32 = 24;

/// Whether the values of a key are numbers: as its definition says, else as they are spelled.
fn holds_numbers(key: &KeyView) -> bool {
    match key.key.kind {
        KeyType::Int | KeyType::Float => true,
        KeyType::Auto => {
            // Whole numbers are no entries; of other values the first ones are looked at.
            let entries = (0..LOOKED_AT).filter_map(|at| key.dict.entry(ENTRY + at));
            let mut entries = entries.peekable();
            entries.peek().is_none() || entries.all(|text| text.parse::<f64>().is_ok())
        }
        _ => false,
    }
}

fn addable(model: &Model) -> Vec<String> {
    let mut names = Vec::new();
    for entity in entities(model) {
        let known = model.meaning.entities.iter().find(|e| e.name == entity);
        let states = known.map_or(&[][..], |e| &e.states);
        let occurring = states.iter().filter(|s| may_occur(model, known, s));
        names.extend(occurring.map(|s| format!("{entity}:{s}")));
        if known.is_some_and(|e| e.can_end()) {
            names.push(entity);
        }
    }
    let keys = super::lists::keys_of(model);
    let flows = model.meaning.flows.iter();
    let flows = flows.filter(|f| f.id.iter().all(|key| keys.contains(key)));
    names.extend(flows.map(|f| Subject::Underway(f.name.clone()).text()));
    names.extend(numbers(model));
    names
}

/// Whether a state can have been told: as a value of the key that names states, or by an event that changes it without a name.
fn may_occur(model: &Model, entity: Option<&Arc<Entity>>, state: &str) -> bool {
    let Some(entity) = entity else { return false };
    let keys = &model.snapshot.catalog.keys;
    let key = entity.state.as_ref().and_then(|name| keys.find(name));
    let named = key.and_then(|id| keys.get(id));
    let is_named = named.is_some_and(|k| k.dict.iter().any(|(_, text)| text == state));
    is_named || entity.transitions.iter().any(|t| t.state == state)
}

fn add(model: &mut Model, name: &str) -> Vec<Effect> {
    let of = Subject::parse(name, &model.meaning.entities, &model.meaning.flows);
    let mut wanted = chosen(model);
    if !wanted.contains(&of) {
        wanted.push(of);
    }
    if wanted.len() > usize::from(CURVES) {
        wanted.remove(0);
    }
    choose(model, wanted)
}

fn drop_curve(model: &mut Model, name: &str) -> Vec<Effect> {
    let mut wanted = chosen(model);
    wanted.retain(|of| of.text() != name);
    choose(model, wanted)
}

fn chosen(model: &Model) -> Vec<Subject> {
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

fn choose(model: &mut Model, wanted: Vec<Subject>) -> Vec<Effect> {
    model.popup = None;
    model.plots.curves = Some(wanted);
    (model.plots.epoch, model.plots.asked_of) = (0, 0);
    let mut effects = show(model, View::Events);
    effects.extend(keep_up(model));
    effects
}

/// Asks for the curves under the strip when the selection has changed since. A run that still loads has them of what is
/// loaded; the next ones are asked for when there is a good deal more, so that loading is not held up by them.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    let most = usual_curves(model.screen.size.1);
    let len = model.snapshot.len();
    let is_settled = model.snapshot.complete && !model.joins.is_running;
    let steps = model.selection.steps();
    let plots = &mut model.plots;
    let is_like_before = plots.steps == steps && len < plots.asked_of + plots.asked_of / 4;
    if !is_settled && is_like_before {
        return None;
    }
    let is_there =
        model.view == View::Events && model.screen.size.1 >= crate::ui::layout::CURVES_FROM;
    let is_fresh = plots.epoch == model.epoch && (plots.most == most || plots.curves.is_some());
    if !is_there || plots.is_asked || is_fresh || model.snapshot.is_empty() {
        return None;
    }
    plots.epoch = model.epoch;
    plots.most = most;
    plots.asked_of = len;
    plots.steps = steps.to_vec();
    plots.is_asked = true;
    let asked = curves_asked(model);
    let question = Question::Curves(model.rows.own().clone(), asked);
    Some(ask(model, question))
}

/// Which curves stand under the strip.
pub(super) fn curves_asked(model: &Model) -> CurvesAsked {
    CurvesAsked {
        meaning: model.meaning.clone(),
        steps: model.selection.steps().to_vec(),
        of: model.plots.curves.clone(),
        most: usual_curves(model.screen.size.1),
    }
}

/// The curves were computed.
pub(super) fn drawn(model: &mut Model, curves: Arc<[Curve]>) {
    let named = model.plots.curves.is_some();
    if named && let Some(empty) = curves.iter().find(|c| c.points.is_empty()) {
        let text = format!("{} says nothing in these records", empty.subject.text());
        say(model, text);
    }
    model.plots.drawn = curves;
    model.plots.is_asked = false;
    moves::settle(model);
}

/// Moves the moment under the cursor by columns.
pub(super) fn sideways(model: &mut Model, columns: i64) -> Vec<Effect> {
    let Some(axis) = axis_of(model) else {
        return Vec::new();
    };
    let (from, to) = axis.range;
    let now = moment(model).unwrap_or(from).clamp(from, to);
    let column = i64::from(axis.column_of(now)) + columns;
    let column = column.clamp(0, i64::from(axis.columns.saturating_sub(1)));
    let (start, end) = axis.stretch(column as u16);
    // The middle of the column: its start may belong to the one before.
    let middle = start.saturating_add(end.saturating_sub(start) / 2);
    model.plots.moment = Some(middle.clamp(from, to));
    Vec::new()
}

/// Puts the moment to a column of the picture.
pub(super) fn to_column(model: &mut Model, column: u16) {
    if let Some(axis) = axis_of(model) {
        let (start, end) = axis.stretch(column.min(axis.columns.saturating_sub(1)));
        let middle = start.saturating_add(end.saturating_sub(start) / 2);
        model.plots.moment = Some(middle);
    }
}

/// Brushes the time from the column where the button was pressed to this one.
pub(super) fn brush(model: &mut Model, to: usize) -> Vec<Effect> {
    let (Some(from), Some(axis)) = (model.events.dragged_from, axis_of(model)) else {
        return Vec::new();
    };
    let last = usize::from(axis.columns.saturating_sub(1));
    let stretch = |column: usize| axis.stretch(column.min(last) as u16);
    let (start, end) = (stretch(from.min(to)).0, stretch(from.max(to)).1);
    let end = match from.max(to) >= last {
        true => axis.range.1,
        false => end.saturating_sub(1),
    };
    let brush = Brush {
        from: start,
        to: end.max(start),
        edge: Edge::Both,
    };
    time::brush(model, brush);
    Vec::new()
}

fn beside(model: &mut Model, forward: bool) -> Vec<Effect> {
    let found = gantt_of(model).and_then(|(state, gantt)| {
        let time = moment(model)?;
        gantt.beside(lane_of(state)?, time, forward)
    });
    match found {
        Some(time) => model.plots.moment = Some(time),
        None => say(model, "there is no further bar in this row".to_owned()),
    }
    Vec::new()
}

/// Looks closer at the bar under the cursor; `None` when there is none.
pub(super) fn open(model: &mut Model) -> Option<Vec<Effect>> {
    let (state, gantt) = gantt_of(model)?;
    let bar = gantt.at(lane_of(state)?, moment(model)?)?;
    let step = gantt.step(bar)?;
    model.view = View::Events;
    Some(select::push(model, step))
}

/// Leaving for the events, the record at the moment is under the cursor there.
pub(super) fn leave(model: &mut Model) {
    if let Some(time) = model.plots.moment.take()
        && !model.is_empty()
    {
        let row = model.rows.row_at_time(&model.snapshot, time);
        moves::to_row(model, row.min(model.len() - 1));
    }
}
