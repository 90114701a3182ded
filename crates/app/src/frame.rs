//! The frame of the screen: the first and the last line, and one or two views between them.

use crate::rect::Rect;

use super::model::Model;
use super::pair::{Half, Pair, PairSide, part};

/// With fewer columns two views do not stand beside each other.
pub const BESIDE_FROM: u16 = 110;

/// With fewer rows two views do not stand below each other.
pub const BELOW_FROM: u16 = 30;

/// The lines that every screen has, and the views between them; what has no room is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What is selected.
    pub trail: Rect,
    /// The view that has the keys.
    pub keys: Rect,
    /// The other one.
    pub other: Rect,
    /// The line between them; of views below each other the first line of the lower one.
    pub between: Rect,
    /// Hints, messages, prompts.
    pub hints: Rect,
}

impl Frame {
    /// That of a model.
    pub fn of(model: &Model) -> Frame {
        let (width, height) = model.screen.size;
        let row = |y: u16, h: u16| Rect::new(0, y, width, h);
        if height < 3 {
            // Nothing but the view.
            return Frame {
                keys: row(0, height),
                ..Frame::default()
            };
        }
        let mut frame = Frame {
            trail: row(0, 1),
            keys: row(1, height - 2),
            hints: row(height - 1, 1),
            ..Frame::default()
        };
        let Some(pair) = model.pair.as_ref().filter(|p| has_room(model, p.side)) else {
            return frame;
        };
        let (first, between, second) = halves(frame.keys, pair);
        frame.between = between;
        (frame.keys, frame.other) = match pair.keys {
            Half::First => (first, second),
            Half::Second => (second, first),
        };
        frame
    }

    /// What is between the lines at top and bottom.
    pub fn body(&self) -> Rect {
        self.keys.union(self.other)
    }
}

/// Whether two views have room beside or below each other.
pub fn has_room(model: &Model, side: PairSide) -> bool {
    let (width, height) = model.screen.size;
    match side {
        PairSide::Beside => width >= BESIDE_FROM && height >= 3,
        PairSide::Below => height >= BELOW_FROM,
    }
}

/// The two halves, and the line between them.
fn halves(body: Rect, pair: &Pair) -> (Rect, Rect, Rect) {
    let (mut first, mut second) = (body, body);
    let between = match pair.side {
        PairSide::Beside => {
            second.width = part(body.width, pair.share);
            first.width = body.width - second.width - 1;
            let between = Rect::new(first.right(), body.y, 1, body.height);
            second.x = between.right();
            between
        }
        PairSide::Below => {
            second.height = part(body.height, pair.share);
            first.height = body.height - second.height;
            second.y = first.bottom();
            Rect::new(second.x, second.y, second.width, 1)
        }
    };
    (first, between, second)
}
