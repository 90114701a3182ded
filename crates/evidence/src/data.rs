//! Words and weights of the evidence: `ranking.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::{RegexSet, RegexSetBuilder};
use rustc_hash::FxHashMap;
use serde::Deserialize;

const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/ranking.toml"));

/// Meaning of a message, by its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Word {
    /// Waits for another.
    Wait,
    /// Ends another from outside.
    Kill,
    /// A limit was reached.
    Late,
    /// States a reason of a failure.
    Reason,
    /// States a reason that the operating system gave.
    Hard,
    /// Reports a problem.
    Trouble,
    /// Reports none, whatever else it contains.
    Harmless,
    /// Reports a step that went well.
    Good,
    /// Reports that the whole went well.
    Well,
    /// The user interrupted the program.
    Interrupt,
    /// Reports a failure that followed from another.
    Effect,
    /// A resource is used up.
    Exhausted,
    /// Data are incomplete.
    Cut,
    /// Tells of a deviation at a low level.
    Quiet,
    /// Announces another attempt.
    Retry,
    /// Takes or gives back a resource.
    Lock,
    /// Begins.
    Start,
    /// Ends.
    End,
    /// Has a number that grows as work goes on.
    Progress,
    /// Has a number that should not grow for ever.
    Growing,
}

/// Names of the words in the data, in the order of [`Word`].
const WORDS: [&str; 20] = [
    "wait",
    "kill",
    "late",
    "reason",
    "hard",
    "trouble",
    "harmless",
    "good",
    "well",
    "interrupt",
    "effect",
    "exhausted",
    "cut",
    "quiet",
    "retry",
    "lock",
    "start",
    "end",
    "progress",
    "growing",
];

/// List of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum List {
    /// Words before a number that make it a limit.
    Limits,
    /// Words before a number that name nothing.
    Stop,
    /// Nouns whose name follows as a word.
    Nouns,
    /// Words that name measured numbers.
    Measures,
    /// Words before the number of an attempt.
    Attempts,
    /// Keys whose words state how it stands.
    States,
    /// Keys that name the writer.
    WriterKeys,
}

/// Names of the lists in the data, in the order of [`List`].
const LISTS: [&str; 7] = [
    "limits",
    "stop",
    "nouns",
    "measures",
    "attempts",
    "states",
    "writer_keys",
];

/// Lists that have a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lists(u32);

impl Lists {
    /// True if a list has the word.
    pub fn has(self, list: List) -> bool {
        self.0 & (1 << list as u32) != 0
    }
}

/// Meanings of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meanings(u32);

impl Meanings {
    /// True if the message has a meaning.
    pub fn has(self, word: Word) -> bool {
        self.0 & (1 << word as u32) != 0
    }

    /// True if the message reports a problem and nothing makes it harmless.
    pub fn is_trouble(self) -> bool {
        self.has(Word::Trouble) && !self.has(Word::Harmless)
    }

    /// True if the message reports a step that went well, and no problem.
    pub fn is_good(self) -> bool {
        self.has(Word::Good) && !self.is_trouble()
    }

    /// True if a word tells how something stands, and so names nothing.
    pub fn is_predicate(self) -> bool {
        use Word::{End, Good, Kill, Late, Quiet, Reason, Retry, Start, Trouble, Wait};
        let words = [
            End, Good, Kill, Late, Quiet, Reason, Retry, Start, Trouble, Wait,
        ];
        words.into_iter().any(|w| self.has(w))
    }

    /// True if the message has any meaning.
    pub fn any(self) -> bool {
        self.0 != 0
    }
}

#[derive(Debug, Deserialize)]
struct File {
    kinds: BTreeMap<String, f64>,
    features: BTreeMap<String, f64>,
    edges: BTreeMap<String, f64>,
    words: BTreeMap<String, String>,
    lists: BTreeMap<String, Vec<String>>,
    /// Messages that the words must judge correctly, by their meaning.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by tests"))]
    samples: BTreeMap<String, Vec<String>>,
}

/// Words and weights.
#[derive(Debug)]
pub struct Data {
    kinds: BTreeMap<String, f64>,
    features: BTreeMap<String, f64>,
    edges: BTreeMap<String, f64>,
    words: RegexSet,
    /// Names of the lists: those of [`List`] first.
    list_names: Vec<String>,
    lists_of: FxHashMap<String, Lists>,
}

impl Data {
    /// Data of the program, read once.
    pub fn get() -> &'static Data {
        static DATA: OnceLock<Data> = OnceLock::new();
        DATA.get_or_init(|| Data::parse(TEXT).unwrap_or_else(|_| Data::empty()))
    }

    fn parse(text: &str) -> Result<Data, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        let patterns = WORDS.map(|name| file.words.get(name).cloned().unwrap_or_default());
        let mut words = RegexSetBuilder::new(patterns);
        // Small and few states: the words are ASCII, and the default room for states is too small for so many patterns.
        let words = words.case_insensitive(true).unicode(false);
        let words = words.dfa_size_limit(16 << 20).build();
        let words = words.map_err(|e| e.to_string())?;
        let named = LISTS.iter().map(|name| (*name).to_owned());
        let others = file.lists.keys().filter(|k| !LISTS.contains(&&***k));
        let list_names: Vec<String> = named.chain(others.cloned()).collect();
        let mut lists_of: FxHashMap<String, Lists> = FxHashMap::default();
        for (bit, name) in list_names.iter().enumerate() {
            for word in file.lists.get(name).into_iter().flatten() {
                lists_of.entry(word.clone()).or_default().0 |= 1 << bit;
            }
        }
        Ok(Data {
            kinds: file.kinds,
            features: file.features,
            edges: file.edges,
            words,
            list_names,
            lists_of,
        })
    }

    fn empty() -> Data {
        Data {
            kinds: BTreeMap::new(),
            features: BTreeMap::new(),
            edges: BTreeMap::new(),
            words: RegexSet::empty(),
            list_names: Vec::new(),
            lists_of: FxHashMap::default(),
        }
    }

    /// Meanings of a message.
    pub fn meanings(&self, text: &str) -> Meanings {
        let found = self.words.matches(text.as_bytes());
        Meanings(found.iter().fold(0, |all, at| all | 1 << at))
    }

    /// True if a list has a word.
    pub fn lists(&self, list: &str, word: &str) -> bool {
        let bit = self.list_names.iter().position(|name| name == list);
        bit.is_some_and(|bit| self.lists_of(word).0 & (1 << bit) != 0)
    }

    /// Lists that have a word.
    pub fn lists_of(&self, word: &str) -> Lists {
        self.lists_of.get(word).copied().unwrap_or_default()
    }

    /// Weight of a kind of facts.
    pub fn kind(&self, name: &str) -> f64 {
        self.kinds.get(name).copied().unwrap_or(0.0)
    }

    /// Weight of a feature of facts.
    pub fn feature(&self, name: &str) -> f64 {
        self.features.get(name).copied().unwrap_or(0.0)
    }

    /// Weight of a kind of edges.
    pub fn edge(&self, name: &str) -> f64 {
        self.edges.get(name).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_are_complete() {
        let data = Data::parse(TEXT).unwrap();
        let file: File = toml::from_str(TEXT).unwrap();
        assert!(WORDS.iter().all(|name| file.words.contains_key(*name)));
        assert_eq!(file.words.len(), WORDS.len());
        assert_eq!(data.words.len(), WORDS.len());
        assert!(LISTS.iter().all(|name| file.lists.contains_key(*name)));
        assert!(data.lists_of("timeout").has(List::Limits));
        assert!(data.lists("extensions", "log") && !data.lists("stop", "log"));
    }

    #[test]
    fn samples_are_judged_as_stated() {
        let file: File = toml::from_str(TEXT).unwrap();
        let data = Data::get();
        for (list, expected) in [("trouble", true), ("harmless", false)] {
            let judged = |text: &&String| data.meanings(text).is_trouble();
            let wrong = file.samples[list].iter().filter(|t| judged(t) != expected);
            let wrong: Vec<&String> = wrong.collect();
            assert!(wrong.is_empty(), "{list}: {wrong:#?}");
        }
    }

    #[test]
    fn words_have_meanings() {
        let data = Data::get();
        let trouble = |text: &str| data.meanings(text).is_trouble();
        assert!(trouble("cannot open {}: no such file"));
        assert!(trouble("write failed"));
        assert!(!trouble("finished with 0 errors"));
        assert!(!trouble("error rate 0.02 below bound"));
        assert!(!trouble("request timeout=30"));
        assert!(data.meanings("waiting for cells of node-b").has(Word::Wait));
        assert!(data.meanings("all 6 tasks done").has(Word::Good));
    }
}
