//! Disambiguation of run directories with the same name in several places: the first run of a program is
//! often `000`. Each run gets a name with its location (`before/000`, `after/000`), for keys from paths and from records
//! alike.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_format::catalog::keys::{KeyView, Keys};
use widetui_store::source::Source;
use widetui_store::value_renaming::{self, ValueRenaming};
use widetui_store::{EventRef, Snapshot};

use crate::detector::Detector;
use crate::provenance::run_folders::RunFolders;

/// Folders of the run directories of each key and value, with the code of the distinct name.
type Runs = BTreeMap<(KeyId, Code), Vec<(String, Code)>>;

/// Distinct names of the runs found so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunNames {
    keys: Vec<KeyId>,
    /// Keys by which records name a later run in the same file, each with the corresponding key of paths.
    later: Vec<(KeyId, KeyId)>,
    runs: Runs,
    /// Runs of systems that do not name them.
    places: RunFolders,
    /// Values as spelled in records and paths, by key and distinct name, also of former snapshots.
    spelled: FxHashMap<(KeyId, Code), Code>,
}

/// Distinct names as seen from particular sources.
pub(crate) struct SourceRunNames<'a> {
    run_names: &'a RunNames,
    sources: &'a [Arc<Source>],
}

impl RunNames {
    /// Finds the runs of a loaded snapshot.
    pub fn of(snapshot: &Snapshot, detector: &Detector) -> RunNames {
        let keys = detector.run_keys();
        let mut folders: BTreeMap<(KeyId, Code), Vec<String>> = BTreeMap::new();
        let mut spelled: FxHashMap<(KeyId, Code), Option<String>> = FxHashMap::default();
        let mut spell = |of: (KeyId, Code)| {
            let known = spelled.entry(of);
            known
                .or_insert_with(|| spelling(&snapshot.tables.keys, of))
                .clone()
        };
        for source in snapshot.sources.iter().filter(|s| s.is_log) {
            for (of, folder) in run_folders(source, &keys, &mut spell) {
                let known = folders.entry(of).or_default();
                if !known.contains(&folder) {
                    known.push(folder);
                }
            }
        }
        let mut runs = Runs::new();
        for (of, folders) in folders {
            let first = originals(snapshot, of, &folders);
            let places: Vec<&String> = folders.iter().filter(|f| first[*f] == **f).collect();
            let name_of = |folder: &String| {
                let at = places.iter().position(|p| **p == first[folder]);
                let code = at.and_then(|at| name(&snapshot.tables.keys, of, &places, at));
                (folder.clone(), code.unwrap_or(of.1))
            };
            runs.insert(of, folders.iter().map(name_of).collect());
        }
        let mut run_names = RunNames {
            keys,
            later: detector.later_keys(),
            runs: Runs::new(),
            places: RunFolders::of(snapshot, &detector.runs_rules()),
            spelled: FxHashMap::default(),
        };
        for (of, known) in runs {
            run_names.name_later(&snapshot.tables.keys, of, &known);
            run_names.runs.insert(of, known);
        }
        run_names
    }

    /// Adds the names by which a former snapshot knows the values.
    pub(crate) fn after(mut self, former: &RunNames) -> RunNames {
        self.spelled.clone_from(&former.spelled);
        for ((key, spelled), runs) in &self.runs {
            let names = runs.iter().filter(|(_, name)| name != spelled);
            let names = names.map(|(_, name)| ((*key, *name), *spelled));
            self.spelled.extend(names);
        }
        self
    }

    /// True if two snapshots have the same runs.
    pub(crate) fn is_like(&self, other: &RunNames) -> bool {
        self.runs == other.runs && self.places == other.places
            || self.is_trivial() && other.is_trivial()
    }

    /// Applies the distinct names to keys by which records of other logs name the run.
    fn name_later(&mut self, keys: &Keys, of: (KeyId, Code), known: &[(String, Code)]) {
        let Some(name) = spelling(keys, of) else {
            return;
        };
        for (later, _) in self.later.iter().filter(|(_, path)| *path == of.0) {
            let Some(key) = keys.by_id(*later) else {
                continue;
            };
            let names = known.iter().filter_map(|(folder, code)| {
                let name = spelling(keys, (of.0, *code))?;
                Some((folder.clone(), key.code(&name)))
            });
            let named = (*later, key.code(&name));
            self.runs.insert(named, names.collect());
        }
    }

    /// Applies distinct names to the sources of a snapshot and, if they are new, to its records; most runs have no ambiguous
    /// names.
    pub(crate) fn disambiguated(&self, snapshot: Snapshot, are_new: bool) -> Snapshot {
        let sources = snapshot.sources.clone();
        let named = self.named(&sources);
        match (self.is_trivial() && self.spelled.is_empty(), are_new) {
            (true, _) => snapshot,
            (false, true) => snapshot.renamed(&named),
            (false, false) => {
                let sources = sources.iter().map(|s| value_renaming::source(s, &named));
                Snapshot {
                    sources: sources.collect(),
                    ..snapshot
                }
            }
        }
    }

    /// Whether all runs are named like their directories, and no system has several unnamed runs.
    pub(crate) fn is_trivial(&self) -> bool {
        if !self.places.is_trivial() {
            return false;
        }
        let mut names = self.runs.iter();
        names.all(|(of, runs)| runs.iter().all(|(_, code)| *code == of.1))
    }

    /// Names as seen from these sources, indexed by number.
    pub(crate) fn named<'a>(&'a self, sources: &'a [Arc<Source>]) -> SourceRunNames<'a> {
        SourceRunNames {
            run_names: self,
            sources,
        }
    }
}

impl ValueRenaming for SourceRunNames<'_> {
    fn may_rename(&self, key: KeyId) -> bool {
        let later = &self.run_names.later;
        self.run_names.keys.contains(&key) || later.iter().any(|(named, _)| *named == key)
    }

    fn extra_path_value(&self, source: &Source) -> Option<(KeyId, Code)> {
        self.run_names.places.run_of(source)
    }

    /// Run with this name of which the directory contains the source, else the nearest directory; unchanged if
    /// ambiguous.
    fn renamed_code(&self, source: SourceId, key: KeyId, code: Code) -> Code {
        let spelled = self.run_names.spelled.get(&(key, code));
        let code = spelled.copied().unwrap_or(code);
        let runs = self.run_names.runs.get(&(key, code));
        let (Some(runs), Some(source)) = (runs, self.sources.get(source.index())) else {
            return code;
        };
        let inside = |folder: &str| {
            let rest = source.path.strip_prefix(folder);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let own = runs.iter().filter(|r| inside(&r.0));
        if let Some((_, name)) = own.max_by_key(|r| r.0.len()) {
            return *name;
        }
        let near = |run: &(String, Code)| folders::shared(&run.0, &source.path);
        let most = runs.iter().map(near).max();
        let mut nearest = runs.iter().filter(|r| Some(near(r)) == most).map(|r| r.1);
        match nearest.next() {
            Some(name) if nearest.all(|other| other == name) => name,
            _ => code,
        }
    }
}

/// Spelling of a value.
fn spelling(keys: &Keys, (key, code): (KeyId, Code)) -> Option<String> {
    let key = keys.by_id(key)?;
    let dict = key.freeze();
    KeyView { key, dict }.spelling(code)
}

/// Run directories in the path of a source.
fn run_folders(
    source: &Source,
    keys: &[KeyId],
    spell: &mut dyn FnMut((KeyId, Code)) -> Option<String>,
) -> Vec<((KeyId, Code), String)> {
    let consts = source.consts.iter().filter(|(key, _)| keys.contains(key));
    let folder = |of: &(KeyId, Code)| Some((*of, folder(&source.path, &spell(*of)?)?.to_owned()));
    consts.filter_map(folder).collect()
}

/// Maps each folder to the original that it replicates (itself for most): at least half of its records are duplicates.
fn originals(
    snapshot: &Snapshot,
    of: (KeyId, Code),
    folders: &[String],
) -> BTreeMap<String, String> {
    let itself = |f: &String| (f.clone(), f.clone());
    let mut first: BTreeMap<String, String> = folders.iter().map(itself).collect();
    if folders.len() < 2 {
        return first;
    }
    let mut places: FxHashMap<u32, &String> = FxHashMap::default();
    let mut records: BTreeMap<&String, u64> = BTreeMap::new();
    for source in snapshot.sources.iter().filter(|s| s.consts.contains(&of)) {
        let own = folders
            .iter()
            .filter(|f| source.path.starts_with(f.as_str()));
        if let Some(folder) = own.max_by_key(|f| f.len()) {
            places.insert(source.id.0, folder);
            *records.entry(folder).or_default() += source.stats.records();
        }
    }
    let place = |id: u32| {
        let event: EventRef<'_> = snapshot.event(EventId(id))?;
        places.get(&event.source().id.0).copied()
    };
    let mut repeated: BTreeMap<(&String, &String), u64> = BTreeMap::new();
    for (copy, original) in snapshot.duplicates.iter() {
        if let (Some(copy), Some(original)) = (place(copy), place(original)) {
            *repeated.entry((copy, original)).or_default() += 1;
        }
    }
    for ((copy, original), times) in repeated {
        if copy != original && times * 2 >= records.get(copy).copied().unwrap_or(0) {
            first.insert(copy.clone(), original.clone());
        }
    }
    first
}

/// Distinct name of the run in one of the folders with the same name; `None` if the name is unique.
fn name(keys: &Keys, of: (KeyId, Code), folders: &[&String], at: usize) -> Option<Code> {
    let distinction = distinguishing_path(folders, at)?;
    let name = format!("{distinction}/{}", spelling(keys, of)?);
    Some(keys.by_id(of.0)?.code(&name))
}

/// Part of a folder's path that distinguishes it from other folders with the same name: without that name, and without
/// leading and trailing components that all share. `None` if nothing is left.
fn distinguishing_path(folders: &[&String], at: usize) -> Option<String> {
    let split = |folder: &&String| -> Vec<String> {
        let mut parts: Vec<String> = folder.split('/').map(str::to_owned).collect();
        parts.pop();
        parts
    };
    let parts: Vec<Vec<String>> = folders.iter().map(split).collect();
    let own = parts.get(at)?;
    if parts.len() < 2 {
        return None;
    }
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let is_tail = |n: &usize| {
        let tail = &own[own.len() - n..];
        parts.iter().all(|p| p.ends_with(tail))
    };
    let tail = (0..=shortest).rev().find(is_tail).unwrap_or(0);
    let is_head = |n: &usize| parts.iter().all(|p| p.starts_with(&own[..*n]));
    let head = (0..=shortest - tail).rev().find(is_head).unwrap_or(0);
    let distinction = own.get(head..own.len() - tail)?;
    (!distinction.is_empty()).then(|| distinction.join("/"))
}

/// Last folder with this name in a path.
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

    #[test]
    fn folders_are_told_apart_by_what_they_do_not_share() {
        let names = |folders: &[&str]| -> Vec<Option<String>> {
            let folders: Vec<String> = folders.iter().map(|f| (*f).to_owned()).collect();
            let folders: Vec<&String> = folders.iter().collect();
            (0..folders.len())
                .map(|at| distinguishing_path(&folders, at))
                .collect()
        };
        let some = |names: &[&str]| -> Vec<Option<String>> {
            names.iter().map(|n| Some((*n).to_owned())).collect()
        };
        let two = ["x/before/runinfo/000", "x/after/runinfo/000"];
        assert_eq!(names(&two), some(&["before", "after"]));
        let three = ["a/x/000", "b/x/000", "a/y/000"];
        assert_eq!(names(&three), some(&["a/x", "b/x", "a/y"]));
        assert_eq!(names(&["runinfo/000"]), [None]);
        assert_eq!(
            names(&["000", "old/000"]),
            [None, Some("old".to_owned())],
            "one of them has nothing above it"
        );
        assert_eq!(names(&["a/000", "a/a/000"]), [None, Some("a".to_owned())]);
    }
}
