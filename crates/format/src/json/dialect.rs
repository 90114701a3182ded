//! JSON dialects: the meaning of the fields of a record.

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

/// Name of the system and of the dialect of JSON lines written by widetui.
pub const OWN_SYSTEM: &str = "widetui";

/// Form of records before they were exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OriginalForm {
    /// JSON objects, as now.
    #[default]
    Fields,
    /// JSON objects without a message.
    Silent,
    /// Lines of text.
    Lines,
}

/// Field that holds the fraction of a second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FractionField {
    /// Name; dotted for nested objects.
    pub name: String,
    /// Unit of its numbers, ns.
    pub unit_ns: i64,
}

/// Dialect: the fields that hold time, level and message, and the names of the others as keys. Names of fields in
/// nested objects are dotted (`log.level`).
#[derive(Clone, Debug, Default)]
pub struct JsonSpec {
    /// Name within the definitions: `python`.
    pub name: String,
    /// Syntax of its records.
    pub grammar: Grammar,
    /// Fields that every record must have.
    pub require: Vec<String>,
    /// Fields that may hold the time; the first one present counts. Without a pattern the time format is recognised.
    pub time: Vec<(String, Option<TimePattern>)>,
    /// Fields that may hold the date if the time has none.
    pub date: Vec<String>,
    /// Field with the fraction of a second if the time has whole seconds.
    pub fraction: Option<FractionField>,
    /// Field with the zone if the time has none.
    pub zone: Option<String>,
    /// Fields that may hold the level.
    pub level: Vec<String>,
    /// Fields that may hold the message; the first one present counts. The others do not become keys.
    pub message: Vec<String>,
    /// Fields that may hold the message template before its arguments were filled in.
    pub template: Vec<String>,
    /// Fields that do not become keys.
    pub drop: Vec<String>,
    /// Fields whose values are read on demand.
    pub defer: Vec<String>,
    /// Fields that identify the writer: process, thread.
    pub writer: Vec<String>,
    /// Form of the records before widetui exported them.
    pub original_form: OriginalForm,
    /// Keys that followed the text of an exception before widetui exported the records.
    pub extras: Vec<String>,
    /// Strings that mean "no value".
    pub null: Vec<String>,
    /// Message composed of fields.
    pub compose: Option<Compose>,
    /// Treatment of arrays.
    pub arrays: Arrays,
    /// Levels by the spellings of the level field.
    pub levels: LevelNames,
    /// Path to the lists of records, if a line contains many.
    pub records: Option<RecordPath>,
    /// Fields that are lists of name-value pairs, each of which becomes a field.
    pub pairs: Vec<String>,
    /// Whether arrays of numbers from 0 to 255 are the bytes of a text.
    pub bytes: bool,
    /// Fields with start and end of an operation, and the key of the duration in seconds.
    pub durations: Vec<[String; 3]>,
    /// Whether times without a zone are UTC.
    pub utc: bool,
    /// Whether the fields are all the keys of a record: none are mined.
    pub complete: bool,
    /// Names of keys that differ from their field names.
    pub rename: FxHashMap<String, String>,
    /// Objects whose fields become keys under their own names; each ends with a dot.
    pub unwrapped: Vec<String>,
}

impl JsonSpec {
    /// Compiles a dialect. Times with an invalid pattern are recognised by their format.
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
            zone: None,
            level: def.level.clone(),
            message: def.message.clone(),
            template: def.template.clone(),
            drop: def.drop.clone(),
            defer: def.defer.clone(),
            writer: Vec::new(),
            original_form: OriginalForm::Fields,
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
            unwrapped: {
                let all = def.rename.iter().filter(|(_, name)| *name == "*");
                let objects = all.filter_map(|(object, _)| object.strip_suffix('*'));
                objects.map(str::to_owned).collect()
            },
            rename: {
                let named = def.rename.iter().filter(|(_, name)| *name != "*");
                named.map(|(a, b)| (a.clone(), b.clone())).collect()
            },
        }
    }

    /// Calls `f` with each field and value of a record; `None` if the line is not a record of this syntax.
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

    /// Key of a field; `None` if the field does not become a key.
    pub(crate) fn key_name(&self, field: &str) -> Option<String> {
        if self.drop.iter().any(|d| d == field) {
            return None;
        }
        let renamed = self.renamed(field);
        let taken = RESERVED.contains(&renamed) && self.name != OWN_SYSTEM;
        Some(if taken {
            format!("log.{renamed}")
        } else {
            renamed.to_owned()
        })
    }

    /// Name of a field as a key, by `rename`.
    pub(crate) fn renamed<'f>(&'f self, field: &'f str) -> &'f str {
        let unwrapped = || {
            let mut objects = self.unwrapped.iter();
            objects.find_map(|object| field.strip_prefix(object.as_str()))
        };
        match self.rename.get(field) {
            Some(name) => name,
            None => unwrapped().unwrap_or(field),
        }
    }

    /// Whether the fields of a line are its plain text: only names, punctuation and blanks lie between their values.
    pub(crate) fn has_gaps(&self) -> bool {
        self.grammar == Grammar::Json && self.is_plain()
    }

    fn is_plain(&self) -> bool {
        self.records.is_none() && self.pairs.is_empty() && !self.bytes && self.arrays.is_empty()
    }

    /// Calls `f` with the fields of an object, with lists of pairs split up.
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

    /// As [`walk`](Self::walk); `f` also receives the byte range of each value if [`has_gaps`](Self::has_gaps).
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
