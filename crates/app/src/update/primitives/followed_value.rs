//! Followed value: the key and value of the last pivot, highlighted records, and the time since the previous record with the value.

use crate::command::Command;
use crate::event_list::{LastPivot, SameValueSteps};
use crate::follow_mode::Following;
use crate::model::{Model, TimeDisplay, View};
use crate::msg::Effect;
use crate::popups::PivotRow;
use widetui_core::words::several;
use widetui_query::{Expr, Field};
use widetui_session::jobs::Question;
use widetui_session::recurrence::{RecurrenceRequest, Recurrences};
use widetui_store::{EventRef, Value};
use widetui_tables::key_rank;

use super::notices::say;
use super::overview;
use super::questions::ask;

/// Maximum number of cached time steps; a screen shows at most a few hundred.
const MOST: usize = 1 << 14;

/// Returns the value to follow for a pivot row. An instance is matched by all its identifying keys: worker 0 of one manager
/// is not worker 0 of another.
pub(in crate::update) fn of_row(row: &PivotRow) -> LastPivot {
    let fields = match (&row.instance, &row.expr) {
        (Some(instance), _) => instance.id.iter().rev().map(|p| Field::key(&p.0)).collect(),
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
pub(in crate::update) fn remember(model: &mut Model, same: LastPivot) {
    if model.events.same.as_ref().map(|s| &s.fields) != Some(&same.fields) {
        model.events.steps = SameValueSteps::default();
    }
    model.events.same = Some(same);
}

/// Returns the value of the followed key in the record under the cursor, or of the record's highest-ranked key if no key is
/// followed.
pub(in crate::update) fn here(model: &Model) -> Option<LastPivot> {
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
        Field::Source => model.source_names.name_of(event.source()).to_owned(),
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

/// Removes the highlight of a value.
pub(in crate::update) fn stop(model: &mut Model) -> Vec<Effect> {
    model.events.highlight = None;
    vec![overview::request(model)]
}

/// Requests the highlighted records after the highlight or the rows changed.
pub(in crate::update) fn request_highlighted(model: &mut Model) -> Option<Effect> {
    let highlight = model.events.highlight.as_mut()?;
    let question = Question::Marked(model.rows.clone(), highlight.same.expr.clone());
    Some(ask(model, question))
}

/// Stores the highlighted records.
pub(in crate::update) fn highlighted(
    model: &mut Model,
    fits: std::sync::Arc<widetui_query::Selection>,
    count: usize,
) -> Vec<Effect> {
    if let Some(highlight) = &mut model.events.highlight {
        let is_first = highlight.fits.is_none();
        highlight.fits = Some((fits, count));
        let LastPivot { label, value, .. } = &highlight.same;
        let text = format!("marked: {label} {value} · {}", several(count, "record"));
        if is_first && model.load_state.follow.state == Following::Off {
            let key = model.keymap.keys_of(&model.scopes(), Command::Highlight);
            let stops = key.map_or_else(String::new, |key| format!(" · {key} stops it"));
            say(model, text + &stops);
        }
    }
    vec![overview::request(model)]
}

/// Notifies the user which key the displayed time steps refer to.
pub(in crate::update) fn say_followed(model: &mut Model) {
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
pub(in crate::update) fn keep_up(model: &mut Model) -> Option<Effect> {
    if model.time != TimeDisplay::SameKey
        || model.on_screen(View::EVENTS).is_none()
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
pub(in crate::update) fn steps_known(model: &mut Model, steps: Recurrences) {
    let known = &mut model.events.steps.known;
    if known.len() > MOST {
        known.clear();
    }
    known.extend(steps);
}
