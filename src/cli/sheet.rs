//! Tables as text, JSON lines and CSV, from the same rows.

use std::borrow::Borrow;
use std::io::Write;

use widetui_core::words::cut;
use widetui_report::flat_results::{Objects, of_sheet};
use widetui_report::sheet as rows;
use widetui_report::sheet::SheetCell;
use widetui_tables::schema::Schema;

pub use widetui_report::sheet::{id_object, id_text, seconds, time};

use super::args::Format;
use super::columnar;
use super::opened::Opened;
use super::output::{Failure, SheetAlign, stdout, table};

/// Table to print.
pub struct PrintedSheet(rows::Sheet);

impl From<rows::Sheet> for PrintedSheet {
    fn from(rows: rows::Sheet) -> PrintedSheet {
        PrintedSheet(rows)
    }
}

impl Opened {
    /// Rows of a schema as a table to print.
    pub fn sheet<R>(
        &self,
        schema: &Schema<R>,
        rows: impl IntoIterator<Item = impl Borrow<R>>,
    ) -> PrintedSheet {
        schema.sheet(rows, |time| self.moment(time)).into()
    }
}

impl PrintedSheet {
    /// Cuts the cells in text to a width, characters.
    pub fn cut(mut self, width: usize) -> PrintedSheet {
        for cell in self.0.rows.iter_mut().flatten() {
            cell.text = cut(&cell.text, width);
        }
        self
    }

    /// Adds the rows of another table.
    pub fn append(&mut self, other: PrintedSheet) {
        self.0.append(other.0);
    }

    /// Writes the table to standard output.
    ///
    /// # Errors
    /// The failure `none` if there are no rows; the output is closed.
    pub fn print(&self, format: Format, none: impl FnOnce() -> Failure) -> Result<(), Failure> {
        let is_empty = self.0.rows.is_empty();
        if !is_empty || format != Format::Text {
            if columnar::is_binary(format) {
                columnar::print(&of_sheet(&self.0, Objects::Columns), format)?;
            } else {
                let mut out = stdout();
                self.write(&mut out, format)?;
                out.flush()?;
            }
        }
        match is_empty {
            true => Err(none()),
            false => Ok(()),
        }
    }

    /// Writes the table to `out`; binary formats go to standard output.
    pub fn write(&self, out: &mut impl Write, format: Format) -> Result<(), Failure> {
        match format {
            Format::Jsonl => self.0.write_jsonl(out)?,
            Format::Csv => self.0.write_csv(out)?,
            Format::Arrow | Format::Parquet => {
                columnar::print(&of_sheet(&self.0, Objects::Columns), format)?;
            }
            Format::Text => {
                let shown = || self.0.columns.iter().enumerate();
                let shown = || shown().filter_map(|(at, c)| Some((at, c, c.heading.as_deref()?)));
                let columns: Vec<(&str, SheetAlign)> =
                    shown().map(|(_, c, h)| (h, c.align)).collect();
                let text = |row: &Vec<SheetCell>| -> Vec<String> {
                    let cell = |at: usize| row.get(at).map(|c| c.text.clone());
                    shown()
                        .map(|(at, ..)| cell(at).unwrap_or_default())
                        .collect()
                };
                let rows: Vec<Vec<String>> = self.0.rows.iter().map(text).collect();
                table(out, &columns, &rows)?;
            }
        }
        Ok(())
    }
}
