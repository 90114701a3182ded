//! Finding a text or a regular expression in messages, and in raw bytes that may hold such a message.

use std::ops::Range;

use regex_syntax::hir::{Hir, HirKind};

/// A text or a regular expression to be found in messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Matcher {
    text: regex::Regex,
    bytes: regex::bytes::Regex,
    /// Looks at nothing but the bytes of the hit itself, so that a hit in a part of a message is one in the whole.
    local: bool,
    plain: Option<regex::bytes::Regex>,
    escaped: Option<regex::bytes::Regex>,
    composed: Option<regex::bytes::Regex>,
}

/// Whether case counts: only if the needle has a capital letter.
fn ignores_case(needle: &str) -> bool {
    !needle.chars().any(char::is_uppercase)
}

/// As `ignores_case`, without the capitals of classes such as `\S`.
fn pattern_ignores_case(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c.is_uppercase() {
            return false;
        }
    }
    true
}

impl Matcher {
    /// Finds a text; one without capitals ignores case.
    #[must_use]
    pub fn word(needle: &str) -> Option<Matcher> {
        let literals = vec![needle.to_owned()];
        let pattern = regex::escape(needle);
        Matcher::build(&pattern, ignores_case(needle), true, Some(literals)).ok()
    }

    /// Finds a regular expression; one without capitals ignores case.
    ///
    /// # Errors
    /// What is wrong with the pattern, in one line.
    pub fn pattern(pattern: &str) -> Result<Matcher, String> {
        // `{}` of a template is no repetition; where it cannot be one it stands for itself.
        let braces = pattern.replace("{}", r"\{\}");
        let (pattern, hir) = match regex_syntax::parse(pattern) {
            Ok(hir) => (pattern, hir),
            Err(error) => match regex_syntax::parse(&braces) {
                Ok(hir) => (braces.as_str(), hir),
                Err(_) => return Err(one_line(&error.to_string())),
            },
        };
        let local = hir.properties().look_set().is_empty();
        let ignore = pattern_ignores_case(pattern);
        Matcher::build(pattern, ignore, local, required(&hir))
    }

    /// Finds messages that are exactly this text.
    #[must_use]
    pub fn exactly(text: &str) -> Option<Matcher> {
        let pattern = format!(r"\A{}\z", regex::escape(text));
        Matcher::build(&pattern, false, false, Some(vec![text.to_owned()])).ok()
    }

    fn build(
        pattern: &str,
        ignore: bool,
        local: bool,
        literals: Option<Vec<String>>,
    ) -> Result<Matcher, String> {
        let text = regex::RegexBuilder::new(pattern)
            .case_insensitive(ignore)
            .build()
            .map_err(|e| one_line(&e.to_string()))?;
        let raw = |pattern: &str| {
            regex::bytes::RegexBuilder::new(pattern)
                .case_insensitive(ignore)
                .build()
        };
        let bytes = raw(pattern).map_err(|e| one_line(&e.to_string()))?;
        let any = |seams: &[char]| {
            let parts = literals.iter().flatten().map(|l| raw_part(l, seams));
            let parts: Option<Vec<&str>> = parts.collect();
            let parts: Vec<String> = parts?.into_iter().map(regex::escape).collect();
            (!parts.is_empty()).then(|| parts.join("|"))
        };
        let escaped = |any: String| raw(&format!(r"{any}|\\")).ok();
        Ok(Matcher {
            text,
            bytes,
            local,
            plain: any(&[]).and_then(|any| raw(&any).ok()),
            escaped: any(&[]).and_then(escaped),
            composed: any(&['=', ' ', ',', '.']).and_then(escaped),
        })
    }

    /// Whether a message is hit.
    #[must_use]
    pub fn is_in(&self, message: &str) -> bool {
        self.text.is_match(message)
    }

    /// Whether every message that contains these bytes is hit. `false` says nothing.
    #[must_use]
    pub fn certain_in(&self, literal: &[u8]) -> bool {
        self.local && self.bytes.is_match(literal)
    }

    /// The hits in a message, ascending, none empty.
    #[must_use]
    pub fn ranges(&self, message: &str) -> Vec<Range<usize>> {
        self.text
            .find_iter(message)
            .map(|m| m.range())
            .filter(|r| !r.is_empty())
            .collect()
    }

    /// Finds all places in raw bytes where a message that is hit can be; `None` when it can be anywhere. Where messages
    /// are written with backslash escapes, every backslash is such a place.
    pub(super) fn prefilter(&self, escapes: Escapes) -> Option<&regex::bytes::Regex> {
        match escapes {
            Escapes::None => self.plain.as_ref(),
            Escapes::Backslash => self.escaped.as_ref(),
            Escapes::Composed => self.composed.as_ref(),
        }
    }
}

/// How the messages of a source are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// As they are.
    None,
    /// With backslash escapes.
    Backslash,
    /// With backslash escapes, some of them put together from names and values: `job=5 try=1,2`.
    Composed,
}

/// The longest part of a literal that stands in the raw bytes as it is: line ends may differ there, and U+FFFD stands for
/// bytes that are no UTF-8. Nor does it go over `seams`.
fn raw_part<'l>(literal: &'l str, seams: &[char]) -> Option<&'l str> {
    literal
        .split(|c| matches!(c, '\n' | '\r' | '\u{fffd}') || seams.contains(&c))
        .max_by_key(|part| part.len())
        .filter(|part| !part.is_empty())
}

/// Texts of which every hit contains at least one. `None` when there are none that would help.
fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = String::from_utf8(literal.0.to_vec()).ok()?;
            raw_part(&text, &[])?;
            Some(vec![text])
        }
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repeat) if repeat.min > 0 => required(&repeat.sub),
        HirKind::Concat(parts) => parts
            .iter()
            .filter_map(required)
            // Few and long ones stop least often.
            .max_by_key(|texts| {
                (
                    texts.iter().map(String::len).min(),
                    usize::MAX - texts.len(),
                )
            }),
        HirKind::Alternation(parts) => {
            let all: Option<Vec<Vec<String>>> = parts.iter().map(required).collect();
            let all: Vec<String> = all?.into_iter().flatten().collect();
            (all.len() <= 64).then_some(all)
        }
        _ => None,
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_counts_only_with_capitals() {
        assert!(Matcher::word("task").unwrap().is_in("Task 5"));
        assert!(!Matcher::word("Task").unwrap().is_in("task 5"));
        assert!(Matcher::pattern(r"task \S+").unwrap().is_in("Task 5"));
        assert!(!Matcher::pattern(r"Task \S+").unwrap().is_in("task 5"));
    }

    #[test]
    fn ranges_are_byte_ranges_of_the_message() {
        let matcher = Matcher::word("é").unwrap();
        assert_eq!(matcher.ranges("Été é"), vec![0..2, 3..5, 6..8]);
        assert_eq!(Matcher::pattern("x*").unwrap().ranges("axxb"), vec![1..3]);
    }

    #[test]
    fn a_bad_pattern_says_why() {
        let error = Matcher::pattern("a(b").unwrap_err();
        assert_eq!(error, "bad pattern: unclosed group");
    }

    proptest! {
        #[test]
        fn the_prefilter_never_misses(pattern in "([abB]|[ab]{2}\\?|\\(a\\|bc\\)|\\.|\\^|b\\+|\\[ab\\]|\\n|\\$){1,4}", message in "[abcB\n ]{0,12}") {
            if let Ok(matcher) = Matcher::pattern(&pattern)
                && matcher.is_in(&message)
                && let Some(filter) = matcher.prefilter(Escapes::None)
            {
                prop_assert!(filter.is_match(message.replacen('\n', "\r\n", 1).as_bytes()), "{} {:?}", pattern, message);
            }
        }
    }
}
