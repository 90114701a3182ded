//! Exactly-once constraints in a definition: actions that a process performs only once in its life.

use serde::Deserialize;

use crate::text::Text;

/// Definition of an action that each instance performs once, in one group of a join.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactlyOnceDef {
    /// Keys that, with the right key of the join, identify the action.
    pub by: Vec<Text>,
    /// Condition of the events that report the action.
    #[serde(rename = "where")]
    pub only: Text,
    /// Keys whose values all reporters agree on for one instance.
    #[serde(default)]
    pub alike: Vec<Text>,
    /// Key of `by` whose value grows with each action on one thread.
    pub ascending: Option<Text>,
    /// True if no record of these keys precedes the action.
    #[serde(default)]
    pub begins: bool,
    /// Kinds of sources whose clock dates the action; all kinds of the rule if empty.
    #[serde(default)]
    pub clocks: Vec<Text>,
    /// Number of the first action of each instance, if it skips none of the ascending numbers.
    pub counted: Option<i64>,
    /// Events with the same keys that precede the action.
    pub after: Option<Text>,
    /// True if the action never occurs without one of these events.
    #[serde(default)]
    pub needed: bool,
    /// Name of the action.
    pub named: Option<OtherNameDef>,
}

/// Definition of one value under two keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherNameDef {
    /// Key under which other sources state the value.
    pub told: Text,
    /// Key under which the instance itself states the value.
    pub own: Text,
}

impl ExactlyOnceDef {
    /// Keys of the other name and of the own name.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Text> {
        let named = self.named.iter().flat_map(|n| [&n.told, &n.own]);
        self.by.iter().chain(&self.alike).chain(named)
    }
}

/// Definition of the event with which the instance of a bracket begins; earlier records belong to another instance.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BracketStartDef {
    /// Condition of the events.
    #[serde(rename = "where")]
    pub only: Text,
    /// Key by which the events name the right key of the bracket.
    pub named: Text,
}
