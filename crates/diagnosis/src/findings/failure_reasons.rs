//! Reason of a failed work item: keys that its definition names for that, an exception, or its last error.

use widetui_analysis::entity::{Instance, Instances, StateChange};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::level::Level;
use widetui_core::words::cut;
use widetui_definition::key_type::KeyType;

use crate::findings::context::Context;
use crate::findings::exceptions;
use crate::findings::exit_status::ExitStatus;
use crate::findings::json_exceptions;
use crate::findings::object_repr::of_repr;
use crate::findings::words::opening;

/// Reason of a failure in the records of the work item: the exception of its last traceback, else its last error.
pub(crate) fn why(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> String {
    let said = said(look, goals, goal, event);
    // The exception of an earlier attempt is not the reason of the last failure.
    let began_anew = began_anew(goals, goal, event);
    let is_earlier = |time: Option<i64>| time.zip(began_anew).is_some_and(|(t, b)| t < b);
    let candidates = candidates(look, goals, goal, event, is_earlier);
    // A definition may explain the record that ended it: then the exception of the last attempt is not the reason.
    let says_itself = |look: &Context<'_>| {
        let wanted = wanted(look, goals);
        telling(look, goals, goal, event, &wanted).is_some_and(|t| t.0 == event)
    };
    if let Some(told) = ended_by(look, goals, goal, event)
        && !says_itself(look)
    {
        look.why_at.insert(event, told);
        return look.line(told);
    }
    // An exit status says less than the exception in the output of the command.
    let is_mere_status = said.as_deref().is_some_and(is_mere_status);
    if is_mere_status
        && let Some(reason) =
            raised(look, event, &candidates).or_else(|| of_output(look, event, goals.events(goal)))
    {
        return reason;
    }
    if let Some(said) = said {
        look.failed_for(event, event, &said);
        return said;
    }
    // The record with the exception may have an ordinary level.
    let exception = raised(look, event, &candidates)
        .or_else(|| raised(look, event, &usual(look, goals, goal, is_earlier)));
    if let Some(exception) = exception {
        return exception;
    }
    // The failing record is the reason if a definition explains it, otherwise an error near it.
    let says_why = |id: &&EventId| {
        let level = look.snapshot.event(**id).map(|e| e.level());
        level >= Some(Level::Error) || look.explained.contains(&id.0)
    };
    // A shortly preceding record that a definition explains comes first: an exceeded limit before the signal.
    let best = explained_before(look, goals, goal, event);
    let best = best.or_else(|| candidates.iter().find(says_why).copied());
    look.why_at.insert(event, best.unwrap_or(event));
    if let Some(told) = told_else(look, goals, goal, best.unwrap_or(event)) {
        return told;
    }
    // The number of the work item is no reason.
    let line = look.line(best.unwrap_or(event));
    // Nor is a record without a message, which is displayed as its keys.
    let is_key = |name: &str| look.snapshot.catalog.keys.find(name).is_some();
    let is_keys = line.split_once('=').is_some_and(|(name, _)| is_key(name));
    if is_keys || best.is_none() && is_mere_change(look, goals, goal, event) {
        return match last_state(goals, goal) {
            Some(state) => format!("{state}; its records do not say why"),
            None => "its records do not say why".to_owned(),
        };
    }
    line
}

/// Reason of a failed attempt that was retried successfully: the exception in its records until then, or the record
/// that names one.
pub(crate) fn why_once(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> Option<String> {
    let at = look.time(event)?;
    let is_near = |id: &EventId| {
        let time = look.time(*id);
        time.is_some_and(|t| t <= at && t.abs_diff(at) < ONE_END)
    };
    let events = goals.events(goal).iter().rev().map(|id| EventId(*id));
    let near: Vec<EventId> = events.filter(is_near).take(USUAL).collect();
    let exception = near.iter().find_map(|id| {
        let read = exceptions::read(&look.message(*id));
        read.map(|e| e.line).filter(|line| !line.is_empty())
    });
    let names_one = |id: &&EventId| {
        let template = look.snapshot.event(**id).and_then(|e| e.template());
        template.is_some_and(|t| t.text.contains(EXCEPTION))
    };
    let named = near.iter().find(names_one).copied();
    exception.or_else(|| named.map(|id| look.line(id)))
}

/// Whether the record of the failure only reports a state transition: apart from the names of the states its words are
/// those of another transition.
fn is_mere_change(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> bool {
    let mut words = |id: EventId| -> Vec<String> {
        let message = look.message(id);
        let words = message.split_whitespace().map(str::to_owned);
        words.filter(|word| !goals.states.contains(word)).collect()
    };
    let own = words(event);
    let others = goals.changes(goal).iter().rev();
    let others = others.filter(|c| !goals.is_failure(c.state));
    let mut others = others.filter(|c| c.event != event).take(USUAL);
    others.any(|c| words(c.event) == own)
}

/// Maximum number of records read for the reason of a failure, the failing record included.
const READ: usize = 4;
/// Common part of records that name an exception.
const EXCEPTION: &str = "xception";
/// Maximum number of records below the error level that are read for an exception.
const USUAL: usize = 8;

/// The failing record and the last errors before it. All errors of the work item and its own output are claimed.
fn candidates(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
    is_earlier: impl Fn(Option<i64>) -> bool,
) -> Vec<EventId> {
    let mut candidates = vec![event];
    for id in goals.events(goal).iter().rev() {
        let level = look.snapshot.event(EventId(*id)).map(|e| e.level());
        if level.is_some_and(|l| l >= Level::Error) {
            look.claimed.insert(*id);
            // A harmless record is no reason.
            let time = look.time(EventId(*id));
            if candidates.len() < READ && !look.harmless.contains(id) && !is_earlier(time) {
                candidates.push(EventId(*id));
            }
        } else if level == Some(Level::Unknown) {
            look.claimed.insert(*id);
        }
    }
    candidates
}

/// Last records that name an exception, of any level.
fn usual(
    look: &Context<'_>,
    goals: &Instances,
    goal: &Instance,
    is_earlier: impl Fn(Option<i64>) -> bool,
) -> Vec<EventId> {
    let names_one = |id: &EventId| {
        let event = look.snapshot.event(*id);
        let event = event.filter(|e| !is_earlier(e.time()));
        let template = event.and_then(|e| e.template());
        template.is_some_and(|t| t.text.contains(EXCEPTION))
    };
    let events = goals.events(goal).iter().rev().map(|id| EventId(*id));
    events.filter(names_one).take(USUAL).collect()
}

/// First exception in some records, noted as the reason of the failure at `event`.
fn raised(look: &mut Context<'_>, event: EventId, records: &[EventId]) -> Option<String> {
    for id in records {
        let message = look.message(*id);
        if let Some(exception) = exceptions::read(&message).filter(|e| !e.line.is_empty()) {
            look.failed_for(event, *id, &exception.line);
            return Some(exception.line);
        }
    }
    None
}

/// Last exception in the output of a work item, among the records `own`, noted as the reason of the failure at
/// `event`.
fn of_output(look: &mut Context<'_>, event: EventId, own: &[u32]) -> Option<String> {
    let snapshot = look.snapshot;
    let is_output = |id: &EventId| {
        let event = snapshot.event(*id);
        event.is_some_and(|e| e.time().is_none() && e.level() == Level::Unknown)
    };
    let output = own.iter().rev().map(|id| EventId(*id)).filter(is_output);
    for id in output.take(OUTPUT) {
        let message = look.message(id);
        let exception = exceptions::read(&message).map(|e| e.line);
        let line = exception.filter(|line| !line.is_empty()).or_else(|| {
            let line = opening(&message);
            exceptions::is_exception(&line).then(|| line.into_owned())
        });
        if let Some(line) = line {
            look.failed_for(event, id, &line);
            return Some(line);
        }
    }
    None
}

/// Maximum number of records of an output that are searched for the reason of a failure.
const OUTPUT: usize = 64;

/// True if a reason only states an exit status: `returned non-zero exit status 1`.
fn is_mere_status(reason: &str) -> bool {
    matches!(ExitStatus::find(reason), Some(ExitStatus::Code(_)))
        && reason.split_whitespace().count() <= STATUS_WORDS
}

/// Maximum number of words of a reason that only states an exit status.
const STATUS_WORDS: usize = 6;

/// Maximum distance of two records about the same end, ns.
const ONE_END: u64 = 1_000_000_000;

/// Another record of the same failure that a definition explains.
fn ended_by(
    look: &Context<'_>,
    goals: &Instances,
    goal: &Instance,
    failed: EventId,
) -> Option<EventId> {
    let at = look.time(failed)?;
    let is_it = |c: &&StateChange| {
        c.event != failed
            && look.explained.contains(&c.event.0)
            && c.time.abs_diff(at) < ONE_END
            && !goals
                .entity
                .inconclusive_states
                .iter()
                .any(|s| goals.states.get(usize::from(c.state)) == Some(s))
    };
    let found = goals.failures(goal).rev().find(is_it);
    found.map(|c| c.event)
}

/// Maximum time from the cause of a failure to the failure, ns.
const SHORTLY: i64 = 60_000_000_000;

/// First error, or record without a level, of a work item shortly before its failure that a definition explains.
fn explained_before(
    look: &Context<'_>,
    goals: &Instances,
    goal: &Instance,
    failed: EventId,
) -> Option<EventId> {
    let at = look.time(failed)?;
    let is_known = |id: &EventId| {
        let event = look.snapshot.event(*id);
        let is_near = |t: i64| t < at && at - t <= SHORTLY;
        look.explained.contains(&id.0)
            && event.is_some_and(|e| {
                let is_grave = e.level() >= Level::Error || e.level() == Level::Unknown;
                is_grave && e.time().is_some_and(is_near) && !e.source().coarse
            })
    };
    { goals.events(goal).iter() }
        .map(|id| EventId(*id))
        .find(is_known)
}

/// Values that give no reason.
const NOTHING: [&str; 7] = ["", "-", "None", "none", "(null)", "0", "0:0"];

/// Reason in the keys that the definition names, of a failing record without a level, which is usually a single line
/// per work item: `FAILED: reason NonZeroExitCode, exit code 3:0`.
fn told_else(
    look: &Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> Option<String> {
    let keys = &look.snapshot.catalog.keys;
    let wanted = goals.entity.failure_code_keys.iter();
    let wanted: Vec<KeyId> = wanted.filter_map(|name| keys.find(name)).collect();
    let is_message = look.snapshot.event(event)?.level() != Level::Unknown;
    if wanted.is_empty() || is_message {
        return None;
    }
    let others = goals.events(goal).iter().rev().map(|id| EventId(*id));
    let events: Vec<EventId> = std::iter::once(event)
        .chain(others)
        .take(MOST_ELSE)
        .collect();
    let value = |key: &KeyId| {
        events.iter().find_map(|id| {
            let stored = look.snapshot.event(*id)?.stored();
            let value = stored.into_iter().find(|v| v.0 == *key)?.1.to_string();
            (!NOTHING.contains(&value.trim())).then_some(value)
        })
    };
    let told = wanted.iter().filter_map(|key| {
        let label = &keys.get(*key)?.key.label;
        Some(format!("{label} {}", value(key)?))
    });
    let told: Vec<String> = told.collect();
    let state = last_state(goals, goal)?;
    Some(match told.is_empty() {
        true if look.explained.contains(&event.0) => state.to_owned(),
        true => format!("{state}; its records do not say why"),
        false => format!("{state}: {}", told.join(", ")),
    })
}

/// Maximum number of records of a work item that are searched for these keys.
const MOST_ELSE: usize = 100;

/// Whether the work item was in a state that means execution.
pub(crate) fn was_executed(goals: &Instances, goal: &Instance) -> bool {
    let mut states = goals.changes(goal).iter().map(|c| usize::from(c.state));
    states.any(|state| {
        let state = goals.states.get(state);
        state.is_some_and(|s| goals.entity.executing_states.contains(s))
    })
}

fn last_state<'g>(goals: &'g Instances, goal: &Instance) -> Option<&'g str> {
    let state = goals.changes(goal).last()?.state;
    goals.states.get(usize::from(state)).map(String::as_str)
}

/// Numbers in the reason keys of a failed work item.
pub(crate) fn codes(
    look: &Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> String {
    let wanted = wanted(look, goals);
    let stored = telling(look, goals, goal, event, &wanted).map(|t| t.1);
    let codes = stored.into_iter().flatten().filter(|v| is_code(look, v.0));
    codes.map(|v| v.1).collect::<Vec<_>>().join(" ")
}

/// Values of the reason keys of a failed work item, in the order of the definition.
fn said(
    look: &mut Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
) -> Option<String> {
    let wanted = wanted(look, goals);
    let (at, stored) = telling(look, goals, goal, event, &wanted)?;
    let event = look.snapshot.event(at)?;
    let mut parts = Vec::new();
    for key in wanted {
        let kept = stored.iter().find(|v| v.0 == key).map(|v| v.1.clone());
        // Long values are only in the text of the record.
        let Some(text) = kept.or_else(|| look.texts.value(&event, key)) else {
            continue;
        };
        let text = json_exceptions::exception(&text).unwrap_or(text);
        let text = reason(&of_repr(&text));
        let label = look.snapshot.catalog.keys.get(key).map(|k| &*k.key.label);
        match label.filter(|_| is_code(look, key)) {
            _ if text.is_empty() => {}
            // A number without a label gives no reason.
            Some(label) => parts.push(format!("{label} {text}")),
            None => {
                // The program may have printed the same text in records without an id.
                look.whys.insert(text.clone());
                parts.push(text);
            }
        }
    }
    // Drops a part that another one contains.
    let all = parts.clone();
    let is_in = |at: usize, part: &String| {
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(other, text)| text.contains(part) && (text != part || other < at))
    };
    let mut at = 0..;
    parts.retain(|part| !at.next().is_some_and(|at| is_in(at, part)));
    (!parts.is_empty()).then(|| parts.join(": "))
}

/// Keys of an entity that hold reasons of failures.
fn wanted(look: &Context<'_>, goals: &Instances) -> Vec<KeyId> {
    let keys = &look.snapshot.catalog.keys;
    let names = goals.entity.failure_keys.iter();
    names.filter_map(|name| keys.find(name)).collect()
}

fn is_code(look: &Context<'_>, key: KeyId) -> bool {
    let key = look.snapshot.catalog.keys.get(key);
    key.is_some_and(|k| k.key.kind == KeyType::Int)
}

/// Event with values of the reason keys, and these values: the failing event, else the last event that has any.
fn telling(
    look: &Context<'_>,
    goals: &Instances,
    goal: &Instance,
    event: EventId,
    wanted: &[KeyId],
) -> Option<(EventId, Vec<(KeyId, String)>)> {
    if wanted.is_empty() {
        return None;
    }
    let began_anew = began_anew(goals, goal, event);
    let is_of_it = |id: &EventId| {
        look.time(*id)
            .is_none_or(|t| began_anew.is_none_or(|b| t >= b))
    };
    let others = goals.events(goal).iter().rev().map(|id| EventId(*id));
    let mut events = std::iter::once(event).chain(others.filter(is_of_it));
    events.find_map(|id| {
        let values = look.snapshot.event(id)?.stored().into_iter();
        let values = values.filter(|v| wanted.contains(&v.0));
        let values: Vec<_> = values.map(|v| (v.0, v.1.to_string())).collect();
        let says = values.iter().any(|v| !of_repr(&v.1).trim().is_empty());
        says.then_some((id, values))
    })
}

/// Maximum length of a reason, characters.
const MESSAGE: usize = 160;

/// Whether several lines are one message: all lines after the first are indented.
fn is_one_message(text: &str) -> bool {
    let is_inside = |line: &str| line.starts_with([' ', '\t']);
    let mut behind = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    !is_inside(text) && behind.all(is_inside)
}

/// Time of the last transition before a failure from execution back to a state without a place, UTC ns: a new attempt
/// began then.
fn began_anew(goals: &Instances, goal: &Instance, failed: EventId) -> Option<i64> {
    let is_unplaced = |c: &StateChange| {
        let state = goals.states.get(usize::from(c.state));
        state.is_some_and(|s| goals.entity.unplaced_states.contains(s))
    };
    let recorder = goals.reporter_of(goal)?;
    let changes = goals.changes_by(goal, recorder);
    let end = changes.iter().position(|c| c.event == failed)?;
    let last = changes[..end].iter().rposition(is_unplaced)?;
    let was_placed = changes[..last].iter().any(|c| !is_unplaced(c));
    was_placed.then(|| changes[last].time)
}

/// Reason in one line: of several lines the exception, else the whole message if it is one, else the last line, which
/// is the end of a program's output.
fn reason(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let line = match (lines.next(), lines.next_back()) {
        (Some(_), Some(last)) => {
            let exception = exceptions::read(text).map(|e| e.line);
            let exception = exception.filter(|e| !e.is_empty());
            exception.unwrap_or_else(|| match is_one_message(text) {
                true => cut(&text.replace('\n', " "), MESSAGE),
                false => last.to_owned(),
            })
        }
        _ => text.to_owned(),
    };
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_lines_is_told_from_its_first() {
        let two = "scenario 7: shares do not sum to 1\n  region=a basin=b\n";
        assert_eq!(
            reason(two),
            "scenario 7: shares do not sum to 1 region=a basin=b"
        );
        assert_eq!(
            reason("step 1 done\nread 7 files\nno space left"),
            "no space left"
        );
    }
}
