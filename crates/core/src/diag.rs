//! Diagnostics: problems with *data*.
//!
//! Unreadable data is neither fatal nor silent: each problem becomes a `Diagnostic` that the Sources view, the
//! `sources` command and standard error show.

use std::fmt;

use super::words::several;

/// Severity of a problem with data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Information, such as an assumed time zone; no data is missing.
    Note,
    /// Part of the data could not be read or parsed.
    Warning,
    /// A whole source could not be read or, if the diagnostic has an offset, nothing after that offset.
    Error,
}

/// Problem with data: its location and its consequence for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Severity of the problem.
    pub severity: Severity,
    /// Path as the user would write it; for a member of an archive, the archive's path comes first.
    pub path: String,
    /// Byte offset in the source, if known.
    pub offset: Option<u64>,
    /// Description of the problem and, where useful, of the remedy.
    pub text: String,
    /// Number of affected lines, if counted; shown before the text.
    pub lines: Option<u64>,
}

impl Diagnostic {
    /// Creates a diagnostic for a whole path.
    pub fn new(severity: Severity, path: impl Into<String>, text: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            path: path.into(),
            offset: None,
            text: text.into(),
            lines: None,
        }
    }

    /// Text for display, preceded by the number of lines if counted: `12 lines: …`.
    pub fn message(&self) -> String {
        match self.lines {
            Some(n) => {
                let lines = several(usize::try_from(n).unwrap_or(usize::MAX), "line");
                format!("{lines}: {}", self.text)
            }
            None => self.text.clone(),
        }
    }

    /// Sets the byte offset of the problem.
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.message();
        match self.offset {
            Some(offset) => write!(f, "{}: at byte {}: {}", self.path, offset, text),
            None => write!(f, "{}: {}", self.path, text),
        }
    }
}
