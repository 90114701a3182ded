//! JSON documents: files that consist of one object, which may contain records or be a configuration.

use crate::definitions::kinds::Compiled;
use crate::sample::Sample;
use crate::text::json_scan::walk;
use widetui_source::head::{Extent, SourceHead};

/// Description of a document that is listed but not read.
pub const DOCUMENT: &str = "JSON document";

/// Minimum number of rows without a time to count as a table; a configuration has shorter lists.
const MIN_ROWS: usize = 10;

/// Maximum number of fields of a document that is a record.
const MAX_FIELDS: usize = 40;

/// Whether a file is a single object on one line and its name ends in `.json`.
pub fn is_one_line(path: &str, head: SourceHead<'_>) -> bool {
    let text = head.bytes().trim_ascii();
    let path = path.strip_suffix(".gz").unwrap_or(path);
    head.is_whole()
        && path.ends_with(".json")
        && text.starts_with(b"{")
        && memchr::memchr(b'\n', text).is_none()
}

impl Compiled {
    /// Whether the rows of an array in a document are records: they have times, contain keys of a definition, or are
    /// many.
    pub fn are_records(&self, sample: &Sample<'_>, extent: Extent) -> bool {
        let rows = sample.lines();
        extent == Extent::Cut
            || rows.len() >= MIN_ROWS
            || !self.table_dialect(sample).time.is_empty()
            || rows.first().is_some_and(|row| self.names_keys(row))
    }

    /// Whether a document itself is a record: it has a time in a top-level field and few fields, or contains keys of a
    /// definition.
    pub fn is_record(&self, sample: &Sample<'_>) -> bool {
        let Some(row) = sample.lines().first() else {
            return false;
        };
        let spec = self.table_dialect(sample);
        let time = spec.time.first().map(|t| t.0.as_str());
        let mut fields = 0;
        let mut says_when = false;
        let read = walk(row, |name, _| {
            fields += 1;
            says_when |= time.is_some_and(|t| t.as_bytes() == name && !t.contains('.'));
        });
        (read.is_some() && says_when && fields <= MAX_FIELDS) || self.names_keys(row)
    }

    /// Whether the first field of an object is required by a dialect whose lines contain many records.
    pub fn is_export(&self, head: SourceHead<'_>) -> bool {
        let inner = head.bytes().trim_ascii_start().strip_prefix(b"{");
        let name = inner.and_then(|i| i.trim_ascii_start().strip_prefix(b"\""));
        let name = name.and_then(|n| n.split(|b| *b == b'"').next());
        let Some(name) = name else { return false };
        let dialects = self.systems.iter().flat_map(|s| &s.def.json);
        let mut of_many = dialects.filter(|d| d.records.is_some());
        of_many.any(|d| d.require.iter().any(|field| field.as_bytes() == name))
    }

    /// Whether a row contains a key of a definition.
    fn names_keys(&self, row: &[u8]) -> bool {
        let mut known = false;
        let _ = walk(row, |name, _| {
            let name = std::str::from_utf8(name).unwrap_or_default();
            known |= name.contains('.') && self.defines(name);
        });
        known
    }

    /// Whether a definition declares a key with this name.
    fn defines(&self, name: &str) -> bool {
        self.systems.iter().any(|s| s.def.keys.contains_key(name))
    }
}
