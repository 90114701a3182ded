//! Level at the start of a message, used if nothing else provides one: `[ERROR] lost`, `FATAL: lost`, `WARNING lost`.

use widetui_core::level::Level;

/// Lengths of the shortest and the longest such word, bytes: `INFO`, `CRITICAL`.
const WORD: std::ops::RangeInclusive<usize> = 4..=8;

/// Level and length of its prefix, bytes. Only whole words in capitals count, or in lower case before a colon, because
/// `Error` starts many sentences.
pub(crate) fn level(message: &[u8]) -> Option<(Level, usize)> {
    let (open, rest) = match message.strip_prefix(b"[") {
        Some(rest) => (1, rest),
        None => (0, message),
    };
    let len = rest.iter().take(10).take_while(|b| b.is_ascii_uppercase());
    let len = match len.count() {
        0 if open == 0 => return lower_case(message),
        len => len,
    };
    if !WORD.contains(&len) && &rest[..len] != b"WARN" {
        return None;
    }
    let ends = match (open, rest.get(len)) {
        (1, Some(b']')) => 1,
        (0, Some(b':' | b' ') | None) => 0,
        _ => return None,
    };
    let word = &rest[..len];
    // These may start a sentence in capitals or be other words.
    if matches!(word, b"NOTE" | b"FINE" | b"ALERT" | b"SUCCESS" | b"FAILURE") {
        return None;
    }
    Some((Level::parse(word)?, open + len + ends))
}

/// Level of a word in lower case before a colon and a blank, as C programs write it: `fatal: no such file`.
fn lower_case(message: &[u8]) -> Option<(Level, usize)> {
    let len = message
        .iter()
        .take(10)
        .take_while(|b| b.is_ascii_lowercase())
        .count();
    let is_whole = message[len..].starts_with(b": ");
    let word = &message[..len];
    let words: [&[u8]; 8] = [
        b"fatal",
        b"critical",
        b"error",
        b"warning",
        b"warn",
        b"notice",
        b"info",
        b"debug",
    ];
    let level = Level::parse(word).filter(|_| is_whole && words.contains(&word))?;
    Some((level, len))
}

/// Level with which every message with this first literal part starts.
pub(crate) fn of(literals: &[Box<[u8]>]) -> Option<Level> {
    Some(level(literals.first()?)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_are_levels_count() {
        let found = |text: &str| level(text.as_bytes()).map(|l| l.0);
        assert_eq!(found("[ERROR] lost"), Some(Level::Error));
        assert_eq!(found("FATAL: lost"), Some(Level::Critical));
        assert_eq!(found("WARNING lost"), Some(Level::Warning));
        assert_eq!(found("ERROR"), Some(Level::Error));
        assert_eq!(found("fatal: lost"), Some(Level::Critical));
        assert_eq!(found("notice: ready"), Some(Level::Notice));
        for text in [
            "Error: x",
            "ERRORS: 3",
            "[ERROR: x",
            "NOTE that",
            "LOG x",
            "",
            "[E] x",
            "WARNING_x",
            "error:x",
            "errors: 3",
            "trace: x",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
