//! Formats: from bytes to records. Layouts, templates, keys, JSON, tables, and the definitions of systems compiled.
//!
//! In go chunks of bytes and the reader that [`detect`] chose for their source; out come records to a sink
//! ([`catalog::sink`]): times, shapes, and a code for each value. No file is opened here.
//!
//! From the bottom up, each module using only those above it in this list:
//!
//! * [`text`], [`pattern`]: tokens, JSON values; the pattern language and path globs;
//! * [`catalog`]: keys, templates and shapes of a run; [`fields`]: a record read on its own; [`framing`]: what container
//!   runtimes and syslog put around each line;
//! * [`messages`], [`json`], [`layout`]: the three parts of a record's syntax; [`interleaved`]: lines of other programs;
//! * [`reader`]: how the records of one source are read; [`load`]: the same at speed, into columns;
//! * [`definitions`]: systems and kinds of sources; [`sample`], [`table`]: the first records of a source; sources whose
//!   records are no lines; [`exports`]: what widetui wrote itself;
//! * [`detect`]: chooses kind, layout or dialect; [`check`]: checks definitions and their samples.
//!
//! To add: a field of a pattern, `pattern::field_kind`; a setting of a dialect, `json::dialect`; a way to write tables,
//! `table`; a log framing, `framing`.

pub mod catalog;
pub mod check;
mod chunk;
pub mod definitions;
pub mod detect;
pub mod exports;
pub mod fields;
pub mod framing;
pub mod interleaved;
pub mod json;
pub mod layout;
pub mod load;
pub mod messages;
pub mod pattern;
pub mod reader;
pub mod record_form;
pub mod sample;
pub mod table;
pub mod text;
