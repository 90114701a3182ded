//! Flat, typed tables: every column has one type in all rows, as data frames and SQL engines expect.
//!
//! [`EventTable`] is such a table of records, [`super::flat_results`] makes one of the result of an analysis. They are written as JSON
//! lines and CSV here, and as Arrow and Parquet by `columnar` (feature `parquet`).
//!
//! Columns of records: `time`, `source`, `level`, `message`, `template`, then the keys by name. A key has the type of
//! its definition; the type of a key without one is the narrowest that all its values have. A record with several
//! values of a key has null in its column, and all values in the list column `KEY.all`, which exists if there is such a
//! record, and then has the values of all records. The tables of `run_batch` have the same columns for every run instead.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_definition::key_type::KeyType;
use widetui_format::text::reserved::RESERVED;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot, Value};
use widetui_time::time::rfc3339_nanos;
use widetui_time::timeparse::parse_literal;
use widetui_time::zone::Zone;

use super::csv;
use super::event::full_event;
use super::jsonl::line;

/// Number of records in a batch of columns.
pub(crate) const BATCH: usize = 32 * 1024;

/// Number of records in a batch of rows.
const ROWS: usize = 1024;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlatType {
    /// Moment, UTC ns.
    Time,
    /// 64-bit integer.
    Int,
    /// 64-bit number.
    Float,
    /// True or false.
    Bool,
    /// Text.
    Text,
}

/// Column of a flat table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatColumn {
    /// Name, unique in the table.
    pub name: String,
    /// Type of the values.
    pub kind: FlatType,
    /// Structure of a cell.
    pub shape: FlatShape,
}

/// Structure of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatShape {
    /// One value.
    One,
    /// List of values.
    List,
    /// Values by name.
    Map,
}

impl FlatColumn {
    fn new(name: &str, kind: FlatType) -> FlatColumn {
        FlatColumn {
            name: name.to_owned(),
            kind,
            shape: FlatShape::One,
        }
    }
}

/// Cell of a flat table; its type is that of the column.
#[derive(Clone, Debug, PartialEq)]
pub enum FlatValue {
    /// No value.
    Null,
    /// Moment, UTC ns.
    Time(i64),
    /// Integer.
    Int(i64),
    /// Number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Text; records share equal ones.
    Text(Arc<str>),
    /// Values of a list column.
    List(Vec<FlatValue>),
    /// Values of a map column.
    Map(Vec<(String, FlatValue)>),
}

impl FlatValue {
    pub(crate) fn json(&self) -> Json {
        match self {
            FlatValue::Null => Json::Null,
            FlatValue::Time(ns) => rfc3339_nanos(*ns).into(),
            FlatValue::Int(n) => (*n).into(),
            FlatValue::Float(n) => (*n).into(),
            FlatValue::Bool(b) => (*b).into(),
            FlatValue::Text(text) => (&**text).into(),
            FlatValue::List(values) => values.iter().map(FlatValue::json).collect(),
            FlatValue::Map(values) => {
                let fields = values.iter();
                let fields = fields.map(|(name, value)| (name.clone(), value.json()));
                Json::Object(fields.collect())
            }
        }
    }

    fn text(&self) -> String {
        match self {
            FlatValue::Null => String::new(),
            FlatValue::Text(text) => text.to_string(),
            FlatValue::List(_) | FlatValue::Map(_) => self.json().to_string(),
            other => match other.json() {
                Json::String(text) => text,
                json => json.to_string(),
            },
        }
    }
}

/// Row of a flat table: one cell per column.
pub type FlatRow = Vec<FlatValue>;

/// Flat table in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatTable {
    /// Columns.
    pub columns: Vec<FlatColumn>,
    /// Rows.
    pub rows: Vec<FlatRow>,
}

impl FlatTable {
    /// The table with a first column that has the same text in all rows.
    #[must_use]
    pub fn of_all(mut self, name: &str, text: &str) -> FlatTable {
        self.columns
            .insert(0, FlatColumn::new(name, FlatType::Text));
        let text: Arc<str> = text.into();
        for row in &mut self.rows {
            row.insert(0, FlatValue::Text(text.clone()));
        }
        self
    }

    /// The rows by column.
    #[must_use]
    pub fn batch(&self) -> FlatBatch {
        let mut batch = FlatBatch::new(self.columns.len());
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                batch.put(column, cell.clone());
            }
            batch.rows += 1;
        }
        batch
    }
}

/// Rows by column. Only cells with a value are stored: most records have few of the keys of a run.
#[derive(Clone, Debug)]
pub struct FlatBatch {
    /// Number of rows.
    pub rows: u32,
    /// Rows that have a value in a column, in order, and their values.
    pub cells: Vec<Vec<(u32, FlatValue)>>,
}

impl FlatBatch {
    pub(crate) fn new(columns: usize) -> FlatBatch {
        FlatBatch {
            rows: 0,
            cells: vec![Vec::new(); columns],
        }
    }

    /// Adds a cell of the row after the last one.
    pub(crate) fn put(&mut self, column: usize, value: FlatValue) {
        if let Some(cells) = self.cells.get_mut(column)
            && value != FlatValue::Null
        {
            cells.push((self.rows, value));
        }
    }
}

/// Format of a flat table as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatForm {
    /// One JSON object per row, without null cells.
    Jsonl,
    /// CSV with a header; list cells are JSON.
    Csv,
}

impl FlatForm {
    /// Writes the head of the output before the rows.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_head(self, columns: &[FlatColumn], out: &mut impl Write) -> io::Result<()> {
        match self {
            FlatForm::Jsonl => Ok(()),
            FlatForm::Csv => {
                let names = columns.iter().map(|c| c.name.as_str());
                writeln!(out, "{}", csv::row(names))
            }
        }
    }

    /// Writes rows.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_rows(
        self,
        columns: &[FlatColumn],
        rows: &[FlatRow],
        out: &mut impl Write,
    ) -> io::Result<()> {
        for row in rows {
            match self {
                FlatForm::Jsonl => {
                    let cells = columns.iter().zip(row);
                    let cells = cells.filter(|(_, cell)| **cell != FlatValue::Null);
                    let object: Map<String, Json> = cells
                        .map(|(column, cell)| (column.name.clone(), cell.json()))
                        .collect();
                    writeln!(out, "{}", line(&Json::Object(object)))?;
                }
                FlatForm::Csv => {
                    let cells: Vec<String> = row.iter().map(FlatValue::text).collect();
                    writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
                }
            }
        }
        Ok(())
    }
}

/// Records of a run as a flat table. Rows are made in batches, on all threads.
#[derive(Debug)]
pub struct EventTable<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// Columns of keys, sorted by name.
    pub(crate) keys: Vec<KeyColumn>,
    /// Columns of the table.
    pub columns: Vec<FlatColumn>,
}

/// Key of records, and its columns in the table.
#[derive(Debug)]
pub(crate) struct KeyColumn {
    key: KeyId,
    kind: FlatType,
    pub(crate) scalar: usize,
    pub(crate) list: Option<usize>,
    /// Number of values that do not have the type of the key.
    left_out: AtomicUsize,
}

impl KeyColumn {
    /// Converts a value to the type of the key; a value of another type becomes null and is counted.
    fn typed(&self, text: String) -> FlatValue {
        let value = self.converted(text);
        self.count(&value);
        value
    }

    /// Converts a value to the type of the key; a value of another type becomes null.
    pub(crate) fn converted(&self, text: String) -> FlatValue {
        typed(self.kind, text)
    }

    /// Counts a value that is null because it is of another type.
    pub(crate) fn count(&self, value: &FlatValue) {
        if *value == FlatValue::Null {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Values of a key that violate its declared type and are null in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the key.
    pub key: String,
    /// Declared type.
    pub kind: FlatType,
    /// Number of values in the rows built so far.
    pub values: usize,
}

/// Statistics of a key's values, which determine its columns.
#[derive(Clone, Debug, Default)]
struct KeyUse {
    codes: FxHashSet<Code>,
    /// Narrowest type of the unstored values.
    read: Option<FlatType>,
    has_several: bool,
}

impl<'a> EventTable<'a> {
    /// Builds a table of these records with these keys, or with all if `keys` is empty. Examines the values of all
    /// keys, which determine the types of keys without a definition.
    ///
    /// # Errors
    /// [`io::ErrorKind::Interrupted`] if cancelled.
    pub fn new(
        snapshot: &'a Snapshot,
        ids: &[u32],
        keys: &[String],
        cancel: &Cancel,
    ) -> io::Result<EventTable<'a>> {
        let uses = ids.par_chunks(BATCH).map(|ids| {
            if cancel.is_cancelled() {
                return Err(io::Error::from(io::ErrorKind::Interrupted));
            }
            Ok(key_uses(snapshot, ids))
        });
        let mut uses = uses.try_reduce(BTreeMap::new, |a, b| Ok(merge_key_uses(a, b)))?;
        // A key by name has a column, also if none of these records has the key.
        let asked = keys
            .iter()
            .filter_map(|key| snapshot.catalog.keys.find(key));
        for key in asked {
            uses.entry(key).or_default();
        }
        let mut columns = vec![
            FlatColumn::new("time", FlatType::Time),
            FlatColumn::new("source", FlatType::Text),
            FlatColumn::new("level", FlatType::Text),
            FlatColumn::new("message", FlatType::Text),
            FlatColumn::new("template", FlatType::Text),
        ];
        let mut named: Vec<(String, KeyId, FlatType, bool)> = Vec::new();
        for (key, used) in &uses {
            let Some(view) = snapshot.catalog.keys.get(*key) else {
                continue;
            };
            let name = &*view.key.name;
            let is_wanted = keys.is_empty() || keys.iter().any(|key| key == name);
            if RESERVED.contains(&name) || name == "source" || !is_wanted {
                continue;
            }
            let kind = declared(view.key.kind).unwrap_or_else(|| {
                let stored = used.codes.iter().filter_map(|code| view.spelling(*code));
                let types = stored.map(|text| type_of(&text)).chain(used.read);
                types.reduce(common).unwrap_or(FlatType::Text)
            });
            named.push((name.to_owned(), *key, kind, used.has_several));
        }
        named.sort_by(|a, b| a.0.cmp(&b.0));
        let mut key_columns = Vec::with_capacity(named.len());
        for (name, key, kind, has_several) in named {
            let scalar = columns.len();
            columns.push(FlatColumn::new(&name, kind));
            let list = has_several.then_some(columns.len());
            if has_several {
                columns.push(FlatColumn {
                    shape: FlatShape::List,
                    ..FlatColumn::new(&format!("{name}.all"), kind)
                });
            }
            key_columns.push(KeyColumn {
                key,
                kind,
                scalar,
                list,
                left_out: AtomicUsize::new(0),
            });
        }
        Ok(EventTable {
            snapshot,
            keys: key_columns,
            columns,
        })
    }

    /// Values of each key that were left out of the rows built so far.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let all = self.keys.iter().map(|column| LeftOut {
            key: self.columns[column.scalar].name.clone(),
            kind: column.kind,
            values: column.left_out.load(Ordering::Relaxed),
        });
        all.filter(|left_out| left_out.values > 0).collect()
    }

    /// Builds the rows of these records, in order.
    pub fn rows(&self, ids: &[u32]) -> Vec<FlatRow> {
        let mut texts = TextReader::default();
        let events = ids
            .iter()
            .filter_map(|id| self.snapshot.event(EventId(*id)));
        let rows = events.map(|event| {
            let mut row = vec![FlatValue::Null; self.columns.len()];
            self.row(&event, &mut texts, |column, value| {
                if let Some(cell) = row.get_mut(column) {
                    *cell = value;
                }
            });
            row
        });
        rows.collect()
    }

    /// Columns of keys by key.
    pub(crate) fn columns_of_keys(&self) -> FxHashMap<KeyId, &KeyColumn> {
        self.keys
            .iter()
            .map(|column| (column.key, column))
            .collect()
    }

    /// Calls `write` with the rows of all records, in the order of `ids`.
    ///
    /// # Errors
    /// Errors of `write`; [`io::ErrorKind::Interrupted`] if cancelled.
    pub fn for_each_rows(
        &self,
        ids: &[u32],
        cancel: &Cancel,
        write: impl FnMut(Vec<FlatRow>) -> io::Result<()>,
    ) -> io::Result<()> {
        in_batches(ids, ROWS, cancel, |ids| self.rows(ids), write)
    }

    /// Calls `put` with the cells of a record that have a value.
    pub(crate) fn row(
        &self,
        event: &EventRef<'_>,
        texts: &mut TextReader,
        mut put: impl FnMut(usize, FlatValue),
    ) {
        let full = full_event(event, texts);
        if let Some(time) = event.time() {
            put(0, FlatValue::Time(time));
        }
        put(1, FlatValue::Text(full.source.into()));
        if !full.level.is_empty() {
            put(2, FlatValue::Text(full.level.into()));
        }
        put(3, FlatValue::Text(full.message.into()));
        put(4, FlatValue::Text(full.template.into()));
        // Both lists are sorted by name.
        let mut columns = self.keys.iter().peekable();
        for key in full.keys {
            while columns
                .next_if(|c| *self.columns[c.scalar].name < *key.name)
                .is_some()
            {}
            let is_column = |c: &&KeyColumn| self.columns[c.scalar].name == key.name;
            let Some(column) = columns.next_if(is_column) else {
                continue;
            };
            match key.value {
                Value::One(text) => {
                    let value = column.typed(text);
                    if let Some(list) = column.list {
                        put(list, FlatValue::List(vec![value.clone()]));
                    }
                    put(column.scalar, value);
                }
                Value::Many(values) => {
                    if let Some(list) = column.list {
                        let values = values.into_iter().map(|text| column.typed(text));
                        put(list, FlatValue::List(values.collect()));
                    }
                }
            }
        }
    }
}

/// Calls `write` with what `make` makes of each batch of records, in the order of `ids`. Batches are made on all threads.
pub(crate) fn in_batches<T: Send>(
    ids: &[u32],
    size: usize,
    cancel: &Cancel,
    make: impl Fn(&[u32]) -> T + Sync,
    mut write: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    for ids in ids.chunks(size * rayon::current_num_threads()) {
        if cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let batches: Vec<T> = ids.par_chunks(size).map(&make).collect();
        batches.into_iter().try_for_each(&mut write)?;
    }
    Ok(())
}

/// Computes the statistics of the keys of these records.
fn key_uses(snapshot: &Snapshot, ids: &[u32]) -> BTreeMap<KeyId, KeyUse> {
    let mut uses: BTreeMap<KeyId, KeyUse> = BTreeMap::new();
    let mut texts = TextReader::default();
    for event in ids.iter().filter_map(|id| snapshot.event(EventId(*id))) {
        let mut is_deferred = false;
        event.for_each_code(|key, codes, _| {
            let used = uses.entry(key).or_default();
            used.codes.extend(codes);
            used.has_several |= codes.len() > 1;
            is_deferred |= codes.is_empty();
        });
        if !is_deferred {
            continue;
        }
        for read in full_event(&event, &mut texts).keys {
            let Some(key) = snapshot.catalog.keys.find(read.name) else {
                continue;
            };
            let used = uses.entry(key).or_default();
            let values = match &read.value {
                Value::One(text) => std::slice::from_ref(text),
                Value::Many(values) => values,
            };
            used.has_several |= values.len() > 1;
            let types = values.iter().map(|text| type_of(text));
            used.read = types.chain(used.read).reduce(common);
        }
    }
    uses
}

/// Uses of keys in two sets of records together.
fn merge_key_uses(
    mut all: BTreeMap<KeyId, KeyUse>,
    more: BTreeMap<KeyId, KeyUse>,
) -> BTreeMap<KeyId, KeyUse> {
    for (key, used) in more {
        let known = all.entry(key).or_default();
        known.codes.extend(used.codes);
        known.has_several |= used.has_several;
        known.read = [known.read, used.read].into_iter().flatten().reduce(common);
    }
    all
}

/// Column type of a declared type; `None` if the values determine it.
pub(crate) fn declared(kind: KeyType) -> Option<FlatType> {
    match kind {
        KeyType::Auto | KeyType::Job => None,
        KeyType::Int => Some(FlatType::Int),
        KeyType::Float => Some(FlatType::Float),
        KeyType::Bool => Some(FlatType::Bool),
        KeyType::Text
        | KeyType::Uuid
        | KeyType::Hex
        | KeyType::Bytes
        | KeyType::Tuple
        | KeyType::Host
        | KeyType::Path => Some(FlatType::Text),
    }
}

/// Narrowest type of a value. A number that would not be written back with the same spelling (`007`, `1e3`) is text.
fn type_of(text: &str) -> FlatType {
    if matches!(text, "true" | "false") {
        return FlatType::Bool;
    }
    if let Ok(n) = text.parse::<i64>() {
        let is_plain = n.to_string() == text;
        return if is_plain {
            FlatType::Int
        } else {
            FlatType::Text
        };
    }
    let is_number = text.contains('.')
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'.' || b == b'-')
        && text.parse::<f64>().is_ok();
    if is_number {
        FlatType::Float
    } else {
        FlatType::Text
    }
}

/// Narrowest common type of two types.
pub(crate) fn common(a: FlatType, b: FlatType) -> FlatType {
    match (a, b) {
        (a, b) if a == b => a,
        (FlatType::Int, FlatType::Float) | (FlatType::Float, FlatType::Int) => FlatType::Float,
        _ => FlatType::Text,
    }
}

/// Converts a value to a type. A value of another type is null.
pub(crate) fn typed(kind: FlatType, text: String) -> FlatValue {
    match kind {
        FlatType::Text => FlatValue::Text(text.into()),
        FlatType::Int => text.parse().map_or(FlatValue::Null, FlatValue::Int),
        FlatType::Float => text.parse().map_or(FlatValue::Null, FlatValue::Float),
        FlatType::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => FlatValue::Bool(true),
            "false" | "no" | "0" => FlatValue::Bool(false),
            _ => FlatValue::Null,
        },
        FlatType::Time => moment(&text).map_or(FlatValue::Null, FlatValue::Time),
    }
}

/// Parses a time as written in JSON lines, to UTC ns.
pub(crate) fn moment(text: &str) -> Option<i64> {
    let is_moment =
        text.len() == 30 && text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T');
    is_moment.then(|| parse_literal(text, 0, &Zone::Utc).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_the_narrowest_that_all_values_have() {
        let of = |texts: &[&str]| texts.iter().map(|t| type_of(t)).reduce(common).unwrap();
        assert_eq!(of(&["1", "-20"]), FlatType::Int);
        assert_eq!(of(&["1", "2.50"]), FlatType::Float);
        assert_eq!(of(&["1", "0172"]), FlatType::Text);
        assert_eq!(of(&["true", "false"]), FlatType::Bool);
        assert_eq!(of(&["true", "1"]), FlatType::Text);
        assert_eq!(of(&["1.2.3"]), FlatType::Text);
        assert_eq!(of(&["inf"]), FlatType::Text);
    }

    #[test]
    fn a_declared_integer_is_one_in_every_spelling() {
        assert_eq!(typed(FlatType::Int, "0172".to_owned()), FlatValue::Int(172));
        assert_eq!(typed(FlatType::Int, "none".to_owned()), FlatValue::Null);
    }
}
