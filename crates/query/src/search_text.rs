//! Search text for messages: plain text, or a regular expression between slashes.

use crate::expr::{Expr, Field, Op};
use crate::matcher::Matcher;

/// Delimiter of a regular expression.
const SLASH: char = '/';

/// A parsed search text.
#[derive(Clone, Debug)]
pub struct SearchText {
    /// Expression that selects the matching records.
    pub expr: Expr,
    /// Matcher that finds the matches in a message.
    pub matcher: Option<Matcher>,
}

impl SearchText {
    /// Searches for a literal text.
    #[must_use]
    pub fn literal(text: &str) -> SearchText {
        SearchText {
            expr: Expr::Text(text.to_owned()),
            matcher: Matcher::word(text),
        }
    }

    /// Parses a search line: `/timeout|lost/` is a regular expression, anything else a literal text.
    ///
    /// # Errors
    /// A one-line description of the syntax error of the regular expression.
    pub fn parse(line: &str) -> Result<SearchText, String> {
        let Some(pattern) = between_slashes(line) else {
            return Ok(SearchText::literal(line));
        };
        let matcher = Matcher::pattern(pattern)?;
        Ok(SearchText {
            expr: Expr::compare(Field::Message, Op::Match, pattern),
            matcher: Some(matcher),
        })
    }
}

/// Returns the line with slashes if it looks like a regular expression that was typed without them: it contains syntax
/// that is rare in texts.
#[must_use]
pub fn suggest_pattern(line: &str) -> Option<String> {
    let has = |part: &str| line.contains(part);
    let is_likely = [
        ".*", ".+", ".?", "|", "\\", "[^", "]+", "]*", ")?", "(?", "$",
    ]
    .into_iter()
    .any(has)
        || line.starts_with('^')
        || (has("(") && has(")"))
        || (has("[") && has("]"));
    let is_new = between_slashes(line).is_none() && Matcher::check(line).is_ok();
    (is_likely && is_new).then(|| format!("{SLASH}{line}{SLASH}"))
}

/// Returns the text between slashes; `None` for a path.
fn between_slashes(line: &str) -> Option<&str> {
    let inside = line.strip_prefix(SLASH)?.strip_suffix(SLASH)?;
    // `/home/user/` is a literal text; a slash inside a pattern is written `\/`.
    let bare = inside.replace("\\/", "");
    (!inside.is_empty() && !bare.contains(SLASH)).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(line: &str, message: &str) -> bool {
        SearchText::parse(line)
            .unwrap()
            .matcher
            .unwrap()
            .is_in(message)
    }

    #[test]
    fn slashes_make_a_pattern_of_a_text() {
        assert!(hits("/time(d|out)/", "it timed out"));
        assert!(!hits("time(d|out)", "it timed out"));
        assert!(hits("time(d|out)", "as written: time(d|out)"));
        // Ignores case without capital letters, as for texts.
        assert!(hits("/^lost .+ 3/", "Lost worker 3"));
        assert!(!hits("/Lost/", "lost worker 3"));
    }

    #[test]
    fn paths_are_texts() {
        assert!(hits("/home/user/", "in /home/user/run"));
        assert!(!hits("/home/user/", "home/user"));
        assert!(hits("/tmp", "in /tmp"));
        assert!(hits("//", "http://x"));
        assert!(hits(r"/home\/(a|b)/", "in home/a"));
    }

    #[test]
    fn an_invalid_pattern_is_an_error() {
        let error = SearchText::parse("/time(d/").unwrap_err();
        assert!(error.starts_with("bad pattern"), "{error}");
    }

    #[test]
    fn texts_with_pattern_syntax_are_recognised() {
        for line in ["time(d|out)", "task .* lost", r"\d+ s", "^start", "w[0-9]+"] {
            assert_eq!(suggest_pattern(line), Some(format!("/{line}/")));
        }
        for line in [
            "worker.log",
            "task 5",
            "what?",
            "/a|b/",
            "(unbalanced",
            "c++",
        ] {
            assert_eq!(suggest_pattern(line), None, "{line}");
        }
    }
}
