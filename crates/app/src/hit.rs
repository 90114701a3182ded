//! What the mouse can hit: drawing notes what stands where, the next click looks it up.

use crate::rect::Rect;

use super::action::Action;
use super::keys::Key;

/// Something that can be clicked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A row of the list of events.
    Row(usize),
    /// The list of events, between its rows.
    List,
    /// The record pane.
    Record,
    /// A row of a table, by its place among those shown.
    TableRow(usize),
    /// The heading of a column of a table.
    TableHead(usize),
    /// A row of bars, and the column within it.
    Lane(usize, u16),
    /// A stretch of the strip.
    Stretch(usize),
    /// A place of the scrollbar, by the first row that it stands for.
    Bar(usize),
    /// A hint.
    Hint(Action),
    /// A hint of a key that others follow.
    Press(Key),
    /// A step of the trail: that many steps are kept.
    Step(usize),
    /// A row of a popup.
    PopupRow(usize),
    /// A popup, between its rows.
    Popup,
    /// The line between list and record.
    Split,
    /// The line between two views.
    Between,
}

/// What stands where; what was noted last lies on top.
#[derive(Clone, Debug, Default)]
pub struct HitMap {
    areas: Vec<(Rect, Target)>,
    /// What stands in the view that does not have the keys.
    other: Vec<(Rect, Target)>,
}

/// In which of the views on the screen something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// In the one that has the keys, or in none.
    Keys,
    /// In the other one.
    Other,
}

impl HitMap {
    /// Notes that something stands in an area.
    pub fn add(&mut self, area: Rect, target: Target) {
        self.areas.push((area, target));
    }

    /// Notes all that stands in the view that has the keys.
    pub fn add_all(&mut self, hits: HitMap) {
        self.areas.extend(hits.areas);
    }

    /// Notes all that stands in the other view.
    pub fn add_other(&mut self, hits: HitMap) {
        self.other.extend(hits.areas);
    }

    /// What stands at a column and a row, whatever view it is in.
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        self.find(x, y).map(|(target, _)| target)
    }

    /// What stands at a column and a row, and in which view: a popup lies above both.
    pub fn find(&self, x: u16, y: u16) -> Option<(Target, Whose)> {
        let top = |areas: &[(Rect, Target)]| {
            let mut areas = areas.iter().rev();
            let (area, target) = areas.find(|(area, _)| area.contains(x, y))?;
            Some(match *target {
                Target::Lane(row, _) => Target::Lane(row, x - area.x),
                target => target,
            })
        };
        let of_keys = top(&self.areas).map(|target| (target, Whose::Keys));
        of_keys.or_else(|| top(&self.other).map(|target| (target, Whose::Other)))
    }
}
