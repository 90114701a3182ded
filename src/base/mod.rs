//! What everything else stands on.
pub mod time;
pub mod timeparse;
pub mod zone;
