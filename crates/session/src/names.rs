//! Instances by typed name: `task 5`, `5`, `manager 3619`, `parsl.task=5`.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_analysis::entity::{Instance, InstanceQuery, Instances};
use widetui_core::dict::{Code, direct};
use widetui_store::Snapshot;

use super::instances::{InstanceCache, InstanceHandle, InstancePosition, SnapshotInstances};

/// Maximum number of distinct values of a key that are searched for a partial match.
const LOOKED: usize = 500_000;
/// Number of instances examined between checks of whether enough were found.
const PIECE: usize = 1 << 16;
/// Minimum number of characters for a prefix match of a value without an entity name.
const BEGINNING: usize = 3;

/// A matching instance and the number of its records.
#[derive(Clone, Debug)]
pub struct NameMatch {
    /// The instance.
    pub instance: InstanceHandle,
    /// Number of its records.
    pub records: usize,
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
        find_by_keys
            .unwrap_or_else(|| find_by_name(run, &self.instance_cache, &self.text, self.most))
    }
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
    let wanted = wanted.resolve(instance_cache.entities(), &snapshot.catalog.keys);
    let (kind, wanted) = wanted.ok()?.item;
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
        })
    };
    Some(found.filter_map(handle).collect())
}
