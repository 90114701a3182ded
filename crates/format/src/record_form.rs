//! Form of the records of a source: text lines in layouts, or JSON objects in a dialect.

use std::sync::Arc;

use crate::json::dialect::JsonSpec;
use crate::layout::Layout;

/// What the records of a source look like, before a reader is made.
#[derive(Clone, Debug)]
pub enum RecordForm {
    /// Lines in these layouts; none: lines without a header.
    Lines(Vec<Arc<Layout>>),
    /// One object per line, in this dialect.
    Json(Arc<JsonSpec>),
}
