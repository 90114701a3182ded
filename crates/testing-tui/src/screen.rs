//! A neutral grid of cells: what a terminal shows, whichever program drew it.
//!
//! It is built from a ratatui [`Buffer`] (in process, milliseconds) or from a [`vt100::Screen`]
//! (the bytes of the real binary), so that one golden file serves for both.

use std::fmt;

use ratatui::buffer::Buffer;
use ratatui::style::{Color as RatatuiColor, Modifier};
use unicode_width::UnicodeWidthStr;

/// A colour before any palette is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own foreground or background.
    #[default]
    Default,
    /// Indexed colour of 256; 0 to 15 are the ANSI colours.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// The look of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Colour of the text.
    pub fg: Color,
    /// Colour behind the text.
    pub bg: Color,
    /// Bold text.
    pub bold: bool,
    /// Faint text.
    pub dim: bool,
    /// Slanted text.
    pub italic: bool,
    /// A line below the text.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
}

/// Cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The grapheme; a blank is `" "`, the second half of a wide one is empty.
    pub text: String,
    /// Columns the grapheme takes: 1 or 2, and 0 for the second half of a wide one.
    pub width: u8,
    /// The look; a second half has the look of its first half.
    pub style: Style,
}

impl Cell {
    /// True if no glyph is seen here (there may be a background or an underline).
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// A rectangle of cells, row by row.
#[derive(Clone, PartialEq, Eq)]
pub struct Screen {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    cells: Vec<Cell>,
}

impl Screen {
    /// The grid of a ratatui buffer.
    pub fn from_buffer(buffer: &Buffer) -> Self {
        let (cols, rows) = (buffer.area.width, buffer.area.height);
        Self::build(cols, rows, |row, col| {
            let cell = &buffer[(buffer.area.x + col, buffer.area.y + row)];
            let has = |flag| cell.modifier.contains(flag);
            let style = Style {
                fg: color_of_ratatui(cell.fg),
                bg: color_of_ratatui(cell.bg),
                bold: has(Modifier::BOLD),
                dim: has(Modifier::DIM),
                italic: has(Modifier::ITALIC),
                underline: has(Modifier::UNDERLINED),
                reverse: has(Modifier::REVERSED),
            };
            (cell.symbol().to_owned(), cell.symbol().width() > 1, style)
        })
    }

    /// The grid of an emulated terminal.
    pub fn from_vt100(screen: &vt100::Screen) -> Self {
        let (rows, cols) = screen.size();
        Self::build(cols.get(), rows.get(), |row, col| {
            let Some(cell) = screen.cell(row, col) else {
                return (String::new(), false, Style::default());
            };
            let style = Style {
                fg: color_of_vt100(cell.fgcolor()),
                bg: color_of_vt100(cell.bgcolor()),
                bold: cell.bold(),
                dim: cell.dim(),
                italic: cell.italic(),
                underline: cell.underline(),
                reverse: cell.inverse(),
            };
            (cell.contents().to_owned(), cell.is_wide(), style)
        })
    }

    /// Reads the cells in order. What stands behind a wide grapheme is replaced, because buffers
    /// and terminals keep different things there (a blank, an old style).
    fn build(cols: u16, rows: u16, read: impl Fn(u16, u16) -> (String, bool, Style)) -> Self {
        let mut cells = Vec::with_capacity(usize::from(cols) * usize::from(rows));
        for row in 0..rows {
            let mut half: Option<Style> = None;
            for col in 0..cols {
                if let Some(style) = half.take() {
                    let text = String::new();
                    cells.push(Cell {
                        text,
                        width: 0,
                        style,
                    });
                    continue;
                }
                let (mut text, wide, style) = read(row, col);
                if text.is_empty() {
                    text.push(' ');
                }
                // A wide grapheme in the last column has no room for its second half.
                let wide = wide && col + 1 < cols;
                if wide {
                    half = Some(style);
                }
                let width = if wide { 2 } else { 1 };
                cells.push(Cell { text, width, style });
            }
        }
        Self { cols, rows, cells }
    }

    /// The cells of a row, counted from 0; empty if there is no such row.
    pub fn row(&self, row: u16) -> &[Cell] {
        let cols = usize::from(self.cols);
        let start = usize::from(row) * cols;
        self.cells.get(start..start + cols).unwrap_or_default()
    }

    /// The cell at a row and a column, counted from 0.
    pub fn cell(&self, row: u16, col: u16) -> Option<&Cell> {
        self.row(row).get(usize::from(col))
    }

    /// The text of a row without its trailing blanks.
    pub fn line(&self, row: u16) -> String {
        let mut line: String = self.row(row).iter().map(|c| c.text.as_str()).collect();
        line.truncate(line.trim_end().len());
        line
    }

    /// All rows as lines that end in a newline, trailing blanks trimmed; what golden files hold.
    pub fn text(&self) -> String {
        (0..self.rows).map(|row| self.line(row) + "\n").collect()
    }

    /// Row and column (both from 0) where `needle` first stands within one row.
    pub fn find(&self, needle: &str) -> Option<(u16, u16)> {
        (0..self.rows).find_map(|row| {
            let byte = self.line(row).find(needle)?;
            let mut seen = 0;
            let col = self.row(row).iter().position(|cell| {
                let here = seen == byte && cell.width > 0;
                seen += cell.text.len();
                here
            })?;
            Some((row, u16::try_from(col).ok()?))
        })
    }

    /// Cells (row, column) that ask for bold and faint at once. A terminal keeps one of the two,
    /// so a theme must never combine them.
    pub fn bold_and_dim(&self) -> Vec<(u16, u16)> {
        (0..self.rows)
            .flat_map(|row| (0..self.cols).map(move |col| (row, col)))
            .filter(|&(row, col)| {
                self.cell(row, col)
                    .is_some_and(|c| c.style.bold && c.style.dim)
            })
            .collect()
    }

    /// The first cell in which two screens differ, in words, or `None` if they are equal.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if (self.cols, self.rows) != (other.cols, other.rows) {
            return Some(format!(
                "{} x {} cells against {} x {}",
                self.cols, self.rows, other.cols, other.rows
            ));
        }
        let at = self
            .cells
            .iter()
            .zip(&other.cells)
            .position(|(a, b)| a != b)?;
        let (row, col) = (at / usize::from(self.cols), at % usize::from(self.cols));
        let (here, there) = (&self.cells[at], &other.cells[at]);
        Some(format!(
            "row {row} column {col}: {here:?} against {there:?}"
        ))
    }
}

impl fmt::Debug for Screen {
    /// The text alone: all cells would be megabytes in a failing assertion.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Screen {} x {}\n{}", self.cols, self.rows, self.text())
    }
}

fn color_of_vt100(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

fn color_of_ratatui(color: RatatuiColor) -> Color {
    use RatatuiColor as C;
    let index = match color {
        C::Reset => return Color::Default,
        C::Rgb(r, g, b) => return Color::Rgb(r, g, b),
        C::Indexed(index) => index,
        C::Black => 0,
        C::Red => 1,
        C::Green => 2,
        C::Yellow => 3,
        C::Blue => 4,
        C::Magenta => 5,
        C::Cyan => 6,
        C::Gray => 7,
        C::DarkGray => 8,
        C::LightRed => 9,
        C::LightGreen => 10,
        C::LightYellow => 11,
        C::LightBlue => 12,
        C::LightMagenta => 13,
        C::LightCyan => 14,
        C::White => 15,
    };
    Color::Indexed(index)
}
