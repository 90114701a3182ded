//! `widetui keys`: keys of a run, or values of one key.

use widetui_core::cancel::Cancel;
use widetui_definition::key_type::KeyType;
use widetui_query::{Field, key_table, resolve_key};
use widetui_session::meaning::WantedKeys;
use widetui_tables::answers::keys::{self, rows};
use widetui_tables::answers::values::{ValueLine, values};

use super::args::KeysCommand;
use super::no_result::no_event;
use super::open;
use super::opened::Opened;
use super::output::Failure;
use super::selection::{selection, wanted_keys};

/// `widetui keys`.
pub fn run(c: &KeysCommand) -> Result<(), Failure> {
    let asked = c.key.given();
    let wanted = |opened: &Opened| {
        asked.map_or(WantedKeys::All, |key| {
            wanted_keys(opened, &c.select, &[key.to_owned()])
        })
    };
    let opened = open::load_for(&c.run.paths, &c.run.open, wanted)?;
    match asked {
        Some(key) => values_of(&opened, key, c),
        None => keys(&opened, c),
    }
}

/// Lists the keys of a run.
fn keys(opened: &Opened, c: &KeysCommand) -> Result<(), Failure> {
    let chosen = selection(opened, &c.select)?;
    let table = key_table(&opened.snapshot, chosen.as_ref(), &Cancel::default());
    let mut table = table.unwrap_or_default();
    keys::sort(&mut table);
    let sheet = opened.sheet(&keys::keys(), rows(&table));
    sheet.print(c.run.format, || no_event(&c.select, "no event has a key"))
}

/// Counts the values of a key.
fn values_of(opened: &Opened, key: &str, c: &KeysCommand) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let key = &opened.key(key)?;
    let field = &Field::named(key);
    let kind = resolve_key(&snapshot.catalog.keys, key)
        .and_then(|id| snapshot.catalog.keys.get(id))
        .map_or(KeyType::Text, |k| k.key.kind);
    let chosen = selection(opened, &c.select)?;
    let found = widetui_query::values(snapshot, field, chosen.as_ref(), &Cancel::default());
    let found = found.unwrap_or_default();
    let all: u64 = found.iter().map(|(_, events)| events).sum();
    let lines = found.iter().map(|(value, events)| ValueLine {
        field,
        value,
        kind,
        events: *events,
        share: *events as f64 / all.max(1) as f64,
        histogram: None,
    });
    let sheet = opened.sheet(&values(), lines);
    sheet.print(c.run.format, || {
        no_event(&c.select, &format!("no event has the key {key}"))
    })
}
