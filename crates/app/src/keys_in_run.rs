//! Keys that occur in a run; definitions declare many more.

use std::sync::Arc;

use crate::model::Model;
use widetui_analysis::entity::Entity;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;

/// Label of a key if it differs from the name, else empty.
pub(crate) fn label(model: &Model, key: &str) -> String {
    let mut keys = model.snapshot.catalog.keys.iter();
    let known = keys.find(|k| *k.key.name == *key);
    let label = known.map(|k| &*k.key.label).filter(|l| *l != key);
    label.unwrap_or_default().to_owned()
}

/// Sorted names of the keys that at least one record has.
pub(crate) fn names(model: &Model) -> Vec<String> {
    let occurring = keys_that_occur(&model.snapshot);
    let keys = model.snapshot.catalog.keys.iter();
    let keys = keys.filter(|k| occurring.contains(k.key.id));
    let mut names: Vec<String> = keys.map(|k| k.key.name.to_string()).collect();
    names.sort();
    names
}

/// Finds the keys that at least one record has; definitions declare many more.
pub(crate) fn keys_that_occur(snapshot: &Snapshot) -> Occurring {
    let mut out = Occurring(vec![false; snapshot.catalog.keys.len()]);
    // A long run repeats the same shapes in many segments.
    let mut shapes = vec![false; snapshot.catalog.shapes.len()];
    for group in snapshot.segments.iter().flat_map(|s| &s.groups) {
        out.note(group.columns.iter().map(|(key, _)| *key));
        let index = group.shape.index();
        if let Some(known) = shapes.get_mut(index).filter(|known| !**known)
            && let Some(shape) = snapshot.catalog.shapes.get(index)
        {
            *known = true;
            out.note(shape.consts.iter().map(|(key, _)| *key));
        }
    }
    out.note(snapshot.catalog.context_keys.iter().copied());
    for source in snapshot.sources.iter() {
        out.note(source.consts.iter().map(|(key, _)| *key));
    }
    out
}

/// Entities whose identifying keys occur in the run.
pub(crate) fn entities_that_occur(model: &Model) -> Vec<&Arc<Entity>> {
    let occurring = keys_that_occur(&model.snapshot);
    let keys = &model.snapshot.catalog.keys;
    let is_met = |key: &String| keys.find(key).is_some_and(|id| occurring.contains(id));
    let entities = model.meaning.instance_cache.entities().iter();
    let met = entities.filter(|e| e.id.iter().any(|id| id.iter().all(is_met)));
    met.collect()
}

/// Set of keys that occur in a run, indexed by key id.
pub(crate) struct Occurring(Vec<bool>);

impl Occurring {
    fn note(&mut self, keys: impl Iterator<Item = KeyId>) {
        for key in keys {
            if let Some(is_there) = self.0.get_mut(key.index()) {
                *is_there = true;
            }
        }
    }

    pub(crate) fn contains(&self, key: KeyId) -> bool {
        self.0.get(key.index()).copied().unwrap_or_default()
    }
}
