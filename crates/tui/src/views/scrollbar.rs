//! Scrollbar of the list: position of the window, and marks for errors, marked records and search
//! hits.

use crate::views::Scene;
use std::ops::Range;

use ratatui::buffer::Buffer;
use widetui_app::rect::Rect;

use crate::canvas::glyph;
use widetui_app::hit::{HitMap, Target};
use widetui_tables::role::Role;

use widetui_app::lines;

/// Errors are marked only if at most one in this many positions has one. More marks are useless,
/// and each must be rewritten for every scrolled line.
const MARKED: usize = 4;

pub(super) fn draw(model: &Scene<'_>, area: Rect, buf: &mut Buffer, hits: &mut HitMap) {
    let height = usize::from(area.height);
    let len = model.len();
    if height == 0 || area.width < 20 || len <= height {
        return;
    }
    let x = area.right() - 1;
    let shown = model.events.list.top..model.events.list.top + lines::visible_rows(model, area);
    let place = |y: usize| y * len / height..((y + 1) * len / height).max(y * len / height + 1);
    let found = model.search.hits.as_deref().unwrap_or_default();
    let severe = model.events.severe.as_ref();
    let errors = severe.map_or(&[][..], |s| &s.errors[..]);
    let errors = telling(errors, (0..height).map(place));
    for y in 0..height {
        let rows = place(y);
        let at = area.y + y as u16;
        hits.add(Rect::new(x, at, 1, 1), Target::Scrollbar(rows.start));
        let in_window = rows.start < shown.end && shown.start < rows.end;
        let (symbol, role) = if has(&model.events.marks, &rows) {
            ("◆", Role::Mark)
        } else if has(found, &rows) {
            ("●", Role::BarsWarning)
        } else if has(errors, &rows) {
            ("╸", Role::BarsError)
        } else if in_window {
            ("┃", Role::View)
        } else {
            continue;
        };
        glyph(buf, x, at, symbol, model.theme.style(role));
        if in_window && symbol != "┃" && x > area.x {
            // Marks within the thumb must not hide it.
            glyph(buf, x - 1, at, "▕", model.theme.style(Role::View));
        }
    }
}

/// `sorted` if few positions of the bar contain any of these rows, else an empty slice.
fn telling(sorted: &[u32], places: impl ExactSizeIterator<Item = Range<usize>>) -> &[u32] {
    let most = places.len() / MARKED;
    match places.filter(|place| has(sorted, place)).count() {
        marked if marked > most => &[],
        _ => sorted,
    }
}

/// Whether a range contains one of the ascending rows.
fn has(sorted: &[u32], rows: &Range<usize>) -> bool {
    let from = sorted.partition_point(|row| (*row as usize) < rows.start);
    sorted
        .get(from)
        .is_some_and(|row| (*row as usize) < rows.end)
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn errors_everywhere_are_no_marks() {
        let places = || (0..20).map(|y| y * 10..(y + 1) * 10);
        // Many in a few places, then one in each of too many.
        let few: Vec<u32> = (0..50).collect();
        let many: Vec<u32> = (0..6).map(|y| y * 10).collect();
        assert_eq!(telling(&few, places()), few);
        assert!(telling(&many, places()).is_empty());
    }
}
