//! Diagnosis: which work did not finish, what is wrong in a run, and what caused it.
//!
//! ```text
//! Instances of all entities ──unfinished──> UnfinishedWork: unfinished work, idle resources, silences, ends of runs
//!                             UnfinishedWork ──findings──> Diagnosis: ranked findings, each with its cause and its evidence
//! ```
//!
//! * [`unfinished`]: work items that began and have not ended, what they wait for, which resources are idle, which sources
//!   are silent, how each run ended.
//! * [`findings`]: failures, lost resources, errors, hangs and odd numbers; an event is evidence of one finding only, and a
//!   finding that another one caused is told below that one.
//!
//! Both are plain data that is computed from a snapshot and the instances of its entities; they become sentences in the
//! `words` module of each.

pub mod findings;
pub mod unfinished;
