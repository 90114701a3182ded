//! Views: each is a component, a static [`ViewComponent`] in a file of `update/views/` that answers all questions about the view
//! and runs its commands. [`View`] is the handle of a component: copied, compared and stored, but never matched, so that what
//! belongs to a view stands in its file.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use widetui_core::direction::Direction;
use widetui_query::Field;
use widetui_session::comparison::ComparedSide;
use widetui_session::instances::InstanceHandle;
use widetui_session::jobs::TableRequest;
use widetui_store::{EventRef, Source};
use widetui_tables::list::List;
use widetui_tables::plots::settings::{PlotChoice, SlowestSubject};
use widetui_tables::row_search::RowSearch;

use crate::command::Command;
use crate::focus::Focus;
use crate::msg::Effect;
use crate::page_line::PageLine;

use super::Model;
use crate::view_state::ExtractionSource;

/// View of the explorer: the handle of its component.
#[derive(Clone, Copy)]
pub struct View(pub(crate) &'static ViewComponent);

impl Deref for View {
    type Target = ViewComponent;

    fn deref(&self) -> &ViewComponent {
        self.0
    }
}

impl PartialEq for View {
    fn eq(&self, other: &View) -> bool {
        self.title == other.title
    }
}

impl Eq for View {}

impl Hash for View {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.title.hash(state);
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title)
    }
}

/// Component of a view: its properties, the questions that it answers, and the changes that it makes. A component states the
/// differences from a default such as `TABLE`.
pub struct ViewComponent {
    /// Title: shown in the line above the view, stored in workspaces and used in names of exported files.
    pub title: &'static str,
    /// Command that only opens the view. A command that does more has a function of its own.
    pub shown_by: Option<Command>,
    /// True if a workspace that was saved in the view reopens it.
    pub opens: Opens,
    /// Kind of content on the screen.
    pub body: Body,
    /// Kind of analysis that computes the rows.
    pub(crate) work: Work,
    /// Pane below or beside the view with details of the current row.
    pub detail: Detail,
    /// True if a wide screen has the story pane: the records of the instance under the cursor.
    pub(crate) has_story: fn(&Model) -> bool,
    /// Records that the view covers.
    pub covers: Covers,
    /// Setting that groups rows, lines or durations.
    pub(crate) split: Split,
    /// Keys and hints while the list of the view has the focus.
    pub focus: Focus,
    /// Title of the pivot list of a row.
    pub pivot_title: &'static str,
    /// Effect of the command that opened the view, while the view is shown: the other form of the same analysis.
    pub other_form: Option<&'static str>,
    /// Query of the table; `None` if the view is no table, or its subject is not chosen.
    pub(crate) question: fn(&Model) -> Option<TableRequest>,
    /// Subcommand that prints the same with its own options, or the reason why there is none.
    pub(crate) command_line: fn(&Model) -> Result<Vec<String>, &'static str>,
    /// Subject in the name of exported files.
    pub(crate) export_subject: fn(&Model) -> Option<&str>,
    /// Text that `copy` copies.
    pub(crate) copied: fn(&Model) -> Option<String>,
    /// Record under the cursor; `None` if the row stands for no single record.
    pub(crate) record: for<'a> fn(&'a Model) -> Option<EventRef<'a>>,
    /// Instance under the cursor: the row itself, or the first one that its record names.
    pub(crate) instance: fn(&Model) -> Option<InstanceHandle>,
    /// Record under the cursor that the other view of a split follows.
    pub(crate) followed: for<'a> fn(&'a Model) -> Option<EventRef<'a>>,
    /// Source under the cursor.
    pub(crate) source: for<'a> fn(&'a Model) -> Option<&'a Source>,
    /// Template under the cursor.
    pub(crate) template: fn(&Model) -> Option<String>,
    /// Input of an extraction rule for the row under the cursor.
    pub(crate) extraction: fn(&Model) -> Option<ExtractionSource>,
    /// Reason why commands on the row under the cursor have no effect: the view lists nothing.
    pub(crate) nothing_listed: fn(&Model) -> Option<&'static str>,
    /// Contents of the view, as the help describes them after its title.
    pub title_suffix: fn(&Model) -> String,
    /// Note on the right of the line above a table.
    pub note: fn(&Model) -> Note,
    /// True if a row, by its name, is marked.
    pub is_marked: fn(&Model, &str) -> bool,
    /// Effect of `open`, where it depends on the row.
    pub open_label: fn(&Model) -> Option<&'static str>,
    /// Opens the row under the cursor.
    pub(crate) open: fn(&mut Model) -> Vec<Effect>,
    /// Runs a command that means something else in the view; `None` for all others.
    pub(crate) run: fn(&mut Model, Command) -> Option<Vec<Effect>>,
    /// Undoes what is set in the view itself; `None` if nothing is.
    pub(crate) undo: fn(&mut Model) -> Option<Vec<Effect>>,
}

/// Part of the line above a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Number of rows, order and filters.
    Usual,
    /// Number of rows and so on after this text.
    After(String),
    /// Only this text.
    Only(String),
}

/// True if a view can be opened without a prior choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opens {
    /// Can be opened directly.
    ByItself,
    /// Needs a subject chosen in another view, which workspaces do not store.
    Chosen,
}

/// Content of a view on the screen; determines how the cursor moves and how the content is drawn.
#[derive(Clone, Copy)]
pub enum Body {
    /// List of records with the overview above it.
    Records,
    /// Lines with a cursor of their own.
    Page(&'static Page),
    /// Table; cursor, order, filter, pivots and column widths are common to all tables.
    Table(RowLook),
}

/// Page of lines with a cursor of its own.
pub struct Page {
    /// Left and right text of the line above the page.
    pub heading: fn(&Model) -> (String, String),
    /// Lines for a width in columns.
    pub lines: fn(&Model, u16) -> Vec<PageLine<()>>,
    /// Line of the cursor, and the window.
    pub list: fn(&Model) -> List,
    /// Search in the page.
    pub search: fn(&Model) -> &RowSearch,
    /// Index of the cursor among the searched texts.
    pub place: fn(&Model) -> usize,
    /// Whole page as text.
    pub(crate) text: fn(&Model) -> String,
    /// True if the content is still being computed.
    pub(crate) is_awaited: fn(&Model) -> bool,
    /// Search in the page, to change it.
    pub(crate) search_mut: fn(&mut Model) -> &mut RowSearch,
    /// Texts that a search covers.
    pub(crate) texts: fn(&Model) -> Vec<String>,
    /// Moves the cursor to a searched text.
    pub(crate) go: fn(&mut Model, usize),
    /// Moves the cursor by rows.
    pub(crate) step: fn(&mut Model, i64),
    /// Moves the cursor to the next or previous entry.
    pub(crate) next: fn(&mut Model, Direction),
    /// Moves the cursor to a clicked line; returns whether the cursor was there already.
    pub(crate) click: fn(&mut Model, usize) -> bool,
    /// Scrolls to the cursor, in a window of a height.
    pub(crate) settle: fn(&mut Model, usize),
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
    /// Lines about the row under the cursor, read-only.
    Row,
}

/// Records that a view covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// The whole run, regardless of the selection.
    Run,
    /// The selected records.
    Selection,
}

/// Setting that groups the rows, lines or durations of a view.
#[derive(Clone, Copy)]
pub(crate) enum Split {
    /// The view cannot be grouped.
    Never,
    /// A row for each resource that the plotted entity runs on.
    ByResource,
    /// Groups by a key, or by none.
    ByKey(fn(Option<String>) -> PlotChoice),
}

impl ViewComponent {
    /// True if the view is the list of records.
    pub fn is_records(&self) -> bool {
        matches!(self.body, Body::Records)
    }

    /// True if the view is a table.
    pub fn is_table(&self) -> bool {
        matches!(self.body, Body::Table(_))
    }

    /// Page of the view, if it is one.
    pub fn page(&self) -> Option<&'static Page> {
        match self.body {
            Body::Page(page) => Some(page),
            Body::Records | Body::Table(_) => None,
        }
    }

    /// True if the horizontal axis of the view, or of the plot above its table, is time.
    pub fn is_over_time(&self) -> bool {
        self.work == Work::Analysis(Axis::Time)
    }

    /// True if the view is computed by an analysis of instances.
    pub fn is_plotted(&self) -> bool {
        matches!(self.work, Work::Analysis(_))
    }

    /// True if the view shows messages between actors.
    pub fn is_flow(&self) -> bool {
        self.work == Work::Messages
    }

    /// True if the view has a pane with details of the current row that can take the keyboard
    /// focus.
    pub fn has_detail(&self) -> bool {
        matches!(self.detail, Detail::Record | Detail::Source)
    }
}

/// Subject of a view that the user chose in another view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewSubject {
    /// Key whose values are counted.
    Key(Field),
    /// Dotted name of the entity whose instances are listed.
    Entity(String),
    /// Instance whose trace is shown.
    Instance(Box<InstanceHandle>),
    /// Both sides of a comparison.
    Sides(Box<[ComparedSide; 2]>),
    /// Step or phase whose slowest instances are listed.
    Slow(SlowestSubject),
    /// Name of the join whose conflicts are listed.
    Join(String),
}

/// Pane of the events view that has the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pane {
    /// List of records.
    #[default]
    List,
    /// Record under the cursor of the list.
    Record,
    /// Breadcrumb in the first line: the steps of the selection.
    Breadcrumb,
}

/// Format of the time column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimeDisplay {
    /// Clock time, and the time since the previous row.
    #[default]
    Clock,
    /// Time since the start of the run, and the time since the previous row.
    FromStart,
    /// Only the time since the previous row.
    StepOnly,
    /// Clock time, and the time since the previous record with the same value of the followed key.
    SameKey,
}
