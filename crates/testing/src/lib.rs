//! Helpers for tests that need a loaded run. Never published.
//!
//! * [`runs`]: runs below `tests/data`, functions that open them, and record counts by independent programs;
//! * [`diagnosed`]: a run with its instances, unfinished work, findings and ground truth;
//! * [`packing`]: bytes in all containers and compressions, also damaged ones;
//! * [`corpora`]: runs outside the repository.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

pub mod corpora;
pub mod diagnosed;
pub mod packing;
pub mod runs;
