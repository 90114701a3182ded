//! The facade over everything below: an opened run.

mod archive;
pub mod assemble;
pub mod chunk;
pub mod definitions;
pub mod detector;
pub mod load;
mod preview;
pub mod repeated;
pub mod stream;
mod units;
pub mod worker;
