//! Result of the search for unfinished work: plain data.

use std::collections::BTreeMap;

use widetui_analysis::entity::Id;
use widetui_analysis::runs::{Run, StrayRecords};
use widetui_analysis::work_items::Unassigned;
use widetui_core::ids::{EventId, SourceId};
use widetui_core::words::several;

/// Unfinished work of a run, with the evidence of what blocks it.
#[derive(Clone, Debug, Default)]
pub struct UnfinishedWork {
    /// Counts of the instances of each work item entity.
    pub goals: Vec<WorkItemCounts>,
    /// Unfinished work items: roots first, then waiters; within these the latest run first, and in it the oldest state
    /// transition first.
    pub stuck: Vec<UnfinishedItem>,
    /// Resources that wait for each other.
    pub mutual: Vec<MutualWait>,
    /// Idle resources that could take some of the unfinished work, by run and place.
    pub idle: Vec<IdleResources>,
    /// Idle resources that could take none of it, because it was sent to other places.
    pub(crate) resting: Vec<Id>,
    /// Silences before the end of the run: whole sources first, earliest first.
    pub silent: Vec<Silent>,
    /// Pauses of whole runs, in the order of runs.
    pub pauses: Vec<Pause>,
    /// Peers that were gone before their run stopped, as other logs report; filled in by the hints.
    pub gone: Vec<Gone>,
    /// The runs of the data, in time order.
    pub runs: Vec<Run>,
    /// The last error of a run that did not end, before its first silence if there is one.
    pub last_error: Option<EventId>,
    /// Records far after all others, which ages ignore.
    pub strays: StrayRecords,
    /// Earliest and latest time of the data, UTC ns, strays left out.
    pub(crate) range: Option<(i64, i64)>,
    /// Run of each source: index into `runs`.
    pub(crate) of_source: Vec<Option<usize>>,
    /// Truncated sources.
    pub cuts: Vec<Cut>,
    /// Part of the result that is shown.
    pub told: Told,
    /// Current time, UTC ns, while the files are being written.
    pub(crate) now: Option<i64>,
}

impl UnfinishedWork {
    /// Unfinished work items whose run has not ended without them.
    pub fn hanging(&self) -> impl Iterator<Item = &UnfinishedItem> {
        self.stuck
            .iter()
            .filter(|s| s.standing != WaitState::LeftBehind)
    }

    /// Number of unfinished work items, as far as the logs show it. All views and commands say that there are none, or that it is
    /// unknown, by this value.
    pub fn status(&self) -> WorkStatus {
        let begun = self.goals.iter().map(|g| g.begun).sum();
        if !self.stuck.is_empty() {
            WorkStatus::Unfinished(self.stuck.len())
        } else if !self.knows_goals() {
            WorkStatus::Unrecognised
        } else if self.goals.iter().any(|g| g.unsure > 0) {
            WorkStatus::Unsure
        } else if self.goals.iter().all(WorkItemCounts::is_whole) {
            WorkStatus::AllEnded(begun)
        } else {
            WorkStatus::KnownEnded(begun)
        }
    }

    /// Whether any work items were recognised; without them unfinished work cannot be detected.
    pub(crate) fn knows_goals(&self) -> bool {
        let is_known = |g: &WorkItemCounts| g.begun > 0 || !g.unplaced.is_empty();
        self.goals.iter().any(is_known)
    }

    /// Whether no unfinished work item is known.
    pub fn is_clear(&self) -> bool {
        self.stuck.is_empty()
    }

    /// Roots: work items that wait for no other unfinished one.
    pub fn roots(&self) -> impl Iterator<Item = (usize, &UnfinishedItem)> {
        let all = self.stuck.iter().enumerate();
        all.filter(|(at, s)| s.root == *at)
    }
}

/// Number of unfinished work items, if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkStatus {
    /// Unknown: no work items are recognised.
    Unrecognised,
    /// Unknown: success leaves no record in these logs.
    Unsure,
    /// None; number of work items.
    AllEnded(usize),
    /// None of this number of known work items: records do not show the others, or the end of some.
    KnownEnded(usize),
    /// This number.
    Unfinished(usize),
}

impl WorkStatus {
    /// Reason why unfinished work is unknown, a sentence.
    pub fn unknown(self) -> Option<&'static str> {
        match self {
            WorkStatus::Unrecognised => {
                Some("No tasks recognised, so unfinished work cannot be detected.")
            }
            WorkStatus::Unsure => Some(
                "Success leaves no record in these logs, so it is not known whether anything hangs.",
            ),
            WorkStatus::AllEnded(_) | WorkStatus::KnownEnded(_) | WorkStatus::Unfinished(_) => None,
        }
    }
}

/// Counts of the instances of a work item entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkItemCounts {
    /// Dotted name of the entity.
    pub entity: String,
    /// For people, singular.
    pub title: String,
    /// Number that began.
    pub begun: usize,
    /// Number that ended.
    pub ended: usize,
    /// Number that failed, a part of `ended`.
    pub failed: usize,
    /// Number of failures that may have been retried without a record of the result.
    pub(crate) unsure: usize,
    /// Longest duration of one that ended, ns.
    pub(crate) longest: Option<i64>,
    /// Number that ended without a record of the result.
    pub(crate) unstated: usize,
    /// Numbers that ended in a state that is neither success nor failure, by state.
    pub(crate) neutral: BTreeMap<String, usize>,
    /// Number that had ended, began again and have not ended since.
    pub again: usize,
    /// Number of failures, a part of `failed`, whose records are those of a failed instance of another entity: of the task that
    /// a batch system ran.
    pub repeated: usize,
    /// Number that are named without a record of their begin.
    pub(crate) unknown: usize,
    /// Number that are named as parents of others and have no record of their own.
    pub(crate) absent: usize,
    /// Records about work items whose run is not known.
    pub unplaced: Unassigned,
}

impl WorkItemCounts {
    /// Whether all work items that are named are counted, with their end.
    fn is_whole(&self) -> bool {
        self.absent == 0 && self.unknown == 0 && self.unplaced.is_empty()
    }

    /// Number that began, with the title: `3 tasks`; `3 known tasks` where others may not be counted.
    pub(crate) fn counted(&self) -> String {
        several(self.begun, &self.one())
    }

    /// Title of one of the counted instances.
    pub(crate) fn one(&self) -> String {
        match self.unplaced.item_numbers.is_empty() {
            true => self.title.clone(),
            false => format!("known {}", self.title),
        }
    }
}

/// Position of an unfinished work item in the wait graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitState {
    /// Waits for another unfinished work item.
    Waiting,
    /// Waits for nothing that is known: the one to examine.
    Root,
    /// Part of a cycle of waits.
    Circle,
    /// Its run ended properly without it.
    LeftBehind,
}

/// A work item that began and has not ended.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedItem {
    /// Dotted name of its entity.
    pub entity: String,
    /// The entity for people, singular: `task`.
    pub title: String,
    /// Identifying keys and values.
    pub id: Id,
    /// Its name among the work items of its run.
    pub number: String,
    /// Label, such as the name of the app.
    pub label: Option<String>,
    /// Its last state.
    pub state: Option<String>,
    /// Whether that state means execution.
    pub(crate) is_executing: bool,
    /// Whether an earlier state meant execution.
    pub was_executing: bool,
    /// Reason for that state, from its last records.
    pub because: Option<String>,
    /// Time of its transition to that state, UTC ns.
    pub since: Option<i64>,
    /// Time from then to the end of its run, or to now, ns.
    pub age: Option<i64>,
    /// Its last event in time order.
    pub last_event: Option<EventId>,
    /// Templates of its last records, by their stable numbers: one for each reporter that sees it arrive, else that of `last_event`.
    pub(crate) told_last: Vec<u64>,
    /// Number of its events.
    pub(crate) events: usize,
    /// Last known place, from the outside in.
    pub place: Id,
    /// Keys of the place that identify the work item itself, so no other one shares them.
    pub(crate) own_keys: Vec<String>,
    /// Begin of its unfinished attempt where it runs: title of the attempt, UTC ns, event.
    pub begun_there: Option<(String, i64, EventId)>,
    /// Longest known duration of an ended attempt of work items of its kind, ns.
    pub(crate) longest_attempt: Option<i64>,
    /// End of its last attempt where it ran, though its owner has no result: title of the attempt, UTC ns, event.
    pub finished_there: Option<(String, i64, EventId)>,
    /// Whether only third parties report that end, so its outcome is not known.
    pub(crate) is_over_there: bool,
    /// Its attempts, if there were several.
    pub retried: Option<Retried>,
    /// Last event at which its owner saw a failed attempt.
    pub(crate) failed_try: Option<EventId>,
    /// Position in the wait graph.
    pub standing: WaitState,
    /// Work item that holds it up: index into `UnfinishedWork::stuck`; itself if it waits for no unfinished one.
    pub root: usize,
    /// Work items that it waits for: indices into `UnfinishedWork::stuck`.
    pub waits_for: Vec<usize>,
    /// Work items that wait for it: indices into `UnfinishedWork::stuck`.
    pub waiters: Vec<usize>,
    /// Number of direct and indirect waiters; `None` if there are too many to count.
    pub all_waiters: Option<usize>,
    /// Its run: index into `UnfinishedWork::runs`.
    pub run: Option<usize>,
    /// Number of other work items of its run and label that ended.
    pub peers_ended: usize,
    /// Failed dependencies, the latest first.
    pub failed_first: Vec<FailedDependency>,
    /// Whether its state means waiting although no record names an unfinished dependency.
    pub waits_unnamed: bool,
    /// Number and title of the resources that could take it, if all of them are busy with other unfinished work.
    pub waits_for_room: Option<(usize, String)>,
    /// Name of its run, if the data holds several.
    pub run_name: Option<String>,
    /// Facts that the available logs can show of it.
    pub known: Coverage,
    /// Index into the instances of its entity.
    pub instance: usize,
    /// Whether it has a record in the selection.
    pub is_told: bool,
}

/// Attempts of a work item with more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retried {
    /// Title of an attempt, singular: `try`.
    pub title: String,
    /// Number of attempts.
    pub count: usize,
    /// Begin of the first one, UTC ns.
    pub first: i64,
}

/// A failed dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedDependency {
    /// `task 17`.
    pub name: String,
    /// Its state.
    pub state: Option<String>,
    /// Whether that is a failure, and not just the end of a resource that had the work.
    pub(crate) is_failure: bool,
    /// When it ended, UTC ns.
    pub(crate) time: Option<i64>,
}

impl UnfinishedItem {
    /// Value that names it within its run.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// Keys of its place that other work items can share.
    pub(crate) fn spot(&self) -> impl Iterator<Item = &(String, String)> {
        self.place.iter().filter(|p| !self.own_keys.contains(&p.0))
    }

    /// Log of its owner and its end, UTC ns, if that log ends before the work item was completed, or is truncated: then it
    /// is not known whether the result was received.
    pub fn lost_sight(&self) -> Option<&(String, i64)> {
        let (_, time, _) = self.finished_there.as_ref()?;
        let is_before = |(_, last): &&(String, i64)| last <= time;
        let owner = self.known.owner.as_ref().filter(is_before);
        self.known.cut.as_ref().or(owner)
    }

    /// Known outcome of its last attempt where it ran: `completed`.
    pub(crate) fn how_finished(&self) -> &'static str {
        match self.is_over_there {
            true => "over",
            false => "completed",
        }
    }

    /// `task 24`, or `task 24 of 001` where the data holds several runs.
    pub fn called(&self) -> String {
        match &self.run_name {
            Some(run) => format!("{} {} of {run}", self.title, self.number()),
            None => format!("{} {}", self.title, self.number()),
        }
    }

    /// `task 24 (wait_for_file)`.
    pub fn name(&self) -> String {
        match &self.label {
            Some(label) => format!("{} ({label})", self.called()),
            None => self.called(),
        }
    }
}

/// Resources of one kind, run and place, some of them idle.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleResources {
    /// Dotted name of the entity.
    pub entity: String,
    /// For people, singular: `worker`.
    pub title: String,
    /// Dotted name of the entity that they execute.
    pub(crate) goal: String,
    /// Their run: index into `UnfinishedWork::runs`.
    pub run: Option<usize>,
    /// Place to which their work is sent before one of them takes it.
    pub place: Id,
    /// Suffix for their number that names their pool: ` of executor htex`; may be empty.
    pub whose: String,
    /// Number alive when the run stopped progressing.
    pub alive: usize,
    /// Number with unfinished work.
    pub busy: usize,
    /// Idle ones: id and time of the last work, UTC ns; earliest first.
    pub idle: Vec<(Id, Option<i64>)>,
    /// Time since which all of these are idle, UTC ns.
    pub since: Option<i64>,
    /// Unassigned unfinished work on some of them: its name and place.
    pub nameless: Vec<(String, Id)>,
    /// Abandoned work that some continue: its name, place and first event.
    pub(crate) given_up: Vec<(String, Id, EventId)>,
}

/// Writer of records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A whole source.
    Source,
    /// A process in it.
    Process(String),
    /// A thread or an asyncio task in it, in words.
    Thread(String),
    /// A logger of a thread.
    Logger(String, String),
    /// Records of one template about one instance: the instance in words, the template.
    Heartbeat(String, String),
}

/// Reason of a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilenceReason {
    /// Nothing in the data explains it.
    Unknown,
    /// Its resource executes unfinished work.
    Busy,
    /// Its resource is idle.
    Idle,
}

/// A writer that stopped after regular records while others continued.
#[derive(Clone, Debug, PartialEq)]
pub struct Silent {
    /// The writer.
    pub channel: Channel,
    /// Its source.
    pub source: SourceId,
    /// The source's short name.
    pub tag: String,
    /// Number of its records.
    pub records: u64,
    /// 99th percentile of the gaps between them, ns.
    pub usual_gap: i64,
    /// The last record.
    pub last_event: EventId,
    /// Its time, UTC ns.
    pub last: i64,
    /// From there to the end of the run, ns.
    pub gap: i64,
    /// Number of records of other writers of the run since then.
    pub(crate) others: u64,
    /// Reason.
    pub why: SilenceReason,
    /// Whether its last record is in the selection.
    pub is_told: bool,
}

/// Time in which no log of a run was written, most of the time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Last record before it.
    pub before: EventId,
    /// First record after it.
    pub after: EventId,
    /// Its start, UTC ns.
    pub since: i64,
    /// Its length, ns.
    pub gap: i64,
}

/// Resources that wait for each other: each executes a work item that waits for one on another of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutualWait {
    /// Title of such a resource, singular: `agent`.
    pub title: String,
    /// Their names.
    pub(crate) carriers: Vec<String>,
    /// Work items on them that are part of the cycle: indices into `UnfinishedWork::stuck`.
    pub stuck: Vec<usize>,
}

/// A source that could not be read to its end: a log, or an archive with the log in which it breaks off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The outermost source that is broken.
    pub source: SourceId,
    /// Its path.
    pub(crate) path: String,
    /// Offset of the first unreadable byte, within the decompressed content if it is compressed.
    pub(crate) byte: u64,
    /// The problem.
    pub(crate) problem: String,
    /// The logs that end there.
    pub logs: Vec<TruncatedLog>,
}

/// A log that ends where it was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruncatedLog {
    /// The log.
    pub source: SourceId,
    /// Its short name.
    pub tag: String,
    /// Its path.
    pub(crate) path: String,
    /// Its last record, where it has any.
    pub last_event: Option<EventId>,
    /// Its latest time, UTC ns.
    pub last: Option<i64>,
    /// The run that it belongs to: index into `UnfinishedWork::runs`.
    pub run: Option<usize>,
}

/// A record that reports a missing peer whose logs indeed end before those of the owner of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The record.
    pub(crate) event: EventId,
    /// Kinds of logs of the peer.
    pub(crate) kinds: Vec<String>,
    /// Text before the number of seconds for which the writer waits.
    pub(crate) patience: String,
}

/// Facts that the available logs can show of an unfinished work item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Logs that would show whether work on it began, if none of them is available.
    pub(crate) unseen: Option<String>,
    /// Whether it may be in a place whose logs do not record the begin of work.
    pub(crate) untold: bool,
    /// Whether the record of its state may instead report its end.
    pub(crate) may_be_over: bool,
    /// Logs that would show what waits for it, if none of them is available.
    pub(crate) unowned: Option<String>,
    /// Whether records of its kind name waiters.
    pub(crate) waits: bool,
    /// Its requester.
    pub(crate) asked_by: Option<String>,
    /// Log of its owner and the end of that log, UTC ns.
    pub(crate) owner: Option<(String, i64)>,
    /// Truncated log that would show its end: name and last time, UTC ns.
    pub cut: Option<(String, i64)>,
    /// Resources whose absence kept it from beginning.
    pub(crate) nobody: Option<AbsentResource>,
}

/// Absence of resources that could have taken a work item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentResource {
    /// Title of such a resource: `manager`.
    pub title: String,
    /// Place that such a resource would have had to join: `executor gpu`.
    pub place: String,
    /// Number that had been there and were gone before.
    pub gone: usize,
    /// Time without a new one, ns.
    pub(crate) span: i64,
}

/// Part of the result that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Told {
    /// All of it.
    #[default]
    All,
    /// Entries with a record in the selection.
    Selected,
}
