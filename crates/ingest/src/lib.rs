//! Loads and follows log sources: paths in, better and better [`widetui_store::Snapshot`]s out.
//!
//! ```text
//! discover ──> preview: head and tail of every file ──> first snapshot (replaced later)
//!     └──────> files, archives, standard input ──> detector ──> reader ──> load state ──> snapshot ──> follower
//! ```
//!
//! * [`load`] runs a load: [`options`] in, [`options::LoadMsg`]s out; `load_context` and `load_state` are what its threads
//!   share and have read so far;
//! * `record_reader` reads the records of a text and goes on where it stopped: a load is a resume from 0;
//! * `files`, `archive`, `standard_input` and `tables` read sources; `framed_logs`, `tree_documents`, `exports`,
//!   `parquet_files` and `fact_files` those whose lines are not their records; [`stream_pieces`] and [`chunk`] cut text into pieces of whole lines;
//! * [`detector`] decides how a source is read; `source_entries` records what is known of it;
//! * `zones`, `dates`, `repeated_hour`, [`clocks`] and `clock_correction` infer what stamps leave out; [`shifts`] moves
//!   clocks that the user corrects;
//! * [`provenance`] decides which run a source belongs to, and which records are duplicates;
//! * `finish` lists the steps after reading, which a load takes once, and a growing run when one of their inputs changed;
//! * `polling` and `follower` poll sources that grow ([`follow_switch`]), `input_growth`, `container_growth` and `piped_growth`
//!   read what is new in them, `followed_file` and `rotation` see what became of files, and `publication` extends the last
//!   snapshot;
//! * [`threads`] are the pools of loading and of questions.
//!
//! Invariants: a snapshot never changes, and the snapshots of a live run extend each other; following in any steps gives
//! the snapshot of reading everything at once; a source that cannot be read is listed with its problem and never ends a load.

mod archive;
mod batch;
mod cardinality;
pub mod chunk;
mod clock_correction;
pub mod clocks;
mod container;
mod container_growth;
mod dates;
pub mod definitions;
pub mod detector;
mod exports;
mod fact_files;
pub mod fact_tables;
mod file_groups;
mod files;
mod finish;
pub mod follow_switch;
mod followed_file;
mod follower;
mod framed_logs;
mod input_growth;
mod line_spool;
pub mod load;
mod load_context;
pub mod load_state;
mod numbering_gate;
pub mod options;
mod parquet_files;
mod paused_input;
mod piped_growth;
mod piped_input;
mod polling;
mod preview;
pub mod provenance;
mod publication;
mod record_reader;
mod repeated_hour;
mod rotation;
pub mod shifts;
mod source_entries;
mod standard_input;
pub mod stream_pieces;
mod stream_source;
mod table_source;
mod tables;
pub mod threads;
mod tree_documents;
pub mod worker;
mod zones;
