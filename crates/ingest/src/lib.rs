//! Loads and follows log sources: paths in, better and better [`widetui_store::Snapshot`]s out.
//!
//! ```text
//! discover ──> preview: head and tail of every file ──> first snapshot (replaced later)
//!     └──────> files, archives, standard input ──> detector ──> reader ──> load state ──> snapshot ──> follower
//! ```
//!
//! * [`load`] runs a load: [`options`] in, [`options::LoadMsg`]s out; `load_context` and `load_state` are what its threads
//!   share and have read so far;
//! * `files`, `archive`, `standard_input` and `tables` read sources; `framed_logs`, `tree_documents`, `exports`,
//!   `parquet_files` and `fact_files` those whose lines are not their records; [`stream_pieces`] and [`chunk`] cut text into pieces of whole lines;
//! * [`detector`] decides how a source is read; `source_entries` records what is known of it;
//! * `zones`, `dates`, `repeated_hour`, [`clocks`] and `clock_correction` infer what stamps leave out; [`shifts`] moves
//!   clocks that the user corrects;
//! * [`provenance`] decides which run a source belongs to, and which records are duplicates;
//! * `follow` polls sources that grow ([`follow_switch`]) and extends the last snapshot;
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
mod dates;
pub mod definitions;
pub mod detector;
mod exports;
mod fact_files;
pub mod fact_tables;
mod file_groups;
mod files;
mod finish;
pub mod follow;
pub mod follow_switch;
mod framed_logs;
mod line_spool;
pub mod load;
mod load_context;
pub mod load_state;
mod numbering_gate;
pub mod options;
mod parquet_files;
mod paused_input;
mod preview;
pub mod provenance;
mod record_reader;
mod repeated_hour;
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
