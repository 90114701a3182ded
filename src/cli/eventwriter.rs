//! Events written one after another: as text, JSON lines or CSV.

use std::io::{self, Write};

use serde_json::{Map, Value as Json};

use crate::base::ids::EventId;
use crate::base::time::format_datetime;
use crate::base::words::shown_lines;
use crate::base::zone::Zone;
use crate::export::event::{FullEvent, full_event};
use crate::export::jsonl::{event_line, event_object, line};
use crate::export::records::{csv_head, csv_row, key_columns};
use crate::query::{Field, resolve_key};
use crate::store::texts::TextReader;
use crate::store::{EventRef, Snapshot, Value, ValueOrigin};

use super::args::Format;
use super::colour::{TextRole, of_level, paint};
use super::open::Opened;
use super::output::{Failure, safe};

/// Columns of a time, and of the widest name of a source.
const TIME: usize = 26;
const WIDEST_SOURCE: usize = 24;

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One object per event.
    Jsonl,
    /// The same, with the join of each derived key.
    JsonlWithJoins,
    /// Comma-separated, with a heading.
    Csv,
}

impl Form {
    /// What the options say together.
    ///
    /// # Errors
    /// Joins are named in JSON lines only.
    pub fn of(format: Format, provenance: bool) -> Result<Form, Failure> {
        match (format, provenance) {
            (Format::Jsonl, true) => Ok(Form::JsonlWithJoins),
            (_, true) => Err(Failure::Message(
                "--provenance: which join gave a key is told in JSON lines; add --format jsonl"
                    .to_owned(),
            )),
            (Format::Text, false) => Ok(Form::Text),
            (Format::Jsonl, false) => Ok(Form::Jsonl),
            (Format::Csv, false) => Ok(Form::Csv),
        }
    }
}

/// Writes events of a run in one form. Which columns there are is settled at the start, also for those that come later.
#[derive(Debug)]
pub struct EventWriter {
    form: Form,
    zone: Zone,
    /// The keys to be written; none: all.
    keys: Vec<String>,
    /// Names of the key columns of CSV.
    columns: Vec<String>,
    /// Columns that the names of sources take in text.
    source_width: usize,
}

impl EventWriter {
    /// For a run, with these keys only, or with all where none are named.
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
        }
    }

    /// What stands before the first event.
    pub fn head(&self, out: &mut impl Write) -> io::Result<()> {
        if self.form != Form::Csv {
            return Ok(());
        }
        writeln!(out, "{}", csv_head(&self.columns))
    }

    /// Events of a snapshot, in the order in which they are given.
    pub fn events(&self, snapshot: &Snapshot, ids: &[u32], out: &mut impl Write) -> io::Result<()> {
        let mut texts = TextReader::default();
        for event in ids.iter().filter_map(|id| snapshot.event(EventId(*id))) {
            let mut full = full_event(&event, &mut texts);
            if !self.keys.is_empty() {
                full.keys.retain(|(name, ..)| self.keys.contains(name));
            }
            match self.form {
                Form::Text => self.text(&event, &full, out)?,
                Form::Csv => writeln!(out, "{}", csv_row(&full, &self.columns))?,
                Form::Jsonl => writeln!(out, "{}", event_line(&full))?,
                Form::JsonlWithJoins => {
                    let mut object = event_object(&full);
                    provenance(&event, &full, &mut object);
                    writeln!(out, "{}", line(&Json::Object(object)))?;
                }
            }
        }
        Ok(())
    }

    fn text(&self, event: &EventRef<'_>, full: &FullEvent, out: &mut impl Write) -> io::Result<()> {
        let time = event.time().map_or_else(
            || " ".repeat(TIME),
            |t| format_datetime(t, self.zone.offset_at_utc(t), 6),
        );
        let extra: String = match self.keys.is_empty() {
            true => String::new(),
            false => full
                .keys
                .iter()
                .map(|(name, _, value)| format!("  {name}={}", joined(value)))
                .collect(),
        };
        let width = self.source_width;
        let mut lines = shown_lines(full.message.trim_end_matches('\n'));
        writeln!(
            out,
            "{time} {:<width$} {} {}{}",
            safe(&full.source),
            of_level(event.level(), &event.level().letter().to_string()),
            safe(lines.next().unwrap_or("")),
            paint(TextRole::Faint, &safe(&extra))
        )?;
        // Further lines stand below the message.
        let indent = TIME + 1 + width + 3;
        lines.try_for_each(|line| writeln!(out, "{:indent$}{}", "", safe(line)))
    }
}

/// Adds the join of each key of an event that one gave to the event's object, as `_derived`.
pub fn provenance(event: &EventRef<'_>, full: &FullEvent, object: &mut Map<String, Json>) {
    object.insert("_derived".into(), Json::Object(derived(event, full)));
}

/// The join of each key of an event that one gave.
fn derived(event: &EventRef<'_>, full: &FullEvent) -> Map<String, Json> {
    let snapshot = event.snapshot;
    let of = |(key, _, origin)| match origin {
        ValueOrigin::Join(join) => {
            let giver = snapshot.derived.joins.get(usize::from(join))?;
            Some((snapshot.catalog.keys.name(key).to_owned(), giver))
        }
        ValueOrigin::Record | ValueOrigin::Path => None,
    };
    let given = event.stored().into_iter().filter_map(of);
    given
        .filter(|(name, _)| full.keys.iter().any(|(key, ..)| key == name))
        .map(|(name, giver)| (name, giver.name.to_string().into()))
        .collect()
}

fn canonical_name(snapshot: &Snapshot, name: &str) -> String {
    let keys = &snapshot.catalog.keys;
    resolve_key(keys, name).map_or_else(
        || name.to_owned(),
        |id| Field::key(keys.name(id)).name().to_owned(),
    )
}

/// Names of the key columns of a table: those asked for, else all that events have.
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
