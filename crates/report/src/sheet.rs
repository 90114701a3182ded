//! Tables of results as text, JSON lines and CSV, from the same rows, for commands and exports of the explorer.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use widetui_analysis::Instances;
use widetui_analysis::entity::Instance;
use widetui_core::words::{id_words, push_sanitized};
use widetui_store::Snapshot;
use widetui_time::time::{format_datetime, rfc3339_nanos};
use widetui_time::zone::Zone;

use super::csv;
use super::flat::FlatColumn;
use super::jsonl::{self, JsonLines};

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetAlign {
    /// Left, for text.
    Left,
    /// Right, for numbers.
    Right,
}

/// Column: its name in JSON and CSV, and its heading in text (`None`: not in text).
#[derive(Clone, Debug)]
pub struct SheetColumn {
    /// Name in JSON and CSV; empty if the column is in text alone.
    pub name: String,
    /// Heading in text.
    pub heading: Option<String>,
    /// Alignment in text.
    pub align: SheetAlign,
    /// Column of the flat table; `None` if the values determine its columns.
    pub flat: Option<FlatColumn>,
}

/// Cell: its value in JSON and CSV, and its text. The default is that of a row without the column.
#[derive(Clone, Debug, Default)]
pub struct SheetCell {
    /// Value; `None` in rows without the column: not in JSON, empty in CSV.
    pub(crate) json: Option<Json>,
    /// Text.
    pub text: String,
    /// Text in CSV, if it differs from the value in JSON.
    pub csv: Option<String>,
}

impl SheetCell {
    /// Cell with another text in CSV.
    pub fn in_csv(self, text: String) -> SheetCell {
        SheetCell {
            csv: Some(text),
            ..self
        }
    }

    /// Cell with another text.
    pub fn with_text(self, text: String) -> SheetCell {
        SheetCell { text, ..self }
    }
}

/// Cell of a column without text.
pub fn value(json: impl Into<Json>) -> SheetCell {
    SheetCell {
        json: Some(json.into()),
        ..SheetCell::default()
    }
}

/// Table.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Columns.
    pub columns: Vec<SheetColumn>,
    /// Rows, with one cell per column.
    pub rows: Vec<Vec<SheetCell>>,
}

impl Sheet {
    /// Table without rows.
    pub fn new(columns: Vec<SheetColumn>) -> Sheet {
        Sheet {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell per column.
    pub fn push(&mut self, row: Vec<SheetCell>) {
        self.rows.push(row);
    }

    /// Adds the rows of another table, whose columns have the same types where they have the same names.
    pub fn append(&mut self, other: Sheet) {
        let places: Vec<usize> = { other.columns.into_iter() }
            .map(|column| {
                let at = self.columns.iter().position(|c| c.name == column.name);
                at.unwrap_or_else(|| {
                    self.columns.push(column);
                    self.columns.len() - 1
                })
            })
            .collect();
        for row in &mut self.rows {
            row.resize_with(self.columns.len(), SheetCell::default);
        }
        for cells in other.rows {
            let mut row: Vec<SheetCell> =
                self.columns.iter().map(|_| SheetCell::default()).collect();
            for (at, cell) in places.iter().zip(cells) {
                row[*at] = cell;
            }
            self.rows.push(row);
        }
    }

    /// Columns of JSON and CSV, with their indices.
    pub(crate) fn named(&self) -> impl Iterator<Item = (usize, &SheetColumn)> {
        let all = self.columns.iter().enumerate();
        all.filter(|(_, column)| !column.name.is_empty())
    }

    /// Rows as JSON objects, without the columns that a row does not have.
    pub fn objects(&self) -> impl Iterator<Item = Map<String, Json>> {
        self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(row);
            let cells =
                cells.filter_map(|(column, cell)| Some((column.name.clone(), cell.json.clone()?)));
            cells.collect()
        })
    }

    /// Writes JSON lines.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_jsonl(&self, out: &mut impl Write) -> io::Result<()> {
        let mut lines = JsonLines::default();
        for row in &self.rows {
            let cells = self.named();
            let object = cells
                .filter_map(|(at, column)| Some((column.name.clone(), row[at].json.clone()?)))
                .collect();
            lines.write(object, out)?;
        }
        Ok(())
    }

    /// Writes CSV with a header.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let names = self.named().map(|(_, c)| c.name.as_str());
        writeln!(out, "{}", csv::row(names))?;
        for row in &self.rows {
            let cell = |c: &SheetCell| match (&c.csv, &c.json) {
                (Some(text), _) => text.clone(),
                (None, json) => json.as_ref().map_or(String::new(), csv_text),
            };
            let cells: Vec<String> = self.named().map(|(at, _)| cell(&row[at])).collect();
            writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
        }
        Ok(())
    }

    /// Table as CSV.
    pub fn csv(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // Writing to a vector never fails.
        let _ = self.write_csv(&mut out);
        out
    }
}

/// JSON value as a cell of CSV.
pub fn csv_text(json: &Json) -> String {
    match json {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Object(object) => {
            let pairs = object.iter().map(|(k, v)| format!("{k}={}", csv_text(v)));
            pairs.collect::<Vec<_>>().join(",")
        }
        Json::Array(values) => values.iter().map(csv_text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Time as JSON.
pub fn time(ns: Option<i64>) -> Json {
    ns.map_or(Json::Null, |t| rfc3339_nanos(t).into())
}

/// Nanoseconds as seconds in JSON.
pub fn seconds(ns: Option<i64>) -> Json {
    ns.map_or(Json::Null, |t| json!(t as f64 / 1e9))
}

/// Id as a JSON object.
pub fn id_object(snapshot: &Snapshot, pairs: &[(String, String)]) -> Map<String, Json> {
    pairs
        .iter()
        .map(|(key, value)| {
            let found = snapshot.catalog.keys.find(key);
            let kind = found
                .and_then(|k| snapshot.catalog.keys.get(k))
                .map(|k| k.key.kind);
            (
                key.clone(),
                jsonl::json_value(kind.unwrap_or_default(), value),
            )
        })
        .collect()
}

/// Id as text.
pub fn id_text(found: &Instances, snapshot: &Snapshot, instance: &Instance) -> String {
    id_words(&found.id(snapshot, instance), ",")
}

/// Moment as text, with microseconds.
pub fn clock(zone: &Zone, time: i64) -> String {
    format_datetime(time, zone.offset_at_utc(time), 6)
}

/// Text of a log made safe for a terminal: control characters and characters that turn or hide text become visible, tabs become
/// spaces.
pub fn safe(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            c => push_sanitized(&mut out, c),
        }
    }
    out
}
