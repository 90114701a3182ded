//! Places to which work was sent although no resource was there to take it, and none joined later.

use crate::unfinished::model::AbsentResource;
use std::cell::RefCell;

use rustc_hash::FxHashMap;

use widetui_analysis::entity::LogKinds;
use widetui_analysis::entity::{Entity, Instance, Instances};
use widetui_store::Snapshot;
use widetui_time::time::{NS_PER_SECOND, format_span};

use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::Id;
use widetui_analysis::runs::Runs;

/// Minimum time for which the log of arrivals must continue, ns; a shorter one does not show that no resource joined.
const SHORTEST: i64 = NS_PER_SECOND;

impl AbsentResource {
    /// Describes the absence in a sentence.
    pub(crate) fn words(&self) -> String {
        let AbsentResource { title, place, .. } = self;
        let long = format_span(self.span);
        match self.gone {
            0 if self.span < SHORTEST => format!("No record states that a {title} joined {place}."),
            0 => format!("No {title} joined {place} in the next {long}."),
            1 => format!(
                "The one {title} of {place} was gone before, and none joined in the next {long}."
            ),
            n => format!(
                "All {n} {title}s of {place} were gone before, and none joined in the next {long}."
            ),
        }
    }
}

/// A resource whose arrival was recorded.
struct Comer {
    places: Id,
    /// Last record, UTC ns.
    last: i64,
    /// Detection of its loss, UTC ns.
    lost: Option<i64>,
}

/// Time until which a log would have recorded arrivals, UTC ns, by run and place.
type Watched = FxHashMap<(Option<usize>, Id), Option<i64>>;

/// Resources of one entity.
struct Kind<'a> {
    of: &'a Entity,
    arrival_logs: &'a LogKinds,
    /// Keys of their ids; work with such a key in its place was sent to a resource already.
    own: Vec<String>,
    comers: Vec<Comer>,
    /// Indices into `comers` by key and value of a place.
    at: FxHashMap<(String, String), Vec<usize>>,
    /// Cache, because it is needed for each waiting work item.
    watched: RefCell<Watched>,
}

/// Recorded arrivals of all resources whose arrival a log would record.
pub(crate) struct Arrivals<'a> {
    kinds: Vec<Kind<'a>>,
}

impl<'a> Arrivals<'a> {
    /// Collects the arrivals of all resource entities, including those without instances.
    pub(crate) fn new(snapshot: &Snapshot, found: &'a AllInstances) -> Arrivals<'a> {
        let there = found.occurring.iter().map(|of| (&*of.entity, Some(of)));
        let absent = found.absent_entities.iter().map(|entity| (&**entity, None));
        let carriers = there.chain(absent).filter(|(of, _)| of.is_resource());
        let kinds = carriers.filter_map(|(of, instances)| {
            of.start.as_ref()?;
            let comers = instances.map_or_else(Vec::new, |i| comers(snapshot, i));
            let mut at: FxHashMap<(String, String), Vec<usize>> = FxHashMap::default();
            for (number, comer) in comers.iter().enumerate() {
                for place in &comer.places {
                    at.entry(place.clone()).or_default().push(number);
                }
            }
            Some(Kind {
                of,
                arrival_logs: of.executor_logs.as_ref()?,
                own: of.id.iter().flatten().cloned().collect(),
                comers,
                at,
                watched: RefCell::default(),
            })
        });
        Arrivals {
            kinds: kinds.collect(),
        }
    }

    /// The resource that was absent from a place of a run for `span` ns from a time on (UTC ns); `None` if one was
    /// there, or it is unknown.
    pub(crate) fn missed(
        &self,
        snapshot: &Snapshot,
        (runs, run): (&Runs, Option<usize>),
        place: &[(String, String)],
        (since, span): (i64, i64),
    ) -> Option<AbsentResource> {
        self.kinds.iter().find_map(|kind| {
            if place.iter().any(|p| kind.own.contains(&p.0)) {
                return None;
            }
            let is_outer = |p: &&(String, String)| {
                let mut keys = kind.of.place_keys.iter();
                keys.any(|key| *key == p.0)
            };
            let outer: Vec<&(String, String)> = place.iter().filter(is_outer).collect();
            let (key, value) = outer.first()?;
            // The log of arrivals may end before the run does.
            let watched = kind.watched_until(snapshot, (runs, run), &outer)?;
            let there = kind.there(&outer);
            let span = span.min(watched.saturating_sub(since)).max(0);
            // A log that waits for the first resource has nothing to write.
            if span < SHORTEST && !there.is_empty() {
                return None;
            }
            let is_gone = |c: &Comer| c.last < since || c.lost.is_some_and(|lost| lost <= since);
            let gone = there.len();
            let label = snapshot.catalog.keys.find(key);
            let label = label.and_then(|key| snapshot.catalog.keys.get(key));
            there.into_iter().all(is_gone).then(|| AbsentResource {
                title: kind.of.title.clone(),
                place: match label {
                    Some(view) => format!("{} {value}", view.key.label),
                    None => value.clone(),
                },
                gone,
                span,
            })
        })
    }
}

impl Kind<'_> {
    /// Resources that were at a place.
    fn there(&self, place: &[&(String, String)]) -> Vec<&Comer> {
        let of = |part: &&(String, String)| self.at.get(*part).map_or(&[][..], |all| all);
        let mut parts = place.iter().map(of);
        let first = parts.next().unwrap_or_default().iter();
        let is_there = |number: &&usize| parts.clone().all(|p| p.binary_search(number).is_ok());
        first.filter(is_there).map(|at| &self.comers[*at]).collect()
    }

    /// Time until which a log would have recorded arrivals at a place of a run, UTC ns.
    fn watched_until(
        &self,
        snapshot: &Snapshot,
        (runs, run): (&Runs, Option<usize>),
        place: &[&(String, String)],
    ) -> Option<i64> {
        let of = (run, place.iter().map(|p| (*p).clone()).collect());
        let mut known = self.watched.borrow_mut();
        let look = || watched_until(snapshot, self.arrival_logs, (runs, run), place);
        *known.entry(of).or_insert_with(look)
    }
}

/// Resources of an entity with a recorded arrival.
fn comers(snapshot: &Snapshot, instances: &Instances) -> Vec<Comer> {
    let came = instances.list.iter().filter(|c| c.start.is_some());
    let comer = |carrier: &Instance| {
        let lost = carrier.lost.and_then(|id| snapshot.event(id)?.time());
        Some(Comer {
            places: instances.places(snapshot, carrier),
            last: carrier.range?.1,
            lost,
        })
    };
    came.filter_map(comer).collect()
}

/// Last time, UTC ns, of the logs of arrivals of the run whose paths fit the place.
fn watched_until(
    snapshot: &Snapshot,
    arrival_logs: &LogKinds,
    (runs, run): (&Runs, Option<usize>),
    place: &[&(String, String)],
) -> Option<i64> {
    let own = snapshot.sources.iter().enumerate().filter(|(at, source)| {
        let of = runs.of_source.get(*at).copied().flatten();
        let is_meant = arrival_logs.kinds.contains(&source.kind) && (of.is_none() || of == run);
        let names = |p: &&(String, String)| {
            source.consts.iter().any(|(key, code)| {
                let view = snapshot.catalog.keys.get(*key);
                let view = view.filter(|v| *v.key.name == *p.0);
                view.is_some_and(|v| v.spelling(*code).as_ref() == Some(&p.1))
            })
        };
        is_meant && source.cut().is_none() && place.iter().all(names)
    });
    own.filter_map(|(_, source)| source.last()).max()
}
