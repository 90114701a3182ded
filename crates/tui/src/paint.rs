//! Encoding of a frame as a minimal sequence of bytes, since over SSH the user waits for every
//! byte.
//!
//! Only differences to the current screen are written. Colours are set only where they change and
//! are visible: of a blank only the background is. Runs of blanks are erased where this is shorter,
//! and cursor movements use the shortest sequence.

use std::io::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use widetui_tables::text::width;

/// Modifiers that are visible on a blank.
const ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);
/// Minimum run of blanks at which erasing is shorter than writing, in cells.
const MIN_ERASED: usize = 12;
/// Maximum number of unchanged cells that are rewritten instead of skipped by a cursor movement.
const MAX_REWRITTEN: u16 = 4;

/// Background of erased cells, depending on the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Erasing {
    /// The current background colour.
    #[default]
    Ground,
    /// Possibly the default background, whatever the current colour is.
    Usual,
}

/// Removes invisible style attributes, so that they are neither compared nor written.
pub(super) fn plain(buf: &mut Buffer) {
    for cell in &mut buf.content {
        if is_blank(cell) {
            (cell.fg, cell.underline_color) = (Color::Reset, Color::Reset);
            cell.modifier = Modifier::empty();
        }
    }
}

fn is_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && !cell.modifier.intersects(ON_BLANKS)
}

/// Bytes that turn `shown` into `next`; both must be normalised by [`plain`]. Colours are the
/// defaults before and after; the cursor position does not matter.
pub(super) fn paint(shown: &Buffer, next: &Buffer, erasing: Erasing) -> Vec<u8> {
    let mut brush = FrameWriter {
        next,
        erasing,
        out: Vec::new(),
        look: CellStyle::default(),
        at: None,
    };
    let changed = changed(shown, next);
    let mut rest = &changed[..];
    while let Some(&(x, y)) = rest.first() {
        let line = rest.iter().take_while(|c| c.1 == y).count();
        let done = brush.write_changed(x, y, &rest[..line]);
        rest = &rest[done.max(1)..];
    }
    brush.set_style(CellStyle::default());
    brush.out
}

/// Positions of the cells to write, line by line. The comparison in ratatui ignores that a terminal
/// clears the other half of a wide character with an unspecified background.
fn changed(shown: &Buffer, next: &Buffer) -> Vec<(u16, u16)> {
    let columns = usize::from(next.area.width).max(1);
    let lines = shown
        .content
        .chunks(columns)
        .zip(next.content.chunks(columns));
    let mut changed = Vec::new();
    for (y, (before, after)) in (0u16..).zip(lines) {
        if before == after {
            continue;
        }
        // End columns of the old and the new wide character.
        let (mut was_wide, mut is_wide) = (0, 0);
        for (x, (old, new)) in before.iter().zip(after).enumerate() {
            let is_rest = x < was_wide;
            if !is_rest {
                was_wide = x + columns_of(old);
            }
            if x < is_wide {
                continue;
            }
            is_wide = x + columns_of(new);
            if is_rest || old != new {
                changed.push((x as u16, y));
            }
        }
    }
    changed
}

fn columns_of(cell: &Cell) -> usize {
    match cell.symbol() {
        symbol if symbol.len() == 1 => 1,
        symbol => width(symbol).max(1),
    }
}

/// Visible style of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl CellStyle {
    fn of(cell: &Cell) -> CellStyle {
        CellStyle {
            fg: cell.fg,
            bg: cell.bg,
            underline: cell.underline_color,
            modifier: cell.modifier,
        }
    }
}

struct FrameWriter<'a> {
    next: &'a Buffer,
    erasing: Erasing,
    out: Vec<u8>,
    look: CellStyle,
    /// Position of the terminal's cursor, if certain.
    at: Option<(u16, u16)>,
}

impl FrameWriter<'_> {
    /// Writes the first of the changed cells of a line; returns their number.
    fn write_changed(&mut self, x: u16, y: u16, changed: &[(u16, u16)]) -> usize {
        let Some(cell) = self.next.cell((x, y)) else {
            return 1;
        };
        let can = cell.bg == Color::Reset || self.erasing == Erasing::Ground;
        let erased = if is_blank(cell) && can {
            self.erase_blanks((x, y), cell.bg, changed)
        } else {
            0
        };
        if erased > 0 {
            return erased;
        }
        self.move_to(x, y);
        self.cell(cell, x, y);
        1
    }

    /// Erases a run of blanks with one background if that is shorter than writing them; returns the
    /// number of cells.
    fn erase_blanks(&mut self, (x, y): (u16, u16), ground: Color, changed: &[(u16, u16)]) -> usize {
        let right = self.next.area.right();
        let is_empty = |x: &u16| {
            let cell = self.next.cell((*x, y));
            cell.is_some_and(|c| is_blank(c) && c.bg == ground)
        };
        let end = (x..right).take_while(is_empty).last().map_or(x, |x| x + 1);
        let inside = changed.iter().take_while(|c| c.0 < end).count();
        let to_the_end = end == right;
        if inside
            < if to_the_end {
                MAX_REWRITTEN.into()
            } else {
                MIN_ERASED
            }
        {
            return 0;
        }
        self.move_to(x, y);
        if self.look.modifier.intersects(ON_BLANKS) {
            self.set_style(CellStyle::default());
        }
        self.set_style(CellStyle {
            bg: ground,
            ..self.look
        });
        if to_the_end {
            self.out.extend_from_slice(b"\x1b[K");
        } else {
            let last = changed[inside - 1].0;
            self.csi(&[last + 1 - x], b'X');
        }
        inside
    }

    fn cell(&mut self, cell: &Cell, x: u16, y: u16) {
        let wanted = CellStyle::of(cell);
        let is_seen = !(is_blank(cell)
            && wanted.bg == self.look.bg
            && !self.look.modifier.intersects(ON_BLANKS));
        if is_seen {
            self.set_style(wanted);
        }
        let symbol = cell.symbol();
        if symbol.contains('\u{fe0f}') {
            // Some terminals do not clear the second cell of a wide character.
            (0..columns_of(cell)).for_each(|_| self.out.push(b' '));
            self.at = None;
            self.move_to(x, y);
        }
        self.out.extend_from_slice(symbol.as_bytes());
        // Terminals disagree about the width of some characters, and about the cursor position
        // after the last column.
        let sure = columns_of(cell) == 1 && x + 1 < self.next.area.right();
        self.at = sure.then_some((x + 1, y));
    }

    fn move_to(&mut self, x: u16, y: u16) {
        let now = self.at;
        match now {
            Some(at) if at == (x, y) => return,
            Some((from, line)) if line == y && from < x && self.rewrite_unchanged(from, x, y) => {}
            Some((_, line)) if line == y => self.csi(&[x + 1], b'G'),
            _ if x == 0 => self.csi(&[y + 1], b'H'),
            _ => self.csi(&[y + 1, x + 1], b'H'),
        }
        self.at = Some((x, y));
    }

    /// Rewrites unchanged cells instead of moving the cursor, if there are few and their style is
    /// the current one.
    fn rewrite_unchanged(&mut self, from: u16, to: u16, y: u16) -> bool {
        if to - from > MAX_REWRITTEN {
            return false;
        }
        let cells: Option<Vec<&Cell>> = (from..to).map(|x| self.next.cell((x, y))).collect();
        let fits = |c: &&Cell| {
            let same = CellStyle::of(c) == self.look
                || (is_blank(c)
                    && c.bg == self.look.bg
                    && !self.look.modifier.intersects(ON_BLANKS));
            same && c.symbol().len() == 1
        };
        let Some(cells) = cells.filter(|cells| cells.iter().all(fits)) else {
            return false;
        };
        for cell in cells {
            self.out.extend_from_slice(cell.symbol().as_bytes());
        }
        true
    }

    /// Sets the style of the following output.
    fn set_style(&mut self, wanted: CellStyle) {
        if wanted == self.look {
            return;
        }
        if wanted == CellStyle::default() {
            self.out.extend_from_slice(b"\x1b[m");
            self.look = wanted;
            return;
        }
        let mut codes = Vec::new();
        if !(self.look.modifier - wanted.modifier).is_empty() {
            // Resetting one attribute may reset others, and not all terminals support all reset
            // codes.
            codes.push("0".to_owned());
            self.look = CellStyle::default();
        }
        let more = wanted.modifier - self.look.modifier;
        codes.extend(more.iter().filter_map(|m| Some(modifier(m)?.to_owned())));
        if wanted.fg != self.look.fg {
            codes.push(colour(wanted.fg, Ground::Front));
        }
        if wanted.bg != self.look.bg {
            codes.push(colour(wanted.bg, Ground::Back));
        }
        if wanted.underline != self.look.underline {
            codes.push(colour(wanted.underline, Ground::Line));
        }
        let _ = write!(self.out, "\x1b[{}m", codes.join(";"));
        self.look = wanted;
    }

    fn csi(&mut self, numbers: &[u16], end: u8) {
        let numbers: Vec<String> = numbers.iter().map(u16::to_string).collect();
        let _ = write!(self.out, "\x1b[{}{}", numbers.join(";"), char::from(end));
    }
}

fn modifier(one: Modifier) -> Option<&'static str> {
    Some(match one {
        Modifier::BOLD => "1",
        Modifier::DIM => "2",
        Modifier::ITALIC => "3",
        Modifier::UNDERLINED => "4",
        Modifier::SLOW_BLINK => "5",
        Modifier::RAPID_BLINK => "6",
        Modifier::REVERSED => "7",
        Modifier::HIDDEN => "8",
        Modifier::CROSSED_OUT => "9",
        _ => return None,
    })
}

/// Layer that a colour applies to, with the first number of its SGR code.
#[derive(Clone, Copy)]
enum Ground {
    Front = 30,
    Back = 40,
    Line = 50,
}

fn colour(colour: Color, ground: Ground) -> String {
    let start = ground as u8;
    let number = match colour {
        Color::Reset => return (start + 9).to_string(),
        Color::Rgb(r, g, b) => return format!("{};2;{r};{g};{b}", start + 8),
        // 16-colour terminals support these only by their short codes.
        Color::Indexed(n @ 0..16) => n,
        Color::Indexed(n) => return format!("{};5;{n}", start + 8),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    match (ground, number) {
        (Ground::Line, n) => format!("58;5;{n}"),
        (_, 0..8) => (start + number).to_string(),
        (_, n) => (start + 60 + n - 8).to_string(),
    }
}
