//! Distinguishing values of selected records, the table of runs, and two runs or selections side by side.

use std::sync::Arc;

use widetui_analysis::compare::{ComparedNumber, ComparisonSide, compare};
use widetui_analysis::contrast::{Contrast, contrast};
use widetui_analysis::differences::{Basis, Differences, SideProfile};
use widetui_analysis::run_table::{RunRow, runs_of_instances};
use widetui_analysis::scope::{AnalysisScope, WorkOutcome};
use widetui_analysis::{Entity, Instances};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::last_part;
use widetui_definition::semantics::EntityRole;
use widetui_query::{self as query, Expr, Field, Op, Selection};
use widetui_store::Snapshot;
use widetui_time::time::rfc3339_nanos;

use super::instances::InstanceCache;
use super::rows;
use super::selection::SelectionStep;

/// Maximum number of values in a table of differences.
const MOST: usize = 5_000;

/// Which records are contrasted with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContrastSubject {
    /// Selected records.
    Selected,
    /// Errors, as nothing is selected.
    Errors,
    /// Warnings, as nothing is selected and there are no errors.
    Warnings,
    /// The last part of the run, as nothing is selected and there are no errors or warnings.
    Latest,
}

/// Table of distinguishing values.
#[derive(Clone, Debug)]
pub struct ContrastTable {
    /// The records contrasted.
    pub of: ContrastSubject,
    /// Expression for these records, if they were chosen automatically.
    pub usual: Option<Expr>,
    /// Values with the largest difference first; at most `MOST`.
    pub contrast: Contrast,
    /// Number of further values.
    pub more: usize,
}

/// Contrasts records, selected by the expressions `found_by`, with all others of `among` (`None`: all records). If an
/// expression selects by level, the level is excluded from the result. `None` if cancelled.
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

/// Last components of keys with arbitrary numeric values (row number, thread id) beside which another key has a name.
/// They are excluded from the result unless a definition declares them as identifiers.
const NUMBERED: &[&str] = &[
    "rowid",
    "thread_id",
    "os_thread",
    "thread_ident",
    "native_thread_id",
];

fn numbers_of_rows(snapshot: &Snapshot) -> Vec<Field> {
    let keys = snapshot.catalog.keys.iter();
    let keys =
        keys.filter(|view| !view.key.identifier && NUMBERED.contains(&last_part(&view.key.name)));
    keys.map(|view| Field::key(&view.key.name)).collect()
}

/// Whether the expression restricts the level of all matching records.
fn is_of_level(expr: &Expr) -> bool {
    match expr {
        Expr::Compare(comparison) => comparison.field == Field::Level,
        Expr::And(parts) => parts.iter().any(is_of_level),
        Expr::Or(parts) => parts.iter().all(is_of_level),
        Expr::Not(inner) => is_of_level(inner),
        Expr::All | Expr::Has(_) | Expr::Text(_) => false,
    }
}

/// Contrasts the selected records, found by these expressions, with all others; without a selection, those of
/// [`default_contrast`]. `None` if cancelled.
pub(super) fn contrast_table(
    snapshot: &Snapshot,
    chosen: Option<&Selection>,
    found_by: &[Expr],
    cancel: &Cancel,
) -> Option<ContrastTable> {
    let (of, usual, mut contrast) = match chosen {
        Some(chosen) => {
            let found = contrasted(snapshot, (chosen, found_by), None, cancel)?;
            (ContrastSubject::Selected, None, found)
        }
        None => {
            let (of, expr, events) = default_contrast(snapshot, cancel)?;
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

/// Divisor of the run's time span that gives the length of its last part.
const LAST: i64 = 4;

/// Chooses the records to contrast if nothing is selected: errors, else warnings, else the last part of the run. `None`
/// if cancelled.
fn default_contrast(
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Option<(ContrastSubject, Expr, Selection)> {
    for (of, level) in [
        (ContrastSubject::Errors, Level::Error),
        (ContrastSubject::Warnings, Level::Warning),
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
    Some((ContrastSubject::Latest, expr, found))
}

/// Table of runs.
#[derive(Clone, Debug)]
pub struct RunTable {
    /// Registry in which the instances are looked up.
    pub instance_cache: InstanceCache,
    /// Runs in time order.
    pub runs: Vec<RunRow>,
    /// Whether only runs with selected records are listed.
    pub is_part: bool,
}

/// Returns the runs with records among some rows. `None` if cancelled.
pub(super) fn runs(
    snapshot: &Snapshot,
    instance_cache: &InstanceCache,
    chosen: Option<&Selection>,
    cancel: &Cancel,
) -> Option<RunTable> {
    let seen = instance_cache.instances(snapshot, cancel)?;
    let mut runs = runs_of_instances(
        snapshot,
        instance_cache.entities(),
        &seen.found,
        &AnalysisScope::default(),
        cancel,
    )?;
    if let Some(chosen) = chosen {
        // A run is listed as a whole, whichever of its records are selected.
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
        instance_cache: instance_cache.clone(),
        runs,
        is_part: chosen.is_some(),
    })
}

/// Which instances belong to a side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideInstances {
    /// Those with a selected record.
    Selected,
    /// All others.
    Others,
    /// All with this outcome; nothing is selected.
    Outcome(WorkOutcome),
}

/// One side of a comparison: a run, a selection, the complement of a selection, or an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedSide {
    /// Display name: `manager 3619e747ac56`.
    pub name: String,
    /// Steps that select its records.
    pub steps: Vec<SelectionStep>,
    /// Instances with such records, all others, or those with an outcome.
    pub part: SideInstances,
}

impl ComparedSide {
    /// Creates a side of the instances that have a record selected by these steps.
    pub fn selected(name: impl Into<String>, steps: Vec<SelectionStep>) -> ComparedSide {
        ComparedSide {
            name: name.into(),
            steps,
            part: SideInstances::Selected,
        }
    }

    /// Creates the sides of the work items that succeeded and that failed.
    pub fn outcomes() -> [ComparedSide; 2] {
        let side = |name: &str, outcome| ComparedSide {
            name: name.to_owned(),
            steps: Vec::new(),
            part: SideInstances::Outcome(outcome),
        };
        [
            side("succeeded", WorkOutcome::Succeeded),
            side("failed", WorkOutcome::Failed),
        ]
    }

    /// Returns the steps as one expression; `None` for other sides than a selection.
    pub fn expr(&self) -> Option<Expr> {
        let all = || Expr::all_of(self.steps.iter().map(|s| s.expr.clone()));
        (self.part == SideInstances::Selected).then(all)
    }

    /// Returns the scope of the side's instances. `None` if cancelled.
    fn scope(&self, snapshot: &Snapshot, cancel: &Cancel) -> Option<AnalysisScope> {
        if let SideInstances::Outcome(outcome) = self.part {
            return Some(AnalysisScope::with_outcome(outcome));
        }
        let (rows, _) = rows::select(snapshot, &self.steps, cancel)?;
        let events = rows.selection(snapshot);
        Some(match self.part {
            SideInstances::Others => {
                AnalysisScope::excluding(events.unwrap_or_else(|| Selection::all(snapshot)))
            }
            _ => AnalysisScope::selected(events),
        })
    }
}

/// A comparison of two sides.
#[derive(Clone, Debug)]
pub struct CompareTable {
    /// Both sides.
    pub both: Box<[ComparedSide; 2]>,
    /// Numbers and differences.
    pub comparison: Comparison,
}

/// Numbers of both sides, and the differences that explain most.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Compared numbers, in the order of the analysis.
    pub lines: Vec<ComparedNumber>,
    /// Differences that explain most of the time and of the failures.
    pub differences: Differences,
}

impl Comparison {
    /// Compares two sides, runs also by their progress at a time `after` their starts, ns.
    pub fn new([a, b]: [&SideNumbers; 2], basis: Basis, after: Option<i64>) -> Comparison {
        let profiles = a.profile.as_ref().zip(b.profile.as_ref());
        let differences = profiles.map(|(a, b)| Differences::find([a, b], basis, after));
        Comparison {
            lines: compare(&a.numbers, &b.numbers),
            differences: differences.unwrap_or_default(),
        }
    }
}

/// Measure by which two selections of one run are compared: sums if both conditions choose runs, else means.
pub fn basis(entities: &[Arc<Entity>], sides: [Option<&Expr>; 2]) -> Basis {
    let runs = entities.iter().filter(|e| e.role == EntityRole::Run);
    let keys: Vec<Field> = runs
        .flat_map(|run| run.id.iter().flatten())
        .map(|key| Field::key(key))
        .collect();
    let is_run = |side: &Option<&Expr>| side.is_some_and(|expr| chooses(expr, &keys));
    match sides.iter().all(is_run) {
        true => Basis::Sum,
        false => Basis::Mean,
    }
}

/// True if a condition consists of values of these keys.
fn chooses(expr: &Expr, keys: &[Field]) -> bool {
    match expr {
        Expr::Compare(c) => c.op == Op::Eq && keys.contains(&c.field),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| chooses(part, keys)),
        _ => false,
    }
}

/// Returns a registry limited to the instances of a comparison: those of one entity, or else of all work items and the
/// entities that stand in for them. For callers that need no other instances.
pub fn compared_instances(entities: &[Arc<Entity>], of: Option<&Arc<Entity>>) -> InstanceCache {
    InstanceCache::new(match of {
        Some(entity) => vec![entity.clone()],
        None => {
            let may_be = |e: &&Arc<Entity>| e.is_work_item() || e.role == EntityRole::StandIn;
            entities.iter().filter(may_be).cloned().collect()
        }
    })
}

/// Numbers of one side, and what explains its time; without a profile where no work item is known.
#[derive(Clone, Debug, Default)]
pub struct SideNumbers {
    numbers: ComparisonSide,
    profile: Option<SideProfile>,
}

impl SideNumbers {
    /// Reads one side: the instances of one entity (dotted name), or else all work items; their stand-ins if no work item is
    /// known to have begun. `None` if cancelled.
    pub fn read(
        snapshot: &Snapshot,
        (instance_cache, entities): (&InstanceCache, &[Arc<Entity>]),
        of: Option<&str>,
        scope: &AnalysisScope,
        cancel: &Cancel,
    ) -> Option<SideNumbers> {
        let seen = instance_cache.instances(snapshot, cancel)?;
        let is_meant =
            |entity: &Entity| of.map_or(entity.is_work_item(), |name| entity.name == name);
        let meant: Vec<&Instances> = { seen.found.occurring.iter() }
            .filter(|i| is_meant(&i.entity))
            .collect();
        let mut numbers = ComparisonSide::default();
        for instances in &meant {
            numbers.add_instances(snapshot, instances, scope, cancel)?;
        }
        // Dependencies first; a part of a work item, such as a try, is explained by the whole; then the most instances.
        let largest = meant.iter().max_by_key(|i| {
            let kept = scope.contains_instances(snapshot, i);
            let count = kept.iter().filter(|kept| **kept).count();
            let whole = std::cmp::Reverse(i.entity.id.first().map_or(0, Vec::len));
            (count > 0, i.entity.has_dependencies(), whole, count)
        });
        let profile = match largest {
            Some(largest) => Some(SideProfile::new(
                snapshot, largest, entities, scope, cancel,
            )?),
            None => None,
        };
        Some(SideNumbers { numbers, profile })
    }
}

/// Compares two sides. `None` if cancelled.
pub(super) fn compared(
    snapshot: &Snapshot,
    instance_cache: &InstanceCache,
    both: &[ComparedSide; 2],
    cancel: &Cancel,
) -> Option<CompareTable> {
    let entities = instance_cache.entities();
    let numbers = |of: &ComparedSide| {
        let scope = of.scope(snapshot, cancel)?;
        SideNumbers::read(snapshot, (instance_cache, entities), None, &scope, cancel)
    };
    let basis = match both[0].part {
        SideInstances::Outcome(_) => Basis::Outcome,
        _ => {
            let exprs = [0, 1].map(|side| both[side].expr());
            basis(entities, [exprs[0].as_ref(), exprs[1].as_ref()])
        }
    };
    Some(CompareTable {
        comparison: Comparison::new([&numbers(&both[0])?, &numbers(&both[1])?], basis, None),
        both: Box::new(both.clone()),
    })
}
