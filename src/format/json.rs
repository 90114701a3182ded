//! JSON lines. (under construction)

use super::catalog::Catalog;
use super::reader::Fields;
use super::scope::Scope;

/// How the fields of JSON records are read.
#[derive(Debug, Default)]
pub struct JsonReader {}

impl JsonReader {
    /// Reads one record.
    pub fn fields(&self, _record: &[u8], _scope: &Scope, _tables: &Catalog) -> Fields {
        Fields::default()
    }

    /// The message of a record.
    pub fn message(&self, _record: &[u8]) -> String {
        String::new()
    }
}
