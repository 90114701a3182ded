//! How wide the names of sources are on screen, and what their paths have in common.

use std::sync::Arc;

use widetui_store::Source;
use widetui_tables::text;

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
