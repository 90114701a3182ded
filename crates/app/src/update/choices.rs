//! Settings of the plots and curves: lists of their possible values, and the commands that set them.

use std::sync::Arc;

use crate::command::Command;
use crate::layout::CURVES;
use crate::model::view::Split;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::{Item, ItemAction, Picker, PickerKind};
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

/// Properties of instances by which plots can be grouped though no record states them.
const COMPUTED: [(&str, &str); 2] = [
    ("run", "the run that it belongs to"),
    ("depth", "length of the chain of dependencies before it"),
];

/// Opens the list of possible arguments of a command, or notifies the user that there are none.
pub(super) fn offer(model: &mut Model, command: Command) -> Vec<Effect> {
    let items = items(model, command);
    let is_known = model.number_keys.is_some();
    // Finding all keys with numbers requires a pass over all records; until it completes, the list
    // relies on the definitions and first values of keys.
    let asked = match command {
        Command::ViewSeries | Command::AddCurve if !is_known => vec![ask(model, Question::Numbers)],
        _ => Vec::new(),
    };
    if items.is_empty() {
        let text = match command {
            Command::DropCurve => "no curve is drawn",
            _ => "nothing in these logs is known that could be drawn",
        };
        return say(model, text);
    }
    let picker = Picker::new(PickerKind::Choice, items).titled(title(model, command));
    model.popup = Some(picker.into());
    asked
}

/// Item that applies a choice.
fn item(name: &str, summary: &str, choice: PlotChoice) -> Item {
    Item::choice(name.to_owned(), summary, ItemAction::SetPlotOption(choice))
}

/// Items for the choices of a name, each with its summary.
fn named<'a>(
    names: impl IntoIterator<Item = String> + 'a,
    choice: impl Fn(String) -> PlotChoice + 'a,
    summary: impl Fn(&str) -> String + 'a,
) -> impl Iterator<Item = Item> + 'a {
    let names = names.into_iter();
    names.map(move |name| {
        // A label in the words of the name says nothing more.
        let summary = Some(summary(&name)).filter(|s| !name.ends_with(&s.replace(' ', "_")));
        item(&name, &summary.unwrap_or_default(), choice(name.clone()))
    })
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

/// Items for the possible arguments of a command in the current view.
fn items(model: &Model, command: Command) -> Vec<Item> {
    let of_entity = |name: &str| plural(model, name);
    let label = |key: &str| keys_in_run::label(model, key);
    match command {
        Command::PlotEntity => named(entities(model), PlotChoice::Entity, of_entity).collect(),
        Command::PlotBy if is_by_resource(model) => {
            let by = |name| PlotChoice::Rows(RowsBy::Carrier(name));
            let each = item(EACH, "", PlotChoice::Rows(RowsBy::Each));
            named(carriers(model), by, of_entity)
                .chain([each])
                .collect()
        }
        Command::PlotBy => {
            let none = item(NOTHING, "", by_key(model, None));
            let by = |key| by_key(model, Some(key));
            let computed = COMPUTED.map(|(name, summary)| item(name, summary, by(name.to_owned())));
            let fixed = [none].into_iter().chain(computed);
            fixed.chain(named(keys(model), by, label)).collect()
        }
        Command::PlotColour => {
            let state = item(STATE, "", PlotChoice::Colour(ColourBy::State));
            let by = |key| PlotChoice::Colour(ColourBy::Key(key));
            [state]
                .into_iter()
                .chain(named(keys(model), by, label))
                .collect()
        }
        Command::PairBy => {
            let best = "what pairs and tells apart most of them";
            let fixed = [
                item(BEST, best, PlotChoice::Pair(PairBy::Best)),
                item(
                    NOTHING,
                    "the next end, as in a queue",
                    PlotChoice::Pair(PairBy::Queue),
                ),
            ];
            let by = |key| PlotChoice::Pair(PairBy::Key(key));
            let keys = named(keys_in_run::names(model), by, label);
            fixed.into_iter().chain(keys).collect()
        }
        Command::PlotsWith => {
            let item = |drawing: Drawing| item(drawing.name(), "", PlotChoice::Drawing(drawing));
            Drawing::ALL.map(item).into()
        }
        Command::ViewSeries => {
            let summary = |key: &str| number_keys::described(model, key);
            named(number_keys::names(model), PlotChoice::Number, summary).collect()
        }
        Command::AddCurve => {
            let item = |of: CurveSubject| {
                let summary = match &of {
                    CurveSubject::Key(key) => number_keys::described(model, key),
                    of => described(model, of),
                };
                item(&of.text(), &summary, PlotChoice::Add(of.clone()))
            };
            addable(model).into_iter().map(item).collect()
        }
        _ => {
            let drawn = model.plots.drawn.iter().map(|c| &c.subject);
            let item = |of: &CurveSubject| {
                item(
                    &of.text(),
                    &described(model, of),
                    PlotChoice::Drop(of.clone()),
                )
            };
            drawn.map(item).collect()
        }
    }
}

/// True if the view has a row for each resource.
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

/// Names of the keys and fields that plots can be grouped or coloured by: first the labels and places of work.
fn keys(model: &Model) -> impl Iterator<Item = String> {
    let fields = ["source", "level", "template"].map(str::to_owned);
    let work = model.meaning.entities.iter().filter(|e| e.is_work_item());
    let of_work: Vec<&String> = work
        .flat_map(|e| e.label_keys.iter().chain(&e.place_keys))
        .collect();
    let (first, rest): (Vec<String>, Vec<String>) = keys_in_run::names(model)
        .into_iter()
        .partition(|key| of_work.contains(&key));
    first.into_iter().chain(fields).chain(rest)
}

/// Description of a curve in the list.
fn described(model: &Model, subject: &CurveSubject) -> String {
    match subject {
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
            return alert(model, problem);
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
                return alert(model, format!("`{name}`: braille, blocks or ascii{hint}"));
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
    let is_fixed = [NOTHING, STATE, BEST, EACH].contains(&written)
        || command == Command::PlotBy && COMPUTED.iter().any(|(name, _)| *name == written);
    let is_own = keys.find(written).is_none() && is_fixed;
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
                return alert(model, format!("no entity is called {name}"));
            }
            model.plots.choices.entity = Some(name);
            model.plots.choices.dag.clear();
            // The plot of the entity replaces that of spans between marked records.
            model.plots.marks = MarkedEnds::default();
            // Another entity may run on other resources.
            model.plots.choices.rows_by = RowsBy::default();
            if !model.view.is_plotted() || model.view == View::SERIES {
                turn_to(model, View::STATES);
            }
        }
        PlotChoice::Rows(by) => model.plots.choices.rows_by = by,
        PlotChoice::Lines(by) => model.plots.choices.key_by = by,
        PlotChoice::Dag(by) => model.plots.choices.dag_by = by,
        PlotChoice::States(by) => model.plots.choices.states_by = by,
        PlotChoice::Spans(by) => model.plots.choices.spans_by = by,
        PlotChoice::Steps(by) => model.plots.choices.steps_by = by,
        PlotChoice::Pair(by) => model.plots.choices.pairing = by,
        PlotChoice::Colour(by) => model.plots.choices.colour = by,
        PlotChoice::Number(key) => {
            model.plots.choices.key_by = LinesBy::Default;
            model.plots.choices.key = Some(key);
            turn_to(model, View::SERIES);
        }
        PlotChoice::Drawing(drawing) => {
            model.popup = None;
            model.screen.plots_with = drawing;
            return say(model, format!("pictures are drawn with {}", drawing.name()));
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
    let of = model.plots.choices.entity.as_deref();
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
    let Some(picker) = model.popup_of::<Picker>() else {
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
    let items = items(model, command);
    if let Some(picker) = model.popup_of_mut::<Picker>() {
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
