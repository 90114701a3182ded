//! Where the keys of a record stand in its pane: in how many columns, how wide each is.

use crate::rect::Rect;

use crate::layout::Areas;
use crate::model::Pane;
use crate::shown::Shown;
use widetui_store::EventRef;
use widetui_tables::text::{sanitise, width, wrap};

use super::{NAME, ORIGIN, Pair};

/// Narrowest column of keys; from so many columns on there are two of them, even if they are narrower, unless one reads them.
const COLUMN: u16 = 56;
const TWO: u16 = 72;
/// Where that leaves no room for the text, columns are as narrow as this.
const NARROW: u16 = 40;
/// No terminal is wider: values may be.
const WIDEST: usize = 4096;
/// Lines of the text that are seen beside many keys.
const TEXT: usize = 3;
/// Lines of the message that stand above the keys where there is no room for the text below them.
const HEAD: usize = 2;

/// How the keys stand in the pane, and what stands above them.
pub struct Laid {
    /// The start of the message, where the text below the keys would not be seen.
    pub head: Vec<String>,
    /// Lines of keys.
    pub rows: usize,
    /// Columns of the terminal for each column of keys.
    pub widths: Vec<u16>,
}

impl Laid {
    /// Places the keys of a record in the pane.
    pub fn out(model: &Shown<'_>, event: &EventRef<'_>, pairs: &[Pair], text: &[String]) -> Laid {
        let area = Areas::at(model).record;
        let height = usize::from(area.height);
        let rows = |n: usize| pairs.len().div_ceil(n.max(1));
        let wants = |n: usize| -> Vec<u16> {
            let columns = pairs.chunks(rows(n).max(1));
            columns.map(wanted).collect()
        };
        let all = |n: usize| wants(n).iter().map(|w| u32::from(*w)).sum::<u32>();
        let is_cut = |n: usize| all(n) > u32::from(area.width);
        let leaves_room = |n: usize| rows(n) + 1 + text.len().min(TEXT) <= height;
        let mut count = columns(model, area, pairs.len());
        // Whole values in few columns are better than cut ones in many.
        while count > 1 && is_cut(count) && leaves_room(count - 1) {
            count -= 1;
        }
        let is_read = model.pane == Pane::Record;
        let message = model.text(event).map(|r| sanitise(&r.message).into_owned());
        let head = match message {
            Some(message) if !is_read && rows(count) + 1 >= height && height > HEAD + 1 => {
                let mut lines = wrap(&message, usize::from(area.width.saturating_sub(2)));
                lines.truncate(HEAD);
                lines
            }
            _ => Vec::new(),
        };
        Laid {
            head,
            rows: rows(count),
            widths: shared(&wants(count), count, area.width),
        }
    }
}

/// Columns that a column of keys takes with nothing cut.
fn wanted(of_column: &[Pair]) -> u16 {
    let names = names(of_column);
    let columns = |text: &str| width(text).min(WIDEST) as u16;
    let widest = |p: &Pair| match columns(&p.origin) {
        0 => columns(&p.value),
        origin => columns(&p.value) + (origin + 3).min(ORIGIN),
    };
    names + 4 + of_column.iter().map(widest).max().unwrap_or(0)
}

/// Columns of the names of a column of keys.
pub fn names(of_column: &[Pair]) -> u16 {
    let names = of_column.iter().map(|p| width(&p.name));
    names.max().unwrap_or(0).min(NAME) as u16
}

/// The room of a pane for its columns of keys: the same for each, unless one needs more than others do.
fn shared(wanted: &[u16], count: usize, room: u16) -> Vec<u16> {
    let count = count.max(1) as u16;
    let mut widths = vec![room / count; usize::from(count)];
    if wanted.iter().all(|w| *w <= room / count) {
        return widths;
    }
    // Those that need little give what they leave to the others.
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|at| wanted[*at]);
    let (mut left, mut open) = (room, wanted.len() as u16);
    for at in order {
        widths[at] = wanted[at].min(left / open);
        left -= widths[at];
        open -= 1;
    }
    widths
}

/// In how many columns so many keys stand: wide ones, as long as they leave room for the start of the text.
fn columns(model: &Shown<'_>, area: Rect, keys: usize) -> usize {
    let is_read = model.pane == Pane::Record;
    let least = if area.width >= TWO && !is_read { 2 } else { 1 };
    let fewest = usize::from(area.width / COLUMN).clamp(least, 4);
    let most = usize::from(area.width / NARROW).clamp(fewest, 4);
    let leaves_room = |n: &usize| keys.div_ceil(*n) + 1 + TEXT <= usize::from(area.height);
    match is_read {
        true => fewest,
        false => (fewest..most).find(leaves_room).unwrap_or(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_megabyte_leaves_room_for_its_name() {
        let pair = |name: &str, value: String| Pair {
            name: name.to_owned(),
            value,
            origin: String::new(),
            is: String::new(),
            is_cut_in_front: false,
        };
        let long = [pair("events", "x".repeat((1 << 16) + 1))];
        let short = [pair("time", "10:00".to_owned())];
        assert_eq!(wanted(&long), 6 + 4 + WIDEST as u16);
        let widths = shared(&[wanted(&long), wanted(&short)], 2, 120);
        assert_eq!(widths, [107, 13]);
    }
}
