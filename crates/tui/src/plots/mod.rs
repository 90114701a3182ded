//! Pictures of plain data: each file draws one kind.
//!
//! All pictures share one way of telling their members apart, [`look::Looks`]: hues, and where there are none, patterns.

pub mod axis;
pub mod gantt;
pub mod histogram;
pub mod lines;
pub mod look;
pub mod sequence;
pub mod spark;
pub mod spread;
pub mod stacked;

pub use look::Looks;
