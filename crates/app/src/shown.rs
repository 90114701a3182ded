//! A view where it stands: what drawing starts from, as there may be two of them on a screen.

use std::ops::Deref;

use crate::rect::Rect;

use super::frame::Frame;
use super::model::{Model, Pane, View};
use widetui_tables::table::TableState;

/// Whether a view has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// It has.
    Here,
    /// The other view on the screen has.
    Elsewhere,
}

/// The model as one of the views on the screen shows it. What is the same for both is the model's; the view, its pane and
/// its table are its own, and so is its room: nothing that draws a view knows how large the terminal is.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    model: &'a Model,
    /// The view.
    pub view: View,
    /// Which of its panes has the keys, or had them last.
    pub pane: Pane,
    /// Where it stands.
    pub area: Rect,
    /// Whether it has the keys.
    pub keys: Keys,
}

impl Deref for Shown<'_> {
    type Target = Model;

    fn deref(&self) -> &Model {
        self.model
    }
}

impl<'a> Shown<'a> {
    /// Its table, when it is one.
    pub fn table(&self) -> Option<&'a TableState> {
        self.model.tables.get(&self.view)
    }

    /// Whether a pane of it has the keys.
    pub fn has_keys(&self, pane: Pane) -> bool {
        self.keys == Keys::Here && self.pane == pane
    }

    /// First line on the screen of what it tells about the row under its cursor: only where the keys are it is scrolled.
    pub fn record_top(&self) -> usize {
        match self.keys {
            Keys::Here => self.model.record.top,
            Keys::Elsewhere => 0,
        }
    }

    /// Whether another view is on the screen too.
    pub fn is_one_of_two(&self) -> bool {
        self.keys == Keys::Elsewhere || self.model.beside().is_some()
    }
}

impl Model {
    /// The view that has the keys.
    pub fn shown(&self) -> Shown<'_> {
        Shown {
            model: self,
            view: self.view,
            pane: self.pane,
            area: Frame::of(self).keys,
            keys: Keys::Here,
        }
    }

    /// The other view, when there is one and it has room.
    pub fn beside(&self) -> Option<Shown<'_>> {
        let pair = self.pair.as_ref()?;
        let area = Frame::of(self).other;
        (!area.is_empty()).then_some(Shown {
            model: self,
            view: pair.other,
            pane: pair.pane,
            area,
            keys: Keys::Elsewhere,
        })
    }

    /// Whether there is a moment under the cursor that is none of the record's: in a picture over time, or beside one. The
    /// events have a cursor of their own.
    pub fn has_moment(&self) -> bool {
        let is_beside = |other: Shown<'_>| other.view.is_over_time();
        self.view.is_over_time()
            || (self.view != View::Events && self.beside().is_some_and(is_beside))
    }

    /// A view, when it is on the screen.
    pub fn on_screen(&self, view: View) -> Option<Shown<'_>> {
        let mut all = std::iter::once(self.shown()).chain(self.beside());
        all.find(|shown| shown.view == view)
    }

    /// Columns of a view: where it stands, or where it would if it had the keys.
    pub fn columns_of(&self, view: View) -> u16 {
        self.on_screen(view).unwrap_or(self.shown()).area.width
    }

    /// Rows of the screen that a view of its size would have alone: with the lines above and below.
    pub fn rows_of(&self, view: View) -> u16 {
        let shown = self.on_screen(view).unwrap_or(self.shown());
        shown.area.height + self.screen.size.1.min(2)
    }
}
