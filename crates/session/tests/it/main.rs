//! Opened runs: reading, joins, analyses and diagnosis, without the explorer and the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod analysis;
mod diagnosis;
mod ingest;
mod joins;
mod liveness;
