//! Templates of a run with counts.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::ids::{SourceId, TemplateId};
use widetui_core::level::Level;
use widetui_store::Snapshot;
use widetui_store::segment::{Group, Segment};

use crate::selection::Selection;
use crate::time_histogram::{EventHistogram, RowTimes};

/// One template among selected records.
#[derive(Clone, Debug)]
pub struct TemplateRow {
    /// Id of the template.
    pub template: TemplateId,
    /// Histogram of its records.
    pub histogram: EventHistogram,
    /// Most severe level of its records.
    pub level: Level,
    /// Sources that have it, ascending.
    pub sources: Vec<SourceId>,
}

/// Templates of selected records, most frequent first.
#[derive(Clone, Debug, Default)]
pub struct TemplateTable {
    /// Number of records counted.
    pub events: u64,
    /// Rows, one per template.
    pub rows: Vec<TemplateRow>,
}

#[derive(Default)]
struct Tally {
    histogram: EventHistogram,
    level: Level,
    sources: FxHashSet<u32>,
}

type Tallies = FxHashMap<u32, Tally>;

/// Counts the templates of all records or of a selection. `None` if cancelled.
#[must_use]
pub fn template_table(
    snapshot: &Snapshot,
    selection: Option<&Selection>,
    cancel: &Cancel,
) -> Option<TemplateTable> {
    let range = snapshot.range().unwrap_or_default();
    let tallies = snapshot
        .segments
        .par_iter()
        .enumerate()
        .fold(Tallies::default, |mut tallies, (index, segment)| {
            if !cancel.is_cancelled() {
                let row_times = RowTimes::read(snapshot, segment, range);
                for group in &segment.groups {
                    tally(snapshot, segment, group, &row_times, &mut tallies, |row| {
                        selection.is_none_or(|s| s.segment(index).is_some_and(|b| b.get(row)))
                    });
                }
            }
            tallies
        })
        .reduce(Tallies::default, merge);
    if cancel.is_cancelled() {
        return None;
    }
    let rows = tallies.into_iter().map(|(id, tally)| {
        let mut sources: Vec<SourceId> = tally.sources.into_iter().map(SourceId).collect();
        sources.sort_unstable();
        TemplateRow {
            template: TemplateId(id),
            histogram: tally.histogram,
            level: tally.level,
            sources,
        }
    });
    let mut rows: Vec<TemplateRow> = rows.collect();
    rows.sort_unstable_by_key(|r| (std::cmp::Reverse(r.histogram.events), r.template));
    Some(TemplateTable {
        events: rows.iter().map(|r| r.histogram.events).sum(),
        rows,
    })
}

fn merge(mut a: Tallies, mut b: Tallies) -> Tallies {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    for (id, tally) in b {
        let known = a.entry(id).or_default();
        known.histogram.add(&tally.histogram);
        known.level = known.level.max(tally.level);
        known.sources.extend(tally.sources);
    }
    a
}

fn tally(
    snapshot: &Snapshot,
    segment: &Segment,
    group: &Group,
    row_times: &RowTimes,
    tallies: &mut Tallies,
    chosen: impl Fn(usize) -> bool,
) {
    let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) else {
        return;
    };
    let mut rows = group
        .rows
        .iter()
        .map(|r| usize::from(*r))
        .filter(|r| chosen(*r))
        .peekable();
    if rows.peek().is_none() {
        return;
    }
    let tally = tallies.entry(shape.template.0).or_default();
    tally.level = tally.level.max(shape.level);
    // Rows and parts are both ascending, so one pass finds the source of each row.
    let (mut part, mut end) = (0, 0);
    for row in rows {
        tally.histogram.count(row_times, row);
        if row >= end {
            while let Some(p) = segment.parts.get(part).filter(|_| row >= end) {
                end = (p.first_row + p.rows) as usize;
                part += 1;
                if row < end {
                    tally.sources.insert(p.source.0);
                }
            }
        }
    }
}
