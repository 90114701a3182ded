//! The zones of sources whose stamps name none: as the user says, as records show that have both times, as logs beside them
//! that name theirs, or that of the machine.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clocks;
use widetui_core::folders;
use widetui_core::ids::SourceId;
use widetui_store::source::{Source, ZoneBasis, Zoning};
use widetui_time::time::NS_PER_SECOND;
use widetui_time::zone::Zone;

/// What to take where the run does not tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'z> {
    /// As the user says: above all that a run shows.
    pub(crate) given: Option<&'z Zone>,
    /// Where nothing tells.
    pub(crate) fallback: &'z Zone,
}

const HOUR: i64 = 3_600 * NS_PER_SECOND;
const DAY: i64 = 24 * HOUR;

/// (epoch ns, offset of the zone in seconds), ascending.
pub(crate) type Offsets = Vec<(i64, i32)>;

/// Offsets of the local zone that records with both times show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Path and (epoch, offset) of each source that has some; one pair for each offset, the earliest.
    sources: BTreeMap<u32, (String, Offsets)>,
    /// Those that stand in a folder, however deep.
    folders: FxHashMap<String, BTreeSet<u32>>,
}

impl Evidence {
    /// Adds what more records of a source show.
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

    /// Forgets what the records of a source show.
    pub(crate) fn forget(&mut self, id: SourceId) {
        let Some((path, _)) = self.sources.remove(&id.0) else {
            return;
        };
        for folder in folders::above(&path) {
            if let Some(ids) = self.folders.get_mut(folder) {
                ids.remove(&id.0);
            }
        }
    }

    /// Whether nothing shows the zone.
    pub(crate) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The zone of a source without one: as the user says, else as the source nearest in the tree shows, else what is left.
    pub(crate) fn zoning(
        &self,
        source: &Source,
        wanted: Wanted<'_>,
        stated: &StatedIn<'_>,
    ) -> Zoning {
        let range = source.stats.range.unwrap_or_default();
        if let Some(zone) = wanted.given {
            let how = format!("{zone}, as given by --tz");
            return of_zone(zone, range, ZoneBasis::UserOption, how);
        }
        let Some((folder, path, list)) = self.nearest(source) else {
            let fallback = wanted.fallback;
            let how = format!("{fallback}: nothing in the run tells, use --tz to set it");
            return of_zone(fallback, range, ZoneBasis::LocalMachine, how);
        };
        let offsets = of_pairs(list, wanted.given.unwrap_or(wanted.fallback));
        let shown = offsets
            .iter()
            .map(|o| Zone::Fixed(o.1).to_string())
            .collect::<Vec<_>>()
            .join(", ");
        // Logs that name their zone and stand nearer than that may tell better.
        let basis = match stated.depth(&source.path) > Some(folders::depth(folder)) {
            true => ZoneBasis::Inferred,
            false => ZoneBasis::Evidence,
        };
        Zoning::Local {
            offsets,
            second_passes: Vec::new(),
            days: 0,
            basis,
            how: format!("UTC{shown}, as in {path}"),
        }
    }

    /// The offsets of a source without a zone, by civil time, as the source nearest in the tree shows them.
    pub(crate) fn offsets(&self, source: &Source, wanted: Wanted<'_>) -> Option<Offsets> {
        let (_, _, list) = self.nearest(source)?;
        Some(of_pairs(list, wanted.given.unwrap_or(wanted.fallback)))
    }

    /// The source with some that stands nearest in the tree: the innermost folder that both are in, its path, its offsets.
    fn nearest<'s>(&'s self, source: &'s Source) -> Option<(&'s str, &'s str, &'s Offsets)> {
        let mut above = folders::above(&source.path);
        above.find_map(|folder| {
            let ids = self.folders.get(folder)?;
            let before = ids.range(..=source.id.0).next_back();
            let after = ids.range(source.id.0..).next();
            let both = [before, after].into_iter().flatten();
            let id = both.min_by_key(|id| (id.abs_diff(source.id.0), Reverse(**id)))?;
            let (path, list) = self.sources.get(id)?;
            Some((folder, path.as_str(), list))
        })
    }
}

/// The folders in which logs stand that name the zone of their times.
#[derive(Debug, Default)]
pub(crate) struct StatedIn<'s>(FxHashSet<&'s str>);

impl<'s> StatedIn<'s> {
    /// Of all sources of a run; `is_local`: whether the stamps of one name no zone.
    pub fn of(
        sources: impl Iterator<Item = &'s Source>,
        is_local: impl Fn(&Source) -> bool,
    ) -> Self {
        let stated = sources.filter(|s| s.stats.range.is_some() && !is_local(s));
        StatedIn(stated.flat_map(|s| folders::above(&s.path)).collect())
    }

    /// How deep the innermost of them lies that is above a path.
    fn depth(&self, path: &str) -> Option<usize> {
        let mut above = folders::above(path);
        let folder = above.find(|folder| self.0.contains(folder))?;
        Some(folders::depth(folder))
    }
}

/// How a zone gives the times of a range of civil ones.
fn of_zone(zone: &Zone, range: (i64, i64), basis: ZoneBasis, how: String) -> Zoning {
    Zoning::Local {
        offsets: offsets_of(zone, range),
        second_passes: Vec::new(),
        days: 0,
        basis,
        how,
    }
}

/// The offset of a zone at the start of a range of civil times, and when it changes in it or on the day behind it, to the
/// second. A time has the same offset in every range that it is in.
pub(crate) fn offsets_of(zone: &Zone, range: (i64, i64)) -> Offsets {
    let offset_at = |civil: i64| zone.offset_at_local(civil) as i32;
    let mut offsets = vec![(i64::MIN, offset_at(range.0))];
    let mut at = range.0;
    // A log of more than ten years has other problems.
    let end = range.1.saturating_add(DAY);
    let end = end.min(range.0.saturating_add(3650 * DAY));
    while at < end {
        // No two changes come within a day.
        let next = at.saturating_add(DAY);
        let offset = offset_at(next);
        if offsets.last().is_some_and(|o| o.1 != offset) {
            let change = first_second(at, next, |civil| offset_at(civil) == offset);
            // Behind its end a range says nothing.
            if change <= end {
                offsets.push((change, offset));
            }
        }
        at = next;
    }
    offsets
}

/// The first whole second of a stretch at which something holds that holds from then on to its end.
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

/// Offsets by civil time, of (epoch, offset) pairs.
fn of_pairs(pairs: &[(i64, i32)], zone: &Zone) -> Offsets {
    let mut offsets = Offsets::new();
    let mut before: Option<(i64, i32)> = None;
    for (epoch, offset) in pairs {
        let civil = match before {
            None => epoch.saturating_add(seconds(*offset)),
            Some(before) => {
                let change = changed_at(before, (*epoch, *offset), zone);
                // Where clocks are set back, times up to the change occur before it too.
                change.saturating_add(seconds((*offset).max(before.1)))
            }
        };
        before = Some((*epoch, *offset));
        if offsets.last().is_none_or(|last| last.0 < civil) {
            offsets.push((civil, *offset));
        }
    }
    offsets
}

/// When clocks were changed between two records with both times, the second of which is the first with the new offset: when
/// the zone says so, if it is the one, else at the whole hour before the second.
fn changed_at(before: (i64, i32), after: (i64, i32), zone: &Zone) -> i64 {
    let offset_at = |epoch: i64| zone.offset_at_utc(epoch) as i32;
    if (offset_at(before.0), offset_at(after.0)) == (before.1, after.1)
        && after.0.saturating_sub(before.0) < 300 * DAY
    {
        return first_second(before.0, after.0.saturating_add(NS_PER_SECOND), |epoch| {
            offset_at(epoch) == after.1
        });
    }
    let on_clock = after.0.saturating_add(seconds(before.1));
    let hour = after.0.saturating_sub(on_clock.rem_euclid(HOUR));
    hour.max(before.0)
}

const fn seconds(offset: i32) -> i64 {
    offset as i64 * NS_PER_SECOND
}

/// The zone at which logs lie with those that name theirs and stand beside them, by log; those that do as they are, and
/// those of which there is a doubt, are not among them.
pub(crate) fn where_they_lie<'s>(
    sources: impl Iterator<Item = &'s Source>,
) -> Vec<(SourceId, Zoning)> {
    let sure = clocks::apart(sources).into_iter().filter(|a| a.is_sure);
    let by_log = sure.flat_map(|apart| {
        let zoning = Zoning::Local {
            offsets: vec![(i64::MIN, apart.offset)],
            second_passes: Vec::new(),
            days: 0,
            basis: ZoneBasis::Evidence,
            how: format!(
                "UTC{}: so they begin and end with those that name their zone ({})",
                apart.zone(),
                apart.example.1
            ),
        };
        apart.logs.into_iter().map(move |log| (log, zoning.clone()))
    });
    by_log.collect()
}
