//! A JSON dialect: which fields of a record mean what.

use std::collections::HashMap;

use super::compose::Compose;
use super::jsonscan::{self, Raw};
use super::logfmt;

use crate::base::timeparse::TimePattern;

/// How the fields of a record are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grammar {
    /// One JSON object per line.
    #[default]
    Json,
    /// `key=value` pairs.
    Logfmt,
}

/// See the module's text. Field names are dotted for nested objects (`log.level`).
#[derive(Clone, Debug, Default)]
pub struct JsonSpec {
    /// Name within the definitions: `python`.
    pub name: String,
    /// How its records are written.
    pub grammar: Grammar,
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
    /// The message, made of fields.
    pub compose: Option<Compose>,
    /// Names of keys for fields.
    pub rename: HashMap<String, String>,
}

impl JsonSpec {
    /// Calls `f` with each field and value of a record. `None` when the line is no record of this grammar.
    pub fn walk<'a>(&self, line: &'a [u8], f: impl FnMut(&[u8], Raw<'a>)) -> Option<()> {
        match self.grammar {
            Grammar::Json => jsonscan::walk(line, f),
            Grammar::Logfmt => logfmt::walk(line, f),
        }
    }

    /// As `walk`, for a record that probably has these fields; see `jsonscan::walk_expecting`.
    pub fn walk_expecting<'a>(
        &self,
        line: &'a [u8],
        expected: &[Box<[u8]>],
        mut f: impl FnMut(&[u8], Raw<'a>, bool),
    ) -> Option<()> {
        match self.grammar {
            Grammar::Json => jsonscan::walk_expecting(line, expected, f),
            Grammar::Logfmt => logfmt::walk(line, |key, raw| f(key, raw, false)),
        }
    }
}
