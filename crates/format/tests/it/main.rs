//! Formats and definitions as a whole.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod definitions;
