//! A JSON dialect: which fields of a record mean what.

use rustc_hash::FxHashMap;
use std::ops::Range;

use crate::json::compose::Compose;
use crate::json::nested_values::{Arrays, Pick};
use crate::json::record_lists::{self, RecordPath};
use crate::pattern::levels::LevelNames;
use crate::text::json_scan::{self, Raw};
use crate::text::logfmt;
use crate::text::reserved::RESERVED;
use widetui_definition::json_dialect::{Grammar, JsonDef};

use widetui_time::timeparse::TimePattern;

/// The system, and the dialect, of the lines that this program writes itself.
pub const OWN_SYSTEM: &str = "widetui";

/// What records were before they were exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Former {
    /// Objects, as they are now.
    #[default]
    Fields,
    /// Objects without a message.
    Silent,
    /// Lines of text.
    Lines,
}

/// Field that holds the fraction of a second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FractionField {
    /// Name, dotted for nested objects.
    pub name: String,
    /// Unit of its numbers, ns.
    pub unit_ns: i64,
}

/// A dialect: the fields that hold time, level and message, and what the others are called as keys. Field names are
/// dotted for nested objects (`log.level`).
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
    /// Fields that may hold the day, where the time names none.
    pub date: Vec<String>,
    /// Field with the fraction of a second, where the time is whole seconds, and its unit in ns.
    pub fraction: Option<FractionField>,
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
    /// Fields that say who writes: a process, a thread.
    pub writer: Vec<String>,
    /// What the records were before this program wrote them.
    pub former: Former,
    /// Names of keys that its records had behind the text of an exception before this program wrote them.
    pub extras: Vec<String>,
    /// Strings that mean "no value".
    pub null: Vec<String>,
    /// The message, made of fields.
    pub compose: Option<Compose>,
    /// What becomes of arrays.
    pub arrays: Arrays,
    /// Levels of the spellings of the level's field.
    pub levels: LevelNames,
    /// A line holds many records, in lists down this path.
    pub records: Option<RecordPath>,
    /// Fields that are lists of pairs of a name and a value, each of which is a field.
    pub pairs: Vec<String>,
    /// Arrays of numbers from 0 to 255 are the bytes of texts.
    pub bytes: bool,
    /// Fields that hold start and end of what the record is about, and the key of the seconds between them.
    pub durations: Vec<[String; 3]>,
    /// Times without a zone are UTC.
    pub utc: bool,
    /// The fields are all keys there are.
    pub complete: bool,
    /// Names of keys for fields.
    pub rename: FxHashMap<String, String>,
}

impl JsonSpec {
    /// A dialect, ready for use. Times whose pattern cannot be read are recognised by their looks.
    pub fn of(name: String, def: &JsonDef) -> JsonSpec {
        JsonSpec {
            grammar: def.grammar,
            name,
            require: def.require.clone(),
            time: def
                .time
                .iter()
                .map(|t| match t.get_ref().split_once(':') {
                    Some((field, pattern)) => {
                        (field.to_owned(), TimePattern::compile(pattern).ok())
                    }
                    None => (t.get_ref().clone(), None),
                })
                .collect(),
            date: def.date.clone(),
            fraction: None,
            level: def.level.clone(),
            message: def.message.clone(),
            template: def.template.clone(),
            drop: def.drop.clone(),
            defer: def.defer.clone(),
            writer: Vec::new(),
            former: Former::Fields,
            extras: Vec::new(),
            null: def.null.clone(),
            compose: def
                .compose
                .as_ref()
                .and_then(|c| Compose::compile(c.get_ref()).ok()),
            arrays: Arrays {
                pick: def
                    .pick
                    .iter()
                    .filter_map(|p| Pick::parse(p.get_ref()))
                    .collect(),
                whole: def.whole.clone(),
                skip: def.skip.clone(),
            },
            levels: LevelNames::new(&def.levels),
            records: def.records.as_ref().map(|p| RecordPath::new(p.get_ref())),
            pairs: def.pairs.clone(),
            bytes: def.bytes,
            durations: def.duration.all().to_vec(),
            utc: def.utc,
            complete: def.complete,
            rename: def
                .rename
                .iter()
                .map(|(a, b)| (a.clone(), b.clone()))
                .collect(),
        }
    }

    /// Calls `f` with each field and value of a record. `None` when the line is no record of this grammar.
    pub fn walk<'a>(&self, line: &'a [u8], mut f: impl FnMut(&[u8], Raw<'a>)) -> Option<()> {
        match self.grammar {
            Grammar::Json if self.is_plain() => json_scan::walk(line, f),
            Grammar::Json => {
                let own = match &self.records {
                    Some(records) => records.own(line)?,
                    None => line,
                };
                self.walk_object(own, &mut f)
            }
            Grammar::Logfmt => logfmt::walk(line, f),
        }
    }

    /// The key of a field; `None` when it is none.
    pub(crate) fn key_name(&self, field: &str) -> Option<String> {
        if self.drop.iter().any(|d| d == field) {
            return None;
        }
        let renamed = self.rename.get(field).map_or(field, String::as_str);
        let taken = RESERVED.contains(&renamed) && self.name != OWN_SYSTEM;
        Some(if taken {
            format!("log.{renamed}")
        } else {
            renamed.to_owned()
        })
    }

    /// Whether fields stand in the line as they are, with only names and blanks between their values.
    pub(crate) fn has_gaps(&self) -> bool {
        self.grammar == Grammar::Json && self.is_plain()
    }

    fn is_plain(&self) -> bool {
        self.records.is_none() && self.pairs.is_empty() && !self.bytes && self.arrays.is_empty()
    }

    /// Calls `f` with the fields of an object, lists of pairs taken apart.
    pub(crate) fn walk_object<'a>(
        &self,
        object: &'a [u8],
        f: &mut impl FnMut(&[u8], Raw<'a>),
    ) -> Option<()> {
        json_scan::walk(object, |key, raw| {
            if let Raw::Array(list) = raw
                && self.pairs.iter().any(|p| p.as_bytes() == key)
                && let Some(pairs) = record_lists::pairs(list)
            {
                for (name, raw) in pairs {
                    f(name, raw);
                }
            } else if let Raw::Array(list) = raw
                && self.bytes
                && json_scan::is_bytes(list)
            {
                f(key, Raw::Bytes(list));
            } else {
                self.arrays.visit(key, raw, f);
            }
        })
    }

    /// As `walk`; `f` is told the bytes of each value too, where fields stand in the line as they are.
    pub(crate) fn walk_at<'a>(
        &self,
        line: &'a [u8],
        mut f: impl FnMut(&[u8], Raw<'a>, Option<Range<usize>>),
    ) -> Option<()> {
        match self.grammar {
            Grammar::Json if self.has_gaps() => {
                json_scan::walk_at(line, |key, raw, span| f(key, raw, Some(span)))
            }
            _ => self.walk(line, |key, raw| f(key, raw, None)),
        }
    }
}
