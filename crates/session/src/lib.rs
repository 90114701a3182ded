//! An opened run: its selection with undo, background jobs, and saved state.
//!
//! The explorer and the commands work through this crate. Nothing in it draws or prints.
//!
//! * [`selection`] is the stack of pivots and filters with undo; [`rows`] evaluates it, [`context_lines`] adds records
//!   before and after the selected ones;
//! * [`jobs`] answers questions on threads: a new question cancels the previous one of its kind; [`incremental`]
//!   carries answers over to a snapshot that has grown;
//! * [`meaning`] holds the compiled definitions: joins, entities, hints, rules; [`instances`] finds the instances of
//!   entities once per snapshot; [`names`] resolves the names that users type for them;
//! * [`overview`], [`histogram`] and [`plots`] are counts and curves over time; [`dependencies`] arranges which task waits for which; [`instance_table`], [`check_table`] and
//!   [`comparison`] are tables; [`findings`] is the diagnosis of the selection, [`liveness`] whether records
//!   still arrive;
//! * [`record_search`] and [`recurrence`] find records; [`record_texts`] re-reads their text for the screen;
//! * [`saved`] stores marks, notes and the selection in a file; [`export_files`] writes pictures, tables, records and [`report`]s.
//!
//! Invariant: an answer belongs to one snapshot; it is dropped or carried over when the snapshot changes, never mixed.

pub mod check_table;
pub mod comparison;
pub mod context_lines;
pub mod definitions;
pub mod demo;
pub mod dependencies;
pub mod export_files;
pub mod fact_joins;
pub mod findings;
pub mod histogram;
pub mod incremental;
pub mod instance_table;
pub mod instances;
pub mod jobs;
pub mod key_roles;
pub mod liveness;
pub mod meaning;
pub mod names;
pub mod notable_work;
pub mod overview;
pub mod plots;
pub mod problem_lines;
pub mod record_search;
pub mod record_texts;
pub mod recurrence;
pub mod report;
pub mod rows;
pub mod saved;
pub mod selection;
pub mod unfinished_details;
pub mod user_joins;
