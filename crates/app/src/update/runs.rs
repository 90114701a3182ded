//! Commands that mark two runs and compare them side by side; see [`super::compare`] for comparisons of selections.

use crate::command::Command;
use crate::model::{Model, View};
use crate::msg::Effect;
use crate::view_state::MarkedRun;
use widetui_definition::semantics::EntityRole;
use widetui_session::comparison::ComparedSide;
use widetui_session::selection::{SelectionStep, StepEffect};
use widetui_tables::answers::runs::run_name;
use widetui_tables::table::{Row, RowAction};

use super::{say, show};

fn run_of(row: &Row) -> Option<MarkedRun> {
    let side = match &row.action {
        RowAction::Instance(thing) => {
            let step = SelectionStep::for_instance(thing, StepEffect::Keep);
            ComparedSide::selected(run_name(thing), vec![step])
        }
        RowAction::Only(step) => ComparedSide::selected(step.label.clone(), vec![step.clone()]),
        _ => return None,
    };
    let row = row.name.clone();
    Some(MarkedRun { row, side })
}

/// Returns the run under the cursor of the runs view.
fn current(model: &Model) -> Option<MarkedRun> {
    run_of(model.tables.get(&View::Runs)?.current()?)
}

/// Marks the run under the cursor for a comparison, or unmarks it; a third mark replaces the oldest one.
pub(super) fn mark(model: &mut Model) -> Vec<Effect> {
    let Some(run) = current(model) else {
        say(model, "no key distinguishes the runs here".to_owned());
        return Vec::new();
    };
    let marked = &mut model.things.marked;
    match marked.iter().position(|r| *r == run) {
        Some(at) => {
            marked.remove(at);
        }
        None => marked.push(run),
    }
    if marked.len() > 2 {
        marked.remove(0);
    }
    let names: Vec<String> = marked.iter().map(|run| run.side.name.clone()).collect();
    if let [a, b] = &names[..] {
        let keys = model.keymap.keys_of(&model.scopes(), Command::ViewCompare);
        let keys = keys.unwrap_or_default();
        say(model, format!("{keys} shows {a} and {b} side by side"));
    }
    Vec::new()
}

/// Compares two runs in the runs view or if everything is selected; otherwise compares the selection with a side that the
/// user picks.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    let is_about_runs = model.view == View::Runs && both(model).is_some();
    match is_about_runs {
        true => compare(model),
        false => super::compare::offer(model).unwrap_or_else(|| compare(model)),
    }
}

/// Returns whether the logs are known to contain fewer than two runs.
pub(super) fn is_single(model: &Model) -> bool {
    let runs = model.tables.get(&View::Runs).filter(|t| t.is_known);
    // Without an entity in the role of a run, each folder may be one.
    let found = model.things.seen.as_ref().and_then(|(_, seen)| {
        let all = seen.found.occurring.iter();
        let runs = all.filter(|i| i.entity.role == EntityRole::Run);
        runs.map(|i| i.list.len()).max()
    });
    let count = runs.map(|t| t.table.rows.len()).or(found);
    count.is_some_and(|count| count < 2)
}

/// Compares the two marked runs, the marked run and the one under the cursor, or the only two runs.
pub(super) fn compare(model: &mut Model) -> Vec<Effect> {
    let Some(both) = both(model) else {
        // Without a new choice of runs, shows the last comparison again.
        if model.things.compared.is_some() && model.view != View::Runs {
            return show(model, View::Compare);
        }
        let effects = show(model, View::Runs);
        let keys = model.keymap.keys_of(&model.scopes(), Command::Mark);
        let keys = keys.unwrap_or_default();
        let known = model.tables.get(&View::Runs).filter(|t| t.is_known);
        let Some(runs) = known.map(|t| t.table.rows.len()) else {
            model.things.is_comparing = true;
            return effects;
        };
        let text = match runs {
            0 => "no key distinguishes runs here, so none can be compared".to_owned(),
            1 => "there is one run here: open two, or the folder that both are in; or select something, to compare it"
                .to_owned(),
            _ => format!("comparing needs two runs: {keys} marks the one under the cursor"),
        };
        say(model, text);
        return effects;
    };
    super::compare::both(model, both.map(|run| run.side))
}

fn both(model: &Model) -> Option<[MarkedRun; 2]> {
    let here = || current(model).filter(|_| model.view == View::Runs);
    match &model.things.marked[..] {
        [a, b] => Some([a.clone(), b.clone()]),
        [a] => here().filter(|b| b != a).map(|b| [a.clone(), b]),
        _ => {
            let table = &model.tables.get(&View::Runs)?.table;
            let [a, b] = &table.rows[..] else {
                return None;
            };
            Some([run_of(a)?, run_of(b)?])
        }
    }
}
