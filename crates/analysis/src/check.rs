//! Checks of a soft schema: records that match one condition should match another.

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::syntax::Definition;
use widetui_join::spec::{BadText, condition};
use widetui_query::{Expr, Selection, select};
use widetui_store::Snapshot;

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRule {
    /// Its name.
    pub name: String,
    /// The definition that it comes from.
    pub system: String,
    /// The events that it is about.
    pub only: Expr,
    /// What they should fit.
    pub then: Expr,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Events that it is about.
    pub events: u64,
    /// Those that break it.
    pub violations: u64,
    /// The first of them, in time order.
    pub examples: Vec<EventId>,
}

/// Examples that are kept of each rule.
const EXAMPLES: usize = 5;

/// The rules of a definition, and conditions that are none.
pub fn of_definition(def: &Definition) -> (Vec<CheckRule>, Vec<BadText>) {
    let mut rules = Vec::new();
    let mut bad = Vec::new();
    for rule in &def.rule {
        match (condition(&rule.only), condition(&rule.then)) {
            (Ok(only), Ok(then)) => rules.push(CheckRule {
                name: rule.name.get_ref().clone(),
                system: def.name.get_ref().clone(),
                only,
                then,
            }),
            (Err(error), _) | (_, Err(error)) => bad.push(error),
        }
    }
    (rules, bad)
}

/// Checks a rule on the events of a selection; a record that stands in several sources counts once. `None` when cancelled.
pub fn check(
    snapshot: &Snapshot,
    rule: &CheckRule,
    within: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Checked> {
    let mut about = once(snapshot, select(snapshot, &rule.only, cancel)?);
    if let Some(within) = within {
        about.and(within);
    }
    let mut breaking = about.clone();
    if !about.is_empty() {
        breaking.and_not(&select(snapshot, &rule.then, cancel)?);
    }
    let first = breaking.ordered(snapshot).into_iter().take(EXAMPLES);
    Some(Checked {
        events: about.len() as u64,
        violations: breaking.len() as u64,
        examples: first.map(EventId).collect(),
    })
}

/// Without copies.
pub fn once(snapshot: &Snapshot, selection: Selection) -> Selection {
    if snapshot.copies.is_empty() {
        return selection;
    }
    let copies = snapshot.copies.iter().map(|(copy, _)| EventId(copy));
    let copies = Selection::of(snapshot, copies);
    let mut selection = selection;
    selection.and_not(&copies);
    selection
}
