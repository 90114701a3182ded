//! Formats: from bytes to records. Layouts, templates, keys, JSON, tables, and compiled definitions of systems.
//!
//! The input is chunks of bytes and the reader that [`detect`] chose for their source; the output is records delivered
//! to a sink ([`catalog::sink`]): times, shapes, and one code per value. This crate opens no files.
//!
//! From the bottom up; each module uses only those above it in this list:
//!
//! * [`text`], [`pattern`]: tokens and JSON values; the pattern language and path globs;
//! * [`catalog`]: keys, templates and shapes of a run; [`fields`]: a single record; [`framing`]: text that container
//!   runtimes and syslog put around each line;
//! * [`messages`], [`json`], [`layout`]: the three parts of a record's syntax; [`interleaved`]: lines of other
//!   programs;
//! * [`reader`]: reads the records of one source; [`load`]: the same at full speed, into columns;
//! * [`definitions`]: systems and kinds of sources; [`sample`]: the first records of a source; [`table`]: sources whose
//!   records are not lines; [`exports`]: files written by widetui;
//! * [`detect`]: chooses kind, layout or dialect; [`check`]: checks definitions and their samples.
//!
//! Where to add things: a field of a pattern in `pattern::field_kind`, a setting of a dialect in `json::dialect`, a
//! table format in `table`, a log framing in `framing`.

#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

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
