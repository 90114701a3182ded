//! Laws that hold for every log, checked on real runs and on damaged ones.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod runs;

#[path = "laws/any_bytes.rs"]
mod any_bytes;
#[path = "laws/chunks.rs"]
mod chunks;
#[path = "laws/columns.rs"]
mod columns;
#[path = "laws/containers.rs"]
mod containers;
#[path = "laws/crowded.rs"]
mod crowded;
#[path = "laws/forms.rs"]
mod forms;
#[path = "laws/guests.rs"]
mod guests;
#[path = "laws/line_ends.rs"]
mod line_ends;
#[path = "laws/order.rs"]
mod order;
#[path = "laws/steps.rs"]
mod steps;
