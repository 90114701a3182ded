//! JSON records: dialects, forms, and the fields that are time, level, message and keys.

pub(crate) mod common_fields;
pub mod compose;
pub mod dialect;
pub mod form;
pub mod nested_values;
pub mod reader;
pub mod record_lists;
pub(crate) mod template_names;
pub(crate) mod writers;
