//! Messages of records: scopes of message patterns, shapes, mined keys, continuation lines.

pub mod continuation_lines;
pub(crate) mod crash_heads;
pub(crate) mod leading_level;
pub mod mine;
pub(crate) mod mined_keys;
pub mod scope;
pub mod shape_cache;
pub mod trailing_keys;
