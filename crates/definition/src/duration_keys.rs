//! Keys with the duration between two times of a record.

use schemars::JsonSchema;
use serde::Deserialize;

/// Fields of start and end and the key of the duration, s; or a list of such triples.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Durations {
    /// One triple.
    One([String; 3]),
    /// Several triples.
    More(Vec<[String; 3]>),
}

impl Default for Durations {
    fn default() -> Durations {
        Durations::More(Vec::new())
    }
}

impl Durations {
    /// All triples.
    pub fn all(&self) -> &[[String; 3]] {
        match self {
            Durations::One(one) => std::slice::from_ref(one),
            Durations::More(all) => all,
        }
    }
}
