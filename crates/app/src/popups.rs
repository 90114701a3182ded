//! Popups above a view: text prompt, picker, pivot list and list of cells.

mod picker;
mod text_input;

use widetui_core::ids::SourceId;
use widetui_query::{Completion, Expr, QueryError};
use widetui_session::export_files::FileExtensions;
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;

use super::command::Command;
use super::focus::{Focus, commands};
use super::input_history::InputKind;
use super::keymap::KeyScope;

pub use picker::{HERE, Item, ItemAction, Picker, PickerKind};
pub use text_input::TextInput;

/// Purpose of a text prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// Filter expression.
    Filter,
    /// Filter expression: its records are compared with the selection.
    Compare,
    /// Time to jump to.
    Goto,
    /// Search text or pattern.
    Search,
    /// Words to search for in the rows of a table.
    Rows,
    /// Time shift of a source, in seconds.
    Shift(SourceId),
    /// Note for a record.
    Note(Place),
    /// File name of an export, with one of these endings or none.
    Export(FileExtensions),
    /// Extraction: names for the variable parts of messages or key values, or a constant. See the
    /// draft of joins.
    Extraction,
    /// Name of a new draft of a system definition.
    Draft,
}

impl PromptKind {
    /// Kind of line, for its history.
    pub(crate) fn input_kind(self) -> InputKind {
        match self {
            PromptKind::Filter | PromptKind::Compare => InputKind::Filter,
            PromptKind::Search => InputKind::Search,
            PromptKind::Goto => InputKind::Time,
            PromptKind::Rows => InputKind::Rows,
            PromptKind::Shift(_) => InputKind::Shift,
            PromptKind::Note(_) => InputKind::Note,
            PromptKind::Export(_) => InputKind::Export,
            PromptKind::Extraction => InputKind::Extraction,
            PromptKind::Draft => InputKind::Draft,
        }
    }

    /// Whether the prompt expects a filter expression.
    pub(crate) fn is_filter(self) -> bool {
        matches!(self, PromptKind::Filter | PromptKind::Compare)
    }
}

/// Completions of a line.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Completions, the best first.
    pub items: Vec<Completion>,
    /// Index of the completion that is inserted in the line.
    pub chosen: Option<usize>,
    /// Line as the user typed it.
    pub(crate) typed: TextInput,
}

/// Text prompt in the last line of the screen.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Purpose of the prompt.
    pub kind: PromptKind,
    /// Line editor with the input.
    pub line: TextInput,
    /// Error in the input, if it is a filter.
    pub problem: Option<QueryError>,
    /// Position in the input history, counted from the latest entry (1); 0: no entry is shown.
    pub history_index: usize,
    /// Line as typed, while an entry of the history is shown.
    pub(crate) draft: TextInput,
    /// Completions of the input.
    pub offers: Completions,
    /// Index of the step of the selection that the filter replaces; `None`: the filter is added.
    pub(crate) replaces: Option<usize>,
}

/// Row of the pivot list: a key of the record with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PivotRow {
    /// Letter that picks the row.
    pub letter: Option<char>,
    /// Name of the key.
    pub key: String,
    /// Label for the breadcrumb.
    pub label: String,
    /// Value of the key.
    pub value: String,
    /// Expression that selects the records with this value.
    pub expr: Expr,
    /// Instance that the value identifies.
    pub instance: Option<InstanceHandle>,
    /// Number of selected records with this value, when known.
    pub count: Option<usize>,
    /// Number of records of the run with this value, when known.
    pub in_run: Option<usize>,
    /// True if the row selects records of the whole run, whatever is selected.
    pub(crate) is_of_run: bool,
}

impl PivotRow {
    /// Row for a value, without a letter and with unknown counts.
    pub(crate) fn of_value(label: &str, value: &str, expr: Expr) -> PivotRow {
        PivotRow {
            letter: None,
            key: label.to_owned(),
            label: label.to_owned(),
            value: value.to_owned(),
            expr,
            instance: None,
            count: None,
            in_run: None,
            is_of_run: false,
        }
    }
}

/// Records that a pivot filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotScope {
    /// All records: there is no selection, so there is no choice.
    All,
    /// Selected records.
    Selected,
    /// All records, replacing the selection.
    WholeRun,
}

/// Effect of picking a row of the pivot list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotPurpose {
    /// Keeps only the records with the value.
    Keep,
    /// Copies the value.
    Copy,
}

/// Pivot list: the keys of the record under the cursor.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// Effect of a letter.
    pub purpose: PivotPurpose,
    /// Records that the pivot filters.
    pub scope: PivotScope,
    /// Keys and values of the record.
    pub rows: Vec<PivotRow>,
    /// Index of the row under the cursor.
    pub cursor: usize,
}

/// Row of the list of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRow {
    /// Letter that picks the cell.
    pub letter: Option<char>,
    /// Title of the column.
    pub title: String,
    /// Text of the cell.
    pub value: String,
}

/// List of the cells in the current table row, to copy one.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Cells that are not empty.
    pub rows: Vec<CellRow>,
    /// Index of the row under the cursor.
    pub cursor: usize,
}

/// Keys and hints of a prompt.
const PROMPT: Focus = Focus {
    keys: &[KeyScope::Prompt],
    hints: commands! { Open Back DeleteWord },
    labels: &[],
};

/// Keys and hints of a list.
const LIST: Focus = Focus {
    keys: &[KeyScope::Picker],
    hints: commands! { Open Down Up Forget Back },
    labels: &[(Command::Open, "run")],
};

/// Keys and hints of the pivot list.
const PIVOT: Focus = Focus {
    keys: &[KeyScope::Pivot],
    hints: commands! { Open PivotWhole PivotOut Highlight NextSame PrevSame Copy Back },
    labels: &[(Command::Open, "only these")],
};

/// Popup above the view that takes the keys; at most one is open.
#[derive(Clone, Debug)]
pub enum Popup {
    /// Text prompt.
    Prompt(Prompt),
    /// Picker: list with a search line.
    Picker(Picker),
    /// Pivot list.
    Pivot(Pivot),
    /// Cells of a table row, to copy one.
    Cells(Cells),
}

impl Popup {
    /// Keys and hints of the popup.
    pub fn focus(&self) -> Focus {
        match self {
            Popup::Prompt(_) => PROMPT,
            Popup::Picker(_) | Popup::Cells(_) => LIST,
            Popup::Pivot(_) => PIVOT,
        }
    }

    /// Line editor of the popup, if it has one.
    pub fn line(&mut self) -> Option<&mut TextInput> {
        match self {
            Popup::Prompt(prompt) => Some(&mut prompt.line),
            Popup::Picker(picker) => Some(&mut picker.line),
            Popup::Pivot(_) | Popup::Cells(_) => None,
        }
    }
}
