//! Work items requested during the execution of another one: the outer one cannot end before they do.
//!
//! The requester is usually a resource, such as an agent. If it executed a single work item at that moment, that item made the
//! request. If it executed several, records of the same thread or task decide; without such records nothing is concluded.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::plural;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::unfinished::model::MutualWait;
use crate::unfinished::model::{UnfinishedItem, UnfinishedWork};
use crate::unfinished::unfinished_item::Open;
use widetui_analysis::entity::AllInstances;
use widetui_core::words::listed;

/// Keys that tell executions in one place apart. Python since 3.12 names tasks of asyncio: a request is made within that of
/// the requester.
const EXECUTION_KEYS: [&str; 2] = ["pid", "asyncio_task"];

/// Execution of an instance: begin, end (unlimited if unfinished), instance, and event of the begin.
struct Execution {
    from: i64,
    to: i64,
    at: usize,
    event: EventId,
}

/// Adds the work that unfinished items requested to their waits; `waits` is parallel to `open`.
pub(crate) fn add(
    snapshot: &Snapshot,
    instances: &Instances,
    open: &[Open],
    waits: &mut [Vec<usize>],
) {
    let entity = &instances.entity;
    let find = |key: &String| snapshot.catalog.keys.find(key);
    let Some(asked_by) = entity.requester_key.as_ref().and_then(find) else {
        return;
    };
    let same = EXECUTION_KEYS
        .iter()
        .filter_map(|key| snapshot.catalog.keys.find(key));
    let same: Vec<KeyId> = same.collect();
    let number: FxHashMap<usize, usize> = open.iter().enumerate().map(|(n, o)| (o.at, n)).collect();
    let mut at_work: Option<FxHashMap<String, Vec<Execution>>> = None;
    for (n, Open { at, .. }) in open.iter().enumerate() {
        let Some((asker, event)) = asking(snapshot, instances, &instances.list[*at], asked_by)
        else {
            continue;
        };
        let Some(time) = snapshot.event(event).and_then(|e| e.time()) else {
            continue;
        };
        let own = values(snapshot, event, &same);
        let all = at_work.get_or_insert_with(|| executions(snapshot, instances));
        let fits = |e: &&Execution| {
            let is_then = e.from <= time && time < e.to && e.at != *at;
            let theirs = || values(snapshot, e.event, &same);
            is_then
                && own
                    .iter()
                    .zip(theirs())
                    .all(|(a, b)| a.is_none() || b.is_none() || *a == b)
        };
        let mut fitting = all.get(&asker).into_iter().flatten().filter(fits);
        if let (Some(one), None) = (fitting.next(), fitting.next())
            && one.to == i64::MAX
            && let Some(waiter) = number.get(&one.at)
            && !waits[*waiter].contains(&n)
        {
            waits[*waiter].push(n);
        }
    }
}

/// Requester of an instance, and the event that names it.
fn asking(
    snapshot: &Snapshot,
    instances: &Instances,
    instance: &Instance,
    asked_by: KeyId,
) -> Option<(String, EventId)> {
    let named = |id: &u32| {
        let event = EventId(*id);
        let code = values(snapshot, event, &[asked_by]).pop()??;
        let view = snapshot.catalog.keys.get(asked_by)?;
        Some((view.spelling(code)?, event))
    };
    instances.events(instance).iter().find_map(named)
}

/// Value of each key in an event.
fn values(snapshot: &Snapshot, event: EventId, keys: &[KeyId]) -> Vec<Option<Code>> {
    let mut out = vec![None; keys.len()];
    if let Some(event) = snapshot.event(event) {
        event.for_each_code(|key, codes, _| {
            let place = keys.iter().position(|k| *k == key);
            if let (Some(place), [code]) = (place, codes) {
                let view = snapshot.catalog.keys.get(key);
                let code = view.map_or(*code, |v| v.dict.canonical(*code));
                out[place].get_or_insert(code);
            }
        });
    }
    out
}

/// Executions by innermost place.
fn executions(snapshot: &Snapshot, instances: &Instances) -> FxHashMap<String, Vec<Execution>> {
    let entity = &instances.entity;
    let mut out: FxHashMap<String, Vec<Execution>> = FxHashMap::default();
    let inner = entity.place_keys.last();
    for (at, instance) in instances.list.iter().enumerate() {
        let place = instances.places(snapshot, instance).pop();
        let Some((_, place)) = place.filter(|(key, _)| Some(key) == inner) else {
            continue;
        };
        let is = |which: &[String], state: u16| {
            let name = instances.states.get(usize::from(state));
            name.is_some_and(|name| which.contains(name))
        };
        let changes = instances.changes(instance);
        let begun = changes
            .iter()
            .find(|c| is(&entity.executing_states, c.state));
        let Some(begun) = begun.filter(|c| c.time != NO_TIME) else {
            continue;
        };
        let is_over = |state: u16| {
            let name = instances.states.get(usize::from(state));
            is(&entity.executed_states, state) || name.is_some_and(|name| entity.is_final(name))
        };
        let over = changes
            .iter()
            .filter(|c| is_over(c.state) && c.time >= begun.time);
        out.entry(place).or_default().push(Execution {
            from: begun.time,
            to: over.map(|c| c.time).min().unwrap_or(i64::MAX),
            at,
            event: begun.event,
        });
    }
    out
}

/// Maximum number of resources listed by name.
const NAMED: usize = 6;

/// Finds unfinished work on resources that wait for each other.
pub(crate) fn mutual(found: &AllInstances, stuck: &[UnfinishedItem]) -> Vec<MutualWait> {
    let place = |at: usize| stuck[at].place.last();
    // Waits between resources, by key.
    let mut edges: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (at, one) in stuck.iter().enumerate().filter(|(_, s)| s.is_executing) {
        let Some((key, here)) = place(at) else {
            continue;
        };
        for other in one.waits_for.iter().filter(|o| stuck[**o].is_executing) {
            if let Some((_, there)) = place(*other).filter(|p| p.0 == *key && p.1 != *here) {
                edges.entry((key, here)).or_default().insert(there);
            }
        }
    }
    let reached = |from: (&str, &str)| {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut next: Vec<String> = vec![from.1.to_owned()];
        while let Some(one) = next.pop() {
            for there in edges.get(&(from.0, one.as_str())).into_iter().flatten() {
                if seen.insert((*there).to_owned()) {
                    next.push((*there).to_owned());
                }
            }
        }
        seen
    };
    let mut out: Vec<MutualWait> = Vec::new();
    let mut told: BTreeSet<(&str, String)> = BTreeSet::new();
    for (key, name) in edges.keys() {
        let all = reached((key, name));
        if !all.contains(*name) || told.contains(&(*key, (*name).to_owned())) {
            continue;
        }
        let is_back = |other: &&String| reached((key, other.as_str())).contains(*name);
        let carriers: Vec<String> = all.iter().filter(is_back).cloned().collect();
        told.extend(carriers.iter().map(|c| (*key, c.clone())));
        let is_there =
            |at: &usize| place(*at).is_some_and(|p| p.0 == *key && carriers.contains(&p.1));
        let is_part = |at: &usize| {
            let others = stuck[*at].waits_for.iter().chain(&stuck[*at].waiters);
            is_there(at) && others.clone().any(is_there)
        };
        let entity = found.occurring.iter().map(|i| &i.entity);
        let is_carrier = |e: &&std::sync::Arc<widetui_analysis::Entity>| {
            e.id.iter().any(|id| id.last().is_some_and(|k| k == key))
        };
        out.push(MutualWait {
            title: entity
                .filter(|e| e.is_resource())
                .find(is_carrier)
                .map_or_else(|| "carrier".to_owned(), |e| e.title.clone()),
            stuck: (0..stuck.len()).filter(is_part).collect(),
            carriers,
        });
    }
    out
}

impl MutualWait {
    /// Explanation, a phrase.
    pub(crate) fn how(&self, hung: &UnfinishedWork) -> String {
        let goal = self.stuck.first().map(|at| hung.stuck[*at].title.as_str());
        format!(
            "each has begun {} that waits for what another of them does not end",
            goal.map_or_else(|| "work".to_owned(), |goal| format!("one {goal}"))
        )
    }

    /// Description without a full stop.
    pub(crate) fn words(&self, hung: &UnfinishedWork) -> String {
        format!("{}: {}", self.title(), self.how(hung))
    }

    /// Title: `agents a and b wait for each other`.
    pub fn title(&self) -> String {
        let names = listed(&self.carriers, NAMED);
        format!("{} {names} wait for each other", plural(&self.title))
    }
}
