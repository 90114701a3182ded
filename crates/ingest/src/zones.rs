//! Time zone inference for sources without a stated zone: the user's choice, records with both epoch and local time,
//! adjacent logs with a stated zone, or the machine's zone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clocks;
use widetui_core::folders;
use widetui_core::ids::SourceId;
use widetui_store::source::{Source, ZoneBasis, Zoning};
use widetui_time::time::NS_PER_SECOND;
use widetui_time::zone::Zone;

/// Zone options of the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZoneOptions<'z> {
    /// Zone given by the user; overrides all evidence.
    pub(crate) given: Option<&'z Zone>,
    /// Zone to assume without evidence.
    pub(crate) fallback: &'z Zone,
}

const HOUR: i64 = 3_600 * NS_PER_SECOND;
const DAY: i64 = 24 * HOUR;

/// Number of sources with evidence before and after a source that decide about its zone.
const WITNESSES: usize = 8;

/// Offset changes: (time, offset in seconds), ascending by time.
pub(crate) type Offsets = Vec<(i64, i32)>;

/// Evidence of local zones: records with both epoch and local time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Path and (epoch, offset) pairs by source; one pair for each offset, the earliest.
    sources: BTreeMap<u32, (String, Offsets)>,
    /// Sources with evidence within each folder, at any depth.
    folders: FxHashMap<String, BTreeSet<u32>>,
}

impl Evidence {
    /// Adds evidence from further records of a source.
    pub(crate) fn add(&mut self, source: &Source, zones: &[(i64, i32)]) {
        if zones.is_empty() {
            return;
        }
        let id = source.id.0;
        let known = self.sources.entry(id);
        let (path, list) = known.or_insert_with(|| (source.path.clone(), Offsets::new()));
        if list.is_empty() {
            for folder in folders::above(path) {
                self.folders
                    .entry(folder.to_owned())
                    .or_default()
                    .insert(id);
            }
        }
        list.extend(zones);
        list.sort_unstable();
        list.dedup_by_key(|z| z.1);
    }

    /// Zoning of a source without a stated zone: the user's choice, else the nearest evidence in the folder tree, else
    /// the fallback.
    pub(crate) fn zoning(
        &self,
        source: &Source,
        zone_options: ZoneOptions<'_>,
        stated: &StatedIn<'_>,
    ) -> Zoning {
        let range = source.stats.range.unwrap_or_default();
        if let Some(zone) = zone_options.given {
            let how = format!("{zone}, as given by --tz");
            return zoning_by(zone, range, ZoneBasis::UserOption, how);
        }
        let Some((folder, path, list)) = self.nearest(source) else {
            let fallback = zone_options.fallback;
            let how = format!("{fallback}: no log shows the zone, use --tz to set it");
            return zoning_by(fallback, range, ZoneBasis::LocalMachine, how);
        };
        let offsets = by_local_time(list, zone_options.given.unwrap_or(zone_options.fallback));
        let shown = offsets
            .iter()
            .map(|o| Zone::Fixed(o.1).to_string())
            .collect::<Vec<_>>()
            .join(", ");
        // Logs with a stated zone in a deeper folder may be better evidence.
        let basis = match stated.depth(&source.path) > Some(folders::depth(folder)) {
            true => ZoneBasis::Inferred,
            false => ZoneBasis::Evidence,
        };
        Zoning::Local {
            offsets,
            second_passes: Vec::new(),
            days: Vec::new(),
            basis,
            how: format!("UTC{shown}, as in {path}"),
        }
    }

    /// Source itself if it has evidence, else the nearest source with the offset that most of the [`WITNESSES`] nearest ones on
    /// either side have: the innermost common folder, the path of the source, its offsets.
    fn nearest<'s>(&'s self, source: &'s Source) -> Option<(&'s str, &'s str, &'s Offsets)> {
        let mut above = folders::above(&source.path);
        above.find_map(|folder| {
            let ids = self.folders.get(folder)?;
            let before = ids.range(..source.id.0).rev().take(WITNESSES);
            let after = ids.range(source.id.0..).take(WITNESSES);
            let near: Vec<u32> = before.chain(after).copied().collect();
            let offset = |id: u32| Some(self.sources.get(&id)?.1.last()?.1);
            let votes = |id: u32| near.iter().filter(|o| offset(**o) == offset(id)).count();
            let others = near.iter().copied();
            let by_vote = |id: &u32| {
                let distance = id.abs_diff(source.id.0);
                (distance == 0, votes(*id), Reverse(distance), *id)
            };
            let id = others.max_by_key(by_vote)?;
            let (path, list) = self.sources.get(&id)?;
            Some((folder, path.as_str(), list))
        })
    }
}

/// Folders that contain logs with a stated zone.
#[derive(Debug, Default)]
pub(crate) struct StatedIn<'s>(FxHashSet<&'s str>);

impl<'s> StatedIn<'s> {
    /// Collects the folders of all sources of a run; `is_local` is whether a source states no zone.
    pub fn of(
        sources: impl Iterator<Item = &'s Source>,
        is_local: impl Fn(&Source) -> bool,
    ) -> Self {
        let stated = sources.filter(|s| s.stats.range.is_some() && !is_local(s));
        StatedIn(stated.flat_map(|s| folders::above(&s.path)).collect())
    }

    /// Depth of the innermost such folder above a path.
    fn depth(&self, path: &str) -> Option<usize> {
        let mut above = folders::above(path);
        let folder = above.find(|folder| self.0.contains(folder))?;
        Some(folders::depth(folder))
    }
}

/// Zoning by a zone for a range of local times.
fn zoning_by(zone: &Zone, range: (i64, i64), basis: ZoneBasis, how: String) -> Zoning {
    Zoning::Local {
        offsets: offsets_of(zone, range),
        second_passes: Vec::new(),
        days: Vec::new(),
        basis,
        how,
    }
}

/// Offset of a zone at the start of a range of local times, and its changes within the range or the day after, to the
/// second. A time has the same offset in all ranges that contain it.
fn offsets_of(zone: &Zone, range: (i64, i64)) -> Offsets {
    let offset_at = |civil: i64| zone.offset_at_local(civil) as i32;
    let mut offsets = vec![(i64::MIN, offset_at(range.0))];
    let mut at = range.0;
    // Limited to ten years, as nonsensical times could make the range very long.
    let end = range.1.saturating_add(DAY);
    let end = end.min(range.0.saturating_add(3650 * DAY));
    while at < end {
        // No two changes are within a day of each other.
        let next = at.saturating_add(DAY);
        let offset = offset_at(next);
        if offsets.last().is_some_and(|o| o.1 != offset) {
            let change = first_second(at, next, |civil| offset_at(civil) == offset);
            // A change after the range has no effect.
            if change <= end {
                offsets.push((change, offset));
            }
        }
        at = next;
    }
    offsets
}

/// Binary search for the first whole second of a range at which a monotonic predicate holds.
fn first_second(from: i64, to: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let (mut low, mut high) = (from.div_euclid(NS_PER_SECOND), to.div_euclid(NS_PER_SECOND));
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match holds(middle.saturating_mul(NS_PER_SECOND)) {
            true => high = middle,
            false => low = middle,
        }
    }
    high.saturating_mul(NS_PER_SECOND)
}

/// Converts (epoch, offset) pairs to offsets by local time.
fn by_local_time(pairs: &[(i64, i32)], zone: &Zone) -> Offsets {
    let mut offsets = Offsets::new();
    let mut before: Option<(i64, i32)> = None;
    for (epoch, offset) in pairs {
        let civil = match before {
            None => epoch.saturating_add(offset_ns(*offset)),
            Some(before) => {
                let change = changed_at(before, (*epoch, *offset), zone);
                // When clocks are set back, local times up to the change also occur before it.
                change.saturating_add(offset_ns((*offset).max(before.1)))
            }
        };
        before = Some((*epoch, *offset));
        if offsets.last().is_none_or(|last| last.0 < civil) {
            offsets.push((civil, *offset));
        }
    }
    offsets
}

/// Time of the offset change between two records with both times: that of `zone` if its offsets agree with the records,
/// else the whole hour before the second record.
fn changed_at(before: (i64, i32), after: (i64, i32), zone: &Zone) -> i64 {
    let offset_at = |epoch: i64| zone.offset_at_utc(epoch) as i32;
    if (offset_at(before.0), offset_at(after.0)) == (before.1, after.1)
        && after.0.saturating_sub(before.0) < 300 * DAY
    {
        return first_second(before.0, after.0.saturating_add(NS_PER_SECOND), |epoch| {
            offset_at(epoch) == after.1
        });
    }
    let on_clock = after.0.saturating_add(offset_ns(before.1));
    let hour = after.0.saturating_sub(on_clock.rem_euclid(HOUR));
    hour.max(before.0)
}

const fn offset_ns(offset: i32) -> i64 {
    offset as i64 * NS_PER_SECOND
}

/// Zones by log that make its times overlap with adjacent logs that state their zone; excludes logs that overlap
/// already and uncertain cases.
pub(crate) fn zones_by_overlap<'s>(
    sources: impl Iterator<Item = &'s Source>,
) -> Vec<(SourceId, Zoning)> {
    let sure = clocks::find_sure_offsets(sources);
    let by_log = sure.into_iter().flat_map(|clock_offset| {
        let zoning = Zoning::Local {
            offsets: vec![(i64::MIN, clock_offset.offset)],
            second_passes: Vec::new(),
            days: Vec::new(),
            basis: ZoneBasis::Evidence,
            how: format!(
                "UTC{}{} ({})",
                clock_offset.zone(),
                match clock_offset.is_stated {
                    true => ", as logs of the same time state it",
                    false =>
                        ": the logs then begin and end together with logs that state their zone",
                },
                clock_offset.example.1
            ),
        };
        clock_offset
            .logs
            .into_iter()
            .map(move |log| (log, zoning.clone()))
    });
    by_log.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::load_state::LoadState;
    use widetui_source::text::MemoryText;

    #[test]
    fn several_witnesses_outvote_an_odd_one() {
        let source = |id: u32, path: &str| {
            let mut state = LoadState::default();
            let ids = (0..=id).map(|_| state.add(path, 0, Arc::<MemoryText>::default()));
            let id = ids.last().unwrap();
            state.source(id).unwrap().clone()
        };
        let mut evidence = Evidence::default();
        evidence.add(&source(0, "run/a.log"), &[(0, 3_600)]);
        evidence.add(&source(1, "run/b.log"), &[(0, 3_600)]);
        evidence.add(&source(2, "run/odd.log"), &[(0, 0)]);
        let path = |id: u32, of: &str| {
            let source = source(id, of);
            evidence.nearest(&source).unwrap().1.to_owned()
        };
        assert_eq!(path(3, "run/x.log"), "run/b.log");
        assert_eq!(path(2, "run/odd.log"), "run/odd.log", "own evidence");
    }
}
