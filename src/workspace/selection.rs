//! The selection: a stack of steps, each a filter or a pivot, every change undoable.

use crate::query::Expr;

use super::things::Thing;

/// One step of the selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the trail says: `task 24`.
    pub label: String,
    /// What records must fit.
    pub expr: Expr,
    /// The thing whose events it keeps or leaves out: its own list of them counts, which `expr` only comes close to.
    pub thing: Option<(Thing, Sense)>,
}

/// Keep or leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// What fits stays.
    Keep,
    /// What fits goes.
    Out,
}

impl Step {
    /// Keeps what fits an expression.
    pub fn new(label: impl Into<String>, expr: Expr) -> Step {
        Step {
            label: label.into(),
            expr,
            thing: None,
        }
    }

    /// Keeps or leaves out the events of a thing.
    pub fn of(thing: &Thing, sense: Sense) -> Step {
        let (name, expr) = (thing.full_name(), thing.expr());
        let (label, expr) = match sense {
            Sense::Keep => (name, expr),
            Sense::Out => (format!("not {name}"), Expr::Not(Box::new(expr))),
        };
        Step {
            label,
            expr,
            thing: Some((thing.clone(), sense)),
        }
    }
}

/// The steps now in force, and those that were.
#[derive(Clone, Debug, Default)]
pub struct SelectionStack {
    steps: Vec<Step>,
    past: Vec<Vec<Step>>,
    future: Vec<Vec<Step>>,
}

impl SelectionStack {
    /// The steps, the first applied first.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether everything is selected.
    pub fn is_all(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds a step; a step that is in force already is not added. Says whether anything changed.
    pub fn push(&mut self, step: Step) -> bool {
        if self.steps.iter().any(|s| s.expr == step.expr && s.thing == step.thing) {
            return false;
        }
        let mut steps = self.steps.clone();
        steps.push(step);
        self.change(steps);
        true
    }

    /// Keeps only the first `count` steps. Says whether anything changed.
    pub fn keep(&mut self, count: usize) -> bool {
        if count >= self.steps.len() {
            return false;
        }
        let steps = self.steps[..count].to_vec();
        self.change(steps);
        true
    }

    /// Drops the last step. Says whether there was one.
    pub fn pop(&mut self) -> bool {
        self.keep(self.steps.len().saturating_sub(1))
    }

    /// Goes back by one change. Says whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else {
            return false;
        };
        self.future.push(std::mem::replace(&mut self.steps, before));
        true
    }

    /// Takes back the last undo. Says whether there was one.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else {
            return false;
        };
        self.past.push(std::mem::replace(&mut self.steps, after));
        true
    }

    fn change(&mut self, steps: Vec<Step>) {
        self.past.push(std::mem::replace(&mut self.steps, steps));
        self.future.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(n: u8) -> Step {
        Step::new(n.to_string(), Expr::Text(n.to_string()))
    }

    #[test]
    fn a_step_is_in_force_once() {
        let mut stack = SelectionStack::default();
        assert!(stack.push(step(1)) && !stack.push(step(1)));
        assert!(stack.pop() && !stack.pop() && stack.is_all());
        assert!(stack.undo());
        assert_eq!(stack.steps(), [step(1)]);
    }

    proptest! {
        #[test]
        fn undo_and_redo_are_inverse(changes in prop::collection::vec(0u8..8, 0..30)) {
            let mut stack = SelectionStack::default();
            let mut states = vec![stack.steps().to_vec()];
            for n in changes {
                let changed = match n { 6 => stack.pop(), 7 => stack.keep(1), n => stack.push(step(n)) };
                if changed { states.push(stack.steps().to_vec()); }
            }
            for state in states.iter().rev().skip(1) {
                prop_assert!(stack.undo());
                prop_assert_eq!(stack.steps(), state.as_slice());
            }
            prop_assert!(!stack.undo() && stack.is_all());
            for state in states.iter().skip(1) {
                prop_assert!(stack.redo());
                prop_assert_eq!(stack.steps(), state.as_slice());
            }
            prop_assert!(!stack.redo());
        }
    }
}
