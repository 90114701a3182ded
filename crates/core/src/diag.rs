//! Diagnostics: the one way to report a problem with *data*.
//!
//! Data that cannot be read is never fatal and never silent: it becomes a `Diagnostic` that the Sources view, the
//! `sources` command and standard error show.

use std::fmt;

use super::words::several;

/// How bad a problem with data is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; nothing is missing (an assumed time zone).
    Note,
    /// Part of the data could not be read or understood.
    Warning,
    /// A whole source could not be read; with an offset, nothing behind that.
    Error,
}

/// One problem with data: where it is and what it means for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The path as the user would name it, with the archive in front of a member's name.
    pub path: String,
    /// Byte offset in the source, when there is one.
    pub offset: Option<u64>,
    /// What happened and, where it helps, what to do.
    pub text: String,
    /// To how many lines it happened, where they are counted; shown before the text.
    pub lines: Option<u64>,
}

impl Diagnostic {
    /// A problem with a whole path.
    pub fn new(severity: Severity, path: impl Into<String>, text: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            path: path.into(),
            offset: None,
            text: text.into(),
            lines: None,
        }
    }

    /// The text as it is shown, with the number of lines where they are counted: `12 lines: …`.
    pub fn told(&self) -> String {
        match self.lines {
            Some(n) => {
                let lines = several(usize::try_from(n).unwrap_or(usize::MAX), "line");
                format!("{lines}: {}", self.text)
            }
            None => self.text.clone(),
        }
    }

    /// The same problem at a byte offset.
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.told();
        match self.offset {
            Some(offset) => write!(f, "{}: at byte {}: {}", self.path, offset, text),
            None => write!(f, "{}: {}", self.path, text),
        }
    }
}
