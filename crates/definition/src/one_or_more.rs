//! Strings or lists of strings in a definition.

use serde::Deserialize;

/// String, or list of strings.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// One string.
    One(String),
    /// List of strings.
    More(Vec<String>),
}

impl OneOrMore {
    /// All strings.
    pub fn all(&self) -> &[String] {
        match self {
            OneOrMore::One(one) => std::slice::from_ref(one),
            OneOrMore::More(more) => more,
        }
    }
}
