//! Periods in which one step takes much longer than before and after, and the messages that occur only then: a step that
//! blocks the others, an overloaded service.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, TemplateId};
use widetui_core::words::{cut, several};
use widetui_definition::semantics::Severity;
use widetui_time::time::{NS_PER_SECOND, format_span};

use crate::findings::causes::timeouts::longest_duration;
use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Minimum factor between the durations of the period and the usual one.
const TIMES: i64 = 8;
/// Shortest durations of a slow period, ns.
const LONG: i64 = NS_PER_SECOND;
/// Minimum number of records in a slow period, and of those of the template outside it.
const ENOUGH: usize = 5;
/// Maximum number of templates that are examined, the most frequent first.
const TEMPLATES: usize = 8;
/// Maximum number of records of a template that are read, spread evenly.
const READ: usize = 2_000;
/// Maximum number of companions, and of characters of one.
const COMPANIONS: usize = 3;
const COMPANION: usize = 60;
/// Variables of templates that are followed by a unit of time.
const UNITS: [&str; 6] = ["{} ms", "{}ms", "{} s", "{}s", "{} sec", "{}sec"];

/// A record with a duration.
#[derive(Clone, Copy)]
struct Step {
    event: EventId,
    /// Time of the record, UTC ns.
    time: i64,
    /// Duration, ns.
    length: i64,
}

/// Finding of the longest slow period; `None` when cancelled.
pub(crate) fn find(look: &mut Context<'_>) -> Option<Option<Finding>> {
    let records = look.records_with(|_, template| names_duration(template))?;
    let mut by_template: BTreeMap<TemplateId, Vec<EventId>> = BTreeMap::new();
    for id in records {
        let template = look.snapshot.event(id).and_then(|e| Some(e.template()?.id));
        if let Some(template) = template {
            by_template.entry(template).or_default().push(id);
        }
    }
    let mut all: Vec<(TemplateId, Vec<EventId>)> = by_template.into_iter().collect();
    all.sort_by_key(|(template, events)| (Reverse(events.len()), *template));
    let mut slowest: Option<(i64, TemplateId, Vec<Step>, i64)> = None;
    for (template, events) in all.into_iter().take(TEMPLATES) {
        let stride = events.len().div_ceil(READ);
        let steps = events.into_iter().step_by(stride).filter_map(|event| {
            Some(Step {
                event,
                time: look.time(event)?,
                length: longest_duration(&look.line(event))?,
            })
        });
        let mut steps: Vec<Step> = steps.collect();
        steps.sort_by_key(|step| (step.time, step.event));
        if let Some((period, usual)) = slow_period(&steps) {
            let lost = period.iter().map(|step| step.length).sum();
            if slowest.as_ref().is_none_or(|known| known.0 < lost) {
                slowest = Some((lost, template, period.to_vec(), usual));
            }
        }
    }
    let Some((_, template, period, usual)) = slowest else {
        return Some(None);
    };
    Some(finding(look, template, &period, usual))
}

/// True if a template has a variable that is a duration.
fn names_duration(template: &str) -> bool {
    UNITS.iter().any(|unit| {
        let mut found = template.match_indices(unit);
        found.any(|(at, _)| !template[at + unit.len()..].starts_with(char::is_alphanumeric))
    })
}

/// Longest row of steps that are far slower than usual, and the usual duration (the median), ns.
fn slow_period(steps: &[Step]) -> Option<(&[Step], i64)> {
    let mut lengths: Vec<i64> = steps.iter().map(|step| step.length).collect();
    let middle = lengths.len() / 2;
    let (_, usual, _) =
        (lengths.len() > 2 * ENOUGH).then(|| lengths.select_nth_unstable(middle))?;
    let usual = *usual;
    let is_slow = |step: &Step| step.length >= LONG && step.length >= usual.saturating_mul(TIMES);
    let rows = steps.chunk_by(|a, b| is_slow(a) == is_slow(b));
    let row =
        { rows.filter(|row| row.first().is_some_and(is_slow)) }.max_by_key(|row| row.len())?;
    // Steps may be slow at the beginning, before caches are filled.
    let is_later = row.first().map(|step| step.event) != steps.first().map(|step| step.event);
    let is_enough = row.len() >= ENOUGH && steps.len() - row.len() >= ENOUGH;
    (is_later && is_enough).then_some((row, usual))
}

fn finding(
    look: &mut Context<'_>,
    template: TemplateId,
    period: &[Step],
    usual: i64,
) -> Option<Finding> {
    let (first, last) = (period.first()?, period.last()?);
    let text = |id: TemplateId| {
        let template = look.snapshot.catalog.templates.get(id.index());
        template.map(|t| cut(&t.text.replace("{}", "…"), COMPANION))
    };
    let name = text(template)?;
    let begin = first.time.saturating_sub(first.length);
    let mut lengths: Vec<i64> = period.iter().map(|step| step.length).collect();
    lengths.sort_unstable();
    let slow = format_span(*lengths.get(lengths.len() / 2)?);
    let companions = companions(look, template, (begin, last.time));
    let named: Vec<String> = { companions.iter() }
        .filter_map(|(id, count, _)| {
            Some(format!("\"{}\" ({})", text(*id)?, several(*count, "time")))
        })
        .collect();
    let only_then = match named.is_empty() {
        true => String::new(),
        false => format!(" Only then occur: {}.", named.join(", ")),
    };
    let clock = (look.clock.text(begin), look.clock.text(last.time));
    let events: Vec<EventId> = period.iter().map(|step| step.event).collect();
    let evidence = { events.iter().take(EVIDENCE - COMPANIONS).copied() }
        .chain(companions.iter().map(|(_, _, first)| *first));
    Some(Finding {
        text: format!(
            "From {} to {}: {}, before and after {} as a rule.{only_then}",
            clock.0,
            clock.1,
            several(period.len(), "time"),
            format_span(usual),
        ),
        evidence: evidence.collect(),
        count: period.len() as u64,
        first: Some(begin),
        events,
        next: "Look at what else the same process or service did at that time: one long step may block all others."
            .to_owned(),
        ..Finding::new(
            FindingKind::Slow,
            Severity::Warning,
            format!("Slow for a while: \"{name}\" took {slow} instead of {}", format_span(usual)),
        )
    })
}

/// Templates of messages that occur several times, nearly all of them in a period (UTC ns), with their number and first record.
fn companions(
    look: &Context<'_>,
    own: TemplateId,
    (begin, end): (i64, i64),
) -> Vec<(TemplateId, usize, EventId)> {
    let snapshot = look.snapshot;
    let mut counts: FxHashMap<TemplateId, (usize, usize, EventId)> = FxHashMap::default();
    for event in (0..snapshot.len()).filter_map(|place| snapshot.at(place)) {
        let (Some(time), Some(template)) = (event.time(), event.template()) else {
            continue;
        };
        let known = counts.entry(template.id).or_insert((0, 0, event.id));
        known.0 += 1;
        known.1 += usize::from((begin..=end).contains(&time));
    }
    let mut out: Vec<(TemplateId, usize, EventId)> = { counts.into_iter() }
        .filter(|(id, (all, inside, _))| *id != own && *inside >= ENOUGH && inside * 10 >= all * 9)
        .map(|(id, (_, inside, first))| (id, inside, first))
        .collect();
    out.sort_by_key(|(id, count, first)| (Reverse(*count), *first, *id));
    out.truncate(COMPANIONS);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(lengths: &[i64]) -> Vec<Step> {
        let all = lengths.iter().enumerate();
        all.map(|(at, length)| Step {
            event: EventId(at as u32),
            time: at as i64 * NS_PER_SECOND,
            length: length * 1_000_000,
        })
        .collect()
    }

    #[test]
    fn a_period_is_slow_against_the_time_before_and_after() {
        let usual = [50; 20];
        let of = |slow: &[i64]| [&usual[..], slow, &usual[..]].concat();
        let slow = steps(&of(&[4_000, 4_200, 4_100, 3_900, 4_300, 4_000]));
        let (period, median) = slow_period(&slow).unwrap();
        assert_eq!((period.len(), median), (6, 50_000_000));
        // Too few, not slow enough, and slow at the beginning.
        assert!(slow_period(&steps(&of(&[4_000, 4_200]))).is_none());
        assert!(slow_period(&steps(&of(&[300; 9]))).is_none());
        assert!(slow_period(&steps(&[&[4_000; 6][..], &usual].concat())).is_none());
    }

    #[test]
    fn durations_have_a_unit() {
        for text in ["price of {} in {} ms", "done in {}s", "took {} s, {} rows"] {
            assert!(names_duration(text), "{text}");
        }
        for text in ["{} steps", "read {} msgs", "{} samples"] {
            assert!(!names_duration(text), "{text}");
        }
    }
}
