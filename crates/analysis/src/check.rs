//! Checks of `[[rule]]`s: records that match one condition should match another.

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::syntax::Definition;
use widetui_join::spec::{InvalidText, condition};
use widetui_query::{Expr, Selection, select};
use widetui_store::Snapshot;

/// Rule of a definition: events that fit `condition` should fit `expectation`.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRule {
    /// Name of the rule.
    pub name: String,
    /// Name of the system definition that contains the rule.
    pub system: String,
    /// Condition of the events to check.
    pub condition: Expr,
    /// Condition that these events should fit.
    pub expectation: Expr,
}

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// Number of events checked.
    pub events: u64,
    /// Number of events that violate the rule.
    pub violations: u64,
    /// First violations in time order.
    pub examples: Vec<EventId>,
}

/// Maximum number of violations listed per rule.
const MAX_EXAMPLES: usize = 5;

/// Rules of a definition, and the errors of conditions that cannot be parsed.
pub fn from_definition(def: &Definition) -> (Vec<CheckRule>, Vec<InvalidText>) {
    let mut rules = Vec::new();
    let mut bad = Vec::new();
    for rule in &def.rule {
        match (condition(&rule.only), condition(&rule.then)) {
            (Ok(only), Ok(then)) => rules.push(CheckRule {
                name: rule.name.get_ref().clone(),
                system: def.name.get_ref().clone(),
                condition: only,
                expectation: then,
            }),
            (Err(error), _) | (_, Err(error)) => bad.push(error),
        }
    }
    (rules, bad)
}

/// Checks a rule on the events of a selection (`None`: all); duplicate records count once. `None`
/// when cancelled.
pub fn check(
    snapshot: &Snapshot,
    rule: &CheckRule,
    within: Option<&Selection>,
    cancel: &Cancel,
) -> Option<CheckResult> {
    let mut about = without_duplicates(snapshot, select(snapshot, &rule.condition, cancel)?);
    if let Some(within) = within {
        about.and(within);
    }
    let mut breaking = about.clone();
    if !about.is_empty() {
        breaking.and_not(&select(snapshot, &rule.expectation, cancel)?);
    }
    let first = breaking.ordered(snapshot).into_iter().take(MAX_EXAMPLES);
    Some(CheckResult {
        events: about.len() as u64,
        violations: breaking.len() as u64,
        examples: first.map(EventId).collect(),
    })
}

/// Removes duplicate records from a selection.
pub fn without_duplicates(snapshot: &Snapshot, selection: Selection) -> Selection {
    if snapshot.duplicates.is_empty() {
        return selection;
    }
    let copies = snapshot.duplicates.iter().map(|(copy, _)| EventId(copy));
    let copies = Selection::from_events(snapshot, copies);
    let mut selection = selection;
    selection.and_not(&copies);
    selection
}
