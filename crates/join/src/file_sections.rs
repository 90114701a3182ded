//! Sections of files: a process that starts a second run continues in the log of the first, and an appended log holds the
//! runs of several days.

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::SourceId;
use widetui_query as query;
use widetui_store::Snapshot;
use widetui_store::segment::Part;

use crate::doubt::Doubt;
use crate::marks::{Mark, SourcePosition, has_later_opening, marks};
use crate::row_walk::{for_each_row_with, parts_by_source};
use crate::spec::SectionRule;
use crate::spec::identity::PROCESS_ID;

/// Boundaries of the sections of files; each section concerns one instance.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    /// Starts of all sections but the first, ascending; contains only files with several sections.
    later_sections: FxHashMap<SourceId, Vec<SourcePosition>>,
}

impl Sections {
    /// Index of the section, from 0, that contains a row of a part.
    pub(crate) fn section_at(&self, part: &Part, row: usize) -> usize {
        let starts = self.later_sections.get(&part.source);
        let position = (part.seq, row as u32);
        starts.map_or(0, |starts| starts.partition_point(|s| *s <= position))
    }

    /// Whether a file has several sections.
    pub(crate) fn has_several_sections(&self, source: SourceId) -> bool {
        self.later_sections.contains_key(&source)
    }

    /// All sections but the first of each file, as file and section index.
    pub(crate) fn later_sections(&self) -> impl Iterator<Item = (SourceId, usize)> + '_ {
        let of = |(source, starts): (&SourceId, &Vec<SourcePosition>)| {
            let source = *source;
            (1..=starts.len()).map(move |n| (source, n))
        };
        self.later_sections.iter().flat_map(of)
    }
}

/// Position where a new section may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Opening {
    position: SourcePosition,
    /// Whether an end of the previous instance was reported before.
    is_after_end: bool,
}

/// Finds the sections of the files of a rule. An instance that starts while another one is alive
/// does not start a section, unless the process changes: then the first instance ended without a
/// record. `None` when cancelled.
pub(crate) fn find_sections(
    snapshot: &Snapshot,
    rule: &SectionRule,
    applies: impl Fn(SourceId) -> bool,
    doubt: &Doubt,
    cancel: &Cancel,
) -> Option<Sections> {
    let open = query::select(snapshot, &rule.start, cancel)?;
    let mut files = parts_by_source(snapshot);
    files.retain(|(source, parts)| applies(*source) && has_later_opening(parts, &open));
    if files.is_empty() {
        return Some(Sections::default());
    }
    let close = query::select(snapshot, &rule.end, cancel)?;
    let openings = files.iter().map(|(source, parts)| {
        let all = openings(
            marks(snapshot, parts, &open, &close),
            doubt.alive_before(*source),
        );
        (*source, all)
    });
    let openings: Vec<(SourceId, Vec<Opening>)> = openings.collect();
    let uncertain = openings
        .iter()
        .filter(|(_, all)| all.iter().any(|o| !o.is_after_end));
    let uncertain: Vec<SourceId> = uncertain.map(|(source, _)| *source).collect();
    let ranges = process_ranges(snapshot, &uncertain);
    let mut out = Sections::default();
    for (source, all) in openings {
        let ranges = ranges.get(&source).map_or(&[][..], Vec::as_slice);
        let begins =
            |opening: &Opening| opening.is_after_end || is_process_change(ranges, opening.position);
        let starts: Vec<SourcePosition> = all
            .iter()
            .filter(|o| begins(o))
            .map(|o| o.position)
            .collect();
        if !starts.is_empty() {
            out.later_sections.insert(source, starts);
        }
    }
    Some(out)
}

/// Openings among the starts and ends of a file, except at its start. When the file began,
/// `alive_before` other instances may have been alive.
fn openings(marks: Vec<Mark>, alive_before: u32) -> Vec<Opening> {
    let mut out = Vec::new();
    // Instances alive in each process.
    let mut alive: FxHashMap<Option<Code>, u32> = FxHashMap::default();
    let mut is_after_end = false;
    for mark in marks {
        let alive = alive.entry(mark.process).or_insert(alive_before);
        if !mark.opens {
            is_after_end = true;
            *alive = alive.saturating_sub(1);
            continue;
        }
        if !mark.is_first {
            out.push(Opening {
                position: mark.position,
                is_after_end: is_after_end && *alive == 0,
            });
        }
        *alive += 1;
        is_after_end = false;
    }
    out
}

/// Range of positions that each process writes in some files.
fn process_ranges(
    snapshot: &Snapshot,
    files: &[SourceId],
) -> FxHashMap<SourceId, Vec<(SourcePosition, SourcePosition)>> {
    let key = snapshot.catalog.keys.find(PROCESS_ID);
    let Some(key) = key.filter(|_| !files.is_empty()) else {
        return FxHashMap::default();
    };
    let mut found: FxHashMap<(SourceId, Code), (SourcePosition, SourcePosition)> =
        FxHashMap::default();
    let no_duplicates = vec![Vec::new(); snapshot.segments.len()];
    for_each_row_with(snapshot, &no_duplicates, &[key], |segment, row, of, _| {
        let part = snapshot.segments[segment].part(row);
        if files.contains(&part.source) {
            let position = (part.seq, row as u32);
            let known = found
                .entry((part.source, of[0]))
                .or_insert((position, position));
            *known = (known.0.min(position), known.1.max(position));
        }
    });
    let mut out: FxHashMap<SourceId, Vec<(SourcePosition, SourcePosition)>> = FxHashMap::default();
    for ((source, _), range) in found {
        out.entry(source).or_default().push(range);
    }
    out
}

/// Whether all processes before a position end before it, and other processes write from there on.
fn is_process_change(
    ranges: &[(SourcePosition, SourcePosition)],
    position: SourcePosition,
) -> bool {
    let (before, after): (Vec<_>, Vec<_>) = ranges.iter().partition(|(from, _)| *from < position);
    !before.is_empty() && !after.is_empty() && before.iter().all(|(_, to)| *to < position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_change_requires_that_no_process_continues() {
        let range = |from: u32, to: u32| ((0, from), (0, to));
        assert!(is_process_change(&[range(0, 9), range(10, 20)], (0, 10)));
        assert!(!is_process_change(&[range(0, 12), range(10, 20)], (0, 10)));
        assert!(
            !is_process_change(&[range(0, 20)], (0, 10)),
            "it is the same one"
        );
        assert!(!is_process_change(&[], (0, 10)), "nobody says who writes");
    }
}
