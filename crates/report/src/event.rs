//! Event with all its keys and texts, ready for output.

use widetui_core::ids::KeyId;
use widetui_definition::key_type::KeyType;
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Value};
use widetui_time::time::rfc3339_nanos;

/// Event with its text.
#[derive(Clone, Debug)]
pub struct FullEvent {
    /// RFC 3339 with nanoseconds, UTC; `None` for a record without a time.
    pub time: Option<String>,
    /// Tag of the source.
    pub source: String,
    /// Name of the level; empty if unknown.
    pub level: &'static str,
    /// Whole message.
    pub message: String,
    /// Text of the template.
    pub template: String,
    /// Keys with type and value, sorted by name.
    pub keys: Vec<(String, KeyType, Value)>,
}

impl FullEvent {
    /// Time, source and message in one line.
    pub fn to_line(&self) -> String {
        let time = self.time.as_deref().unwrap_or_default();
        format!("{time} {} {}", self.source, self.message)
    }
}

/// Reads an event with all its keys, stored and unstored. If its text can no longer be read, the message says so.
pub fn full_event(event: &EventRef<'_>, texts: &mut TextReader) -> FullEvent {
    let snapshot = event.snapshot;
    let mut keys: Vec<(KeyId, Value)> =
        event.stored().into_iter().map(|(k, v, _)| (k, v)).collect();
    let deferred = event.has_deferred();
    let message = match (texts.record(event), &event.source().reader) {
        (Ok(record), Some(reader)) if deferred => {
            let fields = reader.fields(record, &snapshot.tables);
            for (key, mut values) in fields.pairs {
                if keys.iter().all(|(k, _)| *k != key.id) {
                    let value = match values.len() {
                        0 => continue,
                        1 => Value::One(values.swap_remove(0)),
                        _ => Value::Many(values),
                    };
                    keys.push((key.id, value));
                }
            }
            fields.message
        }
        (Ok(record), Some(reader)) => reader.message(record),
        (Ok(record), None) => String::from_utf8_lossy(record).into_owned(),
        (Err(error), _) => format!("(the text cannot be read any more: {error})"),
    };
    let mut source = event.source().tag.clone();
    let mut named: Vec<(String, KeyType, Value)> = Vec::with_capacity(keys.len());
    for (id, value) in keys {
        let Some(view) = snapshot.catalog.keys.get(id) else {
            continue;
        };
        if &*view.key.name == "source" {
            if let Value::One(tag) = value {
                source = tag;
            }
            continue;
        }
        if RESERVED.contains(&&*view.key.name) {
            continue;
        }
        named.push((view.key.name.to_string(), view.key.kind, value));
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    FullEvent {
        time: event.time().map(rfc3339_nanos),
        source,
        level: event.level().name(),
        message,
        template: event
            .template()
            .map(|t| t.text.to_string())
            .unwrap_or_default(),
        keys: named,
    }
}
