//! A single record, read field by field.

use std::sync::Arc;

use widetui_core::level::Level;
use widetui_time::timeparse::Stamp;

use crate::catalog::keys::Key;

/// Record read on its own, without columns. This is the slow path, with which the columns must agree.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Time as written.
    pub time: Option<Stamp>,
    /// Severity.
    pub level: Level,
    /// Message, all lines.
    pub message: String,
    /// Keys with their spellings (several for a list), in record order.
    pub pairs: Vec<(Arc<Key>, Vec<String>)>,
}

/// First line without its end, and the text after it.
pub fn first_line(record: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr2(b'\n', 0, record).unwrap_or(record.len());
    let (line, rest) = record.split_at_checked(end).unwrap_or_default();
    let rest = rest.get(1..).unwrap_or_default();
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}
