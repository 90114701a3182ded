//! The program as a whole: its commands, the explorer in a terminal, the README.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod answers;
mod cli;
mod explorer;
mod generated_runs;
mod packaging;
mod program;
mod readme;
