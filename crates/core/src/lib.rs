//! Types used by all crates: identifiers, levels, dictionaries, cancellation, diagnostics.
//!
//! This crate knows nothing about files, formats or screens.

pub mod bytes;
pub mod cancel;
pub mod diag;
pub mod dict;
pub mod direction;
pub mod durations;
pub mod folders;
pub mod guard;
pub mod ids;
pub mod jsontext;
pub mod level;
pub mod lock;
pub mod memory;
pub mod nearest;
pub mod processors;
pub mod quantity;
pub mod thread;
pub mod words;
