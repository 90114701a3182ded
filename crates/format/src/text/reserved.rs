//! Names of the fields that every event has.

/// Names of the fields that every event has; a field of a log with one of these names becomes `log.NAME`.
pub const RESERVED: [&str; 5] = ["time", "source", "level", "message", "template"];
