//! Grid of cells: the content of a terminal, whichever program drew it.
//!
//! Built from a ratatui [`Buffer`] (in process, within milliseconds) or from a [`vt100::Screen`]
//! (output of the real binary), so that both can be compared with the same golden file.

use std::fmt;

use ratatui::buffer::Buffer;
use ratatui::style::{Color as RatatuiColor, Modifier};
use unicode_width::UnicodeWidthStr;

/// Colour, independent of a palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// Default foreground or background of the terminal.
    #[default]
    Default,
    /// Indexed colour, 0 to 255; 0 to 15 are the ANSI colours.
    Indexed(u8),
    /// Red, green and blue components.
    Rgb(u8, u8, u8),
}

/// Style of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Foreground colour.
    pub fg: Color,
    /// Background colour.
    pub bg: Color,
    /// Bold text.
    pub bold: bool,
    /// Faint text.
    pub dim: bool,
    /// Italic text.
    pub italic: bool,
    /// Underlined text.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
}

/// Cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Grapheme cluster; `" "` for a blank, empty for the second half of a wide one.
    pub text: String,
    /// Width in columns: 1 or 2, and 0 for the second half of a wide grapheme cluster.
    pub width: u8,
    /// Style; a second half has the style of the first.
    pub style: Style,
}

impl Cell {
    /// Whether no glyph is visible (a background or an underline may be).
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Grid of cells, row by row.
#[derive(Clone, PartialEq, Eq)]
pub struct Screen {
    /// Number of columns.
    pub cols: u16,
    /// Number of rows.
    pub rows: u16,
    cells: Vec<Cell>,
}

impl Screen {
    /// Grid of a ratatui buffer.
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

    /// Grid of an emulated terminal.
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

    /// Builds the grid from cells in order. The cell after a wide grapheme cluster is normalised,
    /// because buffers and terminals store different content there (a blank, an old style).
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
                // A wide grapheme cluster in the last column has no second half.
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

    /// Cells of a row (zero-based); empty if the row does not exist.
    pub fn row(&self, row: u16) -> &[Cell] {
        let cols = usize::from(self.cols);
        let start = usize::from(row) * cols;
        self.cells.get(start..start + cols).unwrap_or_default()
    }

    /// Cell at a zero-based row and column.
    pub fn cell(&self, row: u16, col: u16) -> Option<&Cell> {
        self.row(row).get(usize::from(col))
    }

    /// Text of a row without trailing blanks.
    pub fn line(&self, row: u16) -> String {
        let mut line: String = self.row(row).iter().map(|c| c.text.as_str()).collect();
        line.truncate(line.trim_end().len());
        line
    }

    /// Text of all rows, each without trailing blanks and with a newline: the content of golden
    /// files.
    pub fn text(&self) -> String {
        (0..self.rows).map(|row| self.line(row) + "\n").collect()
    }

    /// Zero-based row and column of the first occurrence of `needle` within one row.
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

    /// Positions (row, column) of cells that are both bold and faint. A terminal shows only one of
    /// the two, so a theme must never combine them.
    pub fn bold_and_dim(&self) -> Vec<(u16, u16)> {
        (0..self.rows)
            .flat_map(|row| (0..self.cols).map(move |col| (row, col)))
            .filter(|&(row, col)| {
                self.cell(row, col)
                    .is_some_and(|c| c.style.bold && c.style.dim)
            })
            .collect()
    }

    /// Description of the first cell that differs; `None` if the screens are equal.
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
    /// Text only: all cells would be megabytes in a failed assertion.
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
