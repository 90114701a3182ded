//! Formats: from bytes to records. Layouts, templates and keys, JSON, and the definitions of systems.
//!
//! In go chunks of bytes with what `choose` found out about their source; out come records to a `sink`: their times, their
//! shapes, and a code for each value (`encode`). Lines are read by `lines`, lines of JSON by `jsonload`; what is neither is made
//! into lines of JSON first (`table`). `systems` and `kinds` compile definitions, `check` tells what is wrong with
//! them. No file and no path is opened here.
//!
//! A field of a pattern: `fieldkind`. A dialect's switch: `jsonspec`. A way to write tables: `table`. What others write around
//! each line: `envelope`.

mod ahead;
pub mod catalog;
pub mod check;
pub mod choose;
mod chunk;
pub mod claims;
pub mod colours;
pub mod compose;
mod crowd;
pub mod detect;
pub mod documents;
pub mod embedded;
pub mod encode;
pub mod envelope;
pub mod explode;
pub mod exported;
pub mod extras;
mod fieldclaims;
pub mod fieldkind;
mod fieldnames;
pub mod fields;
pub mod form;
pub mod further;
mod generic;
pub mod glob;
mod guessedlayouts;
mod guest_records;
pub mod guests;
mod header;
mod headertext;
pub mod hosts;
pub mod json;
mod jsoncells;
pub mod jsonforms;
pub mod jsongaps;
pub mod jsonload;
pub mod jsonpick;
mod jsonrecord;
pub mod jsonscan;
pub mod jsonspec;
mod jsontemplates;
mod jsontracks;
pub mod keys;
pub mod kinds;
pub mod layout;
mod leading;
pub mod levels;
pub mod lines;
pub mod logfmt;
pub mod mine;
mod mined;
pub mod parts;
pub mod pattern;
pub mod quotes;
pub mod reader;
pub mod record_form;
mod regions;
pub mod scope;
pub mod shapes;
mod shares;
pub mod sink;
pub mod structured;
pub mod systems;
pub mod table;
mod tag;
pub mod token;
mod told;
mod tryorder;
pub mod within;
mod wordings;
mod writers;
