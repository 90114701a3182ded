//! Keys with the seconds between two times of a record, as definitions name them.

use serde::Deserialize;

/// Start, end and key, or a list of such.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Durations {
    /// One.
    One([String; 3]),
    /// Several.
    More(Vec<[String; 3]>),
}

impl Default for Durations {
    fn default() -> Durations {
        Durations::More(Vec::new())
    }
}

impl Durations {
    /// All of them.
    pub fn all(&self) -> &[[String; 3]] {
        match self {
            Durations::One(one) => std::slice::from_ref(one),
            Durations::More(all) => all,
        }
    }
}
