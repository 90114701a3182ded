//! Times: parsing, formatting, time zones.
//!
//! A time is a number of nanoseconds since 1970-01-01 UTC ([`time::Nanos`]). This crate never reads the current time.

#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

pub mod clock;
pub mod time;
pub mod timeparse;
pub mod timescale;
pub mod zone;
pub mod zone_parse;
