//! Sentences about roots of the graph of causes.

use widetui_core::ids::EventId;
use widetui_core::quantity::Dimension;
use widetui_core::words::{cut, grouped, listed, several};
use widetui_evidence::actors::{Form, InstanceIndex, RecordIndex, Records};
use widetui_evidence::facts::{Fact, Statement};
use widetui_evidence::graph::{Graph, Kind};
use widetui_evidence::score::Root;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::findings::words::first_line;
use crate::findings::{Finding, FindingKind};

/// Most characters of a quoted record.
const QUOTED: usize = 140;
/// Most records of evidence.
const EVIDENCE: usize = 5;
/// Most effects of a finding.
const EFFECTS: usize = 6;

/// Writer of findings.
pub(super) struct Writer<'a> {
    snapshot: &'a Snapshot,
    records: &'a Records,
    graph: &'a Graph,
    texts: TextReader,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        records: &'a Records,
        graph: &'a Graph,
    ) -> Writer<'a> {
        Writer {
            snapshot,
            records,
            graph,
            texts: TextReader::default(),
        }
    }

    /// Finding of a root; a finding of the detectors keeps its sentences.
    pub(super) fn finding(&mut self, root: &Root, known: &[Finding]) -> Finding {
        let graph: &'a Graph = self.graph;
        let facts = &graph.facts;
        let fact = &facts[root.fact];
        let mut finding = match &fact.statement {
            Statement::Known { finding, .. } => known[*finding].clone(),
            _ => self.written(fact),
        };
        finding.severity = root.severity;
        let effects = root.effects.iter().take(EFFECTS).map(|e| &facts[*e]);
        let effects: Vec<Finding> = effects
            .map(|fact| match &fact.statement {
                Statement::Known { finding, .. } => known[*finding].clone(),
                _ => self.written(fact),
            })
            .collect();
        if let Some((cause, kind)) = root.cause {
            let title = match &facts[cause].statement {
                Statement::Known { finding, .. } => known[*finding].title.clone(),
                _ => self.written(&facts[cause]).title,
            };
            finding.text = format!(
                "{} {}: {}.",
                finding.text,
                because(kind),
                cut(&title, QUOTED)
            )
            .trim()
            .to_owned();
        }
        for effect in effects {
            if effect.title != finding.title
                && !finding.effects.iter().any(|e| e.title == effect.title)
            {
                finding.events.extend(effect.events.iter().copied());
                finding.effects.push(effect);
            }
        }
        self.arrange(&mut finding);
        finding
    }

    /// Sorts the events of a finding by time; the evidence keeps the telling record first.
    fn arrange(&self, finding: &mut Finding) {
        let key = |id: &EventId| (self.snapshot.event(*id).map(|e| e.order_time()), id.0);
        finding.events.extend(finding.evidence.iter().copied());
        finding.events.sort_by_key(key);
        finding.events.dedup();
        let times = || {
            finding
                .events
                .iter()
                .filter_map(|id| self.snapshot.event(*id)?.time())
        };
        let (first, last) = (times().min(), times().max());
        (finding.first, finding.last) = (first, last);
    }

    fn written(&mut self, fact: &Fact) -> Finding {
        let (kind, title, text) = self.sentences(fact);
        let severity = widetui_definition::semantics::Severity::Warning;
        let mut finding = Finding::new(kind, severity, title);
        finding.text = text;
        let events = fact.records.iter().map(|r| self.records.record(*r).event);
        finding.evidence = events.clone().take(EVIDENCE).collect();
        finding.events = events.collect();
        finding.count = u64::from(fact.count);
        finding.subject = fact.subject.map(|i| {
            let class = self.records.instance(i).known;
            let known = class.and_then(|k| self.records.known.get(k as usize));
            let entity =
                known.map_or_else(|| self.records.class(i).to_owned(), |k| k.entity.clone());
            (entity, self.records.names(i))
        });
        self.arrange(&mut finding);
        finding
    }

    /// First line of a record, in quotes.
    fn quote(&mut self, record: RecordIndex) -> String {
        format!("\"{}\"", self.line(record))
    }

    fn line(&mut self, record: RecordIndex) -> String {
        let Some(event) = self.snapshot.event(self.records.record(record).event) else {
            return String::new();
        };
        let message = match (self.texts.record(&event), &event.source().reader) {
            (Ok(record), Some(reader)) => reader.message_without_extras(record),
            (Ok(record), None) => String::from_utf8_lossy(record).into_owned(),
            // The reader notes errors, and they are reported with the result.
            (Err(_), _) => String::new(),
        };
        let words: Vec<&str> = first_line(&message).split_whitespace().collect();
        cut(&words.join(" "), QUOTED)
    }

    /// First line of the nth record of a fact, in quotes.
    fn nth(&mut self, fact: &Fact, n: usize) -> String {
        let record = fact.records.get(n).copied();
        record.map_or_else(|| "no record".to_owned(), |r| self.quote(r))
    }

    fn tag(&self, record: RecordIndex) -> String {
        let event = self.snapshot.event(self.records.record(record).event);
        event.map(|e| e.source().tag.clone()).unwrap_or_default()
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
            _ => format!("{} {value}", class.rsplit('.').next().unwrap_or(class)),
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
    fn sentences(&mut self, fact: &Fact) -> (FindingKind, String, String) {
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
                (
                    FindingKind::Hung,
                    format!("{subjects} left the usual course at {first_record}"),
                    format!(
                        "{reached} of {of} reached the step \"{}\".",
                        cut(&step, QUOTED)
                    ),
                )
            }
            Statement::OtherWay { alike, of } => (
                FindingKind::Hung,
                format!("{who} went another way: {first_record}"),
                format!(
                    "{alike} of {of} others end with {}.",
                    self.nth(fact, fact.records.len() - 1)
                ),
            ),
            Statement::NoneWentOn { of, seconds } => (
                FindingKind::Hung,
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
                (
                    FindingKind::Hung,
                    format!("{count} of {total} stayed: {last}{missing}"),
                    String::new(),
                )
            }
            Statement::Slow {
                seconds,
                usual,
                times,
                others,
            } => (
                FindingKind::Slow,
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
            Statement::Holds { turns } => (
                FindingKind::Hung,
                format!(
                    "{who} took {} and never gave it back; waiting: {}",
                    self.names(&fact.instances[1..], 2).trim(),
                    self.names(&fact.affected, 5)
                ),
                format!(
                    "It was taken and given back {turns} times before. {who} took it with {first_record} and then wrote {}.",
                    self.nth(fact, 1)
                ),
            ),
            Statement::Cycle => (
                FindingKind::Hung,
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
            Statement::Awaited => (
                FindingKind::Hung,
                format!(
                    "{} wait for {who}, whose last record is {first_record}",
                    self.names(&fact.affected, 5)
                ),
                String::new(),
            ),
            Statement::EndsWaiting => (
                FindingKind::Hung,
                format!("The logs end with a wait: {first_record}"),
                format!("{} sources or threads end so; nothing answers.", fact.count),
            ),
            Statement::Unread {
                similar: Some(similar),
                ..
            } => (
                FindingKind::Errors,
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
            } => (
                FindingKind::Errors,
                format!(
                    "{} has nothing on the other side: {first_record}",
                    self.names(&fact.instances, 3)
                ),
                format!("{others} others have: {}.", self.nth(fact, 1)),
            ),
            Statement::Odd { value, others, of } => (
                FindingKind::Number,
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
            Statement::Differs => (
                FindingKind::Number,
                format!("Two sides differ: {first_record} and {}", self.nth(fact, 1)),
                String::new(),
            ),
            Statement::Contrast { failed, of, others } => (
                FindingKind::Failures,
                format!(
                    "{failed} of {of} that failed have {}: {first_record}",
                    self.names(&fact.instances, 4)
                ),
                format!(
                    "{others} of the others have it. Failed: {}.",
                    self.names(&fact.affected, 6)
                ),
            ),
            Statement::Absent { of } => (
                FindingKind::NeverCame,
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
            } => (
                FindingKind::Number,
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
            } => (
                FindingKind::Errors,
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
            Statement::SecondWriter => (
                FindingKind::Errors,
                format!("Two processes write {where_} at the same time: {first_record}"),
                format!("The first began with {}.", self.nth(fact, 1)),
            ),
            Statement::Killed => (
                FindingKind::Lost,
                format!("{who} was ended from outside: {first_record} ({where_})"),
                format!("Its last record: {}.", self.nth(fact, 1)),
            ),
            Statement::Exception => {
                let root = first.and_then(|r| self.records.record(r).exception.as_ref());
                let root = root.map(|e| e.root.clone()).unwrap_or_default();
                (FindingKind::Exception, cut(&root, QUOTED), String::new())
            }
            Statement::Interrupt => (
                FindingKind::Interrupted,
                format!("Interrupted by the user: {first_record}"),
                String::new(),
            ),
            Statement::Silence { seconds } => (
                FindingKind::Silence,
                format!(
                    "Nothing was written for {} after {first_record}",
                    duration(*seconds)
                ),
                format!("The next record: {}.", self.nth(fact, 1)),
            ),
            Statement::ClockStep { seconds } => (
                FindingKind::Number,
                format!(
                    "The clock of {where_} steps by {} at {first_record}",
                    duration(*seconds)
                ),
                format!("The record before: {}.", self.nth(fact, 1)),
            ),
            Statement::Restarts { times } => (
                FindingKind::Flapping,
                format!(
                    "{who} did the same {} times: {first_record}",
                    grouped(u64::from(*times))
                ),
                String::new(),
            ),
            Statement::Reason
            | Statement::Error
            | Statement::Warning
            | Statement::Quiet
            | Statement::Known { .. } => {
                let line = first.map(|r| self.line(r)).unwrap_or_default();
                (FindingKind::Errors, line, String::new())
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
