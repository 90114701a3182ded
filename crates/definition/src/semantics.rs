//! Interpretation of records in a definition: joins, entities, series, flows, hints, rules. Only data; the crates
//! `join`, `analysis` and `diagnosis` compile it. `systems/README.md` explains the syntax.
//!
//! Conditions are expressions of the query language, kept as text: this crate does not know the language.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::text::Text;

pub use crate::exactly_once::{BracketStartDef, ExactlyOnceDef, OtherNameDef};
pub use crate::state_transitions::{CensusDef, ReportersDef, TransitionDef};

/// Maximum number of left keys of a join; joins with more are omitted.
pub const MAX_BY: usize = 5;

/// Definition of a join by keys: within one value of the left keys, each right key has one value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinDef {
    /// Name of the join, unique in the file.
    pub name: Text,
    /// Left keys; an event takes part if it has all of them. The key that varies most comes last.
    pub by: Vec<Text>,
    /// Right keys, whose values events receive.
    pub gives: Vec<Text>,
    /// Condition of the events that take part; all if absent.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Condition of the events that are evidence; all events receive. All are evidence if absent.
    pub evidence: Option<Text>,
    /// Lifetime of the left keys, if values are reused: each value has one meaning from an event that matches `open` to
    /// one that matches `close`.
    pub life: Option<LifeDef>,
    /// Events that the join applies to.
    #[serde(default)]
    pub among: Among,
    /// Action that each instance performs at most once; separates records of replicas from those of other instances.
    pub once: Option<ExactlyOnceDef>,
}

/// Events that a join applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Among {
    /// All events.
    #[default]
    All,
    /// Duplicate records: they receive one of the values that the paths of their sources have.
    #[serde(rename = "copies")]
    DuplicatesByPath,
    /// Duplicate records, treated like all others: they receive the values that other records state.
    #[serde(rename = "copied")]
    DuplicatesByRecords,
}

impl Among {
    /// True if the join applies to duplicate records only.
    #[must_use]
    pub fn is_of_duplicates(self) -> bool {
        self != Among::All
    }
}

/// Lifetime of a key's value: the events between which it has one meaning.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifeDef {
    /// Condition of the event that begins a lifetime.
    pub open: Text,
    /// Condition of the event that ends a lifetime; the next beginning ends it if absent.
    pub close: Option<Text>,
}

/// Definition of a bracket: records of one source, process and thread between two messages are about the same instance.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BracketDef {
    /// Name of the bracket, unique in the file.
    pub name: Text,
    /// Kinds of sources; all kinds of this system if empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Condition of the record that opens a bracket and closes the one before.
    pub open: Text,
    /// Condition of the record that closes a bracket; the record itself belongs to the bracket.
    pub close: Option<Text>,
    /// True if a record that opens a bracket inside another one belongs to the outer bracket.
    #[serde(default)]
    pub stays: bool,
    /// Name of another bracket of the file whose records neither close this bracket nor name keys for it.
    pub outside: Option<Text>,
    /// Keys that one record of a bracket names for all its records.
    pub gives: Vec<Text>,
    /// Condition of the events that take part; all if absent.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Events that the join applies to.
    #[serde(default)]
    pub among: Among,
    /// Action that each instance performs at most once; separates the records of two instances in one bracket.
    pub once: Option<ExactlyOnceDef>,
    /// Event with which the instance of a bracket began: earlier records of the bracket belong to another instance.
    pub since: Option<BracketStartDef>,
}

/// Definition of runs of a system that does not name them. If several runs are opened together, `key` identifies the run of
/// each log, and becomes part of the ids of all instances and of the left keys of all joins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsDef {
    /// Key that identifies the run.
    pub key: Text,
    /// Kinds of sources of which each run has its own: two folders with a source of one kind belong to two runs.
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

/// Definition of a key that the first record of a file states for the whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstRecordDef {
    /// Kinds of sources; all kinds of this system if empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Key that the first record states.
    pub key: Text,
    /// Point at which the same file continues with another instance.
    pub anew: Option<NextInstanceDef>,
}

impl FirstRecordDef {
    /// Name of the join that is derived from this definition.
    pub fn join_name(&self) -> String {
        format!("first {}", self.key.get_ref())
    }
}

/// Definition of consecutive runs in the same logs: the owner of the work restarts, and the logs whose paths have the same
/// value of a key continue with the next run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsecutiveRunsDef {
    /// Key of paths that names the run; later runs get a number.
    pub key: Text,
    /// Kinds of sources that record a start; all kinds of this system if empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Condition of the records that state a start.
    #[serde(rename = "where")]
    pub only: Text,
}

impl ConsecutiveRunsDef {
    /// Name of the join that is derived from this definition.
    pub fn join_name(&self) -> String {
        format!("again {}", self.key.get_ref())
    }
}

/// Definition of a file that continues with another instance after the first one has ended.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextInstanceDef {
    /// Condition of the records with which an instance begins.
    pub open: Text,
    /// Condition of the record with which an instance ends. An instance that begins earlier in the same process runs beside it,
    /// and records of the two cannot be assigned.
    pub close: Text,
    /// Key of the path that holds for the first instance only.
    pub path: Option<Text>,
    /// Key by which a record states the value of `path` for later instances; they are numbered if absent.
    pub named: Option<Text>,
}

/// Definition of an extraction: keys from the message, from the value of another key, or constants.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractionDef {
    /// Name of the extraction, unique in the file.
    pub name: Text,
    /// Key whose value is parsed; the first line of the message if absent.
    pub of: Option<Text>,
    /// Condition of the events that take part; required for messages.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Patterns; the first that matches is used.
    #[serde(default, rename = "match")]
    pub patterns: Vec<Text>,
    /// Constant keys of all matching events.
    #[serde(default)]
    pub keys: BTreeMap<String, toml::Value>,
    /// Key composed of the values of others: `{host}:{pid}`.
    #[serde(default)]
    pub compose: BTreeMap<String, Text>,
}

/// Name, or list of names.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Names::deserialize(deserializer)? {
        Names::One(name) => vec![name],
        Names::Several(names) => names,
    })
}

/// Role of an entity in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityRole {
    /// No special role.
    #[default]
    Plain,
    /// Work item: an instance that does not end is reported. A task, an action.
    #[serde(rename = "goal")]
    WorkItem,
    /// Resource: instances stop without a record in healthy runs. A worker, a block.
    #[serde(rename = "carrier")]
    Resource,
    /// Run: the instances that `runs` lists.
    Run,
    /// Substitute work item, for logs without one that began: the owner of the work wrote no log.
    StandIn,
}

/// Definition of an entity: a kind of instance that the user can select.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityDef {
    /// Dotted name, as of a key: `parsl.task`.
    pub name: Text,
    /// Singular noun for users: `task`.
    #[serde(default)]
    pub title: String,
    /// Alternative lists of keys that identify an instance; the first list that an event has completely is used.
    pub id: Vec<Vec<Text>>,
    /// Separator between the values of an id in its displayed form, such as `.` of `11.0`; the last value alone is displayed if
    /// absent. One for all lists of keys, or one for each.
    #[serde(default, deserialize_with = "one_or_several")]
    pub joined: Vec<String>,
    /// Role of the entity in a run.
    #[serde(default)]
    pub role: EntityRole,
    /// Keys that describe an instance, such as the name of the app; the first present is used.
    #[serde(default)]
    pub label: Vec<Text>,
    /// Key that names the new state.
    pub state: Option<Text>,
    /// Key that names the previous state. Transitions are ordered by previous and new state, even against the clocks of
    /// the reporters.
    pub left: Option<Text>,
    /// Events that change the state without naming it in the state key.
    #[serde(default)]
    pub transition: Vec<TransitionDef>,
    /// Records that count all instances in a state.
    pub census: Option<CensusDef>,
    /// States in their usual order, for tables and plots.
    #[serde(default)]
    pub states: Vec<String>,
    /// Final states.
    #[serde(default, rename = "final")]
    pub last: Vec<String>,
    /// Final states that other states may follow: a result that is released or recomputed.
    #[serde(default)]
    pub goes_on: Vec<String>,
    /// Final states that are failures.
    #[serde(default)]
    pub failed: Vec<String>,
    /// Failure states of one attempt: no record would state that a later attempt succeeded.
    #[serde(default)]
    pub inconclusive: Vec<String>,
    /// Final states that do not state the outcome.
    #[serde(default)]
    pub neutral: Vec<String>,
    /// Condition of the events that name an instance; all events with the keys of its id if absent.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Condition of events of which every instance that began has at least one; others were announced only. Ignored if
    /// no event of
    /// the data matches.
    pub begun: Option<Text>,
    /// Condition of the event at which an instance starts; its first event if absent.
    pub start: Option<Text>,
    /// Condition of the events at which an instance is assigned to the process that executes it. A substitute work item
    /// has to end
    /// from then on, even if no process began it.
    pub given: Option<Text>,
    /// Condition of the event at which the owner of all instances restarts: another run begins, of a system that does
    /// not name its
    /// runs.
    pub anew: Option<Text>,
    /// Condition of the event at which an instance ends; its first final state if absent.
    pub end: Option<Text>,
    /// Condition of the start event in runs without any event that matches `start` or `end`.
    pub start_else: Option<Text>,
    /// Condition of the end event in runs without any event that matches `start` or `end`.
    pub end_else: Option<Text>,
    /// Condition of the event at which the owner of an instance detects its loss; it ends the instance if nothing else did.
    pub lost: Option<Text>,
    /// Condition of the event after which an instance no longer exists; an instance that did not end before was lost.
    pub over: Option<Text>,
    /// Condition of the event at which a lost instance returns, in the same place and with the same id.
    pub back: Option<Text>,
    /// Keys of the same space that name the instances it depends on.
    #[serde(default, deserialize_with = "one_or_several")]
    pub waits_for: Vec<String>,
    /// Key of the same space that names the instances that depend on it.
    pub awaited_by: Option<Text>,
    /// Condition of an event of a waiting instance before which none of its dependencies by `awaited_by` began.
    pub awaited_since: Option<Text>,
    /// States of waiting for other instances, whether or not a record names these.
    #[serde(default)]
    pub waiting: Vec<String>,
    /// States of being executed, as reported by the executing process.
    #[serde(default)]
    pub executing: Vec<String>,
    /// States after execution that the owner does not know yet; not final.
    #[serde(default)]
    pub executed: Vec<String>,
    /// States before assignment: the executing resource is not decided, or was not reported.
    #[serde(default)]
    pub unplaced: Vec<String>,
    /// Keys whose values state the cause of a failure; the last event with one is used.
    #[serde(default)]
    pub why: Vec<Text>,
    /// Keys whose values state the cause of a failure where no record states it in words: a reason, an exit code.
    #[serde(default)]
    pub why_else: Vec<Text>,
    /// Keys whose values state the reason of a state, in the record of that state, before execution: the resource that a queued
    /// job waits for. The first key that the last such record has is used.
    #[serde(default)]
    pub because: Vec<Text>,
    /// Keys of the place of execution, from the outside in.
    #[serde(default)]
    pub runs_in: Vec<Text>,
    /// Kinds of sources whose records report states, most trusted first; if empty, all kinds, each on its own.
    #[serde(default)]
    pub recorders: Vec<String>,
    /// Key of the duration in the end event, s: more exact than the times of records.
    pub took: Option<Text>,
    /// True if an instance is executed several times under one id, each time from a state of `executing` to the next
    /// state outside it.
    #[serde(default)]
    pub repeats: bool,
    /// Logs of the executing processes, or of those that see results: without them the progress of an instance is unknown.
    pub witnesses: Option<ReportersDef>,
    /// Logs of the owners: without them it is unknown which instances wait, and whether a result arrived.
    pub owners: Option<ReportersDef>,
    /// Key that identifies the requester, who waits for the answer; of the first event that has it.
    pub asked_by: Option<Text>,
    /// Condition of the records of its error output; the last of them states the cause of a failure.
    pub complains: Option<Text>,
    /// Key of a shared cause: an instance that fails at an event with the same value as an executed instance failed
    /// with that one.
    pub failed_with: Option<Text>,
    /// Keys with equal values in the record of a request and in the record that begins the requester's work.
    #[serde(default)]
    pub asked_in: Vec<Text>,
    /// Of a run: keys of its begin and end, in a record that is no event.
    #[serde(default)]
    pub times: Vec<Text>,
}

/// Definition of a measurement over time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesDef {
    /// Numeric key.
    pub key: Text,
    /// Title for users: `queued tasks`.
    #[serde(default)]
    pub title: String,
    /// Keys that distinguish the lines of the plot.
    #[serde(default)]
    pub by: Vec<Text>,
    /// Unit of the values: `tasks`, `bytes`, `s`.
    #[serde(default)]
    pub unit: String,
    /// Duration for which a value holds.
    #[serde(default)]
    pub kind: SeriesKind,
    /// Rank among the series that are shown under the timeline by default; smaller numbers come first.
    pub first: Option<u32>,
}

/// Course of the values of a series between records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// Each value holds until the next one: a queue length.
    #[default]
    Gauge,
    /// Each value adds to the one before: bytes sent so far.
    Counter,
}

/// Definition of messages between actors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowDef {
    /// Name of the flow, unique in the file.
    pub name: Text,
    /// Keys that identify a message.
    pub id: Vec<Text>,
    /// Key that names the sender.
    pub from: Text,
    /// Key that names the receiver.
    pub to: Text,
    /// Key of the message's content or kind.
    pub label: Option<Text>,
    /// Condition of the send event; the earliest is used.
    pub sent: Text,
    /// Condition of the receive event.
    pub received: Text,
    /// Condition of the event at which the sender receives the answer.
    pub answered: Option<Text>,
    /// Condition of the event at which the transport accepts the message, after the send event.
    pub posted: Option<Text>,
    /// Condition of the event at which the sender learns that the message was refused.
    pub refused: Option<Text>,
}

/// Severity of a hint or finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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

/// Definition of a hint: a message known to experts, with its meaning.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HintDef {
    /// Name of the hint, unique in the file.
    pub name: Text,
    /// Condition of the events that show it.
    #[serde(rename = "where")]
    pub only: Text,
    /// Severity of the finding.
    #[serde(default)]
    pub severity: Severity,
    /// Title of the finding, one line: what happened.
    pub title: String,
    /// Explanation in plain words.
    pub text: String,
    /// Next step for the user.
    #[serde(default)]
    pub next: String,
    /// Condition of an event after which the hint is no cause (a shutdown).
    pub noise_after: Option<Text>,
    /// Condition of an event of the same run, at any time, with which the hint is no cause (a worker that did connect).
    pub unless: Option<Text>,
    /// Condition of an event of the same instance, by a key of `names`, with which the hint is no cause.
    pub unless_named: Option<Text>,
    /// Key whose values are reported separately: one finding per value.
    pub by: Option<Text>,
    /// Keys that name the affected instance; the first that an event has is used. One finding reports all instances and
    /// their number.
    #[serde(default)]
    pub names: Vec<Text>,
    /// Kinds of sources of the process that others missed: the finding states whether that process continued to write.
    #[serde(default)]
    pub missed: Vec<String>,
    /// Words before the timeout of the reporter, s, among the first records of its log.
    #[serde(default)]
    pub patience: String,
    /// Names of exceptions that work of the same run fails with because of this hint; these failures are reported as its effects.
    #[serde(default)]
    pub raises: Vec<String>,
    /// Names of hints that describe the same moment in more detail.
    #[serde(default)]
    pub told_with: Vec<String>,
    /// Names of hints that describe causes of this one; in the same run this finding is reported as their effect.
    #[serde(default)]
    pub follows: Vec<String>,
    /// True if unfinished work of the same run that stopped progressing is reported as an effect of this hint.
    #[serde(default)]
    pub holds_up: bool,
}

/// Definition of a rule: records that match the first condition should match the second.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleDef {
    /// Name of the rule, unique in the file.
    pub name: Text,
    /// Condition of the events that the rule is about.
    #[serde(rename = "where")]
    pub only: Text,
    /// Condition that these events should match.
    pub then: Text,
}
