//! State transitions of entities in a definition, and the logs that report them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::text::Text;

/// Logs that would report an instance.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportersDef {
    /// Kinds of sources, of this definition or of others.
    #[schemars(example = json!(["rank"]))]
    pub kinds: Vec<String>,
    /// Names of the logs for users.
    #[schemars(example = &"rank_*.log")]
    pub files: String,
    /// Key of a place: these logs report only instances that name it; all instances if absent.
    #[schemars(example = &"mysim.node")]
    pub place: Option<String>,
}

/// Census: records of an owner that state that none of its instances is in a state any more.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CensusDef {
    /// Condition of the records.
    #[serde(rename = "where")]
    #[schemars(example = &"mysim.count = 0")]
    pub only: Text,
    /// Key that names the state.
    #[schemars(example = &"mysim.counted")]
    pub state: Text,
    /// State assigned to instances last reported in the counted state.
    #[schemars(example = &"ended")]
    pub then: String,
}

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
