//! Types used by all crates: identifiers, levels, dictionaries, cancellation, diagnostics.
//!
//! This crate knows nothing about files, formats or screens.

#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

pub mod bytes;
pub mod cancel;
pub mod diag;
pub mod dict;
pub mod direction;
pub mod disjoint_sets;
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
