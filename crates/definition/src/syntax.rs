//! What a file in `systems/` says, as it is written. `systems/README.md` explains the syntax.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use toml::Spanned;

use crate::documents::{DocumentDef, InnerDef};
use crate::duration_keys::Durations;
use crate::error::{DefError, FileText};
use crate::exactly_once::OnceDef;
use crate::key_type::KeyType;
use crate::lazy::Lazy;
use crate::meaning::{
    AgainDef, BracketDef, EntityDef, FirstDef, FlowDef, HintDef, JoinDef, ReadingDef, RuleDef,
    RunsDef, SeriesDef,
};
use crate::one_or_more::OneOrMore;
use crate::packed;
use crate::text::Text;

use crate::json_dialect::{Grammar, JsonDef};

/// One system.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name, prefix of its keys.
    pub name: Text,
    /// Name for people.
    #[serde(default)]
    pub title: String,
    /// Whether what its hints know is said in the logs of all programs: of the machine, of the batch system, of everybody.
    #[serde(default)]
    pub anywhere: bool,
    /// What is known about keys.
    #[serde(default)]
    pub keys: BTreeMap<String, KeyDef>,
    /// Layouts of text lines.
    #[serde(default)]
    pub layout: Vec<LayoutDef>,
    /// JSON dialects.
    #[serde(default)]
    pub json: Vec<JsonDef>,
    /// Text that is quoted amid other text.
    #[serde(default)]
    pub quote: Vec<QuoteDef>,
    /// Kinds of sources.
    #[serde(default)]
    pub source: Vec<SourceDef>,
    /// Tables; each stands for a dialect and a kind of source.
    #[serde(default)]
    pub table: Vec<TableDef>,
    /// Lists in rows whose elements are rows of their own.
    #[serde(default)]
    pub inner: Vec<InnerDef>,
    /// Documents, and what in them are records.
    #[serde(default)]
    pub document: Vec<DocumentDef>,
    /// Spellings of parts of messages: `{@name}` in a pattern stands for each of them.
    #[serde(default)]
    pub parts: BTreeMap<String, Vec<Text>>,
    /// Messages, by scope.
    #[serde(default)]
    pub messages: Vec<MessagesDef>,
    /// How runs are told apart that have no names.
    pub runs: Option<RunsDef>,
    /// Keys that imply keys.
    #[serde(default)]
    pub join: Vec<JoinDef>,
    /// Records between two messages that are about the same thing.
    #[serde(default)]
    pub bracket: Vec<BracketDef>,
    /// Keys that the first record of a file says for all of it.
    #[serde(default)]
    pub first: Vec<FirstDef>,
    /// Runs that follow each other in the same logs.
    #[serde(default)]
    pub again: Vec<AgainDef>,
    /// What records say themselves, read once more.
    #[serde(default)]
    pub reading: Vec<ReadingDef>,
    /// Things that one can talk about.
    #[serde(default)]
    pub entity: Vec<EntityDef>,
    /// Measurements.
    #[serde(default)]
    pub series: Lazy<Vec<SeriesDef>>,
    /// Messages between actors.
    #[serde(default)]
    pub flow: Lazy<Vec<FlowDef>>,
    /// Messages that experts know.
    #[serde(default)]
    pub hint: Lazy<Vec<HintDef>>,
    /// What records should look like.
    #[serde(default)]
    pub rule: Lazy<Vec<RuleDef>>,
    /// Lines and what they must give.
    #[serde(default)]
    pub sample: Lazy<Vec<SampleDef>>,
}

impl Definition {
    /// Names of the joins that the definition describes, in the order in which they are compiled.
    pub fn join_names(&self) -> Vec<String> {
        let joins = self.join.iter().map(|join| join.name.get_ref().clone());
        let brackets = self.bracket.iter().map(|b| b.name.get_ref().clone());
        let first = self.first.iter().map(FirstDef::join_name);
        let again = self.again.iter().map(AgainDef::join_name);
        let anew = self.entity.iter().filter(|e| e.anew.is_some()).enumerate();
        let runs = self.runs.iter();
        let runs = runs.flat_map(|runs| anew.clone().map(|(number, _)| runs.join_name(number)));
        let readings = self.reading.iter().map(|r| r.name.get_ref().clone());
        let records = joins.chain(brackets).chain(first).chain(again);
        records.chain(runs).chain(readings).collect()
    }
}

/// What is known about a key.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyDef {
    /// How values compare.
    #[serde(default, rename = "type")]
    pub kind: KeyType,
    /// Values name things.
    #[serde(default)]
    pub identifier: bool,
    /// Word before the value in short lists.
    pub label: Option<String>,
    /// Other names of the same key.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Values are read on demand, never stored.
    #[serde(default)]
    pub deferred: bool,
    /// Values are always stored, also when nearly all are different: states or ends of things are made of them.
    #[serde(default)]
    pub stored: bool,
    /// Its values are lists of hosts, as `c[1-3,7]`: each host is a value of this other key too.
    pub hosts: Option<Text>,
    /// Another key whose values are of the same kind: `parsl.dependency_task` draws from `parsl.task`.
    pub space: Option<String>,
    /// What a record with this key is to the thing of its space: `dependency`.
    pub role: Option<String>,
    /// Unit of the values: `bytes`, `s`.
    pub unit: Option<String>,
}

/// A layout of text lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutDef {
    /// Unique in the file.
    pub name: Text,
    /// Ends in `{message}`.
    pub pattern: Text,
    /// Levels of the spellings of `{level}`.
    #[serde(default)]
    pub levels: BTreeMap<String, String>,
    /// Words at the start of the message that say its level.
    #[serde(default)]
    pub prefixes: BTreeMap<String, String>,
    /// Where messages say their times, in lines without one at their start: words, and the time behind them.
    #[serde(default)]
    pub times: Vec<Text>,
    /// Its lines may stand amid the records of any file, whatever these look like; these scopes read their messages.
    #[serde(default)]
    pub amid: Vec<Text>,
    /// Keys may follow the message as `name: value`, behind the text of an exception as well: those of this definition, without
    /// its name in front.
    #[serde(default)]
    pub extras: bool,
}

/// Rows of a table, and where it lies: a dialect and a kind of source in one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDef {
    /// Unique among the dialects and the kinds of sources of the file.
    pub name: Text,
    /// Ends of paths; a table of a database lies below it: `monitoring.db/task`.
    #[serde(default)]
    pub glob: Vec<Text>,
    /// Short name in the pane.
    #[serde(default)]
    pub tag: String,
    /// Columns that it must have; they tell it wherever it lies.
    #[serde(default)]
    pub(crate) require: Vec<String>,
    /// Columns that may hold the time; none: the rows are facts.
    #[serde(default)]
    pub(crate) time: Vec<Text>,
    /// Columns that may hold the level.
    #[serde(default)]
    pub level: Vec<String>,
    /// The message, made of columns.
    pub(crate) message: Option<Text>,
    /// Columns that are never keys.
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    /// Columns that are read on demand.
    #[serde(default)]
    pub(crate) defer: Vec<String>,
    /// Strings that mean "no value".
    #[serde(default)]
    pub(crate) null: Vec<String>,
    /// Start, end and key: the key holds the seconds between the times of these columns.
    #[serde(default)]
    pub(crate) duration: Durations,
    /// Parts of arrays that become columns.
    #[serde(default)]
    pub(crate) pick: Vec<Text>,
    /// Key of a column.
    #[serde(default)]
    pub(crate) rename: BTreeMap<String, String>,
    /// Scopes of messages that apply to the message.
    #[serde(default)]
    pub messages: Vec<Text>,
}

impl Definition {
    /// Keys that put records together: those of joins and those that identify entities. Their values are always stored.
    pub fn joined_keys(&self) -> impl Iterator<Item = &str> {
        let joins = self.join.iter().flat_map(|join| {
            let once = join.once.iter().flat_map(OnceDef::keys);
            join.by.iter().chain(&join.gives).chain(once)
        });
        let brackets = self.bracket.iter().flat_map(|bracket| {
            let once = bracket.once.iter().flat_map(OnceDef::keys);
            let since = bracket.since.iter().map(|since| &since.named);
            bracket.gives.iter().chain(once).chain(since)
        });
        let firsts = self.first.iter().map(|f| &f.key);
        let ids = self.entity.iter().flat_map(|e| e.id.iter().flatten());
        let all = joins.chain(brackets).chain(firsts).chain(ids);
        all.map(|name| name.get_ref().as_str())
    }

    /// Puts a dialect and a kind of source in the place of each table.
    fn expanded(mut self) -> Definition {
        for table in std::mem::take(&mut self.table) {
            // A column that it must have tells its rows from those of other kinds, under the name of its key.
            let key = |column: &String| table.rename.get(column).unwrap_or(column).clone();
            let known_by = table.require.first().map(key);
            let any = |key| (key, OneOrMore::One("*".to_owned()));
            self.source.push(SourceDef {
                kind: table.name.clone(),
                glob: table.glob,
                tag: table.tag,
                layouts: Vec::new(),
                json: vec![table.name.clone()],
                messages: table.messages,
                records: known_by.map(any).into_iter().collect(),
                mine: Some(false),
                attachment: None,
                dump: false,
                any_layout: false,
            });
            self.json.push(JsonDef {
                name: table.name,
                grammar: Grammar::Json,
                require: table.require,
                time: table.time,
                date: Vec::new(),
                level: table.level,
                message: Vec::new(),
                template: Vec::new(),
                compose: table.message,
                drop: table.drop,
                defer: table.defer,
                null: table.null,
                pick: table.pick,
                whole: Vec::new(),
                skip: Vec::new(),
                records: None,
                pairs: Vec::new(),
                bytes: false,
                duration: table.duration,
                utc: false,
                complete: false,
                levels: BTreeMap::new(),
                rename: table.rename,
            });
        }
        self
    }
}

/// A kind of source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceDef {
    /// Unique in the file.
    pub kind: Text,
    /// Ends of paths; none: told by content.
    #[serde(default)]
    pub glob: Vec<Text>,
    /// Short name in the pane; `{key}` stands for what the path says.
    #[serde(default)]
    pub tag: String,
    /// Layouts that may occur: `name`, or `system.name` for one of another system.
    #[serde(default)]
    pub layouts: Vec<Text>,
    /// JSON dialects that may occur.
    #[serde(default)]
    pub json: Vec<Text>,
    /// Scopes of messages that apply.
    #[serde(default)]
    pub messages: Vec<Text>,
    /// What records look like: header fields and the values (with `*`) of which one must be there.
    #[serde(default, rename = "where")]
    pub records: BTreeMap<String, OneOrMore>,
    /// Whoever runs its program may set the layout of its records: they are known by what `where` says of their writer, in any
    /// layout.
    #[serde(default)]
    pub any_layout: bool,
    /// Whether keys are mined from messages that no pattern describes; by default when there are no patterns.
    pub mine: Option<bool>,
    /// Listed, not read; what it is.
    pub attachment: Option<String>,
    /// Its records were written down at once about what was before: it ends where it was asked for, and falls not silent.
    #[serde(default)]
    pub dump: bool,
}

/// The lines between which a program quotes text of others, in any text file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteDef {
    /// The line before the quoted text, whole.
    pub from: Text,
    /// The line after the quoted text, whole.
    pub to: Text,
}

/// The messages of a scope.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagesDef {
    /// Name of the scope.
    pub scope: Text,
    /// Patterns over the lines that continue a record with any of these messages.
    #[serde(default)]
    pub lines: Vec<Text>,
    /// The first that matches counts.
    pub patterns: Lazy<Vec<Spanned<MessageDef>>>,
}

/// One message.
#[derive(Debug)]
pub enum MessageDef {
    /// Its pattern.
    Plain(String),
    /// Its pattern, and keys with a constant value.
    Full(FullMessage),
}

/// A message with constant keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FullMessage {
    /// The pattern.
    #[serde(rename = "match")]
    pub pattern: Text,
    /// The level of such a message when its header says none.
    pub level: Option<String>,
    /// Keys with a constant value.
    #[serde(default)]
    pub keys: BTreeMap<String, toml::Value>,
    /// Keys that have the value of another key of the pattern as well.
    #[serde(default)]
    pub same: BTreeMap<String, Text>,
    /// Patterns over the lines that continue such a record.
    #[serde(default)]
    pub lines: Vec<Text>,
}

impl MessageDef {
    /// The pattern.
    pub fn pattern(&self) -> &str {
        match self {
            MessageDef::Plain(pattern) => pattern,
            MessageDef::Full(full) => full.pattern.get_ref(),
        }
    }
}

impl<'de> Deserialize<'de> for MessageDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = MessageDef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pattern or { match = \"pattern\", keys = { ... } }")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<MessageDef, E> {
                Ok(MessageDef::Plain(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MessageDef, A::Error> {
                FullMessage::deserialize(MapAccessDeserializer::new(map)).map(MessageDef::Full)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A line and what it must give.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleDef {
    /// The record, perhaps of several lines.
    pub line: Text,
    /// Path of the source; chooses the kind as when a run is opened.
    pub path: Option<Text>,
    /// Kind of source that must be chosen.
    pub kind: Option<Text>,
    /// Layout or dialect that must be chosen.
    pub layout: Option<Text>,
    /// Fields and their values: keys, `time` (RFC 3339), `level`, `message`, `template`.
    #[serde(default)]
    pub gives: BTreeMap<String, toml::Value>,
}

/// Reads a definition.
///
/// # Errors
/// Where it is not TOML, or not what a definition may say.
pub fn read(file: &str, text: &str) -> Result<Definition, DefError> {
    parse(text).map_err(|e| FileText { file, text }.toml_error(&e))
}

/// Reads a definition.
///
/// # Errors
/// The first thing that is not TOML, or not what a definition may say.
pub(crate) fn parse(text: &str) -> Result<Definition, toml::de::Error> {
    Ok(toml::from_str::<Definition>(text)?.expanded())
}

/// Reads a definition that the program carries, which the build script packed.
///
/// # Errors
/// Where it is not what a definition may say.
pub fn unpack(bytes: &'static [u8]) -> Result<Definition, serde::de::value::Error> {
    Ok(packed::read_built_in::<Definition>(bytes)?.expanded())
}

/// A constant as a key's spelling.
pub fn spelling(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
