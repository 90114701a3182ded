//! Pivot list: the keys of the record under the cursor, to select by one of them.

use crate::command::Command;
use crate::model::{Model, NavigationEntry, View};
use crate::msg::Effect;
use crate::pivot_letters::{
    self, COMMAND_LETTERS, CONCEPTS, Concept, concept_of, concept_of_label,
};
use crate::popups::{Pivot, PivotPurpose, PivotRow, PivotScope};
use crate::{pivot_rows, under_cursor};
use widetui_definition::semantics::EntityRole;
use widetui_query::{Expr, Field};
use widetui_session::jobs::Question;
use widetui_session::rows::Rows;
use widetui_session::selection::{SelectionStep, StepEffect};

use super::{Layer, Picked};
use crate::update::availability;
use crate::update::primitives::notices::say;
use crate::update::primitives::questions::ask;
use crate::update::primitives::{copy, followed_value, navigation, selection};

/// Returns the entry of the findings view from which the user came, if the selection consists of the records of a finding.
/// A pivot then applies to the selection before the finding, which says nothing about other records.
fn beyond(model: &Model) -> Option<&NavigationEntry> {
    let finding = model
        .navigation
        .last()
        .filter(|_| model.view.is_records())?;
    let arrived = finding.arrived.as_ref()?;
    let is_finding = finding.view == View::DIAGNOSE && arrived.len() > finding.steps.len();
    (is_finding && model.selection.steps() == arrived).then_some(finding)
}

/// Behaviour of the pivot list.
pub(super) static LAYER: Layer = Layer {
    run: |model, command| match command {
        Command::PivotOut => Some(pick(model, StepEffect::Exclude)),
        Command::Copy | Command::CopyValue => Some(copy_row(model)),
        _ => None,
    },
    take: |model| Picked::Done(take(model)),
    letter: pick_letter,
    click: None,
};

/// Opens the pivot list for the record under the cursor.
pub(in crate::update) fn open_pivot(model: &mut Model) -> Vec<Effect> {
    open_list(model, PivotPurpose::Keep)
}

/// Opens the pivot or copy list of the record under the cursor, and requests the record counts of its rows.
pub(in crate::update) fn open_list(model: &mut Model, purpose: PivotPurpose) -> Vec<Effect> {
    model.popup = None;
    let wanted = under_cursor::key_of_record(model);
    let mut rows = under_cursor::pivot_rows(model);
    if purpose == PivotPurpose::Keep && wanted.is_none() {
        pivot_rows::drop_repeated_keys(model, &mut rows);
    }
    let label = |row: &PivotRow| {
        let of = row.instance.as_ref().map(|instance| &instance.entity);
        let mut entities = model.meaning.instance_cache.entities().iter();
        let entity = entities.find(|entity| Some(&entity.name) == of);
        let label = entity.filter(|entity| entity.role == EntityRole::Run);
        label.map_or_else(|| row.label.clone(), |_| pivot_letters::RUN.to_owned())
    };
    let labels: Vec<String> = rows.iter().map(label).collect();
    let letters = pivot_letters::assign(labels.iter().map(String::as_str));
    for (row, letter) in rows.iter_mut().zip(letters) {
        row.letter = letter;
    }
    if let Some((name, value)) = &wanted
        && rows.iter().all(|r| r.key != *name)
    {
        if purpose == PivotPurpose::Copy {
            return copy::whole(model, value.clone(), name);
        }
        return push_text(model, name, value);
    }
    if rows.is_empty() {
        let text = availability::nothing_here(model, purpose);
        return say(model, text);
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
    let pivot = Pivot {
        purpose,
        scope,
        absent: absent_concepts(model, &rows),
        rows,
        cursor,
    };
    model.popup = Some(pivot.into());
    vec![ask(model, Question::Counts(among, steps))]
}

/// Keeps the records with a value that is only known from the text.
fn push_text(model: &mut Model, name: &str, value: &str) -> Vec<Effect> {
    let expr = Expr::equals(Field::named(name), value);
    let step = SelectionStep::new(format!("{name} {}", selection::short(value)), expr);
    selection::push(model, step)
}

/// Concepts of the run's instances that no row belongs to, in their order.
fn absent_concepts(model: &Model, rows: &[PivotRow]) -> Vec<&'static Concept> {
    let seen = model.instances.seen.iter();
    let occurring = seen.flat_map(|(_, seen)| &seen.found.occurring);
    let occurring = occurring.filter(|instances| !instances.list.is_empty());
    let of_run: Vec<&Concept> = occurring
        .filter_map(|instances| match instances.entity.role {
            EntityRole::Run => concept_of_label(pivot_letters::RUN),
            _ => concept_of_label(&instances.entity.title),
        })
        .collect();
    let is_absent = |concept: &&Concept| {
        let is_here = |row: &PivotRow| row.letter == Some(concept.letter);
        of_run.contains(concept) && !rows.iter().any(is_here)
    };
    CONCEPTS.iter().filter(is_absent).collect()
}

/// Handles a shortcut typed in the pivot list; `None` if it is none. A shortcut without a row here only notifies the user,
/// so that a typing error has no effect.
fn pick_letter(model: &mut Model, letter: char) -> Option<Vec<Effect>> {
    let pivot = model.popup_of_mut::<Pivot>()?;
    let row = pivot.rows.iter().position(|r| r.letter == Some(letter));
    if let Some(row) = row {
        pivot.cursor = row;
        return Some(take(model));
    }
    let absent = match concept_of(letter) {
        Some(concept) => format!("no {} is named here", concept.name),
        None if COMMAND_LETTERS.contains(letter) || !letter.is_ascii_alphanumeric() => return None,
        None => format!("no row here has the key {letter}"),
    };
    let keys = model.keymap.keys_of(&model.scopes(), Command::Back);
    let closes = keys.map_or_else(String::new, |keys| format!("; {keys} closes the list"));
    Some(say(model, format!("{absent}{closes}")))
}

/// Toggles the scope of the pivot list between the selection and the whole run.
pub(in crate::update) fn turn_scope(model: &mut Model) -> Vec<Effect> {
    let Some(pivot) = model.popup_of_mut::<Pivot>() else {
        return say(model, "only in the pivot list");
    };
    pivot.scope = match pivot.scope {
        PivotScope::Selected => PivotScope::WholeRun,
        PivotScope::WholeRun => PivotScope::Selected,
        PivotScope::All => {
            return say(
                model,
                "nothing is selected: the value is searched in the whole run",
            );
        }
    };
    Vec::new()
}

/// Runs the purpose of the open list, pivot or copy, on the row under its cursor.
fn take(model: &mut Model) -> Vec<Effect> {
    let pivot = model.popup_of::<Pivot>();
    match pivot.is_some_and(|pivot| pivot.purpose == PivotPurpose::Copy) {
        true => copy_row(model),
        false => pick(model, StepEffect::Keep),
    }
}

/// Copies the value under the cursor of the open pivot list.
pub(in crate::update) fn copy_row(model: &mut Model) -> Vec<Effect> {
    let Some(row) = model.popup_of::<Pivot>().and_then(Pivot::current).cloned() else {
        return Vec::new();
    };
    model.popup = None;
    copy::whole(model, row.value, &row.key)
}

impl PivotRow {
    /// Creates the step that keeps or excludes the records of the row.
    fn step(&self, sense: StepEffect) -> SelectionStep {
        match &self.instance {
            Some(instance) => SelectionStep::for_instance(instance, sense),
            None => selection::step(&self.label, &self.value, self.expr.clone(), sense),
        }
    }
}

/// Keeps or excludes the records of the row under the cursor of the pivot list or record pane.
pub(in crate::update) fn pick(model: &mut Model, sense: StepEffect) -> Vec<Effect> {
    let (row, scope) = match model.popup_of::<Pivot>() {
        Some(pivot) => (pivot.current().cloned(), pivot.scope),
        None => {
            let row = under_cursor::pivot_row_in_record(model);
            (row, PivotScope::Selected)
        }
    };
    let Some(row) = row else {
        return Vec::new();
    };
    followed_value::remember(model, followed_value::of_row(&row));
    let step = row.step(sense);
    model.popup = None;
    let scope = if row.is_of_run {
        PivotScope::WholeRun
    } else {
        scope
    };
    match (sense, scope) {
        (_, PivotScope::WholeRun) => navigation::only(model, step, Some(Vec::new())),
        (StepEffect::Keep, _) => {
            let wider = beyond(model).map(|finding| finding.steps.clone());
            navigation::only(model, step, wider)
        }
        (StepEffect::Exclude, _) => selection::push(model, step),
    }
}
