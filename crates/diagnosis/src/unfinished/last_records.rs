//! Last records about an unfinished work item.

use widetui_analysis::entity::Entity;
use widetui_core::ids::EventId;
use widetui_store::{Snapshot, SourceTrait};

/// Templates of the last records of a work item, by their stable numbers: one for each kind of log that reports its
/// arrival, else the last one of all logs. The order of two logs within a moment is arbitrary.
pub(crate) fn told_last(
    snapshot: &Snapshot,
    entity: &Entity,
    events: &[u32],
    last: Option<EventId>,
) -> Vec<u64> {
    let kinds = entity.executor_logs.as_ref().map_or(&[][..], |w| &w.kinds);
    let mut found: Vec<(usize, u64)> = Vec::new();
    for event in events.iter().rev().filter(|_| !kinds.is_empty()) {
        let Some(event) = snapshot.event(EventId(*event)) else {
            continue;
        };
        let kind = &event.source().kind;
        let kind = kinds.iter().position(|known| known == kind);
        let Some(kind) = kind.filter(|kind| found.iter().all(|(known, _)| known != kind)) else {
            continue;
        };
        found.extend(event.template().map(|t| (kind, t.hash)));
    }
    found.sort_unstable();
    if found.is_empty() {
        let template = last.and_then(|e| snapshot.event(e)?.template());
        return template.map(|t| t.hash).into_iter().collect();
    }
    found.into_iter().map(|(_, template)| template).collect()
}

/// Last record with a time in any source, else the last one in a log.
pub(crate) fn latest(snapshot: &Snapshot, events: &[u32]) -> Option<EventId> {
    let is_timed = |id: &EventId| snapshot.event(*id).is_some_and(|e| e.time().is_some());
    let mut latest = events.iter().rev().copied().map(EventId);
    latest
        .find(is_timed)
        .or_else(|| last_words(snapshot, events))
}

/// Last record in a log; rows of databases only count if there is no log record.
pub(crate) fn last_words(snapshot: &Snapshot, events: &[u32]) -> Option<EventId> {
    let is_said = |id: &&u32| {
        let event = snapshot.event(EventId(**id));
        event.is_some_and(|e| e.time().is_some() && !e.source().has_trait(SourceTrait::Table))
    };
    let said = events.iter().rev().find(is_said);
    said.or(events.last()).copied().map(EventId)
}
