//! Plots of plain data; each module draws one kind.
//!
//! [`look::Looks`] assigns the hues and patterns that distinguish the members of all plots.

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
