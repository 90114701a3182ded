//! Scrolling by the terminal: lines that only moved since the last frame are shifted by scroll
//! sequences, and only new lines are written. The shift is detected by comparing two frames, so it
//! works for lists, tables and text alike.

use std::hash::{Hash, Hasher};
use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use rustc_hash::FxHasher;

pub use super::paint::Erasing;
use super::paint::paint;

/// Scrolling support of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Scrolling {
    /// Scroll regions (top and bottom margin) are supported.
    #[default]
    Margins,
    /// Support is unknown; scrolling is not used.
    Never,
}

/// Output features of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct OutputFeatures {
    /// Scrolling support.
    pub(crate) scrolling: Scrolling,
    /// Background of erased cells.
    pub(crate) erasing: Erasing,
}

/// Maximum number of consecutive lines within a moved block that differ: the row under the cursor,
/// and changed rows.
const MAX_GAP: usize = 3;
/// Minimum number of moved lines for which scrolling is used.
const MIN_MOVED: usize = 2;

/// Shift of a block of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    /// First line of the block.
    first: u16,
    /// Last line of the block.
    last: u16,
    /// Number of lines; positive values move upwards.
    by: i32,
}

/// Shortest bytes that turn `shown` into `next`; both must be normalised by
/// [`plain`](super::paint::plain).
pub(super) fn frame(shown: &Buffer, next: &Buffer, ways: OutputFeatures) -> Vec<u8> {
    let whole = paint(shown, next, ways.erasing);
    let Some(shift) = find_shift(shown, next).filter(|_| ways.scrolling == Scrolling::Margins)
    else {
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

/// Shift that brings most lines to their new positions.
fn find_shift(shown: &Buffer, next: &Buffer) -> Option<Shift> {
    if shown.area != next.area {
        return None;
    }
    let (before, after) = (lines(shown), lines(next));
    let height = after.len();
    let mut best: Option<(usize, Shift)> = None;
    for by in 1..height {
        for up in [true, false] {
            let from = |y: usize| if up { Some(y + by) } else { y.checked_sub(by) };
            // A line that is equal at both positions is no evidence of a shift.
            let moved = |y: &usize| {
                let line = after[*y];
                line.is_some()
                    && before[*y] != line
                    && from(*y).and_then(|y| before.get(y)) == Some(&line)
            };
            let Some((first, last, count)) = longest_run((0..height).filter(moved)) else {
                continue;
            };
            if count < MIN_MOVED || best.as_ref().is_some_and(|(most, _)| *most >= count) {
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

/// Longest run of ascending line numbers with small gaps: first line, last line and number of
/// lines.
fn longest_run(lines: impl Iterator<Item = usize>) -> Option<(usize, usize, usize)> {
    let mut best: Option<(usize, usize, usize)> = None;
    let mut run: Option<(usize, usize, usize)> = None;
    for line in lines {
        run = match run {
            Some((first, last, count)) if line <= last + MAX_GAP + 1 => {
                Some((first, line, count + 1))
            }
            _ => Some((line, line, 1)),
        };
        if best.is_none_or(|b| run.is_some_and(|r| r.2 > b.2)) {
            best = run;
        }
    }
    best
}

/// Hash of the text of each line; `None` for empty lines. Only the left half counts: a scrollbar or
/// another pane may be on the right. Styles are ignored because of the row under the cursor.
fn lines(buf: &Buffer) -> Vec<Option<u64>> {
    let width = usize::from(buf.area.width);
    let own = |cells: &[Cell]| {
        // The first two cells contain the cursor mark.
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

/// Writes the scroll sequence: line feeds at the lower margin, or reverse line feeds at the upper
/// one, which all terminals support.
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

/// Applies the shift to the buffer of the current screen.
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
