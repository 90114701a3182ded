#![allow(clippy::unwrap_used, clippy::expect_used)]

mod counts;
mod evaluation;
mod exprs;
mod language;
mod oracle;
mod read_failures;
mod store;
mod tables;
