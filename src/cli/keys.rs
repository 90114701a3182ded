//! `widetui keys`: the keys of a run, or the values of one.

use crate::base::cancel::Cancel;
use crate::export::jsonl::json_value;
use crate::format::keys::KeyType;
use crate::query::{Field, KeyStat, key_stats, key_table, resolve_key, values};

use super::args::{Format, KeysCommand, SelectArgs};
use super::naming;
use super::nothing::no_event;
use super::open::{self, Opened, selection};
use super::output::{Failure, count, safe};
use super::sheet::{PrintedSheet, cell, left, number, right, words};

/// `widetui keys`.
pub fn run(c: &KeysCommand) -> Result<(), Failure> {
    print(
        &open::run(&c.run)?,
        c.key.as_deref(),
        &c.select,
        c.run.format,
    )
}

/// Lists keys, or the values of `key`.
fn print(
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
    let mut sheet = PrintedSheet::new(vec![
        left("key", "key"),
        left("type", "type"),
        right("events", "events"),
        right("distinct", "distinct"),
    ]);
    for k in &stats {
        let distinct = k.distinct.map_or_else(|| "on demand".to_owned(), count);
        sheet.push(vec![
            words(&k.key),
            words(k.kind),
            number(k.events),
            cell(k.distinct, distinct),
        ]);
    }
    sheet.print(format, || no_event(select, "no event has a key"))
}

fn print_values(
    opened: &Opened,
    key: &str,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let key = &naming::key(opened, key)?;
    let field = Field::named(key);
    let kind = resolve_key(&snapshot.catalog.keys, key)
        .and_then(|id| snapshot.catalog.keys.get(id))
        .map_or(KeyType::Text, |k| k.key.kind);
    let chosen = selection(opened, select)?;
    let found = values(snapshot, &field, chosen.as_ref(), &Cancel::default()).unwrap_or_default();
    let mut sheet = PrintedSheet::new(vec![left("value", "value"), right("events", "events")]);
    for (value, events) in &found {
        sheet.push(vec![
            cell(json_value(kind, value), safe(value)),
            number(*events),
        ]);
    }
    sheet.print(format, || {
        no_event(select, &format!("no event has the key {key}"))
    })
}
