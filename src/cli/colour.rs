//! Colours of text output: headings and severities.
//!
//! Commands mark the role of a text, and the writer of standard output alone turns marks into colours, so that a log cannot
//! contain any.

use std::sync::atomic::{AtomicBool, Ordering};

use widetui_core::level::Level;

use super::args::{Color, Format};

/// Role of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// Heading.
    Heading,
    /// Error.
    Error,
    /// Warning.
    Warning,
    /// Debug messages and the like.
    Faint,
}

/// Noncharacters, which Unicode reserves for use within programs: the first role, and the end of any.
const FIRST: u32 = 0xfdd0;
const END: char = '\u{fddf}';

const ROLES: [(TextRole, &str); 4] = [
    (TextRole::Heading, "\x1b[1m"),
    (TextRole::Error, "\x1b[31m"),
    (TextRole::Warning, "\x1b[33m"),
    (TextRole::Faint, "\x1b[2m"),
];
const PLAIN: &str = "\x1b[0m";

/// Whether text is coloured; false until [`choose`] is called.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Value of an environment variable that is set and not empty.
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether the terminal obeys escape sequences, according to `TERM`.
pub fn obeys_sequences() -> bool {
    variable("TERM").is_some_and(|term| term != "dumb")
}

/// Chooses whether output is coloured: text alone, by the option, or `auto` on a terminal with colours unless NO_COLOR is
/// set.
pub fn choose(color: Color, format: Format, is_terminal: bool) {
    let can = || is_terminal && variable("NO_COLOR").is_none() && obeys_sequences();
    let is_on = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => can(),
    };
    IS_ON.store(is_on && format == Format::Text, Ordering::Relaxed);
}

/// True if text is coloured.
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Text with the mark of its role.
pub fn paint(role: TextRole, text: &str) -> String {
    let number = ROLES.iter().position(|(known, _)| *known == role);
    let mark = number.and_then(|n| char::from_u32(FIRST + n as u32));
    match mark.filter(|_| is_on() && !text.is_empty()) {
        Some(mark) => format!("{mark}{text}{END}"),
        None => text.to_owned(),
    }
}

/// Text with the mark of a level.
pub fn of_level(level: Level, text: &str) -> String {
    match level {
        Level::Error | Level::Critical => paint(TextRole::Error, text),
        Level::Warning => paint(TextRole::Warning, text),
        _ => text.to_owned(),
    }
}

/// Piece of marked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text.
    Text(&'t str),
    /// Escape sequence that changes the colour.
    Colour(&'static str),
}

/// Pieces of a marked text; without colours there are no marks.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    match is_on() {
        true => marked_pieces(text),
        false => vec![Piece::Text(text)],
    }
}

fn marked_pieces(text: &str) -> Vec<Piece<'_>> {
    let of = |c: char| match c {
        END => Some(PLAIN),
        c => {
            let number = u32::from(c).checked_sub(FIRST)?;
            Some(ROLES.get(number as usize)?.1)
        }
    };
    let mut out = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if let Some(colour) = of(c) {
            out.push(Piece::Text(&text[from..at]));
            out.push(Piece::Colour(colour));
            from = at + c.len_utf8();
        }
    }
    out.push(Piece::Text(&text[from..]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_colours() {
        let found = marked_pieces("a\u{fdd1}b\u{fddf}");
        let colours = [
            Piece::Text("a"),
            Piece::Colour("\x1b[31m"),
            Piece::Text("b"),
        ];
        assert_eq!(found[..3], colours);
        assert_eq!(found[3..], [Piece::Colour(PLAIN), Piece::Text("")]);
        let plain = "plain \u{fdd4}";
        assert_eq!(marked_pieces(plain), [Piece::Text(plain)]);
    }
}
