//! Key presses: as text in a prompt or picker, as a shortcut letter of a popup, otherwise through the keymap.

use crate::command::Command;
use crate::keymap::{KeyScope, Resolution};
use crate::keys::Key;
use crate::message_log::Notice;
use crate::model::Model;
use crate::msg::Effect;

use super::dispatch::run_by_user;
use super::popups;
use super::primitives::notices::say;

/// Handles a key press: as text in a prompt or picker, as a shortcut letter of a popup, otherwise through the keymap.
pub(super) fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    model.message = None;
    if model.pending.is_empty()
        && let Some(c) = key.typed()
        && let Some(effects) = popups::letter(model, c)
    {
        return effects;
    }
    let is_bound = model.keymap.resolve(&model.scopes(), &[key]) != Resolution::Nothing;
    let writes = model
        .popup
        .as_mut()
        .is_some_and(|popup| popup.line().is_some());
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
            let escape = model.keymap.bound(KeyScope::Global, key);
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
