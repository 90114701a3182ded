//! Identity of instances in a definition: the space of an entity, the processes that its instances run as, and numbers by
//! which another system names them in their order.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::text::Text;

/// Identity space of an entity: its instances are also known to other systems, by the value of one key. The value is the
/// displayed id of the instance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpaceDef {
    /// Key of the space. Its type normalises the ids; its `scope` says within what they are unique.
    #[schemars(example = &"batch.job")]
    pub key: Text,
    /// Constant keys of the records of all instances: the scope that follows from the system.
    #[serde(default)]
    #[schemars(example = json!({"batch.system": "mysim"}))]
    pub keys: BTreeMap<String, String>,
}

/// Records that the process of an instance writes itself. Every other record about that process (one with the same `host`
/// and `pid` during its life: of the kernel, of a watchdog, of another log of the process) receives the keys of the
/// instance's id.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessDef {
    /// Kinds of sources in which all records are written by processes of instances; all kinds of this system if empty.
    #[serde(default)]
    #[schemars(example = json!(["rank"]))]
    pub kinds: Vec<String>,
    /// Condition of the records that the process of an instance writes; all if absent.
    #[serde(rename = "where")]
    #[schemars(example = &"logger = mysim.rank")]
    pub only: Option<Text>,
}

/// Pairing by order: another system numbers the instances of a key from 1, in the order in which they were handed to it,
/// and no record states both. The `n`th instance has the number `n` only if that is proven within a scope: the numbers do
/// not exceed the instances, and no record with a number precedes or outlasts its instance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairDef {
    /// Key whose instances are counted.
    #[schemars(example = &"mysim.request")]
    pub key: Text,
    /// Key of the numbers.
    #[schemars(example = &"mysim.job")]
    pub number: Text,
    /// Keys within whose values the numbers begin at 1.
    #[schemars(example = json!(["mysim.run"]))]
    pub within: Vec<Text>,
    /// Records that are counted: of the first alternative that the scope has.
    #[schemars(example = json!([{"where": "mysim.state = submitted", "end": "mysim.state = done"}]))]
    pub counted: Vec<CountedDef>,
}

/// Records that are counted, one for each instance in the order of their times, with what proves that none is missing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountedDef {
    /// Condition of the records.
    #[serde(rename = "where")]
    #[schemars(example = &"mysim.state = submitted")]
    pub only: Text,
    /// Condition of the records that end an instance. An end without a counted record shows that the beginning of a log is
    /// missing: then nothing is paired.
    #[schemars(example = &"mysim.state = done")]
    pub end: Option<Text>,
    /// Condition of the record that begins the scope; without it nothing is paired.
    #[schemars(example = &r#"template = "Scheduler started""#)]
    pub begin: Option<Text>,
}

impl PairDef {
    /// Names of the two joins that are derived from this definition: from an instance to its number, and back.
    pub fn join_names(&self) -> [String; 2] {
        let (key, number) = (self.key.get_ref(), self.number.get_ref());
        [format!("{number} of {key}"), format!("{key} of {number}")]
    }
}
