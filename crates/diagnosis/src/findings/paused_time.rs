//! Pauses that a program reports one after another and that take much of the time: garbage collections with too little memory.

use std::collections::BTreeMap;

use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_core::words::{cut, several};
use widetui_definition::semantics::Severity;
use widetui_time::time::{NS_PER_SECOND, format_span};

use crate::findings::causes::timeouts::longest_duration;
use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Minimum number of pauses, their sum, ns, and their share of the time from the first to the last one, per cent.
const ENOUGH: usize = 5;
const LONG: i64 = 2 * NS_PER_SECOND;
const SHARE: i64 = 25;
/// Maximum number of records that are read.
const READ: usize = 20_000;
/// Maximum length of a quoted line, characters.
const LINE: usize = 120;

/// Pause of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ProgramPause {
    /// Time of the record, UTC ns.
    time: i64,
    /// Length, ns.
    length: i64,
    event: EventId,
}

/// Finding of the pauses that take the largest share of the time; `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>) -> Option<Option<Finding>> {
    let pauses = &look.snapshot.catalog.words.pauses;
    let is_pause = |template: &str| {
        let text = template.to_lowercase();
        pauses.iter().any(|word| text.contains(word.as_str()))
    };
    let records = look.records_with(|_, template| is_pause(template))?;
    let mut kinds: BTreeMap<(SourceId, TemplateId), Vec<ProgramPause>> = BTreeMap::new();
    for id in records.into_iter().take(READ) {
        let event = look.snapshot.event(id);
        let place = event.and_then(|e| Some((e.source().id, e.template()?.id, e.time()?)));
        let Some((source, template, time)) = place else {
            continue;
        };
        if let Some(length) = longest_duration(&look.line(id)) {
            kinds
                .entry((source, template))
                .or_default()
                .push(ProgramPause {
                    time,
                    length,
                    event: id,
                });
        }
    }
    let shares = kinds.into_values().filter_map(|mut pauses| {
        pauses.sort_unstable();
        let (first, last) = (pauses.first()?, pauses.last()?);
        let span = last
            .time
            .saturating_sub(first.time)
            .saturating_add(first.length);
        let sum = pauses
            .iter()
            .fold(0_i64, |sum, pause| sum.saturating_add(pause.length));
        let share = sum.saturating_mul(100) / span.max(1);
        let is_much = pauses.len() >= ENOUGH && sum >= LONG && (SHARE..=100).contains(&share);
        is_much.then_some((share, sum, pauses))
    });
    let most = shares.max_by_key(|(share, sum, _)| (*share, *sum));
    Some(most.and_then(|(share, sum, pauses)| finding(look, share, sum, &pauses)))
}

fn finding(
    look: &mut Context<'_>,
    share: i64,
    sum: i64,
    pauses: &[ProgramPause],
) -> Option<Finding> {
    let longest = *pauses.iter().max_by_key(|pause| pause.length)?;
    let (length, longest) = (longest.length, longest.event);
    let first = pauses.first()?;
    let events: Vec<EventId> = pauses.iter().map(|pause| pause.event).collect();
    let evidence = [longest]
        .into_iter()
        .chain(events.iter().rev().copied().filter(|id| *id != longest));
    let tag = look.tag(longest);
    let line = cut(&look.line(longest), LINE);
    Some(Finding {
        text: format!(
            "{} of together {} since {}, the longest {}. Whatever the program does is slower by as much.",
            several(pauses.len(), "pause"),
            format_span(sum),
            look.clock.text(first.time),
            format_span(length)
        ),
        evidence: evidence.take(EVIDENCE).collect(),
        count: pauses.len() as u64,
        first: Some(first.time),
        events,
        next: "Why does it pause? A garbage collector that frees little needs a larger heap, or less that is kept: which collection, \
               cache or session store grows?"
            .to_owned(),
        ..Finding::new(
            FindingKind::Slow,
            Severity::Warning,
            format!("Pauses take {share} % of the time in {tag}: {line}"),
        )
    })
}
