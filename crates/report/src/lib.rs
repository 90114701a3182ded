//! Output: events as JSON lines and CSV, results of analyses as tables, and plots as SVG.
//!
//! * [`event::FullEvent`] is an event with its text and all its keys, [`jsonl`] and [`records`] write it, [`origin`] adds what
//!   restores its source when it is read back.
//! * [`sheet::Sheet`] is a table with typed cells. Text, JSON lines and CSV come from the same rows.
//! * [`flat`], [`event_batch`] and [`flat_results`] make tables whose columns have one type each, for data frames and SQL engines; `columnar` (feature
//!   `parquet`) writes them as Arrow streams and Parquet. [`run_columns`] and `run_batch` make the table of records that has the same columns
//!   for every run and is read back.
//! * [`trace_events`] writes lifetimes, states and messages as a trace that Perfetto opens.
//! * [`figure::Figure`] is a plot with its title and range: marks that the explorer draws in cells and [`svg`] as an image.
//! * [`document`] is a text with tables and figures, written as a page, as Markdown, and by commands as text.
//! * [`dot`] writes a graph of dependencies for GraphViz.
//!
//! Commands and the explorer write the same bytes for the same result. Names in JSON and CSV are stable. Nothing here opens a
//! file or writes to a terminal.

#[cfg(feature = "parquet")]
pub mod columnar;
pub mod csv;
pub mod document;
pub mod dot;
pub mod event;
pub mod event_batch;
pub mod figure;
pub mod flat;
pub mod flat_results;
pub mod jsonl;
mod markup;
pub mod origin;
pub mod records;
#[cfg(feature = "parquet")]
pub mod run_batch;
pub mod run_columns;
pub mod sheet;
pub mod svg;
pub mod trace_events;
