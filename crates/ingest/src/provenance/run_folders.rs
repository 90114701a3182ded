//! Which run a log is of, where a system does not name its runs and several of them are opened together: each stands in a
//! folder of its own, and what has one name in both (a job, a task) is not the same.
//!
//! A folder holds several runs when several of the folders in it hold logs of which a run has one: two schedulers are of two
//! clusters, two workers are of one. Folders that are copies of each other (a run beside its own archive) are one run.
//!
//! What is found here becomes a key before joins and ids are made of it. Which runs there are, and when each began anew, is
//! told afterwards by `analysis::runs`, which takes folders that have different names here for different runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::folders;
use widetui_core::ids::{EventId, KeyId};
use widetui_format::definitions::kinds::RunsRule;
use widetui_store::source::Source;
use widetui_store::{Snapshot, SourceTrait};

/// The runs of systems that do not name them, where there are several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    rules: Vec<RunsRule>,
    systems: Vec<SystemPlaces>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SystemPlaces {
    system: String,
    key: KeyId,
    /// Folders, and what the run in each is called.
    places: Vec<(String, Code)>,
}

impl Places {
    /// Of a run that was read whole.
    pub fn of(snapshot: &Snapshot, rules: Vec<RunsRule>) -> Places {
        Places {
            systems: found(snapshot, &snapshot.sources, &rules),
            rules,
        }
    }

    /// Learns that a source came, the last of `sources`; `snapshot` has the records so far. Whether runs are told apart
    /// otherwise from now on.
    pub(crate) fn meet(
        &mut self,
        source: &Source,
        sources: &[Arc<Source>],
        snapshot: &Snapshot,
    ) -> bool {
        let tells = |rule: &RunsRule| {
            source.system.as_deref() == Some(&rule.system) && rule.kinds.contains(&source.kind)
        };
        if !self.rules.iter().any(tells) {
            return false;
        }
        let systems = found(snapshot, sources, &self.rules);
        let is_new = systems != self.systems;
        self.systems = systems;
        is_new
    }

    /// Whether a key is one of those that tell runs apart.
    pub(crate) fn is_key(&self, key: KeyId) -> bool {
        self.systems.iter().any(|s| s.key == key)
    }

    /// Whether there is nothing to tell apart.
    pub(crate) fn is_idle(&self) -> bool {
        self.systems.is_empty()
    }

    /// The run that a source is of: of the innermost folder in which it lies.
    pub(crate) fn run_of(&self, source: &Source) -> Option<(KeyId, Code)> {
        let system = source.system.as_ref()?;
        let of_system = self.systems.iter().find(|s| s.system == *system)?;
        let places = of_system.places.iter();
        let around = places.filter(|(folder, _)| folders::is_in(&source.path, folder));
        let (_, name) = around.max_by_key(|(folder, _)| folder.len())?;
        Some((of_system.key, *name))
    }
}

/// The places of systems that have several.
fn found(snapshot: &Snapshot, sources: &[Arc<Source>], rules: &[RunsRule]) -> Vec<SystemPlaces> {
    let of_rule = |rule: &RunsRule| {
        let places = distinct(snapshot, rule, folders_of_runs(sources, rule));
        let names = names(&places);
        let apart: BTreeSet<&String> = names.iter().collect();
        if apart.len() < 2 {
            return None;
        }
        let key = snapshot.tables.keys.get(&rule.key)?;
        let places = places.into_iter().map(|(folder, _)| folder).zip(&names);
        Some(SystemPlaces {
            system: rule.system.clone(),
            key: key.id,
            places: places.map(|(f, name)| (f, key.code(name))).collect(),
        })
    };
    rules.iter().filter_map(of_rule).collect()
}

/// The folders that hold one run each; the only one that holds all of them, if they are of one.
fn folders_of_runs(sources: &[Arc<Source>], rule: &RunsRule) -> Vec<String> {
    let sources = sources
        .iter()
        .filter(|s| s.is_log && !s.has_trait(SourceTrait::Facts));
    let own = sources
        .filter(|s| s.system.as_deref() == Some(&rule.system) && rule.kinds.contains(&s.kind));
    let folder = |s: &'_ Source| match s.has_trait(SourceTrait::Synthetic)
        || s.has_trait(SourceTrait::Table)
    {
        // The rows of a document lie in it as in a folder.
        true => folders::folder(folders::folder(&s.path)).to_owned(),
        false => folders::folder(&s.path).to_owned(),
    };
    let roots: BTreeSet<(String, &str)> = own.map(|s| (folder(s), s.kind.as_str())).collect();
    let roots: Vec<(&str, &str)> = roots.iter().map(|(f, kind)| (f.as_str(), *kind)).collect();
    let mut out = Vec::new();
    split(&roots, "", &mut out);
    out
}

/// Splits folders with logs of which a run has one (folder, kind), all in the folder `inside`, into those that hold one run each.
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
    // By the next folder on the way to each; the empty one for what stands here.
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

/// Each folder with the one of which it is a copy: most records of its logs stand there too; most are copies of none.
fn distinct(snapshot: &Snapshot, rule: &RunsRule, places: Vec<String>) -> Vec<(String, String)> {
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

/// What the runs in some folders are called, each beside the folder whose run it is: by what their paths do not share.
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
        // It stands above the others.
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
