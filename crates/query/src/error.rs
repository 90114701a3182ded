//! Query errors: problem, position and suggestion.

use std::fmt;

use unicode_width::UnicodeWidthStr;

/// A syntax or name error in a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Description of the problem.
    pub text: String,
    /// The whole query.
    pub query: String,
    /// Byte offset of the faulty text.
    pub at: usize,
    /// Length of the faulty text in bytes; 0 where something is missing.
    pub len: usize,
    /// Suggested replacement.
    pub suggestion: Option<String>,
}

impl QueryError {
    /// Renders the query with carets under the faulty text, and the description:
    ///
    /// ```text
    /// job.nmae = 5
    /// ^^^^^^^^ no record has the key `job.nmae`; did you mean `job.name`?
    /// ```
    #[must_use]
    pub fn render(&self) -> String {
        let line: String = self
            .query
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let width = |from: usize, to: usize| {
            self.query.get(from..to).map_or(0, |part| {
                let shown: String = part
                    .chars()
                    .map(|c| if c.is_control() { ' ' } else { c })
                    .collect();
                shown.width()
            })
        };
        let blanks = " ".repeat(width(0, self.at));
        let carets = "^".repeat(width(self.at, self.at + self.len).max(1));
        format!("{line}\n{blanks}{carets} {self}")
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.suggestion {
            Some(meant) => write!(f, "; did you mean {meant}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_align_with_wide_characters() {
        let error = QueryError {
            text: "no".into(),
            query: "日本 tsk = 5".into(),
            at: 7,
            len: 3,
            suggestion: Some("`task`".into()),
        };
        assert_eq!(
            error.render(),
            "日本 tsk = 5\n     ^^^ no; did you mean `task`?"
        );
    }
}
