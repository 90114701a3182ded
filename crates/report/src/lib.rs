//! What leaves the program: events as JSON lines and CSV, results of analyses as rows, and plots as SVG.

pub mod csv;
pub mod event;
pub mod figures;
pub mod jsonl;
pub mod messages;
pub mod origin;
pub mod records;
pub mod results;
pub mod sheet;
pub mod svg;
