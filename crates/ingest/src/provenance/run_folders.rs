//! Run assignment by folder, for systems that do not name their runs: several runs opened together are in separate
//! folders, and instances of the same name (a job, a task) in two of them are distinct.
//!
//! A folder contains several runs if several of its subfolders contain a log of which a run has exactly one: two
//! schedulers mean two clusters, two workers one. Replicas (a run next to its own archive) count as one run.
//!
//! The result becomes a key before joins and ids use it. `analysis::runs` later detects restarts within a folder; it
//! takes folders with different names here as different runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::{EventId, KeyId};
use widetui_format::definitions::kinds::RunsRule;
use widetui_store::source::Source;
use widetui_store::{Snapshot, SourceTrait};

/// Runs of systems that do not name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFolders(Vec<SystemRunFolders>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct SystemRunFolders {
    system: String,
    key: KeyId,
    /// Folders with the code of the run in each.
    places: Vec<(String, Code)>,
}

impl RunFolders {
    /// Finds the runs of a snapshot.
    pub fn of(snapshot: &Snapshot, rules: &[RunsRule]) -> RunFolders {
        RunFolders(find_runs(snapshot, &snapshot.sources, rules))
    }

    /// Whether no system has several runs.
    pub(crate) fn is_trivial(&self) -> bool {
        self.0.is_empty()
    }

    /// Run of a source: that of the innermost folder that contains the source.
    pub(crate) fn run_of(&self, source: &Source) -> Option<(KeyId, Code)> {
        let system = source.system.as_ref()?;
        let of_system = self.0.iter().find(|s| s.system == *system)?;
        let places = of_system.places.iter();
        let around = places.filter(|(folder, _)| folders::is_in(&source.path, folder));
        let (_, name) = around.max_by_key(|(folder, _)| folder.len())?;
        Some((of_system.key, *name))
    }
}

/// Finds the folders of systems with several runs.
fn find_runs(
    snapshot: &Snapshot,
    sources: &[Arc<Source>],
    rules: &[RunsRule],
) -> Vec<SystemRunFolders> {
    let of_rule = |rule: &RunsRule| {
        let places = with_originals(snapshot, rule, folders_of_runs(sources, rule));
        let names = names(&places);
        let distinct_names: BTreeSet<&String> = names.iter().collect();
        if distinct_names.len() < 2 {
            return None;
        }
        let key = snapshot.tables.keys.get(&rule.key)?;
        let places = places.into_iter().map(|(folder, _)| folder).zip(&names);
        Some(SystemRunFolders {
            system: rule.system.clone(),
            key: key.id,
            places: places.map(|(f, name)| (f, key.code(name))).collect(),
        })
    };
    rules.iter().filter_map(of_rule).collect()
}

/// Folders with one run each, or the common folder of all if there is one run.
fn folders_of_runs(sources: &[Arc<Source>], rule: &RunsRule) -> Vec<String> {
    let sources = sources
        .iter()
        .filter(|s| s.is_log && !s.has_trait(SourceTrait::Facts));
    let own = sources
        .filter(|s| s.system.as_deref() == Some(&rule.system) && rule.kinds.contains(&s.kind));
    let folder = |s: &'_ Source| match s.has_trait(SourceTrait::Synthetic)
        || s.has_trait(SourceTrait::Table)
    {
        // Rows of a document have the path of the document as their folder.
        true => folders::folder(folders::folder(&s.path)).to_owned(),
        false => folders::folder(&s.path).to_owned(),
    };
    let roots: BTreeSet<(String, &str)> = own.map(|s| (folder(s), s.kind.as_str())).collect();
    let roots: Vec<(&str, &str)> = roots.iter().map(|(f, kind)| (f.as_str(), *kind)).collect();
    let mut out = Vec::new();
    split(&roots, "", &mut out);
    out
}

/// Splits a folder `inside` by its logs (folder, kind), of kinds of which a run has one, into folders with one run
/// each.
fn split(roots: &[(&str, &str)], inside: &str, out: &mut Vec<String>) {
    let Some((first, _)) = roots.first() else {
        return;
    };
    let holds_all = |folder: &&str| {
        roots
            .iter()
            .all(|(root, _)| folders::is_at_or_in(root, folder))
    };
    let common = std::iter::once(*first).chain(folders::above(first));
    let common = common.into_iter().find(holds_all).unwrap_or("");
    // Groups by the next path component; empty for logs directly in the common folder.
    let mut branches: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (root, kind) in roots {
        let rest = root[common.len()..].trim_start_matches('/');
        let branch = rest.split('/').next().unwrap_or("");
        branches.entry(branch).or_default().push((root, kind));
    }
    let mut kinds: Vec<&str> = Vec::new();
    for roots in branches.values() {
        let own: BTreeSet<&str> = roots.iter().map(|r| r.1).collect();
        kinds.extend(own);
    }
    kinds.sort_unstable();
    if !kinds.windows(2).any(|pair| pair[0] == pair[1]) {
        out.push(inside.to_owned());
        return;
    }
    for (branch, roots) in branches {
        match (branch, common) {
            ("", _) => out.push(common.to_owned()),
            (_, "") => split(&roots, branch, out),
            _ => split(&roots, &format!("{common}/{branch}"), out),
        }
    }
}

/// Pairs each folder with the original that it replicates (itself for most): at least half of its records are
/// duplicates.
fn with_originals(
    snapshot: &Snapshot,
    rule: &RunsRule,
    places: Vec<String>,
) -> Vec<(String, String)> {
    let mut copies: FxHashMap<(usize, usize), u64> = FxHashMap::default();
    let mut records = vec![0_u64; places.len()];
    let mut of_source: FxHashMap<u32, usize> = FxHashMap::default();
    for source in snapshot.sources.iter() {
        let around = places.iter().enumerate();
        let around = around.filter(|(_, folder)| folders::is_in(&source.path, folder));
        if source.system.as_deref() == Some(&rule.system)
            && let Some((place, _)) = around.max_by_key(|(_, folder)| folder.len())
        {
            of_source.insert(source.id.0, place);
            records[place] += source.stats.records();
        }
    }
    if places.len() > 1 {
        let place = |id: u32| {
            let event = snapshot.event(EventId(id))?;
            of_source.get(&event.source().id.0).copied()
        };
        for (copy, original) in snapshot.duplicates.iter() {
            if let (Some(copy), Some(original)) = (place(copy), place(original)) {
                *copies.entry((copy, original)).or_default() += 1;
            }
        }
    }
    let original = |place: usize| {
        let of = copies.iter().find(|((copy, original), times)| {
            *copy == place && copy != original && **times * 2 >= records[place]
        });
        of.map_or(place, |((_, original), _)| *original)
    };
    (0..places.len())
        .map(|at| (places[at].clone(), places[original(at)].clone()))
        .collect()
}

/// Names of the runs, each derived from the part of the folder path that is not shared by all.
fn names(places: &[(String, String)]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = places
        .iter()
        .map(|(_, of)| of.split('/').collect())
        .collect();
    let shared = |n: usize| {
        let first = parts.first().and_then(|p| p.get(n));
        first.is_some() && parts.iter().all(|p| p.get(n) == first)
    };
    let head = (0..).find(|n| !shared(*n)).unwrap_or(0);
    let name = |own: &Vec<&str>| match own.get(head..) {
        Some(rest) if rest.iter().any(|part| !part.is_empty()) => rest.join("/"),
        // The folder contains the others.
        _ => own
            .last()
            .filter(|l| !l.is_empty())
            .map_or(".", |l| *l)
            .to_owned(),
    };
    parts.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_up(roots: &[(&str, &str)]) -> Vec<String> {
        let mut out = Vec::new();
        let mut roots = roots.to_vec();
        roots.sort_unstable();
        split(&roots, "", &mut out);
        out
    }

    #[test]
    fn one_of_each_kind_is_one_run_wherever_they_stand() {
        let one = [
            ("x/a/logs", "scheduler"),
            ("x/a", "events"),
            ("x/a/out", "stream"),
        ];
        assert_eq!(split_up(&one), [""]);
        assert_eq!(split_up(&[("", "scheduler")]), [""]);
        assert!(split_up(&[]).is_empty());
    }

    #[test]
    fn two_of_a_kind_in_two_folders_are_of_two_runs() {
        let two = [
            ("x/a/logs", "scheduler"),
            ("x/a", "events"),
            ("x/b/logs", "scheduler"),
            ("x/c/more/d", "scheduler"),
            ("x/c/more/e", "scheduler"),
        ];
        assert_eq!(split_up(&two), ["x/a", "x/b", "x/c/more/d", "x/c/more/e"]);
        let above = [("x", "scheduler"), ("x/old", "scheduler")];
        assert_eq!(split_up(&above), ["x", "x/old"]);
    }

    #[test]
    fn runs_are_called_by_what_their_folders_do_not_share() {
        let of = |folders: &[&str]| {
            let places = folders.iter().map(|f| ((*f).to_owned(), (*f).to_owned()));
            names(&places.collect::<Vec<_>>())
        };
        assert_eq!(of(&["x/a/logs", "x/b"]), ["a/logs", "b"]);
        assert_eq!(of(&["x", "x/old"]), ["x", "old"]);
        assert_eq!(of(&["", "old"]), [".", "old"]);
    }
}
