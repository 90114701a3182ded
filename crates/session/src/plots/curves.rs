//! The small curves under the strip of the first screen.

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

/// Which curves are asked for.
#[derive(Clone, Debug)]
pub struct CurvesAsked {
    /// What the definitions say.
    pub meaning: Arc<Meaning>,
    /// The steps that led to the rows.
    pub steps: Vec<SelectionStep>,
    /// These; `None` for those that say most.
    pub of: Option<Vec<CurveSubject>>,
    /// At most so many, when nobody chose.
    pub most: usize,
}

/// Parts of the time by which it is found out what says most.
const COLUMNS: usize = 100;

/// The curves over the whole run, and the scope of the selection. `None` when cancelled.
pub fn curves(
    snapshot: &Snapshot,
    rows: &Rows,
    asked: &CurvesAsked,
    cancel: &Cancel,
) -> Option<(Vec<Curve>, AnalysisScope)> {
    let scope = scope_of(snapshot, rows, &asked.steps, cancel)?;
    let meaning = &asked.meaning;
    let seen = meaning.things.seen(snapshot, cancel)?;
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
