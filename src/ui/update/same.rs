//! Following a value: the next record with the same one, marking all of them, the time since the last of them.

use crate::base::direction::Direction;
use crate::base::words::several;
use crate::query::{Expr, Field};
use crate::store::Value;
use crate::ui::action::Action;
use crate::ui::eventlist::{Highlight, LastPivot, SameSteps};
use crate::ui::following::Following;
use crate::ui::keyrank;
use crate::ui::model::{Model, TimeDisplay, View};
use crate::ui::msg::Effect;
use crate::ui::popups::{PivotRow, Popup};
use crate::workspace::jobs::Question;
use crate::workspace::near::SearchTarget;
use crate::workspace::same::{Recurrences, SameWish};

use super::{ask, data, find, say, select};

/// Steps kept; a screen shows at most a few hundred.
const MOST: usize = 1 << 14;

/// The value of a row of the pivot list.
pub(super) fn of_row(row: &PivotRow) -> Option<LastPivot> {
    let Expr::Compare(comparison) = &row.expr else {
        return None;
    };
    Some(LastPivot {
        field: comparison.field.clone(),
        label: row.label.clone(),
        expr: row.expr.clone(),
        value: row.value.clone(),
    })
}

/// Remembers which key was pivoted on.
pub(super) fn remember(model: &mut Model, same: Option<LastPivot>) {
    let Some(same) = same else { return };
    if model.events.same.as_ref().map(|s| &s.field) != Some(&same.field) {
        model.events.steps = SameSteps::default();
    }
    model.events.same = Some(same);
}

/// What the record under the cursor has of the key that is followed; else its most telling key, when none is.
fn here(model: &Model) -> Option<LastPivot> {
    let known = model.events.same.as_ref();
    let Some(event) = model.current() else {
        return known.cloned();
    };
    match known.map(|same| (same, &same.field)) {
        Some((same, Field::Source)) => {
            let source = event.source();
            Some(LastPivot {
                expr: Expr::equals(Field::Source, source.path.as_str()),
                value: model.naming.name_of(source).to_owned(),
                ..same.clone()
            })
        }
        Some((same, Field::Key(name))) => {
            let keys = keyrank::keys(&event);
            let value = keys.iter().find(|k| k.name == *name).map(first);
            Some(value.map_or(same.clone(), |value| LastPivot {
                expr: Expr::equals(same.field.clone(), value.as_str()),
                value,
                ..same.clone()
            }))
        }
        Some((same, _)) => Some(same.clone()),
        None => {
            let keys = keyrank::keys(&event);
            keys.first().map(|key| {
                let field = Field::Key(key.name.clone());
                let value = first(key);
                LastPivot {
                    label: key.label.clone(),
                    expr: Expr::equals(field.clone(), value.as_str()),
                    field,
                    value,
                }
            })
        }
    }
}

fn first(key: &keyrank::Telling) -> String {
    match &key.value {
        Value::One(value) => value.clone(),
        Value::Many(values) => values.first().cloned().unwrap_or_default(),
    }
}

/// The value that an action is about: that under the cursor of the pivot list or of the record, else that followed.
fn meant(model: &mut Model) -> Option<LastPivot> {
    let picked = match &model.popup {
        Some(Popup::Pivot(pivot)) => pivot.rows.get(pivot.cursor).and_then(of_row),
        _ => select::row_in_record(model).as_ref().and_then(of_row),
    };
    model.popup = None;
    picked.or_else(|| here(model))
}

/// Goes to the next or previous record with the same value, nothing is filtered.
pub(super) fn go(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let Some(same) = meant(model) else {
        say(model, "there is no key to go by".to_owned());
        return Vec::new();
    };
    let what = format!("other record with {} {}", same.label, same.value);
    let wanted = SearchTarget::Fits(same.expr.clone());
    remember(model, Some(same));
    find::find(model, wanted, direction, what)
}

/// Marks the records with a value, or stops marking them.
pub(super) fn highlight(model: &mut Model) -> Vec<Effect> {
    let is_picked = matches!(model.popup, Some(Popup::Pivot(_)));
    if model.events.highlight.is_some() && !is_picked && select::row_in_record(model).is_none() {
        return stop(model);
    }
    let Some(same) = meant(model) else {
        say(model, "there is no key to mark records by".to_owned());
        return Vec::new();
    };
    let is_known = |h: &Highlight| h.same.expr == same.expr;
    if model.events.highlight.as_ref().is_some_and(is_known) {
        return stop(model);
    }
    remember(model, Some(same.clone()));
    model.events.highlight = Some(Highlight { same, fits: None });
    again(model).into_iter().collect()
}

/// No record is marked any more for its value.
pub(super) fn stop(model: &mut Model) -> Vec<Effect> {
    model.events.highlight = None;
    vec![data::strip(model)]
}

/// Asks which records are marked, after it or the rows changed.
pub(super) fn again(model: &mut Model) -> Option<Effect> {
    let highlight = model.events.highlight.as_mut()?;
    let question = Question::Marked(model.rows.clone(), highlight.same.expr.clone());
    Some(ask(model, question))
}

/// The marked records are known.
pub(super) fn marked(
    model: &mut Model,
    fits: std::sync::Arc<crate::query::Selection>,
    count: usize,
) -> Vec<Effect> {
    if let Some(highlight) = &mut model.events.highlight {
        let is_first = highlight.fits.is_none();
        highlight.fits = Some((fits, count));
        let LastPivot { label, value, .. } = &highlight.same;
        let text = format!("marked: {label} {value} · {}", several(count, "record"));
        if is_first && model.arriving.follow.state == Following::Off {
            let key = model.keymap.keys_of(&model.scopes(), Action::Highlight);
            let stops = key.map_or_else(String::new, |key| format!(" · {key} stops it"));
            say(model, text + &stops);
        }
    }
    vec![data::strip(model)]
}

/// Says which key the steps are about.
pub(super) fn say_followed(model: &mut Model) {
    if model.events.same.is_none() {
        let same = here(model);
        remember(model, same);
    }
    let text = match &model.events.same {
        Some(same) => format!("steps since the record before with the same {}", same.label),
        None => "this record has no key to go by: pivot on one first".to_owned(),
    };
    say(model, text);
}

/// Asks for the steps of the rows on screen, where they are shown and not yet known.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    if model.time != TimeDisplay::SameKey
        || model.on_screen(View::Events).is_none()
        || model.is_empty()
    {
        return None;
    }
    let field = model.events.same.as_ref()?.field.clone();
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
    let wish = SameWish {
        rows,
        window,
        field,
    };
    Some(ask(model, Question::Same(wish)))
}

/// Steps are known.
pub(super) fn known(model: &mut Model, steps: Recurrences) {
    let known = &mut model.events.steps.known;
    if known.len() > MOST {
        known.clear();
    }
    known.extend(steps);
}

/// The action that goes on with a value.
pub(super) fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Highlight => Some(highlight(model)),
        Action::NextSame => Some(go(model, Direction::Forward)),
        Action::PrevSame => Some(go(model, Direction::Backward)),
        _ => None,
    }
}
