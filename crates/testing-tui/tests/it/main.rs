//! Tests of the screen harness: what it reports about screens must itself be right.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod pictures;
mod terminals;
