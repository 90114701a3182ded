//! Diagnosis: which work did not finish, what is wrong in a run, and what caused it.
//!
//! ```text
//! Instances of all entities ──unfinished──> UnfinishedWork: unfinished work, idle resources, silences, ends of runs
//!                             UnfinishedWork ──findings──> Diagnosis: ranked findings, each with its cause and its evidence
//! ```
//!
//! * [`unfinished`]: unfinished work items and their dependencies, idle resources, silent sources, and the ends of runs.
//! * [`findings`]: failures, lost resources, errors, unfinished work and outliers. An event is evidence of one finding
//!   only, and an effect is merged into the finding of its cause.
//! * [`evidence`]: facts about instances, a graph of causes, and its roots as findings.
//!
//! Both are plain data that is computed from a snapshot and the instances of its entities; they become sentences in the
//! `words` module of each.

pub mod evidence;
pub mod findings;
pub mod unfinished;
mod word_samples;

pub use word_samples::misjudged;
