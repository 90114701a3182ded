//! Two views on one screen: opening and closing the second one, going to it, and what one of them tells the other.

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

/// Percent by which a view grows and shrinks.
const STEP: i32 = 5;

/// Runs a command that means something else while two views are on the screen; `None` for all others.
pub(super) fn in_split(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    model.beside()?;
    match command {
        Command::NextPane => Some(next(model)),
        Command::PrevPane => Some(previous(model)),
        _ => None,
    }
}

/// Opens, closes or arranges two views on the screen, or says why that has no effect.
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

/// Why a view cannot stand on that side now; `None` when it can.
pub(super) fn why_not_open(model: &Model, side: SplitDirection) -> Option<&'static str> {
    let is_there = model.pair.is_some_and(|p| p.side == side);
    match (crate::frame::has_room(model, side), side) {
        (true, _) if is_there => Some("there are two views already"),
        (true, _) => None,
        (false, SplitDirection::Beside) => Some("needs 110 columns"),
        (false, SplitDirection::Below) => Some("needs 30 rows"),
    }
}

/// How much room is missing for a second view, when that is why there is none.
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

/// Opens a second view, which gets the keys; one that is there already changes its side.
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
    // It begins with what the one that is there points at.
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

/// What is shown beside the view: what was shown before it, else the records, or beside these the bars of things.
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

/// Exchanges the view that has the keys and the other one; each stays where it stands.
fn exchange(model: &mut Model) {
    let Some(pair) = &mut model.pair else { return };
    std::mem::swap(&mut model.view, &mut pair.other);
    std::mem::swap(&mut model.pane, &mut pair.pane);
    std::mem::swap(&mut model.visits, &mut model.visits_beside);
    pair.keys = pair.keys.opposite();
}

/// Gives the keys to the other view.
fn to_other(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    go_over(model);
    if model.view == View::Events {
        plots::leave(model);
    }
    moves::settle(model);
    table::refresh(model)
}

/// The keys go over to the other view. What that one points at was pointed at before: the view that is left stays where it
/// is until the cursor moves.
fn go_over(model: &mut Model) {
    if model.pane == Pane::Breadcrumb {
        // The trail is of neither.
        model.pane = Pane::List;
    }
    exchange(model);
    model.record.top = 0;
    let here = pointed(model);
    if let Some(pair) = &mut model.pair {
        pair.followed = here;
    }
}

/// Shows a view where the keys are. One that is on the other half gets the keys there: nothing is shown twice.
/// The table is not asked for yet.
pub(super) fn turn_to(model: &mut Model, view: View) {
    let is_other = model.pair.is_some_and(|p| p.other == view);
    if model.view == view {
        return;
    }
    if is_other {
        if view == View::Events {
            // The cursor of the events has followed the moment.
            model.plots.moment = None;
        }
        go_over(model);
    } else {
        model.before = Some(model.view);
        model.view = view;
    }
    moves::settle(model);
}

/// The next pane: the record of this view, then the other view.
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

/// The pane before: the way of [`next`], back.
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

/// Closes the view that has the keys.
fn close(model: &mut Model) -> Vec<Effect> {
    let closed = model.view;
    let effects = to_other(model);
    model.pair = None;
    // Opened again, it is what is shown.
    model.before = Some(closed);
    moves::settle(model);
    effects
}

/// Closes what has the keys: the list above a view, a pane; else one step back, which from the root ends the program.
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

/// Changes places, or how much room each has.
fn arrange(model: &mut Model, command: Command) {
    if let Some(pair) = &mut model.pair {
        match command {
            Command::SwapViews => {
                pair.keys = pair.keys.opposite();
                // Each takes its room along.
                pair.set_share(100 - i32::from(pair.share));
            }
            Command::ViewLarger => pair.grow(STEP),
            _ => pair.grow(-STEP),
        }
    }
    moves::settle(model);
}

/// The line between the views follows the mouse.
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

/// Does something as if the other view had the keys.
pub(super) fn in_other<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> Option<T> {
    model.beside()?;
    exchange(model);
    let done = act(model);
    exchange(model);
    Some(done)
}

/// The mouse did something in the other view: a click gives it the keys, the wheel does not.
pub(super) fn mouse(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Wheel(..) if model.popup.is_some() => take_in(model, msg),
        Msg::Wheel(target, rows) => {
            in_other(model, |model| moves::wheel(model, target, rows)).unwrap_or_default()
        }
        // Beside an open popup a click closes it.
        Msg::Click(_) | Msg::RightClick(_) if model.popup.take().is_some() => Vec::new(),
        Msg::Click(_) | Msg::RightClick(_) => {
            let mut effects = to_other(model);
            effects.extend(take_in(model, msg));
            effects
        }
        // What began in one view does not end in the other.
        _ => Vec::new(),
    }
}

/// Keeps the other view at what the cursor points at, and asks for what its size makes necessary.
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

/// What the cursor of the view that has the keys points at, when it is no list of records.
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

/// Puts a view beside or below the one that is shown, as a workspace has it.
pub(super) fn restore(model: &mut Model, pair: Option<ScreenSplit>) {
    model.pair = pair.filter(|p| p.other != model.view);
    model.visits_beside.clear();
    moves::settle(model);
}
