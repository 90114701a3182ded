//! Search in the rows of tables and pages: hits are marked, other rows stay visible.

use std::borrow::Cow;
use std::iter::once;

use crate::command::Command;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::pages::{findings as findings_page, unfinished};
use crate::view::{Body, Page};
use widetui_core::direction::Direction;
use widetui_query::SearchText;
use widetui_tables::row_search::RowSearch;
use widetui_tables::text::grouped;

use super::instance_views;
use super::primitives::notices::{alert, say};
use super::primitives::{findings_cursor, prompts, scrolling, tables};

/// Runs a search command in a view whose rows are not records; `None` for all other views and commands.
pub(super) fn in_rows(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    let body = model.view.row().body;
    if body == Body::Records {
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
    // Without a search the command moves to the next or previous row or finding of a page.
    Some(match (body, direction) {
        (Body::Page(Page::Unfinished), _) => {
            instance_views::move_hung(
                model,
                if direction == Direction::Forward {
                    1
                } else {
                    -1
                },
            );
            Vec::new()
        }
        (Body::Page(Page::Findings), Direction::Forward) => findings_cursor::next(model),
        (Body::Page(Page::Findings), Direction::Backward) => findings_cursor::previous(model),
        (Body::Records | Body::Table(_), _) => {
            let key = model.keymap.keys_of(&model.scopes(), Command::Search);
            let key = key.unwrap_or_else(|| Command::Search.info().name.to_owned());
            say(
                model,
                format!("nothing was searched here: {key} searches these rows"),
            );
            Vec::new()
        }
    })
}

fn search(model: &mut Model) -> Option<&mut RowSearch> {
    match model.view.row().body {
        Body::Records => None,
        Body::Page(Page::Unfinished) => Some(&mut model.instances.search),
        Body::Page(Page::Findings) => Some(&mut model.findings.text),
        Body::Table(_) => Some(&mut model.tables.entry(model.view).or_default().search),
    }
}

/// Searches the rows of the view and goes to the first hit after the cursor.
pub(super) fn begin(model: &mut Model, line: String, searched: SearchText) {
    if let Some(search) = search(model) {
        *search = RowSearch {
            line,
            matcher: searched.matcher,
            ..RowSearch::default()
        };
        go(model, Direction::Forward);
    }
}

/// Clears the search; returns whether there was one.
pub(super) fn stop(model: &mut Model) -> bool {
    search(model).is_some_and(|search| !std::mem::take(search).line.is_empty())
}

/// Updates the hits of the search for the current rows.
pub(super) fn find(model: &mut Model) {
    match model.view.row().body {
        Body::Records => {}
        Body::Page(Page::Unfinished) => {
            let lines = unfinished::lines(model, model.columns_of(View::Unfinished));
            let texts = lines.iter().map(|l| once(Cow::Owned(l.text())));
            model.instances.search.search(texts);
        }
        Body::Page(Page::Findings) => {
            let texts = findings_page::searched_texts(model);
            let texts = texts
                .iter()
                .map(|(_, text)| once(Cow::Borrowed(text.as_str())));
            model.findings.text.search(texts);
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
    match model.view.row().body {
        Body::Records => 0,
        Body::Page(Page::Unfinished) => model.instances.hung.cursor,
        Body::Page(Page::Findings) => model.findings.place(),
        Body::Table(_) => model.table().map_or(0, |t| t.list.cursor),
    }
}

fn go(model: &mut Model, direction: Direction) {
    find(model);
    // Large tables are searched in the background; the cursor moves when the hits arrive.
    if let (Body::Table(_), Some(table)) =
        (model.view.row().body, model.tables.get_mut(&model.view))
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
    let (at, round) = match direction {
        Direction::Forward => match hits.iter().position(|h| *h > from) {
            Some(at) => (at, ""),
            None => (0, ", from the start again"),
        },
        Direction::Backward => match hits.iter().rposition(|h| *h < from) {
            Some(at) => (at, ""),
            None => (hits.len() - 1, ", from the end again"),
        },
    };
    match model.view.row().body {
        Body::Records => {}
        Body::Page(Page::Unfinished) => model.instances.hung.cursor = hits[at],
        Body::Page(Page::Findings) => findings_cursor::to_place(model, hits[at]),
        Body::Table(_) => {
            tables::to_row(model, hits[at]);
        }
    }
    scrolling::settle(model);
    let (n, of) = (grouped(at as u64 + 1), grouped(hits.len() as u64));
    say(model, format!("“{line}”: {n} of {of}{round}"));
}
