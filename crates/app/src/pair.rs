//! Two views on one screen: the one that has the keys, and another beside or below it.
//!
//! There is no tree of windows: of a run one looks at two things at a time, and what stands in `Model::view` is always the
//! one with the keys. So all that is about "the view" goes on to mean that one, and going to the other one exchanges them.

use super::view::{Pane, View};
use widetui_session::record_texts::Place;

/// Where the second half of the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSide {
    /// To the right of the first.
    Beside,
    /// Below the first.
    Below,
}

/// A half of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The left or the upper one.
    First,
    /// The right or the lower one.
    Second,
}

impl Half {
    /// The other one.
    pub fn opposite(self) -> Half {
        match self {
            Half::First => Half::Second,
            Half::Second => Half::First,
        }
    }
}

/// What the cursor of one view points at, which the other one shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    /// A moment, UTC ns.
    Moment(i64),
    /// A record.
    Record(Place),
}

/// The view that shares the screen with the one that has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The view without the keys; never the same as the one that has them.
    pub other: View,
    /// Which of its panes had the keys last.
    pub pane: Pane,
    /// Where the second half of the screen is.
    pub side: PairSide,
    /// The half in which the view with the keys stands.
    pub keys: Half,
    /// Share of the second half, percent.
    pub share: u16,
    /// What the other view follows already.
    pub followed: Option<Pointed>,
}

/// Least and most of the room that the second view or the record takes, percent.
pub const SHARES: (u16, u16) = (15, 85);

/// Share of the second half when nobody said otherwise, percent.
pub const EQUAL: u16 = 50;

impl Pair {
    /// A view beside or below the one that has the keys, both with equal room.
    pub fn new(other: View, side: PairSide) -> Pair {
        Pair {
            other,
            pane: Pane::List,
            side,
            keys: Half::First,
            share: EQUAL,
            followed: None,
        }
    }

    /// Gives the half with the keys more room (percent of the whole), or less.
    pub fn grow(&mut self, by: i32) {
        let by = match self.keys {
            Half::First => -by,
            Half::Second => by,
        };
        self.set_share(i32::from(self.share) + by);
    }

    /// Gives the second half this share, percent, as far as something of both is left.
    pub fn set_share(&mut self, share: i32) {
        self.share = share.clamp(i32::from(SHARES.0), i32::from(SHARES.1)) as u16;
    }
}

/// So many percent of a length, which is at most a terminal's.
pub(super) fn part(length: u16, share: u16) -> u16 {
    (u32::from(length) * u32::from(share.clamp(SHARES.0, SHARES.1)) / 100) as u16
}
