//! Entities, states, durations and messages, against the ground truth of runs.

mod durations;
mod entities;
mod flow;
mod questions;
mod small_run;
