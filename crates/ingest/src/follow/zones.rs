//! The zones of sources that name none, while files grow.
//!
//! A source takes its zone with its first time, by the same rules as when a run is opened, from what is known then. When the
//! run shows later that it was another zone, its records are put where they belong, as they would be if the run were opened
//! then, and that is told.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clocks;
use crate::dates::{Dated, to_day_of};
use crate::repeated_hour;
use crate::zones::{StatedIn, Wanted, offsets_of, where_they_lie};
use widetui_core::diag::Severity;
use widetui_core::folders;
use widetui_core::ids::SourceId;
use widetui_store::part_stats::PartStats;
use widetui_store::segment::Segment;
use widetui_store::source::{Source, ZoneBasis, Zoning};

use super::changes::Sources;

/// Whether something in the run shows the zone of a source.
fn is_shown(source: &Source) -> bool {
    let basis = match &source.zoning {
        Zoning::Local { basis, .. } => *basis,
        Zoning::Stated => return false,
    };
    basis == ZoneBasis::Evidence
}

impl Sources {
    /// Gives sources that were read on their zone, as soon as they have a time. The zone of what was read before stays what it was.
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
        // What is looked up in all sources is put in order once for all new ones.
        let stated = self.stated();
        let zones = &self.zones;
        let zoning = |id: &SourceId| {
            let source = &self.all[id.index()];
            (*id, zones.evidence.zoning(source, zones.wanted(), &stated))
        };
        let zonings: Vec<(SourceId, Zoning)> = new.iter().map(zoning).collect();
        for (id, zoning) in zonings {
            self.change(id, |s| s.zoning = zoning);
        }
        let is_undated = |id: &SourceId| self.undated.get(id.index()) == Some(&true);
        let undated: Vec<SourceId> = new.iter().copied().filter(is_undated).collect();
        if !undated.is_empty() {
            let others = self.all.iter().filter(|s| !is_undated(&s.id));
            let dated = Dated::of(others.map(|s| &**s));
            for id in undated {
                self.change(id, |s| to_day_of(s, &dated));
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
        for (id, zoning) in where_they_lie(self.all.iter().map(|s| &**s)) {
            if assumed.contains(&id) {
                self.change(id, |s| s.zoning = zoning);
            }
        }
    }

    /// The folders with logs that name their zone.
    fn stated(&self) -> StatedIn<'_> {
        let is_local = |s: &Source| self.local.get(s.id.index()).copied().unwrap_or(false);
        StatedIn::of(self.all.iter().map(|s| &**s), is_local)
    }

    /// For each folder, however deep they stand in it, the last source whose zone the run shows.
    fn shown(&self) -> FxHashMap<String, Arc<Source>> {
        let shown = self.all.iter().filter(|s| is_shown(s));
        let by_folder = shown.flat_map(|s| {
            folders::above(&s.path).map(move |folder| (folder.to_owned(), s.clone()))
        });
        by_folder.collect()
    }

    /// A zone may change while a source goes on. Its times have the offsets that they would have if all of it were read at once.
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
            // What was shown stays: records that came since may only add to it.
            ZoneBasis::Evidence | ZoneBasis::Inferred => {
                let now = self.zones.evidence.offsets(source, self.zones.wanted());
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

    /// Finds which times of records that were just read clocks showed for the second time, given what was counted of their
    /// sources before.
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
                self.untell(id, |text| {
                    again.iter().any(|h| repeated_hour::words(h) == text)
                });
            }
            if self.all[at].zoning != zoning {
                self.change(id, |s| s.zoning = zoning);
            }
            for hour in open {
                self.tell(id, Severity::Warning, repeated_hour::words(&hour));
            }
        }
    }

    /// What the run shows by now of the zones of sources for which the machine's was taken.
    fn found_since(&self, assumed: &[SourceId]) -> Vec<(SourceId, Zoning)> {
        if self.zones.evidence.is_empty() {
            let lie = where_they_lie(self.all.iter().map(|s| &**s)).into_iter();
            return lie.filter(|(id, _)| assumed.contains(id)).collect();
        }
        let wanted = Wanted {
            given: None,
            ..self.zones.wanted()
        };
        let stated = self.stated();
        let sources = assumed.iter().filter_map(|id| self.all.get(id.index()));
        sources
            .map(|s| (s.id, self.zones.evidence.zoning(s, wanted, &stated)))
            .collect()
    }

    /// Tells of sources whose zone was assumed when they had their first time, and is another one by what is known now; the
    /// zones that they have from now on.
    pub(crate) fn zones_found_since(&mut self) -> Vec<(SourceId, Zoning)> {
        let is_assumed = |s: &Source| {
            matches!(
                &s.zoning,
                Zoning::Local {
                    basis: ZoneBasis::LocalMachine,
                    ..
                }
            ) && !self.zones.told.contains(&s.id)
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
            self.zones.told.insert(id);
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
                    "its times were taken to be in the zone of this machine when it came; by now the run shows {how}, and \
                     they stand there"
                );
                self.tell(id, Severity::Note, text);
                found.push((id, now));
            }
        }
        found
    }

    /// Gives sources other zones than those that they had.
    pub(crate) fn rezone(&mut self, zonings: Vec<(SourceId, Zoning)>) {
        for (id, zoning) in zonings {
            self.change(id, |s| s.zoning = zoning);
        }
    }
}
