//! Evidence about causes: which facts the records of a run show, and which of them explains the others.
//!
//! ```text
//! Snapshot ──actors──> Records: names, numbers and the actor of each ──facts──> Fact ──graph──> edges ──score──> roots
//! ```
//!
//! * [`actors`]: who wrote each record and what it names, also where no definition says so.
//! * [`facts`]: pure functions of the records, without an order among them.
//! * [`graph`]: which fact explains which; [`score`]: how much each explains, and how severe it is.
//! * [`data`]: words and weights, `ranking.toml`.
//!
//! Facts are typed and hold no text; they become sentences in the crate above.

pub mod actors;
pub mod data;
pub mod facts;
pub mod graph;
pub mod score;
