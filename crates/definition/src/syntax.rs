//! Syntax of the files in `systems/`. `systems/README.md` explains it.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use serde_json::json;
use toml::Spanned;

use crate::documents::{DocumentDef, InnerDef};
use crate::duration_keys::Durations;
use crate::error::{DefError, FileText};
use crate::key_type::KeyType;
use crate::lazy::Lazy;
use crate::one_or_more::OneOrMore;
use crate::packed;
use crate::packed::pack::{pack, span_of_field};
use crate::semantics::{
    BracketDef, ConsecutiveRunsDef, EntityDef, ExtractionDef, FirstRecordDef, FlowDef, HintDef,
    JoinDef, PairDef, RuleDef, RunsDef, SeriesDef,
};
use crate::text::Text;
use crate::words::WordsDef;

use crate::json_dialect::{Grammar, JsonDef};

/// Top of a definition: the name of the system. Everything else stands in sections.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Short name of the system, prefix of its keys.
    #[schemars(example = &"mysim")]
    pub name: Text,
    /// Title for users.
    #[serde(default)]
    #[schemars(example = &"My simulation")]
    pub title: String,
    /// True if its hints apply to the logs of every system: messages of the machine, the batch system, the network.
    /// Otherwise they do not apply to a system that has hints of its own, unless logs of both lie side by side.
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
    /// Vocabulary of messages.
    pub words: Option<WordsDef>,
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
    /// Pairs of instances and numbers by order.
    #[serde(default)]
    pub pair: Vec<PairDef>,
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

/// Text between the name of a definition and the name of one of its joins.
pub const JOIN_SEPARATOR: &str = ": ";

impl Definition {
    /// Full name of a join of the definition: `slurm: block of job`. It is unique among the definitions.
    pub fn full_join_name(&self, name: &str) -> String {
        format!("{}{JOIN_SEPARATOR}{name}", self.name.get_ref())
    }
}

/// Properties of the key `NAME`, by which its values are compared, stored and offered for pivots.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyDef {
    /// Type of its values, which decides when two spellings are equal.
    #[serde(default, rename = "type")]
    #[schemars(example = &"int")]
    pub kind: KeyType,
    /// True if its values identify instances: always stored, offered for pivots.
    #[serde(default)]
    pub identifier: bool,
    /// Word before the value in short lists.
    #[schemars(example = &"job")]
    pub label: Option<String>,
    /// Other spellings of the key, in any record of any system.
    #[serde(default)]
    #[schemars(example = json!(["jobid"]))]
    pub aliases: Vec<String>,
    /// True if values are read from the text on demand and never stored: long or nearly unique values.
    #[serde(default)]
    pub deferred: bool,
    /// True if values are always stored, even if nearly all differ. Keys of joins and of ids of entities are stored without
    /// it; those of `transition.after` and of `took` need it.
    #[serde(default)]
    pub stored: bool,
    /// Key of each host, if the values are lists of hosts such as `c[1-3,7]`; the list itself stays in the text.
    #[schemars(example = &"mysim.node")]
    pub hosts: Option<Text>,
    /// Key whose values are of the same kind: its identity space. Without a `role`, equal values are the same instance, and
    /// records receive the value under the key of the space, too.
    #[schemars(example = &"mysim.job")]
    pub space: Option<String>,
    /// Role of the value for the instance of its space, if the record is not one of that instance.
    #[schemars(example = &"dependency")]
    pub role: Option<String>,
    /// True if a value is an instance of its space only if another key of the space has the value, too: numbers in names of
    /// files may be anything.
    #[serde(default)]
    pub if_known: bool,
    /// Keys within whose values its values are unique; joins by the key are also by these, if the run has them. Of a key that
    /// identifies an entity alone, only values that occur in several scopes need them.
    #[serde(default)]
    #[schemars(example = &"mysim.site")]
    pub scope: OneOrMore,
    /// Unit of the values.
    #[schemars(example = &"bytes")]
    pub unit: Option<String>,
}

impl KeyDef {
    /// True if equal values of the key and of its space are the same instance.
    pub fn is_member(&self) -> bool {
        self.space.is_some() && self.role.is_none()
    }
}

/// Layout of text lines: the header of a record. A line that matches no layout continues the record above it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutDef {
    /// Name of the layout, unique in the file.
    #[schemars(example = &"mysim")]
    pub name: Text,
    /// Pattern of the first line of a record; ends in `{message}`.
    #[schemars(example = &"{time:%Y-%m-%d %H:%M:%S} [{level}] {message}")]
    pub pattern: Text,
    /// Levels by spelling of `{level}`.
    #[serde(default)]
    #[schemars(example = json!({"#": "warning"}))]
    pub levels: BTreeMap<String, String>,
    /// Levels by words at the start of the message, which are removed from it; the empty word matches all other messages.
    #[serde(default)]
    #[schemars(example = json!({"error: ": "error"}))]
    pub prefixes: BTreeMap<String, String>,
    /// Words of the message before a time, for lines without a time at their start.
    #[serde(default)]
    #[schemars(example = json!(["CANCELLED AT {time:%Y-%m-%dT%H:%M:%S}"]))]
    pub times: Vec<Text>,
    /// Scopes of the messages, if lines of this layout may occur amid the records of any file, also behind text that did
    /// not end its line. Outside its own files such a line is a record only if it is a warning or worse. The pattern has to
    /// start with literal words.
    #[serde(default)]
    #[schemars(example = json!(["job"]))]
    pub amid: Vec<Text>,
    /// True if keys of this definition, without its name as prefix, may follow the message as `name: value`, also after the
    /// text of an exception.
    #[serde(default)]
    pub extras: bool,
}

/// Rows of a database table, a CSV file, columns as commands print them, blocks of `NAME=value` lines, or an array in a
/// JSON file: a dialect and a kind of source in one. Rows are read as JSON lines; a database adds `rowid`. The path of a
/// table continues that of its file (`monitoring.db/task`, `sacct.json/jobs`). Tables that no definition describes are read
/// by the names and values of their columns.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableDef {
    /// Name of the table, unique among the dialects and kinds of sources of the file.
    #[schemars(example = &"jobs")]
    pub name: Text,
    /// Ends of paths, as of a source.
    #[serde(default)]
    #[schemars(example = json!(["monitoring.db/task"]))]
    pub glob: Vec<Text>,
    /// Short name of the source on the screen.
    #[serde(default)]
    #[schemars(example = &"db/task")]
    pub tag: String,
    /// Columns that every row has; they identify the table under any path.
    #[serde(default)]
    #[schemars(example = json!(["job_id", "submitted"]))]
    pub(crate) require: Vec<String>,
    /// Columns that may hold the time, as of JSON lines; if empty, the rows are constant facts.
    #[serde(default)]
    #[schemars(example = json!(["submitted"]))]
    pub(crate) time: Vec<Text>,
    /// Columns that may hold the level.
    #[serde(default)]
    #[schemars(example = json!(["severity"]))]
    pub level: Vec<String>,
    /// Message composed of columns, as `compose` of JSON lines.
    #[schemars(example = &"job {job_id} is {status:state}")]
    pub(crate) message: Option<Text>,
    /// Columns that are never keys.
    #[serde(default)]
    #[schemars(example = json!(["version"]))]
    pub(crate) drop: Vec<String>,
    /// Columns that are read on demand.
    #[serde(default)]
    #[schemars(example = json!(["stdout"]))]
    pub(crate) defer: Vec<String>,
    /// Strings that mean "no value".
    #[serde(default)]
    #[schemars(example = json!(["N/A"]))]
    pub(crate) null: Vec<String>,
    /// Columns of start and end, and the key of the seconds between them; or a list of such triples.
    #[serde(default)]
    #[schemars(example = json!(["start", "end", "mysim.seconds"]))]
    pub(crate) duration: Durations,
    /// Parts of arrays that become columns.
    #[serde(default)]
    #[schemars(example = json!(["steps[0].start"]))]
    pub(crate) pick: Vec<Text>,
    /// Keys by column.
    #[serde(default)]
    #[schemars(example = json!({"job_id": "mysim.job"}))]
    pub(crate) rename: BTreeMap<String, String>,
    /// Scopes of the message patterns that apply to the message.
    #[serde(default)]
    #[schemars(example = json!(["jobs"]))]
    pub messages: Vec<Text>,
}

impl Definition {
    /// Keys of joins and of ids of entities; their values are always stored.
    pub fn joined_keys(&self) -> impl Iterator<Item = &str> {
        let joins = self.join.iter().flat_map(|join| {
            join.by
                .iter()
                .chain(join.or_by.iter().flatten())
                .chain(&join.gives)
        });
        let brackets = self.bracket.iter().flat_map(|bracket| {
            let since = bracket.since.iter().map(|since| &since.named);
            bracket.gives.iter().chain(since)
        });
        let firsts = self.first.iter().map(|f| &f.key);
        let ids = self.entity.iter().flat_map(|e| e.id.iter().flatten());
        let pairs = self.pair.iter();
        let pairs = pairs.flat_map(|p| p.within.iter().chain([&p.key, &p.number]));
        let all = joins.chain(brackets).chain(firsts).chain(ids).chain(pairs);
        let members = self.keys.iter().filter(|(_, key)| key.is_member());
        all.map(|name| name.get_ref().as_str())
            .chain(members.map(|(name, _)| name.as_str()))
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
                only_keys: false,
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

/// Kind of source: which files it claims, and how their records are read. Without `layouts` and `json` the format is
/// recognised; without `glob` the kind is recognised by its layouts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceDef {
    /// Name of the kind, unique in the file.
    #[schemars(example = &"rank")]
    pub kind: Text,
    /// Ends of paths, compared component by component (see "Paths"); the most specific one that matches is used.
    #[serde(default)]
    #[schemars(example = json!(["{mysim.run}/rank_{mysim.rank:int}.log"]))]
    pub glob: Vec<Text>,
    /// Short name of the source on the screen, with values of the path; `{key:8}` is cut to 8 characters, a part between
    /// slashes without its value is omitted.
    #[serde(default)]
    #[schemars(example = &"r/{mysim.rank}")]
    pub tag: String,
    /// Layouts that may occur: `name`, or `system.name` for a layout of another definition. Of several that match a line,
    /// the one that matches the fewest samples of the others is used.
    #[serde(default)]
    #[schemars(example = json!(["mysim", "python.dashes"]))]
    pub layouts: Vec<Text>,
    /// JSON dialects that may occur, named as layouts.
    #[serde(default)]
    #[schemars(example = json!(["mysim_json"]))]
    pub json: Vec<Text>,
    /// Scopes of message patterns that apply, in this order: `scope`, or `system.scope`.
    #[serde(default)]
    #[schemars(example = json!(["rank"]))]
    pub messages: Vec<Text>,
    /// Header fields by which records are recognised, and their values (with `*`), one of which must occur; for `message`
    /// at least one record must match. Recognises renamed files, and distinguishes kinds with equal globs. Of an
    /// attachment: what its lines look like.
    #[serde(default, rename = "where")]
    #[schemars(example = json!({"logger": ["mysim.*"]}))]
    pub records: BTreeMap<String, OneOrMore>,
    /// True if users may configure the layout: records are recognised by the loggers in `where`, in any layout.
    #[serde(default)]
    pub any_layout: bool,
    /// Whether keys are mined from messages that match no pattern; by default only if there are no patterns.
    pub mine: Option<bool>,
    /// Description of a source that is listed and not read.
    #[schemars(example = &"pickle")]
    pub attachment: Option<String>,
    /// True if the paths alone count: every file with such a path receives their keys, whatever its records are,
    /// unless its own kind has keys of its path.
    #[serde(default)]
    pub only_keys: bool,
    /// True for a snapshot of past records, written at once: its end does not count as silence.
    #[serde(default)]
    pub dump: bool,
}

/// Lines around text that any text file quotes, such as a script above its output. Both lines and the text between them, at
/// most 64 KB, are one record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuoteDef {
    /// Whole line before the quoted text.
    #[schemars(example = &"--- begin script ---")]
    pub from: Text,
    /// Whole line after the quoted text.
    #[schemars(example = &"--- end script ---")]
    pub to: Text,
}

/// Message patterns of a scope. A message that varies (names of functions, paths) needs a pattern even if it names no key:
/// it then has one template instead of thousands.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesDef {
    /// Name of the scope.
    #[schemars(example = &"rank")]
    pub scope: Text,
    /// Patterns of the lines that continue a record with any of these messages, in a text log; each is searched in the
    /// first 24 of them.
    #[serde(default)]
    #[schemars(example = json!(["Key: {mysim.job:int}"]))]
    pub lines: Vec<Text>,
    /// Message patterns; the first that matches is used.
    #[schemars(example = json!(["job {mysim.job:int} started on {mysim.node}"]))]
    #[schemars(with = "Vec<MessageDef>")]
    pub patterns: Lazy<Vec<Spanned<MessageDef>>>,
}

/// Message pattern, alone or with constant keys.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum MessageDef {
    /// Pattern.
    Plain(String),
    /// Message pattern with constant keys.
    Full(FullMessage),
}

/// Message pattern with constant keys.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullMessage {
    /// Pattern.
    #[serde(rename = "match")]
    #[schemars(example = &"job {mysim.job:int} failed")]
    pub pattern: Text,
    /// Level of such a message if its header states none.
    #[schemars(example = &"error")]
    pub level: Option<String>,
    /// Keys with a constant value.
    #[serde(default)]
    #[schemars(example = json!({"mysim.state": "failed"}))]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub keys: BTreeMap<String, toml::Value>,
    /// Keys that also receive the value of another key of the pattern.
    #[serde(default)]
    #[schemars(example = json!({"mysim.owner": "mysim.job"}))]
    pub same: BTreeMap<String, Text>,
    /// Patterns of the lines that continue such a record.
    #[serde(default)]
    #[schemars(example = json!(["Key: {mysim.job:int}"]))]
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

/// Record and the fields that it must give: the test of the definition. Every layout and dialect needs one. Layouts that
/// match the samples of others are tried later, so every variant deserves a sample.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampleDef {
    /// Record, of one line or several; a row of a table as JSON.
    #[schemars(example = &"[12.04.26 17:03:21.250] solver/INFO job 17 started on node042")]
    pub line: Text,
    /// Path of the source, which chooses the kind as when a run is opened.
    #[schemars(example = &"out/run7/rank_3.log")]
    pub path: Option<Text>,
    /// Expected kind of source, if there is no path.
    #[schemars(example = &"rank")]
    pub kind: Option<Text>,
    /// Expected layout or dialect.
    #[schemars(example = &"mysim")]
    pub layout: Option<Text>,
    /// Expected fields and their values: keys, `time` (ISO, without zone if the log has none), `level`, `message`,
    /// `template`.
    #[serde(default)]
    #[schemars(example = json!({"level": "info", "mysim.job": 17}))]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub gives: BTreeMap<String, toml::Value>,
}

/// Parses a definition.
///
/// # Errors
/// The text is not TOML, or has a setting that a definition cannot have.
pub fn read(file: &str, text: &str) -> Result<Definition, DefError> {
    parse(text).map_err(|e| FileText { file, text }.syntax_error(&e))
}

/// Parses a definition.
///
/// # Errors
/// First syntax error, or first setting that a definition cannot have.
pub(crate) fn parse(text: &str) -> Result<Definition, packed::Error> {
    let packed = pack(text)?;
    let def = packed::read_all::<Definition>(&packed);
    // A wrong name is reported at the name, not at its value.
    let at_name = |e: packed::Error| {
        let name = e.field.as_ref().zip(e.span.as_ref());
        let name = name.and_then(|(name, value)| span_of_field(text, name, value));
        let span = name.or(e.span);
        packed::Error { span, ..e }
    };
    Ok(def.map_err(at_name)?.expanded())
}

/// Unpacks a built-in definition, which the build script packed.
///
/// # Errors
/// The bytes have a setting that a definition cannot have.
pub fn unpack(bytes: &'static [u8]) -> Result<Definition, packed::Error> {
    Ok(packed::read_built_in::<Definition>(bytes)?.expanded())
}

/// Constant value of a key, in the spelling of the key.
pub fn spelling(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
