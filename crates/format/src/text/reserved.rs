//! Names of fields that every event has.

/// Names that every event has; a log's own field of that name is called `log.NAME`.
pub const RESERVED: [&str; 5] = ["time", "source", "level", "message", "template"];
