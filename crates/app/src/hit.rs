//! Mouse hit testing: drawing registers the targets, and clicks look them up.

use crate::rect::Rect;

use super::command::Command;
use super::keys::Key;

/// Target of a mouse click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Row of the list of events, by index.
    Row(usize),
    /// List of events outside its rows.
    List,
    /// Record pane.
    Record,
    /// Table row, by index among the rows shown.
    TableRow(usize),
    /// Heading of a table column.
    TableHead(usize),
    /// Timeline row, and the column within it.
    TimelineRow(usize, u16),
    /// Bar of the overview.
    OverviewBar(usize),
    /// Position in the scrollbar, by the first row that it stands for.
    Scrollbar(usize),
    /// Hint of a command.
    Hint(Command),
    /// Hint of the first key of a sequence.
    KeyHint(Key),
    /// Step of the breadcrumb: number of steps to keep.
    Step(usize),
    /// Row of a popup.
    PopupRow(usize),
    /// Popup outside its rows.
    Popup,
    /// Line between list and record pane.
    RecordLine,
    /// Line between the two views of a split.
    SplitLine,
}

/// Targets on the screen; a later target covers earlier ones.
#[derive(Clone, Debug, Default)]
pub struct HitMap {
    areas: Vec<(Rect, Target)>,
    /// Targets in the view without the keyboard focus.
    other: Vec<(Rect, Target)>,
}

/// View that contains a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitView {
    /// The focused view, or no view.
    Focused,
    /// The unfocused view of a split.
    Other,
}

impl HitMap {
    /// Registers a target for an area.
    pub fn add(&mut self, area: Rect, target: Target) {
        self.areas.push((area, target));
    }

    /// Registers the targets of the focused view.
    pub fn add_all(&mut self, hits: HitMap) {
        self.areas.extend(hits.areas);
    }

    /// Registers the targets of the unfocused view.
    pub fn add_other(&mut self, hits: HitMap) {
        self.other.extend(hits.areas);
    }

    /// Target at a column and a row, in either view.
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        self.find(x, y).map(|(target, _)| target)
    }

    /// Target at a column and a row, with its view; popups cover both views.
    pub fn find(&self, x: u16, y: u16) -> Option<(Target, HitView)> {
        let top = |areas: &[(Rect, Target)]| {
            let mut areas = areas.iter().rev();
            let (area, target) = areas.find(|(area, _)| area.contains(x, y))?;
            Some(match *target {
                Target::TimelineRow(row, _) => Target::TimelineRow(row, x - area.x),
                target => target,
            })
        };
        let of_keys = top(&self.areas).map(|target| (target, HitView::Focused));
        of_keys.or_else(|| top(&self.other).map(|target| (target, HitView::Other)))
    }
}
