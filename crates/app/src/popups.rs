//! What can be open above a view: a line being written, a list to pick from, the pivot list.

mod picker;

use unicode_segmentation::UnicodeSegmentation;

use widetui_core::direction::Direction;
use widetui_core::ids::SourceId;
use widetui_query::{Completion, Expr, QueryError};
use widetui_session::export_files::Endings;
use widetui_session::instances::Thing;
use widetui_session::record_texts::Place;

use super::keymap::KeyScope;

pub use picker::{HERE, Item, Picker, PickerGoal, PickerKind};

/// A line of text being written. The cursor moves and deletes by grapheme clusters: what a reader takes for one character may
/// be several (a letter with its accents, a flag), and any of them may have several bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInput {
    /// The text.
    pub text: String,
    /// Byte at which the next character goes in: always the start of a character, or the end of the text.
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

    /// Puts the cursor at a byte; to the start of the grapheme cluster that the byte is in.
    pub fn go_to(&mut self, byte: usize) {
        let starts = self.text.grapheme_indices(true).map(|(at, _)| at);
        let starts = starts.chain([self.text.len()]);
        self.at = starts.take_while(|at| *at <= byte).last().unwrap_or(0);
    }

    /// The text before the cursor.
    pub fn before(&self) -> &str {
        self.text.get(..self.at).unwrap_or(&self.text)
    }

    /// The text behind the cursor.
    fn behind(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Types a character.
    pub fn insert(&mut self, c: char) {
        self.text.insert(self.at, c);
        self.at += c.len_utf8();
    }

    /// Deletes so many bytes before the cursor.
    fn delete_before(&mut self, bytes: usize) {
        let start = self.at - bytes;
        self.text.replace_range(start..self.at, "");
        self.at = start;
    }

    /// Deletes the grapheme cluster before the cursor.
    pub fn delete_back(&mut self) {
        let last = self.before().graphemes(true).next_back();
        self.delete_before(last.map_or(0, str::len));
    }

    /// Deletes the word before the cursor, and the blanks behind it. Whatever Unicode calls white space ends a word, so also a
    /// no-break space.
    pub fn delete_word(&mut self) {
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

    /// Deletes all before the cursor.
    pub fn delete_to_start(&mut self) {
        self.delete_before(self.at);
    }

    /// Deletes all behind the cursor.
    pub fn delete_to_end(&mut self) {
        self.text.truncate(self.at);
    }

    /// Moves the cursor by one grapheme cluster.
    pub fn step(&mut self, direction: Direction) {
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
