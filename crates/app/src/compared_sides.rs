//! Sides of a comparison: the selection, and the runs of the view of runs.

use crate::model::{Model, View};
use crate::time_selection;
use crate::view_state::MarkedRun;
use widetui_definition::semantics::EntityRole;
use widetui_session::comparison::ComparedSide;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::answers::runs::run_name;
use widetui_tables::table::{Row, RowAction};
use widetui_tables::text::cut;

/// Maximum width of a step in the name of a side, in columns.
pub(crate) const LABEL: usize = 40;

/// Side of the current selection, with the time selection if any; `None` if all records are selected.
pub(crate) fn own(model: &Model) -> Option<ComparedSide> {
    let mut steps = model.selection.steps().to_vec();
    if model.view.is_records() || model.view.is_over_time() {
        steps.extend(time_selection::step(model));
    }
    (!steps.is_empty()).then(|| side(steps))
}

pub(crate) fn side(steps: Vec<SelectionStep>) -> ComparedSide {
    let labels: Vec<String> = steps
        .iter()
        .map(|s| cut(&s.label, LABEL).into_owned())
        .collect();
    ComparedSide::selected(labels.join(" › "), steps)
}

fn run_of(row: &Row) -> Option<MarkedRun> {
    let side = match &row.action {
        RowAction::Instance(instance) => {
            let step = SelectionStep::for_instance(instance, StepEffect::Keep);
            ComparedSide::selected(run_name(instance), vec![step])
        }
        RowAction::Only(step) => {
            ComparedSide::selected(step.label.clone(), vec![SelectionStep::clone(step)])
        }
        _ => return None,
    };
    let row = row.name.clone();
    Some(MarkedRun { row, side })
}

/// Returns the run under the cursor of the runs view.
pub(crate) fn run_under_cursor(model: &Model) -> Option<MarkedRun> {
    run_of(model.tables.get(&View::RUNS)?.current()?)
}

/// Returns whether the logs are known to contain fewer than two runs.
pub(crate) fn is_single_run(model: &Model) -> bool {
    let runs = model.tables.get(&View::RUNS).filter(|t| t.is_known);
    // Without an entity in the role of a run, each folder may be one.
    let found = model.instances.seen.as_ref().and_then(|(_, seen)| {
        let all = seen.found.occurring.iter();
        let runs = all.filter(|i| i.entity.role == EntityRole::Run);
        runs.map(|i| i.list.len()).max()
    });
    let count = runs.map(|t| t.table.rows.len()).or(found);
    count.is_some_and(|count| count < 2)
}

/// Returns whether the work items of a single run are compared by their outcomes: some failed.
pub(crate) fn has_outcomes(model: &Model) -> bool {
    let failed = model.instances.failed_and_again();
    is_single_run(model) && failed.is_some_and(|(failed, _)| failed > 0)
}

pub(crate) fn both_runs(model: &Model) -> Option<[MarkedRun; 2]> {
    let here = || run_under_cursor(model).filter(|_| model.view == View::RUNS);
    match &model.instances.marked[..] {
        [a, b] => Some([a.clone(), b.clone()]),
        [a] => here().filter(|b| b != a).map(|b| [a.clone(), b]),
        _ => {
            let table = &model.tables.get(&View::RUNS)?.table;
            let [a, b] = &table.rows[..] else {
                return None;
            };
            Some([run_of(a)?, run_of(b)?])
        }
    }
}
