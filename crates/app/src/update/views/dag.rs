//! View of the dependencies between instances, large graphs folded.

use super::*;
use crate::update::plots;
use crate::update::primitives::notices::say;
use crate::update::primitives::{plotting, tables};
use widetui_session::instances::InstanceHandle;
use widetui_session::plots::DagFocus;
use widetui_tables::table::{RowAction, RowLinks};

pub(super) static VIEW: ViewComponent = ViewComponent {
    title: "dependencies",
    split: Split::ByKey(PlotChoice::Dag),
    focus: Focus {
        labels: &[
            (Command::Open, "its tasks"),
            (Command::BrushStart, "what it waits for"),
            (Command::BrushEnd, "what waits for it"),
            (Command::Mark, "critical path"),
        ],
        hints: commands! {
            Open Mark BrushStart BrushEnd PlotBy PlotEntity Export Pivot SortNext Palette Help
        },
        ..ANALYSIS.focus
    },
    question: |m| {
        let focus = m.plots.choices.dag.last().cloned().unwrap_or(DagFocus::All);
        plot(m, PlotKind::Dag(m.plots.choices.dag_by.clone(), focus))
    },
    command_line: |m| {
        let by = option("--by", m.plots.choices.dag_by.as_deref());
        let of = match m.plots.choices.dag.last() {
            Some(DagFocus::Around(ids)) => {
                let pairs: Vec<String> = { ids.iter().flatten() }
                    .map(|(key, value)| format!("{key}={value}"))
                    .collect();
                pairs.join(",")
            }
            _ => about(m)?.entity.clone(),
        };
        let words = [&["dag", &of], &by[..]].concat();
        subcommand(&words, scope(m))
    },
    instance: node_instance,
    open,
    run: |m, command| match command {
        Command::BrushStart => Some(go(m, |links| links.before, "it waits for nothing here")),
        Command::BrushEnd => Some(go(m, |links| links.after, "nothing here waits for it")),
        Command::Mark => Some(match m.plots.choices.dag.last() {
            Some(DagFocus::Critical) => {
                m.plots.choices.dag.pop();
                plotting::recompute_plots(m)
            }
            _ => plots::focus_dag(m, DagFocus::Critical),
        }),
        _ => None,
    },
    has_story: |_| true,
    ..ANALYSIS
};

/// Instance of the node under the cursor, or the first of several.
fn node_instance(model: &Model) -> Option<InstanceHandle> {
    let id = match &under_cursor::row(model)?.action {
        RowAction::Filter(step) => return step.instance.as_ref().map(|(one, _)| one.clone()),
        RowAction::Dependencies(ids) => ids.first()?.clone(),
        _ => return None,
    };
    let entity = about(model).ok()?.entity.clone();
    let name = id.last().map_or(String::new(), |(_, value)| value.clone());
    Some(InstanceHandle {
        instance_cache: model.meaning.instance_cache.clone(),
        entity,
        id,
        name,
        label: None,
    })
}

/// Moves the cursor to a node that is tied to the one under it, or says that there is none.
fn go(model: &mut Model, to: fn(&RowLinks) -> Option<usize>, none: &'static str) -> Vec<Effect> {
    let place = model.table().and_then(|state| {
        let row = *state.shown.get(state.list.cursor)?;
        let wanted = to(state.table.links.get(row as usize)?)?;
        state.shown.iter().position(|row| *row as usize == wanted)
    });
    match place {
        Some(place) => {
            tables::to_row(model, place);
            Vec::new()
        }
        None => say(model, none),
    }
}

/// Shows the instances of a node, or those around an instance; opens the records of the one in the middle.
fn open(model: &mut Model) -> Vec<Effect> {
    let action = under_cursor::row(model).map(|row| &row.action);
    let instance = match action {
        Some(RowAction::Filter(step)) => step.instance.as_ref(),
        _ => None,
    };
    let around = instance.map(|(instance, _)| DagFocus::Around(vec![instance.id.clone()]));
    match around.filter(|around| model.plots.choices.dag.last() != Some(around)) {
        Some(around) => plots::focus_dag(model, around),
        None => table::open(model),
    }
}
