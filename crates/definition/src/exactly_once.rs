//! What bearers do once, as definitions say it.

use serde::Deserialize;

use crate::text::Text;

/// Something that happens once to each bearer, in one group of the join.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnceDef {
    /// Keys that, with the right key of the join, name what happens.
    pub by: Vec<Text>,
    /// The events that say that it happened.
    #[serde(rename = "where")]
    pub only: Text,
    /// Keys of which everybody tells the same when it is about what happened to one bearer.
    #[serde(default)]
    pub alike: Vec<Text>,
    /// The one of `by` that goes up from each time to the next on one thread.
    pub ascending: Option<Text>,
    /// Whether nothing is told of it before: with it begins what is told under these keys.
    #[serde(default)]
    pub begins: bool,
    /// The kinds of sources by whose clock it begins; none: all that the rule is about.
    #[serde(default)]
    pub clocks: Vec<Text>,
    /// The number with which each bearer begins, where it leaves none of the ascending ones out.
    pub counted: Option<i64>,
    /// Events of the same names that come before it.
    pub after: Option<Text>,
    /// Whether it never happens without one of these.
    #[serde(default)]
    pub needed: bool,
    /// What it is called.
    pub named: Option<NamedDef>,
}

/// A name of one thing under two keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedDef {
    /// The key under which others tell it.
    pub told: Text,
    /// Its own.
    pub own: Text,
}

impl OnceDef {
    /// The keys that it names.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Text> {
        let named = self.named.iter().flat_map(|n| [&n.told, &n.own]);
        self.by.iter().chain(&self.alike).chain(named)
    }
}

/// The event with which that began of which a bracket is: what is inside before that is of something else.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SinceDef {
    /// The events.
    #[serde(rename = "where")]
    pub only: Text,
    /// The key by which they name what the bracket gives.
    pub named: Text,
}
