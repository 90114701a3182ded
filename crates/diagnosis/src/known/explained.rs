//! Messages that definitions explain.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_definition::semantics::Severity;
use widetui_evidence::actors::{InstanceIndex, RecordIndex};
use widetui_evidence::facts::{Fact, Known, Statement};
use widetui_query::select;

use super::reach::{Cleared, Moments, code, foreign, group, names_system};
use super::{Context, Input};
use crate::hint::Hint;

/// Most values of a hint's key with a fact each; beyond that all values share one fact.
const GROUPS: usize = 3;

/// Most events of a hint that are read.
const READ: usize = 1_000;

/// Events that hints explain.
#[derive(Default)]
pub(super) struct Explained {
    /// Index of each hint that any event shows, with its events in time order.
    by_hint: Vec<(usize, Vec<EventId>)>,
    /// Events of harmless messages.
    harmless: Vec<EventId>,
}

impl Explained {
    /// Events that are to be read.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        let shown = self
            .by_hint
            .iter()
            .flat_map(|(_, all)| all.iter().take(READ));
        shown.copied()
    }
}

/// Searches the events of all hints. `None` if cancelled.
pub(super) fn search(input: &Input<'_>) -> Option<Explained> {
    let mut out = Explained::default();
    let mut seen = FxHashSet::default();
    // Harmless hints first: another system's hint may match the same words.
    let of = |is_info: bool| {
        let all = input.hints.iter().enumerate();
        all.filter(move |(_, h)| (h.severity == Severity::Info) == is_info)
    };
    for (at, hint) in of(true).chain(of(false)) {
        let events = events(input, hint, &mut seen, &mut out.harmless)?;
        if hint.severity == Severity::Info {
            out.harmless.extend(&events);
        }
        if !events.is_empty() {
            out.by_hint.push((at, events));
        }
    }
    Some(out)
}

/// Events that show a hint and that no earlier hint explains. Those that it explains as harmless are added to `harmless`.
/// `None` if cancelled.
fn events(
    input: &Input<'_>,
    hint: &Hint,
    seen: &mut FxHashSet<EventId>,
    harmless: &mut Vec<EventId>,
) -> Option<Vec<EventId>> {
    let snapshot = input.snapshot;
    let shown = select(snapshot, &hint.only, input.cancel)?;
    if shown.is_empty() {
        return Some(Vec::new());
    }
    let noise = Moments::of(input, hint.noise_after.as_ref())?;
    let met = Moments::of(input, hint.unless.as_ref())?;
    let cleared = Cleared::of(input, hint)?;
    let foreign = foreign(input, hint);
    let mut out = Vec::new();
    for id in shown.ordered(snapshot).into_iter().map(EventId) {
        let Some(event) = snapshot.event(id) else {
            continue;
        };
        let is_copy = snapshot.duplicates.original_of(id.0).is_some();
        let is_foreign = foreign.contains(&event.source().id);
        if is_copy
            || is_foreign && !names_system(&event, &hint.system)
            || met.concern(input, &event)
        {
            continue;
        }
        let is_new = seen.insert(id);
        // Records of another run of the process, written after the end of this one, are in the logs of both.
        let mut copies = group(input, id).filter_map(|id| snapshot.event(id));
        if cleared.has(&event) || copies.all(|e| noise.precede(input, &e)) {
            harmless.push(id);
        } else if is_new {
            out.push(id);
        }
    }
    Some(out)
}

/// Adds the facts of all hints, and the records of harmless messages.
pub(super) fn find(context: &Context<'_>, explained: &Explained, out: &mut Known) {
    let harmless = explained.harmless.iter();
    out.harmless = harmless.filter_map(|e| context.record(*e)).collect();
    for (at, events) in &explained.by_hint {
        let Some(hint) = context.hints.get(*at) else {
            continue;
        };
        let records: Vec<RecordIndex> = events.iter().filter_map(|e| context.record(*e)).collect();
        for (subject, records) in groups(context, hint, &records) {
            let mut fact = fact(context, (*at, hint), subject, &records);
            if records.len() == events.len().min(READ) {
                fact.count = u32::try_from(events.len()).unwrap_or(u32::MAX);
            }
            out.facts.push(fact);
        }
    }
}

/// Records by the value of the hint's key, with the instance that the value names.
fn groups(
    context: &Context<'_>,
    hint: &Hint,
    records: &[RecordIndex],
) -> Vec<(Option<InstanceIndex>, Vec<RecordIndex>)> {
    let keys = &context.snapshot.catalog.keys;
    let value = |record: &RecordIndex, key: KeyId| {
        let event = context.records.record(*record).event;
        code(&context.snapshot.event(event)?, key)
    };
    let names = hint.by.iter().chain(&hint.names);
    let names: Vec<KeyId> = names.filter_map(|k| keys.find(k)).collect();
    let Some(by) = hint.by.as_ref().and_then(|k| keys.find(k)) else {
        let first = records.first().and_then(|r| {
            let mut named = names.iter();
            named.find_map(|key| Some((*key, value(r, *key)?)))
        });
        let is_only = |(key, code): &(KeyId, Code)| {
            { records.iter() }.all(|r| value(r, *key).is_none_or(|c| c == *code))
        };
        let subject = first.filter(is_only).and_then(|n| subject(context, n));
        return vec![(subject, records.to_vec())];
    };
    let mut groups: Vec<(Option<Code>, Vec<RecordIndex>)> = Vec::new();
    let mut at: FxHashMap<Option<Code>, usize> = FxHashMap::default();
    for record in records {
        let value = value(record, by);
        let at = *at.entry(value).or_insert_with(|| {
            groups.push((value, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(*record);
    }
    if groups.len() > GROUPS {
        return vec![(None, records.to_vec())];
    }
    let subject = |value: Option<Code>| subject(context, (by, value?));
    let groups = groups.into_iter();
    groups.map(|(v, records)| (subject(v), records)).collect()
}

/// Only instance whose id ends with a value of a key.
fn subject(context: &Context<'_>, (key, value): (KeyId, Code)) -> Option<InstanceIndex> {
    let mut found = context.found.occurring.iter().flat_map(|all| {
        let list = all.list.iter().filter(move |one| {
            all.id_keys(one).last() == Some(&key) && one.id.last() == Some(&value)
        });
        list.map(move |one| (all, one))
    });
    let (all, one) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    context.instance(&all.entity.name, &all.id(context.snapshot, one))
}

fn fact(
    context: &Context<'_>,
    (at, hint): (usize, &Hint),
    subject: Option<InstanceIndex>,
    records: &[RecordIndex],
) -> Fact {
    let strength = match hint.severity {
        Severity::Error => 0.9,
        Severity::Warning => 0.55,
        Severity::Info => 0.15,
    };
    let statement = Statement::Explained {
        hint: at,
        severity: hint.severity,
    };
    let fact = Fact::new(statement, strength).about(subject);
    let mut fact = context.shown(fact, records);
    fact.count = u32::try_from(records.len()).unwrap_or(u32::MAX);
    fact.is_bad = hint.severity == Severity::Error;
    fact
}
