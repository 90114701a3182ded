//! Pages: views that consist of lines instead of a table.

pub(crate) mod findings;
pub(crate) mod unfinished;
