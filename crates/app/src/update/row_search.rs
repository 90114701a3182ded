//! Search in the rows of tables and pages: hits are marked, other rows stay visible.

use std::borrow::Cow;
use std::iter::once;

use crate::command::Command;
use crate::model::Model;
use crate::model::view::Body;
use crate::msg::Effect;
use widetui_core::direction::Direction;
use widetui_query::SearchText;
use widetui_tables::row_search::RowSearch;
use widetui_tables::text::grouped;

use super::find::next_of;
use super::primitives::notices::{alert, say};
use super::primitives::{prompts, scrolling, tables};

/// Runs a search command in a view whose rows are not records; `None` for all other views and commands.
pub(super) fn in_rows(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    if model.view.is_records() {
        return None;
    }
    let is_empty = model.row_search().is_none_or(|s| s.line.is_empty());
    let direction = match command {
        Command::SearchOn if is_empty => return Some(prompts::open_search(model)),
        Command::NextHit | Command::SearchOn => Direction::Forward,
        Command::PrevHit => Direction::Backward,
        _ => return None,
    };
    if !is_empty {
        go(model, direction);
        return Some(Vec::new());
    }
    // Without a search the command moves to the next or previous entry of a page.
    match model.view.page() {
        Some(page) => (page.next)(model, direction),
        None => {
            let key = model.key_of(Command::Search);
            say(
                model,
                format!("nothing was searched here: {key} searches these rows"),
            );
        }
    }
    Some(Vec::new())
}

fn search(model: &mut Model) -> Option<&mut RowSearch> {
    match model.view.body {
        Body::Records => None,
        Body::Page(page) => Some((page.search_mut)(model)),
        Body::Table(_) => Some(&mut model.tables.entry(model.view).or_default().search),
    }
}

/// Searches the rows of the view and goes to the first hit after the cursor.
pub(super) fn begin(model: &mut Model, line: String, searched: SearchText) {
    let origin = place(model);
    if let Some(search) = search(model) {
        *search = RowSearch {
            line,
            matcher: searched.matcher,
            origin,
            ..RowSearch::default()
        };
        go(model, Direction::Forward);
    }
}

/// Clears the search; returns whether there was one. The cursor returns from a hit to the row before the search.
pub(super) fn stop(model: &mut Model) -> bool {
    let search = search(model).map(std::mem::take);
    let Some(search) = search.filter(|search| !search.line.is_empty()) else {
        return false;
    };
    if search.is_known && search.match_number(place(model)).is_some() {
        go_to(model, search.origin);
    }
    true
}

/// Updates the hits of the search for the current rows.
pub(super) fn find(model: &mut Model) {
    match model.view.body {
        Body::Records => {}
        Body::Page(page) => {
            let texts = (page.texts)(model);
            let texts = texts.iter().map(|text| once(Cow::Borrowed(text.as_str())));
            (page.search_mut)(model).search(texts);
        }
        Body::Table(_) => {
            if let Some(table) = model.tables.get_mut(&model.view) {
                table.find();
            }
        }
    }
}

/// Index of the cursor among the searched rows.
fn place(model: &Model) -> usize {
    match model.view.body {
        Body::Records => 0,
        Body::Page(page) => (page.place)(model),
        Body::Table(_) => model.table().map_or(0, |t| t.list.cursor),
    }
}

fn go(model: &mut Model, direction: Direction) {
    find(model);
    // Large tables are searched in the background; the cursor moves when the hits arrive.
    if let (Body::Table(_), Some(table)) = (model.view.body, model.tables.get_mut(&model.view))
        && table.is_searching()
    {
        table.search.pending_move = Some(direction);
        let text = format!("searching “{}” …", table.search.line);
        say(model, text);
        return;
    }
    go_known(model, direction);
}

/// Moves the cursor to the pending hit after the search of a large table has finished.
pub(super) fn go_on(model: &mut Model) {
    let table = model.tables.get_mut(&model.view);
    if let Some(direction) = table.and_then(|t| t.search.pending_move.take()) {
        go_known(model, direction);
    }
}

fn go_known(model: &mut Model, direction: Direction) {
    let from = place(model);
    let Some((line, hits)) = model.row_search().map(|s| (s.line.clone(), s.hits.clone())) else {
        return;
    };
    if hits.is_empty() {
        alert(model, format!("“{line}” is in none of these rows"));
        return;
    }
    let (at, round) = next_of(&hits, from, direction);
    go_to(model, hits[at]);
    let (n, of) = (grouped(at as u64 + 1), grouped(hits.len() as u64));
    say(model, format!("“{line}”: {n} of {of}{round}"));
}

/// Moves the cursor to one of the searched rows.
fn go_to(model: &mut Model, row: usize) {
    match model.view.body {
        Body::Records => {}
        Body::Page(page) => (page.go)(model, row),
        Body::Table(_) => {
            tables::to_row(model, row);
        }
    }
    scrolling::settle(model);
}
