//! Commands that change the selection: pivots, filter steps, undo and redo.

use crate::command::Command;
use crate::cursor_memory::CursorPosition;
use crate::model::{Model, NavigationEntry, Pane, View};
use crate::msg::Effect;
use crate::pivot_letters::LETTERS;
use crate::popups::{Pivot, PivotPurpose, PivotRow, PivotScope, Popup};
use crate::record as pane;
use crate::view::{Body, Page, RowLook};
use widetui_query::{Expr, Field};
use widetui_session::jobs::{Answer, Question};
use widetui_session::record_texts::Place;
use widetui_session::rows::Rows;
pub(super) use widetui_session::selection::StepEffect;
use widetui_session::selection::{Changed, SelectionStep};
use widetui_store::{EventRef, Value};
use widetui_tables::key_rank::{self, Rank};
use widetui_tables::table::RowAction;

use super::{ask, clipboard, data, same, say, show, views};

/// Maximum number of values of a list-valued key that the pivot list offers.
const LIST_VALUES: usize = 3;
/// Maximum length of a value in the label of a step, in characters.
const LABEL: usize = 24;
/// Returns the record under the cursor of the view (`None` if the row stands for no single record).
pub(super) fn record(model: &Model) -> Option<EventRef<'_>> {
    let of_row = || match model.table()?.current()?.action {
        RowAction::Event(place) => {
            let id = model.snapshot.event_at(place.source, place.offset)?;
            model.snapshot.event(id)
        }
        _ => None,
    };
    match model.view.row().body {
        Body::Records => model.current(),
        // Rows are work items; the record is only chosen when a row is opened.
        Body::Page(Page::Unfinished) => None,
        Body::Page(Page::Findings) => super::findings::event(model),
        Body::Table(RowLook::Arrows) => super::flow::event(model),
        Body::Table(RowLook::Cells | RowLook::Bars) => of_row(),
    }
}

/// Returns the entry of the findings view from which the user came, if the selection consists of the records of a finding.
/// A pivot then applies to the selection before the finding, which says nothing about other records.
fn beyond(model: &Model) -> Option<&NavigationEntry> {
    let finding = model.visits.last().filter(|_| model.view == View::Events)?;
    let arrived = finding.arrived.as_ref()?;
    let is_finding = finding.view == View::Diagnose && arrived.len() > finding.steps.len();
    (is_finding && model.selection.steps() == arrived).then_some(finding)
}

/// Excludes the records with the value under the cursor.
pub(super) fn pivot_out(model: &mut Model) -> Vec<Effect> {
    if model.popup.is_none() && model.view.is_table() {
        return super::table::leave_out(model);
    }
    pick(model, StepEffect::Exclude)
}

/// Opens the pivot list for the record under the cursor.
pub(super) fn open_pivot(model: &mut Model) -> Vec<Effect> {
    open_list(model, PivotPurpose::Keep)
}

/// Opens the pivot or copy list of the record under the cursor, and requests the record counts of its rows.
pub(super) fn open_list(model: &mut Model, purpose: PivotPurpose) -> Vec<Effect> {
    model.popup = None;
    let wanted = key_in_record(model);
    let mut rows = rows_here(model);
    if purpose == PivotPurpose::Keep && wanted.is_none() {
        super::instance_views::leave_out_doubles(model, &mut rows);
    }
    give_letters(model, &mut rows);
    if let Some((name, value)) = &wanted
        && rows.iter().all(|r| r.key != *name)
    {
        if purpose == PivotPurpose::Copy {
            return clipboard::whole(model, value.clone(), name);
        }
        return push_text(model, name, value);
    }
    if rows.is_empty() {
        let text = super::availability::nothing_here(model, purpose);
        say(model, text.to_owned());
        return Vec::new();
    }
    let steps = rows.iter().map(|r| r.step(StepEffect::Keep)).collect();
    let cursor = wanted.and_then(|(name, _)| rows.iter().position(|r| r.key == name));
    let cursor = cursor.unwrap_or(0);
    let beyond = beyond(model);
    let is_all = beyond.map_or(model.selection.is_all(), |finding| finding.steps.is_empty());
    let of_finding = beyond.and_then(|finding| finding.rows.as_ref());
    let mut among = vec![of_finding.unwrap_or(&model.rows).clone()];
    let scope = match is_all {
        true => PivotScope::All,
        false => PivotScope::Selected,
    };
    if !is_all {
        among.push(Rows::All);
    }
    model.popup = Some(Popup::Pivot(Pivot {
        purpose,
        scope,
        rows,
        cursor,
    }));
    vec![ask(model, Question::Counts(among, steps))]
}

/// Pivot rows for the cursor position in the current view.
fn rows_here(model: &Model) -> Vec<PivotRow> {
    match model.view.row().body {
        Body::Records => model
            .current()
            .map_or(Vec::new(), |e| pivot_rows(model, &e)),
        Body::Page(Page::Findings) => {
            super::findings::event(model).map_or(Vec::new(), |e| pivot_rows(model, &e))
        }
        Body::Page(Page::Unfinished) => {
            let thing = super::instance_views::current(model);
            thing.map_or(Vec::new(), |t| super::instance_views::rows_of(model, &t))
        }
        Body::Table(_) => super::table::pivot_rows(model),
    }
}

/// Returns the first pivot row of the row under the cursor; `None` for a row of the keys view, which has no value.
pub(super) fn row_here(model: &Model) -> Option<PivotRow> {
    let row = model.table().and_then(|t| t.current());
    if model.view.is_table() && row.is_some_and(|r| matches!(r.action, RowAction::Values(_))) {
        return None;
    }
    rows_here(model).into_iter().next()
}

/// Key and value under the cursor of the record pane, if that pane is focused.
fn key_in_record(model: &Model) -> Option<(String, String)> {
    (model.view == View::Events && model.pane == Pane::Record)
        .then(|| pane::key_under_cursor(model))
        .flatten()
}

/// Returns the pivot row of the key under the cursor of the record pane.
pub(super) fn row_in_record(model: &Model) -> Option<PivotRow> {
    let (name, value) = key_in_record(model)?;
    let mut rows = model
        .current()
        .map_or(Vec::new(), |e| pivot_rows(model, &e));
    let at = rows
        .iter()
        .position(|r| r.key == name && r.instance.is_none());
    Some(match at {
        Some(at) => rows.swap_remove(at),
        // Keys that are not stored in columns are matched against the text of the record.
        None => PivotRow {
            letter: None,
            label: name.clone(),
            expr: Expr::equals(Field::named(&name), value.as_str()),
            key: name,
            value,
            instance: None,
            count: None,
            in_run: None,
        },
    })
}

/// Keeps the records with a value that is only known from the text.
fn push_text(model: &mut Model, name: &str, value: &str) -> Vec<Effect> {
    let expr = Expr::equals(Field::named(name), value);
    let step = SelectionStep::new(format!("{name} {}", short(value)), expr);
    push(model, step)
}

/// Truncates a value for the label of a step.
fn short(value: &str) -> String {
    let mut out: String = value.chars().take(LABEL).collect();
    if out.len() < value.len() {
        out.push('…');
    }
    out
}

/// Pivot rows of a record: its instances, instances in other roles, then its keys, source and template.
pub(super) fn pivot_rows(model: &Model, event: &EventRef<'_>) -> Vec<PivotRow> {
    let mut rows: Vec<(Rank, PivotRow)> = Vec::new();
    let mut add = |rank: Rank, field: Field, key: &str, label: &str, value: &str| {
        rows.push((
            rank,
            PivotRow {
                letter: None,
                key: key.to_owned(),
                label: label.to_owned(),
                value: value.to_owned(),
                expr: Expr::equals(field, value),
                instance: None,
                count: None,
                in_run: None,
            },
        ));
    };
    for key in key_rank::ranked_keys(event) {
        let field = || Field::Key(key.name.clone());
        match &key.value {
            Value::One(value) => add(key.rank, field(), &key.name, &key.label, value),
            Value::Many(values) => values
                .iter()
                .take(LIST_VALUES)
                .for_each(|value| add(key.rank, field(), &key.name, &key.label, value)),
        }
    }
    let name = model.naming.name_of(event.source());
    add(Rank::Writer, Field::Source, "source", "source", name);
    if let Some(template) = event.template() {
        add(
            Rank::Writer,
            Field::Template,
            "template",
            "template",
            &template.text,
        );
    }
    // The stable sort preserves the order of keys of the same rank.
    rows.sort_by_key(|(rank, _)| *rank);
    let things = super::instance_views::rows_of_event(model, event);
    let where_it_ran = super::instance_views::rows_beside(model, &things);
    let things = things.into_iter().chain(where_it_ran);
    let things: Vec<PivotRow> = things.collect();
    let rows: Vec<PivotRow> = rows.into_iter().map(|(_, row)| row).collect();
    let in_roles = super::roles::rows(model, &things, &rows);
    let mut rows: Vec<PivotRow> = things.into_iter().chain(in_roles).chain(rows).collect();
    // Several sources can have the same name, so they are matched by path.
    let own = rows.iter_mut().filter(|r| r.key == "source");
    own.for_each(|r| r.expr = Expr::equals(Field::Source, event.source().path.as_str()));
    rows
}

/// Assigns a shortcut letter to each pivot row: the first row of a key gets the letter of the key; further rows get unused
/// letters, preferably letters that belong to no key.
fn give_letters(model: &mut Model, rows: &mut [PivotRow]) {
    let snapshot = model.snapshot.clone();
    model.letters.note(&snapshot, &model.meaning);
    let mut given: Vec<char> = Vec::new();
    for row in rows.iter_mut() {
        let letter = model.letters.of(&row.key, &row.label);
        row.letter = letter.filter(|letter| !given.contains(letter));
        given.extend(row.letter);
    }
    for row in rows.iter_mut().filter(|row| row.letter.is_none()) {
        row.letter = model.letters.unused_letter(&row.label, &given);
        given.extend(row.letter);
    }
}

/// Handles a letter typed in the pivot list; `None` if it is not a shortcut letter. A shortcut letter without a row here
/// only notifies the user, so that a typing error has no effect.
pub(super) fn pick_letter(model: &mut Model, letter: char) -> Option<Vec<Effect>> {
    let Some(Popup::Pivot(pivot)) = &mut model.popup else {
        return None;
    };
    let row = pivot.rows.iter().position(|r| r.letter == Some(letter));
    if let Some(row) = row {
        pivot.cursor = row;
        return Some(take(model));
    }
    LETTERS.contains(letter).then(|| {
        let keys = model.keymap.keys_of(&model.scopes(), Command::Back);
        let closes = keys.map_or_else(String::new, |keys| format!("; {keys} closes the list"));
        say(
            model,
            format!("no row here has the letter {letter}{closes}"),
        );
        Vec::new()
    })
}

/// Toggles the scope of the pivot list between the selection and the whole run.
pub(super) fn turn_scope(model: &mut Model) -> Vec<Effect> {
    let Some(Popup::Pivot(pivot)) = &mut model.popup else {
        say(model, "only in the pivot list".to_owned());
        return Vec::new();
    };
    pivot.scope = match pivot.scope {
        PivotScope::Selected => PivotScope::WholeRun,
        PivotScope::WholeRun => PivotScope::Selected,
        PivotScope::All => {
            let text = "nothing is selected: the value is searched in the whole run";
            say(model, text.to_owned());
            return Vec::new();
        }
    };
    Vec::new()
}

/// Runs the purpose of the open list, pivot or copy, on the row under its cursor.
pub(super) fn take(model: &mut Model) -> Vec<Effect> {
    match &model.popup {
        Some(Popup::Pivot(pivot)) if pivot.purpose == PivotPurpose::Copy => clipboard::value(model),
        _ => pick(model, StepEffect::Keep),
    }
}

/// Creates the step that keeps or excludes the records that match an expression, named by label and value.
pub(super) fn step(label: &str, value: &str, expr: Expr, sense: StepEffect) -> SelectionStep {
    let short = short(value);
    match sense {
        StepEffect::Keep => SelectionStep::new(format!("{label} {short}"), expr),
        StepEffect::Exclude => {
            SelectionStep::new(format!("not {label} {short}"), Expr::Not(Box::new(expr)))
        }
    }
}

impl PivotRow {
    /// Creates the step that keeps or excludes the records of the row.
    fn step(&self, sense: StepEffect) -> SelectionStep {
        match &self.instance {
            Some(thing) => SelectionStep::for_instance(thing, sense),
            None => step(&self.label, &self.value, self.expr.clone(), sense),
        }
    }
}

/// Keeps or excludes the records of the row under the cursor of the pivot list or record pane.
pub(super) fn pick(model: &mut Model, sense: StepEffect) -> Vec<Effect> {
    let (row, scope) = match &model.popup {
        Some(Popup::Pivot(pivot)) => (pivot.rows.get(pivot.cursor).cloned(), pivot.scope),
        _ => (row_in_record(model), PivotScope::Selected),
    };
    let Some(row) = row else {
        return Vec::new();
    };
    same::remember(model, same::of_row(&row));
    let step = row.step(sense);
    model.popup = None;
    match (sense, scope) {
        (_, PivotScope::WholeRun) => only(model, step, Some(Vec::new())),
        (StepEffect::Keep, _) => {
            let wider = beyond(model).map(|finding| finding.steps.clone());
            only(model, step, wider)
        }
        (StepEffect::Exclude, _) => push(model, step),
    }
}

/// Keeps the records of a step, with the cursor on the same record; `wider` replaces the current steps before the step is
/// added.
pub(super) fn only(
    model: &mut Model,
    step: SelectionStep,
    wider: Option<Vec<SelectionStep>>,
) -> Vec<Effect> {
    let before = views::here(model);
    let mut effects = show(model, View::Events);
    if before.view != View::Events || wider.is_some() {
        model.kept.going_to = before.record;
    }
    let changed = match wider {
        Some(mut steps) => {
            steps.push(step);
            model.events.anchor = crate::event_list::CursorAnchor::Record;
            replace_all(model, steps)
        }
        None => push(model, step),
    };
    if changed.is_empty() {
        super::user_files::arrive(model);
    }
    effects.extend(changed);
    views::note_deeper(model, before);
    effects
}

/// Adds a step to the selection, unless it is already there.
pub(super) fn push(model: &mut Model, step: SelectionStep) -> Vec<Effect> {
    model.events.anchor = crate::event_list::CursorAnchor::Record;
    if model.selection.push(step) {
        changed(model)
    } else {
        say(model, "that step is in force already".to_owned());
        Vec::new()
    }
}

/// Replaces all steps of the selection.
pub(super) fn replace_all(model: &mut Model, steps: Vec<SelectionStep>) -> Vec<Effect> {
    if model.selection.replace_all(steps) {
        changed(model)
    } else {
        Vec::new()
    }
}

/// Replaces the step at index `at`.
pub(super) fn replace(model: &mut Model, at: usize, step: SelectionStep) -> Vec<Effect> {
    model.events.anchor = crate::event_list::CursorAnchor::Record;
    if model.selection.replace(at, step) {
        changed(model)
    } else {
        Vec::new()
    }
}

/// Keeps only the first `count` steps.
pub(super) fn keep(model: &mut Model, count: usize) -> Vec<Effect> {
    if model.selection.keep(count) {
        restore(model, Restore::AtRest);
        changed(model)
    } else {
        Vec::new()
    }
}

pub(super) fn undo(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    match model.selection.undo() {
        Some(what) => turned(model, &what),
        None => {
            say(model, "there is nothing to undo".to_owned());
            Vec::new()
        }
    }
}

pub(super) fn redo(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    if let Some(what) = model.selection.redo() {
        return turned(model, &what);
    }
    let key = model.keymap.keys_of(&model.scopes(), Command::Undo);
    say(
        model,
        format!("nothing was undone ({} undoes)", key.unwrap_or_default()),
    );
    Vec::new()
}

/// Applies a change that was undone or redone.
fn turned(model: &mut Model, what: &Changed) -> Vec<Effect> {
    match what {
        Changed::Steps => {
            come_back(model);
            changed(model)
        }
        Changed::Joins(before) => super::joins::turned(model, before),
        Changed::TimeRange(stretch) => super::time::show_time_range(model, *stretch),
        Changed::Order(view, order) => super::table::order(model, view, *order),
        Changed::Shift(source, ns) => super::shift::put(model, *source, *ns),
    }
}

/// Condition for restoring the cursor position of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restore {
    /// Restores it in any case.
    Always,
    /// Restores it only if the cursor has not moved since; otherwise it stays on its record, which the wider selection
    /// contains, too.
    AtRest,
}

/// Restores the cursor position at which the user left the current selection.
pub(super) fn come_back(model: &mut Model) {
    restore(model, Restore::Always);
}

fn restore(model: &mut Model, when: Restore) {
    // A command that goes to another record takes precedence.
    if model.kept.going_to.is_some() {
        return;
    }
    let here = model.current().map(|e| Place::from_event(&e));
    if when == Restore::AtRest && !model.events.spots.is_unmoved(here) {
        return;
    }
    let Some(spot) = model.events.spots.of(model.selection.steps()) else {
        return;
    };
    model.kept.going_to = Some(spot.place);
    model.events.spots.above = Some(spot.above);
}

/// Requests the selected records after the steps changed; without steps or duplicates the result is known at once.
pub(super) fn changed(model: &mut Model) -> Vec<Effect> {
    let list = model.events.list;
    let above = list.cursor.saturating_sub(list.top);
    let place = model.current().map(|e| Place::from_event(&e));
    model
        .events
        .spots
        .leave(place.map(|place| CursorPosition { place, above }));
    let effect = data::select(model);
    if model.selection.is_all() && model.newest().duplicates.is_empty() {
        return data::answer(model, Answer::Selected(Rows::All, Vec::new()));
    }
    vec![effect]
}
