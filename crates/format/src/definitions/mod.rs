//! Definitions in force: systems, kinds of sources, the paths and writers that they claim.

pub mod embedded;
pub mod kinds;
pub(crate) mod message_patterns;
pub mod path_claims;
pub mod systems;
pub(crate) mod try_order;
pub(crate) mod writer_kinds;
