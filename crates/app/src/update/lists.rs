//! Pickers: palette, help, marks, themes and keymaps, and the actions of their items.

use std::sync::Arc;

use crate::clipboard_text::ClipboardText;
use crate::command::{COMMANDS, Command, CommandInfo, Topic, hints};
use crate::keymap::{self, Keymap};
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::{HERE, Item, ItemAction, Picker, PickerKind, Popup};
use widetui_core::ids::KeyId;
use widetui_core::words::several;
use widetui_session::jobs::Question;
use widetui_session::record_texts::Place;
use widetui_session::rows::ValueStat;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;
use widetui_time::time::format_clock;

use super::{
    alert, ask, choices, compare, instance_views, jumps, line, name_lookup, runs, say, select,
    show, why_not,
};

/// Maximum number of recently picked items to remember.
const RECENT: usize = 20;

/// Opens the palette: commands, themes, keymaps and keys by name, recently picked items first.
pub(super) fn palette(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let mut items = commands(model);
    // Order before anything is typed: views first, cursor movement last.
    items.sort_by_key(|item| Some(topic(item)?.rank_in_palette()));
    for name in model.choices.theme_names() {
        items.push(choice(
            format!("theme {name}"),
            "these colours",
            ItemAction::Theme(name),
        ));
    }
    for name in keymap::names(&model.choices.keymaps) {
        items.push(choice(
            format!("keymap {name}"),
            "these keys",
            ItemAction::Keymap(name),
        ));
    }
    let occurring = keys_that_occur(&model.snapshot);
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
            ..choice(name.clone(), "", ItemAction::Filter(name))
        }
    }));
    let recent = &model.kept.recent;
    let rank = |item: &Item| {
        recent
            .iter()
            .position(|r| *r == item.name)
            .unwrap_or(RECENT)
    };
    items.sort_by_key(rank);
    let mut picker = Picker::new(PickerKind::Palette, items);
    picker.values = model.kept.values.clone();
    let is_known = picker.values.is_some();
    model.popup = Some(Popup::Picker(picker));
    if is_known {
        return Vec::new();
    }
    vec![ask(model, Question::Values)]
}

/// Stores the value counts of all keys and updates the open picker.
pub(super) fn counted(model: &mut Model, values: Arc<[ValueStat]>) -> Vec<Effect> {
    model.kept.values = Some(values.clone());
    compare::counted(model);
    let mut cursor = 0;
    if let Some(Popup::Picker(picker)) = &mut model.popup {
        cursor = picker.cursor;
        if picker.kind == PickerKind::Palette {
            picker.values = Some(values);
            picker.refresh();
        }
    }
    let effects = name_lookup::rewritten(model);
    if let Some(Popup::Picker(picker)) = &mut model.popup {
        picker.cursor = cursor.min(picker.shown.len().saturating_sub(1));
    }
    effects
}

/// Opens the help: all commands and their key bindings, by topic.
pub(super) fn help(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    let mut items = commands(model);
    items.sort_by_key(topic);
    // Commands that are useful in the current view come before the complete list.
    let here = hints(model.scopes()[0]).iter();
    let here: Vec<Item> = here
        .filter_map(|command| items.iter().find(|i| i.goal == ItemAction::Run(*command)))
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
    match item.goal {
        ItemAction::Run(command) => Some(command.info().topic),
        _ => None,
    }
}

fn choose(model: &mut Model, title: &'static str, items: Vec<Item>) -> Vec<Effect> {
    let picker = Picker::new(PickerKind::Choice, items).titled(title);
    model.popup = Some(Popup::Picker(picker));
    Vec::new()
}

fn open(model: &mut Model, kind: PickerKind, items: Vec<Item>) -> Vec<Effect> {
    model.popup = Some(Popup::Picker(Picker::new(kind, items)));
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
        goal: ItemAction::Run(info.command),
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

/// Creates an item of a picker, without keys or aliases.
pub(super) fn choice(name: String, summary: &str, goal: ItemAction) -> Item {
    Item {
        name,
        summary: summary.to_owned(),
        aliases: "",
        keys: String::new(),
        topic: "choice",
        goal,
        why_not: None,
    }
}

/// Sorted names of the keys that at least one record has.
pub(super) fn keys_of(model: &Model) -> Vec<String> {
    let occurring = keys_that_occur(&model.snapshot);
    let keys = model.snapshot.catalog.keys.iter();
    let keys = keys.filter(|k| occurring.contains(k.key.id));
    let mut names: Vec<String> = keys.map(|k| k.key.name.to_string()).collect();
    names.sort();
    names
}

/// Finds the keys that at least one record has; definitions declare many more.
fn keys_that_occur(snapshot: &Snapshot) -> Occurring {
    let mut out = Occurring(vec![false; snapshot.catalog.keys.len()]);
    // A long run repeats the same shapes in many segments.
    let mut shapes = vec![false; snapshot.catalog.shapes.len()];
    for group in snapshot.segments.iter().flat_map(|s| &s.groups) {
        out.note(group.columns.iter().map(|(key, _)| *key));
        let index = group.shape.index();
        if let Some(known) = shapes.get_mut(index).filter(|known| !**known)
            && let Some(shape) = snapshot.catalog.shapes.get(index)
        {
            *known = true;
            out.note(shape.consts.iter().map(|(key, _)| *key));
        }
    }
    out.note(snapshot.catalog.context_keys.iter().copied());
    for source in snapshot.sources.iter() {
        out.note(source.consts.iter().map(|(key, _)| *key));
    }
    out
}

/// Set of keys that occur in a run, indexed by key id.
struct Occurring(Vec<bool>);

impl Occurring {
    fn note(&mut self, keys: impl Iterator<Item = KeyId>) {
        for key in keys {
            if let Some(is_there) = self.0.get_mut(key.index()) {
                *is_there = true;
            }
        }
    }

    fn contains(&self, key: KeyId) -> bool {
        self.0.get(key.index()).copied().unwrap_or_default()
    }
}

/// Opens the list of marked records and records with notes, in time order.
pub(super) fn marks(model: &mut Model) -> Vec<Effect> {
    let items = kept_items(model);
    if items.is_empty() {
        let keys = |command| {
            model
                .keymap
                .keys_of(&model.scopes(), command)
                .unwrap_or_default()
        };
        let (mark, note) = (keys(Command::Mark), keys(Command::Note));
        let text = format!("nothing is marked: {mark} marks a record, {note} writes a note to it");
        say(model, text);
        return Vec::new();
    }
    open(model, PickerKind::Marks, items)
}

fn kept_items(model: &Model) -> Vec<Item> {
    let mut places: Vec<Place> = model.marks.clone();
    places.extend(model.kept.notes.keys().filter(|p| !model.marks.contains(p)));
    let mut items: Vec<(i64, Place, Item)> = places
        .into_iter()
        .filter_map(|place| {
            let id = model.snapshot.event_at(place.source, place.offset)?;
            let event = model.snapshot.event(id)?;
            let time = event.time().map_or_else(String::new, |t| {
                format_clock(t, model.zone.offset_at_utc(t), model.naming.digits)
            });
            let begin = model.kept.begins.get(&place).cloned().unwrap_or_default();
            let summary = match model.kept.notes.get(&place) {
                Some(note) => format!("✎ {note}  · {begin}"),
                None => begin,
            };
            let name = format!("{time} {}", model.naming.name_of(event.source()));
            let goal = ItemAction::Record(place);
            let item = choice(name.trim().to_owned(), &summary, goal);
            Some((event.order_time(), place, item))
        })
        .collect();
    items.sort_by_key(|(time, place, _)| (*time, place.source, place.offset));
    items.into_iter().map(|(.., item)| item).collect()
}

/// Removes mark and note from the record under the cursor in the list of marks.
pub(super) fn forget(model: &mut Model) -> Vec<Effect> {
    let Some(Popup::Picker(picker)) = &model.popup else {
        say(model, "only in the list of marks".to_owned());
        return Vec::new();
    };
    let (cursor, written) = (picker.cursor, picker.line.clone());
    let Some(ItemAction::Record(place)) = picker.current().map(|i| i.goal.clone()) else {
        say(model, "only in the list of marks".to_owned());
        return Vec::new();
    };
    model.marks.retain(|m| *m != place);
    model.kept.notes.remove(&place);
    let mut picker = Picker::new(PickerKind::Marks, kept_items(model));
    picker.line = written;
    picker.refresh();
    picker.cursor = cursor.min(picker.shown.len().saturating_sub(1));
    model.popup = (!picker.items.is_empty()).then_some(Popup::Picker(picker));
    Vec::new()
}

pub(super) fn themes(model: &mut Model) -> Vec<Effect> {
    let names = model.choices.theme_names().into_iter();
    let items = names.map(|n| choice(n.clone(), "", ItemAction::Theme(n)));
    choose(model, "which colours?", items.collect())
}

pub(super) fn keymaps(model: &mut Model) -> Vec<Effect> {
    let names = keymap::names(&model.choices.keymaps).into_iter();
    let items = names.map(|n| choice(n.clone(), "", ItemAction::Keymap(n)));
    choose(model, "which keys?", items.collect())
}

/// Runs the action of the item under the cursor.
pub(super) fn run(model: &mut Model) -> Vec<Effect> {
    name_lookup::know(model);
    let Some(Popup::Picker(picker)) = model.popup.take() else {
        return Vec::new();
    };
    let Some(item) = picker.current() else {
        return Vec::new();
    };
    if picker.kind == PickerKind::Palette {
        let recent = &mut model.kept.recent;
        recent.retain(|r| *r != item.name);
        recent.insert(0, item.name.clone());
        recent.truncate(RECENT);
    }
    match item.goal.clone() {
        ItemAction::Run(command) => super::run_by_user(model, command, None, 1),
        ItemAction::RunWith(command, text) => super::run_by_user(model, command, Some(text), 1),
        ItemAction::SetPlotOption(choice) => choices::take(model, choice),
        ItemAction::Filter(key) => line::open_filter(model, &format!("{key} = ")),
        ItemAction::Pivot(label, expr) => {
            select::only(model, SelectionStep::new(label, expr), None)
        }
        ItemAction::SelectInstance(thing) => instance_views::only(model, &thing),
        ItemAction::OpenTrace(thing) => instance_views::about(model, *thing),
        ItemAction::Record(place) => go_to(model, place),
        ItemAction::CompareWith(side) => compare::with(model, *side),
        ItemAction::CompareWritten(text) => compare::write(model, &text),
        ItemAction::CompareRuns => runs::compare(model),
        ItemAction::Copy(text) => vec![Effect::Copy(ClipboardText::of(&text))],
        ItemAction::Theme(name) => wear(model, &name),
        ItemAction::Keymap(name) => press_by(model, &name),
    }
}

/// Goes to a record; alerts if it is not selected.
fn go_to(model: &mut Model, place: Place) -> Vec<Effect> {
    show(model, View::Events);
    let id = model.snapshot.event_at(place.source, place.offset);
    match id.and_then(|id| model.rows.row_of(&model.snapshot, id)) {
        Some(row) => jumps::to_row(model, row),
        None => {
            let key = model.keymap.keys_of(&model.scopes(), Command::Clear);
            let key = key.unwrap_or_else(|| "clear-selection".to_owned());
            alert(
                model,
                format!("it is not among the selected records: {key} shows all"),
            );
        }
    }
    Vec::new()
}

pub(super) fn wear(model: &mut Model, name: &str) -> Vec<Effect> {
    match model.choices.check_theme(name) {
        Ok(()) => {
            model.screen.theme = name.to_owned();
            say(model, format!("theme {name}"));
        }
        Err(error) => alert(model, format!("theme `{name}`: {error}")),
    }
    Vec::new()
}

pub(super) fn press_by(model: &mut Model, name: &str) -> Vec<Effect> {
    match Keymap::chosen(name, &model.choices.keymaps) {
        Ok(keymap) => {
            model.keymap = Arc::new(keymap);
            say(model, format!("keymap {name}"));
        }
        Err(error) => alert(model, format!("keymap `{name}`: {error}")),
    }
    Vec::new()
}
