//! How wide the names of sources are on screen, and what their paths have in common.

use std::sync::Arc;

use crate::text;
use widetui_store::{Snapshot, Source};

/// Share of the records whose source's name is shown in full, percent: a few odd files do not push all messages aside.
const SHOWN_IN_FULL: u64 = 95;

/// Names up to so many columns are shown in full, however few records they have.
const SHORT: usize = 10;

/// Columns that the names of nearly all records need.
pub(super) fn columns(sources: &[Arc<Source>], names: &[String]) -> usize {
    let logs = sources.iter().zip(names).filter(|(s, _)| s.is_log);
    let mut widths: Vec<(usize, u64)> = logs
        .map(|(s, name)| (text::width(name), s.stats.records()))
        .collect();
    widths.sort_unstable();
    let all: u64 = widths.iter().map(|w| w.1).sum();
    let mut seen = 0;
    let widest_short = widths.iter().map(|w| w.0).filter(|w| *w <= SHORT).max();
    for (width, records) in &widths {
        seen += records;
        if seen * 100 >= all * SHOWN_IN_FULL {
            return (*width).max(widest_short.unwrap_or(0));
        }
    }
    0
}

/// Length of the folders that all paths begin with; 0 when there is but one path.
pub(crate) fn common_path(snapshot: &Snapshot) -> usize {
    let Some((first, rest)) = snapshot
        .sources
        .split_first()
        .filter(|(_, r)| !r.is_empty())
    else {
        return 0;
    };
    let first = first.path.as_str();
    let same = rest.iter().fold(first.len(), |same, source| {
        let pairs = first.bytes().zip(source.path.bytes());
        pairs.take(same).take_while(|(a, b)| a == b).count()
    });
    first.as_bytes()[..same]
        .iter()
        .rposition(|b| *b == b'/')
        .map_or(0, |slash| slash + 1)
}
