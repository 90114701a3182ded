//! Colours of text for people, sparingly: headings, and how bad something is. Whoever writes says what a text is, and the one
//! place that writes to standard output makes colours of it, so that nothing of a log can be taken for one.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use widetui_core::level::Level;

use super::args::Color;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// Stands above others.
    Heading,
    /// An error.
    Bad,
    /// A warning.
    Doubtful,
    /// Seldom looked at.
    Faint,
}

/// Characters that no text has (Unicode keeps them free for use within programs): the first role, and the end of any.
const FIRST: u32 = 0xfdd0;
const END: char = '\u{fddf}';

const ROLES: [(TextRole, &str); 4] = [
    (TextRole::Heading, "\x1b[1m"),
    (TextRole::Bad, "\x1b[31m"),
    (TextRole::Doubtful, "\x1b[33m"),
    (TextRole::Faint, "\x1b[2m"),
];
const PLAIN: &str = "\x1b[0m";

/// Whether text is coloured; it is not before somebody chose so.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Settles whether text is coloured: as the option says; by itself on a terminal that can, unless NO_COLOR is set.
pub fn choose(color: Color) {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let can = || {
        let is_dumb = set("TERM").is_none_or(|term| term == "dumb");
        std::io::stdout().is_terminal() && set("NO_COLOR").is_none() && !is_dumb
    };
    let is_on = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => can(),
    };
    IS_ON.store(is_on, Ordering::Relaxed);
}

/// Whether text is coloured.
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// A text that is to look like what it is.
pub fn paint(role: TextRole, text: &str) -> String {
    let number = ROLES.iter().position(|(known, _)| *known == role);
    let mark = number.and_then(|n| char::from_u32(FIRST + n as u32));
    match mark.filter(|_| is_on() && !text.is_empty()) {
        Some(mark) => format!("{mark}{text}{END}"),
        None => text.to_owned(),
    }
}

/// What a level is.
pub fn of_level(level: Level, text: &str) -> String {
    match level {
        Level::Error | Level::Critical => paint(TextRole::Bad, text),
        Level::Warning => paint(TextRole::Doubtful, text),
        _ => text.to_owned(),
    }
}

/// A piece of what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text.
    Text(&'t str),
    /// What changes the colour from here on.
    Colour(&'static str),
}

/// The pieces of a text that may have painted ones in it.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
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
        let found = pieces("a\u{fdd1}b\u{fddf}");
        let colours = [
            Piece::Text("a"),
            Piece::Colour("\x1b[31m"),
            Piece::Text("b"),
        ];
        assert_eq!(found[..3], colours);
        assert_eq!(found[3..], [Piece::Colour(PLAIN), Piece::Text("")]);
        assert_eq!(pieces("plain \u{fdd4}"), [Piece::Text("plain \u{fdd4}")]);
    }
}
