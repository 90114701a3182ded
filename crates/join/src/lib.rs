//! Joins: rules by which keys of an event determine other keys. An event receives values that other
//! events report about the same instance, regardless of the order of the events.
//!
//! [`apply_joins`] derives values for the events of a snapshot from a list of [`Join`]s; [`JoinResults`]
//! holds the overlay of derived values and a [`Report`] per join.
//!
//! ```text
//! definitions, the user ──> Join ──compile──> rounds: values of events are evidence for groups ──> JoinTable
//!                                               ^     values of groups are derived for events <─────┘
//!                                               └──── until no value is new
//! ```
//!
//! * For one value of the left keys a right key has one value; several values are a conflict, and
//!   no event receives any of them. A combination of join, group and key that ever had several
//!   values stays blocked, and all values are derived again without it. So the result does not
//!   depend on the order of joins, files or arrival.
//! * Stored values never change: derived values lie in an overlay of the snapshot, each with the
//!   join that derived it.
//! * Rounds are synchronous: all joins read the state at the start of the round.

mod applicable;
mod cardinality;
mod compiled_join;
mod condition_cache;
mod conflicts;
mod derivation;
mod derived_values;
mod doubt;
pub mod extraction;
mod file_sections;
mod fixpoint;
mod left_tuples;
mod marks;
pub mod naming;
mod omissions;
mod refutation;
mod report;
mod rounds;
mod row_walk;
mod selection_report;
pub mod spec;
pub mod suggest;
mod table;
mod value_assignment;

pub use conflicts::{AllConflicts, Conflict};
pub use derivation::{Derivation, derivation_of, joining_key};
pub use doubt::undecided_records;
pub use extraction::{ExtractionPreview, preview_extraction};
pub use fixpoint::apply_joins;
pub use omissions::Omission;
pub use report::{JoinResults, Report, omission_messages};
pub use selection_report::restrict_reports;
pub use spec::{Composition, ExtractionRule, Join, JoinRule, KeyRule, Receivers, TypedJoin};
