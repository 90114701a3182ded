//! Comparison of the selection with another selection: list of candidates, typed expressions, and
//! the table of both sides.

use crate::compared_sides;
use crate::model::{Model, View, ViewSubject};
use crate::msg::Effect;
use crate::popups::{Item, ItemAction, Picker, PickerKind, PromptKind};
use widetui_core::words::several;
use widetui_query::{Expr, Field, Op, QueryError, parse};
use widetui_session::comparison::{ComparedSide, SideInstances};
use widetui_session::instances::InstanceHandle;
use widetui_session::jobs::Question;
use widetui_session::names::distinct_names;
use widetui_session::rows::ValueStat;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::text::cut;

use super::primitives::navigation::show_about;
use super::primitives::notices::{alert, say};
use super::primitives::questions::ask;
use super::primitives::{prompts, scrolling};

/// Maximum number of other instances of the entity, or other values of the key, in the list.
const PEERS: usize = 500;

/// Opens the list of sides to compare the selection with; `None` if all records are selected.
pub(super) fn offer(model: &mut Model) -> Option<Vec<Effect>> {
    let own = compared_sides::own(model)?;
    let items = items(model, &own);
    let title = format!("compare {} with …", own.name);
    let picker = Picker::new(PickerKind::Compare, items).titled(title);
    model.popup = Some(picker.into());
    // The list gains the other values of a key once they are counted.
    let is_missing = model.user_data.values.is_none() && values_of(&own).is_some();
    Some(match is_missing {
        true => vec![ask(model, Question::Values)],
        false => Vec::new(),
    })
}

fn items(model: &Model, own: &ComparedSide) -> Vec<Item> {
    let rest = ComparedSide {
        name: "the rest".to_owned(),
        steps: own.steps.clone(),
        part: SideInstances::Others,
    };
    let plain = |name: &str, summary: &str, action| Item::choice(name.to_owned(), summary, action);
    let mut items = vec![
        item(rest, "what no selected record is about"),
        plain(
            "write an expression …",
            "e.g. level >= warning",
            ItemAction::CompareWritten(String::new()),
        ),
    ];
    if !compared_sides::is_single_run(model) {
        items.push(plain(
            "two runs",
            "side by side, whatever is selected",
            ItemAction::CompareRuns,
        ));
    }
    let earlier = model.selection.earlier_selections().into_iter();
    let earlier = earlier.filter(|steps| *steps != own.steps);
    items.extend(
        earlier.map(|steps| item(compared_sides::side(steps.to_vec()), "was selected before")),
    );
    // Alternatives come last, since there may be many.
    items.extend(peers(model, own));
    items
}

fn item(side: ComparedSide, summary: &str) -> Item {
    let action = ItemAction::CompareWith(Box::new(side.clone()));
    Item::choice(side.name, summary, action)
}

/// Alternatives to the last instance or value in the selection: other instances of the entity, or
/// other values of the key. All other steps stay.
fn peers(model: &Model, own: &ComparedSide) -> Vec<Item> {
    let is_kept = |step: &SelectionStep| matches!(step.instance, Some((_, StepEffect::Keep)));
    if let Some(at) = own.steps.iter().rposition(is_kept)
        && let Some((instance, _)) = &own.steps[at].instance
    {
        return same_kind(model, own, at, instance);
    }
    let Some((at, key, value)) = values_of(own) else {
        return Vec::new();
    };
    let stats = model.user_data.values.iter().flat_map(|v| v.iter());
    let others = stats.filter(|s| Field::key(&s.key) == key && s.value != value);
    let peer = |stat: &ValueStat| {
        let expr = Expr::equals(key.clone(), stat.value.as_str());
        let step = SelectionStep::new(
            format!("{} {}", stat.label, cut(&stat.value, compared_sides::LABEL)),
            expr,
        );
        peer(own, at, step, stat.events as usize)
    };
    others.take(PEERS).map(peer).collect()
}

/// Last step that selects a single value of a key: index of the step, key and value.
fn values_of(own: &ComparedSide) -> Option<(usize, Field, String)> {
    let value = |(at, step): (usize, &SelectionStep)| match (&step.expr, step.is_expr()) {
        (Expr::Compare(c), true) if c.op == Op::Eq => match (&c.field, &c.values[..]) {
            (Field::Key(_), [value]) => Some((at, c.field.clone(), value.clone())),
            _ => None,
        },
        _ => None,
    };
    own.steps.iter().enumerate().rev().find_map(value)
}

/// Items for other instances of the entity in place of `thing` (step `at`).
fn same_kind(model: &Model, own: &ComparedSide, at: usize, instance: &InstanceHandle) -> Vec<Item> {
    let Some((snapshot, seen)) = &model.instances.seen else {
        return Vec::new();
    };
    let Some((entity, all)) = seen.of_entity(&instance.entity) else {
        return Vec::new();
    };
    let found = (0..all.list.len()).filter_map(|number| {
        let at = widetui_session::instances::InstancePosition {
            entity,
            instance: number,
        };
        let other = InstanceHandle::new(&model.meaning.instance_cache, snapshot, seen, at)?;
        let count = all.event_count(all.list.get(number)?);
        (other.id != instance.id).then_some((other, count))
    });
    let found: Vec<(InstanceHandle, usize)> = found.take(PEERS).collect();
    // Names include the outer parts of the ids that differ, so that they are unambiguous.
    let all: Vec<&InstanceHandle> = found.iter().map(|f| &f.0).chain([instance]).collect();
    let names = distinct_names(&all);
    let peer = |((other, count), label): (&(InstanceHandle, usize), String)| {
        let step = SelectionStep {
            label,
            ..SelectionStep::for_instance(other, StepEffect::Keep)
        };
        peer(own, at, step, *count)
    };
    found.iter().zip(names).map(peer).collect()
}

/// Item for the selection with the step at index `at` replaced, which `records` records match.
fn peer(own: &ComparedSide, at: usize, step: SelectionStep, records: usize) -> Item {
    let name = step.label.clone();
    let mut steps = own.steps.clone();
    steps[at] = step;
    Item {
        name,
        ..item(compared_sides::side(steps), &several(records, "record"))
    }
}

/// Adds the values of keys to the open list once they are counted.
pub(super) fn counted(model: &mut Model) {
    let is_open = |p: &Picker| p.kind == PickerKind::Compare;
    let is_open = model.popup_of::<Picker>().is_some_and(is_open);
    let Some(own) = compared_sides::own(model).filter(|_| is_open) else {
        return;
    };
    let items = items(model, &own);
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        let cursor = picker.cursor;
        picker.items = items;
        picker.refresh();
        picker.cursor = cursor.min(picker.shown.len().saturating_sub(1));
    }
    rewritten(model);
}

/// Adds an item for the text in the line of the list, parsed as an expression; the item states the
/// error if it cannot be parsed.
pub(super) fn rewritten(model: &mut Model) {
    let Some(picker) = model.popup_of::<Picker>() else {
        return;
    };
    let text = picker.line.text.trim().to_owned();
    if picker.kind != PickerKind::Compare || text.is_empty() {
        return;
    }
    let written = match read(model, &text) {
        Ok((text, expr)) => {
            let is_words = is_words(&expr);
            let side = ComparedSide::selected(text.clone(), vec![SelectionStep::new(text, expr)]);
            let what = if is_words {
                "messages with these words"
            } else {
                "records that fit"
            };
            (is_words, item(side, what))
        }
        Err(problem) => {
            let action = ItemAction::CompareWritten(text.clone());
            let item = Item {
                why_not: Some(problem.text),
                ..Item::choice(text, "an expression", action)
            };
            (true, item)
        }
    };
    if let Some(picker) = model.popup_of_mut::<Picker>() {
        match written {
            // Plain words are more likely part of a name in the list.
            (true, item) => picker.shown.push(item),
            (false, item) => picker.shown.insert(0, item),
        }
    }
}

/// Whether an expression consists of words in messages only.
fn is_words(expr: &Expr) -> bool {
    match expr {
        Expr::Text(_) => true,
        Expr::And(parts) => parts.iter().all(is_words),
        _ => false,
    }
}

/// Parses an expression, if necessary with an unknown key replaced by the suggested one. Returns the
/// text with its expression.
fn read(model: &Model, text: &str) -> Result<(String, Expr), QueryError> {
    let keys = Some(&model.snapshot.catalog.keys);
    let context = model.time_context();
    let problem = match parse(text, keys, &context) {
        Ok(expr) => return Ok((text.to_owned(), expr)),
        Err(problem) => problem,
    };
    let meant = problem.suggestion.as_ref().and_then(|key| {
        let mut meant = text.to_owned();
        let range = problem.at..problem.at + problem.len;
        meant.get(range.clone())?;
        meant.replace_range(range, key);
        let expr = parse(&meant, keys, &context).ok()?;
        Some((expr.to_string(), expr))
    });
    meant.ok_or(problem)
}

/// Opens the prompt for an expression, with the text that was typed in the list.
pub(super) fn write(model: &mut Model, text: &str) -> Vec<Effect> {
    prompts::open(model, PromptKind::Compare, text)
}

/// Compares the selection with the expression in the command's argument; alerts if it cannot be
/// parsed.
pub(super) fn tell(model: &mut Model, text: &str) -> Vec<Effect> {
    model.popup = None;
    match read(model, text.trim()) {
        Ok((text, expr)) => {
            let step = SelectionStep::new(text.clone(), expr);
            with(model, ComparedSide::selected(text, vec![step]))
        }
        Err(error) => alert(model, error.to_string()),
    }
}

/// Compares the selection with another side; notifies the user if nothing is selected.
pub(super) fn with(model: &mut Model, other: ComparedSide) -> Vec<Effect> {
    let Some(own) = compared_sides::own(model) else {
        return say(model, "select something first: it is compared with that");
    };
    both(model, [own, other])
}

/// Shows the comparison of two sides.
pub(super) fn both(model: &mut Model, sides: [ComparedSide; 2]) -> Vec<Effect> {
    let effects = show_about(model, View::COMPARE, ViewSubject::Sides(Box::new(sides)));
    scrolling::settle(model);
    effects
}
