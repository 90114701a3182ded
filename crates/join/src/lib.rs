//! Joins: keys imply keys. Events receive values that other events state about the same instance, also earlier ones.
//!
//! [`widen`] derives the values of a [`Join`] list for a snapshot; [`Widened`] holds the overlay and a [`Report`] per join.
//!
//! ```text
//! definitions, the user ──> Join ──compile──> rounds: events give their values to groups ──> JoinTable
//!                                               ^     groups give them to their events <───────┘
//!                                               └──── until no value is new
//! ```
//!
//! * For one value of the left keys a right key has one value; several are a conflict, and no event receives any. A set
//!   (join, group, key) that ever had several values stays blocked, and everything is derived again without it. So the
//!   result does not depend on the order of joins, files or arrival.
//! * Stored values never change: derived values lie in an overlay of the snapshot, each with the join that gave it.
//! * Rounds are synchronous: all joins read the state at the start of the round.

mod applicable;
mod cardinality;
mod condition_cache;
mod conflicts;
mod derivation;
mod exactly_once;
mod file_sections;
mod left_tuples;
mod omissions;
pub mod reading;
mod receive;
mod replica_paths;
mod report;
mod rounds;
mod row_walk;
mod selection_report;
pub mod spec;
pub mod suggest;
mod table;
mod widening;
mod work;

pub use conflicts::{AllBlocked, Conflict};
pub use derivation::{Derivation, via};
pub use omissions::{MAX_BY, Omission};
pub use reading::{Trial, trial};
pub use report::{Report, Widened, left_out};
pub use selection_report::among;
pub use spec::{Composition, Join, JoinRule, KeyRule, ReadingRule, Receivers};
pub use widening::widen;
