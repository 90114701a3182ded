//! Findings of errors without a known cause, by template: the first one, then the most frequent.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_core::level::Level;
use widetui_core::words::{begins_a_word, cut};
use widetui_definition::semantics::Severity;
use widetui_format::json::dialect::OriginalForm;
use widetui_store::{EventRef, SourceTrait};

use crate::findings::affected_work;
use crate::findings::attached_exceptions::TRACEBACK;
use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind, MOST_EVENTS, Relation};
use crate::findings::last_words;
use crate::findings::printed_data;
use crate::findings::process_output;
use crate::findings::repeated_text;
use crate::findings::requested_stops::RequestedStops;
use crate::findings::stack_traces::StackTrace;
use crate::findings::suspicious_words;
use crate::findings::suspicious_words::Says;

/// Maximum number of templates with a finding each.
const SHOWN: usize = 6;

/// Maximum length of a title with a reason, characters.
const LINE: usize = 160;
/// Maximum number of records that explain the last problem in the output of a program.
const FURTHER: u32 = 3;

/// Maximum number of records of a list that are searched for a code.
const LISTED: usize = 64;

/// Maximum number of records of a template that are read for the meaning of their numbers.
const COUNTED: usize = 20_000;

struct Group {
    template: TemplateId,
    level: Level,
    events: Vec<EventId>,
    count: u64,
    /// Number of merged templates.
    kinds: usize,
    /// Records that introduce those of the group: `Error on connection 7:`.
    introductions: Vec<EventId>,
    /// Record that the first one introduces, if it reports no problem by itself.
    reason: Option<EventId>,
    /// True if all its records were written while their programs stopped as requested.
    is_of_stop: bool,
}

/// Findings of unclaimed errors; `None` when cancelled.
pub(crate) fn look(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let wrong = SuspiciousMessages::find(look)?;
    if wrong
        .found
        .keys()
        .any(|(_, level)| *level == Level::Unknown)
    {
        claim_states(look);
    }
    let groups = wrong.groups(look);
    let groups = without_repeats(look, groups);
    let mut groups = introduced(look, groups);
    let stops = RequestedStops::find(look)?;
    for group in &mut groups {
        group.is_of_stop = stops.cover(look, &group.events);
    }
    in_order(look, &mut groups);
    let groups = together(look, groups);
    let reported = groups.iter().take(SHOWN).flat_map(|g| &g.events);
    look.note_goals(reported.map(|e| e.0));
    let mut out: Vec<Finding> = Vec::new();
    let mut printed: Vec<(String, usize)> = Vec::new();
    let rest = groups.len().saturating_sub(SHOWN);
    for (number, group) in groups.iter().take(SHOWN).enumerate() {
        let before = last_words::printed_before(look, group.events[0]);
        let finding = finding(look, group, before.as_ref(), number == 0);
        let Some((_, line)) = before else {
            out.push(finding);
            continue;
        };
        // Steps of a script that fail alike have one reason.
        match printed.iter().find(|(known, _)| *known == line) {
            Some((_, at)) => {
                let known = &mut out[*at];
                known.severity = known.severity.max(finding.severity);
                known.events.extend(&finding.events);
                known.effects.push(Finding {
                    relation: Some(Relation::Output),
                    ..finding
                });
            }
            None => {
                printed.push((line, out.len()));
                out.push(finding);
            }
        }
    }
    if rest > 0
        && let Some(last) = out.last_mut()
    {
        last.text += &format!(" {rest} more kinds of errors are in the data.");
    }
    Some(out)
}

/// Number of warnings of one template from which they are a problem whatever their words.
const FREQUENT: u64 = 20;

/// Findings of unclaimed warnings that have suspicious words or are frequent, for data without another problem. Warnings
/// of runs whose work succeeded are none. `None` when cancelled.
pub(crate) fn warnings(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let words = &look.snapshot.catalog.words;
    let found = SuspiciousMessages::of(look, |level, _| match level {
        Level::Warning => Says::Trouble,
        _ => Says::Well,
    })?;
    let mut groups = found.groups(look);
    groups.retain(|group| {
        let first = group.events[0];
        let event = look.snapshot.event(first);
        let message = look.message(first);
        let lower = message.to_lowercase();
        let is_suspicious = group.count >= FREQUENT
            || suspicious_words::message(words, &message)
            || words
                .limits
                .iter()
                .any(|word| lower.contains(word.as_str()));
        is_suspicious && !event.is_some_and(|e| look.went_well(&e))
    });
    groups.sort_by_key(|g| (Reverse(g.count), g.template.0));
    let groups = groups.iter().take(SHOWN);
    Some(
        groups
            .map(|group| finding(look, group, None, false))
            .collect(),
    )
}

/// Errors, and records without a level that have suspicious words.
#[derive(Default)]
struct SuspiciousMessages {
    found: FxHashMap<(TemplateId, Level), Vec<EventId>>,
    /// Meaning of the templates at each level.
    words: FxHashMap<(TemplateId, Level), Says>,
}

impl SuspiciousMessages {
    /// Finds all such records. `None` when cancelled.
    fn find(look: &Context<'_>) -> Option<SuspiciousMessages> {
        let words = &look.snapshot.catalog.words;
        SuspiciousMessages::of(look, |level, template| match level {
            Level::Unknown => suspicious_words::template(words, template),
            level if level >= Level::Error => Says::Trouble,
            _ => Says::Well,
        })
    }

    /// Finds the records whose level and template report a problem according to `judge`. `None` when cancelled.
    fn of(look: &Context<'_>, judge: impl Fn(Level, &str) -> Says) -> Option<SuspiciousMessages> {
        let snapshot = look.snapshot;
        let catalog = &snapshot.catalog;
        let mut out = SuspiciousMessages::default();
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            if look.cancel.is_cancelled() {
                return None;
            }
            for group in &segment.groups {
                let Some(shape) = catalog.shapes.get(group.shape.index()) else {
                    continue;
                };
                let key = (shape.template, shape.level);
                let says = *out.words.entry(key).or_insert_with(|| {
                    let template = catalog.templates.get(shape.template.index());
                    template.map_or(Says::Well, |t| judge(shape.level, &t.text))
                });
                if says != Says::Well {
                    let ids = group.rows.iter().map(|row| EventId(base + u32::from(*row)));
                    let found = out.found.entry((shape.template, shape.level));
                    found.or_default().extend(ids);
                }
            }
        }
        Some(out)
    }

    /// Groups the unexplained records by template.
    fn groups(self, look: &mut Context<'_>) -> Vec<Group> {
        let snapshot = look.snapshot;
        let mut groups: Vec<Group> = Vec::new();
        for ((template, level), mut events) in self.found {
            repeated_text::unexplained(look, &mut events);
            events.retain(|id| {
                let event = snapshot.event(*id);
                snapshot.duplicates.original_of(id.0).is_none()
                    && event.is_some_and(|e| !look.is_after_end(&e) && !is_fact(&e))
            });
            if self.words.get(&(template, level)) == Some(&Says::Counted) {
                events.truncate(COUNTED);
                events.retain(|id| {
                    suspicious_words::message(&snapshot.catalog.words, &look.message(*id))
                });
            }
            if level == Level::Unknown && events.len() <= COUNTED {
                events.retain(|id| !is_printed(look, *id) && !look.is_about_a_failure(*id));
            }
            let count = look.once(&events).len() as u64;
            events.sort_by_key(|id| (look.time(*id).unwrap_or(i64::MAX), id.0));
            events.truncate(MOST_EVENTS);
            if !events.is_empty() {
                groups.push(Group {
                    template,
                    level,
                    events,
                    count,
                    kinds: 1,
                    introductions: Vec::new(),
                    reason: None,
                    is_of_stop: false,
                });
            }
        }
        groups
    }
}

/// Records of two groups with the same text and time go to the more severe group, else to the larger one.
fn without_repeats(look: &mut Context<'_>, mut groups: Vec<Group>) -> Vec<Group> {
    groups.sort_by_key(|g| (Reverse(g.level), Reverse(g.count), g.template.0));
    let all = groups.iter().enumerate();
    let all = all.flat_map(|(at, group)| group.events.iter().map(move |id| (at, *id)));
    let (of, events): (Vec<usize>, Vec<EventId>) = all.unzip();
    let again: Vec<(EventId, usize, usize)> = repeated_text::repeats(look, &events)
        .into_iter()
        .enumerate()
        .filter_map(|(at, first)| Some((events[at], of[at], of[first?])))
        .filter(|(_, own, other)| own != other)
        .collect();
    let mut is_less = vec![false; groups.len()];
    for (id, own, _) in &again {
        groups[*own].events.retain(|event| event != id);
        is_less[*own] = true;
    }
    for (group, _) in groups.iter_mut().zip(is_less).filter(|(_, less)| *less) {
        group.count = look.once(&group.events).len() as u64;
    }
    for (id, _, other) in again {
        groups[other].events.push(id);
    }
    groups.retain(|group| group.count > 0);
    groups
}

/// Moves groups whose records only introduce the records of another group, which follow at once, to that group.
fn introduced(look: &mut Context<'_>, mut groups: Vec<Group>) -> Vec<Group> {
    let all = groups.iter().enumerate();
    let of: FxHashMap<EventId, usize> = all
        .flat_map(|(at, group)| group.events.iter().map(move |id| (*id, at)))
        .collect();
    let mut moved: Vec<(usize, usize)> = Vec::new();
    for (at, group) in groups.iter_mut().enumerate() {
        let first = group.events[0];
        let next = look.next_at_once(first);
        let Some(next) = next.filter(|_| look.line(first).ends_with(':')) else {
            continue;
        };
        let is_traceback = look.line(next).starts_with(TRACEBACK);
        // Lines without times may be a list of answers.
        let is_timed = look.time(first).is_some();
        let introduces = |to: usize| {
            let mut events = group.events.iter();
            events.all(|id| look.next_at_once(*id).and_then(|next| of.get(&next)) == Some(&to))
        };
        match of.get(&next) {
            Some(to) if *to != at && is_timed && introduces(*to) => moved.push((at, *to)),
            Some(_) => {}
            None if is_traceback => {}
            None => group.reason = Some(next),
        }
    }
    let introducing: Vec<usize> = moved.iter().map(|(from, _)| *from).collect();
    moved.retain(|(_, to)| !introducing.contains(to));
    for (from, to) in &moved {
        let events = groups[*from].events.clone();
        groups[*to].introductions.extend(events);
    }
    let mut place = 0..;
    groups.retain(|_| {
        let at = place.next();
        moved.iter().all(|(from, _)| Some(*from) != at)
    });
    groups
}

/// Maximum number of records behind a notice at the start of a program that are read.
const START: u32 = 20;

/// True if a record is the first one of its log, and the program reports after it that it is ready.
fn starts_all_the_same(look: &mut Context<'_>, id: EventId) -> bool {
    let source = |id: EventId| look.snapshot.event(id).map(|e| e.source().id);
    let own = source(id);
    let before = id.0.checked_sub(1).map(EventId);
    if before.is_some_and(|before| source(before) == own) {
        return false;
    }
    let words = &look.snapshot.catalog.words;
    let behind = (1..=START).map(|far| EventId(id.0.saturating_add(far)));
    let behind: Vec<EventId> = behind.take_while(|id| source(*id) == own).collect();
    behind.into_iter().any(|id| {
        let is_well = look
            .snapshot
            .event(id)
            .is_some_and(|e| e.level() < Level::Warning);
        let line = look.line(id).to_lowercase();
        let mut all = words.ready.iter().chain(&words.listens);
        is_well && (all.any(|word| begins_a_word(&line, word)) || begins_a_word(&line, "started"))
    })
}

/// Claims state transitions without a level: states are reported elsewhere, whatever their names.
fn claim_states(look: &mut Context<'_>) {
    let snapshot = look.snapshot;
    for instances in &look.found.occurring {
        for instance in &instances.list {
            let quiet = instances.changes(instance).iter().filter(|c| {
                let event = snapshot.event(c.event);
                event.is_some_and(|e| e.level() == Level::Unknown)
            });
            look.claimed.extend(quiet.map(|c| c.event.0));
        }
    }
}

/// The first error, then by frequency: the first one is likely to have caused the others.
fn in_order(look: &Context<'_>, groups: &mut [Group]) {
    let graver = |g: &Group| Reverse(g.level >= Level::Error && !g.is_of_stop);
    let first = |g: &Group| {
        let id = g.introductions.first().unwrap_or(&g.events[0]);
        (look.time(*id).unwrap_or(i64::MAX), id.0)
    };
    groups.sort_by_key(|g| (graver(g), first(g)));
    if let Some((_, others)) = groups.split_first_mut() {
        others.sort_by_key(|g| (graver(g), Reverse(g.count), g.template.0));
    }
}

/// Whether the words of a record are in a row of a table, or in a value.
fn is_printed(look: &mut Context<'_>, id: EventId) -> bool {
    let is_timed = look.time(id).is_some();
    printed_data::is_printed(&look.message(id), is_timed)
}

/// Whether a record without a level is a row of a table, a value in a document, or has no time either: such records
/// are data, not messages.
fn is_fact(event: &EventRef<'_>) -> bool {
    let source = event.source();
    let is_fact = match source.reader.as_ref().map(|reader| reader.original_form()) {
        Some(OriginalForm::Silent) if source.has_trait(SourceTrait::Synthetic) => true,
        Some(OriginalForm::Silent | OriginalForm::Fields) => event.time().is_none(),
        Some(OriginalForm::Lines) | None => false,
    };
    event.level() == Level::Unknown && (is_fact || source.has_trait(SourceTrait::Table))
}

/// Merges templates with only suspicious words in texts without times, which may be lists.
fn together(look: &Context<'_>, groups: Vec<Group>) -> Vec<Group> {
    let list = |group: &Group| {
        let event = look.snapshot.event(group.events[0])?;
        let source = event.source();
        let is_list = group.level == Level::Unknown && source.stats.first.is_none();
        is_list.then_some(source.id)
    };
    let mut out: Vec<Group> = Vec::new();
    let mut first_of: FxHashMap<SourceId, usize> = FxHashMap::default();
    for group in groups {
        let first = list(&group).map(|id| *first_of.entry(id).or_insert(out.len()));
        match first.and_then(|at| out.get_mut(at)) {
            None => out.push(group),
            Some(known) => {
                known.kinds += group.kinds;
                known.count += group.count;
                known.events.extend(group.events);
                known.events.sort_by_key(|id| id.0);
                known.events.truncate(MOST_EVENTS);
            }
        }
    }
    out
}

/// Record of a list without times that names the error of the first one by a code, or says what its code means: without the
/// words that both begin with.
fn named(look: &mut Context<'_>, group: &Group) -> Option<String> {
    let (first, others) = group.events.split_first()?;
    let first = look.line(*first);
    if group.kinds < 2 {
        return None;
    }
    let mut lines = others.iter().take(LISTED).map(|id| look.line(*id));
    let named = match suspicious_words::names_code(&first) {
        false => lines.find(|line| suspicious_words::names_code(line))?,
        // Another line says what a code means that ends the first one.
        true => {
            let code = first
                .rsplit(' ')
                .next()
                .filter(|word| suspicious_words::is_code(word))?;
            lines.find(|line| line.split(' ').any(|word| word == code) && !line.ends_with(code))?
        }
    };
    let same = { first.split(' ').zip(named.split(' ')) }.take_while(|(a, b)| a == b);
    let rest: Vec<&str> = named.split(' ').skip(same.count()).collect();
    Some(rest.join(" "))
}

/// Finding of a group; `before` is the record before its first one, with a line printed below it that may state the reason.
fn finding(
    look: &mut Context<'_>,
    group: &Group,
    before: Option<&(EventId, String)>,
    is_first: bool,
) -> Finding {
    let first = group.events[0];
    let line = match (group.reason, named(look, group)) {
        (Some(reason), _) => format!("{} {}", look.line(first), look.line(reason)),
        (None, Some(name)) => format!("{}: {name}", look.line(first)),
        (None, None) => look.line(first),
    };
    let event = look.snapshot.event(first);
    let went_well = event.as_ref().is_some_and(|e| look.went_well(e));
    // The end of a work item is reported with it; a critical record concerns more than a single work item.
    // Repetitions need not name a work item.
    let once = look.once(&group.events);
    let ended = affected_work::all_ended(look, &once).filter(|_| group.level < Level::Critical);
    let is_last = |id: &EventId| process_output::ends_with(look, *id, FURTHER);
    let is_fatal = group.level == Level::Unknown && group.events.iter().any(is_last);
    // Of records without a level, only the words indicate a problem.
    let is_grave = group.level >= Level::Error || is_fatal;
    let has_started = group.count == 1 && starts_all_the_same(look, first);
    let is_over = group.is_of_stop || has_started || ended.is_some();
    let severity = match is_grave && !went_well && !is_over {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let mut text = match group.level {
        Level::Unknown if group.kinds > 1 => format!(
            "{} kinds of suspicious messages in {}",
            group.kinds,
            look.tag(first)
        ),
        Level::Unknown => format!("Suspicious message in {}", look.tag(first)),
        level => format!("Message with level {} in {}", level.name(), look.tag(first)),
    };
    text += ".";
    if group.is_of_stop {
        text += " Its program was stopping as requested.";
    } else if has_started {
        text += " Its program started all the same.";
    } else if is_fatal && !went_well {
        text += process_output::ENDED;
    }
    if went_well {
        text += " All work of the run succeeded, so it did no lasting harm.";
    } else if let Some(ended) = ended {
        text += &format!(" {ended}");
    }
    let said = affected_work::said(look, first, &line);
    let line = match said {
        Some(said) => cut(&format!("{line}: {said}"), LINE),
        None => cut(&line, LINE),
    };
    let line = match before {
        Some((_, printed)) if group.reason.is_none() => cut(&format!("{line}: {printed}"), LINE),
        _ => line,
    };
    let trace = StackTrace::read(&look.message(first)).unwrap_or_default();
    if let Some(place) = &trace.place {
        text += &format!(" The first place of its own code is {place}.");
    }
    let introduction = group.introductions.first();
    if let Some(introduction) = introduction {
        text += &format!(" \"{}\" introduces it.", look.line(*introduction));
    }
    let related = { introduction.into_iter() }
        .chain(&group.reason)
        .chain(before.map(|(id, _)| id));
    let evidence = group.events.iter().take(EVIDENCE).chain(related);
    let more = group.introductions.iter().chain(&group.reason);
    Finding {
        text,
        evidence: evidence.copied().collect(),
        events: group.events.iter().chain(more).copied().collect(),
        count: group.count,
        first: look.time(first),
        is_first_error: is_first,
        is_of_stop: group.is_of_stop,
        caller: trace.place,
        reason: trace.cause,
        ..Finding::new(FindingKind::Errors, severity, line)
    }
}
