//! The fast and the slow path agree: columns have the values that re-reading the text of the record gives.

use std::collections::BTreeMap;

use widetui_core::ids::{EventId, KeyId};
use widetui_format::catalog::keys::MAX_STORED;
use widetui_format::fields::Fields;
use widetui_format::reader::{Reader, Syntax};
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, ValueOrigin};
use widetui_time::time::NO_TIME;

use widetui_testing::runs;

/// An array of more values than this is read on demand.
const LONG_LIST: usize = 64;

/// Values in columns, each key once. An empty list marks values that are read on demand.
fn in_columns(event: &EventRef<'_>) -> BTreeMap<KeyId, Vec<String>> {
    let mut out = BTreeMap::new();
    let keys = &event.snapshot.catalog.keys;
    event.for_each_code(|key, codes, origin| {
        if origin == ValueOrigin::Record {
            let view = keys.get(key).unwrap();
            let absent = |c: &u32| *c == widetui_core::dict::NONE;
            assert!(
                codes.is_empty() || !codes.iter().all(absent),
                "no cell says that it has no value"
            );
            let values: Vec<String> = codes.iter().filter_map(|c| view.spelling(*c)).collect();
            out.entry(key).or_insert(values);
        }
    });
    out
}

/// Values from the text.
fn in_text(fields: &Fields) -> BTreeMap<KeyId, Vec<String>> {
    let mut out = BTreeMap::new();
    for (key, values) in &fields.pairs {
        if !values.is_empty() {
            out.entry(key.id).or_insert_with(|| values.clone());
        }
    }
    out
}

/// Whether lines of a source contain several records.
fn holds_many(reader: &Reader) -> bool {
    matches!(&reader.syntax, Syntax::Json(json) if json.spec.records.is_some())
}

/// Describes a difference between a record's columns and its text.
pub fn disagreement(event: &EventRef<'_>, record: &[u8]) -> Option<String> {
    let snapshot: &Snapshot = event.snapshot;
    let reader = event.source().reader.as_ref()?;
    let fields = reader.fields(record, &snapshot.tables);
    let time = fields.time.map_or(NO_TIME, |t| t.ns);
    let stored_time = event.segment.times.get(event.row);
    if time != stored_time {
        return Some(format!("time {stored_time} in columns, {time} in the text"));
    }
    if fields.level != event.level() {
        return Some(format!(
            "level {} in columns, {} in the text",
            event.level(),
            fields.level
        ));
    }
    let (mut columns, text) = (in_columns(event), in_text(&fields));
    if holds_many(reader) {
        // Values that a line states for all its records are not in the text of each record.
        columns.retain(|key, _| text.contains_key(key));
    }
    // The live table of keys: a key that only the text has was added after the snapshot.
    let name = |k: &KeyId| {
        let key = snapshot.tables.keys.by_id(*k);
        key.map_or_else(String::new, |key| key.name.to_string())
    };
    for (key, values) in &columns {
        if !values.is_empty() && text.get(key) != Some(values) {
            return Some(format!(
                "{} is {values:?} in columns, {:?} in the text",
                name(key),
                text.get(key)
            ));
        }
    }
    for (key, values) in &text {
        let deferred = snapshot
            .catalog
            .keys
            .get(*key)
            .is_none_or(|k| k.key.is_deferred());
        let view = snapshot.catalog.keys.get(*key);
        let longest = view.map_or(MAX_STORED, |k| k.key.longest());
        let long = values.iter().any(|v| v.len() > longest) || values.len() > LONG_LIST;
        let kept = columns.get(key).is_some_and(|v| !v.is_empty());
        if !kept && !deferred && !long {
            return Some(format!(
                "{} is {values:?} in the text, not in columns",
                name(key)
            ));
        }
        if !columns.contains_key(key) && (deferred || long) {
            return Some(format!(
                "{} is read on demand, but no column says so",
                name(key)
            ));
        }
    }
    None
}

/// All differences of a run.
pub fn disagreements(snapshot: &Snapshot) -> Vec<String> {
    let mut texts = TextReader::default();
    let mut out = Vec::new();
    for event in (0..snapshot.len() as u32).filter_map(|id| snapshot.event(EventId(id))) {
        let record = texts.record(&event).unwrap();
        if let Some(what) = disagreement(&event, record) {
            let line: String = String::from_utf8_lossy(record).chars().take(200).collect();
            out.push(format!("{}: {what}: {line}", event.source().path));
        }
    }
    out
}

fn check(case: &str) {
    let dir = runs::directory(case);
    let found = disagreements(&runs::load(dir.path(), 2));
    let some: Vec<&String> = found.iter().take(10).collect();
    assert!(
        found.is_empty(),
        "{case}: {} records: {some:#?}",
        found.len()
    );
}

macro_rules! cases {
    ($($case:ident)*) => { $(#[test] fn $case() { check(stringify!($case)); })* };
}

cases! { hung old2024 manager_lost multi json workqueue other }

#[test]
fn a_template_holds_the_words_of_its_messages() {
    let dir = runs::directory("hung");
    let snapshot = runs::load(dir.path(), 2);
    for record in runs::records(&snapshot) {
        let mut rest = record.message.lines().next().unwrap_or_default();
        for literal in record.template.split("{}") {
            let Some(at) = rest.find(literal) else {
                panic!("{:?} does not fit {:?}", record.message, record.template);
            };
            rest = &rest[at + literal.len()..];
        }
    }
}
