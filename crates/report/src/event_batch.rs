//! Batches of records by column, from the codes of their stored values: each distinct value is spelled and converted once in
//! a batch.

use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, TemplateId};
use widetui_definition::key_type::KeyType;
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Value, ValueOrigin};

use super::event;
use super::flat::{BATCH, EventTable, FlatBatch, FlatValue, KeyColumn, OriginColumns, in_batches};
use super::jsonl::TypedValue;
use super::origin::derived_names;

/// Calls `write` with all records by column, batch by batch in the order of `ids`. Batches are made on all threads.
///
/// # Errors
/// Errors of `write`; [`io::ErrorKind::Interrupted`] if cancelled.
pub fn for_each(
    table: &EventTable<'_>,
    ids: &[u32],
    cancel: &Cancel,
    write: impl FnMut(FlatBatch) -> io::Result<()>,
) -> io::Result<()> {
    in_batches(ids, BATCH, cancel, |ids| build(table, ids), write)
}

/// Builds a batch of these records, in order.
fn build(table: &EventTable<'_>, ids: &[u32]) -> FlatBatch {
    let snapshot = table.snapshot;
    let source_key = snapshot.catalog.keys.find("source");
    let mut builder = Builder {
        table,
        columns: table.columns_of_keys(),
        source_key,
        batch: FlatBatch::new(table.columns.len()),
        texts: TextReader::default(),
        values: FxHashMap::default(),
        sources: FxHashMap::default(),
        templates: FxHashMap::default(),
        derived: FxHashMap::default(),
    };
    for event in { ids.iter() }.filter_map(|id| snapshot.event(EventId(*id))) {
        builder.add(&event);
    }
    builder.batch
}

/// Batch under construction, with the texts and values that its records share.
struct Builder<'t, 'a> {
    table: &'t EventTable<'a>,
    columns: FxHashMap<KeyId, &'t KeyColumn>,
    /// Key that overrides the tag of the source.
    source_key: Option<KeyId>,
    batch: FlatBatch,
    texts: TextReader,
    values: FxHashMap<(KeyId, Code), Option<Converted>>,
    sources: FxHashMap<u32, Arc<str>>,
    templates: FxHashMap<TemplateId, Arc<str>>,
    /// JSON of the joins of derived keys, by join and key in the order of the record.
    derived: FxHashMap<Vec<(u16, KeyId)>, Option<Arc<str>>>,
}

/// Value in the type of its column.
#[derive(Clone)]
struct Converted {
    value: FlatValue,
    /// True if the column preserves its spelling.
    is_kept: bool,
}

impl Builder<'_, '_> {
    /// Adds a record.
    fn add(&mut self, event: &EventRef<'_>) {
        if event.has_deferred() {
            // Values that are not in the columns are read from the text.
            let batch = &mut self.batch;
            self.table.row(event, &mut self.texts, |column, value| {
                batch.put(column, value)
            });
        } else {
            self.add_stored(event);
        }
        self.batch.rows += 1;
    }

    /// Adds the cells of a record whose values are all stored.
    fn add_stored(&mut self, event: &EventRef<'_>) {
        let mut known: Vec<KeyId> = Vec::new();
        let mut derived: Vec<(u16, KeyId)> = Vec::new();
        let mut source: Option<Arc<str>> = None;
        let mut original: Vec<(KeyId, Json)> = Vec::new();
        event.for_each_code(|key, codes, origin| {
            if known.contains(&key) {
                return;
            }
            let is_stored = match self.source_key == Some(key) {
                true => match self.spellings(key, codes).as_mut_slice() {
                    [] => false,
                    [tag] => {
                        source = Some(std::mem::take(tag).into());
                        true
                    }
                    _ => true,
                },
                false => self.put(key, codes, &mut original),
            };
            if is_stored {
                known.push(key);
                if let ValueOrigin::Join(join) = origin {
                    derived.push((join, key));
                }
            }
        });
        if let Some(OriginColumns { first, origins }) = &self.table.origins {
            let first = *first;
            self.batch
                .put(first, FlatValue::Int(event.source().id.0.into()));
            if let Some(place) = origins.place(event.id) {
                self.batch.put(first + 1, FlatValue::Int(place.into()));
            }
            let described = origins.note(event.id);
            if let Some(note) = described.and_then(|note| serde_json::to_string(note).ok()) {
                self.batch.put(first + 2, FlatValue::Text(note.into()));
            }
            if let Some(derived) = self.derived(derived) {
                self.batch.put(first + 3, FlatValue::Text(derived));
            }
            if !original.is_empty() {
                let names = &self.table.snapshot.catalog.keys;
                let mut original: Vec<(&str, Json)> = { original.into_iter() }
                    .map(|(key, json)| (names.name(key), json))
                    .collect();
                original.sort_by(|a, b| a.0.cmp(b.0));
                let object: Map<String, Json> = { original.into_iter() }
                    .map(|(name, json)| (name.to_owned(), json))
                    .collect();
                let text = Json::Object(object).to_string();
                self.batch.put(first + 4, FlatValue::Text(text.into()));
            }
        }
        if let Some(time) = event.time() {
            self.batch.put(0, FlatValue::Time(time));
        }
        let of_source = || Arc::from(event.source().tag.as_str());
        let source = source.unwrap_or_else(|| {
            self.sources
                .entry(event.source().id.0)
                .or_insert_with(of_source)
                .clone()
        });
        self.batch.put(1, FlatValue::Text(source));
        let level = event.level().name();
        if !level.is_empty() {
            self.batch.put(2, FlatValue::Text(level.into()));
        }
        let message = event::message(event, &mut self.texts);
        self.batch.put(3, FlatValue::Text(message.into()));
        let template = event.template().map_or_else(Arc::default, |template| {
            let known = self.templates.entry(template.id);
            known.or_insert_with(|| Arc::from(&*template.text)).clone()
        });
        self.batch.put(4, FlatValue::Text(template));
    }

    /// Adds the values of a key to its columns, and to `original` those whose spelling the column does not preserve. False if
    /// there is no value.
    fn put(&mut self, key: KeyId, codes: &[Code], original: &mut Vec<(KeyId, Json)>) -> bool {
        let Some(column) = self.columns.get(&key).copied() else {
            return codes.iter().any(|code| self.is_value(key, *code));
        };
        if let [code] = codes {
            let Some(Converted { value, is_kept }) = self.value(key, column, *code) else {
                return false;
            };
            column.count(&value);
            if !is_kept {
                original.push((key, self.json(key, codes)));
            }
            if let Some(list) = column.list {
                self.batch.put(list, FlatValue::List(vec![value.clone()]));
            }
            self.batch.put(column.scalar, value);
            return true;
        }
        let values: Vec<Converted> = { codes.iter() }
            .filter_map(|code| self.value(key, column, *code))
            .collect();
        if values.is_empty() {
            return false;
        }
        if values.iter().any(|value| !value.is_kept) {
            original.push((key, self.json(key, codes)));
        }
        values.iter().for_each(|value| column.count(&value.value));
        let is_single = values.len() == 1;
        let mut values: Vec<FlatValue> = values.into_iter().map(|value| value.value).collect();
        if let Some(list) = column.list {
            self.batch.put(list, FlatValue::List(values.clone()));
        }
        if is_single && let Some(value) = values.pop() {
            self.batch.put(column.scalar, value);
        }
        true
    }

    /// Value of a code in the type of its column; `None` for no value.
    fn value(&mut self, key: KeyId, column: &KeyColumn, code: Code) -> Option<Converted> {
        if let Some(known) = self.values.get(&(key, code)) {
            return known.clone();
        }
        let view = self.table.snapshot.catalog.keys.get(key);
        let converted = view.and_then(|view| {
            let text = view.spelling(code)?;
            let one = Value::One(text.clone());
            Some(Converted {
                is_kept: self.table.origins.is_none() || column.keeps(view.key.kind, &one),
                value: column.converted(text),
            })
        });
        self.values.insert((key, code), converted.clone());
        converted
    }

    /// True if a code has a value.
    fn is_value(&self, key: KeyId, code: Code) -> bool {
        let view = self.table.snapshot.catalog.keys.get(key);
        view.is_some_and(|view| view.spelling(code).is_some())
    }

    fn spellings(&self, key: KeyId, codes: &[Code]) -> Vec<String> {
        let view = self.table.snapshot.catalog.keys.get(key);
        let all = view.map(|view| {
            codes
                .iter()
                .filter_map(|code| view.spelling(*code))
                .collect()
        });
        all.unwrap_or_default()
    }

    /// Values of a key as JSON, as spelled in the record.
    fn json(&self, key: KeyId, codes: &[Code]) -> Json {
        let mut values = self.spellings(key, codes);
        let kind = self.table.snapshot.catalog.keys.get(key);
        let kind = kind.map_or(KeyType::Auto, |view| view.key.kind);
        let value = match values.len() {
            1 => Value::One(values.swap_remove(0)),
            _ => Value::Many(values),
        };
        let typed = TypedValue {
            kind,
            value: &value,
        };
        serde_json::to_value(typed).unwrap_or_default()
    }

    /// JSON of the names of the joins of derived keys; `None` without derived keys.
    fn derived(&mut self, keys: Vec<(u16, KeyId)>) -> Option<Arc<str>> {
        if keys.is_empty() {
            return None;
        }
        if let Some(known) = self.derived.get(&keys) {
            return known.clone();
        }
        let snapshot = self.table.snapshot;
        let names = &snapshot.catalog.keys;
        let mut named: Vec<(&str, u16)> = { keys.iter() }
            .map(|(join, key)| (names.name(*key), *join))
            .filter(|(name, _)| !RESERVED.contains(name) && *name != "source")
            .collect();
        named.sort_unstable();
        let json: Option<Arc<str>> = derived_names(snapshot, &named).map(Into::into);
        self.derived.insert(keys, json.clone());
        json
    }
}
