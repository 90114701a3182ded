//! Exactly-once constraints in a definition: actions that a process performs only once in its life.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::text::Text;

/// Action that each instance performs once, in one group of a join; an instance that performed it elsewhere is excluded.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExactlyOnceDef {
    /// Keys that, with the right key of the join, identify the action.
    #[schemars(example = json!(["mysim.job"]))]
    pub by: Vec<Text>,
    /// Condition of the events that report the action.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template = "job {} started""#)]
    pub only: Text,
    /// Keys whose values all reporters agree on for one instance.
    #[serde(default)]
    #[schemars(example = json!(["mysim.node"]))]
    pub alike: Vec<Text>,
    /// Key of `by` whose value grows with each action on one thread.
    #[schemars(example = &"mysim.job")]
    pub ascending: Option<Text>,
    /// True if no record of these keys precedes the action.
    #[serde(default)]
    pub begins: bool,
    /// Condition of events with the same keys that precede the action.
    #[schemars(example = &r#"template = "job {} queued""#)]
    pub after: Option<Text>,
    /// True if the action never occurs without an event of `after`.
    #[serde(default)]
    pub needed: bool,
    /// Name of the action under two keys.
    pub named: Option<OtherNameDef>,
}

/// One value under two keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherNameDef {
    /// Key under which other sources state the value.
    #[schemars(example = &"mysim.function")]
    pub elsewhere: Text,
    /// Key under which the instance itself states the value.
    #[schemars(example = &"mysim.program")]
    pub own: Text,
}

impl ExactlyOnceDef {
    /// Keys of the other name and of the own name.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Text> {
        let named = self.named.iter().flat_map(|n| [&n.elsewhere, &n.own]);
        self.by.iter().chain(&self.alike).chain(named)
    }
}

/// Event with which the instance of a bracket begins; earlier records belong to another instance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BracketStartDef {
    /// Condition of the events.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template = "job {} queued""#)]
    pub only: Text,
    /// Key by which the events name the right key of the bracket.
    #[schemars(example = &"mysim.job")]
    pub named: Text,
}
