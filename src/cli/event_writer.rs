//! Writer of events as text, JSON lines or CSV.

use std::io::{self, Write};

use widetui_core::cancel::Cancel;
use widetui_core::words::shown_lines;
use widetui_format::exports::DERIVED;
use widetui_query::bits::Bits;
use widetui_query::{Field, resolve_key};
use widetui_report::event::{EventKey, FullEvent, event_without_keys, full_event};
use widetui_report::jsonl::ObjectLine;
use widetui_report::origin::derived;
use widetui_report::records::{csv_head, csv_row, key_columns, write_in_order};
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Value};
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

use super::args::Format;
use super::colour::{TextRole, of_level, paint};
use super::opened::Opened;
use super::output::{Failure, safe};

/// Widths of a time and of the widest source, columns.
const TIME: usize = 26;
const WIDEST_SOURCE: usize = 24;

/// Form of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for people.
    Text,
    /// JSON lines.
    Jsonl,
    /// JSON lines with the join of each derived key.
    JsonlWithJoins,
    /// CSV with a header.
    Csv,
}

impl Form {
    /// Form of a format.
    ///
    /// # Errors
    /// `provenance` with another format than JSON lines.
    pub fn of(format: Format, provenance: bool) -> Result<Form, Failure> {
        match (format, provenance) {
            (Format::Jsonl, true) => Ok(Form::JsonlWithJoins),
            (_, true) => Err(Failure::Message(
                "--provenance requires --format jsonl".to_owned(),
            )),
            (Format::Text, false) => Ok(Form::Text),
            (Format::Jsonl, false) => Ok(Form::Jsonl),
            (Format::Csv, false) => Ok(Form::Csv),
            (Format::Arrow | Format::Parquet, false) => Err(Failure::Message(
                "Arrow and Parquet take no --follow and no context lines".to_owned(),
            )),
        }
    }
}

/// Writer of events in one form. The columns are fixed at the start, also for events that arrive later.
#[derive(Debug)]
pub struct EventWriter {
    form: Form,
    zone: Zone,
    /// Keys to write; all if empty.
    keys: Vec<String>,
    /// Names of the key columns of CSV.
    columns: Vec<String>,
    /// Width of sources in text, columns.
    source_width: usize,
    /// Context lines among the events, if any were requested.
    context: Option<ContextLines>,
    /// Whether an event was written.
    is_started: bool,
}

/// Matches and gaps among events with context lines.
#[derive(Debug)]
pub struct ContextLines {
    /// Events that match.
    pub matches: Bits,
    /// Events after a gap, except the first event.
    pub after_gap: Bits,
}

/// Reason for which an event is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteReason {
    /// Match, without context lines.
    Plain,
    /// Match among context lines.
    Match,
    /// Context line.
    Context,
}

impl WriteReason {
    /// Character between time and source, as in the output of grep.
    fn mark(self) -> char {
        match self {
            WriteReason::Plain => ' ',
            WriteReason::Match => ':',
            WriteReason::Context => '-',
        }
    }
}

/// JSON field of context lines.
const CONTEXT_FIELD: &str = "_context";

impl EventWriter {
    /// Writer for a run, with these keys only, or with all if `keys` is empty.
    pub fn new(opened: &Opened, keys: &[String], form: Form) -> EventWriter {
        let snapshot = &*opened.snapshot;
        let keys: Vec<String> = keys.iter().map(|k| canonical_name(snapshot, k)).collect();
        let logs = snapshot.sources.iter().filter(|s| s.is_log);
        let widest = logs.map(|s| s.tag.chars().count()).max();
        EventWriter {
            form,
            zone: opened.zone.clone(),
            columns: match form {
                Form::Csv => columns(snapshot, &keys),
                _ => Vec::new(),
            },
            keys,
            source_width: widest.unwrap_or(0).min(WIDEST_SOURCE),
            context: None,
            is_started: false,
        }
    }

    /// Writer with context lines among the events.
    pub fn with_context(self, context: ContextLines) -> EventWriter {
        EventWriter {
            context: Some(context),
            ..self
        }
    }

    fn standing(&self, id: u32) -> WriteReason {
        match &self.context {
            None => WriteReason::Plain,
            Some(all) if all.matches.get(id as usize) => WriteReason::Match,
            Some(_) => WriteReason::Context,
        }
    }

    /// Writes the header, if the form has one.
    pub fn head(&self, out: &mut impl Write) -> io::Result<()> {
        if self.form != Form::Csv {
            return Ok(());
        }
        match &self.context {
            None => writeln!(out, "{}", csv_head(&self.columns)),
            Some(_) => writeln!(out, "{},{CONTEXT_FIELD}", csv_head(&self.columns)),
        }
    }

    /// Writes events of a snapshot in the given order.
    pub fn events(
        &mut self,
        snapshot: &Snapshot,
        ids: &[u32],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let never = Cancel::default();
        let first = ids.first().filter(|_| !self.is_started);
        self.is_started |= first.is_some();
        write_in_order(snapshot, ids, &never, out, |event, texts, out| {
            self.event(event, first == Some(&event.id.0), texts, out)
        })
    }

    fn event(
        &self,
        event: &EventRef<'_>,
        is_first: bool,
        texts: &mut TextReader,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut full = match self.form {
            Form::Text if self.keys.is_empty() => event_without_keys(event, texts),
            _ => full_event(event, texts),
        };
        if !self.keys.is_empty() {
            let is_wanted = |key: &EventKey<'_>| self.keys.iter().any(|name| name == key.name);
            full.keys.retain(is_wanted);
        }
        let standing = self.standing(event.id.0);
        match self.form {
            Form::Text => {
                let behind = self.context.as_ref().map(|all| &all.after_gap);
                if behind.is_some_and(|ids| ids.get(event.id.index())) {
                    writeln!(out, "--")?;
                }
                self.text(event, &full, standing, out)
            }
            Form::Csv => {
                let row = csv_row(&full, &self.columns);
                match standing {
                    WriteReason::Plain => writeln!(out, "{row}"),
                    WriteReason::Match => writeln!(out, "{row},"),
                    WriteReason::Context => writeln!(out, "{row},true"),
                }
            }
            Form::Jsonl | Form::JsonlWithJoins => {
                let mut line = ObjectLine::new(out);
                line.event(&full);
                if self.form == Form::JsonlWithJoins {
                    line.field(DERIVED, &derived(event.snapshot, &full));
                }
                if standing == WriteReason::Context {
                    line.field(CONTEXT_FIELD, &true);
                }
                if is_first {
                    line.version();
                }
                line.end();
                Ok(())
            }
        }
    }

    fn text(
        &self,
        event: &EventRef<'_>,
        full: &FullEvent<'_>,
        standing: WriteReason,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let time = event.time().map_or_else(
            || " ".repeat(TIME),
            |t| format_datetime(t, self.zone.offset_at_utc(t), 6),
        );
        let mut extra = String::new();
        if !self.keys.is_empty() {
            for key in &full.keys {
                extra.push_str(&format!("  {}={}", key.name, joined(&key.value)));
            }
        }
        let width = self.source_width;
        let mut lines = shown_lines(full.message.trim_end_matches('\n'));
        writeln!(
            out,
            "{time}{}{:<width$} {} {}{}",
            standing.mark(),
            safe(&full.source),
            of_level(event.level(), &event.level().letter().to_string()),
            safe(lines.next().unwrap_or("")),
            paint(TextRole::Faint, &safe(&extra))
        )?;
        // Further lines of the message.
        let indent = TIME + 1 + width + 3;
        lines.try_for_each(|line| writeln!(out, "{:indent$}{}", "", safe(line)))
    }
}

/// Name of a key as records have it, for a name that a user wrote.
pub(super) fn canonical_name(snapshot: &Snapshot, name: &str) -> String {
    let keys = &snapshot.catalog.keys;
    resolve_key(keys, name).map_or_else(
        || name.to_owned(),
        |id| Field::key(keys.name(id)).name().to_owned(),
    )
}

/// Names of the key columns of CSV: `keys`, or all keys of the events.
fn columns(snapshot: &Snapshot, keys: &[String]) -> Vec<String> {
    match keys.is_empty() {
        true => key_columns(snapshot),
        false => keys.to_vec(),
    }
}

fn joined(value: &Value) -> String {
    match value {
        Value::One(text) => text.clone(),
        Value::Many(list) => list.join(","),
    }
}
