//! Fast path from lines to columns, run by one loader thread at a time.

pub(crate) mod interleaved_records;
pub(crate) mod json_cells;
pub mod json_forms;
pub mod json_gaps;
pub mod json_lines;
pub(crate) mod json_record;
pub(crate) mod line_predictor;
pub mod lines;
pub(crate) mod region_cache;
