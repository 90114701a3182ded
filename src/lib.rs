//! widetui: an explorer for the logs of distributed scientific workflows.
pub mod base;
