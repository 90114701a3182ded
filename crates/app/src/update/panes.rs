//! Split screen: opening, closing and focusing the second view, and synchronizing the cursors of both views.

use crate::command::Command;
use crate::frame::{BELOW_FROM, BESIDE_FROM, Frame};
use crate::layout;
use crate::model::{Model, Pane, View};
use crate::msg::{Effect, Msg};
use crate::pages::unfinished;
use crate::screen_split::{CursorTarget, ScreenSplit, SplitDirection};
use crate::view::{Body, Page, RowLook};
use widetui_session::record_texts::Place;
use widetui_tables::table::RowAction;

use super::{data, findings, flow, moves, plots, say, table, take_in, views, why_not};

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
    if let Some(reason) = why_not(model, command) {
        let text = no_room(model, command);
        say(model, text.unwrap_or_else(|| reason.to_owned()));
        return Vec::new();
    }
    match command {
        Command::ViewBeside => open(model, SplitDirection::Beside),
        Command::ViewBelow => open(model, SplitDirection::Below),
        Command::OtherView => to_other(model),
        Command::CloseView => close(model),
        Command::OnlyView => {
            model.before = model.pair.take().map(|p| p.other);
            moves::settle(model);
            Vec::new()
        }
        _ => {
            arrange(model, command);
            Vec::new()
        }
    }
}

/// Returns the reason why no view can be opened on a side of the screen; `None` if one can.
pub(super) fn why_not_open(model: &Model, side: SplitDirection) -> Option<&'static str> {
    let is_there = model.pair.is_some_and(|p| p.side == side);
    match (crate::frame::has_room(model, side), side) {
        (true, _) if is_there => Some("there are two views already"),
        (true, _) => None,
        (false, SplitDirection::Beside) => Some("needs 110 columns"),
        (false, SplitDirection::Below) => Some("needs 30 rows"),
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
    if let Some(pair) = &mut model.pair {
        pair.side = side;
        moves::settle(model);
        return table::refresh(model);
    }
    let view = partner(model);
    model.pair = Some(ScreenSplit::new(view, side));
    model.visits_beside.clear();
    // The new view starts at the record or moment under the cursor of the first view.
    follow(model);
    let effects = to_other(model);
    let key = |command| {
        let key = model.keymap.keys_of(&model.scopes(), command);
        key.unwrap_or_else(|| command.info().name.to_owned())
    };
    let text = format!(
        "1-9 and v choose what is shown here · {} goes to the other panes · {} closes this one",
        key(Command::NextPane),
        key(Command::Quit),
    );
    say(model, text);
    effects
}

/// Returns the view to open beside the current one: the previous view, else the records, or beside the records the timeline
/// (the keys if the run has no entities).
fn partner(model: &Model) -> View {
    let has_things = !model.meaning.instance_cache.entities().is_empty();
    let usual = match has_things {
        true => View::Timeline,
        false => View::Keys,
    };
    let all = [model.before, Some(View::Events), Some(usual)];
    let mut others = all.into_iter().flatten().filter(|v| *v != model.view);
    others.next().unwrap_or(usual)
}

/// Exchanges the focused view and the other one in the model; both keep their halves of the screen.
fn exchange(model: &mut Model) {
    let Some(pair) = &mut model.pair else { return };
    std::mem::swap(&mut model.view, &mut pair.other);
    std::mem::swap(&mut model.pane, &mut pair.pane);
    std::mem::swap(&mut model.visits, &mut model.visits_beside);
    pair.keys = pair.keys.opposite();
}

/// Focuses the other view.
fn to_other(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    go_over(model);
    if model.view == View::Events {
        plots::leave(model);
    }
    moves::settle(model);
    table::refresh(model)
}

/// Moves the focus to the other view. Its cursor position counts as followed already, so the view that loses the focus does
/// not move until that cursor moves.
fn go_over(model: &mut Model) {
    if model.pane == Pane::Breadcrumb {
        // The breadcrumb belongs to neither view.
        model.pane = Pane::List;
    }
    exchange(model);
    model.record.top = 0;
    let here = pointed(model);
    if let Some(pair) = &mut model.pair {
        pair.followed = here;
    }
}

/// Shows a view in the focused half; a view that the other half shows is focused there instead of shown twice. Does not
/// request its table.
pub(super) fn turn_to(model: &mut Model, view: View) {
    let is_other = model.pair.is_some_and(|p| p.other == view);
    if model.view == view {
        return;
    }
    if is_other {
        if view == View::Events {
            // The cursor of the record list has already followed the moment.
            model.plots.moment = None;
        }
        go_over(model);
    } else {
        model.before = Some(model.view);
        model.view = view;
    }
    moves::settle(model);
}

/// Focuses the next pane: first the record of this view, then the other view.
fn next(model: &mut Model) -> Vec<Effect> {
    let has_record = model.view.has_detail() && model.record.shown;
    if model.popup.is_none() && model.pane == Pane::List && has_record {
        model.pane = Pane::Record;
        moves::settle(model);
        return Vec::new();
    }
    model.pane = Pane::List;
    let effects = to_other(model);
    model.pane = Pane::List;
    moves::settle(model);
    effects
}

/// Focuses the previous pane, in the reverse order of [`next`].
fn previous(model: &mut Model) -> Vec<Effect> {
    let has_record = |model: &Model| model.view.has_detail() && model.record.shown;
    if model.popup.is_none() && model.pane == Pane::Record && has_record(model) {
        model.pane = Pane::List;
        moves::settle(model);
        return Vec::new();
    }
    model.pane = Pane::List;
    let effects = to_other(model);
    model.pane = match has_record(model) {
        true => Pane::Record,
        false => Pane::List,
    };
    moves::settle(model);
    effects
}

/// Closes the focused view.
fn close(model: &mut Model) -> Vec<Effect> {
    let closed = model.view;
    let effects = to_other(model);
    model.pair = None;
    // Opening a second view again restores the closed one.
    model.before = Some(closed);
    moves::settle(model);
    effects
}

/// Closes the open popup, pane or second view; otherwise goes one step back, which at the root quits the program.
pub(super) fn quit(model: &mut Model) -> Vec<Effect> {
    if model.popup.take().is_some() {
        return Vec::new();
    }
    if model.pane == Pane::Record && model.view.has_detail() {
        model.record.shown = false;
        model.pane = Pane::List;
        moves::settle(model);
        let key = model.keymap.keys_of(&model.scopes(), Command::RecordPane);
        let key = key.unwrap_or_else(|| Command::RecordPane.info().name.to_owned());
        say(model, format!("{key} shows the record again"));
        return Vec::new();
    }
    if model.pane != Pane::List {
        return views::to_list(model);
    }
    match model.beside().is_some() {
        true => close(model),
        false => views::step_back(model).unwrap_or_else(|| vec![Effect::Quit]),
    }
}

/// Swaps the views of a split screen, or resizes the focused one.
fn arrange(model: &mut Model, command: Command) {
    if let Some(pair) = &mut model.pair {
        match command {
            Command::SwapViews => {
                pair.keys = pair.keys.opposite();
                // Each view keeps its share of the screen.
                pair.set_share(100 - i32::from(pair.share));
            }
            Command::ViewLarger => pair.grow(STEP),
            _ => pair.grow(-STEP),
        }
    }
    moves::settle(model);
}

/// Resizes the views while the mouse drags the line between them.
pub(super) fn drag(model: &mut Model, column: u16, row: u16) {
    let body = Frame::of(model).body();
    if let Some(pair) = &mut model.pair {
        let (left, all) = match pair.side {
            SplitDirection::Beside => (body.right().saturating_sub(column + 1), body.width),
            SplitDirection::Below => (body.bottom().saturating_sub(row), body.height),
        };
        pair.set_share(i32::from(left) * 100 / i32::from(all.max(1)));
    }
    moves::settle(model);
}

/// Runs `act` while the other view is focused; `None` if the screen is not split.
pub(super) fn in_other<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> Option<T> {
    model.beside()?;
    exchange(model);
    let done = act(model);
    exchange(model);
    Some(done)
}

/// Handles mouse input in the unfocused view: a click focuses it, the wheel only scrolls it.
pub(super) fn mouse(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Wheel(..) if model.popup.is_some() => take_in(model, msg),
        Msg::Wheel(target, rows) => {
            in_other(model, |model| moves::wheel(model, target, rows)).unwrap_or_default()
        }
        // A click outside an open popup closes it.
        Msg::Click(_) | Msg::RightClick(_) if model.popup.take().is_some() => Vec::new(),
        Msg::Click(_) | Msg::RightClick(_) => {
            let mut effects = to_other(model);
            effects.extend(take_in(model, msg));
            effects
        }
        // A drag that began in one view does not continue in the other.
        _ => Vec::new(),
    }
}

/// Synchronizes the other view with the cursor, and requests the overview again if its width changed.
pub(super) fn keep_up(model: &mut Model) -> Option<Effect> {
    follow(model);
    let is_other_size = model.events.bins.is_some_and(|n| n != layout::bins(model));
    let is_due = is_other_size && model.on_screen(View::Events).is_some();
    is_due.then(|| data::strip(model))
}

fn follow(model: &mut Model) {
    let Some(other) = model.beside().map(|o| o.view) else {
        return;
    };
    let now = pointed(model);
    let Some(pair) = &mut model.pair else { return };
    if pair.followed == now {
        return;
    }
    pair.followed = now;
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
                && other == View::Events
            {
                moves::to_row(model, row);
                return;
            }
            time
        }
    };
    if other == View::Events && !model.is_empty() {
        let row = model.rows.row_at_time(&model.snapshot, time);
        moves::to_row(model, row.min(model.len() - 1));
    } else if other.is_over_time() && time < i64::MAX {
        model.plots.moment = Some(time);
    }
}

/// Returns the record or moment under the cursor of the focused view (`None` for a list of records).
fn pointed(model: &Model) -> Option<CursorTarget> {
    if model.view.is_over_time() {
        return model.plots.moment.map(CursorTarget::Moment);
    }
    let place = match model.view.row().body {
        Body::Records => None,
        Body::Page(Page::Unfinished) => {
            let id = unfinished::last_record(model);
            id.and_then(|id| model.snapshot.event(id))
                .map(|e| Place::from_event(&e))
        }
        Body::Page(Page::Findings) => findings::event(model).map(|e| Place::from_event(&e)),
        Body::Table(RowLook::Arrows) => flow::event(model).map(|e| Place::from_event(&e)),
        Body::Table(RowLook::Cells | RowLook::Bars) => match model.table()?.current()?.action {
            RowAction::Event(place) => Some(place),
            _ => None,
        },
    };
    place.map(CursorTarget::Record)
}

/// Restores the split screen of a workspace.
pub(super) fn restore(model: &mut Model, pair: Option<ScreenSplit>) {
    model.pair = pair.filter(|p| p.other != model.view);
    model.visits_beside.clear();
    moves::settle(model);
}
