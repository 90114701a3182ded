//! Result of the search for unfinished work: plain data.

use widetui_analysis::entity::Id;
use widetui_analysis::runs::{Run, Strays};
use widetui_analysis::work_items::Unassigned;
use widetui_core::ids::{EventId, SourceId};
use widetui_core::words::several;

/// What the analysis came to.
#[derive(Clone, Debug, Default)]
pub struct Hung {
    /// How many there were of each goal entity, and how they ended.
    pub goals: Vec<Goals>,
    /// What was begun and did not end: roots first, then those that wait; within these the latest run first, and in it
    /// the oldest change of state first.
    pub stuck: Vec<Stuck>,
    /// Carriers that wait for each other.
    pub mutual: Vec<Mutual>,
    /// Carriers without work while something is stuck that they could take, by run and place.
    pub idle: Vec<Idle>,
    /// Those without work that could take none of it: it went to other places.
    pub resting: Vec<Id>,
    /// What fell silent before its run's end: whole sources first, earliest first.
    pub silent: Vec<Silent>,
    /// Who was gone before the runs that did not end stopped, as others of these tell: known where hints were asked.
    pub gone: Vec<Gone>,
    /// The runs of the data, in time order.
    pub runs: Vec<Run>,
    /// The last error of a run that did not end, before its first silence if there is one.
    pub last_error: Option<EventId>,
    /// Records that lie far behind all others: ages do not reach to them.
    pub strays: Strays,
    /// Earliest and latest time of the data, UTC ns, strays left out.
    pub range: Option<(i64, i64)>,
    /// By source: the run that it belongs to, index into `runs`.
    pub of_source: Vec<Option<usize>>,
    /// Whether some definition says what a goal is in this data: else nothing can be said about unfinished things.
    pub knows_goals: bool,
    /// What could not be read to its end.
    pub cuts: Vec<Cut>,
    /// How much of what is stuck and silent is told.
    pub told: Told,
    /// The present, UTC ns, where the files are being written.
    pub now: Option<i64>,
}

impl Hung {
    /// Things that are stuck and whose run did not end without them.
    pub fn hanging(&self) -> impl Iterator<Item = &Stuck> {
        self.stuck.iter().filter(|s| s.standing != Pace::LeftBehind)
    }

    /// Whether nothing is stuck.
    pub fn is_clear(&self) -> bool {
        self.stuck.is_empty()
    }

    /// The roots: what waits for nothing unfinished.
    pub fn roots(&self) -> impl Iterator<Item = (usize, &Stuck)> {
        let all = self.stuck.iter().enumerate();
        all.filter(|(at, s)| s.root == *at)
    }
}

/// All instances of a goal entity, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goals {
    /// Dotted name of the entity.
    pub entity: String,
    /// For people, singular.
    pub title: String,
    /// How many began.
    pub begun: usize,
    /// How many ended.
    pub ended: usize,
    /// How many of these without success.
    pub failed: usize,
    /// How many of the failed ones may have been tried again, with an end that no record tells.
    pub unsure: usize,
    /// How long the one that ended and took longest did, ns.
    pub longest: Option<i64>,
    /// How many ended in a state that does not say whether it went well.
    pub neutral: usize,
    /// How many that had ended were begun again, and had not ended again.
    pub again: usize,
    /// How many are named, without a record that says whether they began.
    pub unknown: usize,
    /// How many are named by others as who waits for them, and have no record of their own.
    pub absent: usize,
    /// What is told of others of which it is not known whose they are.
    pub unplaced: Unassigned,
}

impl Goals {
    /// So many tasks: `3 tasks`; `3 known tasks` where others may not be counted.
    pub fn counted(&self) -> String {
        several(self.begun, &self.one())
    }

    /// What one of those that are counted is called.
    pub fn one(&self) -> String {
        match self.unplaced.numbers.is_empty() {
            true => self.title.clone(),
            false => format!("known {}", self.title),
        }
    }
}

/// What an unfinished thing is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// It waits for something that did not end either.
    Waiting,
    /// It waits for nothing that is known: it is the one to look at.
    Root,
    /// It and what it waits for wait for each other.
    Circle,
    /// Its run ended properly without it.
    LeftBehind,
}

/// Something begun and not ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuck {
    /// Dotted name of its entity.
    pub entity: String,
    /// The entity for people, singular: `task`.
    pub title: String,
    /// What identifies it.
    pub id: Id,
    /// What it is called by among those of its run.
    pub number: String,
    /// What it is: the name of the app.
    pub label: Option<String>,
    /// Its last state.
    pub state: Option<String>,
    /// Whether that state says that it is carried out.
    pub is_executing: bool,
    /// Whether one of its states said so before.
    pub was_executing: bool,
    /// Why it is in that state, as its last records say.
    pub because: Option<String>,
    /// When it came to that state, UTC ns.
    pub since: Option<i64>,
    /// From then to the end of its run (or to now), ns.
    pub age: Option<i64>,
    /// Its last event in time order.
    pub last_event: Option<EventId>,
    /// The templates of the last records of each who sees it come, else of that event, by their stable numbers.
    pub told_last: Vec<u64>,
    /// Number of its events.
    pub events: usize,
    /// Where it was last seen, from the outside in.
    pub place: Id,
    /// Which keys of the place are what it is called there: no others can be in the same.
    pub own_keys: Vec<String>,
    /// When work on it was seen to begin where it runs, by whatever attempt is still open: title of the attempt, UTC ns.
    pub begun_there: Option<(String, i64, EventId)>,
    /// When the last attempt was completed where it ran, though nobody who waits for it had the result: title of the
    /// attempt, UTC ns.
    pub finished_there: Option<(String, i64, EventId)>,
    /// Whether of that only others tell, who took it off their lists: how it went is not known.
    pub is_over_there: bool,
    /// How often it was tried, where that was more than once.
    pub retried: Option<Retried>,
    /// Where its owner saw that a try of it had failed, the last time that it did.
    pub failed_try: Option<EventId>,
    /// What it is at.
    pub standing: Pace,
    /// The thing that holds it up: index into `Hung::stuck`; itself when it waits for nothing unfinished.
    pub root: usize,
    /// What it waits for: indices into `Hung::stuck`.
    pub waits_for: Vec<usize>,
    /// What waits for it: indices into `Hung::stuck`.
    pub waiters: Vec<usize>,
    /// How many wait for it, directly or through others; `None` when they are too many to be counted.
    pub all_waiters: Option<usize>,
    /// Its run: index into `Hung::runs`.
    pub run: Option<usize>,
    /// How many others of its run and of the same label ended.
    pub peers_ended: usize,
    /// What it is said to wait for and that failed before it could begin, the latest first.
    pub failed_first: Vec<FailedFirst>,
    /// Whether its state says that it waits for others, and no record names one that is unfinished.
    pub waits_unnamed: bool,
    /// What it waits for to get free, where all of them have other unfinished work: their number, and what one is called.
    pub waits_for_room: Option<(usize, String)>,
    /// What its run is called, where the data holds several.
    pub run_name: Option<String>,
    /// What the data can tell of it, and what it cannot.
    pub known: Known,
    /// Which of the instances of its entity it is: index into their list.
    pub instance: usize,
    /// Whether it is told, or left out because none of its records was asked about.
    pub is_told: bool,
}

/// Something that was tried more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retried {
    /// What a try is called, singular: `try`.
    pub title: String,
    /// How often it was tried.
    pub count: usize,
    /// When that was done first, UTC ns.
    pub first: i64,
}

/// Something that others wait for and that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedFirst {
    /// `task 17`.
    pub name: String,
    /// Its state.
    pub state: Option<String>,
    /// Whether that is a failure, and not just the end of somebody to whom work was given.
    pub is_failure: bool,
    /// When it ended, UTC ns.
    pub time: Option<i64>,
}

impl Stuck {
    /// The value that names it among those of its run.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// The places that others can be in, too.
    pub fn spot(&self) -> impl Iterator<Item = &(String, String)> {
        self.place.iter().filter(|p| !self.own_keys.contains(&p.0))
    }

    /// Where it was completed where it ran after the log of its owner ends, or that was cut: that log, and its end, UTC ns.
    /// Nobody knows then whether its result came back.
    pub fn lost_sight(&self) -> Option<&(String, i64)> {
        let (_, time, _) = self.finished_there.as_ref()?;
        let is_before = |(_, last): &&(String, i64)| last <= time;
        let owner = self.known.owner.as_ref().filter(is_before);
        self.known.cut.as_ref().or(owner)
    }

    /// What is known of the end of its last attempt where it ran: `completed`.
    pub fn how_finished(&self) -> &'static str {
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

/// Carriers of one kind, of one run and place, that have no work.
#[derive(Clone, Debug, PartialEq)]
pub struct Idle {
    /// Dotted name of the entity.
    pub entity: String,
    /// For people, singular: `worker`.
    pub title: String,
    /// Dotted name of the entity that they carry out.
    pub goal: String,
    /// Their run: index into `Hung::runs`.
    pub run: Option<usize>,
    /// The place to which their work is sent, before one of them takes it.
    pub place: Id,
    /// Whose they are, to go behind their number: ` of executor htex`; empty where that is no news.
    pub whose: String,
    /// Carriers that were alive when the run stopped moving.
    pub alive: usize,
    /// Those with unfinished work.
    pub busy: usize,
    /// Those without: what identifies them, and the time of their last work, UTC ns; earliest first.
    pub idle: Vec<(Id, Option<i64>)>,
    /// Since when all of them have nothing to do, UTC ns.
    pub since: Option<i64>,
    /// Unfinished work that some have, and of which no record says what it is for: what it is called, and where it is.
    pub nameless: Vec<(String, Id)>,
    /// Work that some go on with though whoever asked for it gave it up: its name, where it is, and the event that begins it.
    pub given_up: Vec<(String, Id, EventId)>,
}

/// Who writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// All of a source.
    Source,
    /// A process in it.
    Process(String),
    /// A thread or an asyncio task in it, in words.
    Thread(String),
    /// A logger of a thread.
    Logger(String, String),
    /// The records of one template about one thing: the thing in words, the template.
    Heartbeat(String, String),
}

/// Why nothing more came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilenceReason {
    /// Nothing in the data explains it.
    Unknown,
    /// Its bearer works on something that did not end.
    Busy,
    /// Its bearer has nothing to do.
    Idle,
}

/// Somebody who wrote regularly and stopped, while others wrote on.
#[derive(Clone, Debug, PartialEq)]
pub struct Silent {
    /// Who.
    pub channel: Channel,
    /// In which source.
    pub source: SourceId,
    /// The source's short name.
    pub tag: String,
    /// Records until then.
    pub records: u64,
    /// The longest of 99 in 100 gaps between them, ns.
    pub usual_gap: i64,
    /// The last record.
    pub last_event: EventId,
    /// Its time, UTC ns.
    pub last: i64,
    /// From there to the end of the run, ns.
    pub gap: i64,
    /// Records that others of the same run wrote since.
    pub others: u64,
    /// Why.
    pub why: SilenceReason,
    /// Whether it is told, or left out because its last record was not asked about.
    pub is_told: bool,
}

/// Carriers that wait for each other: each carries out something that waits for what another one carries out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutual {
    /// What such a carrier is called, singular: `agent`.
    pub title: String,
    /// Their names.
    pub carriers: Vec<String>,
    /// What they carry out and what these wait for: indices into `Hung::stuck`.
    pub stuck: Vec<usize>,
}

/// What could not be read to its end: a log, or an archive with the log that it breaks off in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The outermost source that is broken.
    pub source: SourceId,
    /// Its path.
    pub path: String,
    /// The byte behind which nothing could be read; of what is packed, of its content.
    pub byte: u64,
    /// What is wrong with it.
    pub problem: String,
    /// The logs that end there.
    pub logs: Vec<CutLog>,
}

/// A log that ends where it was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutLog {
    /// Which log.
    pub source: SourceId,
    /// Its short name.
    pub tag: String,
    /// Its path.
    pub path: String,
    /// Its last record, where it has any.
    pub last_event: Option<EventId>,
    /// Its latest time, UTC ns.
    pub last: Option<i64>,
    /// The run that it belongs to: index into `Hung::runs`.
    pub run: Option<usize>,
}

/// A record by which somebody tells that whoever writes logs of some kinds is gone, and who indeed fell silent before the owner of the
/// run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The record.
    pub event: EventId,
    /// The kinds of logs of whom it misses.
    pub kinds: Vec<String>,
    /// Words before the seconds for which its writer waits.
    pub patience: String,
}

/// What can be known of something that did not end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The logs that would tell whether work on it began, where none of them is there.
    pub unseen: Option<String>,
    /// Whether it may be where nobody writes down that work begins: what is known of its place does not lead to such logs.
    pub untold: bool,
    /// Whether the record of its state may tell that it ended instead, of which there is no other record.
    pub may_be_over: bool,
    /// The logs that would tell who waits for it, where none of them is there.
    pub unowned: Option<String>,
    /// Whether records of its kind would name what waits for it.
    pub waits: bool,
    /// Who asked for it.
    pub asked_by: Option<String>,
    /// The log of whoever owns it, and when that ends, UTC ns.
    pub owner: Option<(String, i64)>,
    /// The log that would tell how it ended, where that could not be read to its end: its name, and when it ends, UTC ns.
    pub cut: Option<(String, i64)>,
    /// That nobody was there to take it.
    pub nobody: Option<Nobody>,
}

/// That nobody was there to take work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nobody {
    /// What a carrier is called that would have taken it: `manager`.
    pub title: String,
    /// Where it would have had to come: `executor gpu`.
    pub place: String,
    /// How many had been there and were gone before.
    pub gone: usize,
    /// For how long nobody came, ns.
    pub span: i64,
}

/// How much of what was found is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Told {
    /// All of it.
    #[default]
    All,
    /// What has a record among those selected.
    Selected,
}
