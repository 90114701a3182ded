//! Syntax of the files in `systems/`. `systems/README.md` explains it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use toml::Spanned;

use crate::documents::{DocumentDef, InnerDef};
use crate::duration_keys::Durations;
use crate::error::{DefError, FileText};
use crate::exactly_once::ExactlyOnceDef;
use crate::key_type::KeyType;
use crate::lazy::Lazy;
use crate::one_or_more::OneOrMore;
use crate::packed;
use crate::semantics::{
    BracketDef, ConsecutiveRunsDef, EntityDef, ExtractionDef, FirstRecordDef, FlowDef, HintDef,
    JoinDef, RuleDef, RunsDef, SeriesDef,
};
use crate::text::Text;

use crate::json_dialect::{Grammar, JsonDef};

/// Definition of one system.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name of the system, prefix of its keys.
    pub name: Text,
    /// Title for users.
    #[serde(default)]
    pub title: String,
    /// True if the messages of its hints occur in the logs of any program: about the machine, the batch system, the network.
    #[serde(default)]
    pub anywhere: bool,
    /// Properties of keys, by name.
    #[serde(default)]
    pub keys: BTreeMap<String, KeyDef>,
    /// Layouts of text lines.
    #[serde(default)]
    pub layout: Vec<LayoutDef>,
    /// JSON dialects.
    #[serde(default)]
    pub json: Vec<JsonDef>,
    /// Delimiters of text that programs quote in their logs.
    #[serde(default)]
    pub quote: Vec<QuoteDef>,
    /// Kinds of sources.
    #[serde(default)]
    pub source: Vec<SourceDef>,
    /// Tables; each is a dialect and a kind of source.
    #[serde(default)]
    pub table: Vec<TableDef>,
    /// Nested lists in rows whose elements become rows.
    #[serde(default)]
    pub inner: Vec<InnerDef>,
    /// Tree documents (MessagePack, YAML, JSON) and the parts of them that are records.
    #[serde(default)]
    pub document: Vec<DocumentDef>,
    /// Alternative spellings of parts of messages: `{@name}` in a pattern matches any of them.
    #[serde(default)]
    pub parts: BTreeMap<String, Vec<Text>>,
    /// Message patterns, by scope.
    #[serde(default)]
    pub messages: Vec<MessagesDef>,
    /// Identification of runs of a system that does not name them.
    pub runs: Option<RunsDef>,
    /// Joins by keys.
    #[serde(default)]
    pub join: Vec<JoinDef>,
    /// Joins of records between two messages.
    #[serde(default)]
    pub bracket: Vec<BracketDef>,
    /// Keys that the first record of a file states for the whole file.
    #[serde(default)]
    pub first: Vec<FirstRecordDef>,
    /// Consecutive runs in the same logs.
    #[serde(default)]
    pub again: Vec<ConsecutiveRunsDef>,
    /// Extractions of keys from messages and values.
    #[serde(default)]
    pub reading: Vec<ExtractionDef>,
    /// Entities.
    #[serde(default)]
    pub entity: Vec<EntityDef>,
    /// Measurements over time.
    #[serde(default)]
    pub series: Lazy<Vec<SeriesDef>>,
    /// Messages between actors.
    #[serde(default)]
    pub flow: Lazy<Vec<FlowDef>>,
    /// Hints: messages known to experts.
    #[serde(default)]
    pub hint: Lazy<Vec<HintDef>>,
    /// Rules that records should follow.
    #[serde(default)]
    pub rule: Lazy<Vec<RuleDef>>,
    /// Sample lines and the fields that they must give.
    #[serde(default)]
    pub sample: Lazy<Vec<SampleDef>>,
}

impl Definition {
    /// Names of the joins that the definition describes, in the order in which they are compiled.
    pub fn join_names(&self) -> Vec<String> {
        let joins = self.join.iter().map(|join| join.name.get_ref().clone());
        let brackets = self.bracket.iter().map(|b| b.name.get_ref().clone());
        let first = self.first.iter().map(FirstRecordDef::join_name);
        let again = self.again.iter().map(ConsecutiveRunsDef::join_name);
        let anew = self.entity.iter().filter(|e| e.anew.is_some()).enumerate();
        let runs = self.runs.iter();
        let runs = runs.flat_map(|runs| anew.clone().map(|(number, _)| runs.join_name(number)));
        let readings = self.reading.iter().map(|r| r.name.get_ref().clone());
        let records = joins.chain(brackets).chain(first).chain(again);
        records.chain(runs).chain(readings).collect()
    }
}

/// Properties of a key.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyDef {
    /// Type of its values, for comparison.
    #[serde(default, rename = "type")]
    pub kind: KeyType,
    /// True if its values identify instances.
    #[serde(default)]
    pub identifier: bool,
    /// Word before the value in short lists.
    pub label: Option<String>,
    /// Other names of the key.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// True if values are read on demand and never stored.
    #[serde(default)]
    pub deferred: bool,
    /// True if values are always stored, even if nearly all differ: states or ends of instances depend on them.
    #[serde(default)]
    pub stored: bool,
    /// Key of each host, if the values are lists of hosts such as `c[1-3,7]`.
    pub hosts: Option<Text>,
    /// Key whose values are of the same kind: `parsl.dependency_task` draws from `parsl.task`.
    pub space: Option<String>,
    /// Role of the key for the instance of its space: `dependency`.
    pub role: Option<String>,
    /// Unit of the values: `bytes`, `s`.
    pub unit: Option<String>,
}

/// Definition of a layout of text lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutDef {
    /// Name of the layout, unique in the file.
    pub name: Text,
    /// Pattern of the first line of a record; ends in `{message}`.
    pub pattern: Text,
    /// Levels by spelling of `{level}`.
    #[serde(default)]
    pub levels: BTreeMap<String, String>,
    /// Levels by words at the start of the message.
    #[serde(default)]
    pub prefixes: BTreeMap<String, String>,
    /// Words before a time inside the message, for lines without a time at their start.
    #[serde(default)]
    pub times: Vec<Text>,
    /// Scopes of the messages, if lines of this layout may occur amid the records of any file.
    #[serde(default)]
    pub amid: Vec<Text>,
    /// True if keys may follow the message as `name: value`, also after the text of an exception: keys of this
    /// definition, without its name as prefix.
    #[serde(default)]
    pub extras: bool,
}

/// Definition of a table: a dialect and a kind of source in one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDef {
    /// Name of the table, unique among the dialects and kinds of sources of the file.
    pub name: Text,
    /// Suffixes of paths; the path of a database's table is below the database: `monitoring.db/task`.
    #[serde(default)]
    pub glob: Vec<Text>,
    /// Short name of the source on the screen.
    #[serde(default)]
    pub tag: String,
    /// Required columns; they identify the table under any path.
    #[serde(default)]
    pub(crate) require: Vec<String>,
    /// Columns that may hold the time; if empty, the rows are constant facts.
    #[serde(default)]
    pub(crate) time: Vec<Text>,
    /// Columns that may hold the level.
    #[serde(default)]
    pub level: Vec<String>,
    /// Message composed of columns.
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
    /// Columns of start and end, and the key of the seconds between them.
    #[serde(default)]
    pub(crate) duration: Durations,
    /// Parts of arrays that become columns.
    #[serde(default)]
    pub(crate) pick: Vec<Text>,
    /// Keys by column.
    #[serde(default)]
    pub(crate) rename: BTreeMap<String, String>,
    /// Scopes of the message patterns that apply to the message.
    #[serde(default)]
    pub messages: Vec<Text>,
}

impl Definition {
    /// Keys of joins and of ids of entities; their values are always stored.
    pub fn joined_keys(&self) -> impl Iterator<Item = &str> {
        let joins = self.join.iter().flat_map(|join| {
            let once = join.once.iter().flat_map(ExactlyOnceDef::keys);
            join.by.iter().chain(&join.gives).chain(once)
        });
        let brackets = self.bracket.iter().flat_map(|bracket| {
            let once = bracket.once.iter().flat_map(ExactlyOnceDef::keys);
            let since = bracket.since.iter().map(|since| &since.named);
            bracket.gives.iter().chain(once).chain(since)
        });
        let firsts = self.first.iter().map(|f| &f.key);
        let ids = self.entity.iter().flat_map(|e| e.id.iter().flatten());
        let all = joins.chain(brackets).chain(firsts).chain(ids);
        all.map(|name| name.get_ref().as_str())
    }

    /// Replaces each table by a dialect and a kind of source.
    fn expanded(mut self) -> Definition {
        for table in std::mem::take(&mut self.table) {
            // A required column identifies the rows of the table, under the name of its key.
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

/// Definition of a kind of source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceDef {
    /// Name of the kind, unique in the file.
    pub kind: Text,
    /// Suffixes of paths; if empty, the kind is detected by content.
    #[serde(default)]
    pub glob: Vec<Text>,
    /// Short name of the source on the screen; `{key}` is replaced by the value that the path states.
    #[serde(default)]
    pub tag: String,
    /// Layouts that may occur: `name`, or `system.name` for a layout of another system.
    #[serde(default)]
    pub layouts: Vec<Text>,
    /// JSON dialects that may occur.
    #[serde(default)]
    pub json: Vec<Text>,
    /// Scopes of the message patterns that apply.
    #[serde(default)]
    pub messages: Vec<Text>,
    /// Header fields by which records are recognised, and their values (with `*`), one of which must occur.
    #[serde(default, rename = "where")]
    pub records: BTreeMap<String, OneOrMore>,
    /// True if users may configure the layout: records are recognised by the writers in `where`, in any layout.
    #[serde(default)]
    pub any_layout: bool,
    /// Whether keys are mined from messages without a pattern; by default only if there are no patterns.
    pub mine: Option<bool>,
    /// Description of a source that is listed and not read.
    pub attachment: Option<String>,
    /// True for a snapshot of past records, written at once: its end does not count as silence.
    #[serde(default)]
    pub dump: bool,
}

/// Definition of the lines around text that a program quotes in any text file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuoteDef {
    /// Whole line before the quoted text.
    pub from: Text,
    /// Whole line after the quoted text.
    pub to: Text,
}

/// Definition of the messages of a scope.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagesDef {
    /// Name of the scope.
    pub scope: Text,
    /// Patterns of the lines that continue a record with any of these messages.
    #[serde(default)]
    pub lines: Vec<Text>,
    /// Message patterns; the first that matches is used.
    pub patterns: Lazy<Vec<Spanned<MessageDef>>>,
}

/// Definition of one message.
#[derive(Debug)]
pub enum MessageDef {
    /// Pattern.
    Plain(String),
    /// Pattern with constant keys.
    Full(FullMessage),
}

/// Definition of a message with constant keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FullMessage {
    /// Pattern.
    #[serde(rename = "match")]
    pub pattern: Text,
    /// Level of such a message if its header states none.
    pub level: Option<String>,
    /// Keys with a constant value.
    #[serde(default)]
    pub keys: BTreeMap<String, toml::Value>,
    /// Keys that also receive the value of another key of the pattern.
    #[serde(default)]
    pub same: BTreeMap<String, Text>,
    /// Patterns of the lines that continue such a record.
    #[serde(default)]
    pub lines: Vec<Text>,
}

impl MessageDef {
    /// Pattern.
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

/// Definition of a sample: a record and the fields that it must give.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleDef {
    /// Record, of one line or several.
    pub line: Text,
    /// Path of the source, which chooses the kind as when a run is opened.
    pub path: Option<Text>,
    /// Expected kind of source.
    pub kind: Option<Text>,
    /// Expected layout or dialect.
    pub layout: Option<Text>,
    /// Expected fields and their values: keys, `time` (RFC 3339), `level`, `message`, `template`.
    #[serde(default)]
    pub gives: BTreeMap<String, toml::Value>,
}

/// Parses a definition.
///
/// # Errors
/// The text is not TOML, or has a setting that a definition cannot have.
pub fn read(file: &str, text: &str) -> Result<Definition, DefError> {
    parse(text).map_err(|e| FileText { file, text }.toml_error(&e))
}

/// Parses a definition.
///
/// # Errors
/// First syntax error, or first setting that a definition cannot have.
pub(crate) fn parse(text: &str) -> Result<Definition, toml::de::Error> {
    Ok(toml::from_str::<Definition>(text)?.expanded())
}

/// Unpacks a built-in definition, which the build script packed.
///
/// # Errors
/// The bytes have a setting that a definition cannot have.
pub fn unpack(bytes: &'static [u8]) -> Result<Definition, serde::de::value::Error> {
    Ok(packed::read_built_in::<Definition>(bytes)?.expanded())
}

/// Constant value of a key, in the spelling of the key.
pub fn spelling(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
