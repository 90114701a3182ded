//! Line editor of prompts and pickers, with the keys of readline.

use unicode_segmentation::UnicodeSegmentation;

use widetui_core::direction::Direction;

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
    pub(crate) fn new(text: &str) -> TextInput {
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

    /// Deletes the text between the cursor and `byte`, and returns it.
    fn delete_to(&mut self, byte: usize) -> String {
        let range = byte.min(self.at)..byte.max(self.at);
        self.at = range.start;
        self.text.drain(range).collect()
    }

    /// Byte offset of the cursor moved by one grapheme cluster.
    fn next_grapheme(&self, direction: Direction) -> usize {
        let length = |grapheme: Option<&str>| grapheme.map_or(0, str::len);
        match direction {
            Direction::Forward => self.at + length(self.behind().graphemes(true).next()),
            Direction::Backward => self.at - length(self.before().graphemes(true).next_back()),
        }
    }

    /// Byte offset of the cursor moved to the end of the next word or the start of the previous one.
    fn next_word(&self, direction: Direction) -> usize {
        match direction {
            Direction::Forward => self.at + word_length(self.behind().graphemes(true), is_between),
            Direction::Backward => {
                self.at - word_length(self.before().graphemes(true).rev(), is_between)
            }
        }
    }

    /// Moves the cursor by one grapheme cluster.
    pub(crate) fn step(&mut self, direction: Direction) {
        self.at = self.next_grapheme(direction);
    }

    /// Moves the cursor to the end of the next word or the start of the previous one. Words consist of
    /// letters, digits and underscores.
    pub(crate) fn step_word(&mut self, direction: Direction) {
        self.at = self.next_word(direction);
    }

    /// Moves the cursor to the start of the line.
    pub(crate) fn go_to_start(&mut self) {
        self.at = 0;
    }

    /// Moves the cursor to the end of the line.
    pub(crate) fn go_to_end(&mut self) {
        self.at = self.text.len();
    }

    /// Inserts a text at the cursor.
    pub(crate) fn insert_text(&mut self, text: &str) {
        self.text.insert_str(self.at, text);
        self.at += text.len();
    }

    /// Deletes the grapheme cluster before or after the cursor.
    pub(crate) fn delete(&mut self, direction: Direction) {
        self.delete_to(self.next_grapheme(direction));
    }

    /// Deletes the word before the cursor, and blanks after it, and returns the text. Words end at any
    /// Unicode white space, including no-break spaces.
    pub(crate) fn delete_word(&mut self) -> String {
        let length = word_length(self.before().graphemes(true).rev(), is_blank);
        self.delete_to(self.at - length)
    }

    /// Deletes to the end of the next word, and returns the text. Words are those of [`step_word`](Self::step_word).
    pub(crate) fn delete_next_word(&mut self) -> String {
        self.delete_to(self.next_word(Direction::Forward))
    }

    /// Deletes the text before the cursor, and returns it.
    pub(crate) fn delete_to_start(&mut self) -> String {
        self.delete_to(0)
    }

    /// Deletes the text after the cursor, and returns it.
    pub(crate) fn delete_to_end(&mut self) -> String {
        self.delete_to(self.text.len())
    }
}

/// Length in bytes of a word with all that separates it from the cursor.
fn word_length<'a>(graphemes: impl Iterator<Item = &'a str>, separates: fn(&str) -> bool) -> usize {
    let mut graphemes = graphemes.peekable();
    let mut bytes = 0;
    while let Some(separator) = graphemes.next_if(|grapheme| separates(grapheme)) {
        bytes += separator.len();
    }
    let word = graphemes.take_while(|grapheme| !separates(grapheme));
    bytes + word.map(str::len).sum::<usize>()
}

/// Whether a grapheme cluster is white space.
fn is_blank(grapheme: &str) -> bool {
    grapheme.chars().all(char::is_whitespace)
}

/// Whether a grapheme cluster separates words of letters, digits and underscores.
fn is_between(grapheme: &str) -> bool {
    let mut chars = grapheme.chars();
    !chars.any(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_by_characters() {
        let mut line = TextInput::new("größe ist ");
        line.delete_word();
        assert_eq!(line, TextInput::new("größe "));
        (0..3).for_each(|_| line.step(Direction::Backward));
        line.delete(Direction::Backward);
        line.insert('s');
        assert_eq!(line.text, "grsße ");
        (0..9).for_each(|_| line.step(Direction::Forward));
        assert_eq!(line.at, line.text.len());
        (0..2).for_each(|_| line.step(Direction::Backward));
        line.delete_to_end();
        assert_eq!(line, TextInput::new("grsß"));
        line.step(Direction::Backward);
        line.delete_to_start();
        assert_eq!((line.text.as_str(), line.at), ("ß", 0));
        line.step(Direction::Forward);
        (0..20).for_each(|_| line.delete(Direction::Backward));
        assert_eq!(line, TextInput::default());
    }

    #[test]
    fn a_word_is_deleted_behind_any_white_space() {
        for blank in [
            "\u{a0}", "\u{3000}", "\u{1680}", "\u{2007}", "\u{2028}", "\u{205f}", "\u{85}",
        ] {
            let mut line = TextInput::new(&format!("größe{blank}日本{blank}{blank}"));
            line.delete_word();
            assert_eq!(line, TextInput::new(&format!("größe{blank}")), "{blank:?}");
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
        let mut line = TextInput::new(&text);
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
            line.delete(Direction::Backward);
            assert_eq!(line, TextInput::new(left));
        }
        let mut line = TextInput::new(&text);
        line.go_to(starts[1] + 1);
        assert_eq!(line.at, starts[1]);
        line.go_to(text.len() + 9);
        assert_eq!(line.at, text.len());
    }

    #[test]
    fn words_are_passed_and_deleted_as_in_readline() {
        let mut line = TextInput::new("parsl.task = 24 and größe_x");
        let mut places = Vec::new();
        for _ in 0..6 {
            line.step_word(Direction::Backward);
            places.push(line.at);
        }
        assert_eq!(places, [20, 16, 13, 6, 0, 0]);
        let mut places = Vec::new();
        for _ in 0..6 {
            line.step_word(Direction::Forward);
            places.push(line.at);
        }
        assert_eq!(places, [5, 10, 15, 19, line.text.len(), line.text.len()]);
        line.go_to(10);
        assert_eq!(line.delete_next_word(), " = 24");
        assert_eq!(line.delete_to_start(), "parsl.task");
        assert_eq!(line.text, " and größe_x");
        line.go_to_end();
        assert_eq!(line.delete_word(), "größe_x");
        line.insert_text("24");
        assert_eq!(line, TextInput::new(" and 24"));
        line.go_to_start();
        line.delete(Direction::Forward);
        assert_eq!(line.delete_to_end(), "and 24");
        line.delete(Direction::Forward);
        assert_eq!(line.delete_word() + &line.delete_next_word(), "");
    }

    proptest::proptest! {
        #[test]
        fn the_cursor_is_never_inside_a_character(
            text in "[a \u{a0}\u{301}\u{200d}\u{3000}é日👩🇩]{0,12}",
            edits in proptest::collection::vec(0..11u8, 0..30),
        ) {
            let mut line = TextInput::new(&text);
            for edit in edits {
                match edit {
                    0 => line.step(Direction::Forward),
                    1 | 2 => line.step(Direction::Backward),
                    3 => line.delete(Direction::Backward),
                    4 => drop(line.delete_word()),
                    6 => line.delete(Direction::Forward),
                    7 => line.step_word(Direction::Forward),
                    8 => line.step_word(Direction::Backward),
                    9 => drop(line.delete_next_word()),
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
