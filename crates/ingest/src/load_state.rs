//! Load state: the records and sources read so far, and their assembly into sources with counts and zones, and ordered segments.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_core::words::grouped;
use widetui_format::sample::DateGap;
use widetui_source::codec::without_ending;
use widetui_source::file::FileText;
use widetui_source::text::Text;
use widetui_store::builder::PartReport;
use widetui_store::segment::Segment;
use widetui_store::source::{Source, Zoning};
use widetui_store::{SourceTrait, SourceTraits};

use crate::dates;
use crate::paused_input::PausedInput;
use crate::record_reader::RecordReader;
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
    /// Source, without its zone.
    pub(crate) source: Arc<Source>,
    /// Whether its timestamps have no zone.
    pub(crate) local: bool,
    /// Parts of the date that its timestamps leave out.
    pub(crate) gap: DateGap,
    /// Offsets of the local zone from UTC, s, by the framing or the text of its lines, each with a time (UTC ns).
    pub(crate) zones: Vec<(i64, i32)>,
    /// Plain file of the source, if it is one.
    pub(crate) file: Option<Arc<FileText>>,
    /// State from which reading goes on, if files are followed.
    pub(crate) reader: RecordReader,
    /// True if its records are not the lines of a file, but of a text that was made.
    pub(crate) is_made: bool,
    /// Time of the last reading from the start while it is followed.
    pub(crate) reread: Option<Instant>,
}

/// Entry of a source that was not read yet.
fn unread(id: SourceId, name: &str, bytes: u64, text: Arc<dyn Text>) -> LoadedSource {
    LoadedSource {
        source: Arc::new(Source {
            id,
            path: name.to_owned(),
            tag: short_name(name),
            kind: String::new(),
            system: None,
            layout: "not read yet".to_owned(),
            is_log: false,
            traits: SourceTraits::default(),
            bytes,
            modified: 0,
            text,
            reader: None,
            consts: Arc::default(),
            zoning: Zoning::Stated,
            shift: 0,
            stated_offset: None,
            coarse: false,
            stats: Default::default(),
            problems: Vec::new(),
        }),
        local: false,
        gap: DateGap::None,
        zones: Vec::new(),
        file: None,
        reader: RecordReader::default(),
        is_made: false,
        reread: None,
    }
}

/// Tag of a source without a definition: the file's name without its ending, the same whether compressed or not.
pub(super) fn short_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = without_ending(name);
    match name.rsplit_once('.') {
        Some((
            stem,
            "log" | "txt" | "jsonlog" | "jsonl" | "json" | "csv" | "tsv" | "db" | "sqlite"
            | "parquet",
        )) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// Everything that was read so far.
#[derive(Debug, Default)]
pub(crate) struct LoadState {
    /// Units that were not settled, in any order.
    pub(crate) units: Vec<Unit>,
    /// Sources by number, with the counts of settled units.
    pub(crate) drafts: BTreeMap<u32, LoadedSource>,
    /// Standard input, if more of it may come.
    pub(super) paused_input: Option<PausedInput>,
    /// Clock shifts set by the user, ns; they override those of the command line.
    pub(crate) shifts: Vec<(SourceId, i64)>,
    /// Number of changes of readers, paths and keys of sources.
    pub(crate) version: u64,
    /// Sources to be read from the start, whose records are dropped.
    pub(crate) rereads: FxHashSet<SourceId>,
    /// Sources by path within a file that is read again, until they are met.
    former_children: FxHashMap<String, VecDeque<SourceId>>,
    /// True if a source with changed records was not read again yet, as that would take too large a share of the time.
    pub(crate) is_behind: bool,
}

impl LoadState {
    /// Adds an unread source.
    pub(crate) fn add(&mut self, name: &str, bytes: u64, text: Arc<dyn Text>) -> SourceId {
        let id = SourceId(self.drafts.len() as u32);
        self.drafts.insert(id.0, unread(id, name, bytes, text));
        id
    }

    /// Adds an unread file.
    pub(crate) fn add_file(&mut self, name: &str, text: Arc<FileText>) -> SourceId {
        let id = self.add(name, text.len(), text.clone());
        if let Some(draft) = self.drafts.get_mut(&id.0) {
            draft.file = Some(text);
        }
        id
    }

    /// Adds a source within another one; one of the same path is read again.
    pub(crate) fn add_child(&mut self, path: &str, bytes: u64, text: Arc<dyn Text>) -> SourceId {
        let former = self.former_children.get_mut(path);
        let former = former.and_then(VecDeque::pop_front);
        former.unwrap_or_else(|| self.add(path, bytes, text))
    }

    /// Sources within a file with this path.
    pub(crate) fn children(&self, path: &str) -> Vec<SourceId> {
        let path = format!("{}/", path.strip_suffix(".gz").unwrap_or(path));
        let drafts = self.drafts.values().filter(|draft| draft.file.is_none());
        let inside = drafts.filter(|draft| draft.source.path.starts_with(&path));
        inside.map(|draft| draft.source.id).collect()
    }

    /// Begins to read a file that contains sources again.
    pub(crate) fn begin_again(&mut self, id: SourceId, path: &str) {
        self.former_children.clear();
        self.is_behind = false;
        for id in self.children(path) {
            let path = self.drafts[&id.0].source.path.clone();
            self.former_children.entry(path).or_default().push_back(id);
            self.change(id, |s| s.problems.retain(|p| p.severity == Severity::Note));
        }
        self.change(id, |s| s.problems.retain(|p| p.severity == Severity::Note));
    }

    /// Ends reading a file again: sources that are not in it any more lose their records, if all of it could be read.
    pub(crate) fn end_again(&mut self, id: SourceId) {
        let left = std::mem::take(&mut self.former_children);
        let is_error = |s: &Arc<Source>| s.problems.iter().any(|p| p.severity == Severity::Error);
        if !self.source(id).is_some_and(is_error) {
            left.into_values()
                .flatten()
                .for_each(|id| self.drop_records(id));
        }
    }

    /// Turns a source into one without records.
    pub(crate) fn drop_records(&mut self, id: SourceId) {
        self.reread(id);
        self.change(id, |s| {
            (s.is_log, s.bytes) = (false, 0);
            s.traits.set(SourceTrait::Table, false);
            s.traits.set(SourceTrait::Synthetic, false);
            "not in the file any more".clone_into(&mut s.layout);
        });
    }

    /// Source by number.
    pub(crate) fn source(&self, id: SourceId) -> Option<&Arc<Source>> {
        self.drafts.get(&id.0).map(|draft| &draft.source)
    }

    /// Sources in the order of their numbers.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Arc<Source>> {
        self.drafts.values().map(|draft| &draft.source)
    }

    /// Changes a source; snapshots keep the former one.
    pub(crate) fn change(&mut self, id: SourceId, f: impl FnOnce(&mut Source)) {
        if let Some(draft) = self.drafts.get_mut(&id.0) {
            f(Arc::make_mut(&mut draft.source));
        }
    }

    /// Segments of all units, in order.
    pub(crate) fn segments(&mut self) -> Vec<Arc<Segment>> {
        self.units.sort_by_key(|u| u.start);
        let segments = self.units.iter().flat_map(|u| u.segments.iter().cloned());
        segments.collect()
    }

    /// All sources as they were read so far.
    pub(crate) fn as_read(&self) -> ReadSources {
        self.read_sources(self.units.iter().flat_map(|u| &u.reports))
    }

    /// Adds the counts of all units to their sources; returns the segments in order.
    pub(crate) fn settle(&mut self) -> Vec<Arc<Segment>> {
        self.units.sort_by_key(|u| u.start);
        let mut segments = Vec::new();
        for unit in std::mem::take(&mut self.units) {
            segments.extend(unit.segments);
            for report in unit.reports {
                if let Some(draft) = self.drafts.get_mut(&report.source.0) {
                    count(Arc::make_mut(&mut draft.source), &report);
                    draft.zones.extend(report.zones);
                    draft.zones.sort_unstable();
                    draft.zones.dedup_by_key(|zone| zone.1);
                }
            }
        }
        segments
    }

    /// Removes the records of a source, which is read again from its start.
    pub(crate) fn reread(&mut self, id: SourceId) {
        self.rereads.insert(id);
        if let Some(draft) = self.drafts.get_mut(&id.0) {
            draft.zones.clear();
            draft.reader = RecordReader {
                seq: draft.reader.seq,
                ..RecordReader::default()
            };
        }
        self.change(id, |source| {
            source.stats = Default::default();
            forget(source);
        });
        self.version += 1;
    }

    /// All sources as they were read, with the counts of further reports.
    pub(crate) fn read_sources<'r>(
        &self,
        reports: impl Iterator<Item = &'r PartReport>,
    ) -> ReadSources {
        let mut sources: Vec<Arc<Source>> = self.sources().cloned().collect();
        let mut evidence = Evidence::default();
        for draft in self.drafts.values() {
            evidence.add(&draft.source, &draft.zones);
        }
        for report in reports {
            if let Some(source) = sources.get_mut(report.source.index()) {
                count(Arc::make_mut(source), report);
                evidence.add(source, &report.zones);
            }
        }
        ReadSources {
            sources,
            locals: self.drafts.values().map(|draft| draft.local).collect(),
            gaps: self.drafts.values().map(|draft| draft.gap).collect(),
            evidence,
        }
    }
}

/// Sources as they were read, and what their times leave out.
pub(crate) struct ReadSources {
    pub(crate) sources: Vec<Arc<Source>>,
    /// True if the timestamps of each source have no zone.
    pub(crate) locals: Vec<bool>,
    gaps: Vec<DateGap>,
    evidence: Evidence,
}

impl ReadSources {
    /// Sources with the zones, dates and repeated hours that all of them show; `segments` hold their records.
    pub(crate) fn zoned(
        mut self,
        zone_options: ZoneOptions<'_>,
        segments: &[Arc<Segment>],
    ) -> Vec<Arc<Source>> {
        if !self.locals.contains(&true) && self.gaps.iter().all(|gap| *gap == DateGap::None) {
            return self.sources;
        }
        let is_local = |s: &Source| self.locals.get(s.id.index()).copied().unwrap_or(false);
        let stated = StatedIn::of(self.sources.iter().map(|s| &**s), is_local);
        let local = { self.sources.iter() }.filter(|s| is_local(s) && s.stats.range.is_some());
        let zonings = local.map(|s| (s.id, self.evidence.zoning(s, zone_options, &stated)));
        let zonings = zonings.collect();
        set_zones(&mut self.sources, zonings);
        dates::date(&mut self.sources, &self.gaps);
        let zonings = zones::zones_by_overlap(self.sources.iter().map(|s| &**s));
        set_zones(&mut self.sources, zonings);
        repeated_hour::resolve(&mut self.sources, segments);
        self.sources
    }
}

/// Sets the zones of sources.
pub(crate) fn set_zones(sources: &mut [Arc<Source>], zonings: Vec<(SourceId, Zoning)>) {
    for (id, zoning) in zonings {
        if let Some(source) = sources.get_mut(id.index()) {
            Arc::make_mut(source).zoning = zoning;
        }
    }
}

/// Adds the counts and problems of a part to its source.
pub(crate) fn count(source: &mut Source, report: &PartReport) {
    source.stats.add(&report.stats);
    note_lines(source, UNREADABLE, report.unreadable);
    note_lines(source, LEFT_OUT, report.left_out);
    note_holes(source, report.holes);
}

/// Problem of lines that are no JSON objects.
const UNREADABLE: &str = "no JSON object, kept as text without a time";

/// Problem of records with more fields than columns.
const LEFT_OUT: &str =
    "more fields than there is room for, the others are in the text but are no keys";

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

/// Removes the problems that `count` added, before a source is read again.
fn forget(source: &mut Source) {
    let is_noted = |text: &str| text == UNREADABLE || text == LEFT_OUT || text.ends_with(HOLES);
    source.problems.retain(|p| !is_noted(&p.text));
}
