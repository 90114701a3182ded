//! What tells some records from the others, runs in one row each, and two of them, or two selections, side by side: for tables.

use crate::analysis::compare::{ComparedNumber, SideNumbers, compare};
use crate::analysis::contrast::{Contrast, contrast};
use crate::analysis::runs::{Run, runs_of};
use crate::analysis::scope::AnalysisScope;
use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::level::Level;
use crate::query::{self, Expr, Field, Op, Selection};
use crate::store::Snapshot;

use super::ask;
use super::selection::SelectionStep;
use super::things::Things;

/// Values that a table of differences has at most.
const MOST: usize = 5_000;

/// Which records are held against the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Those selected.
    Selected,
    /// Nothing is selected: errors.
    Errors,
}

/// What is different.
#[derive(Clone, Debug)]
pub struct ContrastTable {
    /// About which records.
    pub of: Inside,
    /// The values, those that tell most first; at most `MOST`.
    pub contrast: Contrast,
    /// How many more values there are.
    pub more: usize,
}

/// What tells some records from all others. `None` when cancelled.
pub(super) fn contrasted(
    snapshot: &Snapshot,
    chosen: Option<&Selection>,
    cancel: &Cancel,
) -> Option<ContrastTable> {
    let errors;
    let (of, inside) = match chosen {
        Some(chosen) => (Inside::Selected, chosen),
        None => {
            let expr = Expr::compare(Field::Level, Op::Ge, Level::Error.name());
            errors = query::select(snapshot, &expr, cancel)?;
            (Inside::Errors, &errors)
        }
    };
    let mut contrast = contrast(snapshot, inside, None, cancel)?;
    let more = contrast.values.len().saturating_sub(MOST);
    contrast.values.truncate(MOST);
    Some(ContrastTable { of, contrast, more })
}

/// Runs.
#[derive(Clone, Debug)]
pub struct RunTable {
    /// Where they are looked up.
    pub things: Things,
    /// In time order.
    pub runs: Vec<Run>,
    /// Whether only those are there that some records are about.
    pub is_part: bool,
}

/// The runs that some records are about. `None` when cancelled.
pub(super) fn runs(
    snapshot: &Snapshot,
    things: &Things,
    chosen: Option<&Selection>,
    cancel: &Cancel,
) -> Option<RunTable> {
    let seen = things.seen(snapshot, cancel)?;
    let mut runs = runs_of(snapshot, &seen.found, &AnalysisScope::default(), cancel)?;
    if let Some(chosen) = chosen {
        // A run is shown as a whole, whatever of it is selected.
        runs.retain(|run| {
            let at = seen.find(snapshot, &run.entity, &run.id);
            at.and_then(|at| seen.get(at)).is_none_or(|(all, one)| {
                let mut events = all.events(one).iter();
                events.any(|id| chosen.contains(EventId(*id)))
            })
        });
    }
    Some(RunTable {
        things: things.clone(),
        runs,
        is_part: chosen.is_some(),
    })
}

/// Which things stand on a side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SidePart {
    /// Those with a record that is selected.
    Selected,
    /// All others.
    Others,
}

/// One side of a comparison: a run, a selection, or what a selection leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// For people: `manager 3619e747ac56`.
    pub name: String,
    /// What its records fit.
    pub steps: Vec<SelectionStep>,
    /// Whether it has the things that have such records, or all others.
    pub part: SidePart,
}

impl Side {
    /// The things that have a record which these steps select.
    pub fn selected(name: impl Into<String>, steps: Vec<SelectionStep>) -> Side {
        Side {
            name: name.into(),
            steps,
            part: SidePart::Selected,
        }
    }

    /// What its records have in common, as one expression; the rest of a selection has nothing in common.
    pub fn expr(&self) -> Option<Expr> {
        let all = || Expr::all_of(self.steps.iter().map(|s| s.expr.clone()));
        (self.part == SidePart::Selected).then(all)
    }

    /// Its things. `None` when cancelled.
    fn scope(&self, snapshot: &Snapshot, cancel: &Cancel) -> Option<AnalysisScope> {
        let (rows, _) = ask::select(snapshot, &self.steps, cancel)?;
        let events = rows.selection(snapshot);
        Some(match self.part {
            SidePart::Selected => AnalysisScope {
                events,
                ..AnalysisScope::default()
            },
            SidePart::Others => {
                let all = || Selection::of(snapshot, snapshot.order.iter().map(|id| EventId(*id)));
                AnalysisScope {
                    besides: Some(events.unwrap_or_else(all)),
                    ..AnalysisScope::default()
                }
            }
        })
    }
}

/// Two sides of a comparison.
#[derive(Clone, Debug)]
pub struct CompareTable {
    /// Them.
    pub both: Box<[Side; 2]>,
    /// What is compared, as the analysis orders it.
    pub lines: Vec<ComparedNumber>,
}

/// Two sides beside each other. `None` when cancelled.
pub(super) fn compared(
    snapshot: &Snapshot,
    things: &Things,
    both: &[Side; 2],
    cancel: &Cancel,
) -> Option<CompareTable> {
    let seen = things.seen(snapshot, cancel)?;
    let side = |side: &Side| -> Option<SideNumbers> {
        let scope = side.scope(snapshot, cancel)?;
        let mut side = SideNumbers::default();
        for goals in seen.found.all.iter().filter(|i| i.entity.is_goal()) {
            side.add(snapshot, goals, &scope, cancel)?;
        }
        Some(side)
    };
    let lines = compare(&side(&both[0])?, &side(&both[1])?);
    Some(CompareTable {
        both: Box::new(both.clone()),
        lines,
    })
}
