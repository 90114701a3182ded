//! `widetui keys`: keys of a run, or values of one key.

use widetui_core::cancel::Cancel;
use widetui_definition::key_type::KeyType;
use widetui_query::{Field, KeyStat, key_stats, key_table, resolve_key, values};
use widetui_report::jsonl::json_value;

use super::args::KeysCommand;
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::{Failure, count, safe};
use super::selection::selection;
use super::sheet::{PrintedSheet, cell, left, log_text, number, right};

/// `widetui keys`.
pub fn run(c: &KeysCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    match &c.key {
        Some(key) => values_of(&opened, key, c),
        None => keys(&opened, c),
    }
}

/// Lists the keys of a run.
fn keys(opened: &Opened, c: &KeysCommand) -> Result<(), Failure> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let stats = match selection(opened, &c.select)? {
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
            log_text(&k.key),
            log_text(k.kind),
            number(k.events),
            cell(k.distinct, distinct),
        ]);
    }
    sheet.print(c.run.format, || no_event(&c.select, "no event has a key"))
}

/// Counts the values of a key.
fn values_of(opened: &Opened, key: &str, c: &KeysCommand) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let key = &opened.key(key)?;
    let field = Field::named(key);
    let kind = resolve_key(&snapshot.catalog.keys, key)
        .and_then(|id| snapshot.catalog.keys.get(id))
        .map_or(KeyType::Text, |k| k.key.kind);
    let chosen = selection(opened, &c.select)?;
    let found = values(snapshot, &field, chosen.as_ref(), &Cancel::default()).unwrap_or_default();
    let mut sheet = PrintedSheet::new(vec![left("value", "value"), right("events", "events")]);
    for (value, events) in &found {
        sheet.push(vec![
            cell(json_value(kind, value), safe(value)),
            number(*events),
        ]);
    }
    sheet.print(c.run.format, || {
        no_event(&c.select, &format!("no event has the key {key}"))
    })
}
