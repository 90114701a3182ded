//! Popups above a view: text prompt, picker, pivot list and list of cells.

mod picker;

use unicode_segmentation::UnicodeSegmentation;

use widetui_core::direction::Direction;
use widetui_core::ids::SourceId;
use widetui_query::{Completion, Expr, QueryError};
use widetui_session::export_files::FileExtensions;
use widetui_session::instances::InstanceHandle;
use widetui_session::record_texts::Place;

use super::keymap::KeyScope;

pub use picker::{HERE, Item, ItemAction, Picker, PickerKind};

/// Line editor. The cursor moves and deletes by grapheme cluster: one visible character may consist
/// of several code points (a letter with accents, a flag), and each of these of several bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInput {
    /// Text of the line.
    pub text: String,
    /// Byte offset of the cursor: always at a character boundary or the end of the text.
    pub(crate) at: usize,
}

impl TextInput {
    /// Line with a text and the cursor at its end.
    pub(crate) fn of(text: &str) -> TextInput {
        TextInput {
            text: text.to_owned(),
            at: text.len(),
        }
    }

    /// Moves the cursor to the start of the grapheme cluster that contains `byte`.
    pub(crate) fn go_to(&mut self, byte: usize) {
        let starts = self.text.grapheme_indices(true).map(|(at, _)| at);
        let starts = starts.chain([self.text.len()]);
        self.at = starts.take_while(|at| *at <= byte).last().unwrap_or(0);
    }

    /// Text before the cursor.
    pub fn before(&self) -> &str {
        self.text.get(..self.at).unwrap_or(&self.text)
    }

    /// Text after the cursor.
    fn behind(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Inserts a character at the cursor.
    pub(crate) fn insert(&mut self, c: char) {
        self.text.insert(self.at, c);
        self.at += c.len_utf8();
    }

    /// Deletes `bytes` bytes before the cursor.
    fn delete_before(&mut self, bytes: usize) {
        let start = self.at - bytes;
        self.text.replace_range(start..self.at, "");
        self.at = start;
    }

    /// Deletes the grapheme cluster before the cursor.
    pub(crate) fn delete_back(&mut self) {
        let last = self.before().graphemes(true).next_back();
        self.delete_before(last.map_or(0, str::len));
    }

    /// Deletes the word before the cursor, and blanks after it. Words end at any Unicode white
    /// space, including no-break spaces.
    pub(crate) fn delete_word(&mut self) {
        let is_blank = |grapheme: &&str| grapheme.chars().all(char::is_whitespace);
        let mut last = self.before().graphemes(true).rev().peekable();
        let mut bytes = 0;
        while let Some(blank) = last.next_if(is_blank) {
            bytes += blank.len();
        }
        let word = last.take_while(|grapheme| !is_blank(grapheme));
        bytes += word.map(str::len).sum::<usize>();
        self.delete_before(bytes);
    }

    /// Deletes the text before the cursor.
    pub(crate) fn delete_to_start(&mut self) {
        self.delete_before(self.at);
    }

    /// Deletes the text after the cursor.
    pub(crate) fn delete_to_end(&mut self) {
        self.text.truncate(self.at);
    }

    /// Moves the cursor by one grapheme cluster.
    pub(crate) fn step(&mut self, direction: Direction) {
        self.at = match direction {
            Direction::Forward => {
                let next = self.behind().graphemes(true).next();
                self.at + next.map_or(0, str::len)
            }
            Direction::Backward => {
                let last = self.before().graphemes(true).next_back();
                self.at - last.map_or(0, str::len)
            }
        };
    }
}

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

/// Category of prompt input; each category has its own input history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputHistory {
    /// Expressions.
    Filters,
    /// Search texts and patterns.
    Searches,
    /// Times.
    Times,
    /// Input without a history.
    Others,
}

impl PromptKind {
    /// Input history that the prompt offers.
    pub(crate) fn history(self) -> InputHistory {
        match self {
            PromptKind::Filter | PromptKind::Compare => InputHistory::Filters,
            PromptKind::Search => InputHistory::Searches,
            PromptKind::Goto => InputHistory::Times,
            PromptKind::Rows
            | PromptKind::Shift(_)
            | PromptKind::Note(_)
            | PromptKind::Export(_)
            | PromptKind::Extraction
            | PromptKind::Draft => InputHistory::Others,
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
    /// Scope of the keymap for the popup.
    pub fn scope(&self) -> KeyScope {
        match self {
            Popup::Prompt(_) => KeyScope::Prompt,
            Popup::Picker(_) | Popup::Cells(_) => KeyScope::Picker,
            Popup::Pivot(_) => KeyScope::Pivot,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_by_characters() {
        let mut line = TextInput::of("größe ist ");
        line.delete_word();
        assert_eq!(line, TextInput::of("größe "));
        (0..3).for_each(|_| line.step(Direction::Backward));
        line.delete_back();
        line.insert('s');
        assert_eq!(line.text, "grsße ");
        (0..9).for_each(|_| line.step(Direction::Forward));
        assert_eq!(line.at, line.text.len());
        (0..2).for_each(|_| line.step(Direction::Backward));
        line.delete_to_end();
        assert_eq!(line, TextInput::of("grsß"));
        line.step(Direction::Backward);
        line.delete_to_start();
        assert_eq!((line.text.as_str(), line.at), ("ß", 0));
        line.step(Direction::Forward);
        (0..20).for_each(|_| line.delete_back());
        assert_eq!(line, TextInput::default());
    }

    #[test]
    fn a_word_is_deleted_behind_any_white_space() {
        for blank in [
            "\u{a0}", "\u{3000}", "\u{1680}", "\u{2007}", "\u{2028}", "\u{205f}", "\u{85}",
        ] {
            let mut line = TextInput::of(&format!("größe{blank}日本{blank}{blank}"));
            line.delete_word();
            assert_eq!(line, TextInput::of(&format!("größe{blank}")), "{blank:?}");
            line.delete_word();
            assert_eq!(line, TextInput::default(), "{blank:?}");
            line.delete_word();
            assert_eq!(line, TextInput::default(), "{blank:?}");
        }
    }

    #[test]
    fn a_grapheme_cluster_is_one_character() {
        let (accented, family, flag) = ("e\u{301}", "👨\u{200d}👩\u{200d}👧", "🇩🇪");
        let text = format!("a{accented}{family}{flag}");
        let mut line = TextInput::of(&text);
        let mut places = vec![line.at];
        for _ in 0..4 {
            line.step(Direction::Backward);
            places.push(line.at);
        }
        let starts = [accented, family, flag].map(|c| text.find(c).unwrap());
        assert_eq!(places, [text.len(), starts[2], starts[1], starts[0], 0]);
        for at in places.into_iter().rev() {
            assert_eq!(line.at, at);
            line.step(Direction::Forward);
        }
        for left in [&text[..starts[2]], &text[..starts[1]], "a", ""] {
            line.delete_back();
            assert_eq!(line, TextInput::of(left));
        }
        let mut line = TextInput::of(&text);
        line.go_to(starts[1] + 1);
        assert_eq!(line.at, starts[1]);
        line.go_to(text.len() + 9);
        assert_eq!(line.at, text.len());
    }

    proptest::proptest! {
        #[test]
        fn the_cursor_is_never_inside_a_character(
            text in "[a \u{a0}\u{301}\u{200d}\u{3000}é日👩🇩]{0,12}",
            edits in proptest::collection::vec(0..7u8, 0..30),
        ) {
            let mut line = TextInput::of(&text);
            for edit in edits {
                match edit {
                    0 => line.step(Direction::Forward),
                    1 | 2 => line.step(Direction::Backward),
                    3 => line.delete_back(),
                    4 => line.delete_word(),
                    5 => line.insert('\u{301}'),
                    _ => line.go_to(text.len() / 2),
                }
                proptest::prop_assert!(line.text.is_char_boundary(line.at), "{:?}", line);
                proptest::prop_assert_eq!(line.before().len(), line.at);
            }
            line.delete_to_end();
            line.delete_to_start();
            proptest::prop_assert_eq!(line, TextInput::default());
        }
    }
}
