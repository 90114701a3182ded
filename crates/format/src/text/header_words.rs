//! Words and delimiters of headers and their classification, for `detect::header`.

use widetui_core::level::Level;

/// Line and offset of the part that has not been read.
pub(crate) type LineAt<'a> = (&'a [u8], usize);

/// Number of blanks in a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blanks {
    /// The same in each line.
    Alike,
    /// Varying.
    Varying,
}

/// Delimiter as pattern text.
pub(crate) fn literal(delimiter: &[u8], blanks: Blanks) -> String {
    let mut out = String::new();
    for b in delimiter {
        match b {
            // At least one blank, because names take as little text as possible.
            b' ' if blanks == Blanks::Varying => out.push_str(" {:pad}"),
            b'{' => out.push_str("{{"),
            b'}' => out.push_str("}}"),
            b => out.push(char::from(*b)),
        }
    }
    out
}

/// Whether a count is nearly the total: one in twenty may differ.
pub(crate) fn nearly_all(some: usize, all: usize) -> bool {
    all > 0 && some * 100 >= all * 95
}

/// Number of items that pass a test.
pub(crate) fn count_of<T>(all: &[T], test: impl Fn(&T) -> bool) -> usize {
    all.iter().filter(|x| test(x)).count()
}

/// Delimiter of nearly all lines, with runs of blanks reduced to one.
pub(crate) fn common_delimiter<'a>(
    all: impl Iterator<Item = &'a [u8]> + Clone,
) -> Option<(Vec<u8>, Blanks)> {
    let mut counts: Vec<(Vec<u8>, usize)> = Vec::new();
    for one in all.clone() {
        let one = collapsed(one);
        match counts.iter_mut().find(|c| c.0 == one) {
            Some(count) => count.1 += 1,
            None => counts.push((one, 1)),
        }
    }
    let number = all.clone().count();
    let (delimiter, count) = counts.into_iter().max_by_key(|c| c.1)?;
    // Only lines with the same delimiter show whether the number of blanks varies.
    let mut same = all.filter(|d| collapsed(d) == delimiter);
    let first = same.next()?;
    let padded = delimiter.contains(&b' ')
        && (first.windows(2).any(|w| w == b"  ") || same.any(|d| d != first));
    let blanks = match padded {
        true => Blanks::Varying,
        false => Blanks::Alike,
    };
    (count * 100 >= number * 90 && !delimiter.is_empty()).then_some((delimiter, blanks))
}

/// Delimiter with runs of blanks reduced to one.
pub(crate) fn collapsed(delimiter: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(delimiter.len());
    for b in delimiter {
        if !(*b == b' ' && out.last() == Some(&b' ')) {
            out.push(*b);
        }
    }
    out
}

/// Bytes at the position that belong to no word, up to and including an opening bracket.
pub(crate) fn delimiter_of((line, at): LineAt<'_>) -> &[u8] {
    let mut end = at;
    while let Some(b) = line.get(end) {
        if b.is_ascii_alphanumeric() || *b >= 0x80 || matches!(b, b'_' | b'.' | b'$') {
            break;
        }
        end += 1;
        if matches!(b, b'[' | b'(' | b'<') {
            break;
        }
    }
    line.get(at..end).unwrap_or_default()
}

/// Word at the position: letters, digits, `_ . $ @`, and `-` inside.
pub(crate) fn word_at((line, at): LineAt<'_>) -> &[u8] {
    let is_inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@');
    let mut end = at;
    while let Some(b) = line.get(end) {
        let goes_on = |n: usize| line.get(end + n).is_some_and(u8::is_ascii_alphanumeric);
        let dash = *b == b'-' && end > at && goes_on(1);
        // `engine::run`
        let colons = *b == b':' && end > at && line.get(end + 1) == Some(&b':') && goes_on(2);
        if !is_inside(b) && !dash && !colons {
            break;
        }
        end += if colons { 2 } else { 1 };
    }
    line.get(at..end).unwrap_or_default()
}

/// As [`word_at`], with folders before it: `core/exec.cc`.
pub(crate) fn path_at((line, at): LineAt<'_>) -> &[u8] {
    let mut end = at;
    loop {
        end += word_at((line, end)).len();
        let goes_on = line.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if line.get(end) != Some(&b'/') || !goes_on {
            return line.get(at..end).unwrap_or_default();
        }
        end += 1;
    }
}

/// Text at the position up to the next blank.
pub(crate) fn token_at((line, at): LineAt<'_>) -> &[u8] {
    let rest = line.get(at..).unwrap_or_default();
    let mut words = rest.split(u8::is_ascii_whitespace);
    words.next().unwrap_or_default()
}

/// Whether a text is a level; a single letter must be a capital.
pub(crate) fn is_level(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let letter = !matches!(text, [letter] if !letter.is_ascii_uppercase());
    // A name of files and fields.
    let is_name = text != b"LOG" && text.eq_ignore_ascii_case(b"log");
    letter && !is_name && Level::parse(text).is_some()
}

/// Whether nearly all texts are levels. Single letters count unless all are `F`, which has another meaning.
pub(crate) fn are_levels(texts: &[&[u8]]) -> bool {
    let word_or_usual = |t: &&[u8]| t.len() > 1 || t.first().is_some_and(|b| b"DEITVW".contains(b));
    nearly_all(count_of(texts, |t| is_level(t)), texts.len()) && texts.iter().any(word_or_usual)
}

/// Whether a name ends in a level after this byte: `core:error`, `engine.run.INFO`.
pub(crate) fn ends_in_level(text: &[u8], after: u8) -> bool {
    let mut parts = text.rsplitn(2, |b| *b == after);
    let (level, name) = (parts.next().unwrap_or_default(), parts.next());
    level.len() > 1 && name.is_some_and(|name| !name.is_empty()) && is_level(level)
}

/// Whether a text consists of digits.
pub(crate) fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// True if a text is the facility, the severity and the mnemonic of a message of a network device: `LINK-3-UPDOWN`.
pub(crate) fn is_mnemonic(text: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        let is_sign = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
        part.len() > 1 && part.iter().all(is_sign)
    };
    let mut parts = text.splitn(3, |b| *b == b'-');
    parts.next().is_some_and(is_part)
        && parts
            .next()
            .is_some_and(|part| matches!(part, [b'0'..=b'7']))
        && parts
            .next()
            .is_some_and(|part| part.split(|b| *b == b'-').all(is_part))
}

/// Whether a text starts like a name.
pub(crate) fn is_name(text: &[u8]) -> bool {
    text.len() > 1 && text.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Whether a text is the name of a source file: `name.py`, `name.cc`.
pub(crate) fn is_file(text: &[u8]) -> bool {
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

/// Words before the numbers of all texts, with the names of their keys, if all texts have the same words: `PID ` of
/// `PID 31072`; `rank` of `rank3`; both words of `pid 17:tid 18`.
pub(crate) fn words_before_numbers(texts: &[&[u8]]) -> Option<Vec<(String, &'static str)>> {
    let first = number_parts(texts.first()?);
    let mut words = Vec::new();
    for (word, number) in &first {
        let label = word.trim_ascii_end().to_ascii_lowercase();
        let letters = label.iter().position(u8::is_ascii_alphabetic)?;
        let name = match label.get(letters..)? {
            b"pid" | b"pid:" | b"pid=" | b"process" => "pid",
            b"tid" | b"tid:" | b"tid=" | b"thread" => "thread_id",
            b"rank" | b"rank:" | b"rank=" => "rank",
            _ => return None,
        };
        if number.is_empty() {
            return None;
        }
        words.push((String::from_utf8_lossy(word).into_owned(), name));
    }
    let alike = |text: &&[u8]| {
        let parts = number_parts(text);
        parts.len() == first.len()
            && parts
                .iter()
                .zip(&first)
                .all(|(a, b)| a.0 == b.0 && !a.1.is_empty())
    };
    (!words.is_empty() && texts.iter().all(alike)).then_some(words)
}

/// Pairs of text and the number after it.
fn number_parts(text: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut out = Vec::new();
    // Words and numbers by turns.
    let mut runs = text.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    if text.first().is_some_and(u8::is_ascii_digit) {
        out.extend(runs.next().map(|number| (&[][..], number)));
    }
    while let Some(word) = runs.next() {
        out.push((word, runs.next().unwrap_or_default()));
    }
    out
}

/// Whether values, apart from numbers in them, are repeated like those of a header.
pub(crate) fn repeated(texts: &[&[u8]]) -> bool {
    let mut kinds: Vec<Vec<u8>> = texts
        .iter()
        .map(|t| t.iter().filter(|b| !b.is_ascii_digit()).copied().collect())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() * 2 <= texts.len() || kinds.len() == 1
}

/// Kind of writer that these names belong to: thread, process or logger.
pub(crate) fn writer_kind(texts: &[&[u8]]) -> Option<&'static str> {
    let has = |words: &[&str]| {
        let lower = texts
            .iter()
            .map(|t| String::from_utf8_lossy(t).to_ascii_lowercase());
        lower
            .into_iter()
            .any(|t| words.iter().any(|w| t.contains(w)))
    };
    let is_path = |t: &&&[u8]| t.contains(&b'.') || t.windows(2).any(|two| two == b"::");
    let dotted = texts.iter().filter(is_path).count();
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
