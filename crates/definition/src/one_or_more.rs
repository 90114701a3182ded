//! Strings or lists of strings in a definition.

use schemars::JsonSchema;
use serde::Deserialize;

/// String, or list of strings.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMore {
    /// One string.
    One(String),
    /// List of strings.
    More(Vec<String>),
}

impl Default for OneOrMore {
    fn default() -> OneOrMore {
        OneOrMore::More(Vec::new())
    }
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
