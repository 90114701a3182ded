//! Commands that follow a value: next record with the same value, highlighted records, time since the previous one.

use crate::command::Command;
use crate::event_list::{Highlight, LastPivot, SameValueSteps};
use crate::follow_mode::Following;
use crate::model::{Model, TimeDisplay, View};
use crate::msg::Effect;
use crate::popups::{PivotRow, Popup};
use widetui_core::direction::Direction;
use widetui_core::words::several;
use widetui_query::{Expr, Field};
use widetui_session::jobs::Question;
use widetui_session::record_search::SearchTarget;
use widetui_session::recurrence::{RecurrenceRequest, Recurrences};
use widetui_store::{EventRef, Value};
use widetui_tables::key_rank;

use super::{ask, data, find, say, select, show};

/// Maximum number of cached time steps; a screen shows at most a few hundred.
const MOST: usize = 1 << 14;

/// Returns the value to follow for a pivot row. An instance is matched by all its identifying keys: worker 0 of one manager
/// is not worker 0 of another.
pub(super) fn of_row(row: &PivotRow) -> LastPivot {
    let fields = match (&row.instance, &row.expr) {
        (Some(thing), _) => thing.id.iter().rev().map(|p| Field::key(&p.0)).collect(),
        (None, Expr::Compare(comparison)) => vec![comparison.field.clone()],
        (None, _) => Vec::new(),
    };
    LastPivot {
        fields,
        label: row.label.clone(),
        expr: row.expr.clone(),
        value: row.value.clone(),
    }
}

/// Stores the key that was pivoted on last.
pub(super) fn remember(model: &mut Model, same: LastPivot) {
    if model.events.same.as_ref().map(|s| &s.fields) != Some(&same.fields) {
        model.events.steps = SameValueSteps::default();
    }
    model.events.same = Some(same);
}

/// Returns the value of the followed key in the record under the cursor, or of the record's highest-ranked key if no key is
/// followed.
fn here(model: &Model) -> Option<LastPivot> {
    let known = model.events.same.as_ref();
    let Some(event) = model.current() else {
        return known.cloned();
    };
    let Some(same) = known else {
        return most_telling(&event);
    };
    let keys = key_rank::ranked_keys(&event);
    let value = |field: &Field| match field {
        Field::Source => Some(event.source().path.clone()),
        Field::Key(name) => keys.iter().find(|k| k.name == *name).map(first),
        _ => None,
    };
    let values: Option<Vec<String>> = same.fields.iter().map(value).collect();
    let Some(values) = values.filter(|values| !values.is_empty()) else {
        return Some(same.clone());
    };
    let pairs = same.fields.iter().zip(&values);
    let equal = pairs.map(|(field, value)| Expr::equals(field.clone(), value.as_str()));
    let shown = match same.fields[0] {
        Field::Source => model.naming.name_of(event.source()).to_owned(),
        _ => values[0].clone(),
    };
    Some(LastPivot {
        expr: Expr::all_of(equal),
        value: shown,
        ..same.clone()
    })
}

/// Returns the highest-ranked key of a record with its value.
fn most_telling(event: &EventRef<'_>) -> Option<LastPivot> {
    key_rank::ranked_keys(event).first().map(|key| {
        let field = Field::Key(key.name.clone());
        let value = first(key);
        LastPivot {
            label: key.label.clone(),
            expr: Expr::equals(field.clone(), value.as_str()),
            fields: vec![field],
            value,
        }
    })
}

fn first(key: &key_rank::RankedKey) -> String {
    match &key.value {
        Value::One(value) => value.clone(),
        Value::Many(values) => values.first().cloned().unwrap_or_default(),
    }
}

/// Returns the value that a command refers to: the value under the cursor of the pivot list, record pane or table,
/// otherwise the followed value.
fn meant(model: &mut Model) -> Option<LastPivot> {
    let picked = match &model.popup {
        Some(Popup::Pivot(pivot)) => pivot.rows.get(pivot.cursor).map(of_row),
        _ if model.view == View::Events => select::row_in_record(model).as_ref().map(of_row),
        _ => return select::row_here(model).as_ref().map(of_row),
    };
    model.popup = None;
    picked.or_else(|| here(model))
}

/// Notifies the user that the row has no value to follow, and how to get one in the view of keys.
fn say_none(model: &mut Model) -> Vec<Effect> {
    let key = model.keymap.keys_of(&model.scopes(), Command::Pivot);
    let key = key.unwrap_or_else(|| Command::Pivot.info().name.to_owned());
    let text = match model.view {
        View::Events => "this record has no key to go by".to_owned(),
        View::Keys => format!("a key is no value: {key} lists its most frequent ones"),
        _ => "this row has no value to go by".to_owned(),
    };
    say(model, text);
    Vec::new()
}

/// Goes to the next or previous record with the same value, without filtering.
pub(super) fn go(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let Some(same) = meant(model) else {
        return say_none(model);
    };
    let mut effects = show(model, View::Events);
    let what = format!("other record with {} {}", same.label, same.value);
    let wanted = SearchTarget::Fits(same.expr.clone());
    remember(model, same);
    effects.extend(find::find(model, wanted, direction, what));
    effects
}

/// Highlights the records with a value, or removes the highlight.
pub(super) fn highlight(model: &mut Model) -> Vec<Effect> {
    let is_picked = matches!(model.popup, Some(Popup::Pivot(_))) || model.view != View::Events;
    if model.events.highlight.is_some() && !is_picked && select::row_in_record(model).is_none() {
        return stop(model);
    }
    let Some(same) = meant(model) else {
        return say_none(model);
    };
    let is_known = |h: &Highlight| h.same.expr == same.expr;
    if model.events.highlight.as_ref().is_some_and(is_known) {
        return stop(model);
    }
    remember(model, same.clone());
    model.events.highlight = Some(Highlight { same, fits: None });
    again(model).into_iter().collect()
}

/// Removes the highlight of a value.
pub(super) fn stop(model: &mut Model) -> Vec<Effect> {
    model.events.highlight = None;
    vec![data::strip(model)]
}

/// Requests the highlighted records after the highlight or the rows changed.
pub(super) fn again(model: &mut Model) -> Option<Effect> {
    let highlight = model.events.highlight.as_mut()?;
    let question = Question::Marked(model.rows.clone(), highlight.same.expr.clone());
    Some(ask(model, question))
}

/// Stores the highlighted records.
pub(super) fn marked(
    model: &mut Model,
    fits: std::sync::Arc<widetui_query::Selection>,
    count: usize,
) -> Vec<Effect> {
    if let Some(highlight) = &mut model.events.highlight {
        let is_first = highlight.fits.is_none();
        highlight.fits = Some((fits, count));
        let LastPivot { label, value, .. } = &highlight.same;
        let text = format!("marked: {label} {value} · {}", several(count, "record"));
        if is_first && model.arriving.follow.state == Following::Off {
            let key = model.keymap.keys_of(&model.scopes(), Command::Highlight);
            let stops = key.map_or_else(String::new, |key| format!(" · {key} stops it"));
            say(model, text + &stops);
        }
    }
    vec![data::strip(model)]
}

/// Notifies the user which key the displayed time steps refer to.
pub(super) fn say_followed(model: &mut Model) {
    let has_none = |s: &LastPivot| s.fields.is_empty();
    if model.events.same.as_ref().is_none_or(has_none) {
        let same = model.current().and_then(|event| most_telling(&event));
        if let Some(same) = same {
            remember(model, same);
        }
    }
    let text = match &model.events.same {
        Some(same) => format!("steps since the record before with the same {}", same.label),
        None => "this record has no key to go by: pivot on one first".to_owned(),
    };
    say(model, text);
}

/// Requests the time steps of the visible rows if they are shown and not cached.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    if model.time != TimeDisplay::SameKey
        || model.on_screen(View::Events).is_none()
        || model.is_empty()
    {
        return None;
    }
    let fields = model.events.same.as_ref()?.fields.clone();
    let height = usize::from(model.screen.size.1);
    let top = model.events.list.top;
    let end = (top + height).min(model.len());
    let asked = &model.events.steps.asked;
    if asked.start <= top && end <= asked.end {
        return None;
    }
    let window = top.saturating_sub(2 * height)..(end + 2 * height).min(model.len());
    model.events.steps.asked = window.clone();
    let rows = model.rows.clone();
    let wish = RecurrenceRequest {
        rows,
        window,
        fields,
    };
    Some(ask(model, Question::Recurrence(wish)))
}

/// Caches computed time steps.
pub(super) fn known(model: &mut Model, steps: Recurrences) {
    let known = &mut model.events.steps.known;
    if known.len() > MOST {
        known.clear();
    }
    known.extend(steps);
}
