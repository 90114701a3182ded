//! Records as CSV, JSON lines or their original text, for commands and the explorer.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Mutex;

use rayon::prelude::*;
use serde_json::json;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::lock;
use widetui_format::table::csv::is_wrapped;
use widetui_query::key_stats::key_stats;
use widetui_source::text::read_range;
use widetui_store::texts::{MAX_RECORD, TextReader};
use widetui_store::{EventRef, Snapshot, Value};

use super::csv;
use super::event::{EventKey, FullEvent, full_event};
use super::jsonl::{ObjectLine, TypedValue};
use super::origin::{Extent, Origins};

/// Number of records that one thread formats at a time.
const BATCH: usize = 1024;

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
    ids: &[u32],
    form: RecordForm,
    cancel: &Cancel,
    out: &mut dyn Write,
) -> io::Result<()> {
    match form {
        RecordForm::Text => write_in_order(snapshot, ids, cancel, out, write_text),
        RecordForm::Csv => {
            let columns = key_columns(snapshot);
            writeln!(out, "{}", csv_head(&columns))?;
            write_in_order(snapshot, ids, cancel, out, |event, texts, out| {
                let row = csv_row(&full_event(event, texts), &columns);
                writeln!(out, "{row}")
            })
        }
        RecordForm::Jsonl(extent) => {
            let origins = Origins::new(snapshot, ids, extent);
            write_in_order(snapshot, ids, cancel, out, |event, texts, out| {
                let full = full_event(event, texts);
                let mut line = ObjectLine::new(out);
                line.event(&full);
                origins.add(event, &full, &mut line);
                if ids.first() == Some(&event.id.0) {
                    line.version();
                }
                line.end();
                Ok(())
            })
        }
    }
}

/// Writes events in the given order. They are formatted on all threads, each with a reader of texts of its own, while
/// earlier ones are written.
///
/// # Errors
/// Errors of `format` and of the writer; [`io::ErrorKind::Interrupted`] if cancelled.
pub fn write_in_order<'s>(
    snapshot: &'s Snapshot,
    ids: &[u32],
    cancel: &Cancel,
    out: &mut dyn Write,
    format: impl Fn(&EventRef<'s>, &mut TextReader, &mut Vec<u8>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let readers: Mutex<Vec<TextReader>> = Mutex::default();
    let formatted = |ids: &[u32]| {
        let mut texts = lock::hold(&readers).pop().unwrap_or_default();
        let mut lines = Vec::new();
        let mut events = ids.iter().filter_map(|id| snapshot.event(EventId(*id)));
        let result = events.try_for_each(|event| format(&event, &mut texts, &mut lines));
        lock::hold(&readers).push(texts);
        // The lines before an error are written, too.
        (lines, result)
    };
    let mut put = |batches: Vec<(Vec<u8>, io::Result<()>)>| {
        batches.into_iter().try_for_each(|(lines, result)| {
            out.write_all(&lines)?;
            result
        })
    };
    let mut ready = Vec::new();
    for ids in ids.chunks(BATCH * rayon::current_num_threads()) {
        if cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut next = Vec::new();
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = ids.par_chunks(BATCH).map(formatted).collect());
            put(std::mem::take(&mut ready))
        })?;
        ready = next;
    }
    put(ready)
}

/// Writes the original text of a record, with the end of its last line.
fn write_text(event: &EventRef<'_>, texts: &mut TextReader, out: &mut Vec<u8>) -> io::Result<()> {
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
pub fn csv_row(event: &FullEvent<'_>, columns: &[String]) -> String {
    let own = [
        event.time.as_deref().unwrap_or_default(),
        &event.source,
        event.level,
        &event.message,
        &event.template,
    ];
    let keys = key_cells(event, columns);
    csv::row(own.into_iter().chain(keys.iter().map(|cell| &**cell)))
}

/// Values of these keys as CSV cells. Several values are a JSON array; so is a single value that would be read back as
/// no value, or as several.
#[must_use]
pub fn key_cells<'e>(event: &'e FullEvent<'_>, columns: &[String]) -> Vec<Cow<'e, str>> {
    let mut next = 0;
    let mut find = |column: &String| {
        // Columns are sorted as the keys are, unless they were chosen.
        let is_before = |key: &&EventKey<'_>| key.name < column.as_str();
        if !event.keys[..next].last().is_none_or(|key| is_before(&key)) {
            next = 0;
        }
        next += event.keys[next..].iter().take_while(is_before).count();
        event.keys.get(next).filter(|key| key.name == column)
    };
    let cell = |column: &String| match find(column) {
        Some(EventKey {
            value: Value::One(text),
            ..
        }) => match is_wrapped(text) {
            true => json!([text]).to_string().into(),
            false => text.as_str().into(),
        },
        Some(EventKey { kind, value, .. }) => TypedValue { kind: *kind, value }.json().into(),
        None => "".into(),
    };
    columns.iter().map(cell).collect()
}
