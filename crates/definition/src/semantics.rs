//! Interpretation of records in a definition: joins, entities, series, flows, hints, rules. Only data; the crates
//! `join`, `analysis` and `diagnosis` compile it. `systems/README.md` explains the syntax.
//!
//! Conditions are expressions of the query language, kept as text: this crate does not know the language.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::one_or_more::OneOrMore;
use crate::text::Text;

pub use crate::bracket_start::BracketStartDef;
pub use crate::identity::{CountedDef, PairDef, ProcessDef, SpaceDef};
pub use crate::state_transitions::TransitionDef;

/// Maximum number of left keys of a join; joins with more are omitted.
pub const MAX_BY: usize = 5;

/// Join by keys. Events with the same values of `by` belong together: if all of them that have a key of `gives` agree, the
/// others receive its value, also earlier ones. If they disagree, none receives it, and the conflict is listed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinDef {
    /// Name of the join, unique in the file.
    #[schemars(example = &"node of job")]
    pub name: Text,
    /// Left keys; an event takes part if it has all of them. The key that varies most comes last.
    #[schemars(example = json!(["mysim.run", "mysim.job"]))]
    pub by: Vec<Text>,
    /// Alternative left keys, for events that lack keys of `by`: an event receives by the first alternative all of whose keys
    /// it has, if it has no further key of those before it.
    #[serde(default)]
    #[schemars(example = json!([["mysim.job"]]))]
    pub or_by: Vec<Vec<Text>>,
    /// Right keys, whose values events receive; may be absent with `record`.
    #[serde(default)]
    #[schemars(example = json!(["mysim.node"]))]
    pub gives: Vec<Text>,
    /// Condition of the events that take part; all if absent.
    #[serde(rename = "where")]
    #[schemars(example = &"source = rank")]
    pub only: Option<Text>,
    /// Condition of the events that are evidence, while all events receive; all are evidence if absent.
    #[schemars(example = &"mysim.state = running")]
    pub evidence: Option<Text>,
    /// Lifetime of the left keys, if values (a pid, an address) are reused: each value has one meaning from an event that
    /// matches `open` to one that matches `close`.
    pub life: Option<LifeDef>,
    /// Events that the join applies to.
    #[serde(default)]
    #[schemars(example = &"copies")]
    pub among: Among,
    /// Record that the left keys identify: what happens once to an instance. The join then needs no right keys; it tells the
    /// instances apart to which a record in several logs may belong. `evidence` are records of other logs with the same clock.
    #[schemars(example = &"first")]
    pub record: Option<RecordDef>,
}

/// Left keys of a join: `by`, or an alternative to it.
#[derive(Clone, Debug)]
pub struct LeftKeys<'d> {
    /// Name of the join with these keys.
    pub name: String,
    /// Keys, all of which an event has.
    pub keys: &'d [Text],
    /// Keys of the alternatives before it, none of which an event that receives has.
    pub absent: Vec<&'d str>,
    /// True if an alternative before it has these keys and more.
    pub is_reduced: bool,
}

impl JoinDef {
    /// Alternatives for the left keys, in the order in which they apply.
    pub fn alternatives(&self) -> impl Iterator<Item = LeftKeys<'_>> {
        let all = || std::iter::once(&self.by).chain(&self.or_by);
        all().enumerate().map(move |(at, keys)| {
            let mut absent: Vec<&str> = Vec::new();
            for key in all().take(at).flatten().filter(|key| !keys.contains(key)) {
                if !absent.contains(&key.get_ref().as_str()) {
                    absent.push(key.get_ref());
                }
            }
            let name = match absent.as_slice() {
                [] => self.name.get_ref().clone(),
                absent => format!("{} without {}", self.name.get_ref(), absent.join(", ")),
            };
            let is_part =
                |of: &Vec<Text>| keys.len() < of.len() && keys.iter().all(|k| of.contains(k));
            LeftKeys {
                name,
                keys,
                absent,
                is_reduced: all().take(at).any(is_part),
            }
        })
    }
}

/// Events that a join applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Among {
    /// All events.
    #[default]
    All,
    /// Records that may belong to several instances: they receive one of the values that the paths of their sources have, or
    /// of logs that may have lost them. A group that would contradict what is known of all others belongs to the one left.
    #[serde(rename = "copies")]
    DuplicatesByPath,
}

/// Record that the left keys of a join identify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordDef {
    /// The only one that matches the condition of the join.
    Only,
    /// The only one that matches the condition, and no record with these keys is older.
    First,
    /// The first one; and the last left key numbers the instances in the order of these records.
    Numbered,
    /// The first one of instances that the last left key numbers, each of which begins after all records of the one before.
    Consecutive,
}

/// Lifetime of a key's value: the events between which it has one meaning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeDef {
    /// Condition of the event that begins a lifetime.
    #[schemars(example = &r#"template = "worker {} started""#)]
    pub open: Text,
    /// Condition of the event that ends a lifetime; the next beginning ends it if absent.
    #[schemars(example = &r#"template = "worker {} ended""#)]
    pub close: Option<Text>,
}

/// Join of records of one source, process and thread between two messages: they belong to the same instance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BracketDef {
    /// Name of the bracket, unique in the file.
    #[schemars(example = &"job of a rank")]
    pub name: Text,
    /// Kinds of sources; all kinds of this system if empty.
    #[serde(default)]
    #[schemars(example = json!(["rank"]))]
    pub kinds: Vec<String>,
    /// Condition of the record that opens a bracket and closes the one before.
    #[schemars(example = &r#"template = "begin job {}""#)]
    pub open: Text,
    /// Condition of the record that closes a bracket and belongs to it; the next opening closes it if absent.
    #[schemars(example = &r#"template = "end job {}""#)]
    pub close: Option<Text>,
    /// True if a record that opens a bracket inside another one belongs to the outer bracket.
    #[serde(default)]
    pub stays: bool,
    /// Keys that one record of a bracket names for all its records.
    #[schemars(example = json!(["mysim.job"]))]
    pub gives: Vec<Text>,
    /// Condition of the events that take part; all if absent.
    #[serde(rename = "where")]
    #[schemars(example = &"level >= info")]
    pub only: Option<Text>,
    /// Events that the join applies to.
    #[serde(default)]
    #[schemars(example = &"copies")]
    pub among: Among,
    /// Event with which the instance of a bracket began; earlier records of the bracket belong to another instance.
    pub since: Option<BracketStartDef>,
}

/// Runs of a system whose names (a job, a task) are unique within one run only, and whose logs do not name the run. If
/// several runs are opened together, `key` identifies the run of each log and becomes part of the ids of all entities and
/// of the left keys of all joins.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunsDef {
    /// Key that identifies the run.
    #[schemars(example = &"mysim.run")]
    pub key: Text,
    /// Kinds of sources of which each run has its own: two folders with a source of one kind belong to two runs.
    #[schemars(example = json!(["scheduler"]))]
    pub kinds: Vec<String>,
}

impl RunsDef {
    /// Name of the join of the `number`th (from 0) entity of a definition whose instances begin anew with each run.
    pub fn join_name(&self, number: usize) -> String {
        match number {
            0 => format!("again {}", self.key.get_ref()),
            number => format!("again {} {}", self.key.get_ref(), number + 1),
        }
    }
}

/// Key that the first record of a file states for the whole file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstRecordDef {
    /// Kinds of sources; all kinds of this system if empty.
    #[serde(default)]
    #[schemars(example = json!(["rank"]))]
    pub kinds: Vec<String>,
    /// Key that the first record states.
    #[schemars(example = &"mysim.rank")]
    pub key: Text,
    /// Condition of the records that state it for their file, if others name another instance by the same key.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template = "rank {} started""#)]
    pub only: Option<Text>,
    /// Point at which the same file continues with another instance, to which the rule then applies.
    pub anew: Option<NextInstanceDef>,
}

impl FirstRecordDef {
    /// Name of the join that is derived from this definition.
    pub fn join_name(&self) -> String {
        format!("first {}", self.key.get_ref())
    }
}

/// Consecutive runs in the same logs: the owner of the work restarts, and the logs whose paths have the same value of `key`
/// continue with the next run, `NAME#2`. The time of a record decides its run. The first start in a log begins another run
/// only if all logs that recorded a start before are over.
/// Where the records that state a start name their process, a process that wrote when no other one did is a run, too: its
/// start is cut off. Records without a time are of the run at the time in the name of their file, seconds since 1970.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsecutiveRunsDef {
    /// Key of paths that names the run; later runs get a number.
    #[schemars(example = &"mysim.run")]
    pub key: Text,
    /// Kinds of sources that record a start; all kinds of this system if empty.
    #[serde(default)]
    #[schemars(example = json!(["scheduler"]))]
    pub kinds: Vec<String>,
    /// Condition of the records that state a start.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template = "Scheduler started""#)]
    pub only: Text,
}

impl ConsecutiveRunsDef {
    /// Name of the join that is derived from this definition.
    pub fn join_name(&self) -> String {
        format!("again {}", self.key.get_ref())
    }
}

/// Continuation of a file with another instance, after the first one has ended.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NextInstanceDef {
    /// Condition of the records with which an instance begins.
    #[schemars(example = &r#"template = "rank {} started""#)]
    pub open: Text,
    /// Condition of the record with which an instance ends. An instance that begins earlier in the same process runs beside
    /// it, and records of the two are unassigned.
    #[schemars(example = &r#"template = "rank {} ended""#)]
    pub close: Text,
    /// Condition of the record with which a log ends although its process goes on.
    #[schemars(example = &r#"template = "log closed""#)]
    pub last: Option<Text>,
    /// Key of the path that holds for the first instance only.
    #[schemars(example = &"mysim.run")]
    pub path: Option<Text>,
    /// Key by which a record states the value of `path` for later instances; they are numbered if absent.
    #[schemars(example = &"mysim.run_folder")]
    pub named: Option<Text>,
}

/// Extraction of keys from the message, from the value of another key, or from constants; `compose` makes a key of several
/// others. In the explorer `K n` writes one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionDef {
    /// Name of the extraction, unique in the file.
    #[schemars(example = &"kind of job")]
    pub name: Text,
    /// Key whose value is parsed; the first line of the message if absent.
    #[schemars(example = &"mysim.job")]
    pub of: Option<Text>,
    /// Condition of the events that take part, on what records state and not on joined keys; required for messages.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template = "wrote {} in {} s""#)]
    pub only: Option<Text>,
    /// Patterns; the first that matches is used. One value per name: no `list`, `words`, `hosts`.
    #[serde(default, rename = "match")]
    #[schemars(example = json!(["{mysim.kind:text}-{:hex}"]))]
    pub patterns: Vec<Text>,
    /// True if the values count only where other records state the first key of the patterns with the same value.
    #[serde(default)]
    pub if_known: bool,
    /// Constant keys of all matching events.
    #[serde(default)]
    #[schemars(example = json!({"mysim.state": "checkpointed"}))]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub keys: BTreeMap<String, toml::Value>,
    /// Key composed of the values of others, of records that state each of them once.
    #[serde(default)]
    #[schemars(example = json!({"mysim.process": "{host}:{pid}"}))]
    pub compose: BTreeMap<String, Text>,
}

/// Role of an entity in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityRole {
    /// No special role.
    #[default]
    Plain,
    /// Work item: an instance that does not end is reported. A task, an action.
    WorkItem,
    /// Resource: instances stop without a record in healthy runs. A worker, a block.
    Resource,
    /// Run: the instances that `runs` lists.
    Run,
    /// Substitute work item, for logs without one that began: the owner of the work wrote no log.
    StandIn,
}

/// Entity: a kind of object with instances, states, a start and an end.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntityDef {
    /// Dotted name, as of a key.
    #[schemars(example = &"mysim.job")]
    pub name: Text,
    /// Singular noun for users; the last part of the name if absent.
    #[serde(default)]
    #[schemars(example = &"job")]
    pub title: String,
    /// Sentence that says what an instance is, without a full stop.
    #[serde(default)]
    #[schemars(example = &"One simulation of the campaign")]
    pub about: String,
    /// Alternative lists of keys that identify an instance; the first list that an event has completely is used.
    #[schemars(example = json!([["mysim.run", "mysim.job"], ["mysim.job"]]))]
    pub id: Vec<Vec<Text>>,
    /// Identity space in which other systems name its instances.
    pub space: Option<SpaceDef>,
    /// Processes that its instances run as.
    pub process: Option<ProcessDef>,
    /// Separator between the values of an id in its displayed form (`11.0`); the last value alone is displayed if absent.
    /// One for all lists of keys, or one for each.
    #[serde(default)]
    #[schemars(example = &".")]
    pub joined: OneOrMore,
    /// Role of the entity in a run.
    #[serde(default)]
    #[schemars(example = &"work_item")]
    pub role: EntityRole,
    /// Keys that describe an instance, such as the name of the app; the first present is used.
    #[serde(default)]
    #[schemars(example = json!(["mysim.app"]))]
    pub label: Vec<Text>,
    /// Key that names the new state.
    #[schemars(example = &"mysim.state")]
    pub state: Option<Text>,
    /// Key that names the previous state. Transitions are ordered by previous and new state, even against the clocks of the
    /// reporters.
    #[schemars(example = &"mysim.old_state")]
    pub left: Option<Text>,
    /// Events that change the state without naming it in the state key, or name it better.
    #[serde(default)]
    pub transition: Vec<TransitionDef>,
    /// States in their usual order, for tables and plots.
    #[serde(default)]
    #[schemars(example = json!(["queued", "running", "done"]))]
    pub states: Vec<String>,
    /// Final states.
    #[serde(default, rename = "final")]
    #[schemars(example = json!(["done", "failed"]))]
    pub last: Vec<String>,
    /// Final states that other states may follow: a result that is released or recomputed. Leaving any other final state is
    /// reported as impossible.
    #[serde(default)]
    #[schemars(example = json!(["done"]))]
    pub goes_on: Vec<String>,
    /// Final states that are failures.
    #[serde(default)]
    #[schemars(example = json!(["failed"]))]
    pub failed: Vec<String>,
    /// Failure states of one attempt, in logs that would not record whether a later attempt succeeded.
    #[serde(default)]
    #[schemars(example = json!(["RUN_ERROR"]))]
    pub inconclusive: Vec<String>,
    /// Final states that do not state the outcome.
    #[serde(default)]
    #[schemars(example = json!(["cancelled"]))]
    pub neutral: Vec<String>,
    /// Condition of the events that name an instance; all events with the keys of its id if absent.
    #[serde(rename = "where")]
    #[schemars(example = &"mysim.kind = batch")]
    pub only: Option<Text>,
    /// Condition of events of which every instance that began has at least one; others were announced only and do not
    /// count. Ignored if no event of the data matches.
    #[schemars(example = &r#"template = "job {} queued""#)]
    pub begun: Option<Text>,
    /// Condition of the event at which an instance starts; its first event if absent.
    #[schemars(example = &"mysim.state = running")]
    pub start: Option<Text>,
    /// Condition of the events at which an instance of the role `stand_in` is assigned to the process that executes it. It
    /// has to end from then on, even if no process began it.
    #[schemars(example = &r#"template = "sent job {}""#)]
    pub given: Option<Text>,
    /// Condition of the event at which the owner of all instances restarts. In a system without an entity of the role
    /// `run`, the logs of one folder are one run, and such an event begins another.
    #[schemars(example = &r#"template = "Scheduler started""#)]
    pub anew: Option<Text>,
    /// Condition of the event at which an instance ends; its first final state if absent.
    #[schemars(example = &r#"template = "job {} ended""#)]
    pub end: Option<Text>,
    /// Condition of the start event in runs without any event that matches `start` or `end`: another reporter.
    #[schemars(example = &r#"template = "received job {}""#)]
    pub start_else: Option<Text>,
    /// Condition of the end event in runs without any event that matches `start` or `end`.
    #[schemars(example = &r#"template = "returned job {}""#)]
    pub end_else: Option<Text>,
    /// Condition of the event at which the owner of an instance detects its loss; it ends the instance if nothing else did.
    #[schemars(example = &r#"template = "worker {} lost""#)]
    pub lost: Option<Text>,
    /// Condition of the event after which an instance no longer exists; an instance that did not end before was lost.
    #[schemars(example = &r#"template = "block {} removed""#)]
    pub over: Option<Text>,
    /// Condition of the event at which a lost instance returns, in the same place and with the same id.
    #[schemars(example = &r#"template = "worker {} registered""#)]
    pub back: Option<Text>,
    /// Keys that name the instances it depends on.
    #[serde(default)]
    #[schemars(example = &"mysim.dependency")]
    pub waits_for: OneOrMore,
    /// Key that names the instances that depend on it; or the place where one of them is executed, if the values of the key
    /// are of the `space` of the last key of `runs_in`. Of several instances executed there at that moment, the one waits
    /// whose records are of the same process and asyncio task.
    #[schemars(example = &"mysim.parent")]
    pub awaited_by: Option<Text>,
    /// States of waiting for other instances, whether or not a record names these.
    #[serde(default)]
    #[schemars(example = json!(["pending"]))]
    pub waiting: Vec<String>,
    /// States of being executed, as reported by the executing process; the owner may not know of them yet.
    #[serde(default)]
    #[schemars(example = json!(["running"]))]
    pub executing: Vec<String>,
    /// States after execution that the owner does not know yet; not final.
    #[serde(default)]
    #[schemars(example = json!(["ran"]))]
    pub executed: Vec<String>,
    /// States before assignment: the executing resource is not decided, or was not reported. Not drawn in the row of a
    /// resource.
    #[serde(default)]
    #[schemars(example = json!(["queued"]))]
    pub unplaced: Vec<String>,
    /// Keys whose values state the cause of a failure, its kind first; the last event with one is used. Integers are
    /// reported with the label of their key; of several lines the exception is used, or else the last one.
    #[serde(default)]
    #[schemars(example = json!(["mysim.error"]))]
    pub why: Vec<Text>,
    /// Keys whose values state the cause of a failure where no record states it in words: a reason, an exit code.
    #[serde(default)]
    #[schemars(example = json!(["mysim.exit_code"]))]
    pub why_else: Vec<Text>,
    /// Keys whose values state the reason of a state, in the record of that state, before execution: the resource that a
    /// queued job waits for. The first key that the last such record has is used.
    #[serde(default)]
    #[schemars(example = json!(["mysim.reason"]))]
    pub because: Vec<Text>,
    /// Keys of the place of execution, from the outside in.
    #[serde(default)]
    #[schemars(example = json!(["mysim.node", "mysim.rank"]))]
    pub runs_in: Vec<Text>,
    /// Kinds of sources whose records report states, most trusted first; if empty, all kinds, each on its own.
    #[serde(default)]
    #[schemars(example = json!(["scheduler", "rank"]))]
    pub recorders: Vec<String>,
    /// Key of the duration in the end event, s: more exact than the times of records. The key has to be `stored`.
    #[schemars(example = &"mysim.seconds")]
    pub took: Option<Text>,
    /// True if an instance is executed several times under one id, each time from a state of `executing` to the next state
    /// outside it.
    #[serde(default)]
    pub repeats: bool,
    /// Of a run: keys of its begin and end, in a record without a time.
    #[serde(default)]
    #[schemars(example = json!(["mysim.began", "mysim.ended"]))]
    pub times: Vec<Text>,
}

/// Measurement over time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesDef {
    /// Numeric key.
    #[schemars(example = &"mysim.queued")]
    pub key: Text,
    /// Title for users.
    #[serde(default)]
    #[schemars(example = &"queued jobs")]
    pub title: String,
    /// Keys that distinguish the lines of the plot.
    #[serde(default)]
    #[schemars(example = json!(["mysim.rank"]))]
    pub by: Vec<Text>,
    /// Unit of the values.
    #[serde(default)]
    #[schemars(example = &"jobs")]
    pub unit: String,
    /// Course of the values between records.
    #[serde(default)]
    #[schemars(example = &"counter")]
    pub kind: SeriesKind,
    /// Rank among the series that are shown under the timeline by default; smaller numbers come first.
    #[schemars(example = 1)]
    pub first: Option<u32>,
}

/// Course of the values of a series between records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// Each value holds until the next one: a queue length.
    #[default]
    Gauge,
    /// Each value adds to the one before: bytes sent so far.
    Counter,
}

/// Messages between actors. The earliest event that matches a condition is used. A message in the opposite direction with
/// the same id is the answer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowDef {
    /// Name of the flow, unique in the file.
    #[schemars(example = &"requests")]
    pub name: Text,
    /// Keys that identify a message.
    #[schemars(example = json!(["mysim.message"]))]
    pub id: Vec<Text>,
    /// Key that names the sender; `source` is the writer of the record.
    #[schemars(example = &"mysim.sender")]
    pub from: Text,
    /// Key that names the receiver; `source` is the writer of the record.
    #[schemars(example = &"mysim.receiver")]
    pub to: Text,
    /// Key of the message's content or kind.
    #[schemars(example = &"mysim.verb")]
    pub label: Option<Text>,
    /// Condition of the send event.
    #[schemars(example = &r#"template = "sent {}""#)]
    pub sent: Text,
    /// Condition of the receive event.
    #[schemars(example = &r#"template = "received {}""#)]
    pub received: Text,
    /// Condition of the event at which the sender receives the answer.
    #[schemars(example = &r#"template = "answer to {}""#)]
    pub answered: Option<Text>,
    /// Condition of the event at which the transport accepts the message, after the send event; without one the message was
    /// refused.
    #[schemars(example = &r#"template = "posted {}""#)]
    pub posted: Option<Text>,
}

/// Severity of a hint or finding.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information.
    Info,
    /// Possible cause of a failure.
    #[default]
    Warning,
    /// Failure.
    Error,
}

impl Severity {
    /// Name, as in definitions.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Message known to experts, with its meaning. `{key}` in the texts is the value of the first event. An event is explained
/// by the first hint that matches it, and no other finding reports it; hints of one name in two definitions are one. Events
/// after the end of their run are not reported.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HintDef {
    /// Name of the hint, unique in the file.
    #[schemars(example = &"disk full")]
    pub name: Text,
    /// Condition of the events that show it.
    #[serde(rename = "where")]
    #[schemars(example = &r#"template ~ "(?i)no space left""#)]
    pub only: Text,
    /// Severity of the finding; `info` for a message that is known to be harmless.
    #[serde(default)]
    #[schemars(example = &"error")]
    pub severity: Severity,
    /// Title of the finding, one line: what happened.
    #[schemars(example = &"Disk full")]
    pub title: String,
    /// Explanation in plain words.
    #[schemars(example = &"Nothing can be written there any more.")]
    pub text: String,
    /// Next step for the user.
    #[serde(default)]
    #[schemars(example = &"Check df and quota on that node.")]
    pub next: String,
    /// Address of documentation about the message, shown below `next`.
    #[serde(default)]
    #[schemars(example = &"https://mysim.example/errors#disk-full")]
    pub url: String,
    /// Condition of an event of the same run after which the hint is no cause (a shutdown).
    #[schemars(example = &r#"template = "shutting down""#)]
    pub noise_after: Option<Text>,
    /// Condition of an event of the same run (or of the same source, if it belongs to no run), at any time, with which the
    /// hint is no cause (a worker that did connect).
    #[schemars(example = &r#"template = "worker {} connected""#)]
    pub unless: Option<Text>,
    /// Condition of an event of the same instance, by a key of `names`, with which the hint is no cause.
    #[schemars(example = &"mysim.state = done")]
    pub unless_named: Option<Text>,
    /// Key whose values are reported separately: one finding per value.
    #[schemars(example = &"mysim.node")]
    pub by: Option<Text>,
    /// Keys that name the affected instance; the first that an event has is used. One finding reports all instances and
    /// their number.
    #[serde(default)]
    #[schemars(example = json!(["mysim.job"]))]
    pub names: Vec<Text>,
    /// Kinds of sources of the process that others missed: the finding states whether that process continued to write.
    #[serde(default)]
    #[schemars(example = json!(["rank"]))]
    pub missed: Vec<String>,
    /// Words before the timeout of the reporter, s, among the first records of its log. A process that was missed after the
    /// end of its run did not die first.
    #[serde(default)]
    #[schemars(example = &"heartbeat threshold: ")]
    pub patience: String,
}

/// Rule that records should follow; `widetui check` lists those that do not.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleDef {
    /// Name of the rule, unique in the file.
    #[schemars(example = &"ended jobs started")]
    pub name: Text,
    /// Condition of the events that the rule is about.
    #[serde(rename = "where")]
    #[schemars(example = &"mysim.state = done")]
    pub only: Text,
    /// Condition that these events should match.
    #[schemars(example = &"has mysim.node")]
    pub then: Text,
}
