//! Frame of the screen: first line, last line, and one or two views between them.

use crate::rect::Rect;

use super::model::Model;
use super::model::screen_split::{ScreenSplit, SplitDirection, SplitHalf, share_of};

/// Least screen width for two views beside each other, in columns.
pub(crate) const BESIDE_FROM: u16 = 110;

/// Maximum width of the story pane, in columns.
const WIDEST_STORY: u16 = 110;

/// Least screen height for two views below each other, in rows.
pub(crate) const BELOW_FROM: u16 = 30;

/// Areas of the screen; a part without room has an empty area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Breadcrumb: the steps of the selection.
    pub breadcrumb: Rect,
    /// View that has the keyboard focus.
    pub keys: Rect,
    /// Unfocused view of a split.
    pub other: Rect,
    /// Line between the views; the first line of the lower view if they are below each other.
    pub between: Rect,
    /// Story pane beside a view on a wide screen.
    pub story: Rect,
    /// Hints, notifications and prompts.
    pub hints: Rect,
}

impl Frame {
    /// Frame for the screen size and the split of a model.
    pub fn new(model: &Model) -> Frame {
        let (width, height) = model.screen.size;
        let row = |y: u16, h: u16| Rect::new(0, y, width, h);
        if height < 3 {
            // Too small for anything except the view.
            return Frame {
                keys: row(0, height),
                ..Frame::default()
            };
        }
        let mut frame = Frame {
            breadcrumb: row(0, 1),
            keys: row(1, height - 2),
            hints: row(height - 1, 1),
            ..Frame::default()
        };
        if model.has_story() {
            frame.story = frame.keys;
            frame.story.width = (width * 2 / 5).min(WIDEST_STORY);
            frame.keys.width = width - frame.story.width - 1;
            frame.between = Rect::new(frame.keys.right(), 1, 1, frame.keys.height);
            frame.story.x = frame.between.right();
            return frame;
        }
        let Some(split) = model.split.as_ref().filter(|p| has_room(model, p.side)) else {
            return frame;
        };
        let (first, between, second) = halves(frame.keys, split);
        frame.between = between;
        (frame.keys, frame.other) = match split.keys {
            SplitHalf::First => (first, second),
            SplitHalf::Second => (second, first),
        };
        frame
    }

    /// Area between the first and the last line.
    pub fn body(&self) -> Rect {
        self.keys.union(self.other).union(self.story)
    }
}

/// Whether the screen has room for a split in this direction.
pub(crate) fn has_room(model: &Model, side: SplitDirection) -> bool {
    let (width, height) = model.screen.size;
    match side {
        SplitDirection::Beside => width >= BESIDE_FROM && height >= 3,
        SplitDirection::Below => height >= BELOW_FROM,
    }
}

/// First half, line between the halves, and second half.
fn halves(body: Rect, split: &ScreenSplit) -> (Rect, Rect, Rect) {
    let (mut first, mut second) = (body, body);
    let between = match split.side {
        SplitDirection::Beside => {
            second.width = share_of(body.width, split.share);
            first.width = body.width - second.width - 1;
            let between = Rect::new(first.right(), body.y, 1, body.height);
            second.x = between.right();
            between
        }
        SplitDirection::Below => {
            second.height = share_of(body.height, split.share);
            first.height = body.height - second.height;
            second.y = first.bottom();
            Rect::new(second.x, second.y, second.width, 1)
        }
    };
    (first, between, second)
}
