//! The cells that the fields of a JSON record give.

use std::sync::Arc;

use widetui_core::dict::{Code, NONE};

use crate::catalog::encode::{DEFER, Encoder};
use crate::catalog::keys::Key;
use crate::json::form::Form;
use crate::json::reader::{JsonReader, duration_of};
use crate::messages::shape_cache::Cells;
use crate::pattern::FieldKind;
use crate::text::json_scan::text;
use crate::text::json_scan::{Raw, elements};

/// Values of a list that is stored; of a longer one the text is read when somebody asks.
const LIST: usize = 64;

/// Puts values into cells, in the order of the columns of a form.
pub(crate) struct FieldCells<'a> {
    /// The dialect.
    pub(crate) json: &'a JsonReader,
    /// The thread's dictionaries.
    pub(crate) encoder: &'a mut Encoder,
    /// The cells of the record.
    pub(crate) cells: &'a mut Cells,
    /// For texts with escapes.
    pub(crate) scratch: &'a mut Vec<u8>,
}

impl FieldCells<'_> {
    /// All cells of a record of this form.
    #[inline]
    pub(crate) fn push(&mut self, form: &Form, values: &[Raw<'_>]) {
        let value_at = |at: Option<usize>| at.map_or(Raw::Null, |at| values[at]);
        for column in &form.columns {
            let code = self.code(&column.key, value_at(column.at), self.cells.codes.len());
            self.cells.codes.push(code);
        }
        for column in &form.hosts {
            self.hosts(&column.key, value_at(column.at));
        }
        for duration in &form.durations {
            let code = duration_of(form, values, duration).map_or(NONE, |seconds| {
                self.encoder.code(&duration.key, seconds.as_bytes())
            });
            self.cells.codes.push(code);
        }
    }

    /// All cells of a record of this form, by those of another one: only these values of it are others, and no cell is filled
    /// by two of them.
    #[inline]
    pub(crate) fn push_changed(
        &mut self,
        form: &Form,
        values: &[Raw<'_>],
        others: &[Code],
        changed: &[u32],
    ) {
        self.cells.codes.extend_from_slice(others);
        for at in changed.iter().map(|at| *at as usize) {
            if let Some(column) = form.uses[at].column {
                let column = column as usize;
                self.cells.codes[column] = self.code(&form.columns[column].key, values[at], column);
            }
        }
    }

    /// What stands in a column for a value; several values are noted beside it.
    #[inline]
    fn code(&mut self, key: &Arc<Key>, raw: Raw<'_>, column: usize) -> Code {
        match raw {
            Raw::Null => NONE,
            raw if key.is_deferred() && !self.is_null_word(raw) => DEFER,
            Raw::Array(array) => self.list(key, array, column),
            raw => {
                let value = text(raw, self.scratch);
                if self.json.is_null(value) {
                    NONE
                } else {
                    self.encoder.code(key, value)
                }
            }
        }
    }

    /// Whether a value is one of the short texts that mean nothing. What is read on demand is looked at no further.
    #[inline]
    fn is_null_word(&self, raw: Raw<'_>) -> bool {
        match raw {
            Raw::Text {
                bytes,
                escaped: false,
            }
            | Raw::Bare(bytes) => self.json.is_null(bytes),
            _ => false,
        }
    }

    /// What stands in a column for an array; several values are noted beside it.
    fn list(&mut self, key: &Arc<Key>, array: &[u8], column: usize) -> Code {
        // What we wrote was stored once already, however long it is.
        let is_stored = |list: &Vec<_>| list.len() <= LIST || self.json.spec.complete;
        let Some(list) = elements(array).filter(is_stored) else {
            key.lack();
            return DEFER;
        };
        let mut codes: Vec<Code> = Vec::with_capacity(list.len());
        for element in list {
            let value = text(element, self.scratch);
            if element != Raw::Null && !self.json.is_null(value) {
                codes.push(self.encoder.code(key, value));
            }
        }
        match codes.len() {
            0 => NONE,
            1 => codes[0],
            _ if codes.contains(&DEFER) => DEFER,
            _ => {
                self.cells.lists.push((column, codes));
                NONE
            }
        }
    }

    /// The hosts in a list as batch systems write it.
    fn hosts(&mut self, key: &Arc<Key>, raw: Raw<'_>) {
        let list = match raw {
            Raw::Array(_) => self.json.spellings(raw).join(","),
            raw => String::from_utf8_lossy(text(raw, self.scratch)).into_owned(),
        };
        let list = match self.json.is_null(list.as_bytes()) {
            true => &[],
            false => list.as_bytes(),
        };
        self.cells.push(self.encoder, key, &FieldKind::Hosts, list);
    }
}
