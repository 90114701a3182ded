//! Findings of unfinished work, of runs without a proper end, and of silences.

use crate::unfinished::model::{
    Channel, MutualWait, Pause, SilenceReason, Silent, UnfinishedItem, WaitState,
};
use crate::unfinished::run_stops::{RunStop, StopKind, stops};
use crate::unfinished::words::{capital, silence};
use widetui_analysis::entity::{Instance, Instances};
use widetui_analysis::runs::Run;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::begins_a_word;
use widetui_core::words::cut;
use widetui_core::words::several;
use widetui_definition::semantics::Severity;
use widetui_source::text::read_range;
use widetui_store::SourceTrait;
use widetui_time::time::format_span;

use crate::findings::causes::interrupts;
use crate::findings::context::Context;
use crate::findings::failures::failing_event;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::{hanging_work, leftover_work};

/// Maximum number of silences with a finding each.
const SILENCES: usize = 5;
/// Maximum number of records before a silence that are searched for a rare one.
const BEFORE: usize = 200;

/// Findings of unfinished work, ends and silences; `known` are the findings before.
pub(crate) fn look(look: &mut Context<'_>, known: &[Finding]) -> Vec<Finding> {
    let mut out = Vec::new();
    let long = look.hung.hanging();
    let long = long.filter(|s| s.run.is_none() && look.hung.takes_long(s));
    let long: Vec<EventId> = long.filter_map(|s| s.last_event).collect();
    look.still_hangs.extend(long);
    out.extend(hanging_work::roots(look));
    out.extend(circle(look));
    out.extend(look.hung.mutual.iter().map(|m| mutual(look, m)));
    out.extend(leftover_work::left_behind(look));
    out.extend(abrupt_ends(look, known));
    out.extend(silences(look));
    let pauses = look.hung.pauses.iter().map(|p| pause(look, p));
    out.extend(pauses.collect::<Vec<_>>());
    out
}

fn circle(look: &Context<'_>) -> Option<Finding> {
    let all: Vec<&UnfinishedItem> = look
        .hung
        .hanging()
        .filter(|s| s.standing == WaitState::Circle)
        .collect();
    let first = all.first()?;
    let names: Vec<&str> = all.iter().take(8).map(|s| s.number()).collect();
    Some(Finding {
        text: format!(
            "{} {}: none of them can begin.",
            first.title,
            names.join(", ")
        ),
        evidence: all
            .iter()
            .filter_map(|s| s.last_event)
            .take(EVIDENCE)
            .collect(),
        events: all.iter().filter_map(|s| s.last_event).collect(),
        count: all.len() as u64,
        first: first.since,
        next: "Look at what made them depend on each other.".to_owned(),
        ..Finding::new(
            FindingKind::Hung,
            Severity::Error,
            format!("{} wait for each other", several(all.len(), &first.title)),
        )
    })
}

/// Finding of resources that wait for each other. They may execute several work items at once, so it is not certain
/// that the wait never ends.
fn mutual(look: &Context<'_>, mutual: &MutualWait) -> Finding {
    let all: Vec<&UnfinishedItem> = mutual
        .stuck
        .iter()
        .map(|at| &look.hung.stuck[*at])
        .collect();
    let begun = |s: &&UnfinishedItem| s.begun_there.as_ref().map(|b| b.2).or(s.last_event);
    let waits = all.iter().filter_map(|s| {
        let other = look.hung.stuck.get(*s.waits_for.first()?)?;
        Some(format!("{} waits for {}", s.name(), other.called()))
    });
    let waits: Vec<String> = waits.take(4).collect();
    Finding {
        text: format!(
            "{}. {}. If what one of them was asked for cannot go on before what it is at is over (a lock, one thing at a time), \
             neither ever ends.",
            capital(&mutual.how(look.hung)),
            capital(&waits.join("; "))
        ),
        evidence: all.iter().filter_map(begun).take(EVIDENCE).collect(),
        events: all.iter().filter_map(begun).collect(),
        count: mutual.carriers.len() as u64,
        first: all.iter().filter_map(|s| s.since).min(),
        next: "What do these hold while they wait for an answer? Ask without holding it, or let them answer meanwhile.".to_owned(),
        ..Finding::new(FindingKind::Hung, Severity::Warning, mutual.title())
    }
}

/// Findings of runs without a proper end, those that an interrupt stopped apart. Without unfinished work these are
/// informational only, and excerpts never include the end.
fn abrupt_ends(look: &Context<'_>, known: &[Finding]) -> Vec<Finding> {
    let interrupts = known.iter().filter(|f| f.kind == FindingKind::Interrupted);
    let interrupted = interrupts.flat_map(|f| interrupts::runs(look, f));
    let interrupted: Vec<&Run> = interrupted
        .filter_map(|run| look.hung.runs.get(run?))
        .collect();
    let is_interrupted = |run: &Run| interrupted.iter().any(|other| std::ptr::eq(*other, run));
    // A run without work items hardly began.
    let is_news = |run: &Run| run.work_items.1 > 0 || !look.hung.knows_goals();
    let mut out = Vec::new();
    for (severity, news) in [(Severity::Warning, true), (Severity::Info, false)] {
        for stopped in [false, true] {
            let groups = stops(look.snapshot, look.hung, |run| {
                is_news(run) == news && is_interrupted(run) == stopped
            });
            out.extend(groups.iter().map(|group| abrupt_end(look, group, severity)));
        }
    }
    out
}

fn abrupt_end(look: &Context<'_>, group: &[RunStop<'_>], severity: Severity) -> Finding {
    let goal = look.hung.goals.first().map_or("thing", |g| &g.title);
    let first = &group[0];
    let at = look.clock.text(first.time);
    let tag = &first.tag;
    let mut text = match first.way {
        StopKind::Quit => {
            format!("Its own log ({tag}) says at {at} that it exits, without a cleanup record.")
        }
        StopKind::Stopped => format!(
            "Its own log ({tag}) ends at {at} without a cleanup record. Others of it wrote on for {}.",
            format_span(first.after)
        ),
        StopKind::Quiet => format!(
            "Its own log ({tag}) ends at {at} without a cleanup record. Others of it wrote on for {}, no longer than \
             it had been silent before.",
            format_span(first.after)
        ),
        StopKind::AllStop => format!(
            "Its own log ({tag}) ends at {at} without a cleanup record. All of its logs end then."
        ),
    };
    let name = first.run.name();
    if group.len() > 1 {
        text = format!("{name}: {}", uncapital(&text));
    }
    let begun: usize = group.iter().map(|s| s.run.work_items.0).sum();
    let open: usize = group.iter().map(|s| s.run.work_items.1).sum();
    text += &match open {
        0 if begun == 0 => " No record states that it began any work.".to_owned(),
        0 => " Nothing was unfinished.".to_owned(),
        n => format!(" {n} of {} were unfinished.", several(begun, goal)),
    };
    if first.way != StopKind::Quit {
        text += match first.way {
            StopKind::Quiet => {
                " It was killed, waits for something, or the logs were copied while it ran."
            }
            // A process that ends before any work usually had no time to log the reason.
            _ if begun == 0 => {
                " It was killed, or ended with an exception that no log shows, or the logs were copied while it ran."
            }
            _ => " Either it was killed, or the logs were copied while it ran.",
        };
        if let Some(source) = group.iter().find_map(|s| unfinished(look, s)) {
            text += &format!(
                " The last line of {source} has no end: the file may be cut there, and what came after it is not known."
            );
        }
    }
    let runs: Vec<String> = group.iter().map(|s| s.run.short_name()).collect();
    Finding {
        text,
        evidence: group.iter().map(|s| s.last).take(EVIDENCE).collect(),
        events: group.iter().map(|s| s.last).collect(),
        count: group.len() as u64,
        first: Some(first.time),
        next: match first.way {
            StopKind::Quit => "Did its program end by an exception, or without waiting for its work? Its output says so.",
            _ if begun == 0 => {
                "What does the standard error of its program say? Ask the batch system and the node about that time, too."
            }
            _ => "Ask the batch system and the node about that time: time limit, memory, a kill.",
        }
        .to_owned(),
        ..Finding::new(FindingKind::AbruptEnd, severity, match group.len() {
            1 => format!("{name} was not shut down cleanly"),
            n => {
                let shown = runs[..runs.len().min(4)].join(", ");
                let more = if runs.len() > 4 { " ..." } else { "" };
                format!(
                    "{} ({shown}{more}) were not shut down cleanly",
                    several(n, &first.run.title)
                )
            }
        })
    }
}

/// Short name of the main log of a run, if its last line has no line end.
fn unfinished(look: &Context<'_>, stop: &RunStop<'_>) -> Option<String> {
    let source = look.snapshot.source(stop.run.main_source?.0)?;
    let last = source
        .bytes
        .checked_sub(1)
        .filter(|_| !source.has_trait(SourceTrait::Synthetic))?;
    let byte = read_range(&*source.text, last, 1).ok()?;
    (byte.first()? != &b'\n').then(|| source.tag.clone())
}

/// Text for use after a colon.
fn uncapital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Finding of a pause. What ended it is a problem if it has a level of one, or stopped the program.
fn pause(look: &mut Context<'_>, pause: &Pause) -> Finding {
    let level = look.snapshot.event(pause.after).map(|e| e.level());
    let after = look.line(pause.after);
    let lower = after.to_lowercase();
    let mut stops = look.snapshot.catalog.words.stop.iter();
    let is_stop = stops.any(|word| lower.contains(word));
    Finding {
        text: format!(
            "That is most of the time of the run. The first record after it: \"{}\".",
            cut(&after, 100)
        ),
        evidence: vec![pause.before, pause.after],
        events: Vec::new(),
        count: 1,
        first: Some(pause.since),
        next:
            "Look at what the last record before it had begun, and whether its process was at work."
                .to_owned(),
        ..Finding::new(
            FindingKind::Silence,
            match level >= Some(Level::Warning) || is_stop {
                true => Severity::Warning,
                false => Severity::Info,
            },
            format!(
                "No log was written for {} after \"{}\"",
                format_span(pause.gap),
                cut(&look.line(pause.before), 100)
            ),
        )
    }
}

fn silences(look: &mut Context<'_>) -> Vec<Finding> {
    let silent: Vec<_> = look
        .hung
        .silent
        .iter()
        .filter(|s| s.why == SilenceReason::Unknown)
        .collect();
    let own: Vec<_> = look
        .hung
        .runs
        .iter()
        .filter(|r| r.has_end && r.end_event.is_none())
        .filter_map(|r| r.main_source.map(|o| o.0))
        .collect();
    let mut out = Vec::new();
    for one in silent.iter().take(SILENCES) {
        // Reported with its run.
        if one.channel == Channel::Source && own.contains(&one.source) {
            continue;
        }
        let rare = rare_before(look, one.last_event);
        let mut text = format!(
            "Until then it wrote {} records (99th percentile of the gaps between them: {}); other sources wrote {} records since.",
            one.records,
            format_span(one.usual_gap),
            one.others
        );
        let mut evidence = vec![one.last_event];
        let work = at_work(look, one);
        let mut events = Vec::new();
        if let Some(work) = &work {
            text += &format!(" {}", work.words);
            evidence.extend(Some(work.begun).filter(|b| *b != one.last_event));
            events.clone_from(&work.given_up);
        }
        // The begin of that work is reported already.
        let begun = work.map(|work| work.begun);
        if let Some(event) = rare.filter(|event| Some(*event) != begun) {
            let line = look.line(event);
            if event == one.last_event {
                text +=
                    &format!(" Its last record is of a kind that occurs only once: \"{line}\".");
            } else {
                text += &format!(
                    " Just before it a record of a kind that occurs only once: \"{line}\"."
                );
                evidence.push(event);
            }
        }
        let title = silence(one, &look.clock);
        let severity = match one.channel {
            Channel::Heartbeat(..) => Severity::Warning,
            _ if !events.is_empty() => Severity::Warning,
            _ if look.hung.hanging().next().is_some() => Severity::Warning,
            Channel::Source if announces(look, one.last_event) => Severity::Warning,
            // It may have had nothing more to report.
            _ => Severity::Info,
        };
        out.push(Finding {
            text,
            evidence,
            events,
            count: 1,
            first: Some(one.last),
            next: "Look at its last records, and whether its process was alive after them."
                .to_owned(),
            ..Finding::new(FindingKind::Silence, severity, title)
        });
    }
    out
}

/// Maximum number of words before the one for an activity.
const LEAD: usize = 8;
/// Words in -ing that are no activities.
const NOUNS: [&str; 9] = [
    "warning",
    "string",
    "setting",
    "logging",
    "nothing",
    "something",
    "everything",
    "during",
    "remaining",
];

/// True if a record reports an activity and no end: `fetching tile 31`.
fn announces(look: &mut Context<'_>, id: EventId) -> bool {
    let line = look.line(id).to_lowercase();
    let words = &look.snapshot.catalog.words;
    let is_end = |word: &str| words.end.iter().any(|end| word.starts_with(end.as_str()));
    let mut parts = line
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty());
    let has_end = words.end.iter().any(|end| begins_a_word(&line, end));
    !has_end
        && parts.by_ref().take(LEAD).any(|word| {
            word.len() > 5 && word.ends_with("ing") && !NOUNS.contains(&word) && !is_end(word)
        })
}

/// Unfinished work in a log that fell silent.
struct AtWork {
    /// Description, a sentence.
    words: String,
    /// Record of its begin in that log.
    begun: EventId,
    /// Records in which other logs report its failure later.
    given_up: Vec<EventId>,
}

/// Work that a silent log reported as begun and not as ended: its process may have died while executing it.
fn at_work(look: &Context<'_>, silent: &Silent) -> Option<AtWork> {
    if silent.channel != Channel::Source {
        return None;
    }
    let mut out: Vec<(bool, i64, String, EventId)> = Vec::new();
    let mut all_given_up: Vec<EventId> = Vec::new();
    for goals in look.found.work_items() {
        let entity = &goals.entity;
        for instance in &goals.list {
            let is = |which: &[String], state: u16| {
                let name = goals.states.get(usize::from(state));
                name.is_some_and(|name| which.contains(name))
            };
            let here = |event: EventId| {
                let source = look.snapshot.event(event).map(|e| e.source().id);
                source == Some(silent.source)
            };
            let mut own = goals.changes(instance).iter().filter(|c| here(c.event));
            let Some(last) = own
                .next_back()
                .filter(|c| is(&entity.executing_states, c.state))
            else {
                continue;
            };
            let label = goals.label(look.snapshot, instance);
            let label = label.map_or_else(String::new, |l| format!(" ({l})"));
            let number = goals.short_name(look.snapshot, instance);
            let name = format!("{} {number}{label}", entity.title);
            let given_up = given_up(look, goals, instance, silent.last);
            out.push((given_up.is_none(), last.time, name, last.event));
            all_given_up.extend(given_up);
        }
    }
    out.sort_by_key(|(is_left, time, ..)| (*is_left, *time));
    let (_, time, name, event) = out.first()?;
    let more = match out.len() - 1 {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let at = look.clock.text(*time);
    Some(AtWork {
        words: format!(
            "It reports that {name}{more} was begun there at {at}, but not how that ended: its process may have died of it."
        ),
        begun: *event,
        given_up: all_given_up,
    })
}

/// Event of a failure after a time, as other logs report it.
fn given_up(look: &Context<'_>, goals: &Instances, goal: &Instance, after: i64) -> Option<EventId> {
    let standing = goals.standing(look.snapshot, goal);
    let is_over = standing.is_final && standing.end.time() > Some(after);
    failing_event(goals, goal).filter(|_| is_over)
}

/// Preceding record in the same source whose template occurs only once.
fn rare_before(look: &Context<'_>, event: EventId) -> Option<EventId> {
    let snapshot = look.snapshot;
    let here = snapshot.event(event)?.source().id;
    let from = event.0.saturating_sub(BEFORE as u32 / 10);
    let near: Vec<EventId> = (from..=event.0)
        .rev()
        .map(EventId)
        .filter(|id| snapshot.event(*id).is_some_and(|e| e.source().id == here))
        .collect();
    let is_alone = |id: &&EventId| {
        let Some(template) = snapshot.event(**id).and_then(|e| e.template()) else {
            return false;
        };
        let count: usize = snapshot
            .segments
            .iter()
            .flat_map(|s| s.groups.iter())
            .filter(|g| {
                let shape = snapshot.catalog.shapes.get(g.shape.index());
                shape.is_some_and(|s| s.template == template.id)
            })
            .map(|g| g.rows.len())
            .sum();
        count == 1
    };
    near.iter().find(is_alone).copied()
}
