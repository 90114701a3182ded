//! Context shared by all detectors: the snapshot, its unfinished work, the text reader, and the events that are
//! already explained.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfinished::model::UnfinishedWork;
use crate::unfinished::run_stops::{StopKind, stop};
use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::words::cut;
use widetui_query::Selection;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, ValueOrigin};
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use crate::findings::attached_exceptions;

/// By event: the number of the kind of goal, and of the goal.
type GoalsOf = FxHashMap<u32, (usize, usize)>;

/// What finders look at, and which events they have explained.
pub(crate) struct Context<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) found: &'a AllInstances,
    pub(crate) hung: &'a UnfinishedWork,
    /// The records that are asked about; nothing for all.
    pub(crate) among: Option<&'a Selection>,
    pub(crate) clock: Clock<'a>,
    pub(crate) cancel: &'a Cancel,
    /// Events that a finding explains, or that are known to be noise.
    pub(crate) claimed: FxHashSet<u32>,
    /// Those of them that a definition knows to be harmless.
    pub(crate) harmless: FxHashSet<u32>,
    /// Those of them that a definition explains otherwise.
    pub(crate) explained: FxHashSet<u32>,
    /// Events of carriers that failed and are told with a lost one that ran in them.
    pub(crate) told: FxHashSet<u32>,
    /// WorkItemCounts that failed as their last try was lost with a carrier: entity and place in its list, and the event of that
    /// carrier's loss, with which they are told.
    pub(crate) taken_along: FxHashMap<(String, usize), EventId>,
    /// By the loss of a carrier: what failed because of the goals that it took along, and of which entity it is.
    pub(crate) dependents: FxHashMap<EventId, (String, Vec<EventId>)>,
    /// Exceptions that are told with a goal that failed, or with a hint.
    pub(crate) whys: FxHashSet<String>,
    /// What goals that failed are called, where a name is long enough to mean nothing else.
    pub(crate) failed_names: FxHashSet<String>,
    /// What goals that failed are called, where that is no number alone.
    pub(crate) failed_ids: FxHashSet<String>,
    /// The goals that events are about, of those for which that was asked.
    pub(crate) goal_of: GoalsOf,
    /// The exceptions that events are told by.
    pub(crate) reasons: FxHashMap<EventId, String>,
    /// By the event at which a goal failed: the one that says why.
    pub(crate) why_at: FxHashMap<EventId, EventId>,
    /// By event that a hint tells: which one of all.
    pub(crate) hint_at: FxHashMap<EventId, usize>,
    /// Exceptions of tries that failed, where nobody says whether there was another one.
    pub(crate) unsure_whys: FxHashSet<String>,
    /// Last events of what hangs where nothing says that the run is over, and has been hanging for long.
    pub(crate) still_hangs: FxHashSet<EventId>,
    /// What cannot be known, as logs are missing or were cut: a sentence each.
    pub(crate) untold: Vec<String>,
    pub(crate) texts: TextReader,
}

impl<'a> Context<'a> {
    /// Before anything was looked at.
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        (found, hung): (&'a AllInstances, &'a UnfinishedWork),
        (zone, among): (&'a Zone, Option<&'a Selection>),
        cancel: &'a Cancel,
    ) -> Context<'a> {
        Context {
            snapshot,
            found,
            hung,
            among,
            clock: Clock::of(zone, snapshot.range().map(|r| r.1)),
            cancel,
            claimed: FxHashSet::default(),
            harmless: FxHashSet::default(),
            explained: FxHashSet::default(),
            told: FxHashSet::default(),
            taken_along: FxHashMap::default(),
            dependents: FxHashMap::default(),
            whys: FxHashSet::default(),
            failed_names: FxHashSet::default(),
            failed_ids: FxHashSet::default(),
            goal_of: GoalsOf::default(),
            reasons: FxHashMap::default(),
            why_at: FxHashMap::default(),
            hint_at: FxHashMap::default(),
            unsure_whys: FxHashSet::default(),
            still_hangs: FxHashSet::default(),
            untold: Vec::new(),
            texts: TextReader::default(),
        }
    }

    /// Notes that a goal failed at `event` because of an exception that the record `at` tells.
    pub(crate) fn failed_for(&mut self, event: EventId, at: EventId, exception: &str) {
        self.whys.insert(exception.to_owned());
        self.reasons.insert(event, exception.to_owned());
        self.why_at.insert(event, at);
    }

    /// Whether the first line of a record says no more than what was told of a goal that failed: why, or which.
    pub(crate) fn is_about_a_failure(&mut self, id: EventId) -> bool {
        let line = self.line(id);
        let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let mut words = line.split(|c| !is_part(c));
        self.whys.contains(&line) || words.any(|w| self.failed_names.contains(w))
    }

    /// Whether a value of a record, whatever it is called, is the name of a goal that failed.
    pub(crate) fn names_a_failure(&self, id: EventId) -> bool {
        let Some(event) = self
            .snapshot
            .event(id)
            .filter(|_| !self.failed_ids.is_empty())
        else {
            return false;
        };
        let mut found = false;
        event.for_each_code(|key, codes, origin| {
            let view = self.snapshot.catalog.keys.get(key);
            let view = view.filter(|_| !found && origin == ValueOrigin::Record);
            let mut names = codes.iter().filter_map(|code| view?.spelling(*code));
            found |= names.any(|name| self.failed_ids.contains(&name));
        });
        found
    }

    /// Whether a record tells an exception of a try that failed where no work is told of, and so where somebody waited for its
    /// result: no other try made it good.
    pub(crate) fn came_out(&self, id: EventId, exception: &str) -> bool {
        let source = |id: EventId| self.snapshot.event(id).map(|e| e.source().id);
        let mut tries = self.reasons.iter().filter(|(_, line)| *line == exception);
        self.unsure_whys.contains(exception) && tries.all(|(try_, _)| source(*try_) != source(id))
    }

    /// The run that the source of an event belongs to.
    pub(crate) fn run_of(&self, event: &EventRef<'_>) -> Option<usize> {
        let at = event.source().id.index();
        self.hung.of_source.get(at).copied().flatten()
    }

    /// Whether an event came after its run had ended.
    pub(crate) fn is_after_end(&self, event: &EventRef<'_>) -> bool {
        let ended = |run: usize| {
            let end = self.hung.runs.get(run)?.end_event?;
            self.snapshot.event(end)?.time()
        };
        match (self.run_of(event).and_then(ended), event.time()) {
            (Some(end), Some(time)) => time > end,
            _ => false,
        }
    }

    /// Whether an event came after the owner of its run had stopped, which did not end the run: a consequence, as a rule.
    pub(crate) fn is_after_stop(&self, event: &EventRef<'_>) -> bool {
        let run = self.run_of(event).and_then(|r| self.hung.runs.get(r));
        let stop = run.and_then(|run| stop(self.snapshot, self.hung, run));
        let gone = stop.filter(|s| matches!(s.way, StopKind::Quit | StopKind::Stopped));
        let gone = gone.map(|s| s.time);
        gone.zip(event.time()).is_some_and(|(gone, at)| at > gone)
    }

    /// Whether the run of an event ended, and none of its goals failed or was left.
    pub(crate) fn went_well(&self, event: &EventRef<'_>) -> bool {
        let all_ended = self.hung.goals.iter().any(|g| g.begun > 0)
            && self
                .hung
                .goals
                .iter()
                .all(|g| g.failed + g.neutral + g.again == 0)
            && self.hung.is_clear();
        match self.run_of(event).and_then(|r| self.hung.runs.get(r)) {
            Some(run) => all_ended && (run.end_event.is_some() || !run.has_end),
            None => all_ended,
        }
    }

    /// The message of an event, all lines; behind it the traceback that it has in another field.
    pub(crate) fn message(&mut self, id: EventId) -> String {
        let Some(event) = self.snapshot.event(id) else {
            return String::new();
        };
        match (self.texts.record(&event), &event.source().reader) {
            (Ok(record), Some(reader)) => {
                let message = reader.message_without_extras(record);
                let tables = &self.snapshot.tables;
                match attached_exceptions::traceback(reader, (record, &message), tables) {
                    Some(traceback) => format!("{message}\n{traceback}"),
                    None => message,
                }
            }
            (Ok(record), None) => String::from_utf8_lossy(record).into_owned(),
            // That it cannot be read any more is noted, and told with the answer.
            (Err(_), _) => String::new(),
        }
    }

    /// The exception that an event has in parts, in other fields than its message.
    pub(crate) fn in_parts(&mut self, id: EventId) -> Option<String> {
        let event = self.snapshot.event(id)?;
        let reader = event.source().reader.as_ref()?;
        let record = self.texts.record(&event).ok()?;
        attached_exceptions::in_parts(reader, record, &self.snapshot.tables)
    }

    /// The first line of the message of an event, cut to what fits a sentence. The columns of a table are set apart by one
    /// blank: there is no heading above them.
    pub(crate) fn line(&mut self, id: EventId) -> String {
        let message = self.message(id);
        let line = message.lines().map(str::trim).find(|l| !l.is_empty());
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        cut(&words.join(" "), 160)
    }

    /// The tag of the source of an event.
    pub(crate) fn tag(&self, id: EventId) -> String {
        let event = self.snapshot.event(id);
        event.map(|e| e.source().tag.clone()).unwrap_or_default()
    }

    /// When an event was, UTC ns.
    pub(crate) fn time(&self, id: EventId) -> Option<i64> {
        self.snapshot.event(id)?.time()
    }
}
