//! `widetui events` and `widetui export`.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::base::cancel::Cancel;
use crate::base::ids::EventId;
use crate::base::time::format_datetime;
use crate::base::words::shown_lines;
use crate::export::csv;
use crate::export::event::{FullEvent, full_event};
use crate::export::jsonl::{event_line, event_object, json_values, line};
use crate::query::Expr;
use crate::query::stats::key_stats;
use crate::source::codec::Packer;
use crate::store::texts::Texts;
use crate::store::{EventRef, Origin, Snapshot, Value};
use crate::workspace::meaning::Wanted;
use crate::workspace::written::export as written;

use super::args::{Format, SelectArgs};
use super::open::{Opened, asked, selection};
use super::output::{Failure, safe, stdout};

/// How events are written.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Text, JSON lines or CSV.
    pub format: Format,
    /// Whether JSON lines name the join of each derived key.
    pub provenance: bool,
}

/// What joins must give to choose the events and to write these keys of them; no keys: all that the form shows.
pub fn wanted(
    opened: &Opened,
    select: &SelectArgs,
    keys: &[String],
    format: Format,
) -> Result<Wanted, Failure> {
    if keys.is_empty() && format != Format::Text {
        return Ok(Wanted::All);
    }
    let asked = asked(opened, select)?;
    let asked = asked.iter().flat_map(Expr::keys).map(str::to_owned);
    Ok(Wanted::Keys(asked.chain(keys.iter().cloned()).collect()))
}

/// Writes the events that the arguments ask for to standard output.
pub fn print(
    opened: &Opened,
    select: &SelectArgs,
    keys: &[String],
    limit: Option<usize>,
    reverse: bool,
    form: Form,
) -> Result<(), Failure> {
    let ids = chosen(opened, select, limit, reverse)?;
    let mut out = stdout();
    write_events(opened, &ids, keys, form, true, &mut out)?;
    out.flush()?;
    if ids.is_empty() {
        Err(Failure::Nothing)
    } else {
        Ok(())
    }
}

/// Writes the events into a file whose ending says in which form.
pub fn export(opened: &Opened, select: &SelectArgs, path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy().to_lowercase();
    let (stem, codec) = Packer::<written::Output>::of_name(&name);
    let format = match stem.rsplit_once('.').map(|s| s.1) {
        Some("jsonl" | "ndjson") => Format::Jsonl,
        Some("csv") => Format::Csv,
        _ => {
            return Err(Failure::Message(format!(
                "{}: the ending says in which form to write: .jsonl or .csv (also with .gz or .zst), .svg for a plot",
                path.display()
            )));
        }
    };
    let ids = chosen(opened, select, None, false)?;
    let form = Form {
        format,
        provenance: false,
    };
    let file = written::create(path, &opened.snapshot).map_err(Failure::Message)?;
    let mut out = Packer::new(file, codec);
    write_events(opened, &ids, &[], form, true, &mut out)?;
    written::keep(path, out.finish()?).map_err(Failure::Message)?;
    if ids.is_empty() {
        Err(Failure::Nothing)
    } else {
        Ok(())
    }
}

fn chosen(
    opened: &Opened,
    select: &SelectArgs,
    limit: Option<usize>,
    reverse: bool,
) -> Result<Vec<u32>, Failure> {
    let snapshot = &*opened.snapshot;
    let mut ids = match selection(opened, select)? {
        Some(chosen) => chosen.ordered(snapshot),
        None => snapshot.order.to_vec(),
    };
    if reverse {
        ids.reverse();
    }
    ids.truncate(limit.unwrap_or(usize::MAX));
    Ok(ids)
}

/// The join of each key of an event that one gave.
fn derived(event: &EventRef<'_>, full: &FullEvent) -> Map<String, Json> {
    let snapshot = event.snapshot;
    let of = |(key, _, origin)| match origin {
        Origin::Join(join) => {
            let giver = snapshot.derived.joins.get(usize::from(join))?;
            Some((snapshot.catalog.keys.name(key).to_owned(), giver))
        }
        Origin::Record | Origin::Path => None,
    };
    let given = event.stored().into_iter().filter_map(of);
    given
        .filter(|(name, _)| full.keys.iter().any(|(key, ..)| key == name))
        .map(|(name, giver)| (name, giver.name.to_string().into()))
        .collect()
}

/// Writes some events; `head`: with the heading of a table.
pub fn write_events(
    opened: &Opened,
    ids: &[u32],
    keys: &[String],
    Form { format, provenance }: Form,
    head: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let keys: Vec<String> = keys.iter().map(|k| canonical_name(snapshot, k)).collect();
    let columns = if format == Format::Csv {
        columns(snapshot, &keys)
    } else {
        Vec::new()
    };
    if format == Format::Csv && head {
        let head = ["time", "source", "level", "message", "template"];
        writeln!(
            out,
            "{}",
            csv::row(head.into_iter().chain(columns.iter().map(String::as_str)))
        )?;
    }
    let width = snapshot
        .sources
        .iter()
        .filter(|s| s.is_log)
        .map(|s| s.tag.chars().count())
        .max()
        .unwrap_or(0)
        .min(24);
    let mut texts = Texts::default();
    for id in ids {
        let Some(event) = snapshot.event(EventId(*id)) else {
            continue;
        };
        let mut full = full_event(&event, &mut texts);
        if !keys.is_empty() {
            full.keys.retain(|(name, ..)| keys.contains(name));
        }
        match format {
            Format::Jsonl if provenance => {
                let mut object = event_object(&full);
                object.insert("_derived".into(), Json::Object(derived(&event, &full)));
                writeln!(out, "{}", line(&Json::Object(object)))?;
            }
            Format::Jsonl => writeln!(out, "{}", event_line(&full))?,
            Format::Csv => writeln!(out, "{}", csv_row(&full, &columns))?,
            Format::Text => {
                let time = event.time().map_or_else(
                    || " ".repeat(26),
                    |t| format_datetime(t, opened.zone.offset_at_utc(t), 6),
                );
                let extra: String = if keys.is_empty() {
                    String::new()
                } else {
                    full.keys
                        .iter()
                        .map(|(name, _, value)| format!("  {name}={}", joined(value)))
                        .collect()
                };
                let mut lines = shown_lines(full.message.trim_end_matches('\n'));
                let first = lines.next().unwrap_or("");
                writeln!(
                    out,
                    "{time} {:<width$} {} {}{}",
                    safe(&full.source),
                    event.level().letter(),
                    safe(first),
                    safe(&extra)
                )?;
                for line in lines {
                    writeln!(
                        out,
                        "{:indent$}{}",
                        "",
                        safe(line),
                        indent = 26 + 1 + width + 3
                    )?;
                }
            }
        }
    }
    Ok(())
}

fn canonical_name(snapshot: &Snapshot, name: &str) -> String {
    let keys = &snapshot.catalog.keys;
    keys.find(name)
        .map_or_else(|| name.to_owned(), |id| keys.name(id).to_owned())
}

/// Names of the key columns of a table: those asked for, else all that events have.
fn columns(snapshot: &Snapshot, keys: &[String]) -> Vec<String> {
    if !keys.is_empty() {
        return keys.to_vec();
    }
    let mut names: Vec<String> = key_stats(snapshot, &Cancel::default())
        .unwrap_or_default()
        .into_iter()
        .filter(|k| k.events > 0)
        .map(|k| k.key)
        .collect();
    names.retain(|n| n != "source");
    names.sort();
    names
}

fn csv_row(event: &FullEvent, columns: &[String]) -> String {
    let mut fields = vec![
        event.time.clone().unwrap_or_default(),
        event.source.clone(),
        event.level.to_owned(),
        event.message.clone(),
        event.template.clone(),
    ];
    for column in columns {
        let cell = event.keys.iter().find(|(name, ..)| name == column);
        fields.push(match cell {
            Some((_, _, Value::One(text))) => text.clone(),
            Some((_, kind, many)) => json_values(*kind, many).to_string(),
            None => String::new(),
        });
    }
    csv::row(fields.iter().map(String::as_str))
}

fn joined(value: &Value) -> String {
    match value {
        Value::One(text) => text.clone(),
        Value::Many(list) => list.join(","),
    }
}
