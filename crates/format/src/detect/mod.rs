//! Detection of the kind, layout or dialect of a source, from its path and a sample of its records.

pub mod choose;
pub(crate) mod coverage;
pub(crate) mod generic;
pub(crate) mod guessed_layouts;
pub(crate) mod header;
pub(crate) mod layout_order;
pub(crate) mod prefix;
