//! Movement to the next or previous search hit, error, warning or marked record.

use std::sync::Arc;

use crate::command::Command;
use crate::model::{Model, TextSearch};
use crate::msg::Effect;
use widetui_core::direction::Direction;
use widetui_core::level::Level;
use widetui_query::{Expr, SearchText, suggest_pattern};
use widetui_session::jobs::Question;
use widetui_session::record_search::{SearchTarget, nearest_row};
use widetui_session::record_texts::Place;
use widetui_store::{Value, ValueOrigin};
use widetui_tables::key_rank::{self, Rank};
use widetui_tables::text::grouped;

use super::primitives::navigation::show_records;
use super::primitives::notices::{alert, say};
use super::primitives::questions::ask;
use super::primitives::{marked_rows, prompts, record_cursor};

/// Moves to the next search hit; opens the search prompt if there is no search.
pub(super) fn search_on(model: &mut Model) -> Vec<Effect> {
    show_records(model);
    match model.search.line.is_empty() {
        true => prompts::open_search(model),
        false => hit(model, Direction::Forward),
    }
}

/// Moves to the next or previous search hit.
pub(super) fn next_hit(model: &mut Model, direction: Direction) -> Vec<Effect> {
    show_records(model);
    hit(model, direction)
}

/// Moves to the next or previous marked record; notifies the user if no record is marked.
pub(super) fn next_mark(model: &mut Model, direction: Direction) -> Vec<Effect> {
    show_records(model);
    if model.marks.is_empty() {
        let key = model.key_of(Command::Mark);
        return say(model, format!("nothing is marked: {key} marks a record"));
    }
    // The rows of marked records are known, so no search in the background is necessary.
    let row = nearest_row(&model.events.marks, model.events.list.cursor, direction);
    model.events.last_search = "marked record".to_owned();
    found(model, row);
    Vec::new()
}

/// Moves to the next or previous record of at least `level`.
pub(super) fn severe(model: &mut Model, level: Level, direction: Direction) -> Vec<Effect> {
    show_records(model);
    let what = match level {
        Level::Warning => "warning or error",
        _ => "error",
    };
    let known = model.events.severe.as_ref().and_then(|s| s.of(level));
    if let Some(rows) = known.cloned() {
        // Moves synchronously, so that the next key applies to the new record.
        model.events.last_search = what.to_owned();
        let row = nearest_row(&rows, model.events.list.cursor, direction);
        found(model, row);
        return Vec::new();
    }
    find(
        model,
        SearchTarget::Level(level),
        direction,
        what.to_owned(),
    )
}

/// Moves to the row that a search found; notifies the user if it found none.
pub(super) fn found(model: &mut Model, row: Option<usize>) {
    let Some(row) = row else {
        return say_none(model);
    };
    if row == model.events.list.cursor {
        say(model, "this is the only one");
    }
    record_cursor::jump_to(model, row);
}

/// Searches for the next row that matches `wanted`; messages describe it as `what`.
pub(super) fn find(
    model: &mut Model,
    wanted: SearchTarget,
    direction: Direction,
    what: String,
) -> Vec<Effect> {
    model.events.last_search = what;
    let question = Question::Find {
        rows: model.rows.clone(),
        from: model.events.list.cursor,
        direction,
        wanted,
    };
    vec![ask(model, question)]
}

/// Marks the current record, or removes its mark.
pub(super) fn mark(model: &mut Model) -> Vec<Effect> {
    show_records(model);
    let Some(place) = model.current().map(|e| Place::from_event(&e)) else {
        return Vec::new();
    };
    match model.marks.iter().position(|m| *m == place) {
        Some(at) => {
            model.marks.remove(at);
        }
        None => {
            model.marks.push(place);
            marked_rows::remember_beginning(model, place);
        }
    }
    marked_rows::place_marks(model);
    Vec::new()
}

/// Length in characters below which a value is searched for together with the label of its key.
const SHORT: usize = 5;

/// Searches for the highest-ranked value of the record under the cursor, such as a task id.
pub(super) fn subject(model: &mut Model, direction: Direction) -> Vec<Effect> {
    show_records(model);
    let about = model.current().and_then(|event| {
        let keys = key_rank::ranked_keys(&event);
        let own = keys.iter().filter(|k| k.origin == ValueOrigin::Record);
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
        Some(text) => {
            let searched = SearchText::literal(&text);
            search_for(model, text, searched, direction)
        }
        None => say(model, "this record names nothing to search for"),
    }
}

/// Notifies the user that no row matches, and whether only a selection was searched.
fn say_none(model: &mut Model) {
    let what = std::mem::take(&mut model.events.last_search);
    let text = if model.selection.is_all() {
        format!("there is no {what}")
    } else {
        let rows = grouped(model.len() as u64);
        let word = if model.len() == 1 {
            "record"
        } else {
            "records"
        };
        format!("no {what} among these {rows} {word}")
    };
    say(model, text);
}

/// Moves to the next or previous search hit once the hits are known.
fn hit(model: &mut Model, direction: Direction) -> Vec<Effect> {
    if model.search.line.is_empty() {
        let key = model.key_of(Command::Search);
        return say(model, format!("nothing was searched: {key} searches"));
    }
    model.search.waiting = Some(direction);
    go_on(model);
    Vec::new()
}

/// Message that the search has no hits, with a pattern to try if the text looks like a regular
/// expression.
fn say_missed(model: &Model) -> String {
    let line = &model.search.line;
    let among = match model.selection.is_all() {
        true => "",
        false => " among what is selected",
    };
    let is_text = matches!(model.search.expr, Expr::Text(_));
    let meant = suggest_pattern(line).filter(|_| is_text);
    match (is_text, meant) {
        (false, _) => format!("nothing fits the pattern {line}{among}"),
        (true, None) => format!("“{line}” was not found{among}"),
        (true, Some(pattern)) => {
            let key = model.key_of(Command::Search);
            format!(
                "“{line}” was not found{among} as it stands; a pattern is written between slashes: {key} then {pattern}"
            )
        }
    }
}

/// Stores the rows of search hits, which are complete if `is_whole`.
pub(super) fn hits(model: &mut Model, rows: Arc<[u32]>, is_whole: bool) {
    model.search.hits = Some(rows);
    model.search.is_whole = is_whole;
    if model.search.waiting.is_some() {
        go_on(model);
    }
}

/// Moves to the search hit that the user requested, once it is known.
pub(super) fn go_on(model: &mut Model) {
    let Some(hits) = model.search.hits.clone() else {
        say(model, format!("searching “{}” …", model.search.line));
        return;
    };
    let Some(direction) = model.search.waiting else {
        return;
    };
    let cursor = model.events.list.cursor as u32;
    let is_ahead = match direction {
        Direction::Forward => hits.last().is_some_and(|h| *h > cursor),
        Direction::Backward => hits.first().is_some_and(|h| *h < cursor),
    };
    if !model.search.is_whole && !is_ahead {
        // The search wraps around only once all hits are known.
        say(model, format!("searching “{}” …", model.search.line));
        return;
    }
    model.search.waiting = None;
    if hits.is_empty() {
        let text = say_missed(model);
        alert(model, text);
        return;
    }
    let (at, round) = next_of(&hits, cursor, direction);
    record_cursor::jump_to(model, hits[at] as usize);
    say(
        model,
        format!(
            "“{}”: {} of {}{}{round}",
            model.search.line,
            grouped(at as u64 + 1),
            grouped(hits.len() as u64),
            if model.search.is_whole { "" } else { " so far" },
        ),
    );
}

/// Index of the next or previous one of ascending hits, with a note if the search starts again at the other end.
pub(super) fn next_of<T: PartialOrd>(
    hits: &[T],
    cursor: T,
    direction: Direction,
) -> (usize, &'static str) {
    let found = match direction {
        Direction::Forward => Some(hits.partition_point(|h| *h <= cursor)),
        Direction::Backward => hits.partition_point(|h| *h < cursor).checked_sub(1),
    };
    match (found.filter(|at| *at < hits.len()), direction) {
        (Some(at), _) => (at, ""),
        (None, Direction::Forward) => (0, ", from the start again"),
        (None, Direction::Backward) => (hits.len().saturating_sub(1), ", from the end again"),
    }
}

/// Searches the selected records for a parsed text and goes to the next or previous hit.
pub(super) fn search_for(
    model: &mut Model,
    text: String,
    searched: SearchText,
    direction: Direction,
) -> Vec<Effect> {
    let SearchText { expr, matcher } = searched;
    model.search = TextSearch {
        matcher,
        expr: expr.clone(),
        line: text.clone(),
        hits: None,
        is_whole: false,
        waiting: Some(direction),
    };
    say(model, format!("searching “{text}” …"));
    let near = model.current().map(|e| e.id);
    let question = Question::Search(model.rows.clone(), expr, near);
    vec![ask(model, question)]
}
