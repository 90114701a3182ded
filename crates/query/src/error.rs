//! Query errors: the problem, its place, and a suggestion.

use std::fmt;

use unicode_width::UnicodeWidthStr;

/// A query that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// What is wrong.
    pub text: String,
    /// The whole query.
    pub query: String,
    /// First byte of the query that is wrong.
    pub at: usize,
    /// Number of bytes that are wrong; 0 where something is missing.
    pub len: usize,
    /// What was probably meant in their place.
    pub suggestion: Option<String>,
}

impl QueryError {
    /// The query with a line of carets under what is wrong, and the explanation:
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
    fn carets_stand_under_the_fault_whatever_its_width() {
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
