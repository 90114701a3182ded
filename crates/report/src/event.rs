//! Event with all its keys and texts, ready for output.

use std::borrow::Cow;
use std::io;

use widetui_core::ids::KeyId;
use widetui_definition::key_type::KeyType;
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Value, ValueOrigin};
use widetui_time::time::rfc3339_nanos;

/// Event with its text. Names are those of its snapshot.
#[derive(Clone, Debug)]
pub struct FullEvent<'s> {
    /// RFC 3339 with nanoseconds, UTC; `None` for a record without a time.
    pub time: Option<String>,
    /// Tag of the source.
    pub source: String,
    /// Name of the level; empty if unknown.
    pub level: &'static str,
    /// Whole message.
    pub message: String,
    /// Text of the template.
    pub template: Cow<'s, str>,
    /// Keys, sorted by name.
    pub keys: Vec<EventKey<'s>>,
}

/// Key of an event with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventKey<'s> {
    /// Name.
    pub name: &'s str,
    /// Type.
    pub kind: KeyType,
    /// Value, as spelled in the record.
    pub value: Value,
    /// Origin of the value.
    pub origin: ValueOrigin,
}

impl FullEvent<'_> {
    /// Time, source and message in one line.
    pub fn to_line(&self) -> String {
        let time = self.time.as_deref().unwrap_or_default();
        format!("{time} {} {}", self.source, self.message)
    }
}

/// Message of an event. If its text can no longer be read, the message says so.
pub(crate) fn message(event: &EventRef<'_>, texts: &mut TextReader) -> String {
    message_of(event, texts.record(event))
}

fn message_of(event: &EventRef<'_>, record: io::Result<&[u8]>) -> String {
    match (record, &event.source().reader) {
        (Ok(record), Some(reader)) => reader.message(record),
        (Ok(record), None) => String::from_utf8_lossy(record).into_owned(),
        (Err(error), _) => format!("(the text cannot be read any more: {error})"),
    }
}

/// Source of an event for people: the display name of its source, unless a field of the record states another.
pub fn shown_source(event: &EventRef<'_>, full: &FullEvent<'_>) -> String {
    match full.source == event.source().tag {
        true => event.snapshot.source_name(event.source()),
        false => full.source.clone(),
    }
}

/// Reads an event without its keys and template. If its text can no longer be read, the message says so.
pub fn event_without_keys<'s>(event: &EventRef<'s>, texts: &mut TextReader) -> FullEvent<'s> {
    // A field `source` of a record replaces the tag of its source.
    if event.snapshot.catalog.keys.find("source").is_some() {
        return full_event(event, texts);
    }
    FullEvent {
        time: event.time().map(rfc3339_nanos),
        source: event.source().tag.clone(),
        level: event.level().name(),
        message: message(event, texts),
        template: "".into(),
        keys: Vec::new(),
    }
}

/// Reads an event with all its keys, stored and unstored. If its text can no longer be read, the message says so.
pub fn full_event<'s>(event: &EventRef<'s>, texts: &mut TextReader) -> FullEvent<'s> {
    let snapshot = event.snapshot;
    let is_new =
        |keys: &[(KeyId, Value, ValueOrigin)], key: KeyId| keys.iter().all(|(k, ..)| *k != key);
    let mut keys = event.stored();
    let deferred = event.has_deferred();
    let message = match (texts.record(event), &event.source().reader) {
        (Ok(record), Some(reader)) if deferred => {
            let is_wanted = |key: KeyId| is_new(&keys, key);
            let fields = reader.wanted_fields(record, &snapshot.tables, &is_wanted);
            for (key, values) in fields.pairs {
                if is_new(&keys, key.id)
                    && let Some(value) = Value::of(values)
                {
                    keys.push((key.id, value, ValueOrigin::Record));
                }
            }
            fields.message
        }
        (record, _) => message_of(event, record),
    };
    keys.sort_unstable_by_key(|(key, ..)| snapshot.catalog.keys.rank(*key));
    let mut source = None;
    let mut named: Vec<EventKey<'s>> = Vec::with_capacity(keys.len());
    for (id, value, origin) in keys {
        let Some(view) = snapshot.catalog.keys.get(id) else {
            continue;
        };
        let name = &*view.key.name;
        if RESERVED.contains(&name) {
            if let Value::One(tag) = value
                && name == "source"
            {
                source = Some(tag);
            }
            continue;
        }
        named.push(EventKey {
            name,
            kind: view.key.kind,
            value,
            origin,
        });
    }
    FullEvent {
        time: event.time().map(rfc3339_nanos),
        source: source.unwrap_or_else(|| event.source().tag.clone()),
        level: event.level().name(),
        message,
        template: event.template().map_or("", |t| &*t.text).into(),
        keys: named,
    }
}
