//! Commands that mark two runs and compare them side by side; see [`super::compare`] for comparisons of selections.

use crate::command::Command;
use crate::compared_sides;
use crate::model::{Model, View};
use crate::msg::Effect;

use widetui_session::comparison::ComparedSide;

use super::compare;
use super::primitives::navigation::show;
use super::primitives::notices::say;

/// Marks the run under the cursor for a comparison, or unmarks it; a third mark replaces the oldest one.
pub(super) fn mark(model: &mut Model) -> Vec<Effect> {
    let Some(run) = compared_sides::run_under_cursor(model) else {
        return say(model, "no key distinguishes the runs here");
    };
    let marked = &mut model.instances.marked;
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
        let keys = model.key_of(Command::ViewCompare);
        say(model, format!("{keys} shows {a} and {b} side by side"));
    }
    Vec::new()
}

/// Compares two runs in the runs view or if everything is selected; failed work with succeeded work if there is one run;
/// otherwise the selection with a side that the user picks.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    let is_about_runs = model.view == View::RUNS && compared_sides::both_runs(model).is_some();
    let offered = if is_about_runs {
        None
    } else {
        compare::offer(model)
    };
    offered.unwrap_or_else(|| match compared_sides::has_outcomes(model) {
        true => compare::both(model, ComparedSide::outcomes()),
        false => compare(model),
    })
}

/// Compares the two marked runs, the marked run and the one under the cursor, or the only two runs.
pub(super) fn compare(model: &mut Model) -> Vec<Effect> {
    let Some(both) = compared_sides::both_runs(model) else {
        // Without a new choice of runs, shows the last comparison again.
        if model.subjects.contains_key(&View::COMPARE) && model.view != View::RUNS {
            return show(model, View::COMPARE);
        }
        let effects = show(model, View::RUNS);
        let keys = model.key_of(Command::Mark);
        let known = model.tables.get(&View::RUNS).filter(|t| t.is_known);
        let Some(runs) = known.map(|t| t.table.rows.len()) else {
            model.instances.is_comparing = true;
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
    compare::both(model, both.map(|run| run.side))
}
