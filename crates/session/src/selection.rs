//! The selection: a stack of steps, each a filter or a pivot, the joins that the user changed, and what is shown of it;
//! every change undoable, all in one order of time.

use widetui_core::ids::{EventId, SourceId};
use widetui_join::Join;
use widetui_query::{Comparison, Expr, Field, Op};
use widetui_store::{EventRef, Snapshot};
use widetui_time::time::rfc3339_nanos;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::instances::{Thing, Things};
use super::record_texts::Place;

/// One step of the selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionStep {
    /// What the trail says: `task 24`.
    pub label: String,
    /// What records must fit.
    pub expr: Expr,
    /// The thing whose events it keeps or leaves out: its own list of them counts, which `expr` only comes close to.
    pub thing: Option<(Thing, Sense)>,
    /// The records that it keeps, one by one: these count, which `expr` only comes close to.
    pub records: Option<Arc<[Place]>>,
}

/// Records whose sources and times the expression of a step names.
const WRITTEN: usize = 200;

/// Keep or leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// What fits stays.
    Keep,
    /// What fits goes.
    Out,
}

impl SelectionStep {
    /// Keeps what fits an expression.
    pub fn new(label: impl Into<String>, expr: Expr) -> SelectionStep {
        SelectionStep {
            label: label.into(),
            expr,
            thing: None,
            records: None,
        }
    }

    /// Keeps these records of a snapshot.
    pub fn of_records(
        label: impl Into<String>,
        snapshot: &Snapshot,
        events: &[EventId],
    ) -> SelectionStep {
        let events: Vec<EventRef<'_>> =
            events.iter().filter_map(|id| snapshot.event(*id)).collect();
        // Of each source: its times, or what is said without a time.
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
            records: Some(events.iter().map(Place::of).collect()),
            ..SelectionStep::new(label, Expr::any_of(any))
        }
    }

    /// A step that was kept as a text: one on a thing is one on that thing again.
    pub fn kept(label: String, expr: Expr, things: &Things) -> SelectionStep {
        let (inner, sense) = match &expr {
            Expr::Not(inner) => (&**inner, Sense::Out),
            inner => (inner, Sense::Keep),
        };
        let name = label.strip_prefix("not ").unwrap_or(&label);
        // What somebody wrote as a filter stays one.
        let is_written = label == expr.to_string();
        let thing = things.of_expr(inner, name).filter(|_| !is_written);
        SelectionStep {
            thing: thing.map(|t| (t, sense)),
            records: None,
            label,
            expr,
        }
    }

    /// Keeps or leaves out the events of a thing.
    pub fn of(thing: &Thing, sense: Sense) -> SelectionStep {
        let (name, expr) = (thing.full_name(), thing.expr());
        let (label, expr) = match sense {
            Sense::Keep => (name, expr),
            Sense::Out => (format!("not {name}"), Expr::Not(Box::new(expr))),
        };
        SelectionStep {
            label,
            expr,
            thing: Some((thing.clone(), sense)),
            records: None,
        }
    }
}

impl SelectionStep {
    /// Whether its expression says exactly what it keeps.
    pub fn is_expr(&self) -> bool {
        self.thing.is_none() && self.records.is_none()
    }

    /// Whether its expression may fit more records than it keeps, or fewer: only so many are written, and some have no time
    /// by which they could be told.
    pub fn comes_close(&self, snapshot: &Snapshot) -> bool {
        self.records.as_ref().is_some_and(|records| {
            let event = |place: &Place| {
                let id = snapshot.event_at(place.source, place.offset)?;
                snapshot.event(id)
            };
            let has_time = |place| event(place).is_some_and(|e| e.time().is_some());
            records.len() > WRITTEN || !records.iter().all(has_time)
        })
    }

    /// Leaves out the sources with these paths.
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

    /// The paths of the sources that it hides, if that is what it does.
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

/// What the user changed about how records are widened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoinChoice {
    /// Joins that the user built.
    pub own: Vec<Join>,
    /// Names of those that are switched off.
    pub off: BTreeSet<String>,
}

/// All that can be taken back.
#[derive(Clone, Debug, Default)]
struct State {
    steps: Vec<SelectionStep>,
    joins: Arc<JoinChoice>,
    arranged: Arc<Arranged>,
}

/// What going back or forth has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Changed {
    /// The steps.
    Steps,
    /// The joins; as they were until now.
    Joins(Arc<JoinChoice>),
    /// The stretch of time that is shown; as it is now.
    Stretch(Stretch),
    /// The order of the table of a view; as it is now.
    Order(&'static str, TableOrder),
    /// By how many ns the times of a source are shifted; as it is now.
    Shift(SourceId, i64),
}

/// The steps and joins now in force, and those that were.
#[derive(Clone, Debug, Default)]
pub struct SelectionStack {
    now: State,
    past: Vec<State>,
    future: Vec<State>,
    /// Steps that were undone when something else was done: no way leads back to them, but they can be compared with.
    left: Vec<Vec<SelectionStep>>,
}

impl SelectionStack {
    /// Everything, with these joins switched off from the start.
    pub fn without_joins(off: BTreeSet<String>) -> SelectionStack {
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

    /// Switches joins off that nobody could know of until now, as if they had been off from the start.
    pub fn begin_without(&mut self, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let states = self.past.iter_mut().chain(&mut self.future);
        // States that differ in their steps only share their joins.
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

    /// The steps, the first applied first.
    pub fn steps(&self) -> &[SelectionStep] {
        &self.now.steps
    }

    /// What the user changed about joins.
    pub fn joins(&self) -> &JoinChoice {
        &self.now.joins
    }

    /// Changes the joins. Says whether anything changed.
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

    /// Whether everything is selected.
    pub fn is_all(&self) -> bool {
        self.now.steps.is_empty()
    }

    /// Adds a step; a step that is in force already is not added. Says whether anything changed.
    pub fn push(&mut self, step: SelectionStep) -> bool {
        if self
            .now
            .steps
            .iter()
            .any(|s| s.expr == step.expr && s.thing == step.thing && s.records == step.records)
        {
            return false;
        }
        let mut steps = self.now.steps.clone();
        steps.push(step);
        self.change(steps);
        true
    }

    /// Puts these steps in place of all. Says whether anything changed.
    pub fn replace_all(&mut self, steps: Vec<SelectionStep>) -> bool {
        if steps == self.now.steps {
            return false;
        }
        self.change(steps);
        true
    }

    /// Keeps only the first `count` steps. Says whether anything changed.
    pub fn keep(&mut self, count: usize) -> bool {
        if count >= self.now.steps.len() {
            return false;
        }
        let steps = self.now.steps[..count].to_vec();
        self.change(steps);
        true
    }

    /// Takes a step out, wherever it stands. Says whether there was one.
    pub fn remove(&mut self, at: usize) -> bool {
        if at >= self.now.steps.len() {
            return false;
        }
        let mut steps = self.now.steps.clone();
        steps.remove(at);
        self.change(steps);
        true
    }

    /// Puts a step in the place of another. Says whether anything changed.
    pub fn replace(&mut self, at: usize, step: SelectionStep) -> bool {
        if self.now.steps.get(at).is_none_or(|old| *old == step) {
            return false;
        }
        let mut steps = self.now.steps.clone();
        steps[at] = step;
        self.change(steps);
        true
    }

    /// The paths of the sources that are hidden, and the place of the step that does it.
    pub(crate) fn hidden(&self) -> Option<(usize, &[String])> {
        let mut steps = self.now.steps.iter().enumerate();
        steps.find_map(|(at, step)| Some((at, step.hidden()?)))
    }

    /// Hides a source, or shows it again when it is hidden: all in one step. Says whether it is hidden now.
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

    /// Drops the last step. Says whether there was one.
    #[cfg(test)]
    pub(crate) fn pop(&mut self) -> bool {
        self.keep(self.now.steps.len().saturating_sub(1))
    }

    /// Whether there is a change to go back by.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is an undo to take back.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Goes back by one change. Says what is other than it was.
    pub fn undo(&mut self) -> Option<Changed> {
        let before = self.past.pop()?;
        let after = std::mem::replace(&mut self.now, before);
        let changed = self.unlike(&after);
        self.future.push(after);
        Some(changed)
    }

    /// Takes back the last undo. Says what is other than it was.
    pub fn redo(&mut self) -> Option<Changed> {
        let after = self.future.pop()?;
        let before = std::mem::replace(&mut self.now, after);
        let changed = self.unlike(&before);
        self.past.push(before);
        Some(changed)
    }

    /// Every change is one of steps, of joins, or of what is shown of them.
    fn unlike(&self, other: &State) -> Changed {
        if self.now.steps != other.steps {
            return Changed::Steps;
        }
        match Arc::ptr_eq(&self.now.joins, &other.joins) {
            true => arrangement::unlike(&self.now.arranged, &other.arranged),
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
        self.leave();
    }
}

mod arrangement;
mod previous;

use arrangement::Arranged;
pub use arrangement::{Stretch, TableOrder};

#[cfg(test)]
mod tests;
