//! Pages: views that consist of lines instead of a table.

pub mod findings;
pub mod page;
pub mod unfinished;
