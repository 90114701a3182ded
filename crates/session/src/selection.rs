//! The selection: a stack of steps (filters and pivots), the user's changes to joins, and display settings, with one
//! undo history for all of them.

use widetui_core::ids::{EventId, SourceId};
use widetui_join::Join;
use widetui_query::{Comparison, Expr, Field, Op};
use widetui_store::{EventRef, Snapshot};
use widetui_time::time::rfc3339_nanos;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::instances::{InstanceCache, InstanceHandle};
use super::record_texts::Place;

/// One step of the selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionStep {
    /// Label in the breadcrumb: `task 24`.
    pub label: String,
    /// Expression that selected records match.
    pub expr: Expr,
    /// Instance whose records the step keeps or leaves out. The instance's own list of records is authoritative; `expr`
    /// approximates it.
    pub instance: Option<(InstanceHandle, StepEffect)>,
    /// Records that the step keeps, one by one. The list is authoritative; `expr` approximates it.
    pub records: Option<Arc<[Place]>>,
}

/// Maximum number of records that the expression of a step lists by source and time.
const WRITTEN: usize = 200;

/// Whether a step keeps or leaves out the matching records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEffect {
    /// Keeps matching records.
    Keep,
    /// Removes matching records.
    Exclude,
}

impl SelectionStep {
    /// Creates a step that keeps the records matching an expression.
    pub fn new(label: impl Into<String>, expr: Expr) -> SelectionStep {
        SelectionStep {
            label: label.into(),
            expr,
            instance: None,
            records: None,
        }
    }

    /// Creates a step that keeps these records of a snapshot.
    pub fn of_records(
        label: impl Into<String>,
        snapshot: &Snapshot,
        events: &[EventId],
    ) -> SelectionStep {
        let events: Vec<EventRef<'_>> =
            events.iter().filter_map(|id| snapshot.event(*id)).collect();
        // Per source: the times of its records, or the templates of records without a time.
        let mut of_sources: Vec<(SourceId, Field, Vec<String>)> = Vec::new();
        for event in events.iter().take(WRITTEN) {
            let source = event.source().id;
            let time = event.time().map(|time| (Field::Time, rfc3339_nanos(time)));
            let said = || Some((Field::Template, event.template()?.text.to_string()));
            let Some((field, value)) = time.or_else(said) else {
                continue;
            };
            let mut known = of_sources.iter_mut();
            match known.find(|s| s.0 == source && s.1 == field) {
                Some(known) if known.2.contains(&value) => {}
                Some(known) => known.2.push(value),
                None => of_sources.push((source, field, vec![value])),
            }
        }
        let any = of_sources.into_iter().filter_map(|(id, field, values)| {
            let source = Expr::equals(Field::Source, snapshot.source(id)?.path.as_str());
            let said = Expr::Compare(Comparison {
                field,
                op: Op::In,
                values,
            });
            Some(Expr::all_of([source, said]))
        });
        SelectionStep {
            records: Some(events.iter().map(Place::from_event).collect()),
            ..SelectionStep::new(label, Expr::any_of(any))
        }
    }

    /// Restores a step from its saved label and expression. A step on an instance refers to the instance again.
    pub fn restored(label: String, expr: Expr, instance_cache: &InstanceCache) -> SelectionStep {
        let (inner, sense) = match &expr {
            Expr::Not(inner) => (&**inner, StepEffect::Exclude),
            inner => (inner, StepEffect::Keep),
        };
        let name = label.strip_prefix("not ").unwrap_or(&label);
        // A step whose label is its expression was typed as a filter, and remains one.
        let is_written = label == expr.to_string();
        let handle = instance_cache.of_expr(inner, name).filter(|_| !is_written);
        SelectionStep {
            instance: handle.map(|t| (t, sense)),
            records: None,
            label,
            expr,
        }
    }

    /// Creates a step that keeps or leaves out the records of an instance.
    pub fn for_instance(handle: &InstanceHandle, sense: StepEffect) -> SelectionStep {
        let (name, expr) = (handle.full_name(), handle.expr());
        let (label, expr) = match sense {
            StepEffect::Keep => (name, expr),
            StepEffect::Exclude => (format!("not {name}"), Expr::Not(Box::new(expr))),
        };
        SelectionStep {
            label,
            expr,
            instance: Some((handle.clone(), sense)),
            records: None,
        }
    }
}

impl SelectionStep {
    /// Whether the expression defines the step exactly.
    pub fn is_expr(&self) -> bool {
        self.instance.is_none() && self.records.is_none()
    }

    /// Whether the expression may match other records than the step keeps: it lists a limited number of records, and
    /// identifies those without a time by their template only.
    pub fn is_approximate(&self, snapshot: &Snapshot) -> bool {
        self.records.as_ref().is_some_and(|records| {
            let event = |place: &Place| {
                let id = snapshot.event_at(place.source, place.offset)?;
                snapshot.event(id)
            };
            let has_time = |place| event(place).is_some_and(|e| e.time().is_some());
            records.len() > WRITTEN || !records.iter().all(has_time)
        })
    }

    /// Creates a step that leaves out the sources with these paths.
    fn hiding(paths: Vec<String>) -> SelectionStep {
        let label = match paths.len() {
            1 => "1 source hidden".to_owned(),
            n => format!("{n} sources hidden"),
        };
        let which = Expr::Compare(Comparison {
            field: Field::Source,
            op: Op::In,
            values: paths,
        });
        SelectionStep::new(label, Expr::Not(Box::new(which)))
    }

    /// Returns the paths of the sources that the step hides, if it is a step of this kind.
    pub(crate) fn hidden(&self) -> Option<&[String]> {
        match &self.expr {
            Expr::Not(inner) => match &**inner {
                Expr::Compare(c) if c.field == Field::Source && c.op == Op::In => Some(&c.values),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The user's changes to joins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinChoice {
    /// Joins built by the user.
    pub own: Vec<Join>,
    /// Names of joins that are switched off.
    pub off: BTreeSet<String>,
}

/// Everything that undo restores.
#[derive(Clone, Debug, Default)]
struct State {
    steps: Vec<SelectionStep>,
    joins: Arc<JoinChoice>,
    arranged: Arc<DisplaySettings>,
}

/// What an undo or redo has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Changed {
    /// The steps.
    Steps,
    /// The joins; holds the previous setting.
    Joins(Arc<JoinChoice>),
    /// The displayed time range; holds the new one.
    TimeRange(TimeRange),
    /// The order of a view's table; holds the new one.
    Order(&'static str, TableOrder),
    /// The time shift of a source, in ns; holds the new one.
    Shift(SourceId, i64),
}

/// The current selection with its undo and redo history.
#[derive(Clone, Debug, Default)]
pub struct SelectionStack {
    now: State,
    past: Vec<State>,
    future: Vec<State>,
    /// Selections of a discarded redo history, which can still be compared with.
    left: Vec<Vec<SelectionStep>>,
}

impl SelectionStack {
    /// Creates an empty selection with these joins switched off initially.
    pub fn with_joins_off(off: BTreeSet<String>) -> SelectionStack {
        let joins = Arc::new(JoinChoice {
            own: Vec::new(),
            off,
        });
        SelectionStack {
            now: State {
                joins,
                ..State::default()
            },
            ..SelectionStack::default()
        }
    }

    /// Switches off joins that became known only now, in the history too, as if they had been off from the start.
    pub fn switch_joins_off(&mut self, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let states = self.past.iter_mut().chain(&mut self.future);
        // States that share their joins keep sharing them.
        let mut changed: Vec<(Arc<JoinChoice>, Arc<JoinChoice>)> = Vec::new();
        for state in states.chain([&mut self.now]) {
            let known = changed
                .iter()
                .find(|(old, _)| Arc::ptr_eq(old, &state.joins));
            let new = known.map(|(_, new)| new.clone()).unwrap_or_else(|| {
                let mut joins = (*state.joins).clone();
                joins.off.extend(names.iter().cloned());
                let new = Arc::new(joins);
                changed.push((state.joins.clone(), new.clone()));
                new
            });
            state.joins = new;
        }
    }

    /// Steps in the order of their application.
    pub fn steps(&self) -> &[SelectionStep] {
        &self.now.steps
    }

    /// The user's changes to joins.
    pub fn joins(&self) -> &JoinChoice {
        &self.now.joins
    }

    /// Changes the joins. Returns whether anything changed.
    pub fn change_joins(&mut self, change: impl FnOnce(&mut JoinChoice)) -> bool {
        let mut joins = self.joins().clone();
        change(&mut joins);
        if joins == *self.now.joins {
            return false;
        }
        self.go(State {
            joins: Arc::new(joins),
            ..self.now.clone()
        });
        true
    }

    /// Whether there is no step.
    pub fn is_all(&self) -> bool {
        self.now.steps.is_empty()
    }

    /// Adds a step unless the selection has it already. Returns whether anything changed.
    pub fn push(&mut self, step: SelectionStep) -> bool {
        if self.now.steps.iter().any(|s| {
            s.expr == step.expr && s.instance == step.instance && s.records == step.records
        }) {
            return false;
        }
        let mut steps = self.now.steps.clone();
        steps.push(step);
        self.change(steps);
        true
    }

    /// Replaces all steps. Returns whether anything changed.
    pub fn replace_all(&mut self, steps: Vec<SelectionStep>) -> bool {
        if steps == self.now.steps {
            return false;
        }
        self.change(steps);
        true
    }

    /// Truncates to the first `count` steps. Returns whether anything changed.
    pub fn keep(&mut self, count: usize) -> bool {
        if count >= self.now.steps.len() {
            return false;
        }
        let steps = self.now.steps[..count].to_vec();
        self.change(steps);
        true
    }

    /// Removes the step at an index. Returns whether there was one.
    pub fn remove(&mut self, at: usize) -> bool {
        if at >= self.now.steps.len() {
            return false;
        }
        let mut steps = self.now.steps.clone();
        steps.remove(at);
        self.change(steps);
        true
    }

    /// Replaces the step at an index. Returns whether anything changed.
    pub fn replace(&mut self, at: usize, step: SelectionStep) -> bool {
        if self.now.steps.get(at).is_none_or(|old| *old == step) {
            return false;
        }
        let mut steps = self.now.steps.clone();
        steps[at] = step;
        self.change(steps);
        true
    }

    /// Paths of the hidden sources, and the index of the step that hides them.
    pub(crate) fn hidden(&self) -> Option<(usize, &[String])> {
        let mut steps = self.now.steps.iter().enumerate();
        steps.find_map(|(at, step)| Some((at, step.hidden()?)))
    }

    /// Hides a source, or shows it again; one step holds all hidden sources. Returns whether the source is hidden now.
    pub fn toggle_source(&mut self, path: &str) -> bool {
        let Some((at, paths)) = self.hidden() else {
            let step = SelectionStep::hiding(vec![path.to_owned()]);
            let mut steps = self.now.steps.clone();
            steps.push(step);
            self.change(steps);
            return true;
        };
        let mut paths = paths.to_vec();
        let known = paths.iter().position(|p| p == path);
        match known {
            Some(known) => {
                paths.remove(known);
            }
            None => paths.push(path.to_owned()),
        }
        let mut steps = self.now.steps.clone();
        if paths.is_empty() {
            steps.remove(at);
        } else {
            steps[at] = SelectionStep::hiding(paths);
        }
        self.change(steps);
        known.is_none()
    }

    /// Removes the last step. Returns whether there was one.
    #[cfg(test)]
    pub(crate) fn pop(&mut self) -> bool {
        self.keep(self.now.steps.len().saturating_sub(1))
    }

    /// Whether there is a change to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is an undone change to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Undoes the last change and returns it.
    pub fn undo(&mut self) -> Option<Changed> {
        let before = self.past.pop()?;
        let after = std::mem::replace(&mut self.now, before);
        let changed = self.difference(&after);
        self.future.push(after);
        Some(changed)
    }

    /// Redoes the last undone change and returns it.
    pub fn redo(&mut self) -> Option<Changed> {
        let after = self.future.pop()?;
        let before = std::mem::replace(&mut self.now, after);
        let changed = self.difference(&before);
        self.past.push(before);
        Some(changed)
    }

    /// Returns the difference to another state: each change affects either the steps, the joins or the display
    /// settings.
    fn difference(&self, other: &State) -> Changed {
        if self.now.steps != other.steps {
            return Changed::Steps;
        }
        match Arc::ptr_eq(&self.now.joins, &other.joins) {
            true => arrangement::difference(&self.now.arranged, &other.arranged),
            false => Changed::Joins(other.joins.clone()),
        }
    }

    fn change(&mut self, steps: Vec<SelectionStep>) {
        self.go(State {
            steps,
            ..self.now.clone()
        });
    }

    fn go(&mut self, next: State) {
        self.past.push(std::mem::replace(&mut self.now, next));
        self.discard_redo();
    }
}

mod arrangement;
mod previous;

use arrangement::DisplaySettings;
pub use arrangement::{TableOrder, TimeRange};

#[cfg(test)]
mod tests;
