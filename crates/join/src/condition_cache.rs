//! Conditions of all joins, evaluated in parallel. For most joins the first condition already shows
//! that no event takes part.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_definition::semantics::Among;
use widetui_query::{self as query, Expr, Selection};
use widetui_store::Snapshot;

use crate::spec::{Join, JoinRule};

/// Events that fit the first condition of each join, until a join takes them.
#[derive(Debug)]
pub(crate) struct ConditionCache<'a>(Vec<(&'a Expr, Selection)>);

impl<'a> ConditionCache<'a> {
    /// Evaluates the first condition of each join; `None` when cancelled.
    pub(crate) fn evaluate(
        snapshot: &Snapshot,
        joins: &[&'a Join],
        cancel: &Cancel,
    ) -> Option<ConditionCache<'a>> {
        let first = joins
            .par_iter()
            .filter_map(|join| first_condition(snapshot, join));
        let answers = first.map(|expr| Some((expr, query::select(snapshot, expr, cancel)?)));
        answers.collect::<Option<_>>().map(ConditionCache)
    }

    /// Removes and returns the events that fit a condition, if it was evaluated.
    pub(crate) fn take(&mut self, expr: &Expr) -> Option<Selection> {
        let at = self.0.iter().position(|(e, _)| std::ptr::eq(*e, expr))?;
        Some(self.0.swap_remove(at).1)
    }
}

/// Condition that a join evaluates first: if no event fits, the join has no effect.
fn first_condition<'a>(snapshot: &Snapshot, join: &'a Join) -> Option<&'a Expr> {
    let (among, expr) = match &join.rule {
        JoinRule::Keys(rule) => {
            let life = rule.lifetime.as_ref().map(|(open, _)| open);
            let only = rule.evidence.as_ref().or(rule.condition.as_ref());
            (rule.duplicates, only.or(life)?)
        }
        JoinRule::Bracket(rule) => (rule.duplicates, &rule.open),
        JoinRule::FirstRecord(_) | JoinRule::ConsecutiveRuns(_) | JoinRule::Extraction(_) => {
            return None;
        }
    };
    let is_idle = among == Among::DuplicatesByPath && snapshot.duplicates.is_empty();
    (!is_idle).then_some(expr)
}
