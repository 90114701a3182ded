//! Properties that a view can have.

use crate::command::Command;
use crate::keymap::KeyScope;

/// Properties of a view: one row of the table of views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// Title: shown in the line above the view, stored in workspaces and used in names of exported
    /// files.
    pub(crate) title: &'static str,
    /// Command that only opens the view. A command that does more is handled separately in `update`.
    pub shown_by: Option<Command>,
    /// Whether a workspace that was saved in the view reopens it.
    pub opens: Opens,
    /// Kind of content on the screen.
    pub body: Body,
    /// Kind of analysis that computes the rows.
    pub(crate) work: Work,
    /// Pane below or beside the view with details of the current row.
    pub detail: Detail,
    /// Records that the view covers.
    pub covers: Covers,
    /// Whether a key chosen by the user can split rows, lines or durations.
    pub(crate) split: Split,
    /// Scopes of the keymap for the view, the innermost first; global scopes follow.
    pub keys: &'static [KeyScope],
}

/// Whether a view can be opened without a prior choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// Can be opened directly.
    ByItself,
    /// Needs a subject chosen in another view, which workspaces do not store.
    Chosen,
}

/// Content of a view on the screen; determines how the cursor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// List of records with the overview above it.
    Records,
    /// Lines drawn by the view, with a cursor of its own.
    Page(Page),
    /// Table; cursor, order, filter, pivots and column widths are common to all tables.
    Table(RowLook),
}

/// Views that consist of lines instead of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Unfinished work.
    Unfinished,
    /// Findings of the diagnosis.
    Findings,
}

/// Drawing of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLook {
    /// Cells in columns, below a plot if the answer has one.
    Cells,
    /// Bars over time (timeline).
    Bars,
    /// Arrows between the columns of actors (sequence diagram).
    Arrows,
}

/// Analysis that computes the rows of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// No analysis of instances or messages.
    Plain,
    /// Analysis of the instances of the run.
    Analysis(Axis),
    /// Analysis of messages between actors.
    Messages,
}

/// Horizontal axis of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Time; supports zoom and time selection.
    Time,
    /// Another quantity, or no plot.
    Other,
}

/// Content of the pane below or beside a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// No pane.
    Nothing,
    /// Record under the cursor; the pane can take the keyboard focus.
    Record,
    /// Source under the cursor; the pane can take the keyboard focus.
    Source,
    /// Draft of a join, read-only.
    Draft,
}

/// Records that a view covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// The whole run, regardless of the selection.
    Run,
    /// The selected records.
    Selection,
}

/// Whether a key chosen by the user splits rows, lines or durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// A key can be chosen.
    ByKey,
    /// The view cannot be split.
    Never,
}
