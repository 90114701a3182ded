//! Analyses: pure functions from a snapshot (and a selection) to plain data. Views, headless commands and tests use the same.
//!
//! Everywhere: copies count once; percentiles interpolate linearly; at equal times an end comes before a start; what has
//! not ended reaches the end of the data; a selection clips what was computed on all data.
//!
//! | module | answers |
//! |---|---|
//! | [`entity`] | which things there are, their events, states, starts and ends |
//! | [`mod@trace`] | all events of one thing |
//! | [`mod@latency`] | which steps eat the time of a thing |
//!
//! They share [`scope`] (what is asked about), [`columns`] (properties of all events), [`summary`] (percentiles),
//! [`steps`] (numbers over time) and [`bins`] (histograms).

pub mod bins;
pub mod columns;
pub mod entity;
pub mod latency;
pub mod scope;
pub mod steps;
pub mod summary;
pub mod trace;

pub use entity::{Entity, Instances};
