//! The explorer's screens: golden files and key scripts, without a terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod appearance;
mod comparison;
mod derived_keys;
mod entities;
mod events;
mod findings;
mod flow;
mod habits;
mod history;
mod joins;
mod jumps;
mod key_scripts;
mod message_log;
mod names;
mod panes;
mod plots;
mod row_search;
mod spans_between;
mod state;
mod tables;
mod unfinished_view;
