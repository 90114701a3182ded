//! State transitions of entities in a definition, and the logs that report them.

use serde::Deserialize;

use crate::text::Text;

/// Definition of the logs that would report an instance.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportersDef {
    /// Kinds of sources, of this definition or of others.
    pub kinds: Vec<String>,
    /// Names of the logs for users: `interchange.log and manager.log`.
    pub files: String,
    /// Key of a place: these logs report only instances that name it; all instances if absent.
    pub place: Option<String>,
}

/// Definition of a census: records of an owner that state that none of its instances is in a state any more.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensusDef {
    /// Condition of the records.
    #[serde(rename = "where")]
    pub only: Text,
    /// Key that names the state.
    pub state: Text,
    /// State assigned to instances last reported in the counted state.
    pub then: String,
}

/// Definition of an event that changes the state of an instance.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitionDef {
    /// Condition of the event.
    #[serde(rename = "where")]
    pub only: Text,
    /// New state.
    pub state: String,
    /// States in which the event changes the state; all if empty.
    #[serde(default)]
    pub from: Vec<String>,
    /// True if the event may be the only record of the end.
    #[serde(default)]
    pub or_over: bool,
    /// Key of the delay between the time of the event and the transition, s: for records with a start and a duration.
    pub after: Option<String>,
    /// Key of the lead between the transition and the time of the event, s: for records with an end and a duration.
    pub before: Option<String>,
}
