//! Records as they come: names and numbers of each, with the texts that a part of the run uses.

use rustc_hash::FxHashMap;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::quantity::{self, Dimension};

use super::exceptions::{Exception, exception, is_class};
use super::interner::Interner;
use super::lexer::{Form, lex};
use crate::data::{Data, Meanings};

/// Record to be read.
#[derive(Clone, Copy, Debug)]
pub struct RawRecord<'a> {
    /// Event.
    pub event: EventId,
    /// Index of its source.
    pub source: u32,
    /// Time, UTC ns.
    pub time: Option<i64>,
    /// Severity.
    pub level: Level,
    /// Message, all lines.
    pub text: &'a str,
    /// Keys that name the writer, and fields that are not in the message.
    pub keys: &'a [(&'a str, &'a str)],
}

/// Name in a record, by numbers of texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawMention {
    pub(super) class: u32,
    pub(super) value: u32,
    pub(super) spelling: u32,
    pub(super) leads: bool,
    pub(super) form: Form,
}

/// Number in a record.
#[derive(Clone, Copy, Debug)]
pub struct RawNumber {
    /// Value in the base unit.
    pub value: f64,
    /// Dimension, if a unit is stated.
    pub dimension: Option<Dimension>,
    /// Number of the word that names it.
    pub class: u32,
    /// Position among the numbers of the line.
    pub slot: u16,
    /// True for a limit.
    pub is_limit: bool,
    pub(super) mention: Option<u16>,
}

/// Record that was read.
#[derive(Clone, Debug)]
pub(super) struct ReadRecord {
    pub(super) event: EventId,
    pub(super) source: u32,
    pub(super) time: Option<i64>,
    pub(super) level: Level,
    pub(super) template: u32,
    pub(super) meanings: Meanings,
    pub(super) mentions: Vec<RawMention>,
    pub(super) numbers: Vec<RawNumber>,
    pub(super) counter: Option<(u64, u64)>,
    pub(super) thread: Option<(u32, u32)>,
    pub(super) pid: Option<u32>,
    pub(super) exception: Option<Box<Exception>>,
    pub(super) is_interrupted: bool,
    /// Template of the last line with a reason that a tool printed below the record.
    pub(super) printed: Option<Meanings>,
}

/// Part of the records, with its own texts.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) texts: Interner,
    pub(super) records: Vec<ReadRecord>,
    /// Meanings of templates; `None` if they depend on the numbers.
    meanings: FxHashMap<u32, Option<Meanings>>,
    /// Traceback whose lines are records of their own.
    open: Option<OpenTraceback>,
}

/// Traceback in records without a time: index of each record and its line.
#[derive(Debug)]
struct OpenTraceback {
    source: u32,
    lines: Vec<(usize, String)>,
}

impl Batch {
    /// Reads a record; `sources` has the names of sources without extension.
    pub fn add(&mut self, raw: &RawRecord<'_>, sources: &FxHashMap<String, u32>) {
        self.join_traceback(raw);
        let data = Data::get();
        let head = raw.text.lines().find(|l| !l.trim().is_empty());
        let head = head.unwrap_or_default().trim();
        let head = head.char_indices().nth(400).map_or(head, |c| &head[..c.0]);
        let writer = raw.keys.iter().filter(|(key, _)| {
            let name = key.rsplit('.').next().unwrap_or(key);
            data.lists("writer_keys", name)
        });
        let own: Vec<&str> = writer
            .flat_map(|(_, value)| value.trim().split(['-', '_', '.']))
            .filter(|part| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_alphabetic()))
            .collect();
        let line = lex(head, sources, &own);
        let template = self.texts.number(&line.template);
        let known = *self.meanings.entry(template).or_insert_with(|| {
            let with = |digit: &str| data.meanings(&line.template.replace("{}", digit));
            let (none, some, part) = (with("0"), with("7"), with("7.5"));
            (none == some && some == part).then_some(none)
        });
        let mut mentions: Vec<RawMention> = Vec::with_capacity(line.mentions.len());
        for m in &line.mentions {
            mentions.push(RawMention {
                class: self.texts.number(&m.class),
                value: self.texts.number(&m.value),
                spelling: self.texts.number(&m.spelling),
                leads: m.leads,
                form: m.form,
            });
        }
        let mut numbers: Vec<RawNumber> = Vec::with_capacity(line.numbers.len());
        for (slot, n) in line.numbers.iter().enumerate() {
            numbers.push(RawNumber {
                value: n.value,
                dimension: n.dimension,
                class: self.texts.number(&n.class),
                slot: slot as u16,
                is_limit: n.is_limit,
                mention: n.mention.map(|m| m as u16),
            });
        }
        let mut record = ReadRecord {
            event: raw.event,
            source: raw.source,
            time: raw.time,
            level: raw.level,
            template,
            meanings: known.unwrap_or_else(|| data.meanings(&line.plain)),
            mentions,
            numbers,
            counter: line.counter,
            thread: None,
            pid: None,
            exception: exception(raw.text).map(Box::new),
            printed: None,
            is_interrupted: false,
        };
        if record.exception.is_none() {
            let below = raw.text.lines().skip(1).take(40);
            let below = below.filter(|l| !l.is_empty() && !l.starts_with(char::is_whitespace));
            let said = below.map(|l| data.meanings(l));
            record.printed = said.into_iter().find(|m| m.is_trouble());
        }
        for (key, value) in raw.keys {
            self.add_key(&mut record, key, value);
        }
        self.records.push(record);
    }

    /// Adds a record to the open traceback, or ends it.
    fn join_traceback(&mut self, raw: &RawRecord<'_>) {
        let line = raw.text.trim_end();
        let begins = line.trim_start().starts_with("Traceback (most recent");
        if let Some(open) = &mut self.open {
            let is_same = open.source == raw.source && raw.time.is_none();
            if is_same && (begins || is_continuation(line)) {
                open.lines.push((self.records.len(), line.to_owned()));
                return;
            }
            self.end_traceback();
        }
        if begins && raw.time.is_none() && exception(line).is_none() {
            let lines = vec![(self.records.len(), line.to_owned())];
            self.open = Some(OpenTraceback {
                source: raw.source,
                lines,
            });
        }
    }

    /// Gives the exception of a traceback to the record that states it; the other records say nothing.
    pub(super) fn end_traceback(&mut self) {
        let Some(open) = self.open.take().filter(|o| o.lines.len() > 1) else {
            return;
        };
        let lines: Vec<&str> = open.lines.iter().map(|(_, line)| line.as_str()).collect();
        let Some(found) = exception(&lines.join("\n")) else {
            return;
        };
        let is_interrupt = found.is_interrupt;
        let mut found = Some(Box::new(found));
        for (at, line) in &open.lines {
            let Some(record) = self.records.get_mut(*at) else {
                continue;
            };
            record.is_interrupted = is_interrupt;
            let is_root = found.as_ref().is_some_and(|e| e.root == line.trim());
            record.exception = if is_root { found.take() } else { None };
            if !is_root {
                record.meanings = Meanings::default();
            }
        }
    }

    fn add_key(&mut self, record: &mut ReadRecord, key: &str, value: &str) {
        let data = Data::get();
        let name = key.rsplit('.').next().unwrap_or(key).to_lowercase();
        if value.is_empty()
            || value.len() > 60
            || value.contains(char::is_whitespace) && name != "thread"
        {
            return;
        }
        if matches!(&*name, "pid" | "process_id" | "processid") {
            record.pid = Some(self.texts.number(value));
        }
        let written = value.trim_start_matches('0');
        let is_number = value.bytes().all(|b| b.is_ascii_digit());
        // A number is no name of a program: the reader took `shard 5:` for one.
        if is_number && name == "program" {
            return;
        }
        let number = quantity::parse(value);
        let split = super::lexer::split_name(value);
        let is_writer = data.lists("writer_keys", &name);
        let is_logger = matches!(&*name, "logger" | "name");
        if is_logger && split.is_none() {
            return;
        }
        if is_writer || is_logger {
            let class = name.strip_suffix("_name").unwrap_or(&name);
            let thread = (self.texts.number(class), self.texts.number(value));
            let is_finer =
                record.thread.is_none() || name.starts_with("thread") && !value.starts_with("Main");
            if is_finer {
                record.thread = Some(thread);
            }
        }
        let (value, form) = match (&*name, is_number) {
            ("pid", true) => (value, Form::Process),
            (_, true) if written.len() <= 15 => (
                if written.is_empty() { "0" } else { written },
                Form::Numbered,
            ),
            (_, true) => return,
            _ => (value, Form::Key),
        };
        let canonical = self.texts.number(value);
        let class = self.texts.number(&name);
        if record.mentions.iter().any(|m| m.value == canonical) {
            return;
        }
        let is_measured = data.lists("measures", &name) || number.is_some() && !is_number;
        let has = number.is_some_and(|q| record.numbers.iter().any(|n| n.value == q.value));
        let is_mention = !is_measured && !data.lists("states", &name);
        if let Some(q) = number
            && !has
            && form != Form::Process
        {
            record.numbers.push(RawNumber {
                value: q.value,
                dimension: q.dimension,
                class,
                slot: u16::MAX,
                is_limit: data.lists("limits", &name)
                    || name.split('_').any(|w| data.lists("limits", w)),
                mention: is_mention.then_some(record.mentions.len() as u16),
            });
        }
        if is_mention {
            record.mentions.push(RawMention {
                class,
                value: canonical,
                spelling: canonical,
                leads: false,
                form,
            });
        }
    }
}

/// True for a line that goes on with a traceback.
fn is_continuation(line: &str) -> bool {
    line.is_empty()
        || line.starts_with(char::is_whitespace)
        || line.starts_with("During handling of the above")
        || line.starts_with("The above exception was")
        || is_class(line)
}
