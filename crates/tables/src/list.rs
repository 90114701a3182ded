//! Cursor and scroll position of a list.

/// List with a cursor and a window of visible rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct List {
    /// Row under the cursor.
    pub cursor: usize,
    /// First row on screen.
    pub top: usize,
}

impl List {
    /// Scrolls so that the cursor is visible, with a margin of some rows.
    pub fn reveal(&mut self, height: usize, len: usize) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
        let margin = (height / 5).min(3);
        let lowest = (self.cursor + margin + 1).saturating_sub(height);
        let highest = self.cursor.saturating_sub(margin);
        self.top = self.top.clamp(lowest.min(highest), highest);
        self.top = self.top.min(len.saturating_sub(height));
        // A window of one or two rows has no room for a margin.
        if height > 0 && self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
    }
}

/// Index of a row moved by `rows` among `len` rows, clamped to the valid range.
pub fn moved(index: usize, rows: i64, len: usize) -> usize {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let last = i64::try_from(len).unwrap_or(i64::MAX).saturating_sub(1);
    usize::try_from(index.saturating_add(rows).clamp(0, last.max(0))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cursor_is_always_in_the_window(cursor in 0usize..500, top in 0usize..500, height in 1usize..60, len in 1usize..500) {
            let mut list = List { cursor, top };
            list.reveal(height, len);
            prop_assert!(list.cursor < len);
            prop_assert!(list.top <= list.cursor && list.cursor < list.top + height);
            prop_assert!(list.top + height <= len.max(height));
            let again = { let mut l = list; l.reveal(height, len); l };
            prop_assert_eq!(again, list);
        }
    }
}
