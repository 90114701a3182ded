//! Problem note for sources that exceed the cardinality limit of templates: messages with too many distinct texts share
//! coarse templates.

use std::collections::BTreeSet;
use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_format::catalog::Catalog;
use widetui_store::segment::Segment;
use widetui_store::source::Source;

/// Text of the problem note.
const COARSE: &str = "too many different messages: those that begin with the same word share one template here; keys are \
                      read from all of them";

/// Finds the sources with records in coarse templates.
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

/// Adds the note to a source, once.
pub(crate) fn add_note(source: &mut Source) {
    if !has_note(source) {
        let problem = Diagnostic::new(Severity::Note, source.path.clone(), COARSE);
        source.problems.push(problem);
    }
}

/// Whether a source has the note.
pub(crate) fn has_note(source: &Source) -> bool {
    source.problems.iter().any(|p| p.text == COARSE)
}
