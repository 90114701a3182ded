//! Queries of the table views, which are answered in the background.

use widetui_session::check_table::Rules;
use widetui_session::jobs::{RunGrowth, TableRequest};
use widetui_session::plots::{FlowBy, PlotKind, PlotQuestion};
use widetui_tables::plots::settings::SlowestSubject;

use crate::follow_mode::Following;
use crate::model::{Model, View};

/// Query of `view`; `None` if it is not a table, or its key is not chosen.
pub(crate) fn question(model: &Model, view: View) -> Option<TableRequest> {
    let field = model.frequency.as_ref();
    let cache = || model.meaning.instance_cache.clone();
    match view {
        // Not tables.
        View::Events | View::Unfinished | View::Diagnose => None,
        View::Entities => Some(TableRequest::Entities(cache())),
        View::Instances => {
            let entity = model.instances.entity.clone();
            entity.map(|entity| TableRequest::Instances(cache(), entity))
        }
        View::Trace => {
            let trace = model.instances.trace.as_ref();
            trace.map(|instance| TableRequest::Trace(instance.clone()))
        }
        View::Joins => Some(joins_of(model, None)),
        View::NewJoin => Some(TableRequest::JoinKeys),
        View::Conflicts => {
            let of = model.instances.conflicts_of.clone();
            Some(joins_of(model, of))
        }
        View::Keys => Some(TableRequest::Keys),
        View::Values => field.cloned().map(TableRequest::Values),
        View::Templates => Some(TableRequest::Templates),
        View::Sources => Some(TableRequest::Sources(growth(model))),
        View::Checks => Some(TableRequest::Checks(Rules(model.meaning.clone()))),
        View::Contrast => {
            let steps = model.selection.steps().iter();
            Some(TableRequest::Contrast(
                steps.map(|s| s.expr.clone()).collect(),
            ))
        }
        View::Runs => Some(TableRequest::Runs(cache())),
        View::Compare => {
            let compared = model.instances.compared.as_ref();
            compared.map(|sides| TableRequest::Compare(cache(), sides.clone()))
        }
        View::States
        | View::Timeline
        | View::Latency
        | View::Slowest
        | View::Account
        | View::Spans
        | View::Throughput
        | View::Series
        | View::Flow
        | View::Messages => plot_question(model, view),
    }
}

fn joins_of(model: &Model, conflicts_of: Option<String>) -> TableRequest {
    let (known, chosen) = (&model.meaning.joins, model.selection.joins());
    TableRequest::Joins(model.joins.table(known, chosen, conflicts_of))
}

/// Query of a plot view; `None` for other views, or if the key is not chosen.
fn plot_question(model: &Model, view: View) -> Option<TableRequest> {
    let plots = &model.plots;
    let of = match view {
        View::States => PlotKind::States,
        View::Timeline => PlotKind::Timeline(plots.rows_by.clone(), plots.colour.clone()),
        View::Latency => PlotKind::Latency(plots.steps_by.clone()),
        View::Slowest => match plots.step.clone()? {
            SlowestSubject::Step(step) => PlotKind::Slowest(step),
            SlowestSubject::Phase(why, what) => PlotKind::Spent(why, what),
        },
        View::Account => PlotKind::Account,
        View::Spans => match plots.marks.both() {
            Some(marks) => PlotKind::Marked {
                marks,
                pair: plots.pairing.clone(),
                by: plots.spans_by.clone(),
            },
            None => PlotKind::Spans(plots.spans_by.clone()),
        },
        View::Throughput => PlotKind::Throughput(plots.spans_by.clone()),
        View::Series => PlotKind::Series(plots.key.clone()?, plots.key_by.clone()),
        View::Flow => PlotKind::Flow(FlowBy::Each),
        View::Messages => PlotKind::Flow(FlowBy::Kind),
        _ => return None,
    };
    Some(TableRequest::Plot(PlotQuestion {
        meaning: model.meaning.clone(),
        entity: plots.entity.clone(),
        steps: model.selection.steps().to_vec(),
        of,
    }))
}

/// Whether the run goes on.
fn growth(model: &Model) -> RunGrowth {
    let is_followed = model.load_state.follow.state != Following::Off && model.snapshot.may_grow();
    match is_followed && model.is_live() {
        true => RunGrowth::Growing,
        false => RunGrowth::Ended,
    }
}
