//! What leaves the program: events as JSON lines and CSV, and plots as SVG.

pub mod csv;
pub mod event;
pub mod jsonl;
pub mod svg;
