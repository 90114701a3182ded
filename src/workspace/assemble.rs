//! From what the loader threads gave to a snapshot: sources with their counts and zones, segments in a fixed order.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::clocks;
use crate::base::diag::{Diagnostic, Severity};
use crate::base::ids::SourceId;
use crate::base::zone::Zone;
use crate::source::file::FileText;
use crate::store::builder::PartReport;
use crate::store::segment::Segment;
use crate::store::source::{Basis, Source, Zoning};

use super::dating;
use super::detector::Log;
use super::streamed::Stream;

/// What one unit of work gave.
#[derive(Debug, Default)]
pub struct Unit {
    /// Source and stretch with which it starts: orders the units.
    pub place: (u32, u32),
    /// Its segments.
    pub segments: Vec<Arc<Segment>>,
    /// One report per stretch of a source.
    pub reports: Vec<PartReport>,
}

/// A source as the loader found it, before its counts are known.
#[derive(Clone, Debug)]
pub struct LoadedSource {
    /// Everything but counts and zone.
    pub source: Source,
    /// Its stamps name no zone.
    pub local: bool,
    /// Its stamps are times of day, without a date.
    pub undated: bool,
    /// The plain file that it is, if it is one.
    pub file: Option<Arc<FileText>>,
    /// What following it starts from.
    pub live: Live,
}

/// How far a source was read, for who follows it.
#[derive(Clone, Debug, Default)]
pub enum Live {
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
pub struct Harvest {
    /// Units in any order.
    pub units: Vec<Unit>,
    /// Sources by number.
    pub drafts: BTreeMap<u32, LoadedSource>,
    /// Standard input, if more of it may come.
    pub(super) stream: Option<Stream>,
}

impl Harvest {
    /// Sources (numbered without gaps, every number up to the greatest; those not read yet are empty) and segments.
    pub fn assemble(
        &mut self,
        zone: Option<&Zone>,
        fallback: &Zone,
    ) -> (Vec<Source>, Vec<Arc<Segment>>) {
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
        let evidence = self.evidence();
        for at in 0..sources.len() {
            if locals[at] && sources[at].stats.range.is_some() {
                sources[at].zoning = evidence.zoning(&sources[at], zone, fallback);
            }
        }
        dating::date(&mut sources, &undated);
        together(&mut sources);
        let segments = self
            .units
            .iter()
            .flat_map(|u| u.segments.iter().cloned())
            .collect();
        (sources, segments)
    }

    /// What the records read so far say about the local zone.
    pub fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        for report in self.units.iter().flat_map(|u| &u.reports) {
            if let Some(draft) = self.drafts.get(&report.source.0) {
                evidence.add(&draft.source, &report.zones);
            }
        }
        evidence
    }
}

/// How lines that are no JSON are told.
const UNREADABLE: &str = "no JSON object, kept as text without a time";

/// How fields without a column are told.
const LEFT_OUT: &str =
    "more fields than there is room for, those beyond stand in the text but are no keys";

/// Tells of what went wrong in reading a part of a source, together with what was told of it before.
pub fn note(source: &mut Source, report: &PartReport) {
    note_lines(source, UNREADABLE, report.unreadable);
    note_lines(source, LEFT_OUT, report.left_out);
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

/// Forgets what `note` told of a source: it is read again.
pub fn forget(source: &mut Source) {
    let is_noted = |text: &str| text == UNREADABLE || text == LEFT_OUT;
    source.problems.retain(|p| !is_noted(&p.text));
}

/// (epoch ns, offset of the zone in seconds), ascending.
type Offsets = Vec<(i64, i32)>;

/// Offsets of the local zone that records with both times show.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Path and (epoch, offset) of each source that has some; one pair for each offset, the earliest.
    sources: BTreeMap<u32, (String, Offsets)>,
}

impl Evidence {
    /// Adds what more records of a source show.
    pub fn add(&mut self, source: &Source, zones: &[(i64, i32)]) {
        if zones.is_empty() {
            return;
        }
        let known = self.sources.entry(source.id.0);
        let (_, list) = known.or_insert_with(|| (source.path.clone(), Offsets::new()));
        list.extend(zones);
        list.sort_unstable();
        list.dedup_by_key(|z| z.1);
    }

    /// Forgets what the records of a source show.
    pub fn forget(&mut self, id: SourceId) {
        self.sources.remove(&id.0);
    }

    /// Whether nothing shows the zone.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The zone of a source without one: as the user says, else as the source nearest in the tree shows, else the machine's.
    pub fn zoning(&self, source: &Source, zone: Option<&Zone>, fallback: &Zone) -> Zoning {
        let range = source.stats.range.unwrap_or_default();
        if let Some(zone) = zone {
            let how = format!("{zone}, as given by --tz");
            return of_zone(zone, range, Basis::Given, how);
        }
        let nearest = self.sources.iter().max_by_key(|(id, (path, _))| {
            (
                common_folders(path, &source.path),
                std::cmp::Reverse(id.abs_diff(source.id.0)),
            )
        });
        let Some((_, (path, list))) = nearest else {
            let how = format!("{fallback}: nothing in the run tells, use --tz to set it");
            return of_zone(fallback, range, Basis::Assumed, how);
        };
        let offsets: Vec<(i64, i32)> = list
            .iter()
            .map(|(epoch, offset)| {
                (
                    epoch.saturating_add(i64::from(*offset) * 1_000_000_000),
                    *offset,
                )
            })
            .collect();
        let shown = offsets
            .iter()
            .map(|o| Zone::Fixed(o.1).to_string())
            .collect::<Vec<_>>()
            .join(", ");
        Zoning::Local {
            offsets,
            days: 0,
            basis: Basis::Shown,
            how: format!("UTC{shown}, as in {path}"),
        }
    }
}

/// Offsets of a zone over a range of civil times: looked at day by day, found to the hour where they change.
fn of_zone(zone: &Zone, range: (i64, i64), basis: Basis, how: String) -> Zoning {
    const HOUR: i64 = 3_600_000_000_000;
    let mut offsets = vec![(i64::MIN, zone.offset_at_local(range.0) as i32)];
    let mut at = range.0;
    // A log of more than ten years has other problems.
    let end = range.1.min(range.0.saturating_add(3650 * 24 * HOUR));
    while at < end {
        let next = at.saturating_add(24 * HOUR);
        let offset = zone.offset_at_local(next) as i32;
        if offsets.last().is_some_and(|o| o.1 != offset) {
            let change = (1..=24)
                .map(|h| at + h * HOUR)
                .find(|t| zone.offset_at_local(*t) as i32 == offset);
            offsets.push((change.unwrap_or(next), offset));
        }
        at = next;
    }
    Zoning::Local {
        offsets,
        days: 0,
        basis,
        how,
    }
}

/// Gives logs whose zone nobody knows the one at which they lie with those that name theirs, where there is no doubt.
fn together(sources: &mut [Source]) {
    let Some(zoning) = where_they_lie(sources.iter()) else {
        return;
    };
    for source in sources.iter_mut().filter(|s| clocks::is_assumed(s)) {
        source.zoning = zoning.clone();
    }
}

/// The zone at which logs whose zone nobody knows lie with those that name theirs; `None` where they do as they are, or in doubt.
pub fn where_they_lie<'s>(sources: impl Iterator<Item = &'s Source>) -> Option<Zoning> {
    let apart = clocks::apart(sources).filter(|a| a.is_sure)?;
    Some(Zoning::Local {
        offsets: vec![(i64::MIN, apart.offset)],
        days: 0,
        basis: Basis::Shown,
        how: format!(
            "UTC{}: so they begin and end with those that name their zone ({})",
            apart.zone(),
            apart.example.1
        ),
    })
}

/// Number of leading folders that two paths share.
pub(super) fn common_folders(a: &str, b: &str) -> usize {
    let folders = |p: &str| -> Vec<String> {
        let mut parts: Vec<String> = p.split('/').map(str::to_owned).collect();
        parts.pop();
        parts
    };
    folders(a)
        .iter()
        .zip(&folders(b))
        .take_while(|(x, y)| x == y)
        .count()
}
