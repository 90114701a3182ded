//! Start of the instance of a bracket.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::Text;

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
