//! Run directories with one name in several places: what only the path of a record tells is then the same for all of them,
//! though they are different runs (the first run of every program is `000`). That is said, not guessed.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Entity;
use crate::base::dict::Code;
use crate::base::ids::{EventId, KeyId};
use crate::format::meaning::EntityRole;
use crate::store::Snapshot;

/// Folders that a name is of, each with the number of its records, and how many of them repeat others.
type Folders = BTreeMap<String, (u64, u64)>;

/// What to tell of runs whose directories have the same name; `None` where all are told apart.
pub fn told(snapshot: &Snapshot, entities: &[Arc<Entity>]) -> Option<String> {
    let keys = run_keys(snapshot, entities);
    if keys.is_empty() {
        return None;
    }
    let mut copies: FxHashMap<u32, u64> = FxHashMap::default();
    for (copy, _) in snapshot.copies.iter() {
        if let Some(event) = snapshot.event(EventId(copy)) {
            *copies.entry(event.source().id.0).or_default() += 1;
        }
    }
    let mut named: BTreeMap<(KeyId, Code), Folders> = BTreeMap::new();
    for source in snapshot.sources.iter().filter(|s| s.is_log) {
        for (key, code) in source.consts.iter().filter(|(key, _)| keys.contains(key)) {
            let view = snapshot.catalog.keys.get(*key);
            let name = view.and_then(|view| view.spelling(*code));
            let folder = name.and_then(|name| folder(&source.path, &name).map(str::to_owned));
            if let Some(folder) = folder {
                let again = copies.get(&source.id.0).copied().unwrap_or(0);
                let folders = named.entry((*key, *code)).or_default();
                let (records, repeated) = folders.entry(folder).or_default();
                *records += source.stats.records();
                *repeated += again;
            }
        }
    }
    let ((key, code), folders) = named.into_iter().find_map(|(named, mut folders)| {
        // A copy of a run is the same run.
        folders.retain(|_, (records, repeated)| *repeated * 2 < *records);
        (folders.len() > 1).then_some((named, folders))
    })?;
    let name = snapshot.catalog.keys.get(key)?.spelling(code)?;
    let mut all = folders.keys();
    let (first, second) = (all.next()?, all.next()?);
    let more = match folders.len() {
        2 => String::new(),
        n => format!(" and {} more", n - 2),
    };
    Some(format!(
        "{name} is the name of several runs ({first}, {second}{more}): what only their paths tell is not told apart; open one \
         of them, or compare them with `widetui compare`"
    ))
}

/// Keys that alone identify a run.
fn run_keys(snapshot: &Snapshot, entities: &[Arc<Entity>]) -> FxHashSet<KeyId> {
    let runs = entities.iter().filter(|e| e.role == EntityRole::Run);
    let alone = runs.flat_map(|e| &e.id).filter(|id| id.len() == 1);
    let names = alone.flatten();
    names
        .filter_map(|name| snapshot.catalog.keys.find(name))
        .collect()
}

/// The folder of this name that a path leads through, the last one.
fn folder<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let inside = format!("/{name}/");
    match path.rfind(&inside) {
        Some(at) => path.get(..at + 1 + name.len()),
        None => path
            .starts_with(&inside[1..])
            .then(|| path.get(..name.len()))?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_whole_part_of_a_path() {
        assert_eq!(folder("a/000/b/000/x.log", "000"), Some("a/000/b/000"));
        assert_eq!(folder("000/x.log", "000"), Some("000"));
        assert_eq!(folder("a/1000/x.log", "000"), None);
    }
}
