//! Changes of the selection, with the cursor on its record.

use crate::cursor_memory::CursorPosition;
use crate::model::Model;
use crate::msg::Effect;
use widetui_query::Expr;
use widetui_session::record_texts::Place;
use widetui_session::rows::Rows;
use widetui_session::selection::{SelectionStep, StepEffect};

use super::notices::say;
use super::selected_rows;

/// Maximum length of a value in the label of a step, in characters.
const LABEL: usize = 24;

/// Truncates a value for the label of a step.
pub(in crate::update) fn short(value: &str) -> String {
    let mut out: String = value.chars().take(LABEL).collect();
    if out.len() < value.len() {
        out.push('…');
    }
    out
}

/// Creates the step that keeps or excludes the records that match an expression, named by label and value.
pub(in crate::update) fn step(
    label: &str,
    value: &str,
    expr: Expr,
    sense: StepEffect,
) -> SelectionStep {
    let short = short(value);
    match sense {
        StepEffect::Keep => SelectionStep::new(format!("{label} {short}"), expr),
        StepEffect::Exclude => {
            SelectionStep::new(format!("not {label} {short}"), Expr::Not(Box::new(expr)))
        }
    }
}

/// Adds a step to the selection, unless it is already there.
pub(in crate::update) fn push(model: &mut Model, step: SelectionStep) -> Vec<Effect> {
    model.events.anchor = crate::event_list::CursorAnchor::Record;
    if model.selection.push(step) {
        changed(model)
    } else {
        say(model, "that step is in force already")
    }
}

/// Replaces all steps of the selection.
pub(in crate::update) fn replace_all(model: &mut Model, steps: Vec<SelectionStep>) -> Vec<Effect> {
    if model.selection.replace_all(steps) {
        changed(model)
    } else {
        Vec::new()
    }
}

/// Replaces the step at index `at`.
pub(in crate::update) fn replace(model: &mut Model, at: usize, step: SelectionStep) -> Vec<Effect> {
    model.events.anchor = crate::event_list::CursorAnchor::Record;
    if model.selection.replace(at, step) {
        changed(model)
    } else {
        Vec::new()
    }
}

/// Keeps only the first `count` steps.
pub(in crate::update) fn keep(model: &mut Model, count: usize) -> Vec<Effect> {
    if model.selection.keep(count) {
        restore(model, Restore::AtRest);
        changed(model)
    } else {
        Vec::new()
    }
}

/// Condition for restoring the cursor position of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restore {
    /// Restores it in any case.
    Always,
    /// Restores it only if the cursor has not moved since; otherwise it stays on its record, which the wider selection
    /// contains, too.
    AtRest,
}

/// Restores the cursor position at which the user left the current selection.
pub(in crate::update) fn come_back(model: &mut Model) {
    restore(model, Restore::Always);
}

fn restore(model: &mut Model, when: Restore) {
    // A command that goes to another record takes precedence.
    if model.user_data.going_to.is_some() {
        return;
    }
    let here = model.current().map(|e| Place::from_event(&e));
    if when == Restore::AtRest && !model.events.cursor_memory.is_unmoved(here) {
        return;
    }
    let Some(spot) = model.events.cursor_memory.of(model.selection.steps()) else {
        return;
    };
    model.user_data.going_to = Some(spot.place);
    model.events.cursor_memory.above = Some(spot.above);
}

/// Requests the selected records after the steps changed; without steps or duplicates the result is known at once.
pub(in crate::update) fn changed(model: &mut Model) -> Vec<Effect> {
    let list = model.events.list;
    let above = list.cursor.saturating_sub(list.top);
    let place = model.current().map(|e| Place::from_event(&e));
    model
        .events
        .cursor_memory
        .leave(place.map(|place| CursorPosition { place, above }));
    let effect = selected_rows::request(model);
    if model.selection.is_all() && model.newest().duplicates.is_empty() {
        return selected_rows::selected(model, Rows::All, Vec::new());
    }
    vec![effect]
}
