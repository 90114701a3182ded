//! Tests of formats and definitions.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod definitions;
