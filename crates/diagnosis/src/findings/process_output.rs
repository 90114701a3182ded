//! Output of processes, without times and levels: what a program wrote last, what it wrote before the failure of a work item,
//! and what the process of a lost resource wrote, often state why it ended.

use rustc_hash::FxHashSet;

use widetui_core::ids::{EventId, KeyId};
use widetui_core::level::Level;
use widetui_definition::semantics::Severity;
use widetui_store::EventRef;

use crate::findings::context::Context;
use crate::findings::effects;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::repeated_text::repetitions;
use crate::findings::suspicious_words;

/// Keys and values in a path.
type Place = Vec<(KeyId, String)>;

/// Findings that report the end of a resource, and the keys that name resources.
pub(crate) struct Output {
    /// Events at which resources failed.
    failing: FxHashSet<u32>,
    /// Keys that name resources.
    names: FxHashSet<KeyId>,
}

impl Output {
    /// Collects both from the snapshot.
    pub(crate) fn new(look: &Context<'_>) -> Output {
        let mut out = Output {
            failing: FxHashSet::default(),
            names: FxHashSet::default(),
        };
        let keys = &look.snapshot.catalog.keys;
        for carriers in look.found.resources() {
            let names = carriers.entity.id.iter().filter_map(|id| id.last());
            out.names.extend(names.filter_map(|name| keys.find(name)));
            for carrier in &carriers.list {
                let failing = carriers.failures(carrier);
                out.failing.extend(failing.map(|change| change.event.0));
            }
        }
        out
    }

    /// Finding of the end of the resources whose output holds all records of another finding.
    pub(crate) fn explains(
        &self,
        look: &Context<'_>,
        findings: &[Finding],
        at: usize,
    ) -> Option<usize> {
        let own = &findings[at];
        let is_hint = own.kind == FindingKind::Hint;
        let is_trouble = matches!(own.kind, FindingKind::Exception | FindingKind::Errors);
        if own.severity == Severity::Info || !(is_hint || is_trouble) {
            return None;
        }
        let places = self.places(look, own)?;
        let is_end = |other: &Finding| match other.kind {
            // An exception in the output of a place may belong to any of the work there.
            FindingKind::Lost => is_hint,
            FindingKind::NeverCame => is_trouble,
            FindingKind::Hint => other.events.iter().any(|e| self.failing.contains(&e.0)),
            _ => false,
        };
        let is_of = |other: &Finding| {
            places.iter().all(|place| {
                let mut events = other.evidence.iter().chain(&other.events);
                events.any(|id| names(look, *id, place))
            })
        };
        let mut all = findings.iter().enumerate();
        let found = all.find(|(other, f)| *other != at && is_end(f) && is_of(f));
        found.map(|(other, _)| other)
    }

    /// Hint that explains from their output alone why all resources of a finding failed.
    pub(crate) fn known_by(
        &self,
        look: &Context<'_>,
        findings: &[Finding],
        at: usize,
    ) -> Option<usize> {
        let own = &findings[at];
        if own.kind != FindingKind::NeverCame || own.evidence.is_empty() {
            return None;
        }
        findings.iter().position(|f| {
            let is_reason = f.kind == FindingKind::Hint && f.severity > Severity::Info;
            let places = self.places(look, f).filter(|_| is_reason);
            places.is_some_and(|places| {
                let is_told = |id: &EventId| places.iter().any(|place| names(look, *id, place));
                own.evidence.iter().all(is_told)
            })
        })
    }

    /// Places whose output holds the records of a finding; `None` if some are elsewhere.
    fn places(&self, look: &Context<'_>, finding: &Finding) -> Option<Vec<Place>> {
        let mut places = Vec::new();
        for id in &finding.events {
            let place = self.place(look, *id)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        (!places.is_empty()).then_some(places)
    }

    /// Place of the output that holds an event without a time, from its path; `None` if the path names no resource.
    fn place(&self, look: &Context<'_>, id: EventId) -> Option<Place> {
        let event = look.snapshot.event(id)?;
        if event.time().is_some() {
            return None;
        }
        let consts = event.source().consts.iter();
        let place = consts.filter_map(|(key, code)| {
            let view = look.snapshot.catalog.keys.get(*key)?;
            Some((*key, view.spelling(*code)?))
        });
        let place: Place = place.collect();
        place
            .iter()
            .any(|(key, _)| self.names.contains(key))
            .then_some(place)
    }
}

/// Note on a problem with which the output of a program ends.
pub(crate) const ENDED: &str = " Its output ends with it: it probably ended the program.";

/// Whether a record is output of a program, without a time and a level.
fn is_output(event: &EventRef<'_>) -> bool {
    event.time().is_none() && event.level() == Level::Unknown
}

/// Whether the output of a program ends with a record that is about no work item, or at most `further` records after it.
pub(crate) fn ends_with(look: &Context<'_>, id: EventId, further: u32) -> bool {
    let Some(event) = look.snapshot.event(id).filter(is_output) else {
        return false;
    };
    let behind = EventId(id.0.saturating_add(further).saturating_add(1));
    let behind = look.snapshot.event(behind);
    behind.is_none_or(|next| next.source().id != event.source().id)
        && !look.goal_of.contains_key(&id.0)
}

/// Output with suspicious words directly before one of some records: what a command wrote before its caller reported
/// its failure.
pub(crate) fn directly_before(look: &mut Context<'_>, records: &[EventId]) -> Option<EventId> {
    let snapshot = look.snapshot;
    // A console has the output of commands between the records of a log, the log itself has not.
    let repetitions = records.iter().flat_map(|id| repetitions(look, *id));
    let records: Vec<EventId> = records.iter().copied().chain(repetitions).collect();
    let all = records
        .iter()
        .flat_map(|id| snapshot.duplicates.group(id.0));
    let mut places = Vec::new();
    for id in all {
        let source = |id: u32| snapshot.event(EventId(id)).map(|e| e.source().id);
        let near = (1..=BEFORE).filter_map(|far| id.checked_sub(far));
        let near = near.take_while(|before| source(*before) == source(id));
        let is_untimed = |id: &u32| {
            snapshot
                .event(EventId(*id))
                .is_some_and(|e| e.time().is_none())
        };
        places.extend(near.take_while(is_untimed).map(EventId));
    }
    places.into_iter().find(|id| is_trouble(look, *id))
}

/// Maximum number of records between output and the report of the failure that it explains, and one.
const BEFORE: u32 = 2;

/// Whether a record reports a problem, by its level, a definition or its words.
fn is_trouble(look: &mut Context<'_>, id: EventId) -> bool {
    let level = look
        .snapshot
        .event(id)
        .map_or(Level::Unknown, |e| e.level());
    let words = &look.snapshot.catalog.words;
    level >= Level::Error
        || look.explained.contains(&id.0)
        || level == Level::Unknown && suspicious_words::message(words, &look.message(id))
}

/// Whether an event with a time has all the keys and values of a path.
fn names(look: &Context<'_>, id: EventId, place: &[(KeyId, String)]) -> bool {
    let Some(event) = look.snapshot.event(id).filter(|e| e.time().is_some()) else {
        return false;
    };
    let mut named = vec![false; place.len()];
    event.for_each_code(|key, codes, _| {
        let Some(at) = place.iter().position(|(k, _)| *k == key) else {
            return;
        };
        let view = look.snapshot.catalog.keys.get(key);
        let is_it = |code| view.is_some_and(|v| v.spelling(code).as_ref() == Some(&place[at].1));
        named[at] |= codes.iter().any(|code| is_it(*code));
    });
    named.iter().all(|is_named| *is_named)
}

/// Adds the finding of the output to the finding of the end.
pub(crate) fn tell(look: &Context<'_>, end: &mut Finding, says: &mut Finding) {
    let tag = says.events.first().map(|id| look.tag(*id));
    let tag = tag.unwrap_or_default();
    let title = effects::title(says);
    match says.kind {
        FindingKind::Hint => {
            end.text += &format!(" {tag} says why: {title}. {}", says.text);
            end.take_advice(says);
        }
        _ => end.text += &format!(" In {tag} stands: {title}."),
    }
    // The severity of a loss already reflects whether the work was retried successfully.
    if end.kind != FindingKind::Lost {
        end.severity = end.severity.max(says.severity);
    }
}
