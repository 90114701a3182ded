//! Scrolling by the terminal itself: a list that moved by some lines is moved there, and only what is new is sent.

use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

/// Which part of a list is shown where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// Where.
    pub area: Rect,
    /// Its first row.
    pub top: usize,
}

/// Lines of the screen that move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    /// The first of them.
    first: u16,
    /// The last of them.
    last: u16,
    /// By so many lines: positive upwards.
    by: i32,
}

/// The shift that makes most of one screen out of another; nothing where it would not pay.
pub(super) fn between(
    before: &Window,
    after: &Window,
    shown: &Buffer,
    next: &Buffer,
) -> Option<Shift> {
    let area = after.area;
    // Terminals scroll whole lines.
    let fits = area == before.area && area.x == 0 && area.width == next.area.width;
    if !fits || area.height < 2 || shown.area != next.area {
        return None;
    }
    let by = i32::try_from(after.top as i64 - before.top as i64).ok()?;
    if by == 0 || by.unsigned_abs() >= u32::from(area.height) {
        return None;
    }
    let shift = Shift {
        first: area.top(),
        last: area.bottom() - 1,
        by,
    };
    let mut moved = shown.clone();
    apply(&mut moved, &shift);
    let cost = |from: &Buffer| from.diff(next).len();
    (cost(&moved) * 2 < cost(shown)).then_some(shift)
}

/// Makes the terminal do it. Line feeds at the lower margin and reverse ones at the upper are what all terminals know.
pub(super) fn write(out: &mut impl Write, shift: &Shift) -> io::Result<()> {
    let (first, last) = (shift.first + 1, shift.last + 1);
    // Lines that come in are blank, in the colours of the moment.
    write!(out, "\x1b[0m\x1b[{first};{last}r")?;
    if shift.by > 0 {
        write!(out, "\x1b[{last};1H")?;
        (0..shift.by).try_for_each(|_| out.write_all(b"\n"))?;
    } else {
        write!(out, "\x1b[{first};1H")?;
        (shift.by..0).try_for_each(|_| out.write_all(b"\x1bM"))?;
    }
    out.write_all(b"\x1b[r")
}

/// Does the same to what is known to be on the screen.
pub(super) fn apply(shown: &mut Buffer, shift: &Shift) {
    let width = usize::from(shown.area.width);
    let from = usize::from(shift.first) * width;
    let to = (usize::from(shift.last) + 1) * width;
    let Some(cells) = shown.content.get_mut(from..to) else {
        return;
    };
    let gone = (shift.by.unsigned_abs() as usize * width).min(cells.len());
    if shift.by > 0 {
        cells.rotate_left(gone);
        let kept = cells.len() - gone;
        cells[kept..].fill(Cell::default());
    } else {
        cells.rotate_right(gone);
        cells[..gone].fill(Cell::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::style::Style;
    use std::num::NonZero;

    /// A screen whose lines say which row of a list they show, between a first and a last line that stay.
    fn screen(top: usize, height: u16) -> Buffer {
        let mut out = Buffer::empty(Rect::new(0, 0, 20, height + 2));
        for y in 1..=height {
            let row = top + usize::from(y) - 1;
            out.set_string(0, y, format!("row {row} {}", row * 7919), Style::new());
        }
        out
    }

    proptest! {
        #[test]
        fn the_terminal_shows_what_is_believed(top in 0usize..50, other in 0usize..50, height in 2u16..20) {
            let window = |top| Window { area: Rect::new(0, 1, 20, height), top };
            let (shown, next) = (screen(top, height), screen(other, height));
            let Some(shift) = between(&window(top), &window(other), &shown, &next) else { return Ok(()) };
            let mut terminal = vt100::Parser::new(NonZero::new(height + 2).unwrap(), NonZero::new(20).unwrap(), 0);
            for y in 0..height + 2 {
                let line: String = (0..20).map(|x| shown[(x, y)].symbol().to_owned()).collect();
                terminal.process(format!("\x1b[{};1H{line}", y + 1).as_bytes());
            }
            let mut bytes = Vec::new();
            write(&mut bytes, &shift).unwrap();
            terminal.process(&bytes);
            let mut believed = shown;
            apply(&mut believed, &shift);
            for y in 0..height + 2 {
                let line: String = (0..20).map(|x| believed[(x, y)].symbol().to_owned()).collect();
                let there = terminal.screen().rows(0, 20).nth(usize::from(y)).unwrap();
                prop_assert_eq!(there.trim_end(), line.trim_end());
            }
            prop_assert!(believed.diff(&next).len() < 2 * 20 * usize::from(height));
        }
    }
}
