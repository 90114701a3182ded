//! Problems beside what other logs have at the same times. A server logs why it closed a connection, its client only that it
//! was closed.

use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_core::level::Level;
use widetui_core::words::{cut, truncate_middle};
use widetui_definition::semantics::Severity;
use widetui_time::time::NS_PER_SECOND;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};
use crate::findings::suspicious_words;

/// Longest time from the record of the other side to that of the broken connection, ns.
const BEFORE: i64 = 2 * NS_PER_SECOND;
/// Longest time by which the record of the other side may be later, ns: it may log when it has cleaned up.
const BEHIND: i64 = NS_PER_SECOND;
/// Longest time between records of two logs that always come together, ns.
const AT_ONCE: i64 = NS_PER_SECOND / 5;
/// Minimum number of such times, and the maximum number that is examined.
const TIMES: usize = 3;
const MOST_TIMES: usize = 12;
/// Maximum number of records of that time that are read.
const READ: usize = 2_000;
/// Maximum length of the first part of a title with the line of the other side, characters.
const OWN: usize = 100;
/// Maximum length of the line of the other side, characters.
const LINE: usize = 120;

/// Adds the record of the other side to findings of broken connections, and to those that always come with a record of another
/// log.
pub(crate) fn find(look: &mut Context<'_>, findings: &mut [Finding]) {
    for finding in findings {
        let quotes = matches!(finding.kind, FindingKind::Errors | FindingKind::Exception);
        if !quotes || finding.severity < Severity::Warning {
            continue;
        }
        let attempts = { finding.evidence.iter() }.filter_map(|id| look.attempts.get(id));
        let ids: Vec<EventId> = finding.evidence.iter().chain(attempts).copied().collect();
        let reason = ids.into_iter().find_map(|id| reason(look, id));
        let reason = reason.filter(|(event, _)| !finding.events.contains(event));
        let is_broken = reason.is_some();
        let Some((event, line)) = reason.or_else(|| companion(look, finding)) else {
            continue;
        };
        let tag = look.tag(event);
        finding.title = format!(
            "{}: {tag}: {}",
            cut(&finding.title, OWN),
            truncate_middle(&line, LINE)
        );
        finding.evidence.push(event);
        finding.events.push(event);
        if is_broken {
            finding.text += &format!(" {tag}, the other side, wrote \"{line}\" at that time.");
            finding.next =
                format!("Look at the log of {tag} at that time: it ended the connection.");
        } else {
            finding.text += &format!(" Each time {tag} wrote such a record as \"{line}\".");
            finding.next = format!("Look at the log of {tag} at these times.");
        }
    }
}

/// Nearest record about a connection that another log has at the time of a broken one, with a problem; and its first line.
fn reason(look: &mut Context<'_>, id: EventId) -> Option<(EventId, String)> {
    let words = &look.snapshot.catalog.words;
    let has = |text: &str, list: &[String]| {
        let text = text.to_lowercase();
        list.iter().any(|word| text.contains(word.as_str()))
    };
    if !has(&look.message(id), &words.broken) {
        return None;
    }
    // Times in whole seconds are cut off.
    near(look, id, BEFORE, BEHIND)
        .into_iter()
        .find_map(|event| {
            let line = look.line(event);
            let is_reason = has(&line, &words.connections) && reports_problem(look, event, &line);
            is_reason.then_some((event, line))
        })
}

/// Record that another log has at each of the times of a finding, with a problem; and its first line. The template is that of
/// no more than a few other records.
fn companion(look: &mut Context<'_>, finding: &Finding) -> Option<(EventId, String)> {
    // Effects that were merged into the finding have other times.
    let template = |id: &EventId| {
        look.snapshot
            .event(*id)
            .and_then(|e| Some(e.template()?.id))
    };
    let own = finding.evidence.first().and_then(template);
    let mut times: Vec<(i64, EventId)> = { finding.events.iter() }
        .filter(|id| template(id) == own)
        .filter_map(|id| Some((look.time(*id)?, *id)))
        .collect();
    times.sort_unstable();
    times.dedup_by_key(|(time, _)| *time / AT_ONCE);
    if times.len() < TIMES {
        return None;
    }
    let step = times.len().div_ceil(MOST_TIMES);
    let mut common: Option<Vec<(EventId, TemplateId, SourceId)>> = None;
    for (_, id) in times.iter().step_by(step) {
        let mut here = Vec::new();
        for event in near(look, *id, AT_ONCE, 0) {
            let known = look.snapshot.event(event);
            let Some((template, source)) =
                known.and_then(|e| Some((e.template()?.id, e.source().id)))
            else {
                continue;
            };
            let line = look.line(event);
            if !finding.events.contains(&event) && reports_problem(look, event, &line) {
                here.push((event, template, source));
            }
        }
        common = Some(match common {
            None => here,
            Some(mut known) => {
                known.retain(|(_, template, source)| {
                    here.iter().any(|(_, t, s)| t == template && s == source)
                });
                known
            }
        });
        if common.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
    }
    let (event, _, _) = common?.into_iter().next()?;
    let line = look.line(event);
    Some((event, line))
}

/// Records of other logs from `before` ns before a record to `behind` ns after it, the earlier ones first, by distance.
fn near(look: &Context<'_>, id: EventId, before: i64, behind: i64) -> Vec<EventId> {
    let snapshot = look.snapshot;
    let own = snapshot.event(id);
    let Some((time, source)) = own.and_then(|own| Some((own.time()?, own.source().id))) else {
        return Vec::new();
    };
    let places = snapshot.place_of_time(time.saturating_sub(before))..snapshot.len();
    let mut near: Vec<(bool, u64, EventId)> = { places.take(READ) }
        .filter_map(|place| snapshot.at(place))
        .take_while(|event| event.order_time() <= time.saturating_add(behind))
        .filter(|event| {
            event.source().id != source
                && event.source().is_log
                && !look.harmless.contains(&event.id.0)
                && snapshot.duplicates.original_of(event.id.0).is_none()
        })
        .filter_map(|event| {
            let at = event.time()?;
            Some((at > time, at.abs_diff(time), event.id))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, _, id)| id).collect()
}

/// True if a record reports a problem by its level or, without one, by its words.
pub(crate) fn reports_problem(look: &Context<'_>, id: EventId, line: &str) -> bool {
    let words = &look.snapshot.catalog.words;
    match look.snapshot.event(id).map(|event| event.level()) {
        Some(Level::Unknown) => suspicious_words::message(words, line),
        level => level >= Some(Level::Warning),
    }
}
