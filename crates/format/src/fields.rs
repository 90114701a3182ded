//! A record read on its own, field by field.

use std::sync::Arc;

use widetui_core::level::Level;
use widetui_time::timeparse::Stamp;

use crate::catalog::keys::Key;

/// A record read on its own, without columns: the slow path, which the columns must agree with.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Its time as written.
    pub time: Option<Stamp>,
    /// Severity.
    pub level: Level,
    /// Its message, all lines.
    pub message: String,
    /// Keys with their spellings (several for a list), in the order of the record.
    pub pairs: Vec<(Arc<Key>, Vec<String>)>,
}

/// The first line without its end, and what follows it.
pub fn first_line(record: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', record).unwrap_or(record.len());
    let rest = record.get(end + 1..).unwrap_or_default();
    let line = &record[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}
