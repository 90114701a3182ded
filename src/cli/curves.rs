//! Numbers over time as small curves below each other.

use std::io::Write;

use widetui_analysis::series::{MEAN_NOTE, Series};
use widetui_report::sheet::{cell, text_column};
use widetui_tables::answers::series::{SeriesBins, SeriesRow, line_columns};
use widetui_tables::drawing::height;
use widetui_tables::table::number;
use widetui_time::time::format_span;

use super::args::Format;
use super::opened::Opened;
use super::output::{Failure, write_out};
use super::sheet::PrintedSheet;

/// Width of curves in text, columns.
pub const CURVE: usize = 40;

/// Lines of a series as small curves.
pub struct Curves<'a> {
    /// Lines.
    pub found: &'a Series,
    /// Heading of the curves.
    pub heading: String,
    /// Range, and the parts that a column stands for.
    pub bins: SeriesBins,
}

/// Prints curves below each other, on one scale and one axis.
pub fn print_curves(opened: &Opened, curves: &Curves<'_>) -> Result<(), Failure> {
    let SeriesBins {
        range,
        kind,
        columns,
        aggregate: pick,
    } = curves.bins;
    let found = curves.found;
    let heading = &curves.heading;
    // One scale for all curves makes them comparable.
    let curves: Vec<Vec<Option<f64>>> = found
        .lines
        .iter()
        .map(|l| l.bins((kind, pick), range, columns))
        .collect();
    let top = curves
        .iter()
        .flatten()
        .flatten()
        .fold(0.0f64, |a, b| a.max(*b));
    let lines = found.lines.iter().map(|line| SeriesRow {
        name: line.name(),
        line,
        end: range.1,
    });
    let mut sheet = line_columns().sheet(lines, |time| opened.moment(time));
    sheet.columns.push(text_column(heading));
    for (row, curve) in sheet.rows.iter_mut().zip(&curves) {
        row.push(cell("", format!("│{}│", sparkline(curve, top))));
    }
    let sheet = PrintedSheet::from(sheet);
    let width = range.1.saturating_sub(range.0);
    write_out(|out| {
        sheet.write(out, Format::Text)?;
        let (from, to) = match found.lines.iter().any(|line| line.start.is_some()) {
            true => (
                format_span(range.0),
                format!("{} after the start of each run", format_span(range.1)),
            ),
            false => (opened.time_of_day(range.0), opened.time_of_day(range.1)),
        };
        writeln!(
            out,
            "\nFrom {from} to {to}, {} per column; curves from 0 to {}",
            format_span(width / columns.max(1) as i64),
            number(top)
        )?;
        writeln!(out, "Means are over time: {MEAN_NOTE}")?;
        Ok::<(), Failure>(())
    })
}

/// Curve in eighths of a cell; a space where no value is known.
fn sparkline(values: &[Option<f64>], top: f64) -> String {
    let cell = |value: &Option<f64>| match value {
        None => " ",
        Some(_) if top <= 0.0 => height(0.0),
        Some(v) => height(v / top),
    };
    values.iter().map(cell).collect()
}
