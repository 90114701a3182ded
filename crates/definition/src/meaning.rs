//! What a definition says about the meaning of records: joins, entities, series, flows, hints, rules. Only data; `join` and
//! `analysis` read it. `systems/README.md` explains the syntax.
//!
//! Conditions are expressions of the query language, kept as text here: this layer does not know the language.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::text::Text;

pub use crate::exactly_once::{NamedDef, OnceDef, SinceDef};
pub use crate::state_transitions::{CensusDef, TellersDef, TransitionDef};

/// Maximum number of left keys of a join; joins with more are omitted.
pub const MAX_BY: usize = 5;

/// Keys imply keys: within one value of the left keys, each right key has one value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinDef {
    /// Unique in the file.
    pub name: Text,
    /// The left keys; events must have all of them. The one that varies most stands last.
    pub by: Vec<Text>,
    /// The right keys.
    pub gives: Vec<Text>,
    /// Only events that fit take part.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Only events that fit are evidence; all receive.
    pub evidence: Option<Text>,
    /// The left keys are used again: they mean one thing from an event that fits `open` to one that fits `close`.
    pub life: Option<LifeDef>,
    /// Whom it is for.
    #[serde(default)]
    pub among: Among,
    /// What a bearer does only once: tells whose records are not of one of their copies' sources.
    pub once: Option<OnceDef>,
}

/// Which events a join is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Among {
    /// All.
    #[default]
    All,
    /// Records that stand in several sources: they receive one of the values that the paths of these sources have.
    Copies,
    /// The same records, and nothing else is special about them: they receive what is told of them as elsewhere.
    Copied,
}

impl Among {
    /// Whether it is for nothing but records that stand in several sources.
    #[must_use]
    pub fn is_of_copies(self) -> bool {
        self != Among::All
    }
}

/// From when to when a key means one thing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifeDef {
    /// Condition of the event that opens a life.
    pub open: Text,
    /// Condition of the event that closes it; none: the next one that opens does.
    pub close: Option<Text>,
}

/// Records of one source, process and thread between an opening and a closing message are about the same thing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BracketDef {
    /// Unique in the file.
    pub name: Text,
    /// Kinds of sources; none: all of this system.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Condition of the record that opens; the next one that opens also closes.
    pub open: Text,
    /// Condition of the record that closes, itself inside.
    pub close: Option<Text>,
    /// Whether the next one that opens is inside, instead of opening a new one.
    #[serde(default)]
    pub stays: bool,
    /// Name of another bracket of the file: what is inside that one neither closes this one nor names anything for it.
    pub outside: Option<Text>,
    /// Keys that any record inside may name, for all inside.
    pub gives: Vec<Text>,
    /// Only events that fit take part.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Whom it is for.
    #[serde(default)]
    pub among: Among,
    /// What a bearer does only once: tells whose the records inside are not.
    pub once: Option<OnceDef>,
    /// What that began with of which it is.
    pub since: Option<SinceDef>,
}

/// Names that mean something within one run only, of a system that does not name its runs. Where several runs are opened
/// together, `key` says which one each log is of, and becomes part of the ids of all things and of the left side of all joins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsDef {
    /// The key.
    pub key: Text,
    /// Kinds of sources of which each run has its own: folders with one of the same kind are of different runs.
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

/// The first record of a file that has a key says it for the whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstDef {
    /// Kinds of sources; none: all of this system.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// The key.
    pub key: Text,
    /// Where another thing of the kind begins in the same file.
    pub anew: Option<AnewDef>,
}

impl FirstDef {
    /// Name of the join.
    pub fn join_name(&self) -> String {
        format!("first {}", self.key.get_ref())
    }
}

/// Whoever owns the work of a run is started again, and all logs of the run go on with the next one: those whose paths say
/// the same about a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgainDef {
    /// The key of paths that names the run: the later ones get a number.
    pub key: Text,
    /// Kinds of sources that tell of a start; none: all of this system.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Condition of the records that tell of it.
    #[serde(rename = "where")]
    pub only: Text,
}

impl AgainDef {
    /// Name of the join.
    pub fn join_name(&self) -> String {
        format!("again {}", self.key.get_ref())
    }
}

/// A file that goes on with another thing once the first is over: each stretch of it is about one of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnewDef {
    /// Condition of the records with which one begins.
    pub open: Text,
    /// Condition of the record with which it is over. What begins before that, in one process, lives beside it, and nobody
    /// knows whose a record is.
    pub close: Text,
    /// A key of the path: it holds for the first only.
    pub path: Option<Text>,
    /// The key by which a record says what that of the path is for the later ones; else they are numbered.
    pub named: Option<Text>,
}

/// A second reading: keys that records get from their own message, from the value of another key, or as constants.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingDef {
    /// Unique in the file.
    pub name: Text,
    /// The key whose value is read; none: the first line of the message.
    pub of: Option<Text>,
    /// Only events that fit; compulsory for messages.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Patterns; the first that fits counts.
    #[serde(default, rename = "match")]
    pub patterns: Vec<Text>,
    /// Keys with one value for all these events.
    #[serde(default)]
    pub keys: BTreeMap<String, toml::Value>,
    /// A key that is made of the values of others: `{host}:{pid}`.
    #[serde(default)]
    pub compose: BTreeMap<String, Text>,
}

/// A name, or a list of names.
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

/// What an entity is to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityRole {
    /// Neither of the others.
    #[default]
    Plain,
    /// Its not ending is news: a task, an action.
    Goal,
    /// It stops without a word in healthy runs: a worker, a block.
    Carrier,
    /// All of it is one run: what `runs` lists.
    Run,
    /// A goal where the logs have no other that began: who owns the work did not write.
    StandIn,
}

/// A thing that one can talk about.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityDef {
    /// Dotted name, as of a key: `parsl.task`.
    pub name: Text,
    /// For people, singular: `task`.
    #[serde(default)]
    pub title: String,
    /// The keys that identify it, and alternatives; the first of which an event has all keys counts.
    pub id: Vec<Vec<Text>>,
    /// What stands between the values of its id when people call it by all of them: `11.0`; none: the last value names it.
    /// One for all of its ids, or one for each.
    #[serde(default, deserialize_with = "one_or_several")]
    pub joined: Vec<String>,
    /// What it is to the user.
    #[serde(default)]
    pub role: EntityRole,
    /// Keys whose value says what it is: the name of the app. The first present counts.
    #[serde(default)]
    pub label: Vec<Text>,
    /// The key that names its new state.
    pub state: Option<Text>,
    /// The key that names the state that such an event leaves. Its changes stand in the order that these say, whatever the
    /// clocks of those who stamped them.
    pub left: Option<Text>,
    /// Events that change its state without naming it by that key.
    #[serde(default)]
    pub transition: Vec<TransitionDef>,
    /// Records that count all that are in a state.
    pub census: Option<CensusDef>,
    /// All states in their usual order, for tables and plots.
    #[serde(default)]
    pub states: Vec<String>,
    /// States in which it is finished.
    #[serde(default, rename = "final")]
    pub last: Vec<String>,
    /// Final states that others may follow: a result that is given away, or made again.
    #[serde(default)]
    pub goes_on: Vec<String>,
    /// Final states that are no success.
    #[serde(default)]
    pub failed: Vec<String>,
    /// Failed states that tell of one try: no record would say that it was tried again, and ended well.
    #[serde(default)]
    pub inconclusive: Vec<String>,
    /// Final states that do not say whether it went well.
    #[serde(default)]
    pub neutral: Vec<String>,
    /// Condition of the events that name it; none: all that have the keys of its id.
    #[serde(rename = "where")]
    pub only: Option<Text>,
    /// Condition of events of which each one has some; one that has none was only announced, and never came to be. Where no
    /// event of the data fits, all count.
    pub begun: Option<Text>,
    /// Condition of the event at which it starts; none: its first event.
    pub start: Option<Text>,
    /// Condition of the events at which it was given to whoever carries it out. One that stands in for goals has to end from then
    /// on, though nobody began it yet.
    pub given: Option<Text>,
    /// Condition of the event at which whoever owns all of them began anew: there begins another run of a system that does
    /// not name its runs.
    pub anew: Option<Text>,
    /// Condition of the event at which it ends; none: its first final state.
    pub end: Option<Text>,
    /// Condition of the event that tells of its start in runs where no event of `start` and `end` is there.
    pub start_else: Option<Text>,
    /// Condition of the event that tells of its end in such runs.
    pub end_else: Option<Text>,
    /// Condition of the event by which its owner saw that it was lost; it ends there when nothing else ended it.
    pub lost: Option<Text>,
    /// Condition of the event by which it is over, whatever became of it; what nothing else ended was lost then.
    pub over: Option<Text>,
    /// Condition of the event at which one that was lost is there again, in the same place and under the same id.
    pub back: Option<Text>,
    /// Keys of the same space that name the instances it waits for.
    #[serde(default, deserialize_with = "one_or_several")]
    pub waits_for: Vec<String>,
    /// Key of the same space that names the instances that wait for it.
    pub awaited_by: Option<Text>,
    /// Condition of the event of an instance that waits before which nothing began that it waits for by `awaited_by`.
    pub awaited_since: Option<Text>,
    /// States in which it waits for others, whether or not a record names them.
    #[serde(default)]
    pub waiting: Vec<String>,
    /// States in which it is carried out, as whoever carries it out tells.
    #[serde(default)]
    pub executing: Vec<String>,
    /// States in which it was carried out, and its owner does not know of it yet: they are not final.
    #[serde(default)]
    pub executed: Vec<String>,
    /// States in which it is nowhere yet: where it will be carried out is not known, or was not told.
    #[serde(default)]
    pub unplaced: Vec<String>,
    /// Keys whose values say why it failed; the last event that names one counts.
    #[serde(default)]
    pub why: Vec<Text>,
    /// Keys whose values say it where no record says it in words: a reason, an exit code.
    #[serde(default)]
    pub why_else: Vec<Text>,
    /// Keys whose values say why it is in its state, beside the state in one record, while it is not carried out: what a
    /// job in a queue waits for. The first that the last such record has counts.
    #[serde(default)]
    pub because: Vec<Text>,
    /// Keys that say where it runs, from the outside in.
    #[serde(default)]
    pub runs_in: Vec<Text>,
    /// Kinds of sources whose records tell its states, most trusted first; none: all, each kind for itself.
    #[serde(default)]
    pub recorders: Vec<String>,
    /// Key, of the event of its end, that says how many seconds it took: more exactly than the times of its records do.
    pub took: Option<Text>,
    /// Whether it is carried out several times under one id: each time from a state of `executing` to the next that is none.
    #[serde(default)]
    pub repeats: bool,
    /// The logs of those who carry it out, or see it come: without any of them nobody knows how far it came.
    pub witnesses: Option<TellersDef>,
    /// The logs of those who own it: without any of them nobody knows who waits for it, and whether its result came back.
    pub owners: Option<TellersDef>,
    /// Key of the first event that has it: who asked for it, and waits for the answer.
    pub asked_by: Option<Text>,
    /// Condition of the records of its error output: what it says last there is why it failed.
    pub complains: Option<Text>,
    /// Key: what fails at an event with the same value as another that was carried out, and was not itself, failed with that one.
    pub failed_with: Option<Text>,
    /// Keys of which the record of asking and that which begins the work of whoever asked have the same values.
    #[serde(default)]
    pub asked_in: Vec<Text>,
    /// Of a run: keys whose values are when it began and when it ended, in a record that is no event.
    #[serde(default)]
    pub times: Vec<Text>,
}

/// A measurement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesDef {
    /// The numeric key.
    pub key: Text,
    /// For people: `queued tasks`.
    #[serde(default)]
    pub title: String,
    /// Keys that tell one line from another.
    #[serde(default)]
    pub by: Vec<Text>,
    /// Unit of the values: `tasks`, `bytes`, `s`.
    #[serde(default)]
    pub unit: String,
    /// How long a value lasts.
    #[serde(default)]
    pub kind: SeriesKind,
    /// Shown under the timeline without being asked for: the smaller the number, the sooner.
    pub first: Option<u32>,
}

/// How the values of a series go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesKind {
    /// A value holds until the next one: a queue length.
    #[default]
    Gauge,
    /// Each value grows on the one before: bytes sent so far.
    Counter,
}

/// Messages between actors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowDef {
    /// Unique in the file.
    pub name: Text,
    /// Keys that identify a message.
    pub id: Vec<Text>,
    /// Key that names the sender.
    pub from: Text,
    /// Key that names the receiver.
    pub to: Text,
    /// Key that says what the message is.
    pub label: Option<Text>,
    /// Condition of the event of sending; the earliest counts.
    pub sent: Text,
    /// Condition of the event of receiving.
    pub received: Text,
    /// Condition of the event by which the sender has its answer.
    pub answered: Option<Text>,
    /// Condition of the event by which what carries messages took it, after the event of sending.
    pub posted: Option<Text>,
    /// Condition of the event by which the sender hears that it was refused.
    pub refused: Option<Text>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// May be the cause.
    #[default]
    Warning,
    /// Something failed.
    Error,
}

/// A message that experts know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HintDef {
    /// Unique in the file.
    pub name: Text,
    /// Condition of the events that show it.
    #[serde(rename = "where")]
    pub only: Text,
    /// How bad it is.
    #[serde(default)]
    pub severity: Severity,
    /// One line: what happened.
    pub title: String,
    /// What it means, in plain words.
    pub text: String,
    /// Where to look next.
    #[serde(default)]
    pub next: String,
    /// It is no cause when it comes after an event that fits this one (a shutdown).
    pub noise_after: Option<Text>,
    /// It is none when an event of the same run fits this one, at whatever time (a worker did connect).
    pub unless: Option<Text>,
    /// Condition of an event of the same thing, by a key of `names`, with which it is none.
    pub unless_named: Option<Text>,
    /// Key whose values are told apart: one finding for each.
    pub by: Option<Text>,
    /// Keys that name whom it happened to; the first that an event has counts. One finding tells how often, and to whom.
    #[serde(default)]
    pub names: Vec<Text>,
    /// Kinds of sources written by whom others missed: it is told whether that one wrote on.
    #[serde(default)]
    pub missed: Vec<String>,
    /// Words before the number of seconds for which whoever writes it waits before it misses somebody, among the first records
    /// of its log.
    #[serde(default)]
    pub patience: String,
    /// Names of exceptions with which work of the same run fails because of it: that is told below it.
    #[serde(default)]
    pub raises: Vec<String>,
    /// Names of hints that know the same of what both tell of at one moment, and more of it.
    #[serde(default)]
    pub told_with: Vec<String>,
    /// Names of hints that tell causes of what this one tells: in the same run it is told below them.
    #[serde(default)]
    pub follows: Vec<String>,
    /// Whether work of the same run that did not move any more did not end because of it: that is told below it.
    #[serde(default)]
    pub holds_up: bool,
}

/// A rule of what records should look like: who fits the first should fit the second.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleDef {
    /// Unique in the file.
    pub name: Text,
    /// Condition of the events it is about.
    #[serde(rename = "where")]
    pub only: Text,
    /// What they should fit.
    pub then: Text,
}
