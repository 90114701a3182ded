//! Limit of 32-bit event ids: records beyond it are omitted and reported.

use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};

use super::segment::Segment;
use super::source::Source;

/// Event id that stands for no event.
pub(crate) const NO_EVENT: u32 = u32::MAX;

/// Problem of sources with omitted records.
const TOO_MANY: &str = "there are more records than a run can have (4,294,967,295); some of these are left out: \
                        open fewer files at once";

type Sources = Arc<[Arc<Source>]>;

/// Returns the segments that fit into the event ids after `before` records. Sources of omitted segments get a problem.
pub(crate) fn within_id_limit(
    before: u32,
    mut segments: Vec<Arc<Segment>>,
    sources: Sources,
) -> (Vec<Arc<Segment>>, Sources) {
    let fit = fitting_count(before, segments.iter().map(|s| s.len()));
    if fit == segments.len() {
        return (segments, sources);
    }
    let mut sources = sources.to_vec();
    for part in segments.drain(fit..).flat_map(|s| s.parts.to_vec()) {
        let told = |s: &Arc<Source>| s.problems.iter().any(|p| p.text == TOO_MANY);
        if let Some(source) = sources.get_mut(part.source.index()).filter(|s| !told(s)) {
            let problem = Diagnostic::new(Severity::Error, source.path.clone(), TOO_MANY);
            Arc::make_mut(source).problems.push(problem);
        }
    }
    (segments, sources.into())
}

/// Number of leading `lengths` that fit after `before` records; the last id is reserved for "no event".
fn fitting_count(before: u32, lengths: impl Iterator<Item = usize>) -> usize {
    let mut all = before as usize;
    lengths
        .take_while(|length| {
            all = all.saturating_add(*length);
            all <= NO_EVENT as usize
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_beyond_the_id_limit_are_omitted() {
        let most = u32::MAX as usize;
        assert_eq!(fitting_count(0, [most].into_iter()), 1);
        assert_eq!(fitting_count(1, [most - 1, 1].into_iter()), 1);
        assert_eq!(fitting_count(u32::MAX - 5, [3, 2, 1].into_iter()), 2);
        assert_eq!(fitting_count(u32::MAX, [1].into_iter()), 0);
    }
}
