//! Settings of the plots and curves: lists of their possible values, and the commands that set them.

use std::sync::Arc;

use crate::command::Command;
use crate::layout::CURVES;
use crate::model::view::Split;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::{Item, ItemAction, Picker, PickerKind, Popup};
use crate::{keys_in_run, number_keys, view_plots};
use widetui_analysis::Entity;
use widetui_analysis::entity::names::{ResolvedName, UnresolvedName};
use widetui_analysis::overview::CurveSubject;
use widetui_analysis::resources::resources_of;
use widetui_core::nearest::did_you_mean;
use widetui_core::words::last_part;
use widetui_session::jobs::Question;
use widetui_session::plots::{ColourBy, LinesBy, PairBy, RowsBy};
use widetui_session::rows::NumberKey;
use widetui_tables::drawing::Drawing;
use widetui_tables::plots::settings::{MarkedEnds, PlotChoice};

use super::primitives::navigation::turn_to;
use super::primitives::notices::{alert, say};
use super::primitives::plotting;
use super::primitives::questions::ask;

/// Name of the value that groups, pairs or colours by no key.
const NOTHING: &str = "nothing";

/// Name of the value that colours by state.
const STATE: &str = "state";

/// Name of the value that pairs by the key with the best matches.
const BEST: &str = "best";

/// Name of the value that gives each instance its own row.
const EACH: &str = "each its own row";

/// Opens the list of possible arguments of a command, or notifies the user that there are none.
pub(super) fn offer(model: &mut Model, command: Command) -> Vec<Effect> {
    let choices = choices(model, command);
    let is_known = model.number_keys.is_some();
    // Finding all keys with numbers requires a pass over all records; until it completes, the list
    // relies on the definitions and first values of keys.
    let asked = match command {
        Command::ViewSeries | Command::AddCurve if !is_known => vec![ask(model, Question::Numbers)],
        _ => Vec::new(),
    };
    if choices.is_empty() {
        let text = match command {
            Command::DropCurve => "no curve is drawn",
            _ => "nothing in these logs is known that could be drawn",
        };
        say(model, text.to_owned());
        return Vec::new();
    }
    let items = choices.into_iter().map(|c| item(model, c)).collect();
    let picker = Picker::new(PickerKind::Choice, items).titled(title(model, command));
    model.popup = Some(Popup::Picker(picker));
    asked
}

pub(super) fn item(model: &Model, choice: PlotChoice) -> Item {
    let summary = described(model, &choice);
    Item::choice(text(&choice), &summary, ItemAction::SetPlotOption(choice))
}

fn title(model: &Model, command: Command) -> &'static str {
    match command {
        Command::PlotEntity => "which entity?",
        Command::PlotBy if is_by_resource(model) => "a row for each …",
        Command::PlotBy => "grouped by …",
        Command::PairBy => "an end belongs to the start with the same …",
        Command::PlotColour => "a colour for each …",
        Command::PlotsWith => "pictures are drawn with …",
        Command::ViewSeries => "which number over time?",
        Command::AddCurve => "which curve in the overview?",
        _ => "remove which curve?",
    }
}

/// Possible arguments of a command in the current view.
pub(super) fn choices(model: &Model, command: Command) -> Vec<PlotChoice> {
    match command {
        Command::PlotEntity => entities(model)
            .into_iter()
            .map(PlotChoice::Entity)
            .collect(),
        Command::PlotBy if is_by_resource(model) => {
            let carriers = carriers(model).into_iter().map(RowsBy::Carrier);
            carriers
                .chain([RowsBy::Each])
                .map(PlotChoice::Rows)
                .collect()
        }
        Command::PlotBy => {
            let keys = keys(model).map(Some);
            [None]
                .into_iter()
                .chain(keys)
                .map(|k| by_key(model, k))
                .collect()
        }
        Command::PlotColour => {
            let keys = keys(model).map(ColourBy::Key);
            [ColourBy::State]
                .into_iter()
                .chain(keys)
                .map(PlotChoice::Colour)
                .collect()
        }
        Command::PairBy => {
            let keys = keys_in_run::names(model).into_iter().map(PairBy::Key);
            [PairBy::Best, PairBy::Queue]
                .into_iter()
                .chain(keys)
                .map(PlotChoice::Pair)
                .collect()
        }
        Command::PlotsWith => Drawing::ALL.map(PlotChoice::Drawing).into(),
        Command::ViewSeries => number_keys::names(model)
            .into_iter()
            .map(PlotChoice::Number)
            .collect(),
        Command::AddCurve => addable(model).into_iter().map(PlotChoice::Add).collect(),
        _ => {
            let drawn = model.plots.drawn.iter();
            drawn.map(|c| PlotChoice::Drop(c.subject.clone())).collect()
        }
    }
}

/// Whether the view has a row for each resource.
fn is_by_resource(model: &Model) -> bool {
    matches!(model.view.split, Split::ByResource)
}

/// Setting that groups the view by a key, or by none.
fn by_key(model: &Model, key: Option<String>) -> PlotChoice {
    match model.view.split {
        Split::ByKey(setting) => setting(key),
        Split::ByResource | Split::Never => PlotChoice::Spans(key),
    }
}

/// Names of the fields and keys that plots can be grouped or coloured by.
fn keys(model: &Model) -> impl Iterator<Item = String> {
    let fields = ["source", "level", "template"].map(str::to_owned);
    fields.into_iter().chain(keys_in_run::names(model))
}

/// Name of a choice in the list.
fn text(choice: &PlotChoice) -> String {
    match choice {
        PlotChoice::Entity(name) | PlotChoice::Number(name) => name.clone(),
        PlotChoice::Rows(RowsBy::Each) => EACH.to_owned(),
        PlotChoice::Rows(RowsBy::Carrier(name)) => name.clone(),
        PlotChoice::Lines(LinesBy::Key(key))
        | PlotChoice::Spans(Some(key))
        | PlotChoice::Steps(Some(key)) => key.clone(),
        PlotChoice::Colour(ColourBy::Key(key)) => key.clone(),
        PlotChoice::Pair(PairBy::Key(key)) => key.clone(),
        PlotChoice::Pair(PairBy::Best) => BEST.to_owned(),
        PlotChoice::Pair(PairBy::Queue) => NOTHING.to_owned(),
        PlotChoice::Colour(ColourBy::State) => STATE.to_owned(),
        PlotChoice::Lines(LinesBy::Nothing) | PlotChoice::Spans(None) | PlotChoice::Steps(None) => {
            NOTHING.to_owned()
        }
        PlotChoice::Rows(RowsBy::Innermost) | PlotChoice::Lines(LinesBy::Default) => String::new(),
        PlotChoice::Colour(ColourBy::Default) => String::new(),
        PlotChoice::Drawing(drawing) => drawing.name().to_owned(),
        PlotChoice::Add(subject) | PlotChoice::Drop(subject) => subject.text(),
    }
}

/// Description of a choice in the list, such as the plural of an entity or the label of a key; empty
/// if there is none.
fn described(model: &Model, choice: &PlotChoice) -> String {
    match choice {
        PlotChoice::Entity(name) | PlotChoice::Rows(RowsBy::Carrier(name)) => plural(model, name),
        PlotChoice::Number(key) | PlotChoice::Add(CurveSubject::Key(key)) => {
            number_keys::described(model, key)
        }
        PlotChoice::Lines(LinesBy::Key(key))
        | PlotChoice::Spans(Some(key))
        | PlotChoice::Steps(Some(key))
        | PlotChoice::Colour(ColourBy::Key(key))
        | PlotChoice::Pair(PairBy::Key(key)) => keys_in_run::label(model, key),
        PlotChoice::Pair(PairBy::Best) => "what pairs and tells apart most of them".to_owned(),
        PlotChoice::Pair(PairBy::Queue) => "the next end, as in a queue".to_owned(),
        PlotChoice::Add(subject) | PlotChoice::Drop(subject) => match subject {
            CurveSubject::Key(key) => keys_in_run::label(model, key),
            CurveSubject::Unfinished(entity) => plural(model, entity),
            CurveSubject::Between { .. } => "how many are open between what was marked".to_owned(),
            CurveSubject::State { entity, state } => {
                format!("{} that are {state}", plural(model, entity))
            }
            CurveSubject::InTransit(flow) => {
                let what = last_part(flow);
                format!("messages of {what} that were sent and not received yet")
            }
        },
        _ => String::new(),
    }
}

fn plural(model: &Model, entity: &str) -> String {
    let mut entities = model.meaning.entities.iter();
    let entity = entities.find(|e| e.name == entity);
    entity.map(|e| e.plural()).unwrap_or_default()
}

/// Runs a command with the argument that the user typed, or alerts if no key or entity matches it. A
/// key takes precedence over a fixed value of the same name, which can still be chosen in the list.
pub(super) fn tell(model: &mut Model, command: Command, written: &str) -> Vec<Effect> {
    let written = written.trim();
    let is_key = model.snapshot.catalog.keys.find(written).is_some();
    let (name, note) = match whole_name(model, command, written) {
        Ok(meant) => (meant.item, meant.note),
        Err(problem) => {
            model.popup = None;
            alert(model, problem);
            return Vec::new();
        }
    };
    let key = Some(name.clone()).filter(|n| is_key || n != NOTHING);
    let choice = match command {
        Command::PlotEntity => PlotChoice::Entity(name),
        Command::PlotBy if is_by_resource(model) => {
            let is_carrier = carriers(model).contains(&name);
            PlotChoice::Rows(match name == EACH && !is_carrier {
                true => RowsBy::Each,
                false => RowsBy::Carrier(name),
            })
        }
        Command::PlotBy => by_key(model, key),
        Command::PairBy => PlotChoice::Pair(match (key, name.as_str()) {
            (None, _) => PairBy::Queue,
            (_, BEST) if !is_key => PairBy::Best,
            (Some(key), _) => PairBy::Key(key),
        }),
        Command::PlotColour => PlotChoice::Colour(match (key, name.as_str()) {
            (None, _) => ColourBy::Default,
            (_, STATE) if !is_key => ColourBy::State,
            (Some(key), _) => ColourBy::Key(key),
        }),
        Command::ViewSeries => PlotChoice::Number(name),
        Command::PlotsWith => match Drawing::named(&name) {
            Some(drawing) => PlotChoice::Drawing(drawing),
            None => {
                model.popup = None;
                let hint = did_you_mean(&name, Drawing::ALL.iter().map(|d| d.name()));
                alert(model, format!("`{name}`: braille, blocks or ascii{hint}"));
                return Vec::new();
            }
        },
        Command::AddCurve => PlotChoice::Add(subject(model, &name)),
        Command::DropCurve => {
            let drawn = plotting::chosen(model)
                .into_iter()
                .find(|s| s.text() == name);
            PlotChoice::Drop(drawn.unwrap_or_else(|| subject(model, &name)))
        }
        _ => return plotting::recompute_plots(model),
    };
    let effects = take(model, choice);
    if let Some(note) = note {
        say(model, note);
    }
    effects
}

/// Full name of the key or entity that an argument names; fixed values such as [`NOTHING`] stay as they
/// are. Fails with a message if the name is unknown or ambiguous.
fn whole_name(
    model: &Model,
    command: Command,
    written: &str,
) -> Result<ResolvedName<String>, String> {
    let names = model.meaning.names(&model.snapshot);
    let keys = &model.snapshot.catalog.keys;
    let is_own = keys.find(written).is_none() && [NOTHING, STATE, BEST, EACH].contains(&written);
    let meant = match command {
        _ if is_own => Ok(ResolvedName::exact(written.to_owned())),
        Command::PlotBy if is_by_resource(model) => entity(names.entity(written)),
        Command::PlotEntity => entity(names.entity(written)),
        Command::PlotBy | Command::PairBy | Command::PlotColour | Command::ViewSeries => {
            names.key(written)
        }
        _ => Ok(ResolvedName::exact(written.to_owned())),
    };
    let unknown = format!("no key or entity of these logs is called `{written}`");
    meant.map_err(|unclear| unclear.message(written, &unknown))
}

/// Full name of a resolved entity.
fn entity(
    meant: Result<ResolvedName<Arc<Entity>>, UnresolvedName>,
) -> Result<ResolvedName<String>, UnresolvedName> {
    meant.map(|meant| ResolvedName {
        item: meant.item.name.clone(),
        note: meant.note,
    })
}

fn subject(model: &Model, name: &str) -> CurveSubject {
    CurveSubject::parse(name, &model.meaning.entities, model.meaning.flows())
}

/// Applies a choice, and requests the affected plot or curves.
pub(super) fn take(model: &mut Model, choice: PlotChoice) -> Vec<Effect> {
    match choice {
        PlotChoice::Entity(name) => {
            if !model.meaning.entities.iter().any(|e| e.name == name) {
                alert(model, format!("no entity is called {name}"));
                return Vec::new();
            }
            model.plots.entity = Some(name);
            // The plot of the entity replaces that of spans between marked records.
            model.plots.marks = MarkedEnds::default();
            // Another entity may run on other resources.
            model.plots.rows_by = RowsBy::default();
            if !model.view.is_plotted() || model.view == View::SERIES {
                turn_to(model, View::STATES);
            }
        }
        PlotChoice::Rows(by) => model.plots.rows_by = by,
        PlotChoice::Lines(by) => model.plots.key_by = by,
        PlotChoice::Spans(by) => model.plots.spans_by = by,
        PlotChoice::Steps(by) => model.plots.steps_by = by,
        PlotChoice::Pair(by) => model.plots.pairing = by,
        PlotChoice::Colour(by) => model.plots.colour = by,
        PlotChoice::Number(key) => {
            model.plots.key_by = LinesBy::Default;
            model.plots.key = Some(key);
            turn_to(model, View::SERIES);
        }
        PlotChoice::Drawing(drawing) => {
            model.popup = None;
            model.screen.plots_with = drawing;
            say(model, format!("pictures are drawn with {}", drawing.name()));
            return Vec::new();
        }
        PlotChoice::Add(of) => {
            let mut wanted = plotting::chosen(model);
            if !wanted.contains(&of) {
                wanted.push(of);
            }
            if wanted.len() > usize::from(CURVES) {
                wanted.remove(0);
            }
            return plotting::choose(model, wanted);
        }
        PlotChoice::Drop(of) => {
            let mut wanted = plotting::chosen(model);
            wanted.retain(|w| *w != of);
            return plotting::choose(model, wanted);
        }
    }
    plotting::recompute_plots(model)
}

/// Names of the resources that the plotted entity runs on and that occur in the run.
fn carriers(model: &Model) -> Vec<String> {
    let of = model.plots.entity.as_deref();
    let entities = &model.meaning.entities;
    let keys = &model.snapshot.catalog.keys;
    let own = entities.iter().filter(|e| of.is_none_or(|o| e.name == o));
    let occurs = |id: &Vec<String>| id.iter().all(|key| keys.find(key).is_some());
    let mut names: Vec<String> = Vec::new();
    for carrier in own.flat_map(|e| resources_of(e, entities)) {
        let is_there = carrier.id.iter().any(occurs) && is_there(model, &carrier.name);
        if is_there && !names.contains(&carrier.name) {
            names.push(carrier.name.clone());
        }
    }
    names
}

/// Whether the run has an instance of the entity; true while its instances are not known yet.
fn is_there(model: &Model, entity: &str) -> bool {
    let seen = model.instances.seen.as_ref();
    seen.is_none_or(|(_, seen)| {
        seen.of_entity(entity)
            .is_some_and(|(_, found)| !found.list.is_empty())
    })
}

/// Names of the entities that may occur in the run: it has all keys of one of their ids.
fn entities(model: &Model) -> Vec<String> {
    let keys = keys_in_run::names(model);
    let occurs = |id: &Vec<String>| id.iter().all(|k| keys.contains(k));
    let all = model.meaning.entities.iter();
    all.filter(|e| e.id.iter().any(occurs) && is_there(model, &e.name))
        .map(|e| e.name.clone())
        .collect()
}

/// Curves that can be drawn below the overview.
fn addable(model: &Model) -> Vec<CurveSubject> {
    let mut out = Vec::new();
    if let Some(marks) = model.plots.marks.both() {
        out.push(CurveSubject::Between {
            start: marks.start.expr.to_string(),
            end: marks.end.expr.to_string(),
            key: view_plots::pairing(model),
        });
    }
    for name in entities(model) {
        let known = model.meaning.entities.iter().find(|e| e.name == name);
        let states = known.map_or(&[][..], |e| &e.states);
        let occurring = states.iter().filter(|s| may_occur(model, known, s));
        out.extend(occurring.map(|state| CurveSubject::State {
            entity: name.clone(),
            state: state.clone(),
        }));
        if known.is_some_and(|e| e.can_end()) {
            out.push(CurveSubject::Unfinished(name));
        }
    }
    let keys = keys_in_run::names(model);
    let flows = model.meaning.flows().iter();
    let flows = flows.filter(|f| f.id_keys.iter().all(|key| keys.contains(key)));
    out.extend(flows.map(|f| CurveSubject::InTransit(f.name.clone())));
    out.extend(number_keys::names(model).into_iter().map(CurveSubject::Key));
    out
}

/// Whether an instance may have been in a state: the state is a value of the entity's state key, or
/// results from a state transition.
fn may_occur(model: &Model, entity: Option<&Arc<Entity>>, state: &str) -> bool {
    let Some(entity) = entity else { return false };
    // The known instances decide; until they are known, the keys and transitions do.
    if let Some((_, seen)) = &model.instances.seen
        && let Some((_, found)) = seen.of_entity(&entity.name)
    {
        let number = found.states.iter().position(|s| s == state);
        let mut changes = found.list.iter().flat_map(|i| found.changes(i));
        return number.is_some_and(|n| changes.any(|c| usize::from(c.state) == n));
    }
    let keys = &model.snapshot.catalog.keys;
    let key = entity.state_key.as_ref().and_then(|name| keys.find(name));
    let named = key.and_then(|id| keys.get(id));
    let is_named = named.is_some_and(|k| k.dict.iter().any(|(_, text)| text == state));
    is_named || entity.transitions.iter().any(|t| t.state == state)
}

/// Stores the numeric keys of the run and updates an open picker that offers them.
pub(super) fn numbers_known(model: &mut Model, keys: Arc<[NumberKey]>) {
    model.number_keys = Some(keys);
    let Some(Popup::Picker(picker)) = &model.popup else {
        return;
    };
    let Some(ItemAction::SetPlotOption(first)) = picker.items.first().map(|i| &i.action) else {
        return;
    };
    let command = match first {
        PlotChoice::Number(_) => Command::ViewSeries,
        PlotChoice::Add(_) => Command::AddCurve,
        _ => return,
    };
    let items = choices(model, command).into_iter();
    let items: Vec<Item> = items.map(|c| item(model, c)).collect();
    if let Some(Popup::Picker(picker)) = &mut model.popup {
        let under_cursor = picker.current().map(|i| i.name.clone());
        picker.items = items;
        picker.refresh();
        // The cursor stays on the item that the user already moved to.
        let at = picker
            .shown
            .iter()
            .position(|i| Some(&i.name) == under_cursor.as_ref());
        picker.cursor = at.unwrap_or(0);
    }
}
