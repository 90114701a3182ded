//! Update of the explorer: [`Explorer`] owns the model, takes messages, changes the model and returns effects. No I/O, no
//! clock, no terminal.
//!
//! [`primitives`] holds the changes that commands share, the files beside it the commands; `dispatch` runs a command by its
//! name, `keyboard`, `mouse` and `data` handle messages.

mod availability;
mod breadcrumb_steps;
mod choices;
mod clipboard;
mod command_line;
mod compare;
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
mod keyboard;
mod mouse;
mod moves;
mod name_lookup;
pub(crate) mod names;
mod notifications;

mod panes;
mod places;
mod plots;
mod popups;
mod primitives;
mod reading;
mod row_search;
mod rows;
mod runs;
mod same;
mod shift;
mod sources;
mod span_marks;
mod table;
mod time;
mod undo;
mod user_files;
mod views;
mod zone;

use std::ops::Deref;

use crate::model::Model;
use crate::msg::{Effect, Msg};

pub use availability::why_not;
use dispatch::run_by_user;
pub use instance_views::is_ticking;
use primitives::notices::alert;
use primitives::{followed_value, navigation, plotting, tables};
pub use user_files::session;

/// Explorer: owner of the model. All others see the model through a shared reference, so
/// [`Explorer::update`] alone changes it.
#[derive(Debug)]
pub struct Explorer {
    model: Model,
}

impl Explorer {
    /// Explorer that starts with a model.
    pub fn new(model: Model) -> Explorer {
        Explorer { model }
    }

    /// Applies a message to the model and returns the effects to execute outside.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        update(&mut self.model, msg)
    }
}

impl Deref for Explorer {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let before = msg.is_by_user().then(|| navigation::here(model));
    let mut effects = take_in(model, msg);
    if let Some(before) = before {
        navigation::note_step(model, before);
    }
    navigation::arrived(model);
    effects.extend(followed_value::keep_up(model));
    effects.extend(plotting::keep_up(model));
    effects.extend(findings::keep_up(model));
    effects.extend(instance_views::keep_up(model));
    effects.extend(panes::keep_up(model));
    effects.extend(sources::keep_up(model));
    effects.extend(tables::keep_up(model));
    tables::release_hidden(model);
    plotting::place_curves(model);
    effects
}

fn take_in(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => keyboard::press(model, key),
        Msg::Do(command) => {
            model.message = None;
            run_by_user(model, command, None, 1)
        }
        Msg::Paste(text) => popups::paste(model, &text),
        Msg::Click(target) => mouse::click(model, target),
        Msg::RightClick(target) => mouse::right_click(model, target),
        Msg::Drag(target) => mouse::drag(model, target),
        Msg::DragSplit(column, row) => user_files::drag(model, column, row),
        Msg::Release => {
            model.events.dragged_from = None;
            model.user_data.dragging = None;
            Vec::new()
        }
        Msg::Wheel(target, rows) => mouse::wheel(model, target, rows),
        Msg::InOther(msg) => mouse::in_unfocused(model, *msg),
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
        Msg::Table(generation, rows, core_time) => {
            table::arrived(model, generation, rows, core_time)
        }
        Msg::Arranged(view, found) => {
            table::arranged(model, view, found);
            Vec::new()
        }
        Msg::Texts(fetched) => data::texts(model, fetched),
        Msg::Workspace(found) => user_files::found(model, found),
        Msg::Tick(clock) => {
            follow::tick(model, clock);
            instance_views::look(model).into_iter().collect()
        }
        Msg::Said(now) => {
            model.message_log.stamp(now);
            Vec::new()
        }
        Msg::Rested => joins::rested(model),
        Msg::Faded => {
            user_files::untold(model);
            model.message = None;
            Vec::new()
        }
        Msg::Alert(reason) => alert(model, reason),
    }
}
