//! Functions that run the commands, generated from the list of commands.

use crate::command::{Command, first, for_each_command};
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::popups::PromptKind;
use crate::repetition::CommandCall;
use crate::text_cache::TextCache;
use widetui_core::direction::Direction;
use widetui_core::level::Level;
use widetui_join::TypedJoin;

use super::popups::Picked;
use super::primitives::navigation::show;
use super::primitives::notices::say;
use super::primitives::{prompts, selection, tables};
use super::{
    availability, breadcrumb_steps, choices, clipboard, compare, export, find, findings, flow,
    follow, instance_views, join_builder, joins, jumps, moves, name_lookup, notifications, panes,
    places, plots, popups, reading, row_search, rows, runs, same, shift, sources, span_marks,
    table, time, undo, user_files, zone,
};

/// Runs a command.
type Run = fn(&mut Model) -> Vec<Effect>;

/// Runs a command with the argument that was written after its name.
type RunWith = fn(&mut Model, &str) -> Vec<Effect>;

/// Functions of a command.
struct Functions {
    run: Option<Run>,
    run_with: Option<RunWith>,
}

macro_rules! define_functions {
    ($(
        [$command:ident] $name:literal in $topic:ident, $hint:literal, $summary:literal;
        $(counted $counted:literal;)?
        $(aliases $aliases:literal;)?
        $(argument $argument:literal => $run_with:expr;)?
        $(unavailable $unavailable:expr;)?
        $(run $run:expr;)?
    )*) => {
        /// Functions of all commands, in the order of the list.
        static FUNCTIONS: &[Functions] = &[$(Functions {
            run: first::<Run>(&[$($run)?]),
            run_with: first::<RunWith>(&[$($run_with)?]),
        },)*];
    };
}

for_each_command!(define_functions);

/// Layer that may handle a command; `None` if the command means the same there as elsewhere.
type Layer = fn(&mut Model, Command) -> Option<Vec<Effect>>;

/// Layers that may handle a command, from the top: the breadcrumb, the split, the view, and the search in its rows.
const LAYERS: [Layer; 4] = [
    breadcrumb_steps::in_breadcrumb,
    panes::in_split,
    |model, command| (model.view.run)(model, command),
    row_search::in_rows,
];

/// Runs a command: in the open popup, else in the first layer that handles it, else by the function of its entry. A command
/// without a function shows its view.
pub(super) fn run(model: &mut Model, command: Command) -> Vec<Effect> {
    if command != Command::RestoreWorkspace {
        user_files::untold(model);
    }
    if let Some(picked) = popups::run(model, command) {
        return run_picked(model, picked);
    }
    let handled = LAYERS.iter().find_map(|layer| layer(model, command));
    handled.unwrap_or_else(|| match FUNCTIONS[command as usize].run {
        Some(run) => run(model),
        None => View::shown_by(command).map_or(Vec::new(), |view| show(model, view)),
    })
}

/// Runs what was picked in a popup.
pub(super) fn run_picked(model: &mut Model, picked: Picked) -> Vec<Effect> {
    match picked {
        Picked::Done(effects) => effects,
        Picked::Call(call) => run_by_user(model, call.command, call.argument, call.count),
    }
}

/// Runs a command on behalf of the user, `count` times if it takes a count, and remembers it for
/// `repeat`. A popup that opens or closes ends the repetition, since it changes the target of commands.
pub(super) fn run_by_user(
    model: &mut Model,
    command: Command,
    argument: Option<String>,
    count: usize,
) -> Vec<Effect> {
    let had_popup = model.popup.is_some();
    let view = model.view;
    model.was_back &= matches!(command, Command::Back | Command::Quit);
    let mut effects = Vec::new();
    for _ in 0..if command.info().is_counted { count } else { 1 } {
        let run_with = FUNCTIONS[command as usize].run_with;
        effects.extend(match (run_with, &argument) {
            (Some(run_with), Some(argument)) => run_with(model, argument),
            _ => run(model, command),
        });
        if model.popup.is_some() != had_popup || effects.iter().any(|e| matches!(e, Effect::Quit)) {
            break;
        }
    }
    // A view that the user opens is worth the joins of the newest records at once.
    if model.view != view && !model.view.is_records() && model.joins.is_delayed() {
        effects.extend(joins::rested(model));
    }
    model.repetition.remember(CommandCall {
        command,
        count,
        argument,
    });
    effects
}

/// Runs the last command again that `repeat` applies to.
fn repeat(model: &mut Model) -> Vec<Effect> {
    let Some(call) = model.repetition.last().cloned() else {
        return say(model, availability::NOTHING_TO_REPEAT.to_owned());
    };
    run_by_user(model, call.command, call.argument, call.count)
}

/// Redraws the screen, and drops all cached record texts so that they are read again.
fn redraw(model: &mut Model) -> Vec<Effect> {
    model.texts = TextCache::default();
    vec![Effect::Redraw]
}
