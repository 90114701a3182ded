//! Form of the records of a source: text lines in layouts, or JSON objects in a dialect.

use std::sync::Arc;

use crate::json::dialect::JsonSpec;
use crate::layout::Layout;

/// Form of the records of a source, before a reader is made.
#[derive(Clone, Debug)]
pub enum RecordForm {
    /// Lines in these layouts; if empty, lines without a header.
    Lines(Vec<Arc<Layout>>),
    /// JSON objects, one per line, in this dialect.
    Json(Arc<JsonSpec>),
}
