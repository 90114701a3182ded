//! Warnings of a limit that was reached shortly before another log reports a failure of the other side: a full pool, a slow
//! consumer.

use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::cut;
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::ranking::is_of_other_side;

/// Longest time from the warning to the error, ns.
const BEFORE: i64 = 60 * NS_PER_SECOND;
/// Maximum number of records about limits that are read.
const READ: usize = 1_000;
/// Maximum length of a title, characters.
const LINE: usize = 160;

/// Finding of the first limit that was reached before the errors of `known`, as severe as these; `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>, known: &[Finding]) -> Option<Option<Finding>> {
    let errors = known.iter();
    let errors = errors.filter(|f| f.severity == Severity::Error && is_of_other_side(look, f));
    let first = errors
        .filter_map(|f| Some((f.first?, *f.evidence.first()?)))
        .min();
    let Some((end, error)) = first else {
        return Some(None);
    };
    let limits = &look.snapshot.catalog.words.limits;
    let names_limit = |text: &str| {
        let text = text.to_lowercase();
        limits.iter().any(|word| text.contains(word.as_str()))
    };
    let records = look.records_with(|level, text| level == Level::Warning && names_limit(text))?;
    let source = |id: EventId| look.snapshot.event(id).map(|e| e.source().id);
    let is_before = |id: &EventId| {
        let time = look.time(*id).unwrap_or(i64::MAX);
        (end.saturating_sub(BEFORE)..=end).contains(&time) && source(*id) != source(error)
    };
    let is_free = |id: &EventId| {
        !look.harmless.contains(&id.0) && !known.iter().any(|f| f.events.contains(id))
    };
    let own = records
        .into_iter()
        .take(READ)
        .filter(|id| is_before(id) && is_free(id));
    let mut events: Vec<EventId> = own.collect();
    events.sort_by_key(|id| (look.time(*id), *id));
    let Some(first) = events.first().copied() else {
        return Some(None);
    };
    let line = look.line(first);
    Some(Some(Finding {
        text: format!(
            "Warning of {} before the first error of other logs, which may come of it.",
            look.tag(first)
        ),
        evidence: events.iter().take(EVIDENCE).copied().collect(),
        count: 1,
        first: look.time(first),
        events,
        next: "Who takes up the place, and for how long: the slow requests or clients at that time? Only then a higher limit."
            .to_owned(),
        ..Finding::new(FindingKind::Errors, Severity::Error, cut(&line, LINE))
    }))
}
