//! Instances of entities, found once per snapshot and cached until another snapshot is requested.
//!
//! A concurrent request waits for a running search and shares its result.

use std::fmt;
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_analysis::entity::Id;
use widetui_analysis::entity::{AllInstances, Earlier};
use widetui_analysis::entity::{Entity, IdIndex, Instance, Instances};
use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_core::lock;
use widetui_definition::semantics::EntityRole;
use widetui_diagnosis::unfinished::UnfinishedWork;
use widetui_query::{Expr, Field, Op};
use widetui_store::{EventRef, Snapshot};

/// The entities in force, and the cached instances of the last requested snapshot. Clones share both.
#[derive(Clone, Default)]
pub struct InstanceCache {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    entities: Vec<Arc<Entity>>,
    seen: Mutex<Option<(Snapshot, Arc<SnapshotInstances>)>>,
    hung: Mutex<Option<CachedUnfinished>>,
}

/// Unfinished work of a snapshot, with ages to a time.
struct CachedUnfinished {
    of: Snapshot,
    now: Option<i64>,
    hung: UnfinishedWork,
}

/// All instances of a snapshot.
#[derive(Debug)]
pub struct SnapshotInstances {
    /// Instances by entity, for entities that occur.
    pub found: AllInstances,
    /// Index of the instances by id, in the same order.
    index: Vec<IdIndex>,
    /// First values of ids, in the same order: runs, or enclosing instances.
    outer: Vec<Vec<Code>>,
}

/// Position of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstancePosition {
    /// Index into `SnapshotInstances::found`.
    pub entity: usize,
    /// Index into the entity's list of instances.
    pub instance: usize,
}

impl fmt::Debug for InstanceCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.entities().iter().map(|e| e.name.as_str()).collect();
        f.debug_tuple("InstanceCache").field(&names).finish()
    }
}

impl PartialEq for InstanceCache {
    fn eq(&self, other: &InstanceCache) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for InstanceCache {}

impl InstanceCache {
    /// Creates a registry for these entities, with an empty cache.
    pub(crate) fn new(entities: Vec<Arc<Entity>>) -> InstanceCache {
        InstanceCache {
            inner: Arc::new(Inner {
                entities,
                seen: Mutex::default(),
                hung: Mutex::default(),
            }),
        }
    }

    /// Entities in force.
    pub fn entities(&self) -> &[Arc<Entity>] {
        &self.inner.entities
    }

    /// Returns the instance that an expression names: `=` with each key of one of an entity's ids, and nothing else.
    pub(crate) fn of_expr(&self, expr: &Expr, name: &str) -> Option<InstanceHandle> {
        let parts: &[Expr] = match expr {
            Expr::And(parts) => parts,
            one => std::slice::from_ref(one),
        };
        let pair = |part: &Expr| match part {
            Expr::Compare(c) if c.op == Op::Eq => match (&c.field, &c.values[..]) {
                (Field::Key(key), [value]) => Some((key.clone(), value.clone())),
                _ => None,
            },
            _ => None,
        };
        let id: Id = parts.iter().map(pair).collect::<Option<_>>()?;
        let is_id = |keys: &Vec<String>| keys.iter().eq(id.iter().map(|p| &p.0));
        let mut all = self.entities().iter();
        let entity = all.find(|e| e.id.iter().any(is_id))?;
        Some(InstanceHandle {
            instance_cache: self.clone(),
            entity: entity.name.clone(),
            id,
            name: name.to_owned(),
            label: None,
        })
    }

    /// Returns all instances of a snapshot; scans all records unless the result is cached. `None` if cancelled.
    pub fn instances(
        &self,
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Option<Arc<SnapshotInstances>> {
        self.instances_of(snapshot, None, cancel)
    }

    /// As [`InstanceCache::instances`], for a question about one entity (dotted name) or about any: the result may lack the
    /// instances of others. `None` if cancelled.
    pub fn instances_of(
        &self,
        snapshot: &Snapshot,
        entity: Option<&str>,
        cancel: &Cancel,
    ) -> Option<Arc<SnapshotInstances>> {
        let mut last = lock::hold(&self.inner.seen);
        let is_same = last.as_ref().is_some_and(|(of, _)| of.is_same(snapshot));
        let seen = last.as_ref().map(|(_, seen)| seen);
        let is_known = |wanted: &Arc<Entity>| {
            let has = |seen: &AllInstances| seen.entities().any(|e| e.name == wanted.name);
            seen.is_some_and(|seen| has(&seen.found))
        };
        let has_all = self.entities().iter().all(is_known);
        // The instances of others decide what stands in for work; who needed all before will need them again.
        let is_alone = |e: &&Arc<Entity>| e.role != EntityRole::StandIn && !has_all;
        let entity = self.entities().iter().find(|e| Some(&*e.name) == entity);
        let wanted = { entity.filter(is_alone) }.map_or(self.entities(), std::slice::from_ref);
        if let Some(seen) = seen.filter(|_| is_same && wanted.iter().all(is_known)) {
            return Some(seen.clone());
        }
        if cancel.is_cancelled() {
            return None;
        }
        let earlier = Earlier {
            found: seen.map_or(&[], |seen| &seen.found.occurring),
            is_same,
        };
        let found = AllInstances::scan_after(earlier, snapshot, wanted, cancel)?;
        let index = found.occurring.iter().map(Instances::index).collect();
        let outer = found.occurring.iter().map(outer_codes).collect();
        let seen = Arc::new(SnapshotInstances {
            found,
            index,
            outer,
        });
        *last = Some((snapshot.clone(), seen.clone()));
        Some(seen)
    }

    /// Returns the cached unfinished work of a snapshot, with ages to a time (UTC ns); several views need it.
    pub(super) fn cached_unfinished(
        &self,
        snapshot: &Snapshot,
        now: Option<i64>,
    ) -> Option<UnfinishedWork> {
        let known = lock::hold(&self.inner.hung);
        let known = known
            .as_ref()
            .filter(|k| k.now == now && k.of.is_same(snapshot));
        known.map(|k| k.hung.clone())
    }

    /// Caches unfinished work.
    pub(super) fn cache_unfinished(
        &self,
        snapshot: &Snapshot,
        now: Option<i64>,
        hung: &UnfinishedWork,
    ) {
        *lock::hold(&self.inner.hung) = Some(CachedUnfinished {
            of: snapshot.clone(),
            now,
            hung: hung.clone(),
        });
    }
}

impl SnapshotInstances {
    /// Builds the record lists of work items in the background, so that moving the cursor in a big run does not wait for
    /// them.
    pub(super) fn prefetch_event_lists(self: &Arc<SnapshotInstances>) {
        let listed = self.clone();
        rayon::spawn(move || {
            listed
                .found
                .work_items()
                .for_each(Instances::build_event_lists)
        });
    }

    /// Returns the instances of an entity, if it has any.
    pub fn of_entity(&self, entity: &str) -> Option<(usize, &Instances)> {
        let mut all = self.found.occurring.iter().enumerate();
        all.find(|(_, i)| i.entity.name == entity)
    }

    /// True if another run, or another enclosing instance, has an instance with the same id within it.
    pub(crate) fn has_namesake(&self, entity: usize, instance: &Instance) -> bool {
        let (Some(index), Some(outer)) = (self.index.get(entity), self.outer.get(entity)) else {
            return false;
        };
        let Some((own, inner)) = instance.id.split_first() else {
            return false;
        };
        let is_other = |code: &&Code| *code != own && !inner.is_empty();
        let id = |code: &Code| [&[*code], inner].concat();
        { outer.iter().filter(is_other) }
            .any(|code| index.get(instance.alternative, &id(code)).is_some())
    }

    /// Returns the label of the instance whose id is a single key and value, such as a run; `None` if it has none.
    pub fn label_of(&self, snapshot: &Snapshot, key: &str, value: &str) -> Option<String> {
        let is_it = |i: &&Instances| i.entity.id.iter().any(|id| id[..] == [key]);
        let id = vec![(key.to_owned(), value.to_owned())];
        let found = self.found.occurring.iter().find(is_it)?;
        let (found, one) = self.get(self.find(snapshot, &found.entity.name, &id)?)?;
        found.label(snapshot, one)
    }

    /// Returns the instance at a position.
    pub fn get(&self, at: InstancePosition) -> Option<(&Instances, &Instance)> {
        let instances = self.found.occurring.get(at.entity)?;
        Some((instances, instances.list.get(at.instance)?))
    }

    /// Finds an instance by its id, as spelled.
    pub fn find(&self, snapshot: &Snapshot, entity: &str, id: &Id) -> Option<InstancePosition> {
        let (entity, instances) = self.of_entity(entity)?;
        let keys = &snapshot.catalog.keys;
        let mut known: FxHashMap<(usize, Code), bool> = FxHashMap::default();
        let mut fits = |instance: &Instance| {
            let names = instances.id_keys(instance);
            names.len() == id.len()
                && (0..id.len()).rev().all(|at| {
                    let code = instance.id[at];
                    let (name, value) = &id[at];
                    keys.name(names[at]) == name
                        && *known.entry((at, code)).or_insert_with(|| {
                            let view = keys.get(names[at]);
                            let kind = view.as_ref().map(|v| v.key.kind).unwrap_or_default();
                            let form =
                                |text: &str| kind.canonical(text).unwrap_or_else(|| text.into());
                            let spelled = view.and_then(|v| v.spelling(code));
                            spelled.is_some_and(|s| form(&s) == form(value))
                        })
                })
        };
        let instance = instances.list.iter().position(&mut fits)?;
        Some(InstancePosition { entity, instance })
    }

    /// Returns the instances that a record is about: for each entity, those whose ids it names. Work items come first.
    pub fn about(&self, event: &EventRef<'_>) -> Vec<InstancePosition> {
        let mut values: FxHashMap<_, Vec<Code>> = FxHashMap::default();
        event.for_each_code(|key, codes, _| {
            let known = values.entry(key).or_insert_with(Vec::new);
            known.extend(codes.iter().filter(|c| **c != NONE));
        });
        let dicts = &event.snapshot.catalog.keys;
        let mut out = Vec::new();
        for (entity, (instances, index)) in self.found.occurring.iter().zip(&self.index).enumerate()
        {
            for (alternative, keys) in instances.alternatives().iter().enumerate() {
                let mut tuples: Vec<Vec<Code>> = vec![Vec::new()];
                for key in keys {
                    let Some(codes) = values.get(key) else {
                        tuples.clear();
                        break;
                    };
                    let form = |c: &Code| dicts.get(*key).map_or(*c, |k| k.dict.canonical(*c));
                    let longer = tuples.iter().flat_map(|t| {
                        codes.iter().map(move |c| {
                            let mut tuple = t.clone();
                            tuple.push(form(c));
                            tuple
                        })
                    });
                    tuples = longer.take(MAX_TUPLES).collect();
                }
                let named = tuples
                    .iter()
                    .filter_map(|t| index.get(u8::try_from(alternative).ok()?, t));
                // Lists of values are aligned with each other: not every combination of their values is an instance of
                // this record.
                let own = named.filter(|at| {
                    let mut group = event.snapshot.duplicates.group(event.id.0);
                    let instance = instances.list.get(*at);
                    instance.is_some_and(|i| group.any(|id| instances.has_event(i, EventId(id))))
                });
                for instance in own {
                    let at = InstancePosition { entity, instance };
                    if !out.contains(&at) {
                        out.push(at);
                    }
                }
            }
        }
        let entities: Vec<&Entity> = { out.iter() }
            .filter_map(|at| Some(&*self.found.occurring.get(at.entity)?.entity))
            .collect();
        let carried = |carrier: &Entity| {
            let is_in = |work: &&&Entity| {
                { carrier.naming_keys() }.any(|key| work.place_keys.contains(key))
            };
            entities.iter().filter(is_in).count()
        };
        // Work items first, one that carries others (a batch job) after them, then the instance with fewer records.
        out.sort_by_cached_key(|at| {
            self.get(*at)
                .map(|(all, one)| match all.entity.is_work_item() {
                    true => (false, carried(&all.entity), all.event_count(one)),
                    false => (true, 0, all.event_count(one)),
                })
        });
        out
    }
}

/// Maximum number of runs in which an instance with the same id is looked up.
const MAX_OUTER: usize = 64;

/// Different first values of the ids of instances, [`MAX_OUTER`] at most.
fn outer_codes(instances: &Instances) -> Vec<Code> {
    let mut known = FxHashSet::default();
    let codes = instances.list.iter().filter_map(|one| one.id.first());
    codes
        .copied()
        .filter(|code| known.insert(*code))
        .take(MAX_OUTER)
        .collect()
}

/// Maximum number of combinations of list values that are examined.
const MAX_TUPLES: usize = 256;

/// An instance, identified by its id, so that it can be found in later snapshots.
#[derive(Clone, PartialEq, Eq)]
pub struct InstanceHandle {
    /// Registry in which it is looked up.
    pub instance_cache: InstanceCache,
    /// Dotted name of its entity.
    pub entity: String,
    /// Identifying keys and values.
    pub id: Id,
    /// Display name: `task 24`.
    pub name: String,
    /// Label, such as the name of the app.
    pub label: Option<String>,
}

impl fmt::Debug for InstanceHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstanceHandle({} {:?})", self.entity, self.id)
    }
}

impl InstanceHandle {
    /// Returns the instance at a position.
    pub fn new(
        instance_cache: &InstanceCache,
        snapshot: &Snapshot,
        seen: &SnapshotInstances,
        at: InstancePosition,
    ) -> Option<InstanceHandle> {
        let (instances, instance) = seen.get(at)?;
        Some(InstanceHandle {
            instance_cache: instance_cache.clone(),
            entity: instances.entity.name.clone(),
            id: instances.id(snapshot, instance),
            name: instances.title(snapshot, instance),
            label: instances.label(snapshot, instance),
        })
    }

    /// Name with label: `task 24 wait_for_file`.
    pub fn full_name(&self) -> String {
        match &self.label {
            Some(label) => format!("{} {label}", self.name),
            None => self.name.clone(),
        }
    }

    /// Expression that its records match. Other records may match too, if a record names several instances; only the
    /// instance's list of records is exact.
    pub fn expr(&self) -> Expr {
        let pairs = self.id.iter();
        Expr::all_of(pairs.map(|(key, value)| Expr::equals(Field::key(key), value.as_str())))
    }

    /// Finds the position in a snapshot; `None` if the snapshot lacks the instance.
    pub fn at(&self, snapshot: &Snapshot, seen: &SnapshotInstances) -> Option<InstancePosition> {
        seen.find(snapshot, &self.entity, &self.id)
    }

    /// Returns its records in time order, without duplicates; empty if the snapshot lacks the instance. `None` if
    /// cancelled.
    pub(crate) fn events(&self, snapshot: &Snapshot, cancel: &Cancel) -> Option<Vec<u32>> {
        let seen = self.instance_cache.instances(snapshot, cancel)?;
        let at = self.at(snapshot, &seen);
        let found = at.and_then(|at| seen.get(at));
        Some(found.map_or_else(Vec::new, |(all, one)| all.events(one).to_vec()))
    }
}
