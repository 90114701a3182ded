//! Parts of the entities of a definition: how their states change, and who tells of them.

use serde::Deserialize;

use crate::text::Text;

/// Logs that would tell something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TellersDef {
    /// Kinds of sources; of this definition or of others.
    pub kinds: Vec<String>,
    /// What they are called, for people: `interchange.log and manager.log`.
    pub files: String,
    /// Key of a place: only things that name it are told of there; none: all.
    pub place: Option<String>,
}

/// Records of an owner that say that none of his is in a state any more.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensusDef {
    /// Their condition.
    #[serde(rename = "where")]
    pub only: Text,
    /// The key that names the state.
    pub state: Text,
    /// The state of those that were told to be in it.
    pub then: String,
}

/// An event that changes the state of an entity.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitionDef {
    /// Its condition.
    #[serde(rename = "where")]
    pub only: Text,
    /// The new state.
    pub state: String,
    /// States in which it does so; none: in all.
    #[serde(default)]
    pub from: Vec<String>,
    /// Whether the same event may tell that it ended, of which there is no other record.
    #[serde(default)]
    pub or_over: bool,
    /// Key that says how many seconds after the time of the event it does so: of a record that has a start and how long it took.
    pub after: Option<String>,
    /// Key that says how many seconds before the time of the event it did so: of a record that has an end and how long it took.
    pub before: Option<String>,
}
