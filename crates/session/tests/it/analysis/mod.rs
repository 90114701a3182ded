//! Entities, states, durations and messages, against the ground truth of runs.

mod durations;
mod entities;
mod flow;
mod small_run;
