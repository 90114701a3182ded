//! From what the loader threads gave to a snapshot: sources with their counts and zones, segments in a fixed order.

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_core::words::grouped;
use widetui_source::file::FileText;
use widetui_store::builder::PartReport;
use widetui_store::segment::Segment;
use widetui_store::source::{Source, Zoning};

use crate::dates;
use crate::detector::Log;
use crate::paused_input::PausedInput;
use crate::repeated_hour;
use crate::zones::{self, Evidence, StatedIn, Wanted};

/// What one unit of work gave.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// Source and stretch with which it starts: orders the units.
    pub(crate) place: (u32, u32),
    /// Its segments.
    pub(crate) segments: Vec<Arc<Segment>>,
    /// One report per stretch of a source.
    pub(crate) reports: Vec<PartReport>,
}

/// A source as the loader found it, before its counts are known.
#[derive(Clone, Debug)]
pub(crate) struct LoadedSource {
    /// Everything but counts and zone.
    pub(crate) source: Source,
    /// Its stamps name no zone.
    pub(crate) local: bool,
    /// Its stamps are times of day, without a date.
    pub(crate) undated: bool,
    /// The plain file that it is, if it is one.
    pub(crate) file: Option<Arc<FileText>>,
    /// What following it starts from.
    pub(crate) live: Live,
}

/// How far a source was read, for who follows it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Live {
    /// It does not grow, or cannot be followed.
    #[default]
    Not,
    /// It has no whole line yet.
    Unread,
    /// It was read.
    Read {
        /// How.
        log: Log,
        /// The byte behind its last whole line.
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
    /// Sources (numbered without gaps, every number up to the greatest; those not read yet are empty) and segments.
    pub(crate) fn assemble(&mut self, wanted: Wanted<'_>) -> (Vec<Source>, Vec<Arc<Segment>>) {
        self.units.sort_by_key(|u| u.place);
        let mut sources: Vec<Source> = Vec::with_capacity(self.drafts.len());
        let mut locals = Vec::new();
        let mut undated = Vec::new();
        for (id, draft) in &self.drafts {
            debug_assert_eq!(*id as usize, sources.len());
            sources.push(draft.source.clone());
            locals.push(draft.local);
            undated.push(draft.undated);
        }
        for report in self.units.iter().flat_map(|u| &u.reports) {
            let Some(source) = sources.get_mut(report.source.index()) else {
                continue;
            };
            source.stats.add(&report.stats);
            note(source, report);
        }
        let is_local = |s: &Source| locals.get(s.id.index()).copied().unwrap_or(false);
        let zonings = self.zonings(&sources, is_local, wanted);
        take(&mut sources, zonings);
        dates::date(&mut sources, &undated);
        let zonings = zones::where_they_lie(sources.iter());
        take(&mut sources, zonings);
        let units = self.units.iter();
        let segments: Vec<Arc<Segment>> = units.flat_map(|u| u.segments.iter().cloned()).collect();
        repeated_hour::settle(&mut sources, &segments);
        (sources, segments)
    }

    /// The zones of sources whose stamps name none.
    fn zonings(
        &self,
        sources: &[Source],
        is_local: impl Fn(&Source) -> bool,
        wanted: Wanted<'_>,
    ) -> Vec<(SourceId, Zoning)> {
        let evidence = self.evidence();
        let stated = StatedIn::of(sources.iter(), &is_local);
        let local = sources
            .iter()
            .filter(|s| is_local(s) && s.stats.range.is_some());
        local
            .map(|s| (s.id, evidence.zoning(s, wanted, &stated)))
            .collect()
    }

    /// What the records read so far say about the local zone.
    pub(crate) fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        for report in self.units.iter().flat_map(|u| &u.reports) {
            if let Some(draft) = self.drafts.get(&report.source.0) {
                evidence.add(&draft.source, &report.zones);
            }
        }
        evidence
    }
}

/// Gives sources their zones.
fn take(sources: &mut [Source], zonings: Vec<(SourceId, Zoning)>) {
    for (id, zoning) in zonings {
        if let Some(source) = sources.get_mut(id.index()) {
            source.zoning = zoning;
        }
    }
}

/// How lines that are no JSON are told.
const UNREADABLE: &str = "no JSON object, kept as text without a time";

/// How fields without a column are told.
const LEFT_OUT: &str =
    "more fields than there is room for, those beyond stand in the text but are no keys";

/// Tells of what went wrong in reading a part of a source, together with what was told of it before.
pub(crate) fn note(source: &mut Source, report: &PartReport) {
    note_lines(source, UNREADABLE, report.unreadable);
    note_lines(source, LEFT_OUT, report.left_out);
    note_holes(source, report.holes);
}

/// Tells of so many more lines, the first of which is at this byte.
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

/// End of the problem that tells of NUL bytes; their number stands before it.
const HOLES: &str =
    " NUL bytes skipped: the file was cut while it was written to, or its node crashed";

/// Notes NUL bytes of a part of a source, together with those of its other parts.
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

/// Forgets what `note` told of a source: it is read again.
pub(crate) fn forget(source: &mut Source) {
    let is_noted = |text: &str| text == UNREADABLE || text == LEFT_OUT || text.ends_with(HOLES);
    source.problems.retain(|p| !is_noted(&p.text));
}
