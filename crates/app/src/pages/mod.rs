//! Pages: views that consist of lines instead of a table.

pub mod findings;
pub mod hung;
pub mod page;
