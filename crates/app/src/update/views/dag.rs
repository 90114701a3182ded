//! View of the dependencies between instances, large graphs folded.

use super::*;
use crate::update::plots;
use crate::update::primitives::plotting;
use widetui_session::plots::DagFocus;
use widetui_tables::table::RowAction;

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "dependencies",
    split: Split::ByKey(PlotChoice::Dag),
    focus: Focus {
        labels: &[(Command::Open, "its tasks")],
        ..ANALYSIS.focus
    },
    question: |m| {
        let focus = m.plots.dag.last().cloned().unwrap_or(DagFocus::All);
        plot(m, PlotKind::Dag(m.plots.dag_by.clone(), focus))
    },
    command_line: |m| {
        let by = option("--by", m.plots.dag_by.as_deref());
        let of = match m.plots.dag.last() {
            Some(DagFocus::Around(id)) => {
                let pairs: Vec<String> = id.iter().map(|(key, value)| format!("{key}={value}")).collect();
                pairs.join(",")
            }
            _ => about(m)?.entity.clone(),
        };
        let words = [&["dag", &of], &by[..]].concat();
        subcommand(&words, scope(m))
    },
    open,
    undo: |m| {
        m.plots.dag.pop()?;
        Some(plotting::recompute_plots(m))
    },
    has_story: |_| true,
    ..ANALYSIS
};

/// Shows the instances of a node, or those around an instance; opens the records of the one in the middle.
fn open(model: &mut Model) -> Vec<Effect> {
    let action = under_cursor::row(model).map(|row| &row.action);
    let instance = match action {
        Some(RowAction::Filter(step)) => step.instance.as_ref(),
        _ => None,
    };
    let around = instance.map(|(instance, _)| DagFocus::Around(instance.id.clone()));
    match around.filter(|around| model.plots.dag.last() != Some(around)) {
        Some(around) => plots::focus_dag(model, around),
        None => table::open(model),
    }
}
