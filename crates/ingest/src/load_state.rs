//! Load state: the records and sources read so far, and their assembly into sources with counts and zones, and ordered segments.

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_core::words::grouped;
use widetui_format::sample::DateGap;
use widetui_source::file::FileText;
use widetui_store::builder::PartReport;
use widetui_store::segment::Segment;
use widetui_store::source::{Source, Zoning};

use crate::dates;
use crate::detector::Log;
use crate::paused_input::PausedInput;
use crate::repeated_hour;
use crate::zones::{self, Evidence, StatedIn, ZoneOptions};

/// Result of one unit of work.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// (Source, part) with which the unit starts; units are ordered by it.
    pub(crate) start: (u32, u32),
    /// Segments of the unit.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// Reports, one per part of a source.
    pub(crate) reports: Vec<PartReport>,
}

/// Source as the loader found it, without counts.
#[derive(Clone, Debug)]
pub(crate) struct LoadedSource {
    /// Source, without counts and zone.
    pub(crate) source: Source,
    /// Whether its timestamps have no zone.
    pub(crate) local: bool,
    /// Parts of the date that its timestamps leave out.
    pub(crate) gap: DateGap,
    /// Offsets of the local zone from UTC, s, by the framing or the text of its lines, each with a time (UTC ns).
    pub(crate) zones: Vec<(i64, i32)>,
    /// Plain file of the source, if it is one.
    pub(crate) file: Option<Arc<FileText>>,
    /// State from which following starts.
    pub(crate) live: Live,
}

/// State from which a source is followed.
#[derive(Clone, Debug, Default)]
pub(crate) enum Live {
    /// It does not grow, or cannot be followed.
    #[default]
    Not,
    /// It has no whole line yet.
    Unread,
    /// It was read up to a byte.
    Read {
        /// Reader and properties of the log.
        log: Log,
        /// Byte after its last whole line.
        to: u64,
    },
}

/// Everything that was read so far.
#[derive(Debug, Default)]
pub(crate) struct LoadState {
    /// Units in any order.
    pub(crate) units: Vec<Unit>,
    /// Sources by number.
    pub(crate) drafts: BTreeMap<u32, LoadedSource>,
    /// Standard input, if more of it may come.
    pub(super) paused_input: Option<PausedInput>,
}

impl LoadState {
    /// Sources (consecutive numbers; those not read yet are empty) and ordered segments.
    pub(crate) fn assemble(
        &mut self,
        zone_options: ZoneOptions<'_>,
    ) -> (Vec<Source>, Vec<Arc<Segment>>) {
        self.units.sort_by_key(|u| u.start);
        let mut sources: Vec<Source> = Vec::with_capacity(self.drafts.len());
        let mut locals = Vec::new();
        let mut gaps = Vec::new();
        for (id, draft) in &self.drafts {
            debug_assert_eq!(*id as usize, sources.len());
            sources.push(draft.source.clone());
            locals.push(draft.local);
            gaps.push(draft.gap);
        }
        for report in self.units.iter().flat_map(|u| &u.reports) {
            let Some(source) = sources.get_mut(report.source.index()) else {
                continue;
            };
            source.stats.add(&report.stats);
            note(source, report);
        }
        let is_local = |s: &Source| locals.get(s.id.index()).copied().unwrap_or(false);
        let zonings = self.zonings(&sources, is_local, zone_options);
        take(&mut sources, zonings);
        dates::date(&mut sources, &gaps);
        let zonings = zones::zones_by_overlap(sources.iter());
        take(&mut sources, zonings);
        let units = self.units.iter();
        let segments: Vec<Arc<Segment>> = units.flat_map(|u| u.segments.iter().cloned()).collect();
        repeated_hour::resolve(&mut sources, &segments);
        (sources, segments)
    }

    /// Zones of sources whose timestamps have none.
    fn zonings(
        &self,
        sources: &[Source],
        is_local: impl Fn(&Source) -> bool,
        zone_options: ZoneOptions<'_>,
    ) -> Vec<(SourceId, Zoning)> {
        let evidence = self.evidence();
        let stated = StatedIn::of(sources.iter(), &is_local);
        let local = sources
            .iter()
            .filter(|s| is_local(s) && s.stats.range.is_some());
        local
            .map(|s| (s.id, evidence.zoning(s, zone_options, &stated)))
            .collect()
    }

    /// Evidence of the local zone in the records read so far.
    pub(crate) fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        for draft in self.drafts.values() {
            evidence.add(&draft.source, &draft.zones);
        }
        for report in self.units.iter().flat_map(|u| &u.reports) {
            if let Some(draft) = self.drafts.get(&report.source.0) {
                evidence.add(&draft.source, &report.zones);
            }
        }
        evidence
    }
}

/// Sets the zones of sources.
fn take(sources: &mut [Source], zonings: Vec<(SourceId, Zoning)>) {
    for (id, zoning) in zonings {
        if let Some(source) = sources.get_mut(id.index()) {
            source.zoning = zoning;
        }
    }
}

/// Problem of lines that are no JSON objects.
const UNREADABLE: &str = "no JSON object, kept as text without a time";

/// Problem of records with more fields than columns.
const LEFT_OUT: &str =
    "more fields than there is room for, the others are in the text but are no keys";

/// Adds the problems of a part to those of its source.
pub(crate) fn note(source: &mut Source, report: &PartReport) {
    note_lines(source, UNREADABLE, report.unreadable);
    note_lines(source, LEFT_OUT, report.left_out);
    note_holes(source, report.holes);
}

/// Adds `count` lines, the first at a byte, to a problem of a source.
fn note_lines(source: &mut Source, text: &'static str, (count, at): (u64, u64)) {
    if count == 0 {
        return;
    }
    let mut problems = source.problems.iter_mut();
    if let Some(known) = problems.find(|p| p.text == text) {
        known.lines = Some(count + known.lines.unwrap_or(0));
        known.offset = known.offset.map(|o| o.min(at)).or(Some(at));
        return;
    }
    let problem = Diagnostic::new(Severity::Warning, source.path.clone(), text).at(at);
    source.problems.push(Diagnostic {
        lines: Some(count),
        ..problem
    });
}

/// End of the problem about NUL bytes; their number precedes it.
const HOLES: &str =
    " NUL bytes skipped: the file was truncated while it was written to, or its node crashed";

/// Adds the NUL bytes of a part to those of its source.
fn note_holes(source: &mut Source, (count, at): (u64, u64)) {
    if count == 0 {
        return;
    }
    let mut problems = source.problems.iter_mut();
    if let Some(known) = problems.find(|p| p.text.ends_with(HOLES)) {
        let number = known.text.strip_suffix(HOLES).unwrap_or_default();
        let before: u64 = number.replace(',', "").parse().unwrap_or(0);
        known.text = format!("{}{HOLES}", grouped(before + count));
        known.offset = known.offset.map(|o| o.min(at)).or(Some(at));
        return;
    }
    let text = format!("{}{HOLES}", grouped(count));
    source
        .problems
        .push(Diagnostic::new(Severity::Warning, source.path.clone(), text).at(at));
}

/// Removes the problems that `note` added, before a source is read again.
pub(crate) fn forget(source: &mut Source) {
    let is_noted = |text: &str| text == UNREADABLE || text == LEFT_OUT || text.ends_with(HOLES);
    source.problems.retain(|p| !is_noted(&p.text));
}
