//! Times: parsing, formatting, time zones.
//!
//! A time is a number of nanoseconds since 1970-01-01 UTC ([`time::Nanos`]). This crate never reads the current time.

pub mod clock;
pub mod time;
pub mod timeparse;
pub mod timescale;
pub mod zone;
pub mod zone_parse;
