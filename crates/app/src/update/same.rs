//! Commands that follow a value: next record with the same value, highlighted records, time since the previous one.

use crate::command::Command;
use crate::event_list::{Highlight, LastPivot};
use crate::model::Model;
use crate::msg::Effect;
use crate::popups::Pivot;
use crate::under_cursor;
use widetui_core::direction::Direction;
use widetui_session::record_search::SearchTarget;
use widetui_tables::table::RowAction;

use super::find;
use super::primitives::followed_value;
use super::primitives::navigation::show_records;
use super::primitives::notices::say;

/// Returns the value that a command refers to: the value under the cursor of the pivot list, record pane or table,
/// otherwise the followed value.
fn meant(model: &mut Model) -> Option<LastPivot> {
    let picked = match model.popup_of::<Pivot>() {
        Some(pivot) => pivot.current().map(followed_value::of_row),
        None if model.view.is_records() => under_cursor::pivot_row_in_record(model)
            .as_ref()
            .map(followed_value::of_row),
        None => {
            return under_cursor::pivot_row(model)
                .as_ref()
                .map(followed_value::of_row);
        }
    };
    model.popup = None;
    picked.or_else(|| followed_value::here(model))
}

/// Notifies the user that the row has no value to follow, and how to get one in the view of keys.
fn say_none(model: &mut Model) -> Vec<Effect> {
    let key = model.key_of(Command::Pivot);
    let row = under_cursor::row(model).map(|row| &row.action);
    let text = match row {
        _ if model.view.is_records() => "this record has no key to go by".to_owned(),
        Some(RowAction::Values(_)) => {
            format!("a key is no value: {key} lists its most frequent ones")
        }
        _ => "this row has no value to go by".to_owned(),
    };
    say(model, text)
}

/// Goes to the next or previous record with the same value, without filtering.
pub(super) fn go(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let Some(same) = meant(model) else {
        return say_none(model);
    };
    let mut effects = show_records(model);
    let what = format!("other record with {} {}", same.label, same.value);
    let wanted = SearchTarget::Fits(same.expr.clone());
    followed_value::remember(model, same);
    effects.extend(find::find(model, wanted, direction, what));
    effects
}

/// Highlights the records with a value, or removes the highlight.
pub(super) fn highlight(model: &mut Model) -> Vec<Effect> {
    let is_picked = model.popup_of::<Pivot>().is_some() || !model.view.is_records();
    if model.events.highlight.is_some()
        && !is_picked
        && under_cursor::pivot_row_in_record(model).is_none()
    {
        return followed_value::stop(model);
    }
    let Some(same) = meant(model) else {
        return say_none(model);
    };
    let is_known = |h: &Highlight| h.same.expr == same.expr;
    if model.events.highlight.as_ref().is_some_and(is_known) {
        return followed_value::stop(model);
    }
    followed_value::remember(model, same.clone());
    model.events.highlight = Some(Highlight { same, fits: None });
    followed_value::request_highlighted(model)
        .into_iter()
        .collect()
}
