//! Records as they come: names and numbers of each, with the texts that a part of the run uses.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::quantity;

use super::exceptions::{Exception, exception, is_class};
use super::lexer::{Form, Lexer, Mention, Number, split_name, without_zeros};
use crate::data::{Data, List, Meanings};

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
    /// Keys that name the writer, and fields that are not in the message: numbers by [`Batch::key`].
    pub keys: &'a [u32],
    /// Number of records that it stands for.
    pub weight: f64,
}

/// Key of a record with its value, read once for all records that have it.
#[derive(Clone, Debug, Default)]
struct Key {
    pid: Option<u32>,
    /// Class and name of the writer.
    thread: Option<(u32, u32)>,
    /// True if it is finer than the writers that other keys name.
    is_finer: bool,
    /// Words of the name of the writer, which vary in texts as it does.
    words: Vec<String>,
    named: Option<Mention>,
    is_mention: bool,
    number: Option<Number>,
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
    pub(super) mentions: Vec<Mention>,
    pub(super) numbers: Vec<Number>,
    pub(super) counter: Option<(u64, u64)>,
    pub(super) thread: Option<(u32, u32)>,
    pub(super) pid: Option<u32>,
    pub(super) exception: Option<Box<Exception>>,
    pub(super) is_interrupted: bool,
    /// Template of the last line with a reason that a tool printed below the record.
    pub(super) printed: Option<Meanings>,
    pub(super) weight: f64,
}

/// Part of the records, with its own texts.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) lexer: Lexer,
    pub(super) records: Vec<ReadRecord>,
    keys: Vec<Key>,
    /// Meanings of templates; `None` if they depend on the numbers.
    meanings: FxHashMap<u32, Option<Meanings>>,
    /// Meanings of lines whose numbers matter.
    numbered: FxHashMap<String, Meanings>,
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
        let head = match head.len() > 400 {
            true => head.char_indices().nth(400).map_or(head, |c| &head[..c.0]),
            false => head,
        };
        let keys = || raw.keys.iter().filter_map(|k| self.keys.get(*k as usize));
        let mut writers = keys().map(|k| &*k.words).filter(|words| !words.is_empty());
        let first = writers.next().unwrap_or_default();
        let own = match writers.next() {
            None => Cow::Borrowed(first),
            Some(more) => [first, more]
                .into_iter()
                .chain(writers)
                .flatten()
                .cloned()
                .collect(),
        };
        let (template, line) = self.lexer.lex(head, sources, &own);
        let known = *self.meanings.entry(template).or_insert_with(|| {
            let with = |digit: &str| data.meanings(&line.template.replace("{}", digit));
            if !line.template.contains("{}") {
                return Some(data.meanings(&line.template));
            }
            let (none, some, part) = (with("0"), with("7"), with("7.5"));
            (none == some && some == part).then_some(none)
        });
        let meanings = known.unwrap_or_else(|| match self.numbered.get(&line.plain) {
            Some(known) => *known,
            None => {
                let found = data.meanings(&line.plain);
                self.numbered.insert(line.plain.clone(), found);
                found
            }
        });
        let mut record = ReadRecord {
            event: raw.event,
            source: raw.source,
            time: raw.time,
            level: raw.level,
            template,
            meanings,
            mentions: line.mentions.clone(),
            numbers: line.numbers.clone(),
            counter: line.counter,
            thread: None,
            pid: None,
            exception: exception(raw.text).map(Box::new),
            printed: None,
            is_interrupted: false,
            weight: raw.weight,
        };
        if record.exception.is_none() {
            let below = raw.text.lines().skip(1).take(40);
            let below = below.filter(|l| !l.is_empty() && !l.starts_with(char::is_whitespace));
            let said = below.map(|l| data.meanings(l));
            record.printed = said.into_iter().find(|m| m.is_trouble());
        }
        for key in raw.keys {
            self.add_key(&mut record, *key);
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

    /// Number of a key with its value, for [`RawRecord::keys`].
    pub fn key(&mut self, key: &str, value: &str) -> u32 {
        let key = self.read_key(key, value);
        self.keys.push(key);
        self.keys.len() as u32 - 1
    }

    fn read_key(&mut self, key: &str, value: &str) -> Key {
        let (data, texts) = (Data::get(), &mut self.lexer.texts);
        let name = key.rsplit('.').next().unwrap_or(key).to_lowercase();
        let lists = data.lists_of(&name);
        let is_writer = lists.has(List::WriterKeys);
        let mut out = Key::default();
        if is_writer {
            let words = value.trim().split(['-', '_', '.']);
            let words =
                words.filter(|w| w.len() >= 3 && w.bytes().all(|b| b.is_ascii_alphabetic()));
            out.words = words.map(str::to_owned).collect();
        }
        if value.is_empty()
            || value.len() > 60
            || value.contains(char::is_whitespace) && name != "thread"
        {
            return out;
        }
        if matches!(&*name, "pid" | "process_id" | "processid") {
            out.pid = Some(texts.number(value));
        }
        let is_number = value.bytes().all(|b| b.is_ascii_digit());
        // A number is no name of a program: the reader took `shard 5:` for one.
        if is_number && name == "program" {
            return out;
        }
        let number = quantity::parse(value);
        let is_logger = matches!(&*name, "logger" | "name");
        if is_logger && split_name(value).is_none() {
            return out;
        }
        if is_writer || is_logger {
            let class = name.strip_suffix("_name").unwrap_or(&name);
            out.thread = Some((texts.number(class), texts.number(value)));
            out.is_finer = name.starts_with("thread") && !value.starts_with("Main");
        }
        let written = without_zeros(value);
        let (value, form) = match (&*name, is_number) {
            ("pid", true) => (value, Form::Process),
            (_, true) if written.len() <= 15 => (written, Form::Numbered),
            (_, true) => return out,
            _ => (value, Form::Key),
        };
        let (class, value) = (texts.number(&name), texts.number(value));
        let is_measured = lists.has(List::Measures) || number.is_some() && !is_number;
        out.is_mention = !is_measured && !lists.has(List::States);
        out.named = Some(Mention {
            class,
            value,
            spelling: value,
            leads: false,
            form,
        });
        let is_limit = |word: &str| data.lists_of(word).has(List::Limits);
        out.number = number.filter(|_| form != Form::Process).map(|q| Number {
            value: q.value,
            dimension: q.dimension,
            class,
            slot: u16::MAX,
            is_limit: is_limit(&name) || name.split('_').any(is_limit),
            mention: None,
        });
        out
    }

    fn add_key(&self, record: &mut ReadRecord, key: u32) {
        let Some(key) = self.keys.get(key as usize) else {
            return;
        };
        record.pid = key.pid.or(record.pid);
        if record.thread.is_none() || key.is_finer {
            record.thread = key.thread.or(record.thread);
        }
        let Some(named) = key.named else { return };
        if record.mentions.iter().any(|m| m.value == named.value) {
            return;
        }
        if let Some(number) = key.number
            && !record.numbers.iter().any(|n| n.value == number.value)
        {
            let mention = key.is_mention.then_some(record.mentions.len() as u16);
            record.numbers.push(Number { mention, ..number });
        }
        record.mentions.extend(key.is_mention.then_some(named));
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
