//! Batches of records by column, from the codes of their stored values: each distinct value is spelled and converted once in
//! a batch.

use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, TemplateId};
use widetui_store::EventRef;
use widetui_store::texts::TextReader;

use super::event;
use super::flat::{BATCH, EventTable, FlatBatch, FlatValue, KeyColumn, in_batches};

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
    values: FxHashMap<(KeyId, Code), Option<FlatValue>>,
    sources: FxHashMap<u32, Arc<str>>,
    templates: FxHashMap<TemplateId, Arc<str>>,
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
        let mut source: Option<Arc<str>> = None;
        event.for_each_code(|key, codes, _| {
            if known.contains(&key) {
                return;
            }
            let is_stored = match self.source_key == Some(key) {
                true => {
                    let view = self.table.snapshot.catalog.keys.get(key);
                    let spelled = |code| view.and_then(|view| view.spelled(code));
                    let mut tags = codes.iter().filter_map(|code| spelled(*code));
                    let first = tags.next();
                    let is_stored = first.is_some();
                    source = first.filter(|_| tags.next().is_none()).map(Arc::from);
                    is_stored
                }
                false => self.put(key, codes),
            };
            if is_stored {
                known.push(key);
            }
        });
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

    /// Adds the values of a key to its columns. False if there is no value.
    fn put(&mut self, key: KeyId, codes: &[Code]) -> bool {
        let Some(column) = self.columns.get(&key).copied() else {
            return false;
        };
        let mut values: Vec<FlatValue> = { codes.iter() }
            .filter_map(|code| self.value(key, column, *code))
            .collect();
        if values.is_empty() {
            return false;
        }
        values.iter().for_each(|value| column.count(value));
        let is_single = values.len() == 1;
        if let Some(list) = column.list {
            self.batch.put(list, FlatValue::List(values.clone()));
        }
        if is_single && let Some(value) = values.pop() {
            self.batch.put(column.scalar, value);
        }
        true
    }

    /// Value of a code in the type of its column; `None` for no value.
    fn value(&mut self, key: KeyId, column: &KeyColumn, code: Code) -> Option<FlatValue> {
        if let Some(known) = self.values.get(&(key, code)) {
            return known.clone();
        }
        let view = self.table.snapshot.catalog.keys.get(key);
        let spelled = view.and_then(|view| view.spelling(code));
        let value = spelled.map(|text| column.converted(text));
        self.values.insert((key, code), value.clone());
        value
    }
}
