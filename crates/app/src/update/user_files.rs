//! Commands for notes, workspaces, the position of the record pane and mouse capture.

use crate::command::Command;
use crate::hit::Target;
use crate::layout::{Areas, NARROW};
use crate::model::screen_split::{SHARES, ScreenSplit, SplitDirection, SplitHalf};
use crate::model::view::Opens;
use crate::model::{Model, Pane, TimeDisplay, View};
use crate::msg::{Effect, SaveReport, SavedWorkspace};
use crate::popups::PromptKind;
use crate::record_pane::{PaneSide, Split};
use crate::user_data::Offer;
use widetui_query::parse;
use widetui_session::record_texts::Place;
use widetui_session::saved::{Restored, SavedLayout, SavedSplit, SavedStep, Session};
use widetui_session::selection::SelectionStep;
use widetui_session::user_joins;

use super::primitives::navigation::{show, show_records};
use super::primitives::notices::{alert, say};
use super::primitives::{marked_rows, prompts, record_cursor, scrolling, selection, tables};
use super::{joins, panes};

/// Percent of the screen by which one command grows or shrinks the record pane.
pub(super) const STEP: i32 = 5;

/// Moves the record pane to the right of the list.
pub(super) fn record_right(model: &mut Model) -> Vec<Effect> {
    place(model, PaneSide::Right);
    if model.shown().area.width < NARROW {
        say(
            model,
            format!("below {NARROW} columns the record stays below the list"),
        );
    }
    Vec::new()
}

/// Moves the record pane below the list.
pub(super) fn record_below(model: &mut Model) -> Vec<Effect> {
    place(model, PaneSide::Below);
    Vec::new()
}

/// Hides the record pane.
pub(super) fn hide_record(model: &mut Model) -> Vec<Effect> {
    model.record.shown = false;
    model.pane = Pane::List;
    scrolling::settle(model);
    Vec::new()
}

/// Toggles mouse capture: the mouse belongs to the terminal or to the program.
pub(super) fn toggle_mouse(model: &mut Model) -> Vec<Effect> {
    let given = &mut model.user_data.is_mouse_given;
    *given = !*given;
    let is_ours = !*given;
    let text = match is_ours {
        true => "the mouse is taken: shift selects text in most terminals",
        false => "the mouse is the terminal's",
    };
    say(model, text);
    vec![Effect::Mouse(is_ours)]
}

/// Saves marks, notes, selection and view as the workspace of the logs.
pub(super) fn save(model: &mut Model) -> Vec<Effect> {
    vec![saving(model, SaveReport::Any)]
}

fn saving(model: &Model, report: SaveReport) -> Effect {
    Effect::SaveWorkspace(model.snapshot.clone(), Box::new(session(model)), report)
}

/// Restores the saved workspace. The first call only describes it; the second call restores it.
pub(super) fn restore_saved(model: &mut Model) -> Vec<Effect> {
    match &model.user_data.offer {
        Some(offer) if offer.is_told => {
            vec![Effect::RestoreWorkspace(model.snapshot.clone())]
        }
        Some(_) => {
            tell_offer(model);
            Vec::new()
        }
        None => say(model, "no workspace of this run was saved"),
    }
}

fn place(model: &mut Model, side: PaneSide) {
    model.record.shown = true;
    model.record.split.side = side;
    scrolling::settle(model);
}

/// Grows the record pane by `by` percent of the screen (shrinks it if negative).
pub(super) fn resize(model: &mut Model, by: i32) -> Vec<Effect> {
    model.record.shown = true;
    let areas = Areas::new(model);
    let (record, all) = if areas.is_beside() {
        (areas.record.width, model.shown().area.width)
    } else {
        (
            areas.record.height,
            areas.list.height + 1 + areas.record.height,
        )
    };
    // Rounded up: a truncated share would shrink the pane a little with every step.
    let share = share_of(record, all);
    set_share(model, share + by);
    Vec::new()
}

/// Returns `length` as a percentage of `all`, rounded up.
fn share_of(length: u16, all: u16) -> i32 {
    (u32::from(length) * 100).div_ceil(u32::from(all.max(1))) as i32
}

fn set_share(model: &mut Model, share: i32) {
    let share = share.clamp(i32::from(SHARES.0), i32::from(SHARES.1)) as u16;
    if Areas::new(model).is_beside() {
        model.record.split.right = Some(share);
    } else {
        model.record.split.below = Some(share);
    }
    scrolling::settle(model);
}

/// Resizes the panes while the mouse drags the line between list and record, or between two views.
pub(super) fn drag(model: &mut Model, column: u16, row: u16) -> Vec<Effect> {
    match model.user_data.dragging {
        Some(Target::RecordLine) => {}
        Some(_) => {
            panes::drag(model, column, row);
            return Vec::new();
        }
        None => return Vec::new(),
    }
    let areas = Areas::new(model);
    let (left, all) = if areas.is_beside() {
        let area = model.shown().area;
        (area.right().saturating_sub(column), area.width)
    } else {
        let bottom = areas.record.bottom();
        (bottom.saturating_sub(row + 1), bottom - areas.list.top())
    };
    set_share(model, share_of(left, all));
    Vec::new()
}

/// Opens the prompt for a note on the record under the cursor.
pub(super) fn open_note(model: &mut Model) -> Vec<Effect> {
    show_records(model);
    let Some(place) = model.current().map(|e| Place::from_event(&e)) else {
        return say(model, "there is no record to write to");
    };
    let text = model
        .user_data
        .notes
        .get(&place)
        .cloned()
        .unwrap_or_default();
    prompts::open(model, PromptKind::Note(place), &text)
}

/// Writes a note on the record under the cursor; opens the prompt if there is no record.
pub(super) fn note_on_current(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(place) = model.current().map(|e| Place::from_event(&e)) else {
        return open_note(model);
    };
    let mut effects = show_records(model);
    effects.extend(note(model, place, text.trim()));
    effects
}

/// Stores a note, or deletes it if the text is empty, and saves the session: the user learns at once if notes cannot be kept.
pub(super) fn note(model: &mut Model, place: Place, text: &str) -> Vec<Effect> {
    if text.is_empty() {
        if model.user_data.notes.remove(&place).is_none() {
            return Vec::new();
        }
        say(model, "the note is taken away");
    } else {
        model.user_data.notes.insert(place, text.to_owned());
        marked_rows::remember_beginning(model, place);
    }
    vec![saving(model, SaveReport::Failure)]
}

/// Returns the view to restore: the current view, or the one from which it was opened if it depends on a subject, which is
/// not saved.
fn kept_view(model: &Model) -> View {
    let before = model.navigation.iter().rev().map(|visit| visit.view);
    let mut all = std::iter::once(model.view).chain(before);
    let opens = |view: &View| view.opens == Opens::ByItself;
    all.find(opens).unwrap_or(View::EVENTS)
}

/// Returns the state of the explorer that a workspace saves.
pub fn session(model: &Model) -> Session {
    let mut records: Vec<(Place, bool, Option<String>)> = model
        .marks
        .iter()
        .map(|place| (*place, true, model.user_data.notes.get(place).cloned()))
        .collect();
    let noted = model
        .user_data
        .notes
        .iter()
        .filter(|(p, _)| !model.marks.contains(p));
    records.extend(noted.map(|(place, note)| (*place, false, Some(note.clone()))));
    records.sort_by_key(|(place, ..)| (place.source, place.offset));
    Session {
        title: model.title.clone(),
        view: kept_view(model).title.to_owned(),
        times: match model.time {
            TimeDisplay::Clock => "clock",
            TimeDisplay::FromStart => "from start",
            TimeDisplay::StepOnly => "steps",
            TimeDisplay::SameKey => "same key",
        }
        .to_owned(),
        layout: Some(layout(model)),
        cursor: model.current().map(|e| Place::from_event(&e)),
        steps: model
            .selection
            .steps()
            .iter()
            .map(|step| SavedStep {
                label: step.label.clone(),
                expr: step.expr.to_string(),
            })
            .collect(),
        joins: model.selection.joins().clone(),
        records,
        lost: model.user_data.lost.clone(),
    }
}

/// Names of the directions of a split screen in workspace files.
const SPLIT_DIRECTIONS: [(SplitDirection, &str); 2] = [
    (SplitDirection::Beside, "beside"),
    (SplitDirection::Below, "below"),
];

/// Names of the halves of a split screen in workspace files.
const HALVES: [(SplitHalf, &str); 2] = [(SplitHalf::First, "first"), (SplitHalf::Second, "second")];

/// Names of the positions of the record pane in workspace files.
const SIDES: [(PaneSide, &str); 3] = [
    (PaneSide::Fitting, "fitting"),
    (PaneSide::Right, "right"),
    (PaneSide::Below, "below"),
];

fn layout(model: &Model) -> SavedLayout {
    let Split { side, right, below } = model.record.split;
    let name = SIDES.iter().find(|s| s.0 == side);
    SavedLayout {
        record: model.record.shown,
        side: name.map_or("", |s| s.1).to_owned(),
        right,
        below,
        second: model.split.as_ref().map(saved_split),
    }
}

fn saved_split(split: &ScreenSplit) -> SavedSplit {
    SavedSplit {
        view: split.other.title.to_owned(),
        side: named(&SPLIT_DIRECTIONS, split.side),
        keys: named(&HALVES, split.keys),
        share: split.share,
    }
}

/// Returns the name of a value in workspace files (empty if it has none).
fn named<T: PartialEq>(names: &[(T, &str)], what: T) -> String {
    let name = names.iter().find(|n| n.0 == what);
    name.map_or(String::new(), |n| n.1.to_owned())
}

/// Returns the split screen of a saved workspace (`None` if its names are unknown).
fn restored_split(kept: &SavedSplit) -> Option<ScreenSplit> {
    let side = SPLIT_DIRECTIONS.iter().find(|s| s.1 == kept.side)?.0;
    let mut split = ScreenSplit::new(View::titled(&kept.view)?, side);
    split.keys = HALVES.iter().find(|h| h.1 == kept.keys)?.0;
    split.set_share(i32::from(kept.share));
    Some(split)
}

/// Restores the layout of the panes; invalid values are replaced by the defaults.
fn arrange(model: &mut Model, layout: &SavedLayout) {
    let share = |s: Option<u16>| s.filter(|s| (SHARES.0..=SHARES.1).contains(s));
    let side = SIDES.iter().find(|s| s.1 == layout.side);
    model.record.shown = layout.record;
    model.record.split = Split {
        side: side.map(|s| s.0).unwrap_or_default(),
        right: share(layout.right),
        below: share(layout.below),
    };
    if !layout.record {
        model.pane = Pane::List;
    }
    scrolling::settle(model);
}

/// Handles the result of reading or writing a workspace, a join or a draft definition.
pub(super) fn found(model: &mut Model, found: SavedWorkspace) -> Vec<Effect> {
    match found {
        SavedWorkspace::Offer { when, what } => {
            model.user_data.offer = Some(Offer {
                what: format!("{when} ({what})"),
                is_told: false,
            });
            if model.message.is_none() {
                tell_offer(model);
            }
            Vec::new()
        }
        SavedWorkspace::Restored(restored) => restore(model, *restored),
        SavedWorkspace::Saved(path) => say(model, format!("saved to {path}")),
        SavedWorkspace::SavedJoin(name, path) => {
            joins::saved(model, name, &path);
            Vec::new()
        }
        SavedWorkspace::Drafted(path) => say(
            model,
            format!(
                "a draft is written to {path}: it is in force when these logs are opened again; give its keys better names there, `widetui systems check {path}` says whether it is good"
            ),
        ),
        SavedWorkspace::Trouble(text) => alert(model, text),
    }
}

/// Notifies the user that a workspace exists, and which key restores it.
fn tell_offer(model: &mut Model) {
    let key = model.key_of(Command::RestoreWorkspace);
    let Some(offer) = &mut model.user_data.offer else {
        return;
    };
    offer.is_told = true;
    let text = format!("a workspace {}: press {key} to restore it", offer.what);
    say(model, text);
}

/// Records that the notification about the workspace has left the screen.
pub(super) fn untold(model: &mut Model) {
    if let Some(offer) = &mut model.user_data.offer {
        offer.is_told = false;
    }
}

fn restore(model: &mut Model, restored: Restored) -> Vec<Effect> {
    model.user_data.offer = None;
    let count = restored.records.len();
    for (place, text, mark, note) in restored.records {
        if mark && !model.marks.contains(&place) {
            model.marks.push(place);
        }
        if let Some(note) = note {
            model.user_data.notes.insert(place, note);
        }
        model.user_data.begins.insert(place, text);
    }
    model.time = match restored.times.as_str() {
        "from start" => TimeDisplay::FromStart,
        "steps" => TimeDisplay::StepOnly,
        "same key" => TimeDisplay::SameKey,
        _ => TimeDisplay::Clock,
    };
    if let Some(layout) = &restored.layout {
        arrange(model, layout);
    }
    let view = View::titled(&restored.view).unwrap_or(View::EVENTS);
    model.split = None;
    model.navigation.clear();
    let mut effects = show(model, view);
    let second = restored.layout.as_ref().and_then(|l| l.second.as_ref());
    panes::restore(model, second.and_then(restored_split));
    effects.extend(tables::refresh(model));
    let mut troubles = Vec::new();
    match user_joins::read(&restored.joins) {
        Ok(own) => effects.extend(joins::restore(model, own, restored.off)),
        Err(error) => troubles.push(format!("its joins: {error}")),
    }
    let mut steps = Vec::new();
    for step in restored.steps {
        match parse(&step.expr, None, &model.time_context()) {
            Ok(expr) => steps.push(SelectionStep::restored(
                step.label,
                expr,
                &model.meaning.instance_cache,
            )),
            Err(error) => troubles.push(format!("the step “{}”: {}", step.label, error.text)),
        }
    }
    if !restored.lost.is_empty() {
        let lost = restored.lost.len();
        troubles.push(format!(
            "{lost} of {} records are not in this run any more",
            lost + count
        ));
    }
    model.user_data.lost = restored.lost;
    model.user_data.going_to = restored.cursor;
    let changed = selection::replace_all(model, steps);
    if changed.is_empty() {
        record_cursor::arrive(model);
    }
    effects.extend(changed);
    if troubles.is_empty() {
        say(model, "the workspace is restored");
    } else {
        alert(model, format!("restored, but {}", troubles.join("; ")));
    }
    effects
}
