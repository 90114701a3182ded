//! Errors in definitions, with their positions.

use std::fmt;
use std::ops::Range;

use widetui_core::nearest::nearest;

use crate::packed;

/// Error in a definition: file, position, problem and remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct DefError {
    /// File as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Problem and remedy.
    pub column: usize,
    /// What is wrong and what to do.
    pub text: String,
}

impl fmt::Display for DefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.text
        )
    }
}

/// Text of a file, for errors with positions.
#[derive(Clone, Copy, Debug)]
pub struct FileText<'a> {
    /// File as the user named it.
    pub file: &'a str,
    /// Text.
    pub text: &'a str,
}

impl FileText<'_> {
    /// Builds an error at a byte offset of the file.
    pub fn error(&self, at: usize, text: impl Into<String>) -> DefError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        DefError {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            text: text.into(),
        }
    }

    /// Builds an error at byte `at` of the value of a string, whose literal (with its quotes) is at `span`.
    pub fn error_in_string(
        &self,
        span: Range<usize>,
        at: usize,
        text: impl Into<String>,
    ) -> DefError {
        let literal = self.text.get(span.clone()).unwrap_or_default();
        self.error(span.start + offset_in_literal(literal, at), text)
    }

    /// Converts an error of the TOML parser; unknown names get a suggestion.
    pub fn toml_error(&self, error: &toml::de::Error) -> DefError {
        self.syntax_error(&packed::Error {
            message: error.message().to_owned(),
            span: error.span(),
            field: None,
        })
    }

    /// Converts an error of a definition's syntax; unknown names get a suggestion.
    pub fn syntax_error(&self, error: &packed::Error) -> DefError {
        let message = error.message.as_str();
        let at = error.span.as_ref().map_or(0, |s| s.start);
        let mut names = message.split('`').skip(1).step_by(2);
        let text = match names.next() {
            Some(wrong) if message.starts_with("unknown field") => {
                let known: Vec<&str> = names.collect();
                unknown("field", wrong, &known)
            }
            Some(wrong) if message.starts_with("unknown variant") => {
                let known: Vec<&str> = names.collect();
                unknown("value", wrong, &known)
            }
            _ => message.lines().next().unwrap_or_default().to_owned(),
        };
        self.error(at, text)
    }
}

/// Message about an unknown name: "unknown X 'wrong'; did you mean 'close'? there are ..."
pub fn unknown(what: &str, wrong: &str, known: &[&str]) -> String {
    let near = nearest(wrong, known.iter().copied());
    let near = near.map_or(String::new(), |n| format!(" did you mean '{n}'?"));
    if known.is_empty() {
        return format!("unknown {what} '{wrong}': none is defined");
    }
    format!(
        "unknown {what} '{wrong}';{near} there are {}",
        known.join(", ")
    )
}

/// Position of byte `at` of a string's value in its TOML literal.
fn offset_in_literal(literal: &str, at: usize) -> usize {
    let (open, escapes) = if literal.starts_with("\"\"\"") {
        (3, true)
    } else if literal.starts_with("'''") {
        (3, false)
    } else if literal.starts_with('"') {
        (1, true)
    } else {
        (usize::from(literal.starts_with('\'')), false)
    };
    let mut pos = open;
    if open == 3 && literal[3..].starts_with('\n') {
        pos += 1;
    }
    let mut value = 0;
    while value < at && pos < literal.len() {
        let rest = &literal[pos..];
        let Some(c) = rest.chars().next() else { break };
        if escapes && c == '\\' {
            let (len, bytes) = match rest.as_bytes().get(1) {
                Some(b'u') => (6, 1),
                Some(b'U') => (10, 1),
                _ => (2, 1),
            };
            pos += len;
            value += bytes;
        } else {
            pos += c.len_utf8();
            value += c.len_utf8();
        }
    }
    pos.min(literal.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_lines_and_columns_of_characters() {
        let origin = FileText {
            file: "x.toml",
            text: "a = 1\nü = 'é{b'\n",
        };
        let error = origin.error_in_string(11..17, 2, "open");
        assert_eq!(error.to_string(), "x.toml:2:7: open");
    }

    #[test]
    fn escapes_count_as_one_byte_of_the_value() {
        assert_eq!(offset_in_literal("\"a\\tb{\"", 3), 5);
        assert_eq!(offset_in_literal("'a{'", 1), 2);
        assert_eq!(offset_in_literal("'''\nab'''", 1), 5);
    }
}
