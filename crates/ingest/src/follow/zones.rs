//! Time zone inference while following.
//!
//! A source gets its zone with its first time, by the rules for loading, from the evidence so far. If later evidence
//! shows another zone, its records are reordered as if the run were opened then, and the source gets a note.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clocks;
use crate::dates::{Dated, complete};
use crate::repeated_hour;
use crate::zones::{StatedIn, ZoneOptions, offsets_of, zones_by_overlap};
use widetui_core::diag::Severity;
use widetui_core::folders;
use widetui_core::ids::SourceId;
use widetui_format::sample::DateGap;
use widetui_store::part_stats::PartStats;
use widetui_store::segment::Segment;
use widetui_store::source::{Source, ZoneBasis, Zoning};

use super::changes::Sources;

/// Whether the zone of a source is based on evidence in the run.
fn is_shown(source: &Source) -> bool {
    let basis = match &source.zoning {
        Zoning::Local { basis, .. } => *basis,
        Zoning::Stated => return false,
    };
    basis == ZoneBasis::Evidence
}

impl Sources {
    /// Assigns zones to newly read sources as soon as they have a time. Zones of earlier records do not change.
    pub(crate) fn find_zones(&mut self, read: &FxHashSet<SourceId>) {
        let timed = |id: &&SourceId| {
            let index = id.index();
            self.local.get(index) == Some(&true)
                && self.all.get(index).is_some_and(|s| s.stats.range.is_some())
        };
        let (mut new, known): (Vec<SourceId>, Vec<SourceId>) = read
            .iter()
            .filter(timed)
            .partition(|id| self.all[id.index()].zoning == Zoning::Stated);
        for id in known {
            self.extend(id);
        }
        if new.is_empty() {
            return;
        }
        new.sort_unstable();
        // Indexes all sources once for all new ones.
        let stated = self.stated();
        let zones = &self.zones;
        let zoning = |id: &SourceId| {
            let source = &self.all[id.index()];
            (
                *id,
                zones.evidence.zoning(source, zones.zone_options(), &stated),
            )
        };
        let zonings: Vec<(SourceId, Zoning)> = new.iter().map(zoning).collect();
        for (id, zoning) in zonings {
            self.change(id, |s| s.zoning = zoning);
        }
        let gap = |id: &SourceId| self.gaps.get(id.index()).copied().unwrap_or_default();
        let incomplete = new.iter().map(|id| (*id, gap(id)));
        let incomplete: Vec<_> = incomplete
            .filter(|(_, gap)| *gap != DateGap::None)
            .collect();
        if !incomplete.is_empty() {
            let others = self.all.iter().filter(|s| gap(&s.id) == DateGap::None);
            let dated = Dated::of(others.map(|s| &**s));
            for (id, gap) in incomplete {
                self.change(id, |s| complete(s, gap, &dated));
            }
        }
        new.retain(|id| clocks::is_assumed(&self.all[id.index()]));
        let assumed = new;
        if assumed.is_empty() {
            return;
        }
        let shown = self.shown();
        for id in &assumed {
            let path = &self.all[id.index()].path;
            let nearest = folders::above(path).find_map(|folder| shown.get(folder));
            if let Some(zoning) = nearest.map(|s| s.zoning.clone()) {
                self.change(*id, |s| s.zoning = zoning);
            }
        }
        for (id, zoning) in zones_by_overlap(self.all.iter().map(|s| &**s)) {
            if assumed.contains(&id) {
                self.change(id, |s| s.zoning = zoning);
            }
        }
    }

    /// Folders that contain logs with a stated zone.
    fn stated(&self) -> StatedIn<'_> {
        let is_local = |s: &Source| self.local.get(s.id.index()).copied().unwrap_or(false);
        StatedIn::of(self.all.iter().map(|s| &**s), is_local)
    }

    /// For each folder, the last source within it, at any depth, with a zone based on evidence.
    fn shown(&self) -> FxHashMap<String, Arc<Source>> {
        let shown = self.all.iter().filter(|s| is_shown(s));
        let by_folder = shown.flat_map(|s| {
            folders::above(&s.path).map(move |folder| (folder.to_owned(), s.clone()))
        });
        by_folder.collect()
    }

    /// Adds offset changes to a source that continues, so that its times are as if it were read at once.
    fn extend(&mut self, id: SourceId) {
        let Some(source) = self.all.get(id.index()) else {
            return;
        };
        let (Zoning::Local { offsets, basis, .. }, Some(range)) =
            (&source.zoning, source.stats.range)
        else {
            return;
        };
        let now = match basis {
            ZoneBasis::UserOption | ZoneBasis::LocalMachine => {
                let zone = self.zones.zone.as_ref().unwrap_or(&self.zones.fallback);
                Some(offsets_of(zone, range))
            }
            // Known offsets stay: later records may only add to them.
            ZoneBasis::Evidence | ZoneBasis::Inferred => {
                let now = self
                    .zones
                    .evidence
                    .offsets(source, self.zones.zone_options());
                now.filter(|now| now.starts_with(offsets))
            }
        };
        if let Some(now) = now.filter(|now| now != offsets) {
            self.change(id, |s| {
                if let Zoning::Local { offsets, .. } = &mut s.zoning {
                    *offsets = now;
                }
            });
        }
    }

    /// Finds newly read times in the second occurrence of a repeated hour; `before` holds the statistics of their
    /// sources before these records.
    pub(crate) fn find_second_hours(
        &mut self,
        before: &FxHashMap<SourceId, PartStats>,
        segments: &[Segment],
    ) {
        let touched = self.all.iter().filter(|s| before.contains_key(&s.id));
        let touched = touched.filter(|s| repeated_hour::is_touched(s));
        let touched: FxHashSet<usize> = touched.map(|s| s.id.index()).collect();
        if touched.is_empty() {
            return;
        }
        for (at, records) in repeated_hour::records_of(segments, |at| touched.contains(&at)) {
            let Some(mut source) = self.all.get(at).map(|s| (**s).clone()) else {
                continue;
            };
            let before = before.get(&source.id).copied().unwrap_or_default();
            let open = repeated_hour::find(&mut source, &before, records.into_iter());
            let id = source.id;
            let zoning = source.zoning;
            if let Zoning::Local {
                second_passes: again,
                ..
            } = &zoning
            {
                self.remove_problems(id, |text| {
                    again.iter().any(|h| repeated_hour::problem(h) == text)
                });
            }
            if self.all[at].zoning != zoning {
                self.change(id, |s| s.zoning = zoning);
            }
            for hour in open {
                self.add_problem(id, Severity::Warning, repeated_hour::problem(&hour));
            }
        }
    }

    /// Zones that current evidence shows for sources with an assumed zone.
    fn found_since(&self, assumed: &[SourceId]) -> Vec<(SourceId, Zoning)> {
        if self.zones.evidence.is_empty() {
            let lie = zones_by_overlap(self.all.iter().map(|s| &**s)).into_iter();
            return lie.filter(|(id, _)| assumed.contains(id)).collect();
        }
        let zone_options = ZoneOptions {
            given: None,
            ..self.zones.zone_options()
        };
        let stated = self.stated();
        let sources = assumed.iter().filter_map(|id| self.all.get(id.index()));
        sources
            .map(|s| (s.id, self.zones.evidence.zoning(s, zone_options, &stated)))
            .collect()
    }

    /// Returns the new zones of sources for which current evidence contradicts the assumed zone, and adds a note to
    /// them.
    pub(crate) fn zones_found_since(&mut self) -> Vec<(SourceId, Zoning)> {
        let is_assumed = |s: &Source| {
            matches!(
                &s.zoning,
                Zoning::Local {
                    basis: ZoneBasis::LocalMachine,
                    ..
                }
            ) && !self.zones.noted.contains(&s.id)
        };
        let assumed = self.all.iter().filter(|s| is_assumed(s));
        let assumed: Vec<SourceId> = assumed.map(|s| s.id).collect();
        if assumed.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (id, now) in self.found_since(&assumed) {
            let Some(source) = self.all.get(id.index()) else {
                continue;
            };
            self.zones.noted.insert(id);
            let moved = Source {
                zoning: now.clone(),
                ..(**source).clone()
            };
            let (Some(was), Some(is)) = (source.last(), moved.last()) else {
                continue;
            };
            if let Zoning::Local { how, .. } = &now
                && was != is
            {
                let text = format!(
                    "its times were taken to be in the zone of this machine at first; other logs show {how}, so they \
                     were corrected"
                );
                self.add_problem(id, Severity::Note, text);
                found.push((id, now));
            }
        }
        found
    }

    /// Sets the zones of sources.
    pub(crate) fn rezone(&mut self, zonings: Vec<(SourceId, Zoning)>) {
        for (id, zoning) in zonings {
            self.change(id, |s| s.zoning = zoning);
        }
    }
}
