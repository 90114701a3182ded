//! Facts that definitions know: messages that they explain, failed and unfinished work, lost resources; and truncated
//! sources.
//!
//! Each module is a pure function of the context; no fact depends on the facts of another module.

mod explained;
mod failed;
mod lost;
mod reach;
mod stopped;
mod truncated;
mod unfinished;

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{AllInstances, Id};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_evidence::actors::{InstanceIndex, RecordIndex, Records};
use widetui_evidence::facts::{Fact, Known};
use widetui_store::{EventRef, Snapshot};

use crate::hint::Hint;
use crate::unfinished::model::UnfinishedWork;

/// Most records of a fact that are related to those of others.
const RECORDS: usize = 100;

/// Snapshot with its instances, unfinished work and the hints of all definitions.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) found: &'a AllInstances,
    pub(crate) hung: &'a UnfinishedWork,
    pub(crate) hints: &'a [Hint],
    pub(crate) cancel: &'a Cancel,
}

impl Input<'_> {
    /// Run of the source of an event.
    fn run_of(&self, event: &EventRef<'_>) -> Option<usize> {
        let at = event.source().id.index();
        self.hung.of_source.get(at).copied().flatten()
    }

    /// True if an event came after the end of its run.
    fn is_after_end(&self, event: &EventRef<'_>) -> bool {
        let ended = |run: usize| {
            let end = self.hung.runs.get(run)?.end_event?;
            self.snapshot.event(end)?.time()
        };
        match (self.run_of(event).and_then(ended), event.time()) {
            (Some(end), Some(time)) => time > end,
            _ => false,
        }
    }
}

/// Events that the facts of definitions need.
#[derive(Default)]
pub(crate) struct KnownEvents {
    explained: explained::Explained,
    /// All of them.
    pub(crate) all: Vec<EventId>,
}

/// Finds the events that the facts of definitions need. `None` if cancelled.
pub(crate) fn events(input: Input<'_>) -> Option<KnownEvents> {
    let explained = explained::search(&input)?;
    let mut all: Vec<EventId> = explained.events().collect();
    all.extend(failed::events(&input));
    all.extend(lost::events(&input));
    let stuck = input.hung.stuck.iter();
    all.extend(stuck.flat_map(unfinished::events));
    let logs = input.hung.cuts.iter().flat_map(|cut| &cut.logs);
    all.extend(logs.filter_map(|log| log.last_event));
    all.extend(stopped::events(&input));
    let original = |e: EventId| {
        input
            .snapshot
            .duplicates
            .original_of(e.0)
            .map_or(e, EventId)
    };
    all.iter_mut().for_each(|e| *e = original(*e));
    Some(KnownEvents { explained, all })
}

/// Input with the records that were read.
pub(crate) struct Context<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) found: &'a AllInstances,
    pub(crate) hung: &'a UnfinishedWork,
    pub(crate) hints: &'a [Hint],
    pub(crate) records: &'a Records,
    pub(crate) cancel: &'a Cancel,
    /// Record of each event.
    record_of: FxHashMap<EventId, RecordIndex>,
    /// Instances of definitions by entity and id.
    instance_of: FxHashMap<(&'a str, &'a Id), InstanceIndex>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(input: Input<'a>, records: &'a Records) -> Context<'a> {
        let instances = (0..).zip(&records.instances);
        let instance_of = instances.filter_map(|(at, instance)| {
            let known = records.known.get(instance.known? as usize)?;
            Some(((known.entity.as_str(), &known.id), at))
        });
        Context {
            snapshot: input.snapshot,
            found: input.found,
            hung: input.hung,
            hints: input.hints,
            cancel: input.cancel,
            input,
            records,
            record_of: (0..)
                .zip(&records.list)
                .map(|(i, r)| (r.event, i))
                .collect(),
            instance_of: instance_of.collect(),
        }
    }

    /// Record of an event; of its original, if the event is a duplicate.
    fn record(&self, event: EventId) -> Option<RecordIndex> {
        let original = self.snapshot.duplicates.original_of(event.0);
        let event = original.map_or(event, EventId);
        self.record_of.get(&event).copied()
    }

    fn instance(&self, entity: &str, id: &Id) -> Option<InstanceIndex> {
        self.instance_of.get(&(entity, id)).copied()
    }

    /// Adds the records of a fact, with the instances that the first of them name, and its first time.
    fn shown(&self, fact: Fact, records: &[RecordIndex]) -> Fact {
        let named = records.iter().take(10);
        let named = named.flat_map(|r| self.records.named(self.records.record(*r)));
        let named = named.copied().filter(|i| !self.records.is_place(*i));
        let mut fact = fact
            .about(named)
            .shown_by(records.iter().copied().take(RECORDS));
        let times = records
            .iter()
            .filter_map(|r| self.records.record(*r).seconds());
        fact.time = times.reduce(f64::min);
        fact
    }
}

/// All facts that definitions know. `None` if cancelled.
pub(crate) fn find(context: &Context<'_>, events: &KnownEvents) -> Option<Known> {
    let mut out = Known::default();
    explained::find(context, &events.explained, &mut out);
    failed::find(context, &mut out)?;
    out.facts.extend(lost::find(context));
    out.facts.extend(unfinished::find(context));
    out.facts.extend(stopped::find(context));
    out.facts.extend(truncated::find(context));
    Some(out)
}
