//! Reading: sources in every container, invariants of all logs, counts by other programs.

mod archives;
mod corpora;
mod hostile_input;
mod laws;
mod recorded_counts;
