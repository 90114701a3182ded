//! State transitions of entities in a definition.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::text::Text;

/// Event that changes the state of an instance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransitionDef {
    /// Condition of the event.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template = "job {} started on {}""#)]
    pub only: Text,
    /// New state.
    #[schemars(example = &"running")]
    pub state: String,
    /// States in which the event changes the state; all if empty.
    #[serde(default)]
    #[schemars(example = json!(["queued"]))]
    pub from: Vec<String>,
    /// True if the event may be the only record of the end.
    #[serde(default)]
    pub or_over: bool,
    /// Key of the delay between the time of the event and the transition, s: for records with a start and a duration.
    #[schemars(example = &"mysim.seconds")]
    pub after: Option<String>,
    /// Key of the lead between the transition and the time of the event, s: for records with an end and a duration.
    #[schemars(example = &"mysim.seconds")]
    pub before: Option<String>,
}
