//! Settings of plots and the curves below the overview.

use std::sync::Arc;

use crate::layout::default_curves;
use crate::model::{Model, View};
use crate::msg::Effect;
use widetui_analysis::overview::{Curve, CurveSubject};
use widetui_report::figure::TimeOrigin;
use widetui_session::jobs::Question;
use widetui_session::plots::{PlotKind, PlotQuestion};
use widetui_tables::plots::settings::CurveColumns;

use super::navigation::{show, show_records};
use super::notices::say;
use super::questions::ask;
use super::{scrolling, tables};

/// Discards the tables of all plots and requests the current one again after its settings changed.
pub(in crate::update) fn recompute_plots(model: &mut Model) -> Vec<Effect> {
    model.popup = None;
    tables::forget_plots(model);
    show(model, model.view)
}

pub(in crate::update) fn chosen(model: &Model) -> Vec<CurveSubject> {
    let drawn = || {
        model
            .plots
            .drawn
            .iter()
            .map(|c| c.subject.clone())
            .collect()
    };
    model.plots.curves.clone().unwrap_or_else(drawn)
}

pub(in crate::update) fn choose(model: &mut Model, wanted: Vec<CurveSubject>) -> Vec<Effect> {
    model.popup = None;
    model.plots.curves = Some(wanted);
    (model.plots.epoch, model.plots.requested_records) = (0, 0);
    let mut effects = show_records(model);
    effects.extend(keep_up(model));
    effects
}

/// Resamples the curves below the overview to its columns if either changed.
pub(in crate::update) fn place_curves(model: &mut Model) {
    let Some(overview) = &model.overview else {
        return;
    };
    let (drawn, range, count) = (&model.plots.drawn, overview.range, overview.events.len());
    if !model.plots.columns.is_of(drawn, range, count) {
        model.plots.columns = CurveColumns::new(drawn.clone(), range, count);
    }
}

/// Requests the curves below the overview when the selection changed, first of the run as the joins leave it. While it grows
/// they are requested again only when the number of records has grown by a quarter.
pub(in crate::update) fn keep_up(model: &mut Model) -> Option<Effect> {
    let rows = model.rows_of(View::EVENTS);
    let most = default_curves(rows);
    let len = model.snapshot.len();
    let (is_unsettled, is_delayed) = (model.is_unsettled(), model.joins.is_delayed());
    let is_there = model.on_screen(View::EVENTS).is_some() && rows >= crate::layout::CURVES_FROM;
    let steps = model.selection.steps();
    let plots = &mut model.plots;
    let is_like_before =
        plots.steps == steps && len < plots.requested_records + plots.requested_records / 4;
    if (is_unsettled || is_delayed) && is_like_before
        || is_unsettled && plots.requested_records == 0
    {
        return None;
    }
    let is_fresh =
        plots.epoch == model.epoch && (plots.max_curves == most || plots.curves.is_some());
    if !is_there || plots.is_pending || is_fresh || model.snapshot.is_empty() {
        return None;
    }
    plots.epoch = model.epoch;
    plots.max_curves = most;
    plots.requested_records = len;
    plots.steps = steps.to_vec();
    plots.is_pending = true;
    let asked = curves_asked(model);
    let question = Question::Curves(model.rows.own().clone(), asked);
    Some(ask(model, question))
}

/// Returns the request for the curves below the overview.
pub(in crate::update) fn curves_asked(model: &Model) -> PlotQuestion {
    let most = default_curves(model.rows_of(View::EVENTS));
    plot_asked(model, PlotKind::Curves(model.plots.curves.clone(), most))
}

/// Returns the request for a plot of the selection.
pub(in crate::update) fn plot_asked(model: &Model, of: PlotKind) -> PlotQuestion {
    PlotQuestion {
        meaning: model.meaning.clone(),
        entity: model.plots.choices.entity.clone(),
        steps: model.selection.steps().to_vec(),
        of,
        origin: TimeOrigin::Clock,
    }
}

/// Stores the computed curves.
pub(in crate::update) fn drawn(model: &mut Model, curves: Arc<[Curve]>) {
    let named = model.plots.curves.is_some();
    if named && let Some(empty) = curves.iter().find(|c| c.points.is_empty()) {
        say(
            model,
            format!("{} has no values in these records", empty.subject.text()),
        );
    }
    model.plots.drawn = curves;
    model.plots.is_pending = false;
    scrolling::settle(model);
}
