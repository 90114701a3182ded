//! Pickers: palette, help, marks, themes and keymaps, and the actions of their items.

use std::sync::Arc;

use crate::clipboard_text::ClipboardText;
use crate::command::{COMMANDS, Command, CommandInfo, Topic};
use crate::keymap::{self, Keymap};
use crate::keys_in_run;
use crate::model::{Model, View, ViewSubject};
use crate::msg::Effect;
use crate::popups::{HERE, Item, ItemAction, Picker, PickerKind};
use crate::repetition::CommandCall;
use widetui_core::words::{plural, several};
use widetui_query::{Expr, Field};
use widetui_session::jobs::Question;
use widetui_session::record_texts::Place;
use widetui_session::rows::ValueStat;
use widetui_session::selection::SelectionStep;
use widetui_time::time::format_clock;

use super::{Layer, Picked};
use crate::update::availability::why_not;
use crate::update::primitives::navigation::show_records;
use crate::update::primitives::notices::{alert, say};
use crate::update::primitives::questions::ask;
use crate::update::primitives::{navigation, prompts, record_cursor};
use crate::update::{choices, compare, instance_views, name_lookup, runs};

/// Maximum number of recently picked items to remember.
const RECENT: usize = 20;

/// Behaviour of the picker.
pub(super) static LAYER: Layer = Layer {
    run: |_, _| None,
    take: pick,
    letter: |_, _| None,
    click: None,
};

/// Opens the palette: commands, themes, keymaps, tables, sources and keys by name, recently picked items first.
pub(in crate::update) fn palette(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let mut items = commands(model);
    // Order before anything is typed: views first, cursor movement last.
    items.sort_by_key(|item| Some(topic(item)?.rank_in_palette()));
    for name in model.choices.theme_names() {
        items.push(Item::choice(
            format!("theme {name}"),
            "these colours",
            ItemAction::Theme(name),
        ));
    }
    for name in keymap::names(&model.choices.keymaps) {
        items.push(Item::choice(
            format!("keymap {name}"),
            "these keys",
            ItemAction::Keymap(name),
        ));
    }
    let occurring = keys_in_run::keys_that_occur(&model.snapshot);
    let entities = keys_in_run::entities_that_occur(model);
    items.extend(entities.into_iter().map(|entity| {
        let action = ItemAction::OpenInstances(entity.name.clone());
        Item {
            topic: "tables",
            ..Item::choice(plural(&entity.title), "as a table", action)
        }
    }));
    items.extend(model.snapshot.sources.iter().map(|source| {
        let name = model.source_names.name_of(source).to_owned();
        let expr = Expr::equals(Field::Source, source.path.as_str());
        let records = several(source.stats.records() as usize, "record");
        let action = ItemAction::Pivot(format!("source {name}"), expr);
        Item {
            topic: "sources",
            ..Item::choice(name, &format!("source: only its {records}"), action)
        }
    }));
    let keys = model.snapshot.catalog.keys.iter();
    items.extend(keys.filter(|k| occurring.contains(k.key.id)).map(|k| {
        let stats = model.key_stats.iter().flat_map(|s| s.iter());
        let stat = stats.clone().find(|s| s.key == *k.key.name);
        let summary = match stat.and_then(|s| Some((s.distinct?, s.events))) {
            Some((values, events)) => format!(
                "key: {} in {}",
                several(values as usize, "value"),
                several(events as usize, "record")
            ),
            None => format!("key: filter by {}", k.key.label),
        };
        let name = k.key.name.to_string();
        Item {
            summary,
            topic: "keys",
            ..Item::choice(name.clone(), "", ItemAction::Filter(name))
        }
    }));
    let recent = &model.user_data.recent;
    let rank = |item: &Item| {
        recent
            .iter()
            .position(|r| *r == item.name)
            .unwrap_or(RECENT)
    };
    items.sort_by_key(rank);
    let mut picker = Picker::new(PickerKind::Palette, items);
    picker.values = model.user_data.values.clone();
    let is_known = picker.values.is_some();
    model.popup = Some(picker.into());
    if is_known {
        return Vec::new();
    }
    vec![ask(model, Question::Values)]
}

/// Stores the value counts of all keys and updates the open picker.
pub(in crate::update) fn counted(model: &mut Model, values: Arc<[ValueStat]>) -> Vec<Effect> {
    model.user_data.values = Some(values.clone());
    compare::counted(model);
    let mut cursor = 0;
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        cursor = picker.cursor;
        if picker.kind == PickerKind::Palette {
            picker.values = Some(values);
            picker.refresh();
        }
    }
    let effects = name_lookup::rewritten(model);
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        picker.cursor = cursor.min(picker.shown.len().saturating_sub(1));
    }
    effects
}

/// Opens the help: all commands and their key bindings, by topic.
pub(in crate::update) fn help(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let mut items = commands(model);
    items.sort_by_key(topic);
    // Commands that are useful in the current view come before the complete list.
    let here = model.focus().hints.iter();
    let here: Vec<Item> = here
        .filter_map(|command| items.iter().find(|i| i.action == ItemAction::Run(*command)))
        .filter(|item| !item.keys.is_empty() && item.why_not.is_none())
        .map(|item| Item {
            topic: HERE,
            ..item.clone()
        })
        .collect();
    open(
        model,
        PickerKind::Help,
        here.into_iter().chain(items).collect(),
    )
}

fn topic(item: &Item) -> Option<Topic> {
    match item.action {
        ItemAction::Run(command) => Some(command.info().topic),
        _ => None,
    }
}

fn choose(model: &mut Model, title: &'static str, items: Vec<Item>) -> Vec<Effect> {
    let picker = Picker::new(PickerKind::Choice, items).titled(title);
    model.popup = Some(picker.into());
    Vec::new()
}

fn open(model: &mut Model, kind: PickerKind, items: Vec<Item>) -> Vec<Effect> {
    model.popup = Some(Picker::new(kind, items).into());
    Vec::new()
}

fn commands(model: &Model) -> Vec<Item> {
    let scopes = model.scopes();
    let item = |info: &CommandInfo| Item {
        name: info.name.to_owned(),
        summary: info.summary.to_owned(),
        aliases: info.aliases,
        keys: short(model.keymap.all_keys_of(&scopes, info.command)),
        topic: info.topic.title(),
        action: ItemAction::Run(info.command),
        why_not: why_not(model, info.command).map(str::to_owned),
    };
    COMMANDS.iter().map(item).collect()
}

/// Maximum number of key bindings per command in a list; the key hints of a prefix show the others.
const KEYS: usize = 3;

/// Joins the key bindings of a command, single keys first, shortened to [`KEYS`].
fn short(mut keys: Vec<String>) -> String {
    keys.sort_by_key(|k| k.contains(' '));
    if keys.len() > KEYS {
        keys.truncate(KEYS - 1);
        keys.push("…".to_owned());
    }
    keys.join(" · ")
}

/// Opens the list of marked records and records with notes, in time order.
pub(in crate::update) fn marks(model: &mut Model) -> Vec<Effect> {
    let items = kept_items(model);
    if items.is_empty() {
        let keys = |command| model.key_of(command);
        let (mark, note) = (keys(Command::Mark), keys(Command::Note));
        return say(
            model,
            format!("nothing is marked: {mark} marks a record, {note} writes a note to it"),
        );
    }
    open(model, PickerKind::Marks, items)
}

fn kept_items(model: &Model) -> Vec<Item> {
    let mut places: Vec<Place> = model.marks.clone();
    places.extend(
        model
            .user_data
            .notes
            .keys()
            .filter(|p| !model.marks.contains(p)),
    );
    let mut items: Vec<(i64, Place, Item)> = places
        .into_iter()
        .filter_map(|place| {
            let id = model.snapshot.event_at(place.source, place.offset)?;
            let event = model.snapshot.event(id)?;
            let time = event.time().map_or_else(String::new, |t| {
                format_clock(t, model.zone.offset_at_utc(t), model.source_names.digits)
            });
            let begin = model
                .user_data
                .begins
                .get(&place)
                .cloned()
                .unwrap_or_default();
            let summary = match model.user_data.notes.get(&place) {
                Some(note) => format!("✎ {note}  · {begin}"),
                None => begin,
            };
            let name = format!("{time} {}", model.source_names.name_of(event.source()));
            let action = ItemAction::Record(place);
            let item = Item::choice(name.trim().to_owned(), &summary, action);
            Some((event.order_time(), place, item))
        })
        .collect();
    items.sort_by_key(|(time, place, _)| (*time, place.source, place.offset));
    items.into_iter().map(|(.., item)| item).collect()
}

/// Removes mark and note from the record under the cursor in the list of marks.
pub(in crate::update) fn forget(model: &mut Model) -> Vec<Effect> {
    let Some(picker) = model.popup_of::<Picker>() else {
        return say(model, "only in the list of marks");
    };
    let (cursor, written) = (picker.cursor, picker.line.clone());
    let Some(ItemAction::Record(place)) = picker.current().map(|i| i.action.clone()) else {
        return say(model, "only in the list of marks");
    };
    model.marks.retain(|m| *m != place);
    model.user_data.notes.remove(&place);
    let mut picker = Picker::new(PickerKind::Marks, kept_items(model));
    picker.line = written;
    picker.refresh();
    picker.cursor = cursor.min(picker.shown.len().saturating_sub(1));
    model.popup = (!picker.items.is_empty()).then(|| picker.into());
    Vec::new()
}

pub(in crate::update) fn themes(model: &mut Model) -> Vec<Effect> {
    let names = model.choices.theme_names().into_iter();
    let items = names.map(|n| Item::choice(n.clone(), "", ItemAction::Theme(n)));
    choose(model, "which colours?", items.collect())
}

pub(in crate::update) fn keymaps(model: &mut Model) -> Vec<Effect> {
    let names = keymap::names(&model.choices.keymaps).into_iter();
    let items = names.map(|n| Item::choice(n.clone(), "", ItemAction::Keymap(n)));
    choose(model, "which keys?", items.collect())
}

/// Runs the action of the item under the cursor, or returns the command that the item stands for.
fn pick(model: &mut Model) -> Picked {
    name_lookup::know(model);
    let Some(picker) = model.popup_of::<Picker>().cloned() else {
        return Picked::Done(Vec::new());
    };
    model.popup = None;
    let Some(item) = picker.current() else {
        return Picked::Done(Vec::new());
    };
    if picker.kind == PickerKind::Palette {
        let recent = &mut model.user_data.recent;
        recent.retain(|r| *r != item.name);
        recent.insert(0, item.name.clone());
        recent.truncate(RECENT);
    }
    let call = |command, argument| {
        Picked::Call(CommandCall {
            command,
            count: 1,
            argument,
        })
    };
    Picked::Done(match item.action.clone() {
        ItemAction::Run(command) => return call(command, None),
        ItemAction::RunWith(command, text) => return call(command, Some(text)),
        ItemAction::SetPlotOption(choice) => choices::take(model, choice),
        ItemAction::Filter(key) => prompts::open_filter(model, &format!("{key} = ")),
        ItemAction::Pivot(label, expr) => {
            navigation::only(model, SelectionStep::new(label, expr), None)
        }
        ItemAction::SelectInstance(instance) => navigation::only_instance(model, &instance),
        ItemAction::OpenInstances(entity) => {
            navigation::show_about(model, View::INSTANCES, ViewSubject::Entity(entity))
        }
        ItemAction::OpenTrace(instance) => instance_views::about(model, *instance),
        ItemAction::Record(place) => go_to(model, place),
        ItemAction::CompareWith(side) => compare::with(model, *side),
        ItemAction::CompareWritten(text) => compare::write(model, &text),
        ItemAction::CompareRuns => runs::compare(model),
        ItemAction::Copy(text) => vec![Effect::Copy(ClipboardText::new(&text))],
        ItemAction::Theme(name) => wear(model, &name),
        ItemAction::Keymap(name) => press_by(model, &name),
    })
}

/// Goes to a record; alerts if it is not selected.
fn go_to(model: &mut Model, place: Place) -> Vec<Effect> {
    show_records(model);
    let id = model.snapshot.event_at(place.source, place.offset);
    match id.and_then(|id| model.rows.row_of(&model.snapshot, id)) {
        Some(row) => record_cursor::jump_to(model, row),
        None => {
            let key = model.key_of(Command::Clear);
            alert(
                model,
                format!("it is not among the selected records: {key} shows all"),
            );
        }
    }
    Vec::new()
}

pub(in crate::update) fn wear(model: &mut Model, name: &str) -> Vec<Effect> {
    match model.choices.check_theme(name) {
        Ok(()) => {
            model.screen.theme = name.to_owned();
            say(model, format!("theme {name}"))
        }
        Err(error) => alert(model, format!("theme `{name}`: {error}")),
    }
}

pub(in crate::update) fn press_by(model: &mut Model, name: &str) -> Vec<Effect> {
    match Keymap::chosen(name, &model.choices.keymaps) {
        Ok(keymap) => {
            model.keymap = Arc::new(keymap);
            say(model, format!("keymap {name}"))
        }
        Err(error) => alert(model, format!("keymap `{name}`: {error}")),
    }
}
