//! Split screen: two views beside or below each other.
//!
//! There is no tree of windows: two views at a time suffice. `Model::view` is always the view with
//! the keyboard focus; moving the focus to the other view swaps the two.

use super::view::{Pane, View};
use widetui_session::record_texts::Place;

/// Direction of the split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitDirection {
    /// Second view to the right of the first.
    Beside,
    /// Second view below the first.
    Below,
}

/// Half of a split screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitHalf {
    /// Left or upper half.
    First,
    /// Right or lower half.
    Second,
}

impl SplitHalf {
    /// The other half.
    pub(crate) fn opposite(self) -> SplitHalf {
        match self {
            SplitHalf::First => SplitHalf::Second,
            SplitHalf::Second => SplitHalf::First,
        }
    }
}

/// Position under the cursor of one view that the other view follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CursorTarget {
    /// Time, UTC ns.
    Moment(i64),
    /// Record.
    Record(Place),
}

/// Split of the screen, and its view without the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenSplit {
    /// View without the focus; never equal to the focused view.
    pub other: View,
    /// Pane of the unfocused view that last had the focus.
    pub(crate) pane: Pane,
    /// Direction of the split.
    pub side: SplitDirection,
    /// Half that contains the focused view.
    pub keys: SplitHalf,
    /// Share of the second half, percent.
    pub(crate) share: u16,
    /// Position that the unfocused view has already moved to.
    pub(crate) followed: Option<CursorTarget>,
}

/// Minimum and maximum share of the second view or of the record pane, percent.
pub(crate) const SHARES: (u16, u16) = (15, 85);

/// Default share of the second half, percent.
pub(crate) const EQUAL: u16 = 50;

impl ScreenSplit {
    /// Split with `other` as the unfocused view and equal shares.
    pub(crate) fn new(other: View, side: SplitDirection) -> ScreenSplit {
        ScreenSplit {
            other,
            pane: Pane::List,
            side,
            keys: SplitHalf::First,
            share: EQUAL,
            followed: None,
        }
    }

    /// View in the first half, if `focused` has the focus.
    pub(crate) fn first(self, focused: View) -> View {
        match self.keys {
            SplitHalf::First => focused,
            SplitHalf::Second => self.other,
        }
    }

    /// Enlarges the focused half by `by` percent of the whole, or shrinks it if negative.
    pub(crate) fn grow(&mut self, by: i32) {
        let by = match self.keys {
            SplitHalf::First => -by,
            SplitHalf::Second => by,
        };
        self.set_share(i32::from(self.share) + by);
    }

    /// Sets the share of the second half, percent, clamped to [`SHARES`].
    pub fn set_share(&mut self, share: i32) {
        self.share = share.clamp(i32::from(SHARES.0), i32::from(SHARES.1)) as u16;
    }
}

/// `share` percent of `length`, with the share clamped to [`SHARES`].
pub(crate) fn share_of(length: u16, share: u16) -> u16 {
    (u32::from(length) * u32::from(share.clamp(SHARES.0, SHARES.1)) / 100) as u16
}
