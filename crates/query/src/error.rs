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

/// The name among `names` that was probably meant: one that ends in `.typed`, else the one that differs least, if it
/// differs little.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let limit = (typed.chars().count() / 3).max(1);
    names
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let suffix = lower
                .strip_suffix(&typed)
                .is_some_and(|head| head.ends_with('.'));
            let far = if suffix { 0 } else { distance(&typed, &lower) };
            (far <= limit).then_some((far, name.len(), name))
        })
        .min()
        .map(|(_, _, name)| name)
}

/// Edits (insert, delete, replace, swap neighbours) between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_knows_typing_errors_and_short_forms() {
        let names = ["parsl.task", "parsl.try", "parsl.executor", "thread"];
        let meant = |typed| nearest(typed, names.into_iter());
        assert_eq!(meant("parsl.tsak"), Some("parsl.task"));
        assert_eq!(meant("task"), Some("parsl.task"));
        assert_eq!(meant("threed"), Some("thread"));
        assert_eq!(meant("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }

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
