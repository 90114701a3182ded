//! Analyses: pure functions from a snapshot (and a selection) to plain data. Views, headless commands and tests use the same.
//!
//! Everywhere: copies count once; percentiles interpolate linearly; at equal times an end comes before a start; what has
//! not ended reaches the end of the data; a selection clips what was computed on all data.

pub mod diagnose;
pub mod entity;
pub mod hung;
pub mod trace;

pub use entity::{Entity, Instances};
