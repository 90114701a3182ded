//! Patterns as typed: their meaning, case sensitivity, and validity.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Whether case counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Ignored,
    Exact,
}

/// Whether case counts: only if the needle has a capital letter.
pub(super) fn case_of(needle: &str) -> Case {
    match needle.chars().any(char::is_uppercase) {
        true => Case::Exact,
        false => Case::Ignored,
    }
}

/// As `case_of`, without the capitals of classes such as `\S`.
pub(super) fn case_of_pattern(pattern: &str) -> Case {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c.is_uppercase() {
            return Case::Exact;
        }
    }
    Case::Ignored
}

/// A pattern as it is meant, and what it says.
pub(super) fn parsed(pattern: &str) -> Result<(String, Hir), String> {
    // `{}` of a template is no repetition; where it cannot be one it stands for itself.
    let error = match regex_syntax::parse(pattern) {
        Ok(hir) => return Ok((pattern.to_owned(), hir)),
        Err(error) => error,
    };
    let braces = pattern.replace("{}", r"\{\}");
    match regex_syntax::parse(&braces) {
        Ok(hir) => Ok((braces, hir)),
        Err(_) => Err(one_line(&error.to_string())),
    }
}

/// Whether a pattern has nothing that could be wrong: words, `.`, `|`, both ends, and the braces of a template.
pub(super) fn is_plain(pattern: &str) -> bool {
    let mut rest = pattern.bytes();
    let mut is_one = pattern.len() < SURELY_SMALL as usize / 8;
    while let Some(byte) = rest.next() {
        is_one &= match byte {
            b'{' => rest.next() == Some(b'}'),
            b'_' | b' ' | b'-' | b':' | b',' | b'.' | b'|' | b'^' | b'$' | b'\'' | b'"' => true,
            byte => byte.is_ascii_alphanumeric(),
        };
    }
    is_one
}

/// Whether a pattern can be compiled: only one that could be too big is tried.
pub(super) fn fits(pattern: &str, hir: &Hir) -> Result<(), String> {
    match size(hir) < SURELY_SMALL {
        true => Ok(()),
        false => regex::RegexBuilder::new(pattern)
            .case_insensitive(case_of_pattern(pattern) == Case::Ignored)
            .build()
            .map(|_| ())
            .map_err(|e| one_line(&e.to_string())),
    }
}

/// As `fits`, of a text: each of its letters may have several spellings.
pub(super) fn fits_text(text: &str) -> bool {
    (text.len() as u64) < SURELY_SMALL / 4
        || regex::RegexBuilder::new(&regex::escape(text))
            .case_insensitive(case_of(text) == Case::Ignored)
            .build()
            .is_ok()
}

/// Patterns of such a size are compiled far within the limits of `regex`: 10 MiB at some tens of bytes a state.
const SURELY_SMALL: u64 = 20_000;

/// About how many states a pattern is compiled to: rather too many.
fn size(hir: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().map(size).fold(1, u64::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        // A range of characters is up to four sequences of bytes, and stands twice where case does not count.
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64 * 32,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64 * 2,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1));
            size(&repetition.sub)
                .saturating_add(1)
                .saturating_mul(u64::from(times))
        }
        HirKind::Capture(capture) => size(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// The last line of a message of the regex crate, which says what is wrong.
fn one_line(text: &str) -> String {
    let last = text.lines().last().unwrap_or(text).trim();
    format!(
        "bad pattern: {}",
        last.strip_prefix("error: ").unwrap_or(last)
    )
}
