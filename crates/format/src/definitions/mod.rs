//! Definitions in force: systems, kinds of sources, and the paths and loggers by which sources are recognised.

pub mod embedded;
pub mod kinds;
pub(crate) mod message_patterns;
pub mod path_claims;
pub mod systems;
pub(crate) mod try_order;
pub(crate) mod writer_kinds;
