//! Pages of lines: the views that are no tables.

pub mod findings;
pub mod hung;
pub mod page;
