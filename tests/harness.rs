//! Tests of the test harness: what it reports about screens must itself be right.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

#[path = "harness/pictures.rs"]
mod pictures;
#[path = "harness/terminals.rs"]
mod terminals;
