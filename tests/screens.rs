//! The explorer's screens: golden files, key scripts, and the real binary in a terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

#[path = "explorer/between.rs"]
mod between;
#[path = "explorer/binary.rs"]
mod binary;
#[path = "explorer/commands.rs"]
mod commands;
#[path = "explorer/comparing.rs"]
mod comparing;
#[path = "explorer/events.rs"]
mod events;
#[path = "explorer/everyview.rs"]
mod everyview;
#[path = "explorer/exports.rs"]
mod exports;
#[path = "explorer/findings.rs"]
mod findings;
#[path = "explorer/flow.rs"]
mod flow;
#[path = "explorer/golden.rs"]
mod golden;
#[path = "explorer/hands.rs"]
mod hands;
#[path = "explorer/hanging.rs"]
mod hanging;
#[path = "explorer/joining.rs"]
mod joining;
#[path = "explorer/keeping.rs"]
mod keeping;
#[path = "explorer/kept.rs"]
mod kept;
#[path = "explorer/naming.rs"]
mod naming;
#[path = "explorer/panes.rs"]
mod panes;
#[path = "explorer/plots.rs"]
mod plots;
#[path = "explorer/rowsearch.rs"]
mod rowsearch;
#[path = "explorer/said.rs"]
mod said;
#[path = "explorer/scripts.rs"]
mod scripts;
#[path = "explorer/session.rs"]
mod session;
#[path = "explorer/tables.rs"]
mod tables;
#[path = "explorer/things.rs"]
mod things;
