//! widetui: an explorer for the logs of distributed scientific workflows.
#![warn(missing_docs)]

pub mod base;
pub mod cli;
pub mod export;
pub mod format;
pub mod query;
pub mod source;
pub mod store;
pub mod ui;
pub mod workspace;
