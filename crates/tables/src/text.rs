//! Text on its way to the terminal: sanitised, measured, cut.
//!
//! A log may contain any bytes, including control sequences that move the cursor, set the title or reverse the reading
//! direction. Everything that is drawn passes through [`sanitise`]. Removed characters stay visible: an escape is `␛`,
//! a direction mark `<202E>`.

pub use widetui_core::words::grouped;

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use widetui_core::words::{push_code_point, push_sanitized};
use widetui_format::text::colours::without_colours;

/// Distance of tab stops, terminal columns.
const TAB: usize = 8;
/// Maximum number of combining marks of a grapheme; further marks are dropped.
const MARKS: usize = 3;

/// Replaces everything that a terminal interprets: tabs by spaces up to the next tab stop, other control characters by
/// their Unicode symbols, characters that reverse or hide text by their code points in angle brackets.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return Cow::Borrowed(text);
    }
    // Colour sequences are dropped: the screen has its own colours.
    let plain = text
        .contains("\x1b[")
        .then(|| String::from_utf8_lossy(&without_colours(text.as_bytes())).into_owned());
    let text = plain.as_deref().unwrap_or(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for grapheme in text.graphemes(true) {
        let start = out.len();
        let mut marks = 0;
        for c in grapheme.chars() {
            marks += usize::from(is_mark(c));
            if is_mark(c) && marks > MARKS {
                continue;
            }
            match c {
                '\t' => (0..TAB - column % TAB).for_each(|_| out.push(' ')),
                // A variation selector only chooses between text and emoji style; terminals disagree on its width.
                '\u{fe0e}' | '\u{fe0f}' => {}
                c => push_sanitized(&mut out, c),
            }
        }
        let mut width = out[start..].width();
        if width == 0 && out.len() > start {
            // A combining mark without a base character would combine with the text to its left.
            let lone: Vec<char> = out.drain(start..).collect();
            for c in lone {
                push_code_point(&mut out, c);
            }
            width = out[start..].width();
        }
        column += width;
    }
    Cow::Owned(out)
}

/// Whether a character combines with the one before it. Joiners do not: they are shown as code points.
fn is_mark(c: char) -> bool {
    c.width() == Some(0) && c != '\u{200d}'
}

/// Width of a text, terminal columns.
pub fn width(text: &str) -> usize {
    sanitise(text).width()
}

/// Byte offset at which a terminal column of a text begins; its length if it is narrower.
pub fn byte_of_column(text: &str, column: usize) -> usize {
    let mut before = 0;
    for (at, part) in text.grapheme_indices(true) {
        if before >= column {
            return at;
        }
        before += width(part);
    }
    text.len()
}

/// Cuts a sanitised text to a width, with `…` in the last column if anything was cut.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns || text.width() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut used = 0;
    let mut end = 0;
    for grapheme in text.graphemes(true) {
        let width = grapheme.width();
        if used + width > columns - 1 {
            break;
        }
        used += width;
        end += grapheme.len();
    }
    Cow::Owned(format!("{}…", &text[..end]))
}

/// Cuts a text as [`cut`] does, after a whole word if that leaves most of the room in use.
pub fn cut_words(text: &str, columns: usize) -> Cow<'_, str> {
    let Cow::Owned(shown) = cut(text, columns) else {
        return cut(text, columns);
    };
    let kept = shown.trim_end_matches('…');
    let word = whole_words(kept, text, columns / 2);
    match word.len() == kept.len() {
        true => Cow::Owned(shown),
        false => Cow::Owned(format!("{word} …")),
    }
}

/// True for a part of a word; numbers and names with marks may be cut anywhere.
fn is_of_word(part: &str) -> bool {
    part.chars().all(|c| c.is_alphabetic() || c == '_')
}

/// The start of a text up to the end of a word, of `least` columns or more; `start` itself if there is none.
fn whole_words<'t>(start: &'t str, text: &str, least: usize) -> &'t str {
    let is_whole = text
        .get(start.len()..)
        .is_none_or(|rest| rest.starts_with(' '));
    let word = start
        .rsplit_once(' ')
        .filter(|(_, part)| !is_whole && is_of_word(part));
    let word = word
        .map(|(word, _)| word)
        .map(|word| word.trim_end_matches([' ', ',', '·']));
    word.filter(|word| width(word) >= least.max(1))
        .unwrap_or(start)
}

/// Joins as many parts of a remark with ` · ` as have room, the first ones; the next one is cut if most of it has room.
pub fn fitting_parts(parts: &[String], columns: usize) -> String {
    let mut out = String::new();
    for part in parts.iter().flat_map(|part| part.split(" · ")) {
        let between = if out.is_empty() { "" } else { " · " };
        let left = columns.saturating_sub(width(&out) + width(between));
        let is_whole = width(part) <= left;
        if !is_whole && !out.is_empty() && left < width(part).min(PART) {
            break;
        }
        out.push_str(between);
        out.push_str(&cut_words(part, left));
        if !is_whole {
            break;
        }
    }
    out
}

/// Room from which on a long part of a remark is shown cut, terminal columns.
const PART: usize = 16;

/// Cuts a text to a width at its start: `…` and its end.
pub fn cut_start(text: &str, columns: usize) -> String {
    let text = sanitise(text);
    let total = text.width();
    if total <= columns {
        return text.into_owned();
    }
    match columns {
        0 => String::new(),
        _ => format!("…{}", skip_columns(&text, total - columns + 1)),
    }
}

/// Returns the text after its first `skip` columns; half a wide character becomes a space.
pub fn skip_columns(text: &str, skip: usize) -> String {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        if used >= skip {
            return " ".repeat(used - skip) + &text[at..];
        }
        used += grapheme.width();
    }
    String::new()
}

/// Cuts a text to a width in its middle, between words if it has any: names of sources differ at their ends.
pub fn cut_middle(text: &str, columns: usize) -> String {
    let clean = sanitise(text);
    if width(&clean) <= columns || columns < 3 {
        return cut(&clean, columns).into_owned();
    }
    let start = (columns - 1) / 3;
    let head: String = cut(&clean, start + 1).trim_end_matches('…').to_owned();
    let word = whole_words(&head, &clean, 3);
    let is_whole = word.len() < head.len()
        || clean
            .get(word.len()..)
            .is_some_and(|rest| rest.starts_with(' '));
    let head = if is_whole { format!("{word} ") } else { head };
    let tail = cut_start(&clean, columns - width(&head));
    // A tail that begins within a word loses the rest of it; the start takes its room.
    let part = tail.split(' ').next().unwrap_or_default();
    let is_part = part.starts_with('…') && is_of_word(part.trim_start_matches('…'));
    let words = tail.find(' ').filter(|_| is_part);
    match words.and_then(|at| tail.get(at..)) {
        Some(words) if width(words) + 2 <= columns => {
            let room = columns - (width(words) + 2);
            let head = cut(&clean, room + 1).trim_end_matches('…').to_owned();
            format!("{} …{words}", whole_words(&head, &clean, 3).trim_end())
        }
        _ => format!("{head}{tail}"),
    }
}

/// Cuts texts to a width by `cut`; of different texts that would be equal, the words in which they differ are kept.
pub fn cut_apart(texts: &[&str], columns: usize, cut: fn(&str, usize) -> String) -> Vec<String> {
    let shown: Vec<String> = texts.iter().map(|text| cut(text, columns)).collect();
    let apart = |(text, own): (&&str, &String)| {
        let alike =
            { texts.iter().zip(&shown) }.filter(|(other, shown)| *shown == own && *other != text);
        let differs = alike.map(|(other, _)| common_start(text, other)).min();
        differs.map_or_else(|| own.clone(), |at| from_difference(text, at, columns))
    };
    texts.iter().zip(&shown).map(apart).collect()
}

/// Length of the words with which both texts begin, bytes.
fn common_start(text: &str, other: &str) -> usize {
    let words = text.split_inclusive(' ').zip(other.split_inclusive(' '));
    words
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len())
        .sum()
}

/// Cuts a text before the words at a byte offset, and at its end: `first word …words`.
fn from_difference(text: &str, at: usize, columns: usize) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let head = match width(first) < columns / 3 && first.len() < at {
        true => format!("{first} …"),
        false => "…".to_owned(),
    };
    let rest = text.get(at..).unwrap_or_default();
    match at {
        0 => cut_words(text, columns).into_owned(),
        _ => format!(
            "{head}{}",
            cut_words(rest, columns.saturating_sub(width(&head)))
        ),
    }
}

/// Breaks a sanitised text into lines of at most `columns` terminal columns, between words unless that leaves a large
/// gap.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut out = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    let mut blank: Option<usize> = None;
    for grapheme in text.graphemes(true) {
        let width = grapheme.width();
        if used + width > columns {
            let rest = match blank {
                Some(at) if at > columns / 2 => line.split_off(at),
                _ => String::new(),
            };
            out.push(std::mem::replace(&mut line, rest));
            used = line.width();
            blank = None;
        }
        line.push_str(grapheme);
        used += width;
        if grapheme == " " {
            blank = Some(line.len());
        }
    }
    out.push(line);
    out
}

/// Size with a decimal unit: `812 B`, `4.2 kB`, `1.3 GB`.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    match unit {
        "B" => format!("{bytes} B"),
        _ if value < 9.95 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_core::words::is_format_control;

    #[test]
    fn control_characters_become_visible() {
        for (text, shown) in [
            ("plain", "plain"),
            ("\x1b[2Jx\x07", "␛[2Jx␇"),
            ("a \x1b[1;31mred\x1b[0m word", "a red word"),
            ("\x1b[\x1b[0m1m", "␛[1m"),
            ("👨\u{200d}👩", "👨<200D>👩"),
            ("a\tb", "a       b"),
            ("\r\n", "␍␊"),
            ("\u{9b}31m", "<9B>31m"),
            ("user\u{202e}gnp.exe", "user<202E>gnp.exe"),
            ("zero\u{200b}width", "zero<200B>width"),
            ("\u{301}x", "<301>x"),
            ("日本 e\u{301}", "日本 e\u{301}"),
            ("⚠\u{fe0f} hot", "⚠ hot"),
        ] {
            assert_eq!(sanitise(text), shown, "{text:?}");
        }
    }

    #[test]
    fn columns_are_found_in_texts_of_wide_letters() {
        assert_eq!(byte_of_column("abc", 2), 2);
        assert_eq!(byte_of_column("日本", 2), 3);
        // A column in the middle of a wide character maps to the next character.
        assert_eq!(byte_of_column("日本", 1), 3);
        assert_eq!(byte_of_column("e\u{301}x", 1), 3);
        assert_eq!(byte_of_column("abc", 9), 3);
    }

    #[test]
    fn texts_are_cut_by_columns() {
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 0), "");
        assert_eq!(cut_words("a name of words", 12), "a name of …");
        assert_eq!(cut_words("a name of words", 9), "a name …");
        assert_eq!(cut_words("rundir, executor", 12), "rundir …");
        assert_eq!(cut_words("htex_local-1", 8), "htex_lo…");
        let step = "Task {} changing state from pending to launched";
        assert_eq!(cut_middle(step, 38), "Task {} … from pending to launched");
        let step = "Task {} has outstanding dependencies, so launch_if_ready skipping";
        assert_eq!(cut_middle(step, 31), "Task {} has … skipping");
        assert_eq!(cut_middle("worker-demeter-12", 9), "wo…ter-12");
        let alike = [
            "Normal ending for first_message on thread Main",
            "Normal ending for last_message on thread Main",
            "a",
        ];
        assert_eq!(
            cut_apart(&alike, 28, cut_middle),
            [
                "Normal …first_message on …",
                "Normal …last_message on …",
                "a"
            ]
        );
        assert_eq!(cut_words("action a76cebbf", 12), "action a76c…");
        let parts = ["6 rows", "a · b", "a long one"].map(str::to_owned);
        assert_eq!(fitting_parts(&parts, 16), "6 rows · a · b");
        assert_eq!(fitting_parts(&parts[2..], 7), "a long…");
        assert_eq!(cut_start("/a/long/path", 6), "…/path");
        assert_eq!(skip_columns("日本語", 3), " 語");
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(size(4_215), "4.2 kB");
    }

    fn harmless(c: char) -> bool {
        !c.is_control() && !is_format_control(c)
    }

    #[test]
    fn half_of_a_wide_character_is_no_end_of_a_word() {
        assert_eq!(cut_middle("!\u{a490}\u{fffc}", 3), "… \u{fffc}");
    }

    proptest! {
        #[test]
        fn no_control_character_remains(text in "\\PC*|[\u{0}-\u{2fff}\u{fe00}-\u{ffff}\u{1d170}-\u{1d180}\u{e0000}-\u{e0200}]{0,40}") {
            let clean = sanitise(&text);
            prop_assert!(clean.chars().all(harmless), "{:?}", clean);
        }

        #[test]
        fn a_cut_text_fits(text in "\\PC{0,60}", columns in 0usize..50) {
            let clean = sanitise(&text);
            prop_assert!(cut(&clean, columns).width() <= columns);
            prop_assert!(cut_start(&clean, columns).width() <= columns);
            prop_assert!(cut_words(&clean, columns).width() <= columns);
            prop_assert!(cut_middle(&clean, columns).width() <= columns);
            for piece in wrap(&clean, columns) { // A single character wider than the limit is a line of its own.
                prop_assert!(piece.width() <= columns.max(2) || piece.graphemes(true).count() == 1, "{:?}", piece); }
            prop_assert_eq!(wrap(&clean, columns).concat(), clean);
        }
    }
}
