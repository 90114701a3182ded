//! Displayed names of instances: the parts of their ids that distinguish them.

use widetui_core::dict::Code;
use widetui_core::words::{bracketed, cut, name_words};
use widetui_store::Snapshot;

use crate::entity::{Id, Instance, Instances};

impl Instances {
    /// Name of an instance within its run: the last value of its id, or all of them joined.
    pub fn short_name(&self, snapshot: &Snapshot, instance: &Instance) -> String {
        let keys = self.id_keys(instance).iter().zip(instance.id.iter());
        let is_scope = |key| {
            self.entity
                .scope_keys
                .iter()
                .any(|scope| scope == snapshot.catalog.keys.name(key))
        };
        let own = keys.filter(|(key, _)| !is_scope(**key));
        let mut values = own.map(|(key, code)| self.value_text(snapshot, *key, *code));
        let joined = &self.entity.id_separators;
        let between = joined.get(usize::from(instance.alternative));
        match between.or(joined.first()) {
            Some(between) => bracketed(&values.collect::<Vec<_>>(), between),
            None => values.next_back().unwrap_or_default(),
        }
    }

    /// Keys and values of an id between the first, which identifies the run, and the last: `task
    /// 29`.
    fn middle_values(&self, snapshot: &Snapshot, instance: &Instance) -> Vec<(String, String)> {
        let mut id = self.id(snapshot, instance);
        if !self.entity.id_separators.is_empty() || id.len() < 3 {
            return Vec::new();
        }
        id.pop();
        id.remove(0);
        id
    }

    /// Parts of the ids that distinguish all instances.
    pub fn distinguishing_parts(&self) -> DistinguishingParts {
        let of_all = || DistinguishingParts::compare(self, self.list.iter());
        *self.cached_distinguishing_parts.get_or_init(of_all)
    }

    /// Title of an instance within its run: `task 24`, `task 24 try 0`.
    pub fn title(&self, snapshot: &Snapshot, instance: &Instance) -> String {
        let mut title = String::new();
        let between = match self.distinguishing_parts().inner {
            Varies::Yes => self.middle_values(snapshot, instance),
            Varies::No => Vec::new(),
        };
        for (key, value) in between {
            title.push_str(&format!("{} {value} ", name_words(&key)));
        }
        let number = self.short_name(snapshot, instance);
        format!("{title}{} {number}", self.entity.title)
    }
}

/// Parts of ids that differ between some instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistinguishingParts {
    /// Whether the first value differs: the run, or the enclosing instance.
    pub outer: Varies,
    /// Whether any value between the first and the last differs.
    pub(crate) inner: Varies,
}

/// Whether a part of an id differs between instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Varies {
    /// All instances have the same value.
    #[default]
    No,
    /// Some instances have different values.
    Yes,
}

impl DistinguishingParts {
    /// Compares the ids of some instances.
    pub fn compare<'i>(
        all: &Instances,
        some: impl Iterator<Item = &'i Instance>,
    ) -> DistinguishingParts {
        if !all.entity.id_separators.is_empty() {
            return DistinguishingParts::default();
        }
        let outer = |i: &'i Instance| (i.alternative, i.id.first().filter(|_| i.id.len() > 1));
        let inner = |i: &'i Instance| -> &'i [Code] {
            i.id.get(1..i.id.len().saturating_sub(1))
                .unwrap_or_default()
        };
        let mut out = DistinguishingParts::default();
        let mut first: Option<&Instance> = None;
        for one in some {
            let first = *first.get_or_insert(one);
            if outer(one) != outer(first) {
                out.outer = Varies::Yes;
            }
            if inner(one) != inner(first) {
                out.inner = Varies::Yes;
            }
        }
        out
    }

    /// Title of an instance among the compared ones, without its first value: `24`, `29 try 0`,
    /// `htex task 3`.
    pub fn title(self, all: &Instances, snapshot: &Snapshot, instance: &Instance) -> String {
        let number = all.short_name(snapshot, instance);
        if self.inner == Varies::No {
            return number;
        }
        let between = all.middle_values(snapshot, instance);
        if between.is_empty() {
            return number;
        }
        let word = all.entity.title.rsplit(' ').next().unwrap_or_default();
        let values: Vec<&str> = between.iter().map(|(_, value)| value.as_str()).collect();
        format!("{} {word} {number}", values.join(" "))
    }
}

/// Formats key-value pairs of [`Instances::places`], innermost first: `worker 1, manager
/// 3619e747ac56, block 0`.
pub fn format_places(pairs: &[(String, String)]) -> String {
    let one = |(key, value): &(String, String)| format!("{} {value}", name_words(key));
    let parts: Vec<String> = pairs.iter().rev().map(one).collect();
    parts.join(", ")
}

/// Maximum length of a value in a description, in characters; longer values (ids) are cut.
const MAX_VALUE: usize = 12;

/// Formats a key and its value as `task 29`; long values are cut.
pub fn short_pair(key: &str, value: &str) -> String {
    format!("{} {}", name_words(key), cut(value, MAX_VALUE))
}

/// Outer parts of each id that distinguish it: all parts but the last, without parts that are the
/// same in all ids. `task 15` for the try 0 of task 15 among tries of several tasks.
pub fn differing_parts(ids: &[&Id]) -> Vec<String> {
    let part = |id: &Id, at: usize| id.get(at).filter(|_| at + 1 < id.len()).cloned();
    let most = ids.iter().map(|id| id.len()).max().unwrap_or(0);
    let differs = |at: &usize| {
        let first = ids.first().and_then(|id| part(id, *at));
        ids.iter().any(|id| part(id, *at) != first)
    };
    let differing: Vec<usize> = (0..most).filter(differs).collect();
    let words = |id: &&Id| {
        let parts = differing.iter().filter_map(|at| part(id, *at));
        let words = parts.map(|(key, value)| short_pair(&key, &value));
        words.collect::<Vec<String>>().join(" ")
    };
    ids.iter().map(words).collect()
}
