//! Curves below the overview of the first screen.

use crate::meaning::Meaning;
use widetui_analysis::Instances;
use widetui_analysis::overview::{
    Curve, CurveSpace, CurveSubject, OverviewInput, overview, selected_curves,
};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

/// Number of columns by which the most informative curves are chosen.
const COLUMNS: usize = 100;

/// Computes the curves over the whole run in a scope: of these subjects, or the most informative ones, at most `most`. `None` if
/// cancelled.
pub(super) fn curves(
    snapshot: &Snapshot,
    meaning: &Meaning,
    scope: &AnalysisScope,
    (of, most): (Option<&[CurveSubject]>, usize),
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let seen = meaning.instance_cache.instances(snapshot, cancel)?;
    let instances: Vec<&Instances> = seen.found.occurring.iter().collect();
    let ends = RunEnds::of(snapshot, &meaning.entities, cancel)?;
    let material = OverviewInput {
        series: meaning.series(),
        instances: &instances,
        flows: meaning.flows(),
        scope,
        ends: &ends,
    };
    let room = CurveSpace {
        range: snapshot.range().unwrap_or_default(),
        columns: COLUMNS,
        max_curves: most,
    };
    match of {
        Some(of) => selected_curves(snapshot, of, &material, &room, cancel),
        None => overview(snapshot, &material, &room, cancel),
    }
}
