//! Width of the column of source names.

use std::sync::Arc;

use widetui_store::Source;
use widetui_tables::text;

/// Percent of the records whose source name is shown in full, so that a few long names do not take the room of the
/// messages.
const SHOWN_IN_FULL: u64 = 95;

/// Names up to this width in columns are shown in full, however few records their sources have.
const SHORT: usize = 10;

/// Returns the column width that the source names of [`SHOWN_IN_FULL`] percent of the records need (0 without logs).
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
