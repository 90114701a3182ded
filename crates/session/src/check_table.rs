//! Which rules of the definitions the records break.

use std::sync::Arc;

use widetui_analysis::check::{CheckResult, CheckRule, check};
use widetui_core::cancel::Cancel;
use widetui_query::{Expr, Selection};
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use super::meaning::Meaning;
use super::selection::SelectionStep;

/// The rules that are asked about: those of what the definitions say.
#[derive(Clone, Debug)]
pub struct Rules(pub Arc<Meaning>);

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Rules {}

/// The rules that are about some records.
#[derive(Clone, Debug)]
pub struct CheckTable {
    /// Those, in the order of the definitions.
    pub rows: Vec<CheckRow>,
    /// How many rules are about nothing that is selected.
    pub idle: usize,
}

/// A rule, and how records fit it.
#[derive(Clone, Debug)]
pub struct CheckRow {
    /// The rule.
    pub rule: CheckRule,
    /// What was found.
    pub found: CheckResult,
    /// The first record that breaks it, in a line.
    pub example: Option<String>,
}

impl CheckRow {
    /// Keeps the records that break the rule.
    pub fn step(&self) -> SelectionStep {
        let CheckRule {
            name,
            condition: only,
            expectation: then,
            ..
        } = &self.rule;
        let broken = Expr::Not(Box::new(then.clone()));
        let expr = Expr::all_of([only.clone(), broken]);
        SelectionStep::new(format!("not: {name}"), expr)
    }
}

/// How the records of a selection fit the rules. `None` when cancelled.
pub(crate) fn checks(
    snapshot: &Snapshot,
    Rules(meaning): &Rules,
    within: Option<&Selection>,
    cancel: &Cancel,
) -> Option<CheckTable> {
    let mut texts = TextReader::default();
    let mut rows = Vec::new();
    for rule in meaning.rules() {
        let found = check(snapshot, rule, within, cancel)?;
        if found.events == 0 {
            continue;
        }
        let first = found.examples.first().and_then(|id| snapshot.event(*id));
        let example = first.map(|e| full_event(&e, &mut texts).in_a_line());
        rows.push(CheckRow {
            rule: rule.clone(),
            found,
            example,
        });
    }
    Some(CheckTable {
        idle: meaning.rules().len() - rows.len(),
        rows,
    })
}
