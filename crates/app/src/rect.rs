//! Positions and rectangles on the screen, in columns and rows.

/// Position on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

/// Rectangle on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Number of columns.
    pub width: u16,
    /// Number of rows.
    pub height: u16,
}

impl Rect {
    /// Rectangle with its upper left corner at `x`, `y`; the size is clamped so that the right and
    /// the lower edge fit into `u16`.
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Rect {
        Rect {
            x,
            y,
            width: width.min(u16::MAX - x),
            height: height.min(u16::MAX - y),
        }
    }

    /// Whether the rectangle has no cells.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// First column.
    pub fn left(self) -> u16 {
        self.x
    }

    /// Column after the last one.
    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// First row.
    pub fn top(self) -> u16 {
        self.y
    }

    /// Row after the last one.
    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    /// Whether the rectangle contains the position.
    pub(crate) fn contains(self, x: u16, y: u16) -> bool {
        (self.left()..self.right()).contains(&x) && (self.top()..self.bottom()).contains(&y)
    }

    /// Smallest rectangle that contains both.
    pub(crate) fn union(self, other: Rect) -> Rect {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let right = self.right().max(other.right());
        let bottom = self.bottom().max(other.bottom());
        Rect::new(x, y, right - x, bottom - y)
    }

    /// Common area of both; empty if they do not overlap.
    pub fn intersection(self, other: Rect) -> Rect {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = self.right().min(other.right());
        let bottom = self.bottom().min(other.bottom());
        Rect::new(x, y, right.saturating_sub(x), bottom.saturating_sub(y))
    }

    /// All positions, row by row.
    pub fn positions(self) -> impl Iterator<Item = Position> {
        let columns = self.left()..self.right();
        let rows = self.top()..self.bottom();
        rows.flat_map(move |y| columns.clone().map(move |x| Position { x, y }))
    }
}
