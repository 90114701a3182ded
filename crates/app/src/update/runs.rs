//! Runs: two are marked, and shown side by side. What is selected is compared elsewhere ([`super::compare`]).

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

/// The run under the cursor.
fn current(model: &Model) -> Option<MarkedRun> {
    run_of(model.tables.get(&View::Runs)?.current()?)
}

/// Marks the run under the cursor for a comparison, or takes its mark away; of three the oldest mark goes.
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

/// Compares two runs where runs are shown, or all is selected; else what is selected with what the user picks.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    let is_about_runs = model.view == View::Runs && both(model).is_some();
    match is_about_runs {
        true => compare(model),
        false => super::compare::offer(model).unwrap_or_else(|| compare(model)),
    }
}

/// Whether it is known that there is no second run.
pub(super) fn is_single(model: &Model) -> bool {
    let runs = model.tables.get(&View::Runs).filter(|t| t.is_known);
    // Where no thing is a run there may be several folders.
    let found = model.things.seen.as_ref().and_then(|(_, seen)| {
        let all = seen.found.occurring.iter();
        let runs = all.filter(|i| i.entity.role == EntityRole::Run);
        runs.map(|i| i.list.len()).max()
    });
    let count = runs.map(|t| t.table.rows.len()).or(found);
    count.is_some_and(|count| count < 2)
}

/// Shows two runs side by side: those marked; the one marked and the one under the cursor; the only two there are.
pub(super) fn compare(model: &mut Model) -> Vec<Effect> {
    let Some(both) = both(model) else {
        // Compared last, and not meant otherwise since.
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
