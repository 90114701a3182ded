//! Groups of folders of one system that hold one run.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::folders::{self, common};
use widetui_core::ids::SourceId;
use widetui_store::{Nature, Snapshot};

/// Folders of one system that were taken together.
pub(super) struct Place {
    /// Name of the definition.
    pub system: String,
    /// The folder in which all of them lie; empty when they share none.
    pub folder: String,
    pub folders: Vec<String>,
    /// Its logs, ascending.
    pub sources: Vec<SourceId>,
}

/// The logs of a system in a folder, and further in where those tell of nothing.
#[derive(Default)]
struct Logs {
    sources: Vec<SourceId>,
    /// The times that they tell of, UTC ns.
    range: Option<(i64, i64)>,
}

/// Folders of systems, before they are taken together.
#[derive(Default)]
pub(super) struct Groups {
    at: BTreeMap<(String, String), usize>,
    /// System and folder.
    list: Vec<(String, String)>,
    /// What its run is called, where those of a system are told apart by where their logs lie: that decides.
    run: Vec<Option<Code>>,
    /// Whether work began there.
    has_work: Vec<bool>,
    /// Folders whose logs tell of one thing.
    shared: Vec<FxHashSet<usize>>,
}

impl Groups {
    /// Notes a folder in which a log of a system tells of something, what the run of that log is called, and whether it is
    /// work; its number.
    pub fn take(&mut self, system: &str, folder: &str, run: Option<Code>, is_work: bool) -> usize {
        let group = self.of(system, folder);
        self.run[group] = self.run[group].or(run);
        self.has_work[group] |= is_work;
        group
    }

    /// Notes sets of folders whose logs tell of one thing.
    pub fn share(&mut self, sets: impl Iterator<Item = FxHashSet<usize>>) {
        self.shared.extend(sets.filter(|set| set.len() > 1));
    }

    fn of(&mut self, system: &str, folder: &str) -> usize {
        let key = (system.to_owned(), folder.to_owned());
        if let Some(at) = self.at.get(&key) {
            return *at;
        }
        let at = self.list.len();
        self.list.push(key.clone());
        self.has_work.push(false);
        self.run.push(None);
        self.at.insert(key, at);
        at
    }

    /// Takes together what belongs together.
    pub fn together(self, snapshot: &Snapshot) -> Vec<Place> {
        let logs = self.logs(snapshot);
        let touch = |a: usize, b: usize| match (self.run[a], self.run[b]) {
            (Some(a), Some(b)) => a == b,
            _ => match (logs[a].range, logs[b].range) {
                (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
                _ => true,
            },
        };
        let mut united = United::of(self.list.len());
        self.unite_runs(&mut united);
        self.unite_inner(&mut united, touch);
        self.unite_shared(&mut united, touch);
        self.unite_carriers(&mut united, touch);
        let place = |members: Vec<usize>| {
            let folders = members.iter().map(|m| self.list[*m].1.clone());
            let folders: Vec<String> = folders.collect();
            let folder = folders.iter().map(String::as_str).reduce(common);
            let sources = members.iter().flat_map(|m| &logs[*m].sources).copied();
            let mut sources: Vec<SourceId> = sources.collect();
            sources.sort_unstable();
            Place {
                system: self.list[members[0]].0.clone(),
                folder: folder.unwrap_or_default().to_owned(),
                folders,
                sources,
            }
        };
        united.sets().map(place).collect()
    }

    /// What lies in each folder.
    fn logs(&self, snapshot: &Snapshot) -> Vec<Logs> {
        let mut logs = Vec::new();
        logs.resize_with(self.list.len(), Logs::default);
        for source in snapshot
            .sources
            .iter()
            .filter(|s| s.is_log && !s.is(Nature::Facts))
        {
            let system = source.system.clone().unwrap_or_default();
            let mut folder = folders::folder(&source.path);
            // A log that tells of nothing is of the next folder outside that does.
            let at = loop {
                let key = (system.clone(), folder.to_owned());
                match (self.at.get(&key), folder.rsplit_once('/')) {
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

    /// Those whose runs are told apart by where their logs lie.
    fn unite_runs(&self, united: &mut United) {
        let mut first_of: FxHashMap<(&str, Code), usize> = FxHashMap::default();
        for (at, (system, _)) in self.list.iter().enumerate() {
            if let Some(run) = self.run[at] {
                let first = *first_of.entry((system, run)).or_insert(at);
                united.unite(first, at);
            }
        }
    }

    /// Those of which one lies in the other.
    fn unite_inner(&self, united: &mut United, touch: impl Fn(usize, usize) -> bool) {
        for (at, (system, folder)) in self.list.iter().enumerate() {
            let mut outer = folder.as_str();
            while let Some((next, _)) = outer.rsplit_once('/') {
                outer = next;
                let key = (system.clone(), outer.to_owned());
                if let Some(other) = self.at.get(&key).filter(|other| touch(at, **other)) {
                    united.unite(at, *other);
                }
            }
        }
    }

    /// Those that tell of one thing.
    fn unite_shared(&self, united: &mut United, touch: impl Fn(usize, usize) -> bool) {
        for set in &self.shared {
            let set: Vec<usize> = set.iter().copied().collect();
            for (i, a) in set.iter().enumerate() {
                let near = set.iter().skip(i + 1).find(|b| touch(*a, **b));
                near.into_iter().for_each(|b| united.unite(*a, *b));
            }
        }
    }

    /// What only carries belongs to the nearest work of its time.
    fn unite_carriers(&self, united: &mut United, touch: impl Fn(usize, usize) -> bool) {
        let all = 0..self.list.len();
        let (working, carrying): (Vec<usize>, Vec<usize>) = all.partition(|at| self.has_work[*at]);
        for at in carrying {
            let (system, folder) = &self.list[at];
            let near = |other: &&usize| self.list[**other].0 == *system && touch(at, **other);
            let near = working.iter().filter(near);
            let nearest = near.max_by_key(|other| common(folder, &self.list[**other].1).len());
            if let Some(other) = nearest {
                united.unite(at, *other);
            }
        }
    }
}

/// Numbers that are taken together, each with those that it was united with.
struct United {
    /// By number, one that it was united with that is smaller; itself where there is none.
    smaller: Vec<usize>,
}

impl United {
    fn of(count: usize) -> United {
        United {
            smaller: (0..count).collect(),
        }
    }

    fn smallest(&self, mut at: usize) -> usize {
        while self.smaller[at] != at {
            at = self.smaller[at];
        }
        at
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.smallest(a), self.smallest(b));
        self.smaller[a.max(b)] = a.min(b);
    }

    /// The sets, by their smallest members; members ascending.
    fn sets(&self) -> impl Iterator<Item = Vec<usize>> {
        let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.smaller.len() {
            sets.entry(self.smallest(at)).or_default().push(at);
        }
        sets.into_values()
    }
}
