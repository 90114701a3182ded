//! Joins: keys imply keys. Widens events with what other events say about the same thing, also back in time.
//!
//! ```text
//! definitions, the user ──> Join ──compile──> rounds: events say what they know of a group ──> Table
//!                                               ^     groups say it to their events  <────────────┘
//!                                               └──── until nothing is new
//! ```
//!
//! * Within one value of the left keys a right key has one value, or nobody receives one: several are a conflict. A set
//!   (join, group, key) that ever had several values stays blocked, and everything is derived again without it. So the
//!   result does not depend on the order of joins, files or arrival.
//! * What was read is never changed: derived values lie in an overlay of the snapshot, each with the join that gave it.
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
