//! Groups of folders of one system that belong to one run.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::disjoint_sets::DisjointSets;
use widetui_core::folders::{self, common};
use widetui_core::ids::SourceId;
use widetui_store::{Snapshot, SourceTrait};

/// Group of folders of one system.
pub(super) struct FolderGroup {
    /// Name of the system definition.
    pub(crate) system: String,
    /// Common parent folder; empty if there is none.
    pub(crate) folder: String,
    /// Folders of the group.
    pub(crate) folders: Vec<String>,
    /// Logs of the group, ascending.
    pub(crate) sources: Vec<SourceId>,
}

/// Logs of a system in a folder, including subfolders without relevant records.
#[derive(Default)]
struct FolderLogs {
    sources: Vec<SourceId>,
    /// Time range of the logs, UTC ns.
    range: Option<(i64, i64)>,
}

/// Folders of systems, before grouping.
#[derive(Default)]
pub(super) struct FolderGroups {
    numbers: BTreeMap<(String, String), usize>,
    /// System and folder by number.
    list: Vec<(String, String)>,
    /// Name of the run, if paths name the runs of the system; then this name decides.
    run_names: Vec<Option<Code>>,
    /// Whether work items began in the folder.
    has_work: Vec<bool>,
    /// Sets of folders whose logs describe a common instance.
    shared: Vec<FxHashSet<usize>>,
}

impl FolderGroups {
    /// Adds a folder with relevant records of a system, the name of its run, and whether they
    /// concern work; returns its number.
    pub(crate) fn add_folder(
        &mut self,
        system: &str,
        folder: &str,
        run: Option<Code>,
        has_work_items: bool,
    ) -> usize {
        let group = self.get_or_insert(system, folder);
        self.run_names[group] = self.run_names[group].or(run);
        self.has_work[group] |= has_work_items;
        group
    }

    /// Adds sets of folders whose logs describe a common instance.
    pub(crate) fn add_shared(&mut self, sets: impl Iterator<Item = FxHashSet<usize>>) {
        self.shared.extend(sets.filter(|set| set.len() > 1));
    }

    /// Number of a folder of a system, inserted if missing.
    fn get_or_insert(&mut self, system: &str, folder: &str) -> usize {
        let key = (system.to_owned(), folder.to_owned());
        if let Some(at) = self.numbers.get(&key) {
            return *at;
        }
        let at = self.list.len();
        self.list.push(key.clone());
        self.has_work.push(false);
        self.run_names.push(None);
        self.numbers.insert(key, at);
        at
    }

    /// Groups the folders that belong to one run.
    pub(crate) fn group(self, snapshot: &Snapshot) -> Vec<FolderGroup> {
        let logs = self.logs(snapshot);
        let overlaps = |a: usize, b: usize| match (self.run_names[a], self.run_names[b]) {
            (Some(a), Some(b)) => a == b,
            _ => match (logs[a].range, logs[b].range) {
                (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
                _ => true,
            },
        };
        let mut united = DisjointSets::new(self.list.len());
        self.unite_runs(&mut united);
        self.unite_nested(&mut united, overlaps);
        self.unite_shared(&mut united, overlaps);
        self.unite_resources(&mut united, overlaps);
        let place = |members: Vec<usize>| {
            let folders = members.iter().map(|m| self.list[*m].1.clone());
            let folders: Vec<String> = folders.collect();
            let folder = folders.iter().map(String::as_str).reduce(common);
            let sources = members.iter().flat_map(|m| &logs[*m].sources).copied();
            let mut sources: Vec<SourceId> = sources.collect();
            sources.sort_unstable();
            FolderGroup {
                system: self.list[members[0]].0.clone(),
                folder: folder.unwrap_or_default().to_owned(),
                folders,
                sources,
            }
        };
        united.sets().map(place).collect()
    }

    /// Logs of each folder.
    fn logs(&self, snapshot: &Snapshot) -> Vec<FolderLogs> {
        let mut logs = Vec::new();
        logs.resize_with(self.list.len(), FolderLogs::default);
        for source in snapshot
            .sources
            .iter()
            .filter(|s| s.is_log && !s.has_trait(SourceTrait::Facts))
        {
            let system = source.system.clone().unwrap_or_default();
            let mut folder = folders::folder(&source.path);
            // A log without relevant records belongs to the nearest enclosing folder with some.
            let at = loop {
                let key = (system.clone(), folder.to_owned());
                match (self.numbers.get(&key), folder.rsplit_once('/')) {
                    (Some(at), _) => break Some(*at),
                    (None, Some((outer, _))) => folder = outer,
                    (None, None) => break None,
                }
            };
            let Some(at) = at else { continue };
            let logs = &mut logs[at];
            logs.sources.push(source.id);
            if let (Some(from), Some(to)) = (source.first(), source.last()) {
                let (a, b) = logs.range.get_or_insert((from, to));
                (*a, *b) = ((*a).min(from), (*b).max(to));
            }
        }
        logs
    }

    /// Unites folders with the same run name in their paths.
    fn unite_runs(&self, united: &mut DisjointSets) {
        let mut first_of: FxHashMap<(&str, Code), usize> = FxHashMap::default();
        for (at, (system, _)) in self.list.iter().enumerate() {
            if let Some(run) = self.run_names[at] {
                let first = *first_of.entry((system, run)).or_insert(at);
                united.unite(first, at);
            }
        }
    }

    /// Unites folders of which one contains the other.
    fn unite_nested(&self, united: &mut DisjointSets, overlaps: impl Fn(usize, usize) -> bool) {
        for (at, (system, folder)) in self.list.iter().enumerate() {
            let mut outer = folder.as_str();
            while let Some((next, _)) = outer.rsplit_once('/') {
                outer = next;
                let key = (system.clone(), outer.to_owned());
                if let Some(other) = self.numbers.get(&key).filter(|other| overlaps(at, **other)) {
                    united.unite(at, *other);
                }
            }
        }
    }

    /// Unites folders whose logs describe a common instance.
    fn unite_shared(&self, united: &mut DisjointSets, overlaps: impl Fn(usize, usize) -> bool) {
        for set in &self.shared {
            let set: Vec<usize> = set.iter().copied().collect();
            for (i, a) in set.iter().enumerate() {
                let near = set.iter().skip(i + 1).find(|b| overlaps(*a, **b));
                near.into_iter().for_each(|b| united.unite(*a, *b));
            }
        }
    }

    /// Unites folders that only concern resources with the nearest folder with work at the same
    /// time.
    fn unite_resources(&self, united: &mut DisjointSets, overlaps: impl Fn(usize, usize) -> bool) {
        let all = 0..self.list.len();
        let (working, carrying): (Vec<usize>, Vec<usize>) = all.partition(|at| self.has_work[*at]);
        for at in carrying {
            let (system, folder) = &self.list[at];
            let near = |other: &&usize| self.list[**other].0 == *system && overlaps(at, **other);
            let near = working.iter().filter(near);
            let nearest = near.max_by_key(|other| common(folder, &self.list[**other].1).len());
            if let Some(other) = nearest {
                united.unite(at, *other);
            }
        }
    }
}
