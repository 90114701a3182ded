//! Words and delimiters of headers, and what they look like; for `header`.

use crate::base::level::Level;

/// A line and how much of it was read.
pub(super) type LineAt<'a> = (&'a [u8], usize);

/// The blanks of a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blanks {
    /// As many in each line.
    Alike,
    /// They vary in number.
    Varying,
}

/// As a part of a pattern.
pub(super) fn literal(delimiter: &[u8], blanks: Blanks) -> String {
    let mut out = String::new();
    for b in delimiter {
        match b {
            b' ' if blanks == Blanks::Varying => out.push_str("{:pad}"),
            b'{' => out.push_str("{{"),
            b'}' => out.push_str("}}"),
            b => out.push(char::from(*b)),
        }
    }
    out
}

/// Whether some are nearly all: one in twenty may differ.
pub(super) fn nearly(some: usize, all: usize) -> bool {
    all > 0 && some * 100 >= all * 95
}

/// How many pass a test.
pub(super) fn count_of<T>(all: &[T], test: impl Fn(&T) -> bool) -> usize {
    all.iter().filter(|x| test(x)).count()
}

/// The delimiter of nearly all, blanks in a row taken as one.
pub(super) fn usual<'a>(all: impl Iterator<Item = &'a [u8]> + Clone) -> Option<(Vec<u8>, Blanks)> {
    let mut counts: Vec<(Vec<u8>, usize)> = Vec::new();
    for one in all.clone() {
        let one = squeezed(one);
        match counts.iter_mut().find(|c| c.0 == one) {
            Some(count) => count.1 += 1,
            None => counts.push((one, 1)),
        }
    }
    let number = all.clone().count();
    let (delimiter, count) = counts.into_iter().max_by_key(|c| c.1)?;
    // Only what stands for the same delimiter tells whether blanks vary.
    let mut same = all.filter(|d| squeezed(d) == delimiter);
    let first = same.next()?;
    let padded = delimiter.contains(&b' ')
        && (first.windows(2).any(|w| w == b"  ") || same.any(|d| d != first));
    let blanks = match padded {
        true => Blanks::Varying,
        false => Blanks::Alike,
    };
    (count * 100 >= number * 90 && !delimiter.is_empty()).then_some((delimiter, blanks))
}

/// With one blank for several.
pub(super) fn squeezed(delimiter: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(delimiter.len());
    for b in delimiter {
        if !(*b == b' ' && out.last() == Some(&b' ')) {
            out.push(*b);
        }
    }
    out
}

/// The bytes from here on that belong to no word, up to and with an opening bracket.
pub(super) fn delimiter_of((line, at): LineAt<'_>) -> &[u8] {
    let rest = line.get(at..).unwrap_or_default();
    let mut end = 0;
    while let Some(b) = rest.get(end) {
        if b.is_ascii_alphanumeric() || *b >= 0x80 || matches!(b, b'_' | b'.' | b'$') {
            break;
        }
        end += 1;
        if matches!(b, b'[' | b'(' | b'<') {
            break;
        }
    }
    &rest[..end]
}

/// The word that begins here: letters, digits, `_ . $ @`, and `-` inside.
pub(super) fn word_at((line, at): LineAt<'_>) -> &[u8] {
    let rest = line.get(at..).unwrap_or_default();
    let is_inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@');
    let mut end = 0;
    while let Some(b) = rest.get(end) {
        let dash =
            *b == b'-' && end > 0 && rest.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !is_inside(b) && !dash {
            break;
        }
        end += 1;
    }
    &rest[..end]
}

/// A level; of one letter only in capitals.
pub(super) fn is_level(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let letter = text.len() != 1 || text[0].is_ascii_uppercase();
    letter && Level::parse(text).is_some()
}

/// Digits only.
pub(super) fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Begins like a name.
pub(super) fn is_name(text: &[u8]) -> bool {
    text.len() > 1 && text.first().is_some_and(u8::is_ascii_alphabetic)
}

/// `name.py`, `name.cc`: a file of code.
pub(super) fn is_file(text: &[u8]) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "cc", "cpp", "cxx", "h", "hpp", "py", "pyx", "rs", "go", "java", "scala", "kt",
        "groovy", "js", "ts", "rb", "pl", "jl", "f90", "cu", "swift", "cs", "ex", "erl", "lua",
        "sh", "R", "nf", "smk",
    ];
    let mut parts = text.rsplitn(2, |b| *b == b'.');
    let ending = parts.next().unwrap_or_default();
    parts.next().is_some_and(|name| !name.is_empty())
        && ENDINGS.iter().any(|e| e.as_bytes() == ending)
}

/// `PID ` of `PID 31072`, when all are that word and a number, with the name of its key.
pub(super) fn word_before_number(texts: &[&[u8]]) -> Option<(String, &'static str)> {
    let first = texts.first()?;
    let at = first.iter().position(u8::is_ascii_digit)?;
    let word = &first[..at];
    let name = match word.trim_ascii_end().to_ascii_lowercase().as_slice() {
        b"pid" | b"pid:" | b"pid=" | b"process" => "pid",
        b"tid" | b"tid:" | b"tid=" | b"thread" => "thread_id",
        _ => return None,
    };
    let fit = texts
        .iter()
        .all(|t| t.strip_prefix(word).is_some_and(is_number));
    fit.then(|| (String::from_utf8_lossy(word).into_owned(), name))
}

/// Whether values, numbers in them aside, come again and again, as those of a header do.
pub(super) fn repeated(texts: &[&[u8]]) -> bool {
    let mut kinds: Vec<Vec<u8>> = texts
        .iter()
        .map(|t| t.iter().filter(|b| !b.is_ascii_digit()).copied().collect())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() * 2 <= texts.len() || kinds.len() == 1
}

/// What names such as these name: a thread, a process, a logger.
pub(super) fn who(texts: &[&[u8]]) -> Option<&'static str> {
    let has = |words: &[&str]| {
        let lower = texts
            .iter()
            .map(|t| String::from_utf8_lossy(t).to_ascii_lowercase());
        lower
            .into_iter()
            .any(|t| words.iter().any(|w| t.contains(w)))
    };
    let dotted = texts.iter().filter(|t| t.contains(&b'.')).count();
    if dotted * 2 >= texts.len() {
        Some("logger")
    } else if has(&["thread"]) || texts.iter().all(|t| *t == b"main") {
        Some("thread")
    } else if has(&["process", "worker"]) {
        Some("process")
    } else {
        None
    }
}
