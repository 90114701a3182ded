//! Events as JSON lines and CSV: what the `events` and `export` commands write, and what the explorer copies.

pub mod csv;
pub mod event;
pub mod jsonl;
