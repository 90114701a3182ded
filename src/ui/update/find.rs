//! Going to the next one of something: hits, errors, warnings, marks.

use crate::base::level::Level;
use crate::store::{Origin, Value};
use crate::ui::action::Action;
use crate::ui::model::Model;
use crate::ui::msg::Effect;
use crate::ui::telling::{self, Rank};
use crate::workspace::ask::{Direction, Wanted};
use crate::workspace::fetch::Place;
use crate::workspace::jobs::Question;

use super::{alert, ask, keep, line, moves, say};

pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    use Direction::{Backward, Forward};
    match action {
        Action::NextHit => hit(model, Forward),
        Action::PrevHit => hit(model, Backward),
        Action::NextError => find(model, Wanted::Level(Level::Error), Forward),
        Action::PrevError => find(model, Wanted::Level(Level::Error), Backward),
        Action::NextWarning => find(model, Wanted::Level(Level::Warning), Forward),
        Action::PrevWarning => find(model, Wanted::Level(Level::Warning), Backward),
        Action::Mark => mark(model),
        Action::SearchOn if model.search.line.is_empty() => line::open_search(model),
        Action::SearchOn => hit(model, Forward),
        Action::SearchSubject => subject(model, Forward),
        Action::SearchSubjectBack => subject(model, Backward),
        Action::NextMark | Action::PrevMark if model.marks.is_empty() => {
            let key = model.keymap.keys_of(&model.scopes(), Action::Mark);
            let key = key.unwrap_or_else(|| "mark".to_owned());
            say(model, format!("nothing is marked: {key} marks a record"));
            Vec::new()
        }
        Action::NextMark => find(model, Wanted::Places(model.marks.clone()), Forward),
        Action::PrevMark => find(model, Wanted::Places(model.marks.clone()), Backward),
        _ => Vec::new(),
    }
}

fn find(model: &mut Model, wanted: Wanted, direction: Direction) -> Vec<Effect> {
    let question = Question::Find {
        rows: model.rows.clone(),
        from: model.list.cursor,
        direction,
        wanted,
    };
    vec![ask(model, question)]
}

fn mark(model: &mut Model) -> Vec<Effect> {
    let Some(place) = model.current().map(|e| Place::of(&e)) else {
        return Vec::new();
    };
    match model.marks.iter().position(|m| *m == place) {
        Some(at) => {
            model.marks.remove(at);
        }
        None => {
            model.marks.push(place);
            keep::remember(model, place);
        }
    }
    Vec::new()
}

/// Values shorter than this are searched for with the word for their key.
const SHORT: usize = 5;

/// Searches for what the record under the cursor is about.
fn subject(model: &mut Model, direction: Direction) -> Vec<Effect> {
    let about = model.current().and_then(|event| {
        let keys = telling::keys(&event);
        let own = keys.iter().filter(|k| k.origin == Origin::Record);
        let key = own
            .min_by_key(|k| k.rank)
            .filter(|k| k.rank < Rank::Writer)?;
        match &key.value {
            Value::One(value) if value.chars().count() < SHORT => {
                Some(format!("{} {value}", key.label))
            }
            Value::One(value) => Some(value.clone()),
            Value::Many(values) => values.first().cloned(),
        }
    });
    match about {
        Some(text) => line::search_for(model, text, direction),
        None => {
            say(model, "this record names nothing to search for".to_owned());
            Vec::new()
        }
    }
}

/// To the next or previous hit, as soon as the hits are known.
fn hit(model: &mut Model, direction: Direction) -> Vec<Effect> {
    if model.search.line.is_empty() {
        let key = model.keymap.keys_of(&model.scopes(), Action::Search);
        let key = key.unwrap_or_else(|| "search".to_owned());
        say(model, format!("nothing was searched: {key} searches"));
        return Vec::new();
    }
    model.search.waiting = Some(direction);
    go_on(model);
    Vec::new()
}

/// Goes where the user wanted to, once the hits are known.
pub(super) fn go_on(model: &mut Model) {
    let Some(hits) = model.search.hits.clone() else {
        say(model, format!("searching “{}” …", model.search.line));
        return;
    };
    let Some(direction) = model.search.waiting.take() else {
        return;
    };
    if hits.is_empty() {
        alert(model, format!("“{}” was not found", model.search.line));
        return;
    }
    let cursor = model.list.cursor as u32;
    let after = hits.partition_point(|h| *h <= cursor);
    let (at, wrapped) = match direction {
        Direction::Forward if after == hits.len() => (0, true),
        Direction::Forward => (after, false),
        Direction::Backward => match hits.partition_point(|h| *h < cursor).checked_sub(1) {
            Some(at) => (at, false),
            None => (hits.len() - 1, true),
        },
    };
    moves::to_row(model, hits[at] as usize);
    let round = match (wrapped, direction) {
        (false, _) => "",
        (true, Direction::Forward) => ", from the start again",
        (true, Direction::Backward) => ", from the end again",
    };
    say(
        model,
        format!(
            "“{}”: {} of {}{round}",
            model.search.line,
            at + 1,
            hits.len()
        ),
    );
}
