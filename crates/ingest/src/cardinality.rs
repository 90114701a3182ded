//! Which sources have messages that are not told apart, because there are too many different ones, and how that is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_format::catalog::Catalog;
use widetui_store::segment::Segment;
use widetui_store::source::Source;

/// How it is told.
const COARSE: &str = "there are too many different messages to tell them apart by their text: many that begin with the \
                      same word have one template here, their keys are read all the same";

/// The sources that have such messages.
pub(crate) fn sources(tables: &Catalog, segments: &[Arc<Segment>]) -> BTreeSet<SourceId> {
    let coarse = tables.coarse_shapes();
    if coarse.is_empty() {
        return BTreeSet::new();
    }
    let groups = segments
        .iter()
        .flat_map(|s| s.groups.iter().map(move |g| (s, g)));
    let groups = groups.filter(|(_, g)| coarse.contains(&g.shape));
    let rows = groups.flat_map(|(s, g)| g.rows.iter().map(move |row| (s, *row as usize)));
    rows.map(|(s, row)| s.part(row).source).collect()
}

/// Tells of a source with such messages, once.
pub(crate) fn tell(source: &mut Source) {
    if !is_told(source) {
        let problem = Diagnostic::new(Severity::Note, source.path.clone(), COARSE);
        source.problems.push(problem);
    }
}

/// Whether that was told.
pub(crate) fn is_told(source: &Source) -> bool {
    source.problems.iter().any(|p| p.text == COARSE)
}
