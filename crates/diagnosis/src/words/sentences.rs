//! Sentences about the roots of the graph of causes.

use widetui_analysis::entity::{Id, Instances};
use widetui_core::ids::EventId;
use widetui_core::quantity::Dimension;
use widetui_core::words::{cut, grouped, last_part, listed, several};
use widetui_definition::semantics::Severity;
use widetui_evidence::actors::{Form, InstanceIndex, RecordIndex, Records};
use widetui_evidence::data::Data;
use widetui_evidence::facts::{Fact, Statement};
use widetui_evidence::graph::{Graph, Kind};
use widetui_evidence::score::Root;
use widetui_store::texts::TextReader;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use super::explained::{filled, shortened};
use super::{advice, first_line};
use crate::finding::{Effect, Finding};
use crate::known::Context;
use crate::unfinished::run_stops::stops;
use crate::unfinished::words as unfinished;

/// Most characters of a quoted record.
const QUOTED: usize = 140;
/// Most records of evidence.
const EVIDENCE: usize = 5;
/// Most characters of an effect in a sentence.
const SHOWN: usize = 80;
/// Most effects of a finding.
const EFFECTS: usize = 6;
/// Most events of a finding.
const EVENTS: usize = 10_000;

/// Title and explanation of a fact.
struct Sentences {
    title: String,
    text: String,
}

impl Sentences {
    fn new(title: impl Into<String>, text: impl Into<String>) -> Sentences {
        Sentences {
            title: title.into(),
            text: text.into(),
        }
    }
}

/// Writer of findings.
pub(crate) struct Writer<'a> {
    context: &'a Context<'a>,
    records: &'a Records,
    graph: &'a Graph,
    clock: Clock<'a>,
    texts: TextReader,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(context: &'a Context<'a>, graph: &'a Graph, zone: &'a Zone) -> Writer<'a> {
        Writer {
            context,
            records: context.records,
            graph,
            clock: Clock::of(zone, context.snapshot.range().map(|r| r.1)),
            texts: TextReader::default(),
        }
    }

    /// Finding of a root.
    pub(crate) fn finding(&mut self, root: &Root) -> Finding {
        let graph: &'a Graph = self.graph;
        let fact = &graph.facts[root.fact];
        let Sentences {
            mut title,
            mut text,
        } = self.sentences(fact);
        let direct = |to: usize| graph.edges[root.fact].iter().find(|e| e.to == to);
        // Failed work is named with its reason.
        let failed = root.effects.iter().copied().find(|e| {
            matches!(graph.facts[*e].statement, Statement::Failed { .. }) && direct(*e).is_some()
        });
        let is_reason = matches!(
            fact.statement,
            Statement::Exception | Statement::Reason | Statement::Error
        );
        if let Some(failed) = failed.filter(|_| is_reason) {
            title = format!("{}: {title}", self.failed(&graph.facts[failed]));
        }
        if let Some((cause, kind)) = root.cause {
            let cause = self.sentences(&graph.facts[cause]).title;
            text += &format!(" {}: {}.", because(kind), cut(&cause, QUOTED));
        }
        let mut effects: Vec<Effect> = Vec::new();
        for at in root.effects.iter().take(EFFECTS) {
            let effect = &graph.facts[*at];
            let title_of_effect = self.sentences(effect).title;
            if title_of_effect == title || effects.iter().any(|e| e.title == title_of_effect) {
                continue;
            }
            let edge = direct(*at);
            effects.push(Effect {
                kind: effect.statement.name(),
                title: title_of_effect,
                count: u64::from(effect.count),
                subject: self.identity(effect),
                relation: edge.map_or("indirect", |e| e.kind.name()),
                probability: edge.map_or(0.5, |e| e.weight),
            });
        }
        // Outcomes first; symptoms say little beside them.
        let is_symptom = |e: &&Effect| {
            matches!(
                e.kind,
                "left" | "slow" | "absent" | "short" | "restarts" | "silence" | "trend"
            )
        };
        let skipped = failed
            .filter(|_| is_reason)
            .map(|f| self.sentences(&graph.facts[f]).title);
        let outcomes = effects
            .iter()
            .filter(|e| !is_symptom(e) && skipped.as_ref() != Some(&e.title))
            .filter(|e| !title.contains(&e.title));
        let others: Vec<String> = outcomes.map(|e| cut(&e.title, SHOWN)).collect();
        if !others.is_empty() {
            text += &format!(
                " It explains: {}.",
                listed(&others, 3).trim_end_matches('.')
            );
        }
        let shown = |f: &'a Fact| f.records.iter().map(|r| self.records.record(*r).event);
        let mut events: Vec<EventId> = shown(fact).collect();
        let all = root.effects.iter().flat_map(|e| shown(&graph.facts[*e]));
        events.extend(all.take(EVENTS));
        let evidence = shown(fact).take(EVIDENCE).collect();
        let (next, url) = self.advice(fact, &title);
        let snapshot = self.context.snapshot;
        events.sort_by_key(|id| (snapshot.event(*id).map(|e| e.order_time()), id.0));
        events.dedup();
        let times = || events.iter().filter_map(|id| snapshot.event(*id)?.time());
        Finding {
            kind: fact.statement.name(),
            is_standstill: fact.statement.is_standstill(),
            severity: root.severity,
            title: unfinished::capital(title.trim()),
            text: unfinished::capital(text.trim()),
            evidence,
            subject: self.identity(fact),
            count: u64::from(fact.count),
            first: times().min(),
            last: times().max(),
            events,
            next,
            url,
            effects,
        }
    }

    /// Suggested next step and address of documentation.
    fn advice(&mut self, fact: &Fact, title: &str) -> (String, String) {
        let event = fact.records.first();
        let event = event.and_then(|r| self.context.snapshot.event(self.records.record(*r).event));
        if let (Statement::Explained { hint, .. }, Some(event)) = (&fact.statement, &event)
            && let Some(hint) = self.context.hints.get(*hint)
        {
            return (filled(&hint.next, event, &mut self.texts), hint.url.clone());
        }
        if let Statement::Unfinished { item } = fact.statement
            && let Some(item) = self.context.hung.stuck.get(item)
            && (item.is_executing || item.was_executing || item.begun_there.is_some())
        {
            let next = format!(
                "Look at the process that works on {}: its stack (gdb, or py-spy for Python), its output, its node.",
                item.called()
            );
            return (next, String::new());
        }
        let line = fact
            .records
            .first()
            .map(|r| self.line(*r))
            .unwrap_or_default();
        let known = advice::by_words(&self.context.snapshot.catalog.words, &[title, &line]);
        let tag = event.map(|e| e.source().tag.clone()).unwrap_or_default();
        let next = known
            .unwrap_or_else(|| advice::by_statement(&fact.statement, &self.subject(fact), &tag));
        (next, String::new())
    }

    /// Class or entity, and id, of the subject of a fact.
    fn identity(&self, fact: &Fact) -> Option<(String, Id)> {
        fact.subject.map(|i| {
            let known = self.known(i);
            let entity =
                known.map_or_else(|| self.records.class(i).to_owned(), |k| k.entity.clone());
            (entity, self.records.names(i))
        })
    }

    fn known(&self, i: InstanceIndex) -> Option<&'a widetui_evidence::actors::KnownInstance> {
        let known = self.records.instance(i).known?;
        self.records.known.get(known as usize)
    }

    /// Instances of the entity of an instance.
    fn entity(&self, i: InstanceIndex) -> Option<&'a Instances> {
        let name = &self.known(i)?.entity;
        let mut all = self.context.found.occurring.iter();
        all.find(|all| all.entity.name == *name)
    }

    /// `3 tasks of calc failed`.
    fn failed(&self, fact: &Fact) -> String {
        let Statement::Failed {
            label, dependents, ..
        } = &fact.statement
        else {
            return String::new();
        };
        let title = fact
            .subject
            .and_then(|i| self.entity(i))
            .map_or("work item", |all| &all.entity.title);
        let label = label
            .as_ref()
            .map(|l| format!(" of {l}"))
            .unwrap_or_default();
        let depended = match dependents {
            0 => String::new(),
            n => format!(
                ", and {n} that depended on {}",
                if fact.count == 1 { "it" } else { "them" }
            ),
        };
        match fact.count {
            1 => format!("{}{label} failed{depended}", self.subject(fact)),
            n => format!("{}{label} failed{depended}", several(n as usize, title)),
        }
    }

    /// First line of a record, in quotes.
    fn quote(&mut self, record: RecordIndex) -> String {
        format!("\"{}\"", self.line(record))
    }

    fn line(&mut self, record: RecordIndex) -> String {
        let Some(event) = self
            .context
            .snapshot
            .event(self.records.record(record).event)
        else {
            return String::new();
        };
        let message = match (self.texts.record(&event), &event.source().reader) {
            (Ok(record), Some(reader)) => reader.message_without_extras(record),
            (Ok(record), None) => String::from_utf8_lossy(record).into_owned(),
            // The reader notes errors, and they are reported with the result.
            (Err(_), _) => String::new(),
        };
        // The line that reports the problem, if another program printed it below the record.
        let is_printed = self.records.record(record).printed.is_some();
        let below = message
            .lines()
            .skip(1)
            .find(|l| Data::get().meanings(l).is_trouble());
        let line = below
            .filter(|_| is_printed)
            .unwrap_or_else(|| first_line(&message));
        let words: Vec<&str> = line.split_whitespace().collect();
        cut(&words.join(" "), QUOTED)
    }

    /// First line of the nth record of a fact, in quotes.
    fn nth(&mut self, fact: &Fact, n: usize) -> String {
        let record = fact.records.get(n).copied();
        record.map_or_else(|| "no record".to_owned(), |r| self.quote(r))
    }

    fn tag(&self, record: RecordIndex) -> String {
        let snapshot = &self.context.snapshot;
        let event = snapshot.event(self.records.record(record).event);
        event.map_or_else(String::new, |e| snapshot.source_name(e.source()))
    }

    fn name(&self, i: InstanceIndex) -> String {
        let instance = self.records.instance(i);
        if let Some(known) = instance
            .known
            .and_then(|k| self.records.known.get(k as usize))
        {
            return known.title.clone();
        }
        let (class, value) = (self.records.class(i), self.records.value(i));
        if let Some(source) = instance
            .source
            .and_then(|s| self.records.sources.get(s as usize))
        {
            return source
                .path
                .rsplit('/')
                .next()
                .unwrap_or(&source.path)
                .to_owned();
        }
        match instance.form {
            Form::File | Form::Address | Form::Source => value.to_owned(),
            _ if matches!(class, "item" | "name" | "id") => value.to_owned(),
            // A record may list several: `tasks: [1, 2]`.
            _ => format!("{} {value}", singular(last_part(class))),
        }
    }

    fn names(&self, all: &[InstanceIndex], most: usize) -> String {
        let names: Vec<String> = all.iter().map(|i| self.name(*i)).collect();
        listed(&names, most)
    }

    fn subject(&self, fact: &Fact) -> String {
        fact.subject
            .map_or_else(|| "the run".to_owned(), |i| self.name(i))
    }

    #[expect(clippy::too_many_lines, reason = "one sentence for each statement")]
    fn sentences(&mut self, fact: &Fact) -> Sentences {
        let who = self.subject(fact);
        let first = fact.records.first().copied();
        let first_record = self.nth(fact, 0);
        let where_ = first.map(|r| self.tag(r)).unwrap_or_default();
        match &fact.statement {
            Statement::LeftCourse {
                missing,
                reached,
                of,
            } => {
                let subjects = self.names(
                    &fact.instances[..(fact.count as usize).min(fact.instances.len())],
                    5,
                );
                let step = self.records.text(*missing).to_owned();
                Sentences::new(
                    format!("{subjects} left the usual course at {first_record}"),
                    format!(
                        "{reached} of {of} reached the step \"{}\".",
                        cut(&step, QUOTED)
                    ),
                )
            }
            Statement::NoneWentOn { of, seconds } => Sentences::new(
                format!("None of {of} went on after {first_record}"),
                format!("Nothing followed for {}.", duration(*seconds)),
            ),
            Statement::Short {
                count,
                total,
                absent,
            } => {
                let missing = match absent {
                    Some((class, n)) => {
                        format!("; {} {n} has no record", self.records.text(*class))
                    }
                    None if fact.records.len() > 1 => {
                        format!("; missing: {}", self.names(&fact.instances, 5))
                    }
                    None => String::new(),
                };
                let last = self.nth(fact, fact.records.len() - 1);
                Sentences::new(
                    format!("{count} of {total} stayed: {last}{missing}"),
                    String::new(),
                )
            }
            Statement::Slow {
                seconds,
                usual,
                times,
                others,
            } => Sentences::new(
                format!(
                    "{who} is slow: {} up to {first_record}, elsewhere {}",
                    duration(*seconds),
                    duration(*usual)
                ),
                format!(
                    "{}, against {others} others; it began with {}.",
                    several(*times as usize, "time"),
                    self.nth(fact, 1)
                ),
            ),
            Statement::Holds { turns } => Sentences::new(
                format!(
                    "{who} took {} and never gave it back; waiting: {}",
                    match fact.instances.get(1..) {
                        None | Some([]) => "it".to_owned(),
                        Some(held) => self.names(held, 2),
                    },
                    self.names(&fact.affected, 5)
                ),
                format!(
                    "It was taken and given back {turns} times before. {who} took it with {first_record} and then wrote {}.",
                    self.nth(fact, 1)
                ),
            ),
            Statement::Cycle => Sentences::new(
                format!("{} wait for each other", self.names(&fact.instances, 5)),
                match fact.affected.is_empty() {
                    true => format!("Their last records: {first_record}, {}.", self.nth(fact, 1)),
                    false => format!(
                        "Their last records: {first_record}, {}. Behind them: {}.",
                        self.nth(fact, 1),
                        self.names(&fact.affected, 5)
                    ),
                },
            ),
            Statement::Awaited => Sentences::new(
                format!(
                    "{} wait for {who}, whose last record is {first_record}",
                    self.names(&fact.affected, 5)
                ),
                String::new(),
            ),
            Statement::EndsWaiting => Sentences::new(
                format!("The logs end with a wait: {first_record}"),
                format!("{} sources or threads end so; nothing answers.", fact.count),
            ),
            Statement::Unread {
                similar: Some(similar),
                ..
            } => Sentences::new(
                format!(
                    "Two spellings of one name: {who} in {first_record}, {} in {}",
                    self.name(*similar),
                    self.nth(fact, 1)
                ),
                "Each stands on one side alone.".to_owned(),
            ),
            Statement::Unread {
                similar: None,
                others,
            } => Sentences::new(
                format!(
                    "{} has nothing on the other side: {first_record}",
                    self.names(&fact.instances, 3)
                ),
                format!("{others} others have: {}.", self.nth(fact, 1)),
            ),
            Statement::Odd { value, others, of } => Sentences::new(
                format!(
                    "{who} differs from its like: {} in {first_record}",
                    number(*value)
                ),
                match others.0 == others.1 {
                    true => format!("{} in the {of} others.", number(others.0)),
                    false => format!(
                        "{} to {} in the {of} others.",
                        number(others.0),
                        number(others.1)
                    ),
                },
            ),
            Statement::Differs => Sentences::new(
                format!("Two sides differ: {first_record} and {}", self.nth(fact, 1)),
                String::new(),
            ),
            Statement::Contrast { failed, of, others } => Sentences::new(
                format!(
                    "{failed} of {of} that failed have {}: {first_record}",
                    self.names(&fact.instances, 4)
                ),
                format!(
                    "{others} of the others have it. Failed: {}.",
                    self.names(&fact.affected, 6)
                ),
            ),
            Statement::Absent { of } => Sentences::new(
                format!(
                    "{} has no log of its own; {of} others have",
                    self.names(&fact.instances, 5)
                ),
                format!("It is named in {first_record}."),
            ),
            Statement::Trend {
                first,
                last,
                times,
                limit,
            } => Sentences::new(
                format!(
                    "A number only grows: {} to {} in {first_record}",
                    number(*first),
                    number(*last)
                ),
                match limit {
                    Some(limit) => format!("{times} records; the limit is {}.", number(*limit)),
                    None => format!("{times} records."),
                },
            ),
            Statement::Limit {
                dimension,
                limit,
                need,
                times,
            } => Sentences::new(
                format!(
                    "The limit of {} is below what is needed, {}: {first_record}",
                    quantity(*limit, *dimension),
                    quantity(*need, *dimension)
                ),
                format!(
                    "Exceeded {}, as in {}.",
                    several(*times as usize, "time"),
                    self.nth(fact, 1.min(fact.records.len() - 1))
                ),
            ),
            Statement::SecondWriter => Sentences::new(
                format!("Two processes write {where_} at the same time: {first_record}"),
                format!("The first began with {}.", self.nth(fact, 1)),
            ),
            Statement::Killed => Sentences::new(
                format!("{who} was ended from outside: {first_record} ({where_})"),
                format!("Its last record: {}.", self.nth(fact, 1)),
            ),
            Statement::Exception => {
                let root = first.and_then(|r| self.records.record(r).exception.as_ref());
                let root = root.map(|e| e.root.clone()).unwrap_or_default();
                Sentences::new(cut(&root, QUOTED), String::new())
            }
            Statement::Interrupt => Sentences::new(
                format!("Interrupted by the user: {first_record}"),
                String::new(),
            ),
            Statement::Silence { seconds } => Sentences::new(
                format!(
                    "Nothing was written for {} after {first_record}",
                    duration(*seconds)
                ),
                format!("The next record: {}.", self.nth(fact, 1)),
            ),
            Statement::ClockStep { seconds } => Sentences::new(
                format!(
                    "The clock of {where_} steps by {} at {first_record}",
                    duration(*seconds)
                ),
                format!("The record before: {}.", self.nth(fact, 1)),
            ),
            Statement::Restarts { times } => Sentences::new(
                format!(
                    "{who} did the same {} times: {first_record}",
                    grouped(u64::from(*times))
                ),
                String::new(),
            ),
            Statement::Reason | Statement::Error | Statement::Warning | Statement::Quiet => {
                let line = first.map(|r| self.line(r)).unwrap_or_default();
                Sentences::new(line, String::new())
            }
            Statement::Explained { hint, severity } => {
                let hints = self.context.hints;
                let event = first.map(|r| self.records.record(r).event);
                let event = event.and_then(|e| self.context.snapshot.event(e));
                let (Some(hint), Some(event)) = (hints.get(*hint), event) else {
                    return Sentences::new(first_record, String::new());
                };
                let mut title = filled(&hint.title, &event, &mut self.texts);
                if hint.is_vocabulary && *severity > Severity::Info {
                    let line = first.map(|r| self.line(r)).unwrap_or_default();
                    title += &format!(": {}", shortened(&line, QUOTED));
                }
                Sentences::new(title, filled(&hint.text, &event, &mut self.texts))
            }
            Statement::Failed { reason, .. } => {
                let reason = match reason {
                    Some(reason) => cut(reason, QUOTED),
                    None => first.map_or_else(String::new, |r| self.line(r)),
                };
                let which = match fact.count {
                    1 => String::new(),
                    _ => format!(
                        "They are {}.",
                        self.names(
                            &fact.instances[..(fact.count as usize).min(fact.instances.len())],
                            5
                        )
                    ),
                };
                Sentences::new(format!("{}: {reason}", self.failed(fact)), which)
            }
            Statement::Lost => {
                let title = fact
                    .subject
                    .and_then(|i| self.entity(i))
                    .map_or("resource", |all| &all.entity.title);
                let who = match fact.count {
                    1 => format!("{who} was lost"),
                    n => format!("{} more were lost", several(n as usize, title)),
                };
                Sentences::new(format!("{who}: {first_record}"), String::new())
            }
            Statement::Unfinished { item } => {
                let hung = self.context.hung;
                let Some(one) = hung.stuck.get(*item) else {
                    return Sentences::new(first_record, String::new());
                };
                let state = one
                    .state
                    .as_ref()
                    .map(|s| format!(": {s}"))
                    .unwrap_or_default();
                let age = unfinished::age(one, &self.clock);
                let who = match fact.count {
                    1 => one.name(),
                    n => several(n as usize, &one.title),
                };
                let have = if fact.count == 1 { "has" } else { "have" };
                let title = match (&one.finished_there, &one.known.cut, one.lost_sight()) {
                    (_, Some(_), _) | (_, _, Some(_)) => format!("{who} {have} no known end"),
                    (Some(_), None, None) => {
                        format!("{who} ended where it ran, and its owner has no result{age}")
                    }
                    (None, None, None) => format!("{who} began and never ended{state}{age}"),
                };
                Sentences::new(title, unfinished::root(hung, one, &self.clock))
            }
            Statement::Stopped { stop } => {
                let all = stops(self.context.snapshot, self.context.hung, |run| {
                    run.work_items.1 > 0
                });
                let sentence = all
                    .get(*stop)
                    .map(|group| unfinished::stopped(group, &self.clock));
                let sentence = sentence.unwrap_or_default();
                let names: Vec<String> = { all.get(*stop) }
                    .map(|group| group.iter().map(|s| s.run.name()).collect())
                    .unwrap_or_default();
                let verb = if names.len() == 1 { "was" } else { "were" };
                Sentences::new(
                    format!("{} {verb} not shut down cleanly", listed(&names, 3)),
                    sentence,
                )
            }
            Statement::Truncated { cut, .. } => {
                let hung = self.context.hung;
                let Some(cut) = hung.cuts.get(*cut) else {
                    return Sentences::new(first_record, String::new());
                };
                let ends = cut.ends(&hung.runs, &self.clock).unwrap_or_default();
                let text = format!(
                    "It says: {}. Events after the cut are unknown: work without an end may have ended.",
                    cut.problem
                );
                Sentences::new(format!("{}: {ends}", cut.title()), text)
            }
        }
    }
}

/// Words before a cause.
fn because(kind: Kind) -> &'static str {
    match kind {
        Kind::Interrupt => "After the interrupt",
        Kind::Holds | Kind::PartOf => "It waits for",
        Kind::Limit => "A limit",
        _ => "Probably because of",
    }
}

/// Duration in words.
fn duration(seconds: f64) -> String {
    let size = seconds.abs();
    match size {
        s if s < 1.0 => format!("{:.0} ms", seconds * 1e3),
        s if s < 120.0 => format!("{seconds:.1} s"),
        _ => format!("{:.0} s", seconds),
    }
}

/// Number with the unit of its dimension.
fn quantity(value: f64, dimension: Option<Dimension>) -> String {
    match dimension {
        Some(Dimension::Time) => duration(value),
        Some(other) => format!("{} {}", grouped(value as u64), other.unit()),
        None => number(value),
    }
}

/// Number with few digits.
fn number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => format!("{value:.0}"),
        false => format!("{value:.3}"),
    }
}
/// Singular of an English noun: `task` of `tasks`; words that only end like plurals stay.
fn singular(word: &str) -> String {
    let is_singular = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (_, Some(stem)) if !is_singular => stem.to_owned(),
        _ => word.to_owned(),
    }
}
