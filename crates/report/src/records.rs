//! Records as CSV, JSON lines or their original text, for commands and the explorer.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_format::table::csv::is_wrapped;
use widetui_query::key_stats::key_stats;
use widetui_source::text::read_range;
use widetui_store::texts::{MAX_RECORD, TextReader};
use widetui_store::{EventRef, Snapshot, Value};

use super::csv;
use super::event::{FullEvent, full_event};
use super::jsonl::{event_object, json_values, line};
use super::origin::{Extent, Origins};

/// Number of records between two cancellation checks.
const CANCEL_CHECK_INTERVAL: usize = 1024;

/// Format of a file of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordForm {
    /// JSON lines, with the origins that restore the sources when read back.
    Jsonl(Extent),
    /// CSV with a header.
    Csv,
    /// Original text with all continuation lines.
    Text,
}

/// Writes records, with all their keys or as their text, in the given order.
///
/// # Errors
/// Errors of the writer; [`io::ErrorKind::Interrupted`] if cancelled.
pub fn write(
    snapshot: &Snapshot,
    ids: impl Iterator<Item = EventId>,
    form: RecordForm,
    cancel: &Cancel,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = match form {
        RecordForm::Csv => key_columns(snapshot),
        RecordForm::Jsonl(_) | RecordForm::Text => Vec::new(),
    };
    if form == RecordForm::Csv {
        writeln!(out, "{}", csv_head(&columns))?;
    }
    let mut texts = TextReader::default();
    let mut origins = match form {
        RecordForm::Jsonl(extent) => Some(Origins::new(snapshot, extent)),
        RecordForm::Csv | RecordForm::Text => None,
    };
    for (at, event) in ids.filter_map(|id| snapshot.event(id)).enumerate() {
        if at % CANCEL_CHECK_INTERVAL == 0 && cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if form == RecordForm::Text {
            write_text(&event, &mut texts, out)?;
            continue;
        }
        let full = full_event(&event, &mut texts);
        match &mut origins {
            None => writeln!(out, "{}", csv_row(&full, &columns))?,
            Some(origins) => {
                let mut object = event_object(&full);
                origins.add(&event, &full, &mut object);
                writeln!(out, "{}", line(&Json::Object(object)))?;
            }
        }
    }
    Ok(())
}

/// Writes the original text of a record, with the end of its last line.
fn write_text(event: &EventRef<'_>, texts: &mut TextReader, out: &mut dyn Write) -> io::Result<()> {
    let source = event.source();
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", source.path));
    let mut last = None;
    let mut put = |bytes: &[u8]| {
        last = bytes.last().copied().or(last);
        out.write_all(bytes)
    };
    put(texts.record(event).map_err(named)?)?;
    // A traceback may be longer than one read.
    let (start, len) = event.span();
    for from in (MAX_RECORD..len).step_by(MAX_RECORD) {
        let wanted = (len - from).min(MAX_RECORD);
        let bytes = read_range(&*source.text, start + from as u64, wanted).map_err(named)?;
        put(&bytes)?;
    }
    match last {
        Some(b'\n') => Ok(()),
        _ => out.write_all(b"\n"),
    }
}

/// Names of all keys of the records of a run, as columns.
#[must_use]
pub fn key_columns(snapshot: &Snapshot) -> Vec<String> {
    let stats = key_stats(snapshot, &Cancel::default()).unwrap_or_default();
    let met = stats.into_iter().filter(|k| k.events > 0);
    let mut names: Vec<String> = met.map(|k| k.key).filter(|n| n != "source").collect();
    names.sort();
    names
}

/// Header of a table of records with these keys.
#[must_use]
pub fn csv_head(columns: &[String]) -> String {
    let head = ["time", "source", "level", "message", "template"];
    csv::row(head.into_iter().chain(columns.iter().map(String::as_str)))
}

/// Row of a record.
#[must_use]
pub fn csv_row(event: &FullEvent, columns: &[String]) -> String {
    let mut fields = vec![
        event.time.clone().unwrap_or_default(),
        event.source.clone(),
        event.level.to_owned(),
        event.message.clone(),
        event.template.clone(),
    ];
    fields.extend(key_cells(event, columns));
    csv::row(fields.iter().map(String::as_str))
}

/// Values of these keys as CSV cells. Several values are a JSON array; so is a single value that would be read back as
/// no value, or as several.
#[must_use]
pub fn key_cells(event: &FullEvent, columns: &[String]) -> Vec<String> {
    let cell = |column: &String| {
        let found = event.keys.iter().find(|(name, ..)| name == column);
        match found {
            Some((_, _, Value::One(text))) if is_wrapped(text) => json!([text]).to_string(),
            Some((_, _, Value::One(text))) => text.clone(),
            Some((_, kind, many)) => json_values(*kind, many).to_string(),
            None => String::new(),
        }
    };
    columns.iter().map(cell).collect()
}
