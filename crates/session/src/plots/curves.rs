//! Curves below the overview of the first screen.

use std::sync::Arc;

use crate::meaning::Meaning;
use crate::rows::Rows;
use crate::selection::SelectionStep;
use widetui_analysis::Instances;
use widetui_analysis::overview::{
    Curve, CurveSpace, CurveSubject, OverviewInput, overview, selected_curves,
};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use super::scope::scope_of;

/// Parameters of curves.
#[derive(Clone, Debug)]
pub struct CurvesRequest {
    /// Compiled definitions.
    pub meaning: Arc<Meaning>,
    /// Steps of the selection.
    pub steps: Vec<SelectionStep>,
    /// Subjects of the curves; `None` for the most informative ones.
    pub of: Option<Vec<CurveSubject>>,
    /// Maximum number of curves if `of` is `None`.
    pub most: usize,
}

/// Number of columns by which the most informative curves are chosen.
const COLUMNS: usize = 100;

/// Computes the curves over the whole run and the scope of the selection. `None` if cancelled.
pub fn curves(
    snapshot: &Snapshot,
    rows: &Rows,
    asked: &CurvesRequest,
    cancel: &Cancel,
) -> Option<(Vec<Curve>, AnalysisScope)> {
    let scope = scope_of(snapshot, rows, &asked.steps, cancel)?;
    let meaning = &asked.meaning;
    let seen = meaning.instance_cache.instances(snapshot, cancel)?;
    let instances: Vec<&Instances> = seen.found.occurring.iter().collect();
    let ends = RunEnds::for_all_runs(snapshot, &meaning.entities, cancel)?;
    let material = OverviewInput {
        series: meaning.series(),
        instances: &instances,
        flows: meaning.flows(),
        scope: &scope,
        ends: &ends,
    };
    let room = CurveSpace {
        range: snapshot.range().unwrap_or_default(),
        columns: COLUMNS,
        max_curves: asked.most,
    };
    let found = match &asked.of {
        Some(of) => selected_curves(snapshot, of, &material, &room, cancel)?,
        None => overview(snapshot, &material, &room, cancel)?,
    };
    Some((found, scope))
}
