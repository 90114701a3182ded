//! "Everything with the same X as this event": what X can be, and how much each would show.

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId};
use crate::format::encode::DEFER;
use crate::store::{EventRef, Snapshot, ValueOrigin};

use super::columns::answer;
use super::expr::{Expr, Field};
use super::program::{Program, template_hash};

/// One way to pivot on an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PivotChoice {
    /// Name of the key, `template` or `source`.
    pub key: String,
    /// Short word for it.
    pub label: String,
    /// The event's value as it is spelled; the text of the template, the tag of the source.
    pub value: String,
    /// Number of events with the same value, this one included. Values that are read on demand are not counted.
    pub count: u64,
    /// Selects these events.
    pub expr: Expr,
    /// Whether a definition says that the key identifies things.
    pub identifier: bool,
}

/// The ways to pivot on an event, most selective first; of equally selective ones those by an identifier come first.
/// Empty when there is no such event, `None` when cancelled.
#[must_use]
pub fn pivot(snapshot: &Snapshot, event: EventId, cancel: &Cancel) -> Option<Vec<PivotChoice>> {
    let Some(event) = snapshot.event(event) else {
        return Some(Vec::new());
    };
    let mut choices = choices(&event);
    let programs: Vec<Program> = choices
        .iter()
        .map(|c| Program::new(snapshot, &c.expr))
        .collect();
    let counts = snapshot
        .segments
        .par_iter()
        .enumerate()
        .map(|(segment, _)| {
            let count = |program: &Program| {
                if cancel.is_cancelled() {
                    return 0;
                }
                answer(snapshot, segment, program).whole.yes.count() as u64
            };
            programs.iter().map(count).collect::<Vec<u64>>()
        })
        .reduce(
            || vec![0; programs.len()],
            |a, b| a.iter().zip(b).map(|(a, b)| a + b).collect(),
        );
    if cancel.is_cancelled() {
        return None;
    }
    for (choice, count) in choices.iter_mut().zip(counts) {
        choice.count = count;
    }
    choices.sort_by(|a, b| {
        a.count
            .cmp(&b.count)
            .then(b.identifier.cmp(&a.identifier))
            .then_with(|| a.key.cmp(&b.key))
    });
    Some(choices)
}

fn choices(event: &EventRef<'_>) -> Vec<PivotChoice> {
    let keys = &event.snapshot.catalog.keys;
    let mut values: Vec<(KeyId, Code, ValueOrigin)> = Vec::new();
    event.for_each_code(|key, codes, origin| {
        let overridden = origin == ValueOrigin::Path
            && values
                .iter()
                .any(|(k, _, o)| *k == key && *o == ValueOrigin::Record);
        for code in codes.iter().filter(|c| !matches!(**c, NONE | DEFER)) {
            let canonical = |code| keys.get(key).map(|k| k.dict.canonical(code));
            let known = values
                .iter()
                .any(|(k, c, _)| *k == key && canonical(*c) == canonical(*code));
            if !known && !overridden {
                values.push((key, *code, origin));
            }
        }
    });
    let mut choices: Vec<PivotChoice> = values
        .into_iter()
        .filter_map(|(key, code, _)| {
            let view = keys.get(key)?;
            let value = view.spelling(code)?;
            Some(PivotChoice {
                key: view.key.name.to_string(),
                label: view.key.label.to_string(),
                count: 0,
                expr: Expr::equals(Field::key(&view.key.name), value.as_str()),
                value,
                identifier: view.key.identifier,
            })
        })
        .collect();
    let plain = |key: &str, value: String, expr| PivotChoice {
        key: key.to_owned(),
        label: key.to_owned(),
        value,
        count: 0,
        expr,
        identifier: false,
    };
    if let Some(template) = event.template() {
        let expr = Expr::equals(Field::Template, template_hash(template.hash));
        choices.push(plain("template", template.text.to_string(), expr));
    }
    let source = event.source();
    let expr = Expr::equals(Field::Source, source.path.as_str());
    choices.push(plain("source", source.tag.clone(), expr));
    choices
}
