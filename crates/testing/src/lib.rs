//! Helpers of tests that need an opened run. Never published.
//!
//! * [`runs`]: the runs below `tests/data`, how tests open them, and records as other programs counted them;
//! * [`diagnosed`]: a run with its instances, unfinished work and findings, beside the truth about it;
//! * [`packing`]: bytes in every container and compression, also damaged ones;
//! * [`corpora`]: runs outside the repository.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

pub mod corpora;
pub mod diagnosed;
pub mod packing;
pub mod runs;
