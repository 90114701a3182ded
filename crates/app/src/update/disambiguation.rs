//! Short descriptions that distinguish instances of the same name: outer parts of their ids, and
//! the run or path of their records.

use std::collections::BTreeMap;

use crate::model::Model;
use widetui_core::ids::EventId;
use widetui_definition::semantics::EntityRole;
use widetui_session::instances::InstanceHandle;
use widetui_store::{Value, ValueOrigin};
use widetui_tables::key_rank;

/// Maximum number of records of an instance whose run and path are examined.
const LOOKED_AT: usize = 16;

/// Maximum length of a value in a description, in characters; longer values (ids) are cut.
const LONG: usize = 12;

/// Names of instances with labels, preceded by the outer parts of their ids that differ:
/// `task 15 try 0 prepare` among tries of several tasks.
pub(super) fn whole_names(things: &[&InstanceHandle]) -> Vec<String> {
    let outer = outer(things);
    let name = |(thing, outer): (&&InstanceHandle, String)| match outer.is_empty() {
        true => thing.full_name(),
        false => format!("{outer} {}", thing.full_name()),
    };
    things.iter().zip(outer).map(name).collect()
}

/// Description that distinguishes each instance from the others of the same name: its label, then
/// the run or path of its first records (`rundir 001`), else the outer parts of its id. Empty if
/// nothing distinguishes it.
pub(super) fn told_apart(model: &Model, things: &[&InstanceHandle]) -> Vec<String> {
    let places = places(model, things).unwrap_or_else(|| outer(things));
    let told = |(thing, place): (&&InstanceHandle, String)| {
        let label = thing.label.clone().unwrap_or_default();
        let words = [label, place].into_iter().filter(|w| !w.is_empty());
        words.collect::<Vec<String>>().join(" · ")
    };
    things.iter().zip(places).map(told).collect()
}

/// Outer parts of the id of each instance: all parts but the last, without parts that are the same
/// in all ids.
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

/// Last component of a key's name and the value, cut to [`LONG`] characters.
fn said(key: &str, value: &str) -> String {
    let word = key.rsplit('.').next().unwrap_or(key);
    let mut short: String = value.chars().take(LONG).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    format!("{word} {short}")
}

/// Key and value that distinguish each instance by its first records. The key is an id key of a run
/// or comes from the path, and differs between the instances; of several such keys, it has the
/// shortest values. `None` if no key distinguishes the instances.
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
        // The first records may be rows of a database that several runs share.
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
