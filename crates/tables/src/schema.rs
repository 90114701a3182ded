//! Schemas of tables: each column of a result defined once. The table on the screen and its CSV, and the text, JSON
//! lines and CSV of the command derive from it.
//!
//! A schema is a list of [`SchemaColumn`]s over the row type of an analysis. A new column is a new entry.

use widetui_report::sheet::{self, Sheet, SheetCell};
use widetui_time::time::rfc3339_nanos;

use crate::role::Role;
use crate::table::{Cell, Column};
use crate::text::grouped;

/// Value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaValue {
    /// Text.
    Text(String),
    /// List of texts.
    Texts(Vec<String>),
    /// Number of objects.
    Count(u64),
    /// Moment, UTC ns.
    Time(i64),
    /// No value, where there could be one.
    Unknown,
}

impl SchemaValue {
    /// Moment, or unknown.
    pub fn time(ns: Option<i64>) -> SchemaValue {
        ns.map_or(SchemaValue::Unknown, SchemaValue::Time)
    }
}

/// Where a column is shown. JSON lines and CSV have all columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// On the screen and in the text of the command.
    Everywhere,
    /// On the screen.
    Screen,
    /// Neither.
    Nowhere,
}

/// Column of a result with rows of type `R`.
pub struct SchemaColumn<R> {
    /// Name in JSON lines and CSV.
    pub field: &'static str,
    /// Heading.
    pub heading: &'static str,
    /// Where the column is shown.
    pub shown: Shown,
    /// Widths, priority and style on the screen, for a heading.
    pub column: fn(&'static str) -> Column,
    /// Value of a row.
    pub value: fn(&R) -> SchemaValue,
    /// Style of the cell, if it is not that of its column. A count of 0 with a style of its own is blank.
    pub role: fn(&R) -> Option<Role>,
}

/// Role function of columns whose cells have the style of the column.
pub fn plain<R>(_: &R) -> Option<Role> {
    None
}

/// Columns of the table on the screen.
pub fn columns<R>(schema: &[SchemaColumn<R>]) -> Vec<Column> {
    let shown = schema.iter().filter(|c| c.shown != Shown::Nowhere);
    shown
        .map(|c| (c.column)(c.heading).field(c.field))
        .collect()
}

/// Cells of a row on the screen.
pub fn cells<R>(schema: &[SchemaColumn<R>], row: &R) -> Vec<Cell> {
    let shown = schema.iter().filter(|c| c.shown != Shown::Nowhere);
    let cell = |c: &SchemaColumn<R>| match ((c.value)(row), (c.role)(row)) {
        (SchemaValue::Text(text), None) => Cell::Text(text),
        (SchemaValue::Text(text), Some(role)) => Cell::Styled(text, role),
        (SchemaValue::Texts(texts), None) => Cell::Text(texts.join(", ")),
        (SchemaValue::Texts(texts), Some(role)) => Cell::Styled(texts.join(", "), role),
        (SchemaValue::Count(n), None) => Cell::Count(n),
        (SchemaValue::Count(n), Some(role)) => Cell::NonZero(n, role),
        (SchemaValue::Time(ns), _) => Cell::Time(ns),
        (SchemaValue::Unknown, _) => Cell::Unknown,
    };
    shown.map(cell).collect()
}

/// Rows as text, JSON lines and CSV. `moment` formats times in text.
pub fn sheet<'r, R: 'r>(
    schema: &[SchemaColumn<R>],
    rows: impl IntoIterator<Item = &'r R>,
    moment: impl Fn(i64) -> String,
) -> Sheet {
    let column = |c: &SchemaColumn<R>| match (c.shown, (c.column)(c.heading).align) {
        (Shown::Screen | Shown::Nowhere, _) => sheet::hidden(c.field),
        (Shown::Everywhere, crate::table::Align::Left) => sheet::left(c.field, c.heading),
        (Shown::Everywhere, crate::table::Align::Right) => sheet::right(c.field, c.heading),
    };
    let mut sheet = Sheet::new(schema.iter().map(column).collect());
    for row in rows {
        let cell = |c: &SchemaColumn<R>| -> SheetCell {
            match (c.value)(row) {
                SchemaValue::Text(text) => sheet::log_text(&text),
                SchemaValue::Texts(texts) => {
                    let text = sheet::safe(&texts.join(", "));
                    sheet::cell(texts, text)
                }
                SchemaValue::Count(n) => sheet::cell(n, grouped(n)),
                SchemaValue::Time(ns) => sheet::cell(rfc3339_nanos(ns), moment(ns)),
                SchemaValue::Unknown => sheet::unknown(),
            }
        };
        sheet.push(schema.iter().map(cell).collect());
    }
    sheet
}
