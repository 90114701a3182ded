//! From what the loader threads gave to a snapshot: sources with their counts and zones, segments in a fixed order.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::diag::{Diagnostic, Severity};
use crate::base::ids::SourceId;
use crate::base::zone::Zone;
use crate::store::builder::PartReport;
use crate::store::segment::Segment;
use crate::store::source::{Source, Zoning};

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
pub struct Draft {
    /// Everything but counts and zone.
    pub source: Source,
    /// Its stamps name no zone.
    pub local: bool,
}

/// Everything that was read so far.
#[derive(Debug, Default)]
pub struct Harvest {
    /// Units in any order.
    pub units: Vec<Unit>,
    /// Sources by number.
    pub drafts: BTreeMap<u32, Draft>,
    /// Problems of paths that are no source.
    pub problems: Vec<Diagnostic>,
}

impl Harvest {
    /// Sources (numbered without gaps, every number up to the greatest; those not read yet are empty) and segments.
    pub fn assemble(
        &mut self,
        zone: Option<&Zone>,
        fallback: &Zone,
    ) -> (Vec<Source>, Vec<Arc<Segment>>) {
        self.units.sort_by_key(|u| u.place);
        let mut zones: BTreeMap<u32, Vec<(i64, i32)>> = BTreeMap::new();
        let mut sources: Vec<Source> = Vec::with_capacity(self.drafts.len());
        let mut locals = Vec::new();
        for (id, draft) in &self.drafts {
            debug_assert_eq!(*id as usize, sources.len());
            sources.push(draft.source.clone());
            locals.push(draft.local);
        }
        for report in self.units.iter().flat_map(|u| &u.reports) {
            let Some(source) = sources.get_mut(report.source.index()) else {
                continue;
            };
            source.stats.add(&report.stats);
            if !report.zones.is_empty() {
                zones
                    .entry(report.source.0)
                    .or_default()
                    .extend(&report.zones);
            }
            if report.unreadable.0 > 0 {
                let (count, at) = report.unreadable;
                source.problems.push(
                    Diagnostic::new(
                        Severity::Warning,
                        source.path.clone(),
                        format!("{count} line(s) are no JSON object; kept as text without a time"),
                    )
                    .at(at),
                );
            }
        }
        let evidence = Evidence::new(&zones, &sources);
        for at in 0..sources.len() {
            if locals[at] && sources[at].stats.range.is_some() {
                sources[at].zoning = evidence.zoning(&sources[at], zone, fallback);
            }
        }
        let segments = self
            .units
            .iter()
            .flat_map(|u| u.segments.iter().cloned())
            .collect();
        (sources, segments)
    }
}

/// (epoch ns, offset of the zone in seconds), ascending.
type Offsets = Vec<(i64, i32)>;

/// Offsets of the local zone that records with both times show.
struct Evidence {
    /// Path and (epoch, offset) of each source that has some.
    sources: Vec<(SourceId, String, Offsets)>,
}

impl Evidence {
    fn new(zones: &BTreeMap<u32, Vec<(i64, i32)>>, sources: &[Source]) -> Evidence {
        Evidence {
            sources: zones
                .iter()
                .map(|(id, list)| {
                    let mut list = list.clone();
                    list.sort_unstable();
                    list.dedup_by_key(|z| z.1);
                    let path = sources
                        .get(*id as usize)
                        .map(|s| s.path.clone())
                        .unwrap_or_default();
                    (SourceId(*id), path, list)
                })
                .collect(),
        }
    }

    /// The zone of a source without one: as the user says, else as the source nearest in the tree shows, else the machine's.
    fn zoning(&self, source: &Source, zone: Option<&Zone>, fallback: &Zone) -> Zoning {
        let range = source.stats.range.unwrap_or_default();
        if let Some(zone) = zone {
            return of_zone(zone, range, format!("{zone}, as given by --tz"));
        }
        let nearest = self.sources.iter().max_by_key(|(id, path, _)| {
            (
                common_folders(path, &source.path),
                std::cmp::Reverse(id.0.abs_diff(source.id.0)),
            )
        });
        let Some((_, path, list)) = nearest else {
            return of_zone(
                fallback,
                range,
                format!("{fallback}: nothing in the run tells, use --tz to set it"),
            );
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
            .map(|o| offset_text(o.1))
            .collect::<Vec<_>>()
            .join(", ");
        Zoning::Local {
            offsets,
            how: format!("UTC{shown}, as in {path}"),
        }
    }
}

/// Offsets of a zone over a range of civil times: looked at day by day, found to the hour where they change.
fn of_zone(zone: &Zone, range: (i64, i64), how: String) -> Zoning {
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
    Zoning::Local { offsets, how }
}

fn offset_text(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Number of leading folders that two paths share.
fn common_folders(a: &str, b: &str) -> usize {
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
