//! Flat folders: logs of one run that were copied into one folder, without their tree. Definitions take keys from
//! folder names (`{parsl.rundir}/{parsl.executor}/interchange.log`); in a flat folder these keys are wrong.
//!
//! A folder is flat if a path takes the folder's name for a key, while an adjacent log belongs to another level of the
//! tree: an interchange log is in the folder of its executor, but no `parsl.log` and no worker log is. Such a folder is
//! taken as the run directory, and keys of the levels below are left to records and joins. The working directory has no
//! name in paths, so paths take no key from it; but logs of two levels in it belong to one run as well.
//!
//! Trees that match the definitions are unaffected: none of their folders is on two levels.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::KeyId;
use widetui_format::definitions::kinds::Compiled;
use widetui_format::definitions::path_claims::FolderKeys;
use widetui_store::Snapshot;
use widetui_store::source::Source;

use crate::detector::Detector;

/// Folder that contains logs of one system side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FlatFolder {
    system: String,
    path: String,
    /// Name of the key for the run directory, if logs of the system have one.
    run_key: Option<String>,
    /// Run key and value for logs in the folder; `None` if the records of a log state the run.
    run: Option<(KeyId, Code)>,
}

/// Removes keys that paths take from the names of flat folders.
pub(crate) fn corrected(snapshot: Snapshot, detector: &Detector) -> Snapshot {
    match correct(&snapshot.sources, detector.definitions()) {
        None => snapshot,
        Some(sources) => Snapshot {
            sources: sources.into(),
            catalog: snapshot.tables.freeze(),
            ..snapshot
        },
    }
}

/// Sources without keys from the names of flat folders; `None` if there are no such folders.
fn correct(sources: &[Arc<Source>], definitions: &Compiled) -> Option<Vec<Arc<Source>>> {
    let found = flat_folders(sources, definitions);
    let correct = |source: &Arc<Source>| {
        let inside = innermost(&found, source);
        let corrected = inside.and_then(|inside| inside.corrected(source, definitions));
        corrected.unwrap_or_else(|| source.clone())
    };
    (!found.is_empty()).then(|| sources.iter().map(correct).collect())
}

/// Finds the flat folders of a run.
fn flat_folders(sources: &[Arc<Source>], definitions: &Compiled) -> Vec<FlatFolder> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Source>> = BTreeMap::new();
    for source in sources.iter().filter(|s| s.is_log) {
        if let Some(system) = &source.system {
            let place = (system.as_str(), folders::folder(&source.path));
            groups.entry(place).or_default().push(source);
        }
    }
    // Logs of a single kind are no evidence about their folder.
    groups.retain(|_, logs| logs.iter().any(|log| log.kind != logs[0].kind));
    let mut kinds = Kinds::new(definitions);
    let found =
        { groups.iter() }.filter_map(|(place, logs)| kinds.flat_folder(*place, logs, sources));
    found.collect()
}

/// Innermost flat folder that contains a source.
fn innermost<'a>(found: &'a [FlatFolder], source: &Source) -> Option<&'a FlatFolder> {
    let around = found.iter().filter(|flat| {
        source.system.as_deref() == Some(&flat.system) && folders::is_in(&source.path, &flat.path)
    });
    around.max_by_key(|flat| flat.path.len())
}

impl FlatFolder {
    /// Whether logs of a kind are located directly in the folder of their run.
    fn is_level_of(&self, kind: &str, definitions: &Compiled) -> bool {
        let keys = definitions.folder_keys_of_kind(&self.system, kind);
        keys.iter()
            .any(|(key, up)| *up == 1 && Some(key) == self.run_key.as_ref())
    }

    /// Returns the source without keys from the names of this folder and its ancestors; `None` if it has no such keys.
    fn corrected(&self, source: &Source, definitions: &Compiled) -> Option<Arc<Source>> {
        let by_folder = definitions.folder_keys(&source.path, &source.consts);
        let is_wrong = |key: KeyId| {
            by_folder.keys.iter().any(|(name, up)| {
                let folder = named_folder(&source.path, *up);
                let is_run = Some(name) == self.run_key.as_ref() && folder == self.path;
                definitions.known_key(name) == Some(key)
                    && folders::is_at_or_in(&self.path, folder)
                    && !is_run
            })
        };
        let own = source.consts.iter().copied();
        let mut consts: Vec<(KeyId, Code)> = own.filter(|(key, _)| !is_wrong(*key)).collect();
        let lies_here = folders::folder(&source.path) == self.path;
        if let Some((key, run)) = self.run
            && (lies_here || consts.len() < source.consts.len())
            && (!definitions.names_run(&self.system, &source.kind)
                || self.is_level_of(&source.kind, definitions))
            && consts.iter().all(|(own, _)| *own != key)
        {
            consts.push((key, run));
        }
        (consts[..] != source.consts[..]).then(|| {
            Arc::new(Source {
                consts: consts.into(),
                ..source.clone()
            })
        })
    }
}

/// Run name for the working directory.
const HERE: &str = ".";

/// Folder `up` levels above a path.
fn named_folder(path: &str, up: usize) -> &str {
    (0..up).fold(path, |inner, _| folders::folder(inner))
}

/// Whether adjacent logs belong to different levels of the tree.
fn on_two_levels(places: &[Arc<KindPlace>]) -> bool {
    let mut levels = places.iter().filter(|place| !place.direct.is_empty());
    levels
        .next()
        .is_some_and(|first| levels.any(|other| first.direct.is_disjoint(&other.direct)))
}

/// Cache of the folder keys of source kinds.
struct Kinds<'a> {
    definitions: &'a Compiled,
    run_keys: Vec<&'a str>,
    known: FxHashMap<(String, String), Arc<KindPlace>>,
}

/// Folder keys of a kind of source.
struct KindPlace {
    /// All keys that paths take from folders.
    keys: Vec<String>,
    /// Keys taken from the parent folder.
    direct: FxHashSet<String>,
    names_run: bool,
}

impl<'a> Kinds<'a> {
    fn new(definitions: &'a Compiled) -> Kinds<'a> {
        Kinds {
            definitions,
            run_keys: definitions.run_key_names(),
            known: FxHashMap::default(),
        }
    }

    fn place(&mut self, system: &str, kind: &str) -> Arc<KindPlace> {
        let definitions = self.definitions;
        let place = || {
            let keys = definitions.folder_keys_of_kind(system, kind);
            let direct = keys.iter().filter(|(_, up)| *up == 1);
            Arc::new(KindPlace {
                direct: direct.map(|(key, _)| key.clone()).collect(),
                keys: keys.into_iter().map(|(key, _)| key).collect(),
                names_run: definitions.names_run(system, kind),
            })
        };
        let known = self.known.entry((system.to_owned(), kind.to_owned()));
        known.or_insert_with(place).clone()
    }

    /// Returns the folder if its logs do not belong into the same folder of a tree.
    fn flat_folder(
        &mut self,
        (system, path): (&str, &str),
        logs: &[&Source],
        sources: &[Arc<Source>],
    ) -> Option<FlatFolder> {
        let places: Vec<Arc<KindPlace>> = logs
            .iter()
            .map(|log| self.place(system, &log.kind))
            .collect();
        let keys = places.iter().flat_map(|place| &place.keys);
        let mut keys = keys.filter(|key| self.run_keys.contains(&key.as_str()));
        let run_key = keys.next();
        let by_folder = |log: &&Source| self.definitions.folder_keys(&log.path, &log.consts);
        let by_folder: Vec<FolderKeys> = logs.iter().map(by_folder).collect();
        if by_folder.iter().any(|keys| keys.is_certain) {
            return None;
        }
        // A key of another level than that of an adjacent log.
        let is_odd = |key: &String| {
            let elsewhere = |place: &Arc<KindPlace>| {
                let has_level = !place.direct.is_empty() || place.names_run;
                has_level && !place.direct.contains(key)
            };
            !self.run_keys.contains(&key.as_str()) && places.iter().any(elsewhere)
        };
        let in_run = |keys: &FolderKeys| {
            let of_run = keys.keys.iter().filter(|(key, _)| Some(key) == run_key);
            let mut around = of_run.map(|(_, up)| named_folder(logs[0].path.as_str(), *up));
            around.any(|folder| folder != path && self.is_run(system, folder, run_key, sources))
        };
        let is_flat = by_folder.iter().any(|keys| {
            let mut direct = keys.keys.iter().filter(|(_, up)| *up == 1);
            direct.any(|(key, _)| is_odd(key)) && !in_run(keys)
        });
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_nameless = name.is_empty() || name == HERE;
        let is_flat = is_flat || is_nameless && on_two_levels(&places);
        if !is_flat {
            return None;
        }
        // If the only log that states the run may be located anywhere, the folder name must not compete with the stated
        // name.
        let in_run_folder = |key: &&String| {
            let mut naming = places.iter().filter(|place| place.names_run).peekable();
            naming.peek().is_none() || naming.any(|place| place.direct.contains(*key))
        };
        let run = run_key.filter(in_run_folder);
        let name = if is_nameless { HERE } else { name };
        Some(FlatFolder {
            system: system.to_owned(),
            path: path.to_owned(),
            run_key: run_key.cloned(),
            run: run.and_then(|key| self.definitions.constant(key, name)),
        })
    }

    /// Whether the path of a log in `folder` states that the folder is a run directory.
    fn is_run(
        &self,
        system: &str,
        folder: &str,
        run_key: Option<&String>,
        sources: &[Arc<Source>],
    ) -> bool {
        let mut here = sources.iter().filter(|s| {
            s.is_log && s.system.as_deref() == Some(system) && folders::folder(&s.path) == folder
        });
        here.any(|log| {
            let keys = self.definitions.folder_keys(&log.path, &log.consts).keys;
            keys.iter()
                .any(|(key, up)| *up == 1 && Some(key) == run_key)
        })
    }
}

#[cfg(test)]
mod tests;
