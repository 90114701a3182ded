//! Schemas of tables: each column of a result defined once. The table on the screen, its CSV, and the text, JSON lines, CSV, Arrow
//! and Parquet of the command derive from it.
//!
//! A schema is a list of [`SchemaColumn`]s over the row type of an analysis. A new column is a new entry.

use std::borrow::{Borrow, Cow};

use serde_json::{Map, Value as Json};

use widetui_report::flat::{FlatColumn, FlatShape, FlatType};
use widetui_report::sheet::{self, Sheet, SheetCell, SheetColumn};
use widetui_time::time::rfc3339_nanos;

use crate::role::Role;
use crate::table::{Cell, Column, Row, Table};

/// Type of the values of a column, with their unit in JSON lines and CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaType {
    /// Text.
    Text,
    /// List of texts.
    Texts,
    /// Number of objects.
    Count,
    /// Size, bytes.
    Bytes,
    /// Number, in the unit of the data.
    Number,
    /// Share, 0 to 1.
    Share,
    /// Duration, seconds.
    Duration,
    /// Moment, RFC 3339 in UTC.
    Time,
    /// True or false.
    Flag,
    /// Object with one value per key; a flat table has a column for each, a stored one a map.
    Object,
    /// Object with numbers of objects by name.
    Counts,
    /// Nested lists and objects.
    Nested,
}

impl SchemaType {
    /// Flat column of this type; `None` if the values determine the columns.
    fn flat(self, name: String) -> Option<FlatColumn> {
        let kind = match self {
            SchemaType::Text | SchemaType::Texts | SchemaType::Object => FlatType::Text,
            SchemaType::Count | SchemaType::Bytes | SchemaType::Counts => FlatType::Int,
            SchemaType::Number | SchemaType::Share | SchemaType::Duration => FlatType::Float,
            SchemaType::Time => FlatType::Time,
            SchemaType::Flag => FlatType::Bool,
            SchemaType::Nested => return None,
        };
        let shape = match self {
            SchemaType::Texts => FlatShape::List,
            SchemaType::Object | SchemaType::Counts => FlatShape::Map,
            _ => FlatShape::One,
        };
        Some(FlatColumn { name, kind, shape })
    }
}

/// Value of a cell.
#[derive(Clone, Debug, PartialEq)]
enum SchemaValue {
    Text(String),
    Texts(Vec<String>),
    Count(u64),
    Bytes(u64),
    Number(f64),
    Share(f64),
    /// Duration, ns.
    Duration(f64),
    /// Moment, UTC ns.
    Time(i64),
    Flag(bool),
    Object(Map<String, Json>),
    /// Value, and its text in CSV.
    Nested(Json, String),
}

impl SchemaValue {
    fn sheet_cell(self) -> SheetCell {
        sheet::value(match self {
            SchemaValue::Text(text) => Json::from(text),
            SchemaValue::Texts(texts) => texts.into(),
            SchemaValue::Count(n) | SchemaValue::Bytes(n) => n.into(),
            // Whole numbers without a fraction.
            SchemaValue::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => (x as i64).into(),
            SchemaValue::Number(x) | SchemaValue::Share(x) => x.into(),
            SchemaValue::Duration(ns) => (ns / 1e9).into(),
            SchemaValue::Time(ns) => rfc3339_nanos(ns).into(),
            SchemaValue::Flag(flag) => flag.into(),
            SchemaValue::Object(map) => map.into(),
            SchemaValue::Nested(json, text) => return sheet::value(json).in_csv(text),
        })
    }

    /// Cell on the screen; a count with a style is blank for 0.
    fn cell(self, role: Option<Role>) -> Cell {
        let text = |text: String| match role {
            Some(role) => Cell::Styled(text, role),
            None => Cell::Text(text),
        };
        match (self, role) {
            (SchemaValue::Text(shown), _) => text(shown),
            (SchemaValue::Texts(texts), _) => text(texts.join(", ")),
            (SchemaValue::Count(n), Some(role)) => Cell::NonZero(n, role),
            (SchemaValue::Count(n), None) => Cell::Count(n),
            (SchemaValue::Bytes(n), _) => Cell::Bytes(n),
            (SchemaValue::Number(x), _) => Cell::Number(x),
            (SchemaValue::Share(share), _) => Cell::Share(share),
            (SchemaValue::Duration(ns), _) => Cell::Span(ns.round() as i64),
            (SchemaValue::Time(ns), _) => Cell::Time(ns),
            (SchemaValue::Flag(flag), _) => text(flag.to_string()),
            (SchemaValue::Object(map), _) => text(sheet::csv_text(&map.into())),
            (SchemaValue::Nested(_, shown), _) => text(shown),
        }
    }
}

/// Where a column is shown. JSON lines and CSV have all columns with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// On the screen and in the text of the command.
    Everywhere,
    /// On the screen.
    Screen,
    /// In the text of the command.
    Text,
    /// Neither.
    Nowhere,
}

/// Column of a result with rows of type `R`.
pub struct SchemaColumn<R> {
    /// Name in JSON lines and CSV; empty for columns of the screen alone.
    field: Cow<'static, str>,
    kind: SchemaType,
    shown: Shown,
    column: Column,
    value: Getter<R, Option<SchemaValue>>,
    cell: Option<Getter<R, Cell>>,
    style: Option<Getter<R, Role>>,
}

/// Function of a row.
type Getter<R, T> = Box<dyn Fn(&R) -> T>;

/// Defines constructors of columns: `(doc) name(type of a value) -> SchemaType, Column, conversion`.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident($value:ty) => $kind:ident, $column:ident, $convert:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: Into<Option<$value>>>(
            field: impl Into<Cow<'static, str>>,
            get: impl Fn(&R) -> T + 'static,
        ) -> SchemaColumn<R> {
            let field = field.into();
            SchemaColumn {
                column: Column::$column(field.clone()),
                field,
                kind: SchemaType::$kind,
                shown: Shown::Everywhere,
                value: Box::new(move |row| get(row).into().map($convert)),
                cell: None,
                style: None,
            }
        }
    )*};
}

impl<R> SchemaColumn<R> {
    constructors! {
        /// Column of texts.
        text(String) => Text, text, SchemaValue::Text;
        /// Column of lists of texts.
        texts(Vec<String>) => Texts, text, SchemaValue::Texts;
        /// Column of numbers of objects.
        count(u64) => Count, number, SchemaValue::Count;
        /// Column of sizes, bytes.
        bytes(u64) => Bytes, number, SchemaValue::Bytes;
        /// Column of numbers.
        number(f64) => Number, number, SchemaValue::Number;
        /// Column of shares, 0 to 1.
        share(f64) => Share, number, SchemaValue::Share;
        /// Column of durations, ns.
        duration(i64) => Duration, number, |ns| SchemaValue::Duration(ns as f64);
        /// Column of means and percentiles of durations, ns.
        mean(f64) => Duration, number, SchemaValue::Duration;
        /// Column of moments, UTC ns.
        time(i64) => Time, time, SchemaValue::Time;
        /// Column of flags, not shown.
        flag(bool) => Flag, text, SchemaValue::Flag;
        /// Column of objects with one value per key, such as ids.
        object(Map<String, Json>) => Object, text, SchemaValue::Object;
        /// Column of numbers of objects by name.
        counts(Map<String, Json>) => Counts, text, SchemaValue::Object;
        /// Column of nested values, with their text in CSV.
        nested((Json, String)) => Nested, text, |(json, text)| SchemaValue::Nested(json, text);
    }

    /// Column of the screen alone, such as bars.
    pub(crate) fn drawn(column: Column, cell: impl Fn(&R) -> Cell + 'static) -> SchemaColumn<R> {
        SchemaColumn {
            field: Cow::Borrowed(""),
            kind: SchemaType::Nested,
            shown: Shown::Screen,
            column,
            value: Box::new(|_| None),
            cell: Some(Box::new(cell)),
            style: None,
        }
    }

    /// Sets the heading, which is the field by default.
    #[must_use]
    pub fn heading(mut self, heading: impl Into<Cow<'static, str>>) -> SchemaColumn<R> {
        self.column.title = heading.into();
        self
    }

    /// Sets widths, priority and style on the screen.
    #[must_use]
    pub fn layout(mut self, layout: impl FnOnce(Column) -> Column) -> SchemaColumn<R> {
        self.column = layout(self.column);
        self
    }

    /// Sets the cell on the screen and in text, if the value alone does not determine it.
    #[must_use]
    pub fn cell(mut self, cell: impl Fn(&R) -> Cell + 'static) -> SchemaColumn<R> {
        self.cell = Some(Box::new(cell));
        self
    }

    /// Sets the style of each cell. A count of 0 is then blank.
    #[must_use]
    pub fn style(mut self, style: impl Fn(&R) -> Role + 'static) -> SchemaColumn<R> {
        self.style = Some(Box::new(style));
        self
    }

    /// Shows the column on the screen and in text.
    #[must_use]
    pub fn everywhere(self) -> SchemaColumn<R> {
        self.shown(Shown::Everywhere)
    }

    /// Shows the column on the screen, not in text.
    #[must_use]
    pub fn on_screen(self) -> SchemaColumn<R> {
        self.shown(Shown::Screen)
    }

    /// Shows the column in text, not on the screen.
    #[must_use]
    pub fn in_text(self) -> SchemaColumn<R> {
        self.shown(Shown::Text)
    }

    /// Shows the column neither on the screen nor in text.
    #[must_use]
    pub fn hidden(self) -> SchemaColumn<R> {
        self.shown(Shown::Nowhere)
    }

    fn shown(self, shown: Shown) -> SchemaColumn<R> {
        SchemaColumn { shown, ..self }
    }

    fn is_on_screen(&self) -> bool {
        matches!(self.shown, Shown::Everywhere | Shown::Screen)
    }

    fn shown_cell(&self, row: &R) -> Cell {
        if let Some(cell) = &self.cell {
            return cell(row);
        }
        match ((self.value)(row), self.kind) {
            (Some(value), _) => value.cell(self.style.as_ref().map(|style| style(row))),
            (None, SchemaType::Text) => Cell::Empty,
            (None, _) => Cell::Unknown,
        }
    }
}

/// Field of JSON lines and CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaField {
    /// Name.
    pub name: String,
    /// Type of the values.
    pub kind: SchemaType,
}

/// Columns of a result with rows of type `R`.
pub struct Schema<R>(Vec<SchemaColumn<R>>);

impl<R> From<Vec<SchemaColumn<R>>> for Schema<R> {
    fn from(columns: Vec<SchemaColumn<R>>) -> Schema<R> {
        Schema(columns)
    }
}

impl<R> Schema<R> {
    /// Fields of JSON lines and CSV, in their order in CSV.
    pub fn fields(&self) -> Vec<SchemaField> {
        let named = self.0.iter().filter(|c| !c.field.is_empty());
        let field = |c: &SchemaColumn<R>| SchemaField {
            name: c.field.to_string(),
            kind: c.kind,
        };
        named.map(field).collect()
    }

    /// Adds a column.
    pub fn push(&mut self, column: SchemaColumn<R>) {
        self.0.push(column);
    }

    /// The columns after another one.
    #[must_use]
    pub(crate) fn after(mut self, first: SchemaColumn<R>) -> Schema<R> {
        self.0.insert(0, first);
        self
    }

    /// The columns without the one with a field.
    #[must_use]
    pub(crate) fn without(mut self, field: &str) -> Schema<R> {
        self.0.retain(|c| c.field != field);
        self
    }

    /// Columns of the table on the screen.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let shown = self.0.iter().filter(|c| c.is_on_screen());
        shown
            .map(|c| c.column.clone().field(c.field.clone()))
            .collect()
    }

    /// Cells of a row on the screen.
    pub(crate) fn cells(&self, row: &R) -> Vec<Cell> {
        let shown = self.0.iter().filter(|c| c.is_on_screen());
        shown.map(|c| c.shown_cell(row)).collect()
    }

    /// Table of lines, each laid out by `row` from its cells on the screen.
    pub(crate) fn table<L: Borrow<R>>(
        &self,
        lines: impl IntoIterator<Item = L>,
        row: impl Fn(&R, Vec<Cell>) -> Row,
        empty_text: &'static str,
    ) -> Table {
        let row = |line: L| row(line.borrow(), self.cells(line.borrow()));
        let rows = lines.into_iter().map(row);
        Table::new(self.columns(), rows.collect(), empty_text)
    }

    /// The columns with these fields, all shown in text.
    #[must_use]
    pub fn pick(self, fields: &[&str]) -> Schema<R> {
        let named = self.0.into_iter().filter(|c| fields.contains(&&*c.field));
        Schema(named.map(SchemaColumn::in_text).collect())
    }

    /// Rows as text, JSON lines, CSV and flat table. `moment` formats times in text.
    pub fn sheet(
        &self,
        rows: impl IntoIterator<Item = impl Borrow<R>>,
        moment: impl Fn(i64) -> String,
    ) -> Sheet {
        let is_in_text = |c: &SchemaColumn<R>| matches!(c.shown, Shown::Everywhere | Shown::Text);
        let columns = || {
            let all = self.0.iter();
            all.filter(|c| !c.field.is_empty() || is_in_text(c))
        };
        let column = |c: &SchemaColumn<R>| SheetColumn {
            name: c.field.to_string(),
            heading: is_in_text(c).then(|| c.column.title.to_string()),
            align: c.column.align,
            flat: c.kind.flat(c.field.to_string()),
        };
        let mut sheet = Sheet::new(columns().map(column).collect());
        for row in rows {
            let row = row.borrow();
            let cell = |c: &SchemaColumn<R>| {
                let value = (c.value)(row);
                let cell = value.map_or_else(|| sheet::value(Json::Null), SchemaValue::sheet_cell);
                match is_in_text(c).then(|| c.shown_cell(row)) {
                    Some(Cell::Time(ns)) => cell.with_text(moment(ns)),
                    Some(shown) => cell.with_text(sheet::safe(&shown.text())),
                    None => cell,
                }
            };
            sheet.push(columns().map(cell).collect());
        }
        sheet
    }
}

#[cfg(test)]
mod tests {
    use widetui_report::flat_results::{Objects, of_sheet};

    use super::*;

    struct Line {
        name: &'static str,
        took: Option<i64>,
        n: u64,
    }

    fn lines() -> Schema<Line> {
        Schema::from(vec![
            SchemaColumn::text("name", |line: &Line| line.name.to_owned()),
            SchemaColumn::duration("took_s", |line: &Line| line.took).heading("took"),
            SchemaColumn::drawn(Column::bar("", 9), |_| Cell::Bar(0.5)),
            SchemaColumn::count("lost", |line: &Line| line.n).style(|_| Role::ErrorText),
            SchemaColumn::share("share", |_| 0.25).hidden(),
        ])
    }

    #[test]
    fn screen_text_and_json_come_from_one_definition() {
        let schema = lines();
        let open = Line {
            name: "a\u{1b}[31m",
            took: None,
            n: 0,
        };
        let done = Line {
            name: "b",
            took: Some(1_500_000_000),
            n: 2,
        };
        let titles: Vec<_> = schema.columns().into_iter().map(|c| c.title).collect();
        assert_eq!(titles, ["name", "took", "", "lost"]);
        assert_eq!(
            schema.cells(&open)[1..],
            [
                Cell::Unknown,
                Cell::Bar(0.5),
                Cell::NonZero(0, Role::ErrorText)
            ]
        );
        let sheet = schema.sheet([&open, &done], |_| String::new());
        let text =
            |row: usize| -> Vec<&str> { sheet.rows[row].iter().map(|c| c.text.as_str()).collect() };
        assert_eq!(text(0), ["a␛[31m", "–", "", ""]);
        assert_eq!(text(1), ["b", "1.5 s", "2", ""]);
        let mut json = Vec::new();
        sheet.write_jsonl(&mut json).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert_eq!(
            json.lines().last().unwrap(),
            r#"{"name":"b","took_s":1.5,"lost":2,"share":0.25}"#
        );
    }

    #[test]
    fn types_of_flat_columns_do_not_depend_on_rows() {
        let none: [&Line; 0] = [];
        let flat = of_sheet(&lines().sheet(none, |_| String::new()), Objects::Columns);
        let columns: Vec<(&str, FlatType)> = flat
            .columns
            .iter()
            .map(|c| (c.name.as_str(), c.kind))
            .collect();
        let expected = [
            ("name", FlatType::Text),
            ("took_s", FlatType::Float),
            ("lost", FlatType::Int),
            ("share", FlatType::Float),
        ];
        assert_eq!(columns, expected);
    }
}
