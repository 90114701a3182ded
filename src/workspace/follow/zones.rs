//! The zones of sources that name none, while files grow.
//!
//! A source takes its zone with its first time, by the same rules as when a run is opened, from what is known then. What was
//! shown stays where it is: when the run shows later that it was another zone, that is told.

use rustc_hash::FxHashSet;

use crate::analysis::clocks;
use crate::base::diag::Severity;
use crate::base::folders;
use crate::base::ids::SourceId;
use crate::base::zone::Zone;
use crate::store::source::{Basis, Source, Zoning};
use crate::workspace::dating::{dated, to_day_of};
use crate::workspace::zoning::{Evidence, StatedIn, Wanted, where_they_lie};

use super::changes::Sources;

const HOUR: i64 = 3_600_000_000_000;

/// What is known of the zones of a run.
#[derive(Clone)]
pub(super) struct Zones {
    pub evidence: Evidence,
    /// As the user says.
    pub zone: Option<Zone>,
    /// The machine's.
    pub fallback: Zone,
    /// Sources of which it was told that they lie elsewhere.
    told: FxHashSet<SourceId>,
}

impl Zones {
    pub fn new(evidence: Evidence, zone: Option<Zone>, fallback: Zone) -> Zones {
        Zones {
            evidence,
            zone,
            fallback,
            told: FxHashSet::default(),
        }
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            given: self.zone.as_ref(),
            fallback: &self.fallback,
        }
    }
}

/// Whether something in the run shows the zone of a source.
fn is_shown(source: &Source) -> bool {
    let basis = match &source.zoning {
        Zoning::Local { basis, .. } => *basis,
        Zoning::Stated => return false,
    };
    basis == Basis::Shown
}

impl Sources {
    /// Gives sources that were read on their zone, as soon as they have a time. The zone of what was read before stays what it was.
    pub fn find_zones(&mut self, read: impl Iterator<Item = SourceId>) {
        let mut assumed = Vec::new();
        for id in read {
            let index = id.index();
            let Some(source) = self.all.get(index).filter(|_| self.local[index]) else {
                continue;
            };
            let Some((_, last)) = source.stats.range else {
                continue;
            };
            match &source.zoning {
                Zoning::Stated => {
                    let zones = &self.zones;
                    let stated = self.stated();
                    let zoning = zones.evidence.zoning(source, zones.wanted(), &stated);
                    self.change(id, |s| s.zoning = zoning);
                    if clocks::is_assumed(&self.all[index]) {
                        assumed.push(id);
                    }
                    if self.undated[index] {
                        let pairs = self
                            .all
                            .iter()
                            .map(|s| &**s)
                            .zip(self.undated.iter().copied());
                        let dated = dated(pairs);
                        self.change(id, |s| to_day_of(s, &dated));
                    }
                }
                Zoning::Local { .. } => self.extend(id, last),
            }
        }
        if assumed.is_empty() {
            return;
        }
        for id in &assumed {
            if let Some(zoning) = self.as_beside(*id) {
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

    /// The zone that was found for the log that stands nearest to one whose zone nobody knows.
    fn as_beside(&self, id: SourceId) -> Option<Zoning> {
        let own = self.all.get(id.index())?;
        let known = self.all.iter().filter(|s| is_shown(s));
        let nearest = known.max_by_key(|s| folders::shared(&s.path, &own.path))?;
        Some(nearest.zoning.clone())
    }

    /// A zone of the user or the machine may change in summer.
    fn extend(&mut self, id: SourceId, last: i64) {
        let zone = self.zones.zone.as_ref().unwrap_or(&self.zones.fallback);
        let now = zone.offset_at_local(last) as i32;
        let from = last - last.rem_euclid(HOUR);
        let needs = |s: &Source| match &s.zoning {
            // Evidence gives one offset for ever.
            Zoning::Local {
                offsets,
                basis: Basis::Given | Basis::Assumed,
                ..
            } => offsets
                .last()
                .is_some_and(|(at, offset)| *offset != now && *at < from),
            _ => false,
        };
        if self.all.get(id.index()).is_some_and(|s| needs(s)) {
            self.change(id, |s| {
                if let Zoning::Local { offsets, .. } = &mut s.zoning {
                    offsets.push((from, now));
                }
            });
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

    /// Tells of sources whose zone was assumed when they had their first time, and is another one by what is known now.
    pub fn tell_of_zones(&mut self) {
        let is_assumed = |s: &Source| {
            matches!(
                &s.zoning,
                Zoning::Local {
                    basis: Basis::Assumed,
                    ..
                }
            ) && !self.zones.told.contains(&s.id)
        };
        let assumed = self.all.iter().filter(|s| is_assumed(s));
        let assumed: Vec<SourceId> = assumed.map(|s| s.id).collect();
        if assumed.is_empty() {
            return;
        }
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
            if let Zoning::Local { how, .. } = now
                && was != is
            {
                let text = format!(
                    "its times were taken to be in the zone of this machine when it came; by now the run shows {how}. Open the run \
                     again to have them there"
                );
                self.tell(id, Severity::Warning, text);
            }
        }
    }
}
