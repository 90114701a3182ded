//! Split screen: opening, closing and focusing the second view, and synchronizing the cursors of both views.

use crate::command::Command;
use crate::frame::{BELOW_FROM, BESIDE_FROM, Frame};
use crate::model::screen_split::{CursorTarget, ScreenSplit, SplitDirection};
use crate::model::{Model, Pane, View};
use crate::msg::Effect;
use crate::{layout, under_cursor};

use super::availability;
use super::primitives::notices::say;
use super::primitives::{navigation, overview, record_cursor, scrolling, tables};

/// Percent of the screen by which one command grows or shrinks a view.
const STEP: i32 = 5;

/// Runs a command that has another meaning on a split screen; `None` for all other commands.
pub(super) fn in_split(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    model.beside()?;
    match command {
        Command::NextPane => Some(next(model)),
        Command::PrevPane => Some(previous(model)),
        _ => None,
    }
}

/// Opens, closes or arranges the views of a split screen, or notifies the user why the command has no effect.
pub(super) fn split(model: &mut Model, command: Command) -> Vec<Effect> {
    let reason = availability::split(model, command);
    if let Some(reason) = reason {
        let text = no_room(model, command);
        return say(model, text.unwrap_or_else(|| reason.to_owned()));
    }
    match command {
        Command::ViewBeside => open(model, SplitDirection::Beside),
        Command::ViewBelow => open(model, SplitDirection::Below),
        Command::OtherView => navigation::to_other(model),
        Command::CloseView => close(model),
        Command::OnlyView => {
            model.before = model.split.take().map(|p| p.other);
            scrolling::settle(model);
            Vec::new()
        }
        _ => {
            arrange(model, command);
            Vec::new()
        }
    }
}

/// Returns the missing columns or rows as a message, if the screen is too small for a second view.
fn no_room(model: &Model, command: Command) -> Option<String> {
    let side = match command {
        Command::ViewBeside => SplitDirection::Beside,
        Command::ViewBelow => SplitDirection::Below,
        _ => return None,
    };
    let (columns, rows) = model.screen.size;
    (!crate::frame::has_room(model, side)).then(|| match side {
        SplitDirection::Beside => {
            let stacks = model.keymap.keys_of(&model.scopes(), Command::ViewBelow);
            let stacks = stacks.filter(|_| crate::frame::has_room(model, SplitDirection::Below));
            let stacks = stacks.map_or(String::new(), |key| {
                format!(" · {key} puts them below each other")
            });
            format!(
                "two views beside each other need {BESIDE_FROM} columns: here are {columns}{stacks}"
            )
        }
        SplitDirection::Below => {
            format!("two views below each other need {BELOW_FROM} rows: here are {rows}")
        }
    })
}

/// Opens a second view and focuses it; if there is one already, changes the direction of the split.
fn open(model: &mut Model, side: SplitDirection) -> Vec<Effect> {
    model.popup = None;
    if let Some(split) = &mut model.split {
        split.side = side;
        scrolling::settle(model);
        return tables::refresh(model);
    }
    let view = partner(model);
    model.split = Some(ScreenSplit::new(view, side));
    // The new view starts at the record or moment under the cursor of the first view.
    follow(model);
    let effects = navigation::to_other(model);
    let key = |command| model.key_of(command);
    say(
        model,
        format!(
            "1-9 and v choose what is shown here · {} goes to the other panes · {} closes this one",
            key(Command::NextPane),
            key(Command::Quit),
        ),
    );
    effects
}

/// Returns the view to open beside the current one: the previous view, else the records, or beside the records the timeline
/// (the keys if the run has no entities).
fn partner(model: &Model) -> View {
    let has_things = !model.meaning.instance_cache.entities().is_empty();
    let usual = match has_things {
        true => View::TIMELINE,
        false => View::KEYS,
    };
    let all = [model.before, Some(View::EVENTS), Some(usual)];
    let mut others = all.into_iter().flatten().filter(|v| *v != model.view);
    others.next().unwrap_or(usual)
}

/// Focuses the next pane: first the record of this view, then the other view.
fn next(model: &mut Model) -> Vec<Effect> {
    let has_record = model.view.has_detail() && model.record.shown;
    if model.popup.is_none() && model.pane == Pane::List && has_record {
        model.pane = Pane::Record;
        scrolling::settle(model);
        return Vec::new();
    }
    model.pane = Pane::List;
    let effects = navigation::to_other(model);
    model.pane = Pane::List;
    scrolling::settle(model);
    effects
}

/// Focuses the previous pane, in the reverse order of [`next`].
fn previous(model: &mut Model) -> Vec<Effect> {
    let has_record = |model: &Model| model.view.has_detail() && model.record.shown;
    if model.popup.is_none() && model.pane == Pane::Record && has_record(model) {
        model.pane = Pane::List;
        scrolling::settle(model);
        return Vec::new();
    }
    model.pane = Pane::List;
    let effects = navigation::to_other(model);
    model.pane = match has_record(model) {
        true => Pane::Record,
        false => Pane::List,
    };
    scrolling::settle(model);
    effects
}

/// Closes the focused view.
fn close(model: &mut Model) -> Vec<Effect> {
    let closed = model.view;
    let effects = navigation::to_other(model);
    model.split = None;
    // Opening a second view again restores the closed one.
    model.before = Some(closed);
    scrolling::settle(model);
    effects
}

/// Swaps the views of a split screen, or resizes the focused one.
fn arrange(model: &mut Model, command: Command) {
    if let Some(split) = &mut model.split {
        match command {
            Command::SwapViews => {
                split.keys = split.keys.opposite();
                // Each view keeps its share of the screen.
                split.set_share(100 - i32::from(split.share));
            }
            Command::ViewLarger => split.grow(STEP),
            _ => split.grow(-STEP),
        }
    }
    scrolling::settle(model);
}

/// Resizes the views while the mouse drags the line between them.
pub(super) fn drag(model: &mut Model, column: u16, row: u16) {
    let body = Frame::new(model).body();
    if let Some(split) = &mut model.split {
        let (left, all) = match split.side {
            SplitDirection::Beside => (body.right().saturating_sub(column + 1), body.width),
            SplitDirection::Below => (body.bottom().saturating_sub(row), body.height),
        };
        split.set_share(i32::from(left) * 100 / i32::from(all.max(1)));
    }
    scrolling::settle(model);
}

/// Synchronizes the other view with the cursor, and requests the overview again if its width changed.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    follow(model);
    let is_other_size = model.events.bins.is_some_and(|n| n != layout::bins(model));
    let is_due = is_other_size && model.on_screen(View::EVENTS).is_some();
    is_due.then(|| overview::request(model))
}

fn follow(model: &mut Model) {
    let Some(other) = model.beside().map(|o| o.view) else {
        return;
    };
    let now = under_cursor::record_or_moment(model);
    let Some(split) = &mut model.split else {
        return;
    };
    if split.followed == now {
        return;
    }
    split.followed = now;
    let time = match now {
        None => return,
        Some(CursorTarget::Moment(time)) => time,
        Some(CursorTarget::Record(place)) => {
            let id = model.snapshot.event_at(place.source, place.offset);
            let Some(event) = id.and_then(|id| model.snapshot.event(id)) else {
                return;
            };
            let (id, time) = (event.id, event.order_time());
            if let Some(row) = model.rows.row_of(&model.snapshot, id)
                && other.is_records()
            {
                record_cursor::to_row(model, row);
                return;
            }
            time
        }
    };
    if other.is_records() && !model.is_empty() {
        let row = model.rows.row_at_time(&model.snapshot, time);
        record_cursor::to_row(model, row.min(model.len() - 1));
    } else if other.is_over_time() && time < i64::MAX {
        model.plots.moment = Some(time);
    }
}

/// Restores the split screen of a workspace.
pub(super) fn restore(model: &mut Model, split: Option<ScreenSplit>) {
    model.split = split.filter(|p| p.other != model.view);
    scrolling::settle(model);
}
