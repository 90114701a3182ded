//! Layout of the keys in the record pane: number and width of columns.

use crate::rect::Rect;

use crate::layout::Areas;
use crate::model::Pane;
use crate::shown_view::ShownView;
use widetui_store::EventRef;
use widetui_tables::text::{sanitise, width, wrap};

use super::{KeyRow, NAME, ORIGIN};

/// Minimum width of a column of keys. A pane of this width has two, even narrower ones, unless it
/// has the focus.
const COLUMN: u16 = 56;
const TWO: u16 = 72;
/// Minimum width of a column of keys where wider ones leave no room for the text.
const NARROW: u16 = 40;
/// Maximum width of a value: wider than any terminal.
const WIDEST: usize = 4096;
/// Number of text lines that remain visible below many keys.
const TEXT: usize = 3;
/// Number of message lines above the keys, if the text below them has no room.
const HEAD: usize = 2;

/// Layout of the keys in the record pane, and the lines above them.
pub struct KeyLayout {
    /// Beginning of the message, if the text below the keys is not visible.
    pub head: Vec<String>,
    /// Number of lines of keys.
    pub rows: usize,
    /// Width of each column of keys.
    pub widths: Vec<u16>,
}

impl KeyLayout {
    /// Layout for the keys of a record.
    pub fn new(
        model: &ShownView<'_>,
        event: &EventRef<'_>,
        key_rows: &[KeyRow],
        text: &[String],
    ) -> KeyLayout {
        let area = Areas::at(model).record;
        let height = usize::from(area.height);
        let rows = |n: usize| key_rows.len().div_ceil(n.max(1));
        let wants = |n: usize| -> Vec<u16> {
            let columns = key_rows.chunks(rows(n).max(1));
            columns.map(wanted).collect()
        };
        let all = |n: usize| wants(n).iter().map(|w| u32::from(*w)).sum::<u32>();
        let is_cut = |n: usize| all(n) > u32::from(area.width);
        let leaves_room = |n: usize| rows(n) + 1 + text.len().min(TEXT) <= height;
        let mut count = columns(model, area, key_rows.len());
        // Fewer columns with complete values are better than more columns with cut ones.
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
        KeyLayout {
            head,
            rows: rows(count),
            widths: shared(&wants(count), count, area.width),
        }
    }
}

/// Width of a column of keys without cutting anything.
fn wanted(of_column: &[KeyRow]) -> u16 {
    let names = names(of_column);
    let columns = |text: &str| width(text).min(WIDEST) as u16;
    let widest = |p: &KeyRow| match columns(&p.origin) {
        0 => columns(&p.value),
        origin => columns(&p.value) + (origin + 3).min(ORIGIN),
    };
    names + 4 + of_column.iter().map(widest).max().unwrap_or(0)
}

/// Width of the names in a column of keys.
pub fn names(of_column: &[KeyRow]) -> u16 {
    let names = of_column.iter().map(|p| width(&p.name));
    names.max().unwrap_or(0).min(NAME) as u16
}

/// Widths of the columns of keys within `room`: equal shares, except that narrow columns leave
/// their rest to wide ones.
fn shared(wanted: &[u16], count: usize, room: u16) -> Vec<u16> {
    let count = count.max(1) as u16;
    let mut widths = vec![room / count; usize::from(count)];
    if wanted.iter().all(|w| *w <= room / count) {
        return widths;
    }
    // The narrowest columns first: their rest is shared among the others.
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

/// Number of columns for `keys` keys: few and wide ones, as long as the start of the text has room.
fn columns(model: &ShownView<'_>, area: Rect, keys: usize) -> usize {
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
        let pair = |name: &str, value: String| KeyRow {
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
