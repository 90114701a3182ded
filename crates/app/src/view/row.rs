//! What can be true of a view.

use crate::action::Action;
use crate::keymap::KeyScope;

/// What the program knows about a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// Its name: the line above it, workspaces and names of files have it.
    pub title: &'static str,
    /// The action that shows it and does nothing else. An action that does more has an arm of its own in `update`.
    pub shown_by: Option<Action>,
    /// Whether a workspace that was left there opens it again.
    pub opens: Opens,
    /// What it is made of on the screen.
    pub body: Body,
    /// What its rows are worked out by.
    pub work: Work,
    /// What stands in a pane below or beside it.
    pub detail: Detail,
    /// What it is about.
    pub covers: Covers,
    /// Whether its rows, lines or durations are told apart by a key of the user's choice.
    pub split: Split,
    /// Where its keys are looked up, the innermost first; before those that are the same everywhere.
    pub keys: &'static [KeyScope],
}

/// Whether a view can be opened with nothing chosen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// It can.
    ByItself,
    /// It is about something that was chosen, which a workspace does not keep.
    Chosen,
}

/// What a view is made of on the screen: how one moves in it follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The list of records, with the strip above it.
    Records,
    /// Lines that it draws itself, with a cursor of its own.
    Page(Page),
    /// Rows of a table: cursor, order, filter, pivots and widths are those of all tables.
    Table(RowLook),
}

/// The views that draw their own lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// What began and never ended.
    Hung,
    /// What is wrong.
    Findings,
}

/// How the rows of a table are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLook {
    /// Cells in columns, below a picture where the answer has one.
    Cells,
    /// Bars over time.
    Bars,
    /// Arrows between lanes.
    Arrows,
}

/// What the rows of a view are worked out by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// By no analysis of things or messages.
    Plain,
    /// By an analysis of the things of the run.
    Analysis(Axis),
    /// By one of the messages between actors.
    Messages,
}

/// What the columns of a picture are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Moments: one zooms and brushes.
    Time,
    /// Something else, or there is no picture.
    Other,
}

/// What stands in a pane below or beside a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// There is no such pane.
    Nothing,
    /// The record under the cursor; the pane takes the keys.
    Record,
    /// The source under the cursor; the pane takes the keys.
    Source,
    /// The join as it is built so far, to be read only.
    Draft,
}

/// What a view is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// The whole run, whatever is selected.
    Run,
    /// What is selected.
    Selection,
}

/// Whether a key of the user's choice tells rows, lines or durations apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// One can.
    ByKey,
    /// There is nothing to tell apart.
    Never,
}
