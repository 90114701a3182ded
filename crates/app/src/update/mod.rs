//! Update function of the explorer, the only writer of the model: it takes a message, changes the model and returns
//! effects. No I/O, no clock, no terminal.

mod availability;
mod breadcrumb_steps;
mod cells;
mod choices;
mod clipboard;
mod command_line;
mod compare;
mod complete;
mod data;
mod dispatch;
mod export;
mod find;
mod findings;
mod flow;
mod follow;
mod instance_views;
mod join_builder;
mod joins;
mod jumps;
mod line;
mod lists;
mod moves;
mod name_lookup;
pub(crate) mod names;
mod notifications;
mod numbers;
mod panes;
mod plots;
mod reading;
mod roles;
mod row_search;
mod rows;
mod runs;
mod same;
mod select;
mod shift;
mod sources;
mod span_marks;
mod table;
mod time;
mod user_files;
mod views;
mod zone;

use widetui_session::jobs::Question;

use super::command::Command;
use super::hit::Target;
use super::keymap::Resolution;
use super::keys::Key;
use super::message_log::Notice;
use super::model::Model;
use super::msg::{Effect, Msg};
use super::popups::Popup;

pub use dispatch::why_not;
use dispatch::{run, run_by_user};
pub use instance_views::is_ticking;
pub use user_files::session;
use views::{open, show};

/// Applies a message to the model and returns the effects to execute outside.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = take_in(model, msg);
    views::arrived(model);
    effects.extend(same::keep_up(model));
    effects.extend(plots::keep_up(model));
    effects.extend(findings::keep_up(model));
    effects.extend(instance_views::keep_up(model));
    effects.extend(panes::keep_up(model));
    effects.extend(sources::keep_up(model));
    effects.extend(table::keep_up(model));
    plots::place_curves(model);
    effects
}

fn take_in(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => press(model, key),
        Msg::Do(command) => {
            model.message = None;
            run_by_user(model, command, None, 1)
        }
        Msg::Paste(text) => line::paste(model, &text),
        Msg::Click(target) => click(model, target),
        Msg::RightClick(target) => right_click(model, target),
        Msg::Drag(target) => moves::drag(model, target),
        Msg::DragSplit(column, row) => user_files::drag(model, column, row),
        Msg::Release => {
            model.events.dragged_from = None;
            model.kept.dragging = None;
            Vec::new()
        }
        Msg::Wheel(target, rows) => moves::wheel(model, target, rows),
        Msg::InOther(msg) => panes::mouse(model, *msg),
        Msg::Resize(columns, rows) => data::resize(model, columns, rows),
        Msg::Load(load) => {
            let mut effects = data::load(model, load);
            effects.extend(instance_views::look(model));
            effects
        }
        Msg::Answer(slot, generation, answer) => {
            if !model.generations.is_last(slot, generation) {
                return Vec::new();
            }
            let mut effects = data::answer(model, answer);
            effects.extend(instance_views::look(model));
            effects
        }
        Msg::Table(generation, rows) => table::arrived(model, generation, rows),
        Msg::Arranged(view, found) => {
            table::arranged(model, view, found);
            Vec::new()
        }
        Msg::Texts(fetched) => data::texts(model, fetched),
        Msg::Workspace(found) => user_files::found(model, found),
        Msg::Tick(clock) => instance_views::tick(model, clock),
        Msg::Said(now) => {
            model.said.stamp(now);
            Vec::new()
        }
        Msg::Rested => joins::rested(model),
        Msg::Faded => {
            user_files::untold(model);
            model.message = None;
            Vec::new()
        }
        Msg::NoThread(reason) => {
            alert(model, reason);
            Vec::new()
        }
    }
}

/// Handles a key press: as text in a prompt or picker, as a shortcut letter of a popup, otherwise through the keymap.
fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    model.message = None;
    if model.pending.is_empty()
        && let Some(c) = key.typed()
    {
        if let Some(line) = model.popup.as_mut().and_then(Popup::line) {
            line.insert(c);
            return line::changed(model);
        }
        let picked = select::pick_letter(model, c).or_else(|| cells::pick_letter(model, c));
        if let Some(effects) = picked {
            return effects;
        }
    }
    let is_bound = model.keymap.resolve(&model.scopes(), &[key]) != Resolution::Nothing;
    let writes = matches!(model.popup, Some(Popup::Prompt(_) | Popup::Picker(_)));
    if model.pending.is_empty()
        && !writes
        && (!is_bound || model.repetition.is_counting())
        && let Some(count) = model.repetition.take_digit(key)
    {
        // Not added to the message log: the next key ends the count.
        model.message = Some(Notice {
            text: format!("{count} …"),
            is_alert: false,
        });
        return Vec::new();
    }
    let mut keys = std::mem::take(&mut model.pending);
    let follows = !keys.is_empty();
    keys.push(key);
    match model.keymap.resolve(&model.scopes(), &keys) {
        Resolution::Run(command) => {
            let count = model.repetition.take_count();
            run_by_user(model, command, None, count)
        }
        Resolution::Pending(_) => {
            model.pending = keys;
            Vec::new()
        }
        Resolution::Nothing => {
            model.repetition.take_count();
            // Escape only cancels the pending key sequence.
            let escape = model.keymap.bound(super::keymap::KeyScope::Global, key);
            if !follows || escape != Some(Command::Back) {
                say_unbound(model, &keys);
            }
            Vec::new()
        }
    }
}

/// Notifies the user that a key sequence is not bound here, and which key opens the help.
fn say_unbound(model: &mut Model, keys: &[Key]) {
    let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
    let help = model.keymap.keys_of(&model.scopes(), Command::Help);
    let help = help.map_or_else(String::new, |keys| format!(" · {keys} help"));
    say(model, format!("“{}” is no key here{help}", keys.join(" ")));
}

fn click(model: &mut Model, target: Target) -> Vec<Effect> {
    model.message = None;
    // A click cancels a pending key sequence, except on the hint of a key that continues it.
    if !matches!(target, Target::KeyHint(_)) {
        model.pending.clear();
    }
    match target {
        Target::Hint(command) => run_by_user(model, command, None, 1),
        Target::KeyHint(key) => press(model, key),
        Target::Step(count) => select::keep(model, count),
        Target::PopupRow(row) => line::click(model, row),
        Target::Popup => Vec::new(),
        Target::RecordLine | Target::SplitLine => {
            model.kept.dragging = model.popup.is_none().then_some(target);
            Vec::new()
        }
        Target::Row(_)
        | Target::List
        | Target::Record
        | Target::TableRow(_)
        | Target::TableHead(_)
        | Target::OverviewBar(_)
        | Target::TimelineRow(..)
        | Target::Scrollbar(_) => {
            // A click outside an open popup closes it.
            if model.popup.take().is_some() {
                return Vec::new();
            }
            moves::click(model, target)
        }
    }
}

/// Opens the pivot popup of a row on a right click.
fn right_click(model: &mut Model, target: Target) -> Vec<Effect> {
    let is_row = matches!(target, Target::Row(_) | Target::TableRow(_));
    if !is_row || model.popup.is_some() {
        return click(model, target);
    }
    model.message = None;
    model.pending.clear();
    moves::point(model, target);
    run(model, Command::Pivot)
}

/// Creates the effect that asks a question; a later question of the same slot makes its answer obsolete.
fn ask(model: &mut Model, question: Question) -> Effect {
    Effect::Ask {
        generation: model.generations.next(question.slot()),
        snapshot: model.snapshot.clone(),
        question,
    }
}

fn say(model: &mut Model, text: String) {
    tell(
        model,
        Notice {
            text,
            is_alert: false,
        },
    );
}

fn alert(model: &mut Model, text: String) {
    tell(
        model,
        Notice {
            text,
            is_alert: true,
        },
    );
}

/// Shows a notification in the last line of the screen and adds it to the message log.
fn tell(model: &mut Model, notice: Notice) {
    model.said.add(notice.clone());
    model.message = Some(notice);
}
