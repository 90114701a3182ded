//! Places and areas on the screen, in columns and rows.

/// Place on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

/// Area of the screen.
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
    /// Area with its first place at `x` and `y`; never beyond the last column and row that a number can hold.
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Rect {
        Rect {
            x,
            y,
            width: width.min(u16::MAX - x),
            height: height.min(u16::MAX - y),
        }
    }

    /// Whether it has no place at all.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// First column.
    pub fn left(self) -> u16 {
        self.x
    }

    /// Column behind the last one.
    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// First row.
    pub fn top(self) -> u16 {
        self.y
    }

    /// Row below the last one.
    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    /// Whether a place lies in it.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.left()..self.right()).contains(&x) && (self.top()..self.bottom()).contains(&y)
    }

    /// Smallest area with both in it.
    pub fn union(self, other: Rect) -> Rect {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let right = self.right().max(other.right());
        let bottom = self.bottom().max(other.bottom());
        Rect::new(x, y, right - x, bottom - y)
    }

    /// Area that both share; empty where they share none.
    pub fn intersection(self, other: Rect) -> Rect {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = self.right().min(other.right());
        let bottom = self.bottom().min(other.bottom());
        Rect::new(x, y, right.saturating_sub(x), bottom.saturating_sub(y))
    }

    /// All places, row by row.
    pub fn positions(self) -> impl Iterator<Item = Position> {
        let columns = self.left()..self.right();
        let rows = self.top()..self.bottom();
        rows.flat_map(move |y| columns.clone().map(move |x| Position { x, y }))
    }
}
