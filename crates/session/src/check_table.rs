//! Checks of the rules in the definitions on the selected records.

use std::sync::Arc;

use widetui_analysis::check::{CheckResult, CheckRule, check};
use widetui_core::cancel::Cancel;
use widetui_query::{Expr, Selection};
use widetui_report::event::full_event;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use super::meaning::Meaning;
use super::selection::SelectionStep;

/// The rules of the definitions in force.
#[derive(Clone, Debug)]
pub struct Rules(pub Arc<Meaning>);

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Rules {}

/// Results of the rules that apply to selected records.
#[derive(Clone, Debug)]
pub struct CheckTable {
    /// Results in the order of the definitions.
    pub rows: Vec<CheckRow>,
    /// Number of rules that apply to none of the selected records.
    pub idle: usize,
}

/// Result of one rule.
#[derive(Clone, Debug)]
pub struct CheckRow {
    /// The rule.
    pub rule: CheckRule,
    /// Result of the check.
    pub found: CheckResult,
    /// First violating record, as one line.
    pub example: Option<String>,
}

impl CheckRow {
    /// Returns a step that keeps the violating records.
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

/// Checks the rules on a selection. `None` if cancelled.
pub fn checks(
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
        let example = first.map(|e| full_event(&e, &mut texts).to_line());
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
