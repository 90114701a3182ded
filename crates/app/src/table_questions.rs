//! Queries of the table views, which are answered in the background.

use widetui_session::check_table::Rules;
use widetui_session::jobs::{RunGrowth, TableOf};
use widetui_session::plots::{FlowBy, PlotOf, PlotQuestion};
use widetui_tables::answers::sources::latest;
use widetui_tables::plots::state::SlowIn;
use widetui_time::time::NS_PER_SECOND;

use crate::follow_mode::Following;
use crate::model::{Model, View};

/// Age of the last write up to which a run counts as running, ns.
const RUNNING_UP_TO_AGE: i64 = 15 * 60 * NS_PER_SECOND;

/// Query of `view`; `None` if it is not a table, or its key is not chosen.
pub(crate) fn question(model: &Model, view: View) -> Option<TableOf> {
    let field = model.frequency.as_ref();
    let things = || model.meaning.things.clone();
    match view {
        // Not tables.
        View::Events | View::Unfinished | View::Diagnose => None,
        View::Entities => Some(TableOf::Entities(things())),
        View::Instances => {
            let entity = model.things.entity.clone();
            entity.map(|entity| TableOf::Instances(things(), entity))
        }
        View::Trace => {
            let trace = model.things.trace.as_ref();
            trace.map(|thing| TableOf::Trace(thing.clone()))
        }
        View::Joins => Some(joins_of(model, None)),
        View::NewJoin => Some(TableOf::JoinKeys),
        View::Conflicts => {
            let of = model.things.conflicts_of.clone();
            Some(joins_of(model, of))
        }
        View::Keys => Some(TableOf::Keys),
        View::Values => field.cloned().map(TableOf::Values),
        View::Templates => Some(TableOf::Templates),
        View::Sources => Some(TableOf::Sources(growth(model))),
        View::Checks => Some(TableOf::Checks(Rules(model.meaning.clone()))),
        View::Contrast => {
            let steps = model.selection.steps().iter();
            Some(TableOf::Contrast(steps.map(|s| s.expr.clone()).collect()))
        }
        View::Runs => Some(TableOf::Runs(things())),
        View::Compare => {
            let compared = model.things.compared.as_ref();
            compared.map(|sides| TableOf::Compare(things(), sides.clone()))
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

fn joins_of(model: &Model, conflicts_of: Option<String>) -> TableOf {
    let (known, chosen) = (&model.meaning.joins, model.selection.joins());
    TableOf::Joins(model.joins.table(known, chosen, conflicts_of))
}

/// Query of a plot view; `None` for other views, or if the key is not chosen.
fn plot_question(model: &Model, view: View) -> Option<TableOf> {
    let plots = &model.plots;
    let of = match view {
        View::States => PlotOf::States,
        View::Timeline => PlotOf::Timeline(plots.rows_by.clone(), plots.colour.clone()),
        View::Latency => PlotOf::Latency(plots.steps_by.clone()),
        View::Slowest => match plots.step.clone()? {
            SlowIn::Step(step) => PlotOf::Slowest(step),
            SlowIn::Phase(why, what) => PlotOf::Spent(why, what),
        },
        View::Account => PlotOf::Account,
        View::Spans => match plots.marks.both() {
            Some(marks) => PlotOf::Marked {
                marks,
                pair: plots.pair_by.clone(),
                by: plots.spans_by.clone(),
            },
            None => PlotOf::Spans(plots.spans_by.clone()),
        },
        View::Throughput => PlotOf::Throughput(plots.spans_by.clone()),
        View::Series => PlotOf::Series(plots.key.clone()?, plots.key_by.clone()),
        View::Flow => PlotOf::Flow(FlowBy::Each),
        View::Messages => PlotOf::Flow(FlowBy::Kind),
        _ => return None,
    };
    Some(TableOf::Plot(PlotQuestion {
        meaning: model.meaning.clone(),
        entity: plots.entity.clone(),
        steps: model.selection.steps().to_vec(),
        of,
    }))
}

/// Whether the run goes on.
fn growth(model: &Model) -> RunGrowth {
    let is_followed = model.arriving.follow.state != Following::Off && model.snapshot.may_grow();
    let latest = latest(&model.snapshot);
    let since = model.arriving.clock.filter(|_| is_followed).zip(latest);
    match since {
        Some((clock, latest)) if clock.saturating_sub(latest) < RUNNING_UP_TO_AGE => {
            RunGrowth::Lately
        }
        _ => RunGrowth::Over,
    }
}
