//! `widetui keys`: the keys of a run, or the values of one.

use std::io::Write;

use serde_json::json;

use crate::base::cancel::Cancel;
use crate::export::csv;
use crate::export::jsonl::{self, json_value};
use crate::format::keys::KeyType;
use crate::query::{Field, KeyStat, key_stats, key_table, values};

use super::args::{Format, SelectArgs};
use super::open::{Opened, selection};
use super::output::{Align, Failure, count, did_you_mean, safe, stdout, table};

/// Lists keys, or the values of `key`.
pub fn print(
    opened: &Opened,
    key: Option<&str>,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    match key {
        Some(key) => print_values(opened, key, select, format),
        None => print_keys(opened, select, format),
    }
}

fn print_keys(opened: &Opened, select: &SelectArgs, format: Format) -> Result<(), Failure> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let stats = match selection(opened, select)? {
        None => key_stats(snapshot, &cancel),
        chosen => key_table(snapshot, chosen.as_ref(), &cancel).map(|table| {
            let rows = table.rows.into_iter();
            rows.map(|row| KeyStat {
                key: row.key,
                kind: row.kind,
                events: row.events,
                distinct: row.distinct,
            })
            .collect()
        }),
    };
    let mut stats = stats.unwrap_or_default();
    stats.retain(|k| k.events > 0);
    let mut out = stdout();
    match format {
        Format::Jsonl => {
            for k in &stats {
                let line = json!({"key": k.key, "type": k.kind, "events": k.events, "distinct": k.distinct});
                writeln!(out, "{}", jsonl::line(&line))?;
            }
        }
        Format::Csv => {
            writeln!(out, "key,type,events,distinct")?;
            for k in &stats {
                let distinct = k.distinct.map(|d| d.to_string()).unwrap_or_default();
                writeln!(
                    out,
                    "{}",
                    csv::row([k.key.as_str(), k.kind, &k.events.to_string(), &distinct])
                )?;
            }
        }
        Format::Text => {
            let rows: Vec<Vec<String>> = stats
                .iter()
                .map(|k| {
                    let distinct = k.distinct.map_or_else(|| "on demand".to_owned(), count);
                    vec![safe(&k.key), k.kind.to_owned(), count(k.events), distinct]
                })
                .collect();
            let columns = [
                ("key", Align::Left),
                ("type", Align::Left),
                ("events", Align::Right),
                ("distinct", Align::Right),
            ];
            table(&mut out, &columns, &rows)?;
        }
    }
    out.flush()?;
    if stats.is_empty() {
        Err(Failure::Nothing)
    } else {
        Ok(())
    }
}

fn print_values(
    opened: &Opened,
    key: &str,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let field = Field::named(key);
    let id = snapshot.catalog.keys.find(key);
    if id.is_none() && matches!(field, Field::Key(_)) {
        let names = snapshot.catalog.keys.iter().map(|k| &*k.key.name);
        let hint = did_you_mean(key, names);
        return Err(Failure::Message(format!(
            "there is no key '{key}' in these events{hint}"
        )));
    }
    let kind = id
        .and_then(|id| snapshot.catalog.keys.get(id))
        .map_or(KeyType::Text, |k| k.key.kind);
    let chosen = selection(opened, select)?;
    let found = values(snapshot, &field, chosen.as_ref(), &Cancel::default()).unwrap_or_default();
    let mut out = stdout();
    match format {
        Format::Jsonl => {
            for (value, events) in &found {
                writeln!(
                    out,
                    "{}",
                    jsonl::line(&json!({"value": json_value(kind, value), "events": events}))
                )?;
            }
        }
        Format::Csv => {
            writeln!(out, "value,events")?;
            for (value, events) in &found {
                writeln!(out, "{}", csv::row([value.as_str(), &events.to_string()]))?;
            }
        }
        Format::Text => {
            let rows: Vec<Vec<String>> = found
                .iter()
                .map(|(v, n)| vec![safe(v), count(*n)])
                .collect();
            table(
                &mut out,
                &[("value", Align::Left), ("events", Align::Right)],
                &rows,
            )?;
        }
    }
    out.flush()?;
    if found.is_empty() {
        Err(Failure::Nothing)
    } else {
        Ok(())
    }
}
