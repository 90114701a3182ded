//! Time shift of a source: a prompt for seconds in the sources view.

use std::sync::Arc;

use crate::model::Model;
use crate::msg::Effect;
use crate::popups::{Prompt, PromptKind, TextInput};
use widetui_core::ids::SourceId;
use widetui_ingest::shifts::has;
use widetui_session::jobs::{JobKind, Question};
use widetui_store::Snapshot;
use widetui_time::time::{NS_PER_SECOND, format_delta, parse_seconds};

use super::primitives::notices::{alert, say};
use super::primitives::prompts;
use super::primitives::questions::ask_about;

/// Opens the prompt for the time shift of the source under the cursor, with the current shift in seconds.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let is_table = model.view.is_table();
    let source = (model.view.source)(model).filter(|s| s.is_log && is_table);
    let Some(source) = source else {
        return say(
            model,
            "only a source with records can be shifted, in the table of sources",
        );
    };
    let text = match source.shift {
        0 => String::new(),
        ns => format!("{}", ns as f64 / NS_PER_SECOND as f64),
    };
    let id = source.id;
    prompts::open(model, PromptKind::Shift(id), &text)
}

/// Accepts the prompt: seconds to add to the times of the source (empty for no shift).
pub(super) fn accept(model: &mut Model, id: SourceId, text: &str) -> Vec<Effect> {
    let ns = match text.trim() {
        "" => Some(0),
        text => parse_seconds(text),
    };
    let Some(ns) = ns else {
        alert(
            model,
            format!("“{text}” is no number of seconds: write 2, -1.5 or nothing"),
        );
        // After an invalid number the prompt stays open.
        let effects = prompts::open(model, PromptKind::Shift(id), text);
        if let Some(prompt) = model.popup_of_mut::<Prompt>() {
            prompt.line = TextInput::new(text);
        }
        return effects;
    };
    let asked = model.shifts.iter().find(|(other, _)| *other == id);
    let own = || model.newest().source(id).map_or(0, |s| s.shift);
    let before = asked.map_or_else(own, |(_, ns)| *ns);
    model.selection.shift(id, before, ns);
    put(model, id, ns)
}

/// Sets the time shift of a source, ns.
pub(super) fn put(model: &mut Model, id: SourceId, ns: i64) -> Vec<Effect> {
    model.shifts.retain(|(other, _)| *other != id);
    model.shifts.push((id, ns));
    let name = model
        .snapshot
        .source(id)
        .map_or("", |s| model.source_names.name_of(s));
    let text = match ns {
        0 => format!("{name} has its own times again"),
        ns => format!("the times of {name} are shifted by {}", format_delta(ns)),
    };
    say(model, text);
    let snapshot = model.newest().clone();
    // The reader that follows the files also shifts new records.
    let mut effects = vec![Effect::Shift(model.shifts.clone())];
    effects.extend(pending(model, &snapshot));
    effects
}

/// Cancels the pending shift if a new snapshot already has the current shifts: its result would replace a newer snapshot.
pub(super) fn read(model: &mut Model, snapshot: &Snapshot) -> Option<Effect> {
    if model.shifts.is_empty() || !has(snapshot, &model.shifts) {
        return None;
    }
    model.generations.next(JobKind::Shift);
    Some(Effect::Cancel(JobKind::Shift))
}

/// Requests a snapshot with the current shifts if this one has others.
pub(super) fn pending(model: &mut Model, snapshot: &Arc<Snapshot>) -> Option<Effect> {
    if has(snapshot, &model.shifts) {
        return None;
    }
    let question = Question::Shift(model.shifts.clone());
    Some(ask_about(model, snapshot.clone(), question))
}
