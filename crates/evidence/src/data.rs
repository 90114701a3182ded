//! Words and weights of the evidence: `ranking.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::{RegexSet, RegexSetBuilder};
use rustc_hash::FxHashSet;
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
}

/// Words and weights.
#[derive(Debug)]
pub struct Data {
    kinds: BTreeMap<String, f64>,
    features: BTreeMap<String, f64>,
    edges: BTreeMap<String, f64>,
    words: RegexSet,
    lists: BTreeMap<String, FxHashSet<String>>,
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
        let words = words.case_insensitive(true).build();
        let words = words.map_err(|e| e.to_string())?;
        let lists = file.lists.into_iter();
        Ok(Data {
            kinds: file.kinds,
            features: file.features,
            edges: file.edges,
            words,
            lists: lists.map(|(k, v)| (k, v.into_iter().collect())).collect(),
        })
    }

    fn empty() -> Data {
        Data {
            kinds: BTreeMap::new(),
            features: BTreeMap::new(),
            edges: BTreeMap::new(),
            words: RegexSet::empty(),
            lists: BTreeMap::new(),
        }
    }

    /// Meanings of a message.
    pub fn meanings(&self, text: &str) -> Meanings {
        let found = self.words.matches(text);
        Meanings(found.iter().fold(0, |all, at| all | 1 << at))
    }

    /// True if a list has a word.
    pub fn lists(&self, list: &str, word: &str) -> bool {
        self.lists.get(list).is_some_and(|l| l.contains(word))
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
