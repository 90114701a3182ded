//! What can be open above a view: a line being written, a list to pick from, the pivot list.

mod picker;

use crate::base::direction::Direction;
use crate::base::ids::SourceId;
use crate::query::{Completion, Expr, QueryError};
use crate::workspace::fetch::Place;

use crate::workspace::things::Thing;
use crate::workspace::written::Endings;

use super::keymap::KeyScope;

pub use picker::{HERE, Item, Picker, PickerGoal, PickerKind};

/// A line of text being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInput {
    /// The text.
    pub text: String,
    /// Byte at which the next character goes in.
    pub at: usize,
}

impl TextInput {
    /// A line with a text, its cursor at the end.
    pub fn of(text: &str) -> TextInput {
        TextInput {
            text: text.to_owned(),
            at: text.len(),
        }
    }

    /// Types a character.
    pub fn insert(&mut self, c: char) {
        self.text.insert(self.at, c);
        self.at += c.len_utf8();
    }

    /// Deletes the character before the cursor.
    pub fn delete_back(&mut self) {
        if let Some(c) = self.text[..self.at].chars().next_back() {
            self.at -= c.len_utf8();
            self.text.remove(self.at);
        }
    }

    /// Deletes the word before the cursor.
    pub fn delete_word(&mut self) {
        let before = self.text[..self.at].trim_end();
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |blank| blank + 1);
        self.text.replace_range(start..self.at, "");
        self.at = start;
    }

    /// Deletes all before the cursor.
    pub fn delete_to_start(&mut self) {
        self.text.replace_range(..self.at, "");
        self.at = 0;
    }

    /// Deletes all behind the cursor.
    pub fn delete_to_end(&mut self) {
        self.text.truncate(self.at);
    }

    /// Moves the cursor by one character.
    pub fn step(&mut self, direction: Direction) {
        let by = match direction {
            Direction::Forward => self.text[self.at..].chars().next(),
            Direction::Backward => self.text[..self.at].chars().next_back(),
        };
        let by = by.map_or(0, char::len_utf8);
        self.at = match direction {
            Direction::Forward => self.at + by,
            Direction::Backward => self.at - by,
        };
    }
}

/// What a line is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A filter.
    Filter,
    /// A filter: what is selected is compared with what fits.
    Compare,
    /// A time to go to.
    Goto,
    /// A search.
    Search,
    /// Words that the rows of a table must have.
    Rows,
    /// Seconds by which the times of this source are shifted.
    Shift(SourceId),
    /// A note to this record.
    Note(Place),
    /// The name of files to write, with one of these endings or none.
    Export(Endings),
    /// Names for what varies in messages or in values of a key, or a constant; see the joins' draft.
    Reading,
    /// The name of a first definition that is written.
    Draft,
}

/// What lines are written in: each has older ones of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Expressions.
    Filters,
    /// Texts and patterns that are searched for.
    Searches,
    /// Moments.
    Times,
    /// Of others nothing is remembered.
    Others,
}

impl PromptKind {
    /// Which older lines the arrows bring back.
    pub fn written(self) -> Written {
        match self {
            PromptKind::Filter | PromptKind::Compare => Written::Filters,
            PromptKind::Search => Written::Searches,
            PromptKind::Goto => Written::Times,
            PromptKind::Rows
            | PromptKind::Shift(_)
            | PromptKind::Note(_)
            | PromptKind::Export(_)
            | PromptKind::Reading
            | PromptKind::Draft => Written::Others,
        }
    }

    /// Whether an expression is written.
    pub fn is_filter(self) -> bool {
        matches!(self, PromptKind::Filter | PromptKind::Compare)
    }
}

/// What can come next in a line.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// The offers, the best first.
    pub items: Vec<Completion>,
    /// The one that is in the line now.
    pub chosen: Option<usize>,
    /// The line as it was typed.
    pub typed: TextInput,
}

/// A line being written at the bottom.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What for.
    pub kind: PromptKind,
    /// The line.
    pub line: TextInput,
    /// What is wrong with it.
    pub problem: Option<QueryError>,
    /// Which line of the history is shown, counted from the latest; 0 for none.
    pub recalled: usize,
    /// What can come next.
    pub offers: Offers,
    /// The step of the selection that the filter takes the place of.
    pub replaces: Option<usize>,
}

/// One line of the pivot list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PivotRow {
    /// The letter that picks it.
    pub letter: Option<char>,
    /// Name of the key.
    pub key: String,
    /// Word for the trail.
    pub label: String,
    /// The value.
    pub value: String,
    /// What it selects.
    pub expr: Expr,
    /// The thing that it is.
    pub thing: Option<Thing>,
    /// Records it would leave, when known.
    pub count: Option<usize>,
    /// Records of the whole run, when known.
    pub in_run: Option<usize>,
}

/// Among which records a row of the pivot list picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotScope {
    /// All there are: nothing is selected, so there is no choice.
    All,
    /// Those that are selected.
    Selected,
    /// All there are, in place of what is selected.
    WholeRun,
}

/// What is done with the row of the pivot list that a letter picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotUse {
    /// Only the records with its value are kept.
    Keep,
    /// Its value is copied.
    Copy,
}

/// The keys of the record under the cursor.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// What a letter does.
    pub purpose: PivotUse,
    /// Among which records.
    pub scope: PivotScope,
    /// The keys.
    pub rows: Vec<PivotRow>,
    /// The one under the cursor.
    pub cursor: usize,
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRow {
    /// The letter that picks it.
    pub letter: Option<char>,
    /// Title of its column.
    pub title: String,
    /// What it says.
    pub value: String,
}

/// The cells of the row under the cursor of a table.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The cells that say something.
    pub rows: Vec<CellRow>,
    /// The one under the cursor.
    pub cursor: usize,
}

/// What lies over the view and takes the keys; at most one at a time.
#[derive(Clone, Debug)]
pub enum Popup {
    /// A line being written.
    Prompt(Prompt),
    /// A list to pick from.
    Picker(Picker),
    /// The pivot list.
    Pivot(Pivot),
    /// The cells of a row, to copy one.
    Cells(Cells),
}

impl Popup {
    /// Where its keys are bound.
    pub fn scope(&self) -> KeyScope {
        match self {
            Popup::Prompt(_) => KeyScope::Prompt,
            Popup::Picker(_) | Popup::Cells(_) => KeyScope::Picker,
            Popup::Pivot(_) => KeyScope::Pivot,
        }
    }

    /// The line that is being written in it.
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
}
