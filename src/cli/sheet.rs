//! Results that are tables: the same rows as text, JSON lines and CSV.

use std::io::Write;

use serde_json::{Map, Value as Json};

use crate::base::time::format_span;
use crate::export::{csv, jsonl};

use super::args::Format;
use super::entities::seconds;
use super::output::{Align, Failure, count, safe, stdout, table};

/// A column: its name in JSON and CSV, and its heading in text (none: not in text).
pub struct Column {
    name: String,
    heading: Option<String>,
    align: Align,
}

/// A column of text.
pub fn left(name: &str, heading: &str) -> Column {
    column(name, Some(heading), Align::Left)
}

/// A column of numbers.
pub fn right(name: &str, heading: &str) -> Column {
    column(name, Some(heading), Align::Right)
}

/// A column for programs.
pub fn hidden(name: &str) -> Column {
    column(name, None, Align::Left)
}

fn column(name: &str, heading: Option<&str>, align: Align) -> Column {
    Column {
        name: name.to_owned(),
        heading: heading.map(str::to_owned),
        align,
    }
}

/// A cell: for programs and for people.
pub struct Cell {
    json: Json,
    text: String,
}

/// A cell of any kind.
pub fn cell(json: impl Into<Json>, text: impl Into<String>) -> Cell {
    Cell {
        json: json.into(),
        text: text.into(),
    }
}

/// Text of a log.
pub fn words(text: &str) -> Cell {
    cell(text, safe(text))
}

/// A count.
pub fn number(n: u64) -> Cell {
    cell(n, count(n))
}

/// A duration, ns.
pub fn duration(ns: Option<i64>) -> Cell {
    cell(seconds(ns), ns.map(format_span).unwrap_or_default())
}

/// A duration, ns with fractions.
pub fn duration_f(ns: Option<f64>) -> Cell {
    let text = ns.map(|t| format_span(t.round() as i64));
    let json = ns.map(|t| t / 1e9);
    cell(
        json.map_or(Json::Null, Json::from),
        text.unwrap_or_default(),
    )
}

/// A share, 0 to 1.
pub fn share(part: f64) -> Cell {
    let percent = part * 100.0;
    let digits = usize::from(percent > 0.0 && percent < 10.0);
    cell(part, format!("{percent:.digits$} %"))
}

/// A moment, UTC ns; `text` shows it.
pub fn moment(ns: Option<i64>, text: impl FnOnce(i64) -> String) -> Cell {
    cell(super::entities::time(ns), ns.map(text).unwrap_or_default())
}

/// Rows.
pub struct Sheet {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// Without rows.
    pub fn new(columns: Vec<Column>) -> Sheet {
        Sheet {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell a column.
    pub fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Writes it.
    ///
    /// # Errors
    /// There are no rows; the output is closed.
    pub fn print(&self, format: Format) -> Result<(), Failure> {
        let mut out = stdout();
        self.write(&mut out, format)?;
        out.flush()?;
        match self.rows.is_empty() {
            true => Err(Failure::Nothing),
            false => Ok(()),
        }
    }

    /// Writes it to `out`.
    pub fn write(&self, out: &mut impl Write, format: Format) -> Result<(), Failure> {
        match format {
            Format::Jsonl => {
                for row in &self.rows {
                    let names = self.columns.iter().map(|c| c.name.clone());
                    let values = row.iter().map(|c| c.json.clone());
                    let object: Map<String, Json> = names.zip(values).collect();
                    writeln!(out, "{}", jsonl::line(&Json::Object(object)))?;
                }
            }
            Format::Csv => {
                let names = self.columns.iter().map(|c| c.name.as_str());
                writeln!(out, "{}", csv::row(names))?;
                for row in &self.rows {
                    let cells: Vec<String> = row.iter().map(|c| plain(&c.json)).collect();
                    writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
                }
            }
            Format::Text => {
                let shown = || self.columns.iter().enumerate();
                let shown = || shown().filter_map(|(at, c)| Some((at, c, c.heading.as_deref()?)));
                let columns: Vec<(&str, Align)> = shown().map(|(_, c, h)| (h, c.align)).collect();
                let text = |row: &Vec<Cell>| -> Vec<String> {
                    let cell = |at: usize| row.get(at).map(|c| c.text.clone());
                    shown()
                        .map(|(at, ..)| cell(at).unwrap_or_default())
                        .collect()
                };
                let rows: Vec<Vec<String>> = self.rows.iter().map(text).collect();
                table(out, &columns, &rows)?;
            }
        }
        Ok(())
    }
}

/// A JSON value as a cell of CSV.
fn plain(json: &Json) -> String {
    match json {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Object(object) => {
            let pairs = object.iter().map(|(k, v)| format!("{k}={}", plain(v)));
            pairs.collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}
