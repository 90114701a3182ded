//! Strings of a file with their positions.

use toml::Spanned;

/// A string, with the byte range of its literal in the file.
pub type Text = Spanned<String>;
