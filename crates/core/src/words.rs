//! Formatting of numbers, lists, lines and characters for display.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Formats a number with thousands separators: `12,041`.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Formats a list with at most `at_most` names: `a, b and 3 more`.
#[must_use]
pub fn listed(names: &[String], at_most: usize) -> String {
    let mut parts: Vec<String> = names.iter().take(at_most).cloned().collect();
    let more = names.len() - parts.len();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    match parts.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// Whether a character is invisible or changes how adjacent characters are displayed (Unicode format controls), so that
/// it must be shown as its code point.
#[must_use]
pub fn is_format_control(c: char) -> bool {
    matches!(u32::from(c),
        0x80..=0x9f | 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202f | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0d | 0xfeff | 0xffa0
        | 0xfdd0..=0xfdef | 0xfff0..=0xfffb | 0x1_d173..=0x1_d17a | 0xe_0000..=0xe_0fff)
}

/// True if a character is a Unicode bidirectional control, which reorders the text around it.
#[must_use]
pub fn is_bidirectional_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// True for characters that output for programs must not contain, as it may end on a terminal: control characters except
/// line feed and tab, and bidirectional controls. Other invisible characters are part of scripts and emoji.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || is_bidirectional_control(c)
}

/// Text without [unprintable](is_unprintable) characters: these are made visible as by [`push_sanitized`].
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) || !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_unprintable(c) {
            true => push_sanitized(&mut out, c),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Appends a character so that no terminal interprets it: a control character as its Unicode symbol (`␛`), an invisible
/// or bidirectional control as its code point (`<202E>`), any other unchanged.
pub fn push_sanitized(out: &mut String, c: char) {
    match c {
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\u{7f}' => out.push('␡'),
        c if is_format_control(c) => push_code_point(out, c),
        c => out.push(c),
    }
}

/// Appends the code point of a character: `<202E>`.
pub fn push_code_point(out: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "<{:02X}>", u32::from(c));
}

/// Name of a key without its system, as words: `parsl.task_id` becomes `task id`.
pub fn key_words(key: &str) -> String {
    let word = key.split_once('.').map_or(key, |(_, rest)| rest);
    word.replace('_', " ")
}

/// Plural of an English noun by the regular rules: `tasks`, `tries`, `batches`.
#[must_use]
pub fn plural(word: &str) -> String {
    let stem = word.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh") => {
            format!("{word}es")
        }
        None => format!("{word}s"),
    }
}

/// Last part of a dotted name: `task` of `parsl.task`.
#[must_use]
pub fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Last part of a dotted name as words: `executor task` of `parsl.executor_task`.
#[must_use]
pub fn name_words(name: &str) -> String {
    last_part(name).replace('_', " ")
}

/// Formats an identifier as `key=value` pairs joined by `between`.
#[must_use]
pub fn id_words(id: &[(String, String)], between: &str) -> String {
    let pairs: Vec<String> = id.iter().map(|(k, v)| format!("{k}={v}")).collect();
    pairs.join(between)
}

/// Formats a count with its noun: `1 task`, `12,041 tasks`.
#[must_use]
pub fn several(n: usize, word: &str) -> String {
    match n {
        1 => format!("1 {word}"),
        n => format!("{} {}", grouped(n as u64), plural(word)),
    }
}

/// Truncates a text to `at_most` characters plus an ellipsis.
#[must_use]
pub fn cut(text: &str, at_most: usize) -> String {
    match text.char_indices().nth(at_most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Truncates the middle of a text to about `at_most` characters with an ellipsis. A quarter of them is kept from the
/// end, where long messages differ (an exit code, the output of a command).
#[must_use]
pub fn truncate_middle(text: &str, at_most: usize) -> String {
    let chars = text.chars().count();
    if chars <= at_most {
        return text.to_owned();
    }
    let behind = at_most / 4;
    let at = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |c| c.0);
    let (before, rest) = (&text[..at(at_most - behind)], &text[at(chars - behind)..]);
    // Starts the kept end at a word, if it has several.
    let whole = rest.split_once(' ').map_or(rest, |(_, whole)| whole);
    format!("{before}… {whole}")
}

/// Splits a text into display lines; the first line is included even if empty. A lone carriage return also begins a
/// line: progress bars write all their states into one line of a file, each of which overwrites the previous one on a
/// terminal.
pub fn shown_lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split('\n').flat_map(|line| {
        let line = line.trim_end_matches('\r');
        let begins_anew = line.contains('\r');
        let states = line.split('\r');
        states.filter(move |state| !begins_anew || !state.is_empty())
    })
}

/// Whether a word of a text begins so: `sending` does not begin with `ending`.
pub fn begins_a_word(text: &str, start: &str) -> bool {
    let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
    text.match_indices(start).any(|(at, _)| is_start(at))
}

/// Values with `between` between them; a bracket that it opens is closed: `7[3]`.
pub fn bracketed(values: &[String], between: &str) -> String {
    let joined = values.join(between);
    match between {
        "[" if values.len() > 1 => joined + "]",
        _ => joined,
    }
}

/// Word quoted for a shell if it contains special characters.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{begins_a_word, cut, grouped, listed, plural, several, shell_word, shown_lines};

    #[test]
    fn words_are_found_at_their_beginnings() {
        assert!(begins_a_word("peer connected", "connect"));
        assert!(begins_a_word("(disconnected)", "disconnect"));
        assert!(!begins_a_word("disconnected", "connect") && !begins_a_word("setup", "up"));
    }

    #[test]
    fn lists_read_well() {
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        assert_eq!(listed(&names, 5), "a, b and c");
        assert_eq!(listed(&names, 2), "a, b and 1 more");
        assert_eq!(listed(&names[..1], 2), "a");
    }

    #[test]
    fn several_things_are_named_by_the_usual_rules() {
        let words = [
            "batch", "process", "entity", "key", "worker", "try", "day", "task", "box", "push",
        ];
        assert_eq!(
            words.map(plural),
            [
                "batches",
                "processes",
                "entities",
                "keys",
                "workers",
                "tries",
                "days",
                "tasks",
                "boxes",
                "pushes"
            ]
        );
        let counts = [0, 1, 12_041].map(|n| several(n, "batch"));
        assert_eq!(counts, ["0 batches", "1 batch", "12,041 batches"]);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("naïve", 3), "naï…");
        assert_eq!(cut("naïve", 5), "naïve");
    }

    #[test]
    fn states_of_a_progress_bar_are_lines() {
        let lines = |text| shown_lines(text).collect::<Vec<_>>();
        assert_eq!(lines("a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(
            lines("\r 0%\r 50%\r100%\r\ndone"),
            [" 0%", " 50%", "100%", "done"]
        );
        assert_eq!(lines(""), [""]);
    }

    #[test]
    fn thousands_are_grouped() {
        let all = [0, 999, 1_000, 12_041, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,041", "1,000,000"]);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_word("runs/a.log"), "runs/a.log");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a b$x"), "'a b$x'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
    }
}
