//! Records of a run as the columns of a Parquet file that is read back (`format::exports`), the same columns for every run.
//!
//! Arrays are built from the codes of stored values, in batches on all threads.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder,
    MapBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_schema::{Field, Schema, SchemaRef};
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, ENTRY};
use widetui_core::ids::{EventId, KeyId};
use widetui_definition::key_type::KeyType;
use widetui_format::exports::{AT, DERIVED, KEYS, LISTS, NANOS, NOTE, RUN, SOURCE};
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Value, ValueOrigin};

use super::columnar::{data_type, map_names};
use super::event::{self, full_event};
use super::flat::{BATCH, FlatType, FlatValue, in_batches, typed};
use super::jsonl::json_value;
use super::origin::{Extent, Origins, derived_json, derived_names};
use super::run_columns::ColumnOfKey;

/// Records of a run as a table with the columns of every run.
pub struct RunTable<'a> {
    snapshot: &'a Snapshot,
    /// Name of the run.
    run: &'a str,
    columns: &'a [ColumnOfKey],
    /// Place of each key, by its index.
    places: Vec<Place>,
    /// True for each column that has a value in the rows built so far.
    has_values: Vec<AtomicBool>,
    origins: Origins,
    /// Schema of the table.
    pub schema: SchemaRef,
}

/// Place of a key in the table.
#[derive(Clone, Copy)]
enum Place {
    /// Nowhere: its values are in columns of every record.
    Nowhere,
    /// Column of the source, whose tag it replaces.
    Source,
    /// Column of a key, by its index.
    Column(usize),
    /// Map of all keys.
    Map,
}

impl<'a> RunTable<'a> {
    /// Table of these records of a run.
    pub fn new(
        snapshot: &'a Snapshot,
        (run, columns): (&'a str, &'a [ColumnOfKey]),
        ids: &[u32],
        extent: Extent,
    ) -> RunTable<'a> {
        let by_key: FxHashMap<&str, usize> = { columns.iter().enumerate() }
            .map(|(at, column)| (&*column.key, at))
            .collect();
        let place = |name: &str| match by_key.get(name) {
            _ if name == "source" => Place::Source,
            _ if RESERVED.contains(&name) => Place::Nowhere,
            Some(at) => Place::Column(*at),
            None => Place::Map,
        };
        let keys = snapshot.catalog.keys.iter();
        RunTable {
            snapshot,
            run,
            columns,
            places: keys.map(|view| place(&view.key.name)).collect(),
            has_values: columns.iter().map(|_| AtomicBool::default()).collect(),
            origins: Origins::new(snapshot, ids, extent),
            schema: schema(columns),
        }
    }

    /// Calls `write` with all records as arrays of the columns, batch by batch in the order of `ids`.
    ///
    /// # Errors
    /// Errors of `write`; [`io::ErrorKind::Interrupted`] if cancelled.
    pub fn for_each(
        &self,
        ids: &[u32],
        cancel: &Cancel,
        write: impl FnMut(Vec<ArrayRef>) -> io::Result<()>,
    ) -> io::Result<()> {
        in_batches(ids, BATCH, cancel, |ids| self.arrays(ids), write)
    }

    /// Names of the keys that have a value in their column in the rows built so far.
    pub fn keys_with_values(&self) -> Vec<&str> {
        let columns = self.columns.iter().zip(&self.has_values);
        let columns = columns.filter(|(_, has_values)| has_values.load(Ordering::Relaxed));
        columns.map(|(column, _)| &*column.key).collect()
    }

    fn arrays(&self, ids: &[u32]) -> Vec<ArrayRef> {
        let mut batch = Batch::new(self);
        let events = ids.iter();
        for event in events.filter_map(|id| self.snapshot.event(EventId(*id))) {
            batch.add(&event);
        }
        batch.finish()
    }

    fn place(&self, key: KeyId) -> Place {
        { self.places.get(key.index()).copied() }.unwrap_or(Place::Nowhere)
    }
}

/// Columns of a batch of records that are built for each of them.
struct Records {
    times: TimestampMicrosecondBuilder,
    sources: StringBuilder,
    levels: StringBuilder,
    messages: StringBuilder,
    templates: StringBuilder,
    keys: MapBuilder<StringBuilder, StringBuilder>,
    lists: MapBuilder<StringBuilder, ListBuilder<StringBuilder>>,
    nanos: Int32Builder,
    numbers: Int32Builder,
    places: Int32Builder,
    notes: StringBuilder,
    derived: StringBuilder,
}

impl Records {
    fn new() -> Records {
        let text = StringBuilder::new;
        Records {
            times: TimestampMicrosecondBuilder::new(),
            sources: text(),
            levels: text(),
            messages: text(),
            templates: text(),
            keys: MapBuilder::new(Some(map_names()), text(), text()),
            lists: MapBuilder::new(Some(map_names()), text(), ListBuilder::new(text())),
            nanos: Int32Builder::new(),
            numbers: Int32Builder::new(),
            places: Int32Builder::new(),
            notes: text(),
            derived: text(),
        }
    }
}

/// Fields of all columns, in order.
fn schema(columns: &[ColumnOfKey]) -> SchemaRef {
    let records = Records::new().finish();
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let first = Field::new(RUN, data_type(FlatType::Text), true);
    let keys = { columns.iter() }.map(|c| Field::new(&c.column, data_type(c.kind), true));
    let before = records.before.iter().map(field);
    let after = records.after.iter().map(field);
    let fields: Vec<Field> = [first]
        .into_iter()
        .chain(before)
        .chain(keys)
        .chain(after)
        .collect();
    Arc::new(Schema::new(fields))
}

/// Arrays of the columns of every record: before those of keys, and after them.
struct RecordArrays {
    before: [(&'static str, ArrayRef); 7],
    after: [(&'static str, ArrayRef); 5],
}

impl Records {
    fn finish(mut self) -> RecordArrays {
        RecordArrays {
            before: [
                ("time", Arc::new(self.times.finish())),
                ("source", Arc::new(self.sources.finish())),
                ("level", Arc::new(self.levels.finish())),
                ("message", Arc::new(self.messages.finish())),
                ("template", Arc::new(self.templates.finish())),
                (KEYS, Arc::new(self.keys.finish())),
                (LISTS, Arc::new(self.lists.finish())),
            ],
            after: [
                (NANOS, Arc::new(self.nanos.finish())),
                (SOURCE, Arc::new(self.numbers.finish())),
                (AT, Arc::new(self.places.finish())),
                (NOTE, Arc::new(self.notes.finish())),
                (DERIVED, Arc::new(self.derived.finish())),
            ],
        }
    }

    fn push_key(&mut self, name: &str, text: &str) {
        self.keys.keys().append_value(name);
        self.keys.values().append_value(text);
    }

    fn push_list<'t>(&mut self, name: &str, texts: impl Iterator<Item = &'t str>) {
        self.lists.keys().append_value(name);
        let list = self.lists.values();
        texts.for_each(|text| list.values().append_value(text));
        list.append(true);
    }
}

/// Column of a key under construction, as long as its last value.
enum Cells {
    Int(Int64Builder),
    Float(Float64Builder),
    Bool(BooleanBuilder),
    Text(StringBuilder),
}

impl Cells {
    fn new(kind: FlatType) -> Cells {
        match kind {
            FlatType::Int => Cells::Int(Int64Builder::new()),
            FlatType::Float => Cells::Float(Float64Builder::new()),
            FlatType::Bool => Cells::Bool(BooleanBuilder::new()),
            FlatType::Text | FlatType::Time => Cells::Text(StringBuilder::new()),
        }
    }

    /// Makes all rows before `row` that have no value null.
    fn fill(&mut self, row: usize) {
        match self {
            Cells::Int(cells) => cells.append_nulls(row - cells.len()),
            Cells::Float(cells) => cells.append_nulls(row - cells.len()),
            Cells::Bool(cells) => cells.append_nulls(row - cells.len()),
            Cells::Text(cells) => cells.append_nulls(row - cells.len()),
        }
    }

    /// Adds the value of a row.
    fn put(&mut self, row: usize, value: &FlatValue) {
        self.fill(row);
        match (self, value) {
            (Cells::Int(cells), FlatValue::Int(n)) => cells.append_value(*n),
            (Cells::Float(cells), FlatValue::Float(n)) => cells.append_value(*n),
            (Cells::Bool(cells), FlatValue::Bool(b)) => cells.append_value(*b),
            _ => {}
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Cells::Int(mut cells) => Arc::new(cells.finish()),
            Cells::Float(mut cells) => Arc::new(cells.finish()),
            Cells::Bool(mut cells) => Arc::new(cells.finish()),
            Cells::Text(mut cells) => Arc::new(cells.finish()),
        }
    }
}

/// Key of a record with its codes, as a range of [`Batch::codes`].
struct StoredKey {
    /// Position of the key among all by name.
    rank: usize,
    key: KeyId,
    codes: std::ops::Range<usize>,
}

/// Batch under construction.
struct Batch<'t, 'a> {
    table: &'t RunTable<'a>,
    rows: usize,
    records: Records,
    cells: Vec<Option<Cells>>,
    texts: TextReader,
    /// Keys of the current record.
    stored: Vec<StoredKey>,
    codes: Vec<Code>,
    joins: Vec<(u16, KeyId)>,
    /// JSON of the joins of derived keys, by join and key in the order of the record.
    derived: FxHashMap<Vec<(u16, KeyId)>, Option<Arc<str>>>,
}

impl<'t, 'a> Batch<'t, 'a> {
    fn new(table: &'t RunTable<'a>) -> Batch<'t, 'a> {
        Batch {
            table,
            rows: 0,
            records: Records::new(),
            cells: table.columns.iter().map(|_| None).collect(),
            texts: TextReader::default(),
            stored: Vec::new(),
            codes: Vec::new(),
            joins: Vec::new(),
            derived: FxHashMap::default(),
        }
    }

    /// Adds a record.
    fn add(&mut self, event: &EventRef<'_>) {
        match event.has_deferred() {
            // Values that are not stored are read from the text.
            true => self.add_read(event),
            false => self.add_stored(event),
        }
        let records = &mut self.records;
        let time = event.time();
        records
            .times
            .append_option(time.map(|ns| ns.div_euclid(1000)));
        let nanos = time.map(|ns| ns.rem_euclid(1000) as i32);
        records.nanos.append_option(nanos.filter(|ns| *ns > 0));
        let level = event.level().name();
        records
            .levels
            .append_option(Some(level).filter(|level| !level.is_empty()));
        records
            .templates
            .append_value(event.template().map_or("", |t| &*t.text));
        // Maps without an entry are empty and not null: they need no test.
        let _ = records.keys.append(true);
        let _ = records.lists.append(true);
        records.numbers.append_value(event.source().id.0 as i32);
        let origins = &self.table.origins;
        records
            .places
            .append_option(origins.place(event.id).map(|place| place as i32));
        let note = origins.note(event.id);
        let note = note.and_then(|note| serde_json::to_string(note).ok());
        records.notes.append_option(note);
        self.rows += 1;
    }

    /// Adds the keys, the message and the source of a record some of whose values are read from its text.
    fn add_read(&mut self, event: &EventRef<'_>) {
        let full = full_event(event, &mut self.texts);
        let names = &self.table.snapshot.catalog.keys;
        for key in &full.keys {
            let place = names.find(key.name).map(|id| self.table.place(id));
            match &key.value {
                Value::One(text) => {
                    let is_kept = match place {
                        Some(Place::Column(at)) => self.put(at, key.kind, text),
                        _ => false,
                    };
                    if !is_kept {
                        self.records.push_key(key.name, text);
                    }
                }
                Value::Many(texts) => {
                    self.records
                        .push_list(key.name, texts.iter().map(String::as_str));
                }
            }
        }
        self.records.sources.append_value(&full.source);
        self.records.messages.append_value(&full.message);
        self.records
            .derived
            .append_option(derived_json(self.table.snapshot, &full));
    }

    /// Adds the keys, the message and the source of a record whose values are all stored.
    fn add_stored(&mut self, event: &EventRef<'_>) {
        let table = self.table;
        let names = &table.snapshot.catalog.keys;
        self.stored.clear();
        self.codes.clear();
        self.joins.clear();
        let mut source = None;
        event.for_each_code(|key, codes, origin| {
            let is_known = self.stored.iter().any(|stored| stored.key == key);
            let Some(view) = names.get(key).filter(|_| !is_known) else {
                return;
            };
            match table.place(key) {
                Place::Nowhere => {}
                Place::Source => {
                    if let (None, [code]) = (&source, codes) {
                        source = view.spelled(*code);
                    }
                }
                Place::Column(_) | Place::Map => {
                    let start = self.codes.len();
                    let has_value = |code: &&Code| **code < ENTRY || view.spelled(**code).is_some();
                    self.codes.extend(codes.iter().filter(has_value));
                    if self.codes.len() == start {
                        return;
                    }
                    self.stored.push(StoredKey {
                        rank: names.rank(key),
                        key,
                        codes: start..self.codes.len(),
                    });
                    if let ValueOrigin::Join(join) = origin {
                        self.joins.push((join, key));
                    }
                }
            }
        });
        self.stored.sort_unstable_by_key(|stored| stored.rank);
        for at in 0..self.stored.len() {
            let Some(StoredKey { key, codes, .. }) = self.stored.get(at) else {
                continue;
            };
            let (key, codes) = (*key, codes.clone());
            let (Some(view), Some(codes)) = (names.get(key), self.codes.get(codes)) else {
                continue;
            };
            let [code] = *codes else {
                let texts: Vec<Cow<'_, str>> = codes
                    .iter()
                    .filter_map(|code| view.spelled(*code))
                    .collect();
                let texts = texts.iter().map(|text| &**text);
                self.records.push_list(&view.key.name, texts);
                continue;
            };
            let is_kept = match table.place(key) {
                Place::Column(at) if code < ENTRY && view.key.kind == KeyType::Int => {
                    self.column(at, |cells, row| {
                        cells.put(row, &FlatValue::Int(code.into()))
                    });
                    true
                }
                Place::Column(at) => {
                    let text = view.spelled(code).unwrap_or_default();
                    self.put(at, view.key.kind, &text)
                }
                _ => false,
            };
            if !is_kept && let Some(text) = view.spelled(code) {
                self.records.push_key(&view.key.name, &text);
            }
        }
        let source = source.unwrap_or(Cow::Borrowed(&event.source().tag));
        self.records.sources.append_value(source);
        let message = event::message(event, &mut self.texts);
        self.records.messages.append_value(message);
        let derived = self.derived();
        self.records.derived.append_option(derived);
    }

    /// Calls `put` with a column and the number of the current row.
    fn column(&mut self, at: usize, put: impl FnOnce(&mut Cells, usize)) {
        if let (Some(cells), Some(column)) = (self.cells.get_mut(at), self.table.columns.get(at)) {
            put(
                cells.get_or_insert_with(|| Cells::new(column.kind)),
                self.rows,
            );
        }
    }

    /// Adds a value to the column of its key. False if the column does not preserve its spelling.
    fn put(&mut self, at: usize, kind: KeyType, text: &str) -> bool {
        let table = self.table;
        let Some(column) = table.columns.get(at) else {
            return false;
        };
        if column.kind == FlatType::Text {
            self.column(at, |cells, row| {
                cells.fill(row);
                if let Cells::Text(cells) = cells {
                    cells.append_value(text);
                }
            });
            return true;
        }
        let value = typed(column.kind, text.to_owned());
        if value == FlatValue::Null {
            return false;
        }
        let is_kept = value.json() == json_value(kind, text);
        self.column(at, |cells, row| cells.put(row, &value));
        is_kept
    }

    /// JSON of the names of the joins of derived keys of the current record; `None` without derived keys.
    fn derived(&mut self) -> Option<Arc<str>> {
        if self.joins.is_empty() {
            return None;
        }
        if let Some(known) = self.derived.get(&self.joins) {
            return known.clone();
        }
        let snapshot = self.table.snapshot;
        let names = &snapshot.catalog.keys;
        let mut named: Vec<(&str, u16)> = { self.joins.iter() }
            .map(|(join, key)| (names.name(*key), *join))
            .collect();
        named.sort_unstable();
        let json: Option<Arc<str>> = derived_names(snapshot, &named).map(Into::into);
        self.derived.insert(self.joins.clone(), json.clone());
        json
    }

    /// Arrays of all columns.
    fn finish(self) -> Vec<ArrayRef> {
        let (table, rows) = (self.table, self.rows);
        let mut run = StringBuilder::new();
        (0..rows).for_each(|_| run.append_value(table.run));
        let RecordArrays { before, after } = self.records.finish();
        let mut empty: Vec<(FlatType, ArrayRef)> = Vec::new();
        let mut out: Vec<ArrayRef> = vec![Arc::new(run.finish())];
        out.extend(before.into_iter().map(|(_, array)| array));
        let columns = self
            .cells
            .into_iter()
            .zip(table.columns)
            .zip(&table.has_values);
        for ((cells, column), has_values) in columns {
            if let Some(mut cells) = cells {
                has_values.store(true, Ordering::Relaxed);
                cells.fill(rows);
                out.push(cells.finish());
                continue;
            }
            let known = empty.iter().find(|(kind, _)| *kind == column.kind);
            let array = known.map(|(_, array)| array.clone()).unwrap_or_else(|| {
                let array = new_null_array(&data_type(column.kind), rows);
                empty.push((column.kind, array.clone()));
                array
            });
            out.push(array);
        }
        out.extend(after.into_iter().map(|(_, array)| array));
        out
    }
}
