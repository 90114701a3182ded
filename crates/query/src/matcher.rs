//! Search for a text or a regular expression in messages, and prefilters for the raw bytes of records.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use widetui_format::text::token::surely_literal;

use crate::literal_patterns;
use crate::literal_patterns::AnchoredLiteral;
use crate::typed_pattern::{
    Case, case_of, case_of_pattern, check_size, is_plain, is_text_size_ok, parsed,
};

use regex_syntax::hir::{Hir, HirKind};

/// A text or a regular expression to search for in messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Matcher {
    /// Whether matching depends on the matched bytes alone (no anchors or word boundaries), so that a match in a part
    /// of a message is a match in the whole.
    local: bool,
    raw: Arc<Raw>,
}

/// Compiled regular expressions, each built on first use: most conditions of definitions are tested on templates only,
/// and few occur in a given run.
#[derive(Debug)]
struct Raw {
    pattern: String,
    case: Case,
    /// Literals of which every match contains at least one.
    literals: Option<Vec<String>>,
    /// The complete set of literals, if the pattern is only an alternation of literals.
    literal_set: Option<Vec<AnchoredLiteral>>,
    /// Whether the pattern matches the same texts on bytes as on characters. With case ignored this holds for ASCII
    /// texts only, as some non-ASCII characters fold to ASCII letters.
    bytewise: bool,
    text: OnceLock<Option<regex::Regex>>,
    /// Regular expression of `text`, compiled without Unicode for `bytewise` patterns: building Unicode tables takes
    /// longer than searching a small run.
    bytewise_text: OnceLock<Option<regex::bytes::Regex>>,
    bytes: OnceLock<Option<regex::bytes::Regex>>,
    literal: OnceLock<Option<regex::bytes::Regex>>,
    plain: OnceLock<Option<regex::bytes::Regex>>,
    escaped: OnceLock<Option<regex::bytes::Regex>>,
    composed: OnceLock<Option<regex::bytes::Regex>>,
}

impl Raw {
    fn new(pattern: &str, case: Case, literals: Option<Vec<String>>) -> Raw {
        Raw {
            pattern: pattern.to_owned(),
            case,
            literals,
            literal_set: None,
            bytewise: false,
            text: OnceLock::new(),
            bytewise_text: OnceLock::new(),
            bytes: OnceLock::new(),
            literal: OnceLock::new(),
            plain: OnceLock::new(),
            escaped: OnceLock::new(),
            composed: OnceLock::new(),
        }
    }

    fn build(&self, pattern: &str) -> Option<regex::bytes::Regex> {
        let mut builder = regex::bytes::RegexBuilder::new(pattern);
        let builder = builder.case_insensitive(self.case == Case::Ignored);
        builder.build().ok()
    }

    /// Whether the regular expression matches a message.
    fn hits(&self, message: &str) -> bool {
        let is_other = self.case == Case::Ignored && !message.is_ascii();
        if !self.bytewise || is_other {
            return self.text().is_some_and(|r| r.is_match(message));
        }
        let made = self.bytewise_text.get_or_init(|| {
            let mut builder = regex::bytes::RegexBuilder::new(&self.pattern);
            let builder = builder.case_insensitive(self.case == Case::Ignored);
            builder.unicode(false).build().ok()
        });
        made.as_ref()
            .is_some_and(|r| r.is_match(message.as_bytes()))
    }

    fn text(&self) -> Option<&regex::Regex> {
        let made = self.text.get_or_init(|| {
            let mut builder = regex::RegexBuilder::new(&self.pattern);
            let builder = builder.case_insensitive(self.case == Case::Ignored);
            builder.build().ok()
        });
        made.as_ref()
    }

    /// Whether a message contains none of the required literals.
    fn is_missing_in(&self, message: &str) -> bool {
        let is_in = |text: &String| memchr::memmem::find(message.as_bytes(), text.as_bytes());
        let mut needed = self.literals.iter().filter(|_| self.case == Case::Exact);
        needed.any(|texts| texts.iter().all(|text| is_in(text).is_none()))
    }

    fn bytes(&self) -> Option<&regex::bytes::Regex> {
        let made = self.bytes.get_or_init(|| self.build(&self.pattern));
        made.as_ref()
    }

    /// Builds an alternation of the literals, each cut to its longest part without a character of `seams`.
    fn any(&self, seams: &[char]) -> Option<String> {
        let literals = self.literals.as_ref()?;
        let parts = literals.iter().map(|l| raw_part(l, seams));
        let parts: Option<Vec<&str>> = parts.collect();
        let parts: Vec<String> = parts?.into_iter().map(regex::escape).collect();
        (!parts.is_empty()).then(|| parts.join("|"))
    }

    /// Returns a pattern that the literal parts of a template must match if any line of it matches.
    fn literal(&self) -> Option<&regex::bytes::Regex> {
        let made = self.literal.get_or_init(|| {
            let literals = self.literals.as_ref().filter(|l| !l.is_empty())?;
            let parts = literals.iter().map(|l| {
                let part = surely_literal(l.as_bytes())?;
                Some(regex::escape(std::str::from_utf8(part).ok()?))
            });
            let parts: Option<Vec<String>> = parts.collect();
            self.build(&parts?.join("|"))
        });
        made.as_ref()
    }

    fn prefilter(&self, escapes: Escapes) -> Option<&regex::bytes::Regex> {
        let or_backslash = |any: Option<String>| self.build(&format!(r"{}|\\", any?));
        let made = match escapes {
            Escapes::None => self
                .plain
                .get_or_init(|| self.any(&[]).and_then(|any| self.build(&any))),
            Escapes::Backslash => self.escaped.get_or_init(|| or_backslash(self.any(&[]))),
            Escapes::Composed => {
                let seams = ['=', ' ', ',', '.'];
                self.composed.get_or_init(|| or_backslash(self.any(&seams)))
            }
        };
        made.as_ref()
    }
}

/// Context that a pattern examines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchContext {
    /// The matched bytes only.
    Local,
    /// Also surrounding text: word boundaries, line boundaries, start and end.
    Around,
}

impl Matcher {
    /// Matcher for a text; ignores case if the text has no capital letter.
    #[must_use]
    pub(crate) fn word(needle: &str) -> Option<Matcher> {
        let literals = vec![needle.to_owned()];
        let pattern = regex::escape(needle);
        let matcher = Matcher::build(
            &pattern,
            case_of(needle),
            MatchContext::Local,
            Some(literals),
        );
        is_text_size_ok(needle).then_some(matcher)
    }

    /// Matcher for a regular expression; ignores case if the pattern has no capital letter.
    ///
    /// # Errors
    /// A one-line description of the syntax error.
    pub fn pattern(pattern: &str) -> Result<Matcher, String> {
        if let Some(texts) = literal_patterns::anchored_literals(pattern) {
            return Ok(Matcher::literal_set(pattern, texts));
        }
        let (pattern, hir) = parsed(pattern)?;
        check_size(&pattern, &hir)?;
        let reach = match hir.properties().look_set().is_empty() {
            true => MatchContext::Local,
            false => MatchContext::Around,
        };
        let case = case_of_pattern(&pattern);
        let raw = Raw {
            bytewise: literal_patterns::is_bytewise(&hir),
            ..Raw::new(&pattern, case, required(&hir))
        };
        Ok(Matcher {
            local: reach == MatchContext::Local,
            raw: Arc::new(raw),
        })
    }

    /// Checks a regular expression without compiling it, which is much faster than [`Matcher::pattern`].
    ///
    /// # Errors
    /// A one-line description of the syntax error.
    pub(crate) fn check(pattern: &str) -> Result<(), String> {
        if is_plain(pattern) {
            return Ok(());
        }
        let (pattern, hir) = parsed(pattern)?;
        check_size(&pattern, &hir)
    }

    /// Matcher for messages equal to `text`.
    #[must_use]
    pub(crate) fn exactly(text: &str) -> Option<Matcher> {
        let pattern = format!(r"\A{}\z", regex::escape(text));
        let literals = vec![text.to_owned()];
        let matcher = Matcher::build(&pattern, Case::Exact, MatchContext::Around, Some(literals));
        is_text_size_ok(text).then_some(matcher)
    }

    /// Matcher for a pattern that is an alternation of literals.
    fn literal_set(pattern: &str, texts: Vec<AnchoredLiteral>) -> Matcher {
        let reach = match texts.iter().any(AnchoredLiteral::is_anchored) {
            true => MatchContext::Around,
            false => MatchContext::Local,
        };
        let literals = texts.iter().map(|t| t.text.clone()).collect();
        let pattern = pattern.replace("{}", r"\{\}");
        let case = case_of(&pattern);
        let raw = Raw {
            literal_set: (case == Case::Exact).then_some(texts),
            ..Raw::new(&pattern, case, Some(literals))
        };
        Matcher {
            local: reach == MatchContext::Local,
            raw: Arc::new(raw),
        }
    }

    fn build(
        pattern: &str,
        case: Case,
        reach: MatchContext,
        literals: Option<Vec<String>>,
    ) -> Matcher {
        Matcher {
            local: reach == MatchContext::Local,
            raw: Arc::new(Raw::new(pattern, case, literals)),
        }
    }

    /// Whether a message matches.
    #[must_use]
    pub fn is_in(&self, message: &str) -> bool {
        match &self.raw.literal_set {
            Some(texts) => texts.iter().any(|text| text.is_in(message)),
            None => !self.raw.is_missing_in(message) && self.raw.hits(message),
        }
    }

    /// Whether every message that contains these bytes matches. `false` is inconclusive.
    #[must_use]
    pub(crate) fn certain_in(&self, literal: &[u8]) -> bool {
        self.local && self.raw.bytes().is_some_and(|b| b.is_match(literal))
    }

    /// Whether no one-line message matches that consists of these literals and variables between them (none of which
    /// extends to the end of the line). `false` is inconclusive.
    #[must_use]
    pub(crate) fn never_between(&self, literals: &[Box<[u8]>]) -> bool {
        let part = self.raw.literal();
        part.is_some_and(|part| !literals.iter().any(|l| part.is_match(l)))
    }

    /// Byte ranges of the matches in a message, ascending, without empty ones.
    #[must_use]
    pub fn ranges(&self, message: &str) -> Vec<Range<usize>> {
        let found = self.raw.text().map(|text| text.find_iter(message));
        found
            .into_iter()
            .flatten()
            .map(|m| m.range())
            .filter(|r| !r.is_empty())
            .collect()
    }

    /// Returns a pattern that finds every place in raw bytes where a matching message can be; `None` if there is no
    /// such pattern. In messages with backslash escapes, every backslash is such a place.
    pub(super) fn prefilter(&self, escapes: Escapes) -> Option<&regex::bytes::Regex> {
        self.raw.prefilter(escapes)
    }
}

/// Encoding of messages in the raw bytes of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Unescaped.
    None,
    /// With backslash escapes.
    Backslash,
    /// With backslash escapes; some messages are composed from names and values: `job=5 try=1,2`.
    Composed,
}

/// Returns the longest part of a literal that occurs unchanged in the raw bytes: without line ends (which may differ),
/// U+FFFD (which replaces invalid UTF-8) and the characters of `seams`.
fn raw_part<'l>(literal: &'l str, seams: &[char]) -> Option<&'l str> {
    literal
        .split(|c| matches!(c, '\n' | '\r' | '\u{fffd}') || seams.contains(&c))
        .max_by_key(|part| part.len())
        .filter(|part| !part.is_empty())
}

/// Returns literals of which every match contains at least one; `None` if there are no useful ones.
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
            // A small set of long literals gives the fewest false candidates.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_format::text::token;

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
    fn a_pattern_that_is_too_big_is_refused_by_the_check() {
        assert!(Matcher::check(r"(\w{1000}){1000}").is_err());
        assert!(Matcher::check(r"(a{100}){100}").is_ok());
    }

    #[test]
    fn an_invalid_pattern_gives_a_reason() {
        let error = Matcher::pattern("a(b").unwrap_err();
        assert_eq!(error, "bad pattern: unclosed group");
    }

    proptest! {
        #[test]
        fn check_and_pattern_give_the_same_errors(pattern in "(\\w|[a-z]|\\{\\}|\\^|\\$|\\.| |\\pL|\\(|\\)|\\{[0-9]{1,4}\\}|\\+|\\|){1,6}") {
            prop_assert_eq!(Matcher::check(&pattern), Matcher::pattern(&pattern).map(|_| ()), "{}", pattern);
        }

        #[test]
        fn prefilters_do_not_change_the_result(pattern in "(\\(\\?i\\))?([aBks]|\\^\\(B\\|ab\\)|\\.\\*|\\[\\^a\\]\\+|\\[ab\\]|[aB]{2}\\?|\\||\\{\\}|\\(a\\|Bc\\)|\\(a\\|\\)|\\.|\\^|b\\+|\\$){1,4}", message in "([aBbc]|[é\u{17f}\u{212a}ks]){0,8}") {
            let Ok(matcher) = Matcher::pattern(&pattern) else { return Ok(()) };
            let (meant, _) = parsed(&pattern).unwrap();
            let ignores = case_of_pattern(&meant) == Case::Ignored;
            let regex = regex::RegexBuilder::new(&meant).case_insensitive(ignores).build().unwrap();
            prop_assert_eq!(matcher.is_in(&message), regex.is_match(&message), "{} {:?}", pattern, message);
        }

        #[test]
        fn lines_that_are_hit_have_the_literals(pattern in "([abB]|( a |, b)|\\(|\\( ab \\|a c \\)|\\.|0|b\\+){1,4}", line in "([aAbcB ]|, | a |1|0|\\(| ab ){0,9}", is_word in any::<bool>()) {
            let matcher = match is_word {
                true => Matcher::word(&pattern),
                false => Matcher::pattern(&pattern).ok(),
            };
            let mut variables = Vec::new();
            if let Some(matcher) = matcher
                && !token::tokenize(line.as_bytes(), &mut variables)
                && matcher.never_between(&token::literals(line.as_bytes(), &variables))
            {
                prop_assert!(!matcher.is_in(&line), "{} {:?}", pattern, line);
            }
        }

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
