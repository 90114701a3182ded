//! A JSON dialect: which fields of a record mean what.

use std::collections::HashMap;

use crate::base::timeparse::TimePattern;

/// See the module's text. Field names are dotted for nested objects (`log.level`).
#[derive(Clone, Debug, Default)]
pub struct JsonSpec {
    /// Name within the definitions: `python`.
    pub name: String,
    /// A record must have all of these.
    pub require: Vec<String>,
    /// Fields that may hold the time, the first present wins; without a pattern the time is recognised by its looks.
    pub time: Vec<(String, Option<TimePattern>)>,
    /// Fields that may hold the level.
    pub level: Vec<String>,
    /// Fields that may hold the message, the first present wins; the others are not keys.
    pub message: Vec<String>,
    /// Fields that may hold the message before its arguments were put in.
    pub template: Vec<String>,
    /// Fields that are never keys.
    pub drop: Vec<String>,
    /// Fields whose values are read on demand.
    pub defer: Vec<String>,
    /// Strings that mean "no value".
    pub null: Vec<String>,
    /// Names of keys for fields.
    pub rename: HashMap<String, String>,
}
