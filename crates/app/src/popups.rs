//! Popups above a view: text prompt, picker, pivot list and list of cells.

mod picker;
mod text_input;

use std::ops::{Deref, DerefMut};

use widetui_core::ids::SourceId;
use widetui_join::TypedJoin;
use widetui_query::{Completion, Expr, QueryError};
use widetui_session::export_files::FileExtensions;
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;

use super::command::Command;
use super::focus::{Focus, commands};
use super::input_history::InputKind;
use super::keymap::KeyScope;
use super::pivot_letters::Concept;

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
    /// Line of a typed join.
    Typed(TypedJoin),
    /// Name of a new draft of a system definition.
    Draft,
}

/// Texts of a prompt, and the history of its lines.
#[derive(Clone, Copy, Debug)]
pub struct PromptInfo {
    /// Sign before the line.
    pub sign: &'static str,
    /// Example shown while the line is empty.
    pub example: &'static str,
    /// Effect of Enter.
    pub effect: &'static str,
    /// Kind of line, for its history.
    pub(crate) input: InputKind,
}

impl PromptKind {
    /// Texts of the prompt, and the history of its lines.
    pub fn info(self) -> PromptInfo {
        let filter = "level >= warning and message ~ /time(d )?out/";
        let goto = "18:03:20 · +5s · -2m · 50% of the rows · #100, the 100th";
        let search = "a text, as it stands · between slashes a pattern: /time(d )?out/";
        let (sign, example, effect, input) = match self {
            PromptKind::Filter => ("filter ", filter, "keeps only these", InputKind::Filter),
            PromptKind::Compare => ("compare with ", filter, "shows both", InputKind::Filter),
            PromptKind::Goto => ("go to ", goto, "goes there", InputKind::Time),
            PromptKind::Search => ("/", search, "searches", InputKind::Search),
            PromptKind::Rows => ("rows with ", "", "shows only these rows", InputKind::Rows),
            PromptKind::Shift(_) => {
                let sign = "seconds to add to its times ";
                (sign, "3600 · -0.25", "moves them", InputKind::Shift)
            }
            PromptKind::Note(_) => ("note ", "", "keeps it", InputKind::Note),
            PromptKind::Export(_) => ("write to ", "", "writes", InputKind::Export),
            PromptKind::Extraction => {
                let example = "mysim.phase = warmup";
                ("names ", example, "reads them", InputKind::Extraction)
            }
            PromptKind::Typed(kind) => {
                let sign = match kind {
                    TypedJoin::Constant => "constant ",
                    TypedJoin::Rename => "rename ",
                    TypedJoin::Imply => "imply ",
                    TypedJoin::Bracket => "bracket ",
                };
                (sign, kind.example(), "joins them", InputKind::Extraction)
            }
            PromptKind::Draft => {
                let sign = "draft a definition called ";
                (sign, "mysim", "writes it", InputKind::Draft)
            }
        };
        PromptInfo {
            sign,
            example,
            effect,
            input,
        }
    }

    /// Whether the prompt expects a filter expression.
    pub(crate) fn is_filter(self) -> bool {
        matches!(self, PromptKind::Filter | PromptKind::Compare)
    }

    /// True if the prompt reads keys from records.
    pub fn is_extraction(self) -> bool {
        matches!(self, PromptKind::Extraction | PromptKind::Typed(_))
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
    /// Letter or digit that picks the row.
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
    /// Concepts of the run that the record does not name.
    pub absent: Vec<&'static Concept>,
    /// Index of the row under the cursor.
    pub cursor: usize,
}

/// Row of the list of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRow {
    /// Letter or digit that picks the cell.
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

/// State of a popup; its commands stand in `update/popups/`.
pub trait PopupState {
    /// Keys and hints while the popup is open.
    fn focus(&self) -> Focus;

    /// Line editor, if the popup has one.
    fn line(&mut self) -> Option<&mut TextInput> {
        None
    }

    /// Cursor and number of rows, if the popup is a list.
    fn list(&mut self) -> Option<(&mut usize, usize)> {
        None
    }
}

/// Kind of popup, to get the open one.
pub trait PopupKind: Sized {
    /// The popup, if it is of the kind.
    fn of(popup: &Popup) -> Option<&Self>;

    /// The popup to change it, if it is of the kind.
    fn of_mut(popup: &mut Popup) -> Option<&mut Self>;
}

/// Defines the list of popups.
macro_rules! popups {
    ($($(#[$about:meta])* $popup:ident,)+) => {
        /// Popup above the view that takes the keys; at most one is open.
        #[derive(Clone, Debug)]
        pub enum Popup {
            $($(#[$about])* $popup($popup),)+
        }

        impl Deref for Popup {
            type Target = dyn PopupState;

            fn deref(&self) -> &(dyn PopupState + 'static) {
                match self {
                    $(Popup::$popup(popup) => popup,)+
                }
            }
        }

        impl DerefMut for Popup {
            fn deref_mut(&mut self) -> &mut (dyn PopupState + 'static) {
                match self {
                    $(Popup::$popup(popup) => popup,)+
                }
            }
        }

        $(
            impl From<$popup> for Popup {
                fn from(popup: $popup) -> Popup {
                    Popup::$popup(popup)
                }
            }

            impl PopupKind for $popup {
                fn of(popup: &Popup) -> Option<&$popup> {
                    match popup {
                        Popup::$popup(popup) => Some(popup),
                        _ => None,
                    }
                }

                fn of_mut(popup: &mut Popup) -> Option<&mut $popup> {
                    match popup {
                        Popup::$popup(popup) => Some(popup),
                        _ => None,
                    }
                }
            }
        )+
    };
}

popups! {
    /// Text prompt.
    Prompt,
    /// Picker: list with a search line.
    Picker,
    /// Pivot list.
    Pivot,
    /// Cells of a table row, to copy one.
    Cells,
}

impl PopupState for Prompt {
    fn focus(&self) -> Focus {
        Focus {
            keys: &[KeyScope::Prompt],
            hints: commands! { Open Back DeleteWord },
            labels: &[],
        }
    }

    fn line(&mut self) -> Option<&mut TextInput> {
        Some(&mut self.line)
    }
}

impl Pivot {
    /// Row under the cursor.
    pub fn current(&self) -> Option<&PivotRow> {
        self.rows.get(self.cursor)
    }
}

impl PopupState for Pivot {
    fn focus(&self) -> Focus {
        let keys = &[KeyScope::Pivot];
        match (self.purpose, self.scope) {
            (PivotPurpose::Copy, _) => Focus {
                keys,
                hints: commands! { Open Copy Back },
                labels: &[(Command::Open, "copy")],
            },
            (PivotPurpose::Keep, scope) => Focus {
                keys,
                hints: commands! {
                    Open PivotWhole PivotOut Highlight NextSame PrevSame Copy Back
                },
                labels: match scope {
                    PivotScope::WholeRun => &[
                        (Command::Open, "only these"),
                        (Command::PivotWhole, "only selected"),
                    ],
                    PivotScope::All | PivotScope::Selected => &[(Command::Open, "only these")],
                },
            },
        }
    }

    fn list(&mut self) -> Option<(&mut usize, usize)> {
        Some((&mut self.cursor, self.rows.len()))
    }
}

impl PopupState for Cells {
    fn focus(&self) -> Focus {
        Focus {
            keys: &[KeyScope::Picker],
            hints: commands! { Open Down Up Back },
            labels: &[(Command::Open, "copy")],
        }
    }

    fn list(&mut self) -> Option<(&mut usize, usize)> {
        Some((&mut self.cursor, self.rows.len()))
    }
}
