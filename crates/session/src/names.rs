//! Instances by typed name (`task 5`, `5`, `manager 3619`, `parsl.task=5`), and what distinguishes instances of one name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_analysis::entity::names::{InstanceQuery, Names, differing_parts, short_pair};
use widetui_analysis::entity::{Id, Instance, Instances};
use widetui_core::dict::{Code, direct};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::id_words;
use widetui_definition::semantics::EntityRole;
use widetui_store::{Snapshot, Value, ValueOrigin};

use super::instances::{InstanceCache, InstanceHandle, InstancePosition, SnapshotInstances};

/// Maximum number of distinct values of a key that are searched for a partial match.
const LOOKED: usize = 500_000;
/// Number of instances examined between checks of whether enough were found.
const PIECE: usize = 1 << 16;
/// Maximum number of records of an instance whose run and path are examined.
const EXAMINED: usize = 16;
/// Minimum number of characters for a prefix match of a value without an entity name.
const BEGINNING: usize = 3;

/// A matching instance and the number of its records.
#[derive(Clone, Debug)]
pub struct NameMatch {
    /// The instance.
    pub instance: InstanceHandle,
    /// Number of its records.
    pub records: usize,
    /// Its label, or text that distinguishes it from the others of its name; may be empty.
    pub description: String,
}

/// Parameters of a search for instances.
#[derive(Clone, Debug)]
pub struct NameQuery {
    /// Snapshot in which the instances were found.
    pub snapshot: Arc<Snapshot>,
    /// All instances.
    pub seen: Arc<SnapshotInstances>,
    /// Entities.
    pub instance_cache: InstanceCache,
    /// Typed text.
    pub text: String,
    /// Maximum number of results.
    pub most: usize,
}

impl NameQuery {
    /// Finds instances by `KEY=VALUE` pairs, else by name.
    pub fn find(&self) -> Vec<NameMatch> {
        let run = (&*self.snapshot, &*self.seen);
        let find_by_keys = find_by_keys(run, &self.instance_cache, &self.text, self.most);
        let mut found = find_by_keys
            .unwrap_or_else(|| find_by_name(run, &self.instance_cache, &self.text, self.most));
        self.describe(&mut found);
        found
    }

    /// Fills the descriptions.
    fn describe(&self, found: &mut [NameMatch]) {
        let mut of_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, one) in found.iter().enumerate() {
            let same = of_name.entry(one.instance.name.clone()).or_default();
            same.push(at);
        }
        for same in of_name.into_values() {
            let handles: Vec<&InstanceHandle> =
                same.iter().map(|at| &found[*at].instance).collect();
            let distinctions = match handles[..] {
                [one] => vec![one.label.clone().unwrap_or_default()],
                _ => self.distinctions(&handles),
            };
            for (at, text) in same.iter().zip(distinctions) {
                found[*at].description = text;
            }
        }
    }

    /// Text that distinguishes each instance from the others of the same name: its label, then the
    /// run or path of its first records (`rundir 001`), else the outer parts of its id. Its whole id
    /// if it has none of them.
    fn distinctions(&self, things: &[&InstanceHandle]) -> Vec<String> {
        let ids = || things.iter().map(|t| &t.id).collect::<Vec<&Id>>();
        let places = self.places(things);
        let places = places.unwrap_or_else(|| differing_parts(&ids()));
        let told = |(thing, place): (&&InstanceHandle, String)| {
            let label = thing.label.clone().unwrap_or_default();
            let words = [label, place].into_iter().filter(|w| !w.is_empty());
            let words: Vec<String> = words.collect();
            match words.is_empty() {
                true => id_words(&thing.id, ", "),
                false => words.join(" · "),
            }
        };
        things.iter().zip(places).map(told).collect()
    }

    /// Key and value that distinguish each instance by its first records. The key is an id key of a
    /// run or comes from the path, and differs between the instances; of several such keys, it has
    /// the shortest values. `None` if no key distinguishes the instances.
    fn places(&self, things: &[&InstanceHandle]) -> Option<Vec<String>> {
        let entities = self.instance_cache.entities().iter();
        let runs = entities.filter(|e| e.role == EntityRole::Run);
        let of_runs: Vec<&String> = runs.flat_map(|e| e.id.iter().flatten()).collect();
        let names_run = |key: &str| of_runs.iter().any(|k| *k == key);
        let keys = &self.snapshot.catalog.keys;
        let of_path = |thing: &&InstanceHandle| -> Option<BTreeMap<String, String>> {
            let (all, one) = self.seen.get(thing.at(&self.snapshot, &self.seen)?)?;
            let pair = |(key, value, origin): (KeyId, Value, ValueOrigin)| match value {
                Value::One(value) => {
                    let name = keys.name(key);
                    let counts = origin == ValueOrigin::Path || names_run(name);
                    counts.then(|| (name.to_owned(), value))
                }
                _ => None,
            };
            // The first records may be rows of a database that several runs share.
            let events = all.events(one).iter().take(EXAMINED);
            let events = events.filter_map(|id| self.snapshot.event(EventId(*id)));
            let mut pairs = BTreeMap::new();
            for (name, value) in events.flat_map(|e| e.stored()).filter_map(pair) {
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
            let distinct: BTreeSet<&&String> = values.iter().collect();
            distinct.len() > 1
        };
        let longest = |(_, values): &(&String, Vec<&String>)| values.iter().map(|v| v.len()).max();
        let (key, values) = telling.filter(is_telling).min_by_key(longest)?;
        Some(values.iter().map(|value| short_pair(key, value)).collect())
    }
}

/// Names of instances with labels, preceded by the outer parts of their ids that differ: `task 15
/// try 0 prepare` among tries of several tasks.
pub fn distinct_names(things: &[&InstanceHandle]) -> Vec<String> {
    let ids: Vec<&Id> = things.iter().map(|t| &t.id).collect();
    let name = |(thing, outer): (&&InstanceHandle, String)| match outer.is_empty() {
        true => thing.full_name(),
        false => format!("{outer} {}", thing.full_name()),
    };
    things.iter().zip(differing_parts(&ids)).map(name).collect()
}

/// Finds at most `most` instances by name: work items before other entities, exact matches before prefix matches. Empty
/// for a name without a value (`task`).
pub(crate) fn find_by_name(
    (snapshot, seen): (&Snapshot, &SnapshotInstances),
    instance_cache: &InstanceCache,
    text: &str,
    most: usize,
) -> Vec<NameMatch> {
    let text = text.trim();
    let (title, value) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    let title = title.trim().to_lowercase();
    let value = value.to_lowercase();
    if value.is_empty() {
        return Vec::new();
    }
    let mut kinds: Vec<usize> = (0..seen.found.occurring.len()).collect();
    kinds.sort_by_key(|at| {
        seen.found
            .occurring
            .get(*at)
            .is_none_or(|i| !i.entity.is_work_item())
    });
    let is_kind = |at: &usize| {
        let entity = seen.found.occurring.get(*at).map(|i| &i.entity);
        let begins = |name: &str| name.to_lowercase().starts_with(&title);
        entity.is_some_and(|e| begins(&e.title) || begins(&e.plural()) || begins(&e.name))
    };
    kinds.retain(is_kind);
    let mut out = Vec::new();
    let exactly = |text: &str| text.eq_ignore_ascii_case(&value);
    let exactly = Wanted {
        fits: &exactly,
        number: direct(value.as_bytes()),
    };
    add(
        &mut out,
        (snapshot, seen),
        instance_cache,
        &kinds,
        most,
        &exactly,
    );
    if !title.is_empty() || value.chars().count() >= BEGINNING {
        let begins = |text: &str| {
            let start = text.get(..value.len());
            text.len() > value.len() && start.is_some_and(|s| s.eq_ignore_ascii_case(&value))
        };
        let begins = Wanted {
            fits: &begins,
            number: None,
        };
        add(
            &mut out,
            (snapshot, seen),
            instance_cache,
            &kinds,
            most,
            &begins,
        );
    }
    out
}

/// Values to search for.
struct Wanted<'a> {
    /// Whether a spelling matches.
    fits: &'a dyn Fn(&str) -> bool,
    /// Code of the value, if it is a whole number.
    number: Option<Code>,
}

/// Adds the instances of some entities whose own part of the id matches.
fn add(
    out: &mut Vec<NameMatch>,
    (snapshot, seen): (&Snapshot, &SnapshotInstances),
    instance_cache: &InstanceCache,
    kinds: &[usize],
    most: usize,
    wanted: &Wanted<'_>,
) {
    for entity in kinds {
        let Some(instances) = seen.found.occurring.get(*entity) else {
            continue;
        };
        let left = most.saturating_sub(out.len());
        if left == 0 {
            return;
        }
        let codes = codes(snapshot, instances, wanted);
        // If no value matches, no instance does; the scan of possibly millions of instances is skipped.
        if codes.iter().all(FxHashSet::is_empty) {
            continue;
        }
        for instance in fitting(&instances.list, &codes, left) {
            let Some(one) = instances.list.get(instance) else {
                continue;
            };
            let at = InstancePosition {
                entity: *entity,
                instance,
            };
            out.extend(
                InstanceHandle::new(instance_cache, snapshot, seen, at).map(|handle| NameMatch {
                    instance: handle,
                    records: instances.event_count(one),
                    description: String::new(),
                }),
            );
        }
    }
}

/// Returns the indices of the first `most` instances whose own part of the id is one of these values (`codes` is by id
/// alternative).
fn fitting(list: &[Instance], codes: &[FxHashSet<Code>], most: usize) -> Vec<usize> {
    let is_one = |instance: &Instance| {
        let own = codes.get(usize::from(instance.alternative));
        own.zip(instance.id.last())
            .is_some_and(|(own, code)| own.contains(code))
    };
    let mut out = Vec::new();
    // The first chunks mostly suffice, so a long list is not scanned wholly.
    for (at, piece) in list.chunks(PIECE).enumerate() {
        let all = piece.par_iter().enumerate().with_min_len(PIECE / 16);
        let fitting = all.filter(|(_, instance)| is_one(instance));
        out.par_extend(fitting.map(|(i, _)| at * PIECE + i));
        if out.len() >= most {
            break;
        }
    }
    out.truncate(most);
    out
}

/// For each id alternative of an entity, returns the matching values of its last key.
fn codes(snapshot: &Snapshot, instances: &Instances, wanted: &Wanted<'_>) -> Vec<FxHashSet<Code>> {
    let of = |keys: &Vec<_>| {
        let view = keys.last().and_then(|key| snapshot.catalog.keys.get(*key));
        let entries = view.filter(|v| v.dict.len() <= LOOKED).into_iter();
        let entries = entries.flat_map(|v| {
            let named = v.dict.iter().filter(|(_, text)| (wanted.fits)(text));
            named.map(|(code, _)| v.dict.canonical(code))
        });
        // Whole numbers are coded directly, without a dictionary entry.
        entries.chain(wanted.number).collect()
    };
    instances.alternatives().iter().map(of).collect()
}

/// Returns the instances for `KEY=VALUE[,KEY=VALUE...]`; `None` if the text has another form, or if no id consists of
/// these keys.
pub(crate) fn find_by_keys(
    (snapshot, seen): (&Snapshot, &SnapshotInstances),
    instance_cache: &InstanceCache,
    text: &str,
    most: usize,
) -> Option<Vec<NameMatch>> {
    let wanted = InstanceQuery::parse(text).ok()?;
    let names = Names::new(instance_cache.entities(), &snapshot.catalog.keys);
    let (kind, wanted) = names.instances(&wanted).ok()?.item;
    let Some((entity, instances)) = seen.of_entity(&kind.name) else {
        return Some(Vec::new());
    };
    let found = instances
        .find_matching(snapshot, &wanted)
        .into_iter()
        .take(most);
    let handle = |instance: usize| {
        let at = InstancePosition { entity, instance };
        Some(NameMatch {
            instance: InstanceHandle::new(instance_cache, snapshot, seen, at)?,
            records: instances.event_count(instances.list.get(instance)?),
            description: String::new(),
        })
    };
    Some(found.filter_map(handle).collect())
}
