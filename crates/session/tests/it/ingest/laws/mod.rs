//! Invariants of every log, checked on real and on damaged ones.

mod any_bytes;
mod chunks;
mod columns;
mod containers;
mod interleaved_output;
mod json_shapes;
mod line_ends;
mod line_predictor;
mod time_order;
mod unbounded_messages;
