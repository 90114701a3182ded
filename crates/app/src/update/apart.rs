//! What tells things of one name apart, in words that people know: what they are part of, and where they were.

use std::collections::BTreeMap;

use crate::model::Model;
use widetui_core::ids::EventId;
use widetui_definition::semantics::EntityRole;
use widetui_session::instances::InstanceHandle;
use widetui_store::{Value, ValueOrigin};
use widetui_tables::key_rank;

/// Records of a thing whose paths are looked at.
const LOOKED_AT: usize = 16;

/// Characters of a value from which on it is cut: nobody reads more of an id.
const LONG: usize = 12;

/// What these are called as wholes: `task 15 try 0 prepare` among tries of several tasks.
pub(super) fn whole_names(things: &[&InstanceHandle]) -> Vec<String> {
    let outer = outer(things);
    let name = |(thing, outer): (&&InstanceHandle, String)| match outer.is_empty() {
        true => thing.full_name(),
        false => format!("{outer} {}", thing.full_name()),
    };
    things.iter().zip(outer).map(name).collect()
}

/// What tells each of these, which have one name, from the others: what it is, then where its first record was written
/// (`rundir 001`), else what it is part of. Empty where nothing does.
pub(super) fn told_apart(model: &Model, things: &[&InstanceHandle]) -> Vec<String> {
    let places = places(model, things).unwrap_or_else(|| outer(things));
    let told = |(thing, place): (&&InstanceHandle, String)| {
        let label = thing.label.clone().unwrap_or_default();
        let words = [label, place].into_iter().filter(|w| !w.is_empty());
        words.collect::<Vec<String>>().join(" · ")
    };
    things.iter().zip(places).map(told).collect()
}

/// The parts of the ids before the last one that are not the same in all of them.
fn outer(things: &[&InstanceHandle]) -> Vec<String> {
    let part = |thing: &InstanceHandle, at: usize| {
        let is_last = at + 1 >= thing.id.len();
        thing.id.get(at).filter(|_| !is_last).cloned()
    };
    let most = things.iter().map(|t| t.id.len()).max().unwrap_or(0);
    let differs = |at: &usize| {
        let first = things.first().and_then(|t| part(t, *at));
        things.iter().any(|t| part(t, *at) != first)
    };
    let differing: Vec<usize> = (0..most).filter(differs).collect();
    let words = |thing: &&InstanceHandle| {
        let parts = differing.iter().filter_map(|at| part(thing, *at));
        let words = parts.map(|(key, value)| said(&key, &value));
        words.collect::<Vec<String>>().join(" ")
    };
    things.iter().map(words).collect()
}

/// A key and its value in a few words.
fn said(key: &str, value: &str) -> String {
    let word = key.rsplit('.').next().unwrap_or(key);
    let mut short: String = value.chars().take(LONG).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    format!("{word} {short}")
}

/// For each what its first records say of their run, or their paths, that is not the same for all, in as few letters as possible; `None`
/// where none of that tells them apart.
fn places(model: &Model, things: &[&InstanceHandle]) -> Option<Vec<String>> {
    let (snapshot, seen) = model.things.seen.as_ref()?;
    let entities = model.meaning.instance_cache.entities().iter();
    let runs = entities.filter(|e| e.role == EntityRole::Run);
    let of_runs: Vec<&String> = runs.flat_map(|e| e.id.iter().flatten()).collect();
    let names_run = |key: &str| of_runs.iter().any(|k| *k == key);
    let of_path = |thing: &&InstanceHandle| -> Option<BTreeMap<String, String>> {
        let (all, one) = seen.get(thing.at(snapshot, seen)?)?;
        let pair = |key: key_rank::RankedKey| match key.value {
            Value::One(value) if key.origin == ValueOrigin::Path || names_run(&key.name) => {
                Some((key.name, value))
            }
            _ => None,
        };
        // The first ones may be rows of a database that is that of several runs.
        let events = all.events(one).iter().take(LOOKED_AT);
        let events = events.filter_map(|id| snapshot.event(EventId(*id)));
        let mut pairs = BTreeMap::new();
        for (name, value) in events
            .flat_map(|e| key_rank::ranked_keys(&e))
            .filter_map(pair)
        {
            pairs.entry(name).or_insert(value);
        }
        Some(pairs)
    };
    let all: Vec<_> = things.iter().map(of_path).collect::<Option<_>>()?;
    let values =
        |key: &String| -> Option<Vec<&String>> { all.iter().map(|p| p.get(key)).collect() };
    let first = all.first()?;
    let telling = first.keys().filter_map(|key| Some((key, values(key)?)));
    let is_telling = |(_, values): &(&String, Vec<&String>)| {
        let mut seen: Vec<&String> = values.clone();
        seen.sort_unstable();
        seen.dedup();
        seen.len() > 1
    };
    let longest = |(_, values): &(&String, Vec<&String>)| values.iter().map(|v| v.len()).max();
    let (key, values) = telling.filter(is_telling).min_by_key(longest)?;
    Some(values.iter().map(|value| said(key, value)).collect())
}
