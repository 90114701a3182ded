//! Context shared by all detectors: the snapshot, its unfinished work, the text reader, and the events that are
//! already explained.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfinished::model::{UnfinishedWork, WorkItemCounts};
use crate::unfinished::run_stops::{StopKind, stop};
use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::ids::{EventId, TemplateId};
use widetui_core::level::Level;
use widetui_core::words::cut;
use widetui_query::Selection;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, ValueOrigin};
use widetui_time::clock::Clock;
use widetui_time::time::NS_PER_SECOND;
use widetui_time::zone::Zone;

use crate::findings::attached_exceptions;
use crate::findings::words::opening;

/// Work item of each event: number of its entity, and index among the instances of it.
type GoalsOf = FxHashMap<u32, (usize, usize)>;

/// Input of all detectors, and the events that they have explained.
pub(crate) struct Context<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) found: &'a AllInstances,
    pub(crate) hung: &'a UnfinishedWork,
    /// Selected records; `None` for all.
    pub(crate) among: Option<&'a Selection>,
    pub(crate) clock: Clock<'a>,
    pub(crate) cancel: &'a Cancel,
    /// Events that a finding explains, or that are known to be harmless.
    pub(crate) claimed: FxHashSet<u32>,
    /// Claimed events that a definition knows to be harmless.
    pub(crate) harmless: FxHashSet<u32>,
    /// Claimed events that a definition explains otherwise.
    pub(crate) explained: FxHashSet<u32>,
    /// Events of failed resources that are reported with a lost resource inside them.
    pub(crate) told: FxHashSet<u32>,
    /// Work items that failed because their last attempt was lost with a resource: entity and index, and the event of
    /// the loss with which they are reported.
    pub(crate) taken_along: FxHashMap<(String, usize), EventId>,
    /// Dependents that failed because of lost work, by the event of the loss: title of their entity, and the events at
    /// which they failed.
    pub(crate) dependents: FxHashMap<EventId, (String, Vec<EventId>)>,
    /// Exceptions that are reported with a failed work item or with a hint.
    pub(crate) whys: FxHashSet<String>,
    /// Names of failed work items, if long enough to be unambiguous in a text.
    pub(crate) failed_names: FxHashSet<String>,
    /// Names of failed work items that are not mere numbers.
    pub(crate) failed_ids: FxHashSet<String>,
    /// Work items of the events that were looked up so far.
    pub(crate) goal_of: GoalsOf,
    /// Exceptions in the records of events.
    pub(crate) reasons: FxHashMap<EventId, String>,
    /// Record with the reason, by the event at which a work item failed.
    pub(crate) why_at: FxHashMap<EventId, EventId>,
    /// Last failed attempt before a record in which its program gave up, by that record.
    pub(crate) attempts: FxHashMap<EventId, EventId>,
    /// Index of the hint that explains an event.
    pub(crate) hint_at: FxHashMap<EventId, usize>,
    /// Exceptions of failed attempts without a record of whether they were retried.
    pub(crate) unsure_whys: FxHashSet<String>,
    /// Last events of work items unfinished for a long time in a run that may be over.
    pub(crate) still_hangs: FxHashSet<EventId>,
    /// Limits of the data because of missing or truncated logs, a sentence each.
    pub(crate) untold: Vec<String>,
    pub(crate) texts: TextReader,
}

impl<'a> Context<'a> {
    /// Context of a diagnosis that has not begun.
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
            attempts: FxHashMap::default(),
            hint_at: FxHashMap::default(),
            unsure_whys: FxHashSet::default(),
            still_hangs: FxHashSet::default(),
            untold: Vec::new(),
            texts: TextReader::default(),
        }
    }

    /// Notes that a work item failed at `event` because of an exception in the record `at`.
    pub(crate) fn failed_for(&mut self, event: EventId, at: EventId, exception: &str) {
        self.whys.insert(exception.to_owned());
        self.reasons.insert(event, exception.to_owned());
        self.why_at.insert(event, at);
    }

    /// Whether the first line of a record only repeats the reason, or the name, of a reported failure.
    pub(crate) fn is_about_a_failure(&mut self, id: EventId) -> bool {
        let line = self.line(id);
        let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let mut words = line.split(|c| !is_part(c));
        self.whys.contains(&line) || words.any(|w| self.failed_names.contains(w))
    }

    /// Whether a value of a record, under any key, is the name of a failed work item.
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

    /// Whether a record has the exception of a failed attempt in another source than the reports of the attempts: the
    /// caller that waited for the result received it, so no later attempt succeeded.
    pub(crate) fn came_out(&self, id: EventId, exception: &str) -> bool {
        let source = |id: EventId| self.snapshot.event(id).map(|e| e.source().id);
        let mut tries = self.reasons.iter().filter(|(_, line)| *line == exception);
        self.unsure_whys.contains(exception) && tries.all(|(try_, _)| source(*try_) != source(id))
    }

    /// Run of the source of an event.
    pub(crate) fn run_of(&self, event: &EventRef<'_>) -> Option<usize> {
        let at = event.source().id.index();
        self.hung.of_source.get(at).copied().flatten()
    }

    /// Whether an event came after the end of its run.
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

    /// Whether an event came after the owner of its run had stopped without ending the run; such an event is usually a
    /// consequence.
    pub(crate) fn is_after_stop(&self, event: &EventRef<'_>) -> bool {
        let run = self.run_of(event).and_then(|r| self.hung.runs.get(r));
        let stop = run.and_then(|run| stop(self.snapshot, self.hung, run));
        let gone = stop.filter(|s| matches!(s.way, StopKind::Quit | StopKind::Stopped));
        let gone = gone.map(|s| s.time);
        gone.zip(event.time()).is_some_and(|(gone, at)| at > gone)
    }

    /// Whether the run of an event ended without failed or unfinished work items.
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

    /// True if the run of an event, given by its id, ended without failed or unfinished work items.
    pub(crate) fn went_well_at(&self, id: EventId) -> bool {
        self.snapshot.event(id).is_some_and(|e| self.went_well(&e))
    }

    /// True if all work items of some kind succeeded and none is unfinished. Then failures of other kinds, such as batch
    /// jobs that only held its workers, did no lasting harm.
    pub(crate) fn other_work_succeeded(&self) -> bool {
        let mut goals = self.hung.goals.iter();
        let is_good = |g: &WorkItemCounts| {
            g.begun > 0 && g.ended >= g.begun && g.failed + g.neutral + g.again == 0
        };
        goals.any(is_good) && self.hung.is_clear()
    }

    /// Message of an event, all lines, followed by the traceback in another field if it has one.
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
            // Read errors are recorded by the reader and reported with the result.
            (Err(_), _) => String::new(),
        }
    }

    /// Exception of an event whose class and text are in separate fields.
    pub(crate) fn in_parts(&mut self, id: EventId) -> Option<String> {
        let event = self.snapshot.event(id)?;
        let reader = event.source().reader.as_ref()?;
        let record = self.texts.record(&event).ok()?;
        attached_exceptions::in_parts(reader, record, &self.snapshot.tables)
    }

    /// First line of the message of an event, with the one that it introduces, at most 160 characters. Runs of blanks
    /// become one, because columns make no sense without their heading.
    pub(crate) fn line(&mut self, id: EventId) -> String {
        let message = self.message(id);
        let line = opening(&message);
        let words: Vec<&str> = line.split_whitespace().collect();
        cut(&words.join(" "), 160)
    }

    /// Record directly behind another one in the same source, at the same second at the latest.
    pub(crate) fn next_at_once(&self, id: EventId) -> Option<EventId> {
        let own = self.snapshot.event(id)?;
        let next = self.snapshot.event(EventId(id.0.checked_add(1)?))?;
        let far = next.order_time().saturating_sub(own.order_time());
        let is_next = next.source().id == own.source().id && far <= NS_PER_SECOND;
        is_next.then_some(next.id)
    }

    /// Records without duplicates whose level and template fulfil a condition; `None` when cancelled.
    pub(crate) fn records_with(
        &self,
        is_wanted: impl Fn(Level, &str) -> bool,
    ) -> Option<Vec<EventId>> {
        let snapshot = self.snapshot;
        let catalog = &snapshot.catalog;
        let mut known: FxHashMap<(TemplateId, Level), bool> = FxHashMap::default();
        let mut out = Vec::new();
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            if self.cancel.is_cancelled() {
                return None;
            }
            for group in &segment.groups {
                let Some(shape) = catalog.shapes.get(group.shape.index()) else {
                    continue;
                };
                let is_known = *known
                    .entry((shape.template, shape.level))
                    .or_insert_with(|| {
                        let template = catalog.templates.get(shape.template.index());
                        template.is_some_and(|t| is_wanted(shape.level, &t.text))
                    });
                if is_known {
                    out.extend(group.rows.iter().map(|row| EventId(base + u32::from(*row))));
                }
            }
        }
        out.retain(|id| snapshot.duplicates.original_of(id.0).is_none());
        Some(out)
    }

    /// Short name of the source of an event.
    pub(crate) fn tag(&self, id: EventId) -> String {
        let event = self.snapshot.event(id);
        event.map(|e| e.source().tag.clone()).unwrap_or_default()
    }

    /// Time of an event, UTC ns.
    pub(crate) fn time(&self, id: EventId) -> Option<i64> {
        self.snapshot.event(id)?.time()
    }
}
