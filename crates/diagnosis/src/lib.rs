//! Diagnosis: which work did not finish, what is wrong in a run, and what caused it.
//!
//! ```text
//! instances of all entities ──unfinished──> UnfinishedWork: unfinished work, idle resources, silences, ends of runs
//! definitions ──known────────────────────> Fact ┐
//! records ─────widetui_evidence::facts───> Fact ┴─graph─score─> roots ──words──> Finding
//! ```
//!
//! * [`unfinished`]: unfinished work items and their dependencies, idle resources, silent sources, and the ends of runs.
//! * [`hint`]: messages that definitions explain.
//! * `known`: facts that definitions know; one pure function each.
//! * [`mod@diagnose`]: joins the facts, and ranks the causes.
//! * [`words`]: the only place that makes sentences of facts.

pub mod diagnose;
pub mod finding;
mod gone;
pub mod hint;
mod known;
pub mod unfinished;
mod word_samples;
pub mod words;

pub use diagnose::diagnose;
pub use finding::{Diagnosis, Effect, Finding, Stage};
pub use gone::gone;
pub use widetui_definition::semantics::Severity;
pub use word_samples::misjudged;
