//! Reading: sources in every container, laws of all logs, counts made by other programs.

mod archives;
mod corpora;
mod hostile_input;
mod laws;
mod recorded_counts;
