//! Tests of the definition language as users read it: its schema and its reference.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod reference;
mod schema;
