//! Regular expressions as typed: interpretation, case sensitivity and validity.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Case sensitivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Ignored,
    Exact,
}

/// Smart case: case matters only if the text has a capital letter.
pub(super) fn case_of(needle: &str) -> Case {
    match needle.chars().any(char::is_uppercase) {
        true => Case::Exact,
        false => Case::Ignored,
    }
}

/// Smart case of a pattern; capitals of classes such as `\S` do not count.
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

/// Parses a pattern, with `{}` escaped if it is invalid otherwise. Returns the pattern and its syntax tree.
pub(super) fn parsed(pattern: &str) -> Result<(String, Hir), String> {
    // `{}` marks the variable part of a template; where it cannot be a repetition it is taken literally.
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

/// Whether a pattern is certainly valid: words, `.`, `|`, anchors at both ends and `{}`.
pub(super) fn is_plain(pattern: &str) -> bool {
    let mut rest = pattern.bytes();
    let mut is_one = pattern.len() < SMALL_SIZE as usize / 8;
    while let Some(byte) = rest.next() {
        is_one &= match byte {
            b'{' => rest.next() == Some(b'}'),
            b'_' | b' ' | b'-' | b':' | b',' | b'.' | b'|' | b'^' | b'$' | b'\'' | b'"' => true,
            byte => byte.is_ascii_alphanumeric(),
        };
    }
    is_one
}

/// Checks that a pattern does not exceed the size limit of `regex`; compiles it only if its estimated size is large.
pub(super) fn check_size(pattern: &str, hir: &Hir) -> Result<(), String> {
    match size(hir) < SMALL_SIZE {
        true => Ok(()),
        false => regex::RegexBuilder::new(pattern)
            .case_insensitive(case_of_pattern(pattern) == Case::Ignored)
            .build()
            .map(|_| ())
            .map_err(|e| one_line(&e.to_string())),
    }
}

/// As [`check_size`], for a literal text, of which each letter may have several case variants.
pub(super) fn is_text_size_ok(text: &str) -> bool {
    (text.len() as u64) < SMALL_SIZE / 4
        || regex::RegexBuilder::new(&regex::escape(text))
            .case_insensitive(case_of(text) == Case::Ignored)
            .build()
            .is_ok()
}

/// Size, in states, below which a pattern is far within the limit of `regex` (10 MiB, at some tens of bytes per state).
const SMALL_SIZE: u64 = 20_000;

/// Upper estimate of the number of states of the compiled pattern.
fn size(hir: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().map(size).fold(1, u64::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        // A range of characters is compiled to up to four byte sequences, and to two ranges if case is ignored.
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

/// Returns the last line of an error of the regex crate, which describes the problem.
fn one_line(text: &str) -> String {
    let last = text.lines().last().unwrap_or(text).trim();
    format!(
        "bad pattern: {}",
        last.strip_prefix("error: ").unwrap_or(last)
    )
}
