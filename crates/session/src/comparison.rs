//! What tells some records from the others, runs in one row each, and two of them, or two selections, side by side.

use std::sync::Arc;

use widetui_analysis::Entity;
use widetui_analysis::compare::{ComparedNumber, ComparisonSide, compare};
use widetui_analysis::contrast::{Contrast, contrast};
use widetui_analysis::run_table::{RunRow, runs_of_instances};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_definition::meaning::EntityRole;
use widetui_query::{self as query, Expr, Field, Op, Selection};
use widetui_store::Snapshot;
use widetui_time::time::rfc3339_nanos;

use super::instances::Things;
use super::rows;
use super::selection::SelectionStep;

/// Values that a table of differences has at most.
const MOST: usize = 5_000;

/// Which records are held against the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Those selected.
    Selected,
    /// Nothing is selected: errors.
    Errors,
    /// Nothing is selected, and there are no errors: warnings.
    Warnings,
    /// Nothing is selected, and nothing is wrong: what came last.
    Latest,
}

/// What is different.
#[derive(Clone, Debug)]
pub struct ContrastTable {
    /// About which records.
    pub of: Inside,
    /// What these fit, when nobody chose them.
    pub usual: Option<Expr>,
    /// The values, those that tell most first; at most `MOST`.
    pub contrast: Contrast,
    /// How many more values there are.
    pub more: usize,
}

/// What tells some records, found by these expressions, from all others among some (`None`: all records). Where they were
/// found by their levels, that these differ is no news. `None` when cancelled.
pub fn contrasted(
    snapshot: &Snapshot,
    (inside, found_by): (&Selection, &[Expr]),
    among: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Contrast> {
    let mut known = numbers_of_rows(snapshot);
    if found_by.iter().any(is_of_level) {
        known.push(Field::Level);
    }
    contrast(snapshot, inside, among, &known, cancel)
}

/// Keys of which the values are given by chance, and beside which another says the same in words: the number of a row, of a
/// thread in memory. That they differ is no news; a definition that takes one for an identifier knows better.
const NUMBERED: &[&str] = &[
    "rowid",
    "thread_id",
    "os_thread",
    "thread_ident",
    "native_thread_id",
];

fn numbers_of_rows(snapshot: &Snapshot) -> Vec<Field> {
    let keys = snapshot.catalog.keys.iter();
    let keys = keys.filter(|view| {
        let last = view.key.name.rsplit('.').next();
        !view.key.identifier && last.is_some_and(|last| NUMBERED.contains(&last))
    });
    keys.map(|view| Field::key(&view.key.name)).collect()
}

/// Whether all that fits has, or has not, some levels.
fn is_of_level(expr: &Expr) -> bool {
    match expr {
        Expr::Compare(comparison) => comparison.field == Field::Level,
        Expr::And(parts) => parts.iter().any(is_of_level),
        Expr::Or(parts) => parts.iter().all(is_of_level),
        Expr::Not(inner) => is_of_level(inner),
        Expr::All | Expr::Has(_) | Expr::Text(_) => false,
    }
}

/// What tells the records that are chosen, by these expressions, from all others; where none are, what stands out by itself.
/// `None` when cancelled.
pub(super) fn contrast_table(
    snapshot: &Snapshot,
    chosen: Option<&Selection>,
    found_by: &[Expr],
    cancel: &Cancel,
) -> Option<ContrastTable> {
    let (of, usual, mut contrast) = match chosen {
        Some(chosen) => {
            let found = contrasted(snapshot, (chosen, found_by), None, cancel)?;
            (Inside::Selected, None, found)
        }
        None => {
            let (of, expr, events) = standing_out(snapshot, cancel)?;
            let by = std::slice::from_ref(&expr);
            let found = contrasted(snapshot, (&events, by), None, cancel)?;
            (of, Some(expr), found)
        }
    };
    let more = contrast.values.len().saturating_sub(MOST);
    contrast.values.truncate(MOST);
    Some(ContrastTable {
        of,
        usual,
        contrast,
        more,
    })
}

/// The part of the time of a run that came last: one of so many.
const LAST: i64 = 4;

/// What is held against the rest when nobody chose: errors, else warnings, else what came last. `None` when cancelled.
fn standing_out(snapshot: &Snapshot, cancel: &Cancel) -> Option<(Inside, Expr, Selection)> {
    for (of, level) in [
        (Inside::Errors, Level::Error),
        (Inside::Warnings, Level::Warning),
    ] {
        let expr = Expr::compare(Field::Level, Op::Ge, level.name());
        let found = query::select(snapshot, &expr, cancel)?;
        if !found.is_empty() {
            return Some((of, expr, found));
        }
    }
    let (from, to) = snapshot.range().unwrap_or_default();
    let since = to.saturating_sub(to.saturating_sub(from) / LAST);
    let expr = Expr::compare(Field::Time, Op::Ge, rfc3339_nanos(since));
    let found = query::select(snapshot, &expr, cancel)?;
    Some((Inside::Latest, expr, found))
}

/// Runs.
#[derive(Clone, Debug)]
pub struct RunTable {
    /// Where they are looked up.
    pub things: Things,
    /// In time order.
    pub runs: Vec<RunRow>,
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
    let mut runs = runs_of_instances(
        snapshot,
        things.entities(),
        &seen.found,
        &AnalysisScope::default(),
        cancel,
    )?;
    if let Some(chosen) = chosen {
        // A run is shown as a whole, whatever of it is selected.
        runs.retain(|run| {
            if let Some(only) = &run.condition {
                let mut events = query::select(snapshot, only, cancel).unwrap_or_default();
                events.and(chosen);
                return !events.is_empty();
            }
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
        let (rows, _) = rows::select(snapshot, &self.steps, cancel)?;
        let events = rows.selection(snapshot);
        Some(match self.part {
            SidePart::Selected => AnalysisScope::selected(events),
            SidePart::Others => {
                AnalysisScope::excluding(events.unwrap_or_else(|| Selection::all(snapshot)))
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

/// The things that a comparison looks at: those of one entity, else all goals with what may stand in for them. For whoever
/// asks nothing else about them.
pub fn things_compared(entities: &[Arc<Entity>], of: Option<&Arc<Entity>>) -> Things {
    Things::new(match of {
        Some(entity) => vec![entity.clone()],
        None => {
            let may_be = |e: &&Arc<Entity>| e.is_work_item() || e.role == EntityRole::StandIn;
            entities.iter().filter(may_be).cloned().collect()
        }
    })
}

/// The numbers of one side: of the things of one entity (its dotted name), else of all goals; where no goal is known to have
/// begun, of what stands in for them. `None` when cancelled.
pub fn side(
    snapshot: &Snapshot,
    things: &Things,
    of: Option<&str>,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<ComparisonSide> {
    let seen = things.seen(snapshot, cancel)?;
    let is_meant = |entity: &Entity| of.map_or(entity.is_work_item(), |name| entity.name == name);
    let mut side = ComparisonSide::default();
    for instances in seen.found.occurring.iter().filter(|i| is_meant(&i.entity)) {
        side.add_instances(snapshot, instances, scope, cancel)?;
    }
    Some(side)
}

/// Two sides beside each other. `None` when cancelled.
pub(super) fn compared(
    snapshot: &Snapshot,
    things: &Things,
    both: &[Side; 2],
    cancel: &Cancel,
) -> Option<CompareTable> {
    let numbers = |of: &Side| {
        let scope = of.scope(snapshot, cancel)?;
        side(snapshot, things, None, &scope, cancel)
    };
    Some(CompareTable {
        lines: compare(&numbers(&both[0])?, &numbers(&both[1])?),
        both: Box::new(both.clone()),
    })
}
