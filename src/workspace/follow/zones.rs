//! The zones of sources that name none, while files grow.
//!
//! A source takes its zone with its first time, by the same rules as when a run is opened, from what is known then. What was
//! shown stays where it is: when the run shows later that it was another zone, that is told.

use rustc_hash::FxHashSet;

use crate::analysis::clocks;
use crate::base::diag::Severity;
use crate::base::ids::SourceId;
use crate::base::zone::Zone;
use crate::store::source::{Basis, Source, Zoning};
use crate::workspace::assemble::{Evidence, where_they_lie};
use crate::workspace::dating::{dated, to_day_of};

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
    /// Where logs of which nobody knows it lie with those that name theirs.
    common: Option<Zoning>,
    /// Sources of which it was told that they lie elsewhere.
    told: FxHashSet<SourceId>,
}

impl Zones {
    pub fn new<'s>(
        evidence: Evidence,
        zone: Option<Zone>,
        fallback: Zone,
        sources: impl Iterator<Item = &'s Source>,
    ) -> Zones {
        // Where no record shows a zone, that of sources which have one was found by where they lie.
        let shown = |z: &&Zoning| {
            matches!(
                z,
                Zoning::Local {
                    basis: Basis::Shown,
                    ..
                }
            )
        };
        let mut zonings = sources.map(|s| &s.zoning);
        let common = match evidence.is_empty() {
            true => zonings.find(shown).cloned(),
            false => None,
        };
        Zones {
            evidence,
            zone,
            fallback,
            common,
            told: FxHashSet::default(),
        }
    }
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
                    let zoning =
                        zones
                            .evidence
                            .zoning(source, zones.zone.as_ref(), &zones.fallback);
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
        if !assumed.is_empty() && self.zones.common.is_none() {
            self.zones.common = where_they_lie(self.all.iter().map(|s| &**s));
        }
        if let Some(zoning) = self.zones.common.clone() {
            for id in assumed {
                self.change(id, |s| {
                    if clocks::is_assumed(s) {
                        s.zoning = zoning.clone();
                    }
                });
            }
        }
    }

    /// A zone of the user or the machine may change in summer.
    fn extend(&mut self, id: SourceId, last: i64) {
        let zone = self.zones.zone.as_ref().unwrap_or(&self.zones.fallback);
        let now = zone.offset_at_local(last) as i32;
        let from = last - last.rem_euclid(HOUR);
        let needs = |s: &Source| match &s.zoning {
            // Evidence gives one offset for ever.
            Zoning::Local { offsets, basis, .. } if *basis != Basis::Shown => offsets
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
        let shows = !self.zones.evidence.is_empty();
        let lies = match shows {
            true => None,
            false => where_they_lie(self.all.iter().map(|s| &**s)),
        };
        if !shows && lies.is_none() {
            return;
        }
        for id in assumed {
            let Some(source) = self.all.get(id.index()) else {
                continue;
            };
            let now = match &lies {
                Some(zoning) if clocks::is_assumed(source) => zoning.clone(),
                Some(_) => continue,
                None => self
                    .zones
                    .evidence
                    .zoning(source, None, &self.zones.fallback),
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
