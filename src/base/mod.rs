//! What every layer uses: identifiers, levels, dictionaries, cancellation, diagnostics, time.
//!
//! Nothing here knows about files, formats or screens.

pub mod bytes;
pub mod cancel;
pub mod clock;
pub mod diag;
pub mod dict;
pub mod direction;
pub mod durations;
pub mod embedded;
pub mod folders;
pub mod ids;
pub mod jsontext;
pub mod level;
pub mod lock;
pub mod processors;
pub mod thread;
pub mod time;
pub mod timeparse;
pub mod timescale;
pub mod words;
pub mod zone;
mod zonetext;
