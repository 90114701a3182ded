//! widetui: an explorer for the logs of distributed scientific workflows. This page is the tour of its code.
//!
//! The modules in reading order; each uses only those above it (`ui` and `cli` do not know each other):
//!
//! | module | what it is |
//! |---|---|
//! | [`base`] | small things that all use: ids, times in ns, levels, values as numbers, diagnostics, cancelling |
//! | [`source`] | files found and read as bytes, compressed text kept, rows of databases; never what the bytes mean |
//! | [`format`](mod@format) | bytes to records: layouts, JSON, templates, keys; `systems/*.toml` compiled; never a path or a file |
//! | [`store`] | the records: columns in segments, time order, snapshots |
//! | [`query`] | expressions evaluated on snapshots; keys and values counted; what can be typed next |
//! | [`join`] | keys that imply keys: events widened with what others say about the same thing, to a fixpoint |
//! | [`analysis`] | entities, traces, states, times, what hangs and why: selection in, plain data out |
//! | [`export`] | a record with all its keys, as JSON lines and CSV |
//! | [`workspace`] | the facade: opens runs, holds the selection, puts analyses together, asks in the background, reads text again |
//! | [`cli`] | the command line: answers of the facade and of single analyses as text, JSON lines or CSV |
//! | [`ui`] | the explorer: [`ui::update`](mod@ui::update) alone changes the model, views only draw it |
//!
//! ```text
//!  files, archives, stdin                                 keys, mouse             arguments
//!         │ bytes                                              │                      │
//!         v                                                    v                      v
//!  source ──> format ──> store: segments ──> Snapshot ──> workspace <── Msg/Effect ── ui
//!     ^          ^                              │   ^          ^                      cli ──> stdout
//!     │    systems/*.toml                       v   │          │
//!     │                    query ──> join ──> analysis         │
//!     └──────────── text of the records on the screen ─────────┘
//! ```
//!
//! # What is costly to change, and why it is so
//!
//! * **Text by reference.** A record knows source, offset and length; its text is read again when somebody looks. A run
//!   of gigabytes needs megabytes. So a source must be able to read at an offset: compressed members are kept in blocks
//!   ([`source::spool`]), and files are read with `pread`, not mapped, because a mapped log that is truncated kills us.
//! * **Templates first.** A message is split into literal and variable parts ([`format::token`]); the literal part names a
//!   template. The patterns of a definition are matched once per template, and the plan that results is applied to all its
//!   records without a regular expression ([`format::scope`]). This is where the speed comes from. The fast path and the
//!   pattern itself must agree on every record.
//! * **Segments and snapshots.** Loader threads fill segments of a fixed size; sealed ones never change. A
//!   [`store::Snapshot`] is a consistent run for ever and takes no lock, so drawing and asking never wait for loading,
//!   and no answer is half of one state and half of another. What was read is never changed.
//! * **A live run is a row of snapshots that extend each other** ([`store::growth`]). Event ids never change; what a snapshot
//!   has that an earlier one has not, it can say at a cost that goes with the difference. Whoever keeps an answer up to
//!   date ([`workspace::incremental`]) asks about that stretch only. Lines that are not finished are in no settled record.
//! * **Columns per shape.** All records of one template at one code site share a shape, which has their constants once;
//!   what varies is a column of small numbers ([`base::dict`]). A pivot compares integers. Long and near-unique values
//!   are not stored, but read on demand.
//! * **Definitions as data.** What we know of a system stands in `systems/NAME.toml`, with samples that are its tests. So
//!   users can add a system, and no release is needed for it. Nothing in this crate may depend on one system's words.
//!   Every start needs all of them, and parsing them was most of it: the build script packs those that the program carries
//!   (`build/pack.rs`, `src/format/packed.rs`), and what is long and seldom needed is unpacked when it is asked for
//!   ([`format::later`]). Users' files are read as they are, so that mistakes are told with their places.
//! * **One facade.** Explorer and commands open runs through [`workspace`], and what takes more than one call of an analysis
//!   has one function there that both ask: what hangs and what is wrong ([`workspace::findings`]), what is different and
//!   what two sides come to ([`workspace::sidebyside`]). It takes a snapshot, what the definitions mean, and which records
//!   are asked about. So what one shows the other prints, and tests check it without a terminal (`tests/cli/alike.rs`). Where
//!   a command is one call of a pure function in [`analysis`], it calls that with what its arguments say; for the explorer
//!   [`workspace::plots`] and [`workspace::thingtable`] call the same function in the background.
//! * **Data never fails.** What cannot be read becomes a [`base::diag::Diagnostic`] that is counted and shown. Only wrong
//!   use is an error.
//!
//! # Where to start
//!
//! * How a run is loaded: [`workspace::load`], then [`format::lines`] for the innermost loop.
//! * How files that grow are followed: [`workspace::follow`].
//! * How a question is answered: [`query`], then [`query::select`](mod@query::select).
//! * What a key press does: [`ui::action`], `keymaps/default.toml`, [`ui::update`](mod@ui::update).
//! * How a log is understood: `systems/README.md`, [`format::choose`].
//!
//! `CONTRIBUTING.md` says where to add what.
#![warn(missing_docs)]

pub mod analysis;
pub mod base;
pub mod cli;
pub mod export;
pub mod format;
pub mod join;
pub mod query;
pub mod source;
pub mod store;
pub mod ui;
pub mod workspace;
