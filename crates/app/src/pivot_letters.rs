//! Letters of the pivot list: each key of a run has the same letter in all lists, to allow for
//! muscle memory.

use rustc_hash::FxHashMap;

use widetui_core::ids::KeyId;
use widetui_session::meaning::Meaning;
use widetui_store::{Snapshot, ValueOrigin};

use widetui_tables::key_rank::{self, Rank};

/// Letters available in the pivot list. All others keep their usual meaning; `Y` starts the copy
/// commands, `A` selects the scope.
pub const LETTERS: &str = "tacbsdlrhvxzBCDHIKLMPQRSTVXZ";

/// Number of letters that are reserved for keys that appear later.
const RESERVED: usize = 4;

/// Assignment of letters to keys. An assigned letter does not change.
#[derive(Clone, Debug, Default)]
pub struct PivotLetters {
    of: FxHashMap<String, Option<char>>,
    /// Whether the letters were assigned after loading was complete.
    is_settled: bool,
}

impl PivotLetters {
    /// Assigns letters to keys without one, the most important first: entities, roles of entities,
    /// then keys by the number of records that have them.
    pub(crate) fn note(&mut self, snapshot: &Snapshot, meaning: &Meaning) {
        // While a run is loading, the order in which keys appear is arbitrary.
        if !self.is_settled {
            self.of.clear();
        }
        self.is_settled = snapshot.complete;
        let counts = records(snapshot);
        let keys = &snapshot.catalog.keys;
        let is_met = |name: &String| keys.find(name).is_some_and(|id| counts.contains_key(&id));
        let entities = meaning.instance_cache.entities().iter();
        let met = entities.filter(|e| e.id.iter().any(|id| id.iter().all(is_met)));
        let titles: Vec<&str> = met.map(|e| e.title.as_str()).collect();
        self.assign_all(titles.iter().map(|title| (*title, *title)));
        let mut known: Vec<Known<'_>> = counts
            .iter()
            .filter_map(|(id, (records, origin))| {
                let key = &keys.get(*id)?.key;
                Some(Known {
                    name: &key.name,
                    label: &key.label,
                    rank: key_rank::rank(&key.name, key.identifier, *origin),
                    is_thing: titles.contains(&&*key.label),
                    records: *records,
                })
            })
            .collect();
        known.sort_by(|a, b| a.order().cmp(&b.order()));
        let (telling, others): (Vec<&Known<'_>>, Vec<&Known<'_>>) = known
            .iter()
            .partition(|k| k.rank == Rank::Identity && !k.is_thing);
        self.assign_all(telling.iter().map(|key| (key.name, key.label)));
        self.assign_all([("source", "source"), ("template", "template")].into_iter());
        // Reserve letters for the roles of instances, which only the record itself shows.
        for key in others {
            if self.free().len() > RESERVED {
                self.give(key.name, key.label);
            }
        }
    }

    /// Assigns letters to keys of equal importance, first to those whose initial is free.
    fn assign_all<'a>(&mut self, keys: impl Iterator<Item = (&'a str, &'a str)>) {
        let free = self.free();
        let has_own = |label: &str| label.chars().next().is_some_and(|c| free.contains(&c));
        let (own, others): (Vec<_>, Vec<_>) = keys.partition(|(_, label)| has_own(label));
        for (key, label) in own.into_iter().chain(others) {
            self.give(key, label);
        }
    }

    /// Letters that are not assigned.
    fn free(&self) -> Vec<char> {
        let is_free = |c: &char| !self.of.values().any(|given| *given == Some(*c));
        LETTERS.chars().filter(is_free).collect()
    }

    /// Letter of a key; assigns a reserved letter to an unknown key.
    pub fn of(&mut self, key: &str, label: &str) -> Option<char> {
        self.give(key, label);
        self.of.get(key).copied().flatten()
    }

    /// Letter that is not in `given`, preferably one assigned to no key.
    pub(crate) fn unused_letter(&self, label: &str, given: &[char]) -> Option<char> {
        let is_left = |c: &char| !given.contains(c);
        let of_none: Vec<char> = self.free().into_iter().filter(is_left).collect();
        let all = || -> Vec<char> { LETTERS.chars().filter(is_left).collect() };
        pick(&of_none, label).or_else(|| pick(&all(), label))
    }

    fn give(&mut self, key: &str, label: &str) {
        if self.of.contains_key(key) {
            return;
        }
        let letter = pick(&self.free(), label);
        self.of.insert(key.to_owned(), letter);
    }
}

/// Initial of `label` if free, else the next free letter.
fn pick(free: &[char], label: &str) -> Option<char> {
    let own = label.chars().find(|c| free.contains(c));
    own.or_else(|| free.first().copied())
}

/// Letters for the labels of a list that is independent of the keys of a run.
pub(crate) fn of_list<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<Option<char>> {
    let mut free: Vec<char> = LETTERS.chars().collect();
    let letter = |label: &str| {
        let letter = pick(&free, label);
        free.retain(|c| Some(*c) != letter);
        letter
    };
    labels.map(letter).collect()
}

/// Key of a run, with the data for its rank.
struct Known<'a> {
    name: &'a str,
    label: &'a str,
    rank: Rank,
    /// Whether an entity has the same title, so that the letter belongs to the entity.
    is_thing: bool,
    records: u64,
}

impl Known<'_> {
    /// Sort key, the most important first. The name breaks ties, because key ids depend on the
    /// order in which files are read.
    fn order(&self) -> (Rank, bool, std::cmp::Reverse<u64>, &str) {
        let records = std::cmp::Reverse(self.records);
        (self.rank, self.is_thing, records, self.name)
    }
}

/// Upper bound of the number of records with each key, and the origin of its values, derived from
/// record shapes without reading records. Values derived by joins are excluded because they are
/// computed later.
fn records(snapshot: &Snapshot) -> FxHashMap<KeyId, (u64, ValueOrigin)> {
    let mut counts: FxHashMap<KeyId, (u64, ValueOrigin)> = FxHashMap::default();
    let mut add = |key: KeyId, rows: usize, origin: ValueOrigin| {
        let slot = counts.entry(key).or_insert((0, origin));
        slot.0 += rows as u64;
        if origin == ValueOrigin::Record {
            slot.1 = origin;
        }
    };
    for segment in snapshot.segments.iter() {
        for group in &segment.groups {
            let rows = group.rows.len();
            let shape = snapshot.catalog.shapes.get(group.shape.index());
            let consts = shape.map_or(&[][..], |s| &s.consts);
            group
                .columns
                .iter()
                .for_each(|(key, _)| add(*key, rows, ValueOrigin::Record));
            consts
                .iter()
                .for_each(|(key, _)| add(*key, rows, ValueOrigin::Record));
        }
        for part in &segment.parts {
            let source = snapshot.source(part.source);
            let consts = source.map_or(&[][..], |s| &s.consts);
            let rows = part.rows as usize;
            consts
                .iter()
                .for_each(|(key, _)| add(*key, rows, ValueOrigin::Path));
        }
    }
    for key in snapshot.catalog.context_keys.iter() {
        add(*key, 0, ValueOrigin::Record);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_was_given_stays() {
        let mut letters = PivotLetters::default();
        assert_eq!(letters.of("task", "task"), Some('t'));
        assert_eq!(letters.of("sys.task", "task"), Some('a'));
        assert_eq!(letters.of("task", "task"), Some('t'));
        for n in 0..LETTERS.len() {
            letters.of(&n.to_string(), "1");
        }
        // Where there are none left, the arrows lead there.
        assert_eq!(letters.of("late", "late"), None);
        assert_eq!(letters.of("sys.task", "task"), Some('a'));
    }

    #[test]
    fn a_second_row_of_a_key_has_a_letter_that_no_key_has_as_long_as_there_is_one() {
        let mut letters = PivotLetters::default();
        assert_eq!(letters.of("worker", "worker"), Some('r'));
        assert_eq!(letters.unused_letter("worker", &['r']), Some('t'));
        assert_eq!(letters.unused_letter("worker", &['r', 't']), Some('a'));
        for n in 0..LETTERS.len() {
            letters.of(&n.to_string(), "1");
        }
        // All are some key's: those of keys that are not in the list.
        assert_eq!(letters.unused_letter("worker", &['r', 't']), Some('a'));
        let all: Vec<char> = LETTERS.chars().collect();
        assert_eq!(letters.unused_letter("worker", &all), None);
    }

    #[test]
    fn a_list_that_stands_for_itself_begins_anew() {
        let of = |labels: &[&'static str]| of_list(labels.iter().copied());
        assert_eq!(of(&["state", "task"]), [Some('s'), Some('t')]);
        assert_eq!(of(&["task", "state"]), [Some('t'), Some('s')]);
    }
}
