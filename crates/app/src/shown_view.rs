//! View with its area and focus: the input of drawing, since a split screen shows two views.

use std::ops::Deref;

use crate::rect::Rect;

use super::frame::Frame;
use super::model::{Model, Pane, View};
use widetui_tables::table::TableState;

/// Whether a view has the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// This view has the focus.
    Here,
    /// The other view on the screen has the focus.
    Elsewhere,
}

/// Model as seen by one view on the screen. View, pane, table and area are specific to the view,
/// the rest is shared; drawing code does not know the size of the terminal.
#[derive(Clone, Copy, Debug)]
pub struct ShownView<'a> {
    model: &'a Model,
    /// View.
    pub view: View,
    /// Pane that has, or last had, the keyboard focus.
    pub pane: Pane,
    /// Area of the view.
    pub area: Rect,
    /// Whether the view has the keyboard focus.
    pub keys: Keys,
}

impl Deref for ShownView<'_> {
    type Target = Model;

    fn deref(&self) -> &Model {
        self.model
    }
}

impl<'a> ShownView<'a> {
    /// Table of the view, if it is one.
    pub fn table(&self) -> Option<&'a TableState> {
        self.model.tables.get(&self.view)
    }

    /// Whether `pane` of this view has the keyboard focus.
    pub fn has_focus(&self, pane: Pane) -> bool {
        self.keys == Keys::Here && self.pane == pane
    }

    /// First visible line of the record pane; 0 unless the view has the focus, as only the focused
    /// view scrolls.
    pub fn record_top(&self) -> usize {
        match self.keys {
            Keys::Here => self.model.record.top,
            Keys::Elsewhere => 0,
        }
    }

    /// Whether the screen is split.
    pub fn is_in_split(&self) -> bool {
        self.keys == Keys::Elsewhere || self.model.beside().is_some()
    }
}

impl Model {
    /// View that has the keyboard focus.
    pub fn shown(&self) -> ShownView<'_> {
        ShownView {
            model: self,
            view: self.view,
            pane: self.pane,
            area: Frame::new(self).keys,
            keys: Keys::Here,
        }
    }

    /// Other view of the split; `None` without a split or without room for one.
    pub fn beside(&self) -> Option<ShownView<'_>> {
        let split = self.split.as_ref()?;
        let area = Frame::new(self).other;
        (!area.is_empty()).then_some(ShownView {
            model: self,
            view: split.other,
            pane: split.pane,
            area,
            keys: Keys::Elsewhere,
        })
    }

    /// Whether a time cursor is shown that is independent of records: in a plot over time, or in
    /// the view beside one. The events view has its own cursor.
    pub fn has_moment(&self) -> bool {
        let is_beside = |other: ShownView<'_>| other.view.is_over_time();
        self.view.is_over_time()
            || (!self.view.is_records() && self.beside().is_some_and(is_beside))
    }

    /// The given view, if it is on the screen.
    pub fn on_screen(&self, view: View) -> Option<ShownView<'_>> {
        let mut all = std::iter::once(self.shown()).chain(self.beside());
        all.find(|shown| shown.view == view)
    }

    /// Width of `view`: its current one, or the one it would have with the focus.
    pub fn columns_of(&self, view: View) -> u16 {
        self.on_screen(view).unwrap_or(self.shown()).area.width
    }

    /// Height of a screen that shows `view` alone at its current height, including the first and
    /// the last line.
    pub fn rows_of(&self, view: View) -> u16 {
        let shown = self.on_screen(view).unwrap_or(self.shown());
        shown.area.height + self.screen.size.1.min(2)
    }
}
