//! Values of the draft's keys in the run, with the events of each value.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, ShapeId};
use widetui_format::fields::first_line;
use widetui_format::pattern::{Pattern, Spans};
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Value};

use crate::message::{DraftMessage, Literals};

/// Maximum number of examined events.
const EVENTS: usize = 1_000_000;

/// Maximum number of texts read for fields that mining does not name.
const TEXTS: usize = 200_000;

/// Values of a key, with the events of each in time order.
#[derive(Debug, Default)]
pub(crate) struct DraftInstances {
    /// Key under its name in the draft.
    pub(crate) key: String,
    /// Events of each value, by value number.
    pub(crate) events_by_value: Vec<Vec<EventId>>,
    by_text: FxHashMap<String, usize>,
}

impl DraftInstances {
    /// Values, in no order.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        self.by_text.keys().map(String::as_str)
    }

    /// Number of a value; a new one if the value is new.
    fn number(&mut self, text: String) -> usize {
        let next = self.by_text.len();
        let number = *self.by_text.entry(text).or_insert(next);
        if number == next {
            self.events_by_value.push(Vec::new());
        }
        number
    }
}

/// Collects the values of keys, given as (name in the run, name in the draft), and of the keys that only the draft
/// found in messages.
pub(crate) fn instances(
    snapshot: &Snapshot,
    keys: &[(String, String)],
    messages: &[DraftMessage],
) -> Vec<DraftInstances> {
    let mut out: Vec<DraftInstances> = Vec::new();
    let mut place = |key: &String| {
        let known = out.iter().position(|one| one.key == *key);
        known.unwrap_or_else(|| {
            out.push(DraftInstances {
                key: key.clone(),
                ..DraftInstances::default()
            });
            out.len() - 1
        })
    };
    let mut known: Vec<(KeyId, usize)> = Vec::new();
    for (mined, key) in keys {
        if let Some(id) = snapshot.catalog.keys.find(mined) {
            known.push((id, place(key)));
        }
    }
    let guessed = messages.iter().flat_map(|m| &m.guessed_keys);
    let guessed: FxHashMap<&String, usize> = guessed.map(|key| (key, place(key))).collect();
    let mut by_code: FxHashMap<(KeyId, Code), usize> = FxHashMap::default();
    let mut unnamed = UnnamedFields::of(snapshot, messages);
    for id in snapshot.order.iter().take(EVENTS) {
        let Some(event) = snapshot.event(EventId(*id)) else {
            continue;
        };
        event.for_each_code(|key, codes, _| {
            if let ([code], Some((_, at))) = (codes, known.iter().find(|k| k.0 == key)) {
                let one = &mut out[*at];
                let number = *by_code.entry((key, *code)).or_insert_with(|| {
                    let view = snapshot.catalog.keys.get(key);
                    let code = view.as_ref().map_or(*code, |k| k.dict.canonical(*code));
                    one.number(view.and_then(|k| k.spelling(code)).unwrap_or_default())
                });
                one.events_by_value[number].push(event.id);
            }
        });
        for (key, text) in unnamed.read(&event) {
            if let Some(at) = guessed.get(&key) {
                let number = out[*at].number(text);
                out[*at].events_by_value[number].push(event.id);
            }
        }
    }
    out
}

/// Messages with fields that mining does not name: their records are read again.
struct UnnamedFields<'m> {
    messages: Vec<(&'m DraftMessage, Pattern)>,
    /// Index in `messages`, by literal parts.
    of: FxHashMap<Literals, usize>,
    shapes: FxHashMap<ShapeId, Option<usize>>,
    texts: TextReader,
    left: usize,
}

impl<'m> UnnamedFields<'m> {
    fn of(snapshot: &Snapshot, messages: &'m [DraftMessage]) -> UnnamedFields<'m> {
        let mut out = UnnamedFields {
            messages: Vec::new(),
            of: FxHashMap::default(),
            shapes: FxHashMap::default(),
            texts: TextReader::default(),
            left: TEXTS,
        };
        for message in messages.iter().filter(|m| !m.guessed_keys.is_empty()) {
            let Ok(pattern) = Pattern::compile(&message.pattern()) else {
                continue;
            };
            for literals in message.literals(snapshot) {
                out.of.insert(literals, out.messages.len());
            }
            out.messages.push((message, pattern));
        }
        out
    }

    /// Values of such fields in a record, with their keys.
    fn read(&mut self, event: &EventRef<'_>) -> Vec<(String, String)> {
        self.found(event).unwrap_or_default()
    }

    fn found(&mut self, event: &EventRef<'_>) -> Option<Vec<(String, String)>> {
        if self.of.is_empty() || self.left == 0 {
            return None;
        }
        let shape = event.shape()?;
        let of = self.shapes.entry(shape.id);
        let at = *of.or_insert_with(|| self.of.get(&shape.literals).copied());
        let (message, pattern) = self.messages.get(at?)?;
        self.left -= 1;
        let record = self.texts.record(event).ok()?;
        let whole = event.source().reader.as_ref()?.message(record);
        let (line, _) = first_line(whole.as_bytes());
        let mut spans = Spans::new();
        if !pattern.matches(line, &mut spans) {
            return None;
        }
        let fields = pattern.fields.iter().enumerate();
        let own = fields.filter(|(_, f)| message.guessed_keys.contains(&f.name.to_string()));
        let value = |(at, field): (usize, &_)| Some((name(field), spans.get(at)?.clone()));
        let values = own.filter_map(value);
        let text = |span| String::from_utf8_lossy(&line[span]).into_owned();
        Some(values.map(|(key, span)| (key, text(span))).collect())
    }
}

fn name(field: &widetui_format::pattern::Field) -> String {
    field.name.to_string()
}

/// Text of a stored key of an event; `None` without exactly one value.
pub(crate) fn stored_text(snapshot: &Snapshot, id: EventId, mined: &str) -> Option<String> {
    let key = snapshot.catalog.keys.find(mined)?;
    let stored = snapshot.event(id)?.stored();
    match stored.into_iter().find(|(k, ..)| *k == key)?.1 {
        Value::One(text) => Some(text),
        Value::Many(_) => None,
    }
}
