//! Things by what somebody calls them: `task 5`, `5`, `manager 3619`, `parsl.task=5`.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use widetui_analysis::entity::{Instance, InstanceQuery, Instances};
use widetui_core::dict::{Code, direct};
use widetui_store::Snapshot;

use super::instances::{InstanceAt, Seen, Thing, Things};

/// Values of a key that are looked through for a part of one.
const LOOKED: usize = 500_000;
/// Things that are looked at before it is asked whether they are enough.
const PIECE: usize = 1 << 16;
/// Characters of a value without the kind of thing from which on its beginning is enough.
const BEGINNING: usize = 3;

/// A thing that may be meant, and how many records it has.
#[derive(Clone, Debug)]
pub struct Called {
    /// The thing.
    pub thing: Thing,
    /// Number of its records.
    pub records: usize,
}

/// What is looked for, and where.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The run in which the things were found.
    pub snapshot: Arc<Snapshot>,
    /// All things.
    pub seen: Arc<Seen>,
    /// Kinds of things.
    pub things: Things,
    /// What was written.
    pub text: String,
    /// How many things are wanted.
    pub most: usize,
}

impl Wish {
    /// The things that are meant by their keys and values, else those that are called so.
    pub fn find(&self) -> Vec<Called> {
        let run = (&*self.snapshot, &*self.seen);
        let meant = meant(run, &self.things, &self.text, self.most);
        meant.unwrap_or_else(|| called(run, &self.things, &self.text, self.most))
    }
}

/// At most so many things that are called so, what is looked for first, those that are called exactly so before those that
/// only begin so. None for a name without a value (`task`).
pub(crate) fn called(
    (snapshot, seen): (&Snapshot, &Seen),
    things: &Things,
    text: &str,
    most: usize,
) -> Vec<Called> {
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
    add(&mut out, (snapshot, seen), things, &kinds, most, &exactly);
    if !title.is_empty() || value.chars().count() >= BEGINNING {
        let begins = |text: &str| {
            let start = text.get(..value.len());
            text.len() > value.len() && start.is_some_and(|s| s.eq_ignore_ascii_case(&value))
        };
        let begins = Wanted {
            fits: &begins,
            number: None,
        };
        add(&mut out, (snapshot, seen), things, &kinds, most, &begins);
    }
    out
}

/// Values that are looked for.
struct Wanted<'a> {
    /// Whether a spelling is one.
    fits: &'a dyn Fn(&str) -> bool,
    /// The whole number that is one.
    number: Option<Code>,
}

/// Adds the things of some kinds whose own part of the id is called so.
fn add(
    out: &mut Vec<Called>,
    (snapshot, seen): (&Snapshot, &Seen),
    things: &Things,
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
        // Where no value is called so, no thing is: there may be millions of them.
        if codes.iter().all(FxHashSet::is_empty) {
            continue;
        }
        for instance in fitting(&instances.list, &codes, left) {
            let Some(one) = instances.list.get(instance) else {
                continue;
            };
            let at = InstanceAt {
                entity: *entity,
                instance,
            };
            out.extend(Thing::of(things, snapshot, seen, at).map(|thing| Called {
                thing,
                records: instances.event_count(one),
            }));
        }
    }
}

/// Numbers of the first `most` things whose own part of the id is one of these values, by the way in which they are identified.
fn fitting(list: &[Instance], codes: &[FxHashSet<Code>], most: usize) -> Vec<usize> {
    let is_one = |instance: &Instance| {
        let own = codes.get(usize::from(instance.alternative));
        own.zip(instance.id.last())
            .is_some_and(|(own, code)| own.contains(code))
    };
    let mut out = Vec::new();
    // The first pieces mostly have them all: not all of a long list is looked at.
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

/// For each way in which things of a kind are identified the values of the last key that are called so.
fn codes(snapshot: &Snapshot, instances: &Instances, wanted: &Wanted<'_>) -> Vec<FxHashSet<Code>> {
    let of = |keys: &Vec<_>| {
        let view = keys.last().and_then(|key| snapshot.catalog.keys.get(*key));
        let entries = view.filter(|v| v.dict.len() <= LOOKED).into_iter();
        let entries = entries.flat_map(|v| {
            let named = v.dict.iter().filter(|(_, text)| (wanted.fits)(text));
            named.map(|(code, _)| v.dict.canonical(code))
        });
        // Whole numbers are no entries, but their own codes.
        entries.chain(wanted.number).collect()
    };
    instances.alternatives().iter().map(of).collect()
}

/// The things that `KEY=VALUE[,KEY=VALUE...]` means; `None` when it is no such text, or nothing is identified by these keys.
pub(crate) fn meant(
    (snapshot, seen): (&Snapshot, &Seen),
    things: &Things,
    text: &str,
    most: usize,
) -> Option<Vec<Called>> {
    let wanted = InstanceQuery::parse(text).ok()?;
    let wanted = wanted.resolve(things.entities(), &snapshot.catalog.keys);
    let (kind, wanted) = wanted.ok()?.what;
    let Some((entity, instances)) = seen.of(&kind.name) else {
        return Some(Vec::new());
    };
    let found = instances
        .find_matching(snapshot, &wanted)
        .into_iter()
        .take(most);
    let thing = |instance: usize| {
        let at = InstanceAt { entity, instance };
        Some(Called {
            thing: Thing::of(things, snapshot, seen, at)?,
            records: instances.event_count(instances.list.get(instance)?),
        })
    };
    Some(found.filter_map(thing).collect())
}
