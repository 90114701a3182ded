//! Search text for messages: plain text, or a regular expression between slashes.

use crate::expr::{Expr, Field, Op};
use crate::matcher::Matcher;

/// Stands on both sides of a regular expression.
const SLASH: char = '/';

/// What a search looks for.
#[derive(Clone, Debug)]
pub struct Searched {
    /// Fits the records that are hit.
    pub expr: Expr,
    /// Finds the hits in a message.
    pub matcher: Option<Matcher>,
}

impl Searched {
    /// A text as it stands.
    #[must_use]
    pub fn text(text: &str) -> Searched {
        Searched {
            expr: Expr::Text(text.to_owned()),
            matcher: Matcher::word(text),
        }
    }

    /// What a line says: `/timeout|lost/` is a regular expression, all else is a text as it stands.
    ///
    /// # Errors
    /// What is wrong with the regular expression, in one line.
    pub fn of(line: &str) -> Result<Searched, String> {
        let Some(pattern) = between_slashes(line) else {
            return Ok(Searched::text(line));
        };
        let matcher = Matcher::pattern(pattern)?;
        Ok(Searched {
            expr: Expr::compare(Field::Message, Op::Match, pattern),
            matcher: Some(matcher),
        })
    }
}

/// The line that searches for a regular expression, where one was written without slashes: it has what is rare in texts and
/// common in expressions.
#[must_use]
pub fn pattern_meant(line: &str) -> Option<String> {
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

/// What stands between slashes; `None` where it is a path rather than a pattern.
fn between_slashes(line: &str) -> Option<&str> {
    let inside = line.strip_prefix(SLASH)?.strip_suffix(SLASH)?;
    // `/home/user/` is looked for as it stands; a slash of a pattern is written `\/`.
    let bare = inside.replace("\\/", "");
    (!inside.is_empty() && !bare.contains(SLASH)).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(line: &str, message: &str) -> bool {
        Searched::of(line).unwrap().matcher.unwrap().is_in(message)
    }

    #[test]
    fn slashes_make_a_pattern_of_a_text() {
        assert!(hits("/time(d|out)/", "it timed out"));
        assert!(!hits("time(d|out)", "it timed out"));
        assert!(hits("time(d|out)", "as written: time(d|out)"));
        // One without capitals ignores case, as a text does.
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
    fn what_is_wrong_with_a_pattern_is_told() {
        let error = Searched::of("/time(d/").unwrap_err();
        assert!(error.starts_with("bad pattern"), "{error}");
    }

    #[test]
    fn what_looks_like_a_pattern_is_known() {
        for line in ["time(d|out)", "task .* lost", r"\d+ s", "^start", "w[0-9]+"] {
            assert_eq!(pattern_meant(line), Some(format!("/{line}/")));
        }
        for line in [
            "worker.log",
            "task 5",
            "what?",
            "/a|b/",
            "(unbalanced",
            "c++",
        ] {
            assert_eq!(pattern_meant(line), None, "{line}");
        }
    }
}
