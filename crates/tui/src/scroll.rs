//! Scrolling by the terminal itself: lines that stand elsewhere in the next frame are moved there, and only what is new is
//! sent. Which lines these are is seen from the two frames, so that lists, tables and texts are all the same.

use std::hash::{Hash, Hasher};
use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use rustc_hash::FxHasher;

pub use super::paint::Erasing;
use super::paint::paint;

/// Whether the terminal moves lines when asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scrolling {
    /// It does, between two margins.
    #[default]
    Margins,
    /// Nobody knows.
    Never,
}

/// What is known of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ways {
    /// Whether it moves lines.
    pub scrolling: Scrolling,
    /// What it makes of cells that it erases.
    pub erasing: Erasing,
}

/// Lines that differ within a stretch that moves otherwise: the row under the cursor, some that have changed.
const GAP: usize = 3;
/// Lines that moved, so that it is worth trying.
const LEAST: usize = 2;

/// Lines of the screen that move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    /// The first of them.
    first: u16,
    /// The last of them.
    last: u16,
    /// By so many lines: positive upwards.
    by: i32,
}

/// What makes one screen out of another, as few bytes as can be; both without looks that nobody sees.
pub(super) fn frame(shown: &Buffer, next: &Buffer, ways: Ways) -> Vec<u8> {
    let whole = paint(shown, next, ways.erasing);
    let Some(shift) = between(shown, next).filter(|_| ways.scrolling == Scrolling::Margins) else {
        return whole;
    };
    let mut moved = shown.clone();
    apply(&mut moved, &shift);
    let mut bytes = Vec::new();
    if write(&mut bytes, &shift).is_err() {
        return whole;
    }
    bytes.append(&mut paint(&moved, next, ways.erasing));
    if bytes.len() < whole.len() {
        bytes
    } else {
        whole
    }
}

/// The shift that brings most lines to where they are wanted.
fn between(shown: &Buffer, next: &Buffer) -> Option<Shift> {
    if shown.area != next.area {
        return None;
    }
    let (before, after) = (lines(shown), lines(next));
    let height = after.len();
    let mut best: Option<(usize, Shift)> = None;
    for by in 1..height {
        for up in [true, false] {
            let from = |y: usize| if up { Some(y + by) } else { y.checked_sub(by) };
            // A line that is right where it is, and would be right if moved, says nothing.
            let moved = |y: &usize| {
                let line = after[*y];
                line.is_some()
                    && before[*y] != line
                    && from(*y).and_then(|y| before.get(y)) == Some(&line)
            };
            let Some((first, last, count)) = longest((0..height).filter(moved)) else {
                continue;
            };
            if count < LEAST || best.as_ref().is_some_and(|(most, _)| *most >= count) {
                continue;
            }
            let (first, last, by) = if up {
                (first, last + by, by as i32)
            } else {
                (first - by, last, -(by as i32))
            };
            let shift = Shift {
                first: first as u16,
                last: last as u16,
                by,
            };
            best = Some((count, shift));
        }
    }
    best.map(|(_, shift)| shift)
}

/// The stretch with most of some ascending lines, small gaps allowed: first, last, and how many.
fn longest(lines: impl Iterator<Item = usize>) -> Option<(usize, usize, usize)> {
    let mut best: Option<(usize, usize, usize)> = None;
    let mut run: Option<(usize, usize, usize)> = None;
    for line in lines {
        run = match run {
            Some((first, last, count)) if line <= last + GAP + 1 => Some((first, line, count + 1)),
            _ => Some((line, line, 1)),
        };
        if best.is_none_or(|b| run.is_some_and(|r| r.2 > b.2)) {
            best = run;
        }
    }
    best
}

/// What the lines say, as numbers; nothing for empty ones. The left half decides: a scrollbar or another pane may stand
/// to the right, and the row under the cursor is the same row in other colours.
fn lines(buf: &Buffer) -> Vec<Option<u64>> {
    let width = usize::from(buf.area.width);
    let own = |cells: &[Cell]| {
        // The first cells have the sign of the cursor.
        let cells = cells.get(2..(width / 2).max(2))?;
        if cells.iter().all(|c| c.symbol() == " ") {
            return None;
        }
        let mut hasher = FxHasher::default();
        cells.iter().for_each(|c| c.symbol().hash(&mut hasher));
        Some(hasher.finish())
    };
    buf.content.chunks(width.max(1)).map(own).collect()
}

/// Makes the terminal do it. Line feeds at the lower margin and reverse ones at the upper are what all terminals know.
fn write(out: &mut impl Write, shift: &Shift) -> io::Result<()> {
    let (first, last) = (shift.first + 1, shift.last + 1);
    write!(out, "\x1b[{first};{last}r")?;
    if shift.by > 0 {
        write!(out, "\x1b[{last}H")?;
        (0..shift.by).try_for_each(|_| out.write_all(b"\n"))?;
    } else {
        write!(out, "\x1b[{first}H")?;
        (shift.by..0).try_for_each(|_| out.write_all(b"\x1bM"))?;
    }
    out.write_all(b"\x1b[r")
}

/// Does the same to what is known to be on the screen.
fn apply(shown: &mut Buffer, shift: &Shift) {
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
mod tests;
