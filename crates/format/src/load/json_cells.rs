//! Cells of the fields of a JSON record.

use std::sync::Arc;

use widetui_core::dict::{Code, NONE};

use crate::catalog::encode::{DEFER, Encoder};
use crate::catalog::keys::Key;
use crate::json::form::{Form, FormColumn};
use crate::json::reader::{JsonReader, duration_of};
use crate::messages::shape_cache::Cells;
use crate::pattern::FieldKind;
use crate::text::json_scan::{Raw, elements, nth, text};

/// Maximum number of stored values of a list; longer lists are read from the text on demand.
const MAX_LIST: usize = 64;

/// Appends values to cells, in column order of a form.
pub(crate) struct FieldCells<'a> {
    /// Dialect.
    pub(crate) json: &'a JsonReader,
    /// Dictionaries of the thread.
    pub(crate) encoder: &'a mut Encoder,
    /// Cells of the record.
    pub(crate) cells: &'a mut Cells,
    /// Buffer for unescaped text.
    pub(crate) scratch: &'a mut Vec<u8>,
}

impl FieldCells<'_> {
    /// Appends all cells of a record of this form.
    #[inline]
    pub(crate) fn push(&mut self, form: &Form, values: &[Raw<'_>]) {
        let value_at = |at: Option<usize>| at.map_or(Raw::Null, |at| nth(values, at));
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

    /// Appends all cells of a record, given those of another record of the same form that differs in the `changed`
    /// values only; no cell may depend on two of these.
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
            let column = form.uses.get(at).and_then(|uses| uses.column);
            let column = column.map(|column| column as usize);
            if let Some(column) = column
                && let Some(FormColumn { key, .. }) = form.columns.get(column)
            {
                let code = self.code(key, nth(values, at), column);
                if let Some(cell) = self.cells.codes.get_mut(column) {
                    *cell = code;
                }
            }
        }
    }

    /// Code of a value in a column; several values are stored as a list.
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

    /// Whether a value means "no value". Escaped text is not checked, because values of deferred keys are not decoded.
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

    /// Code of an array in a column; several values are stored as a list.
    fn list(&mut self, key: &Arc<Key>, array: &[u8], column: usize) -> Code {
        // Lists in exports were stored before, whatever their length.
        let is_stored = |list: &Vec<_>| list.len() <= MAX_LIST || self.json.spec.complete;
        let Some(list) = elements(array).filter(is_stored) else {
            key.note_unstored();
            return DEFER;
        };
        let mut codes: Vec<Code> = Vec::with_capacity(list.len());
        for element in list {
            let value = text(element, self.scratch);
            if element != Raw::Null && !self.json.is_null(value) {
                codes.push(self.encoder.code(key, value));
            }
        }
        match codes.as_slice() {
            [] => NONE,
            [code] => *code,
            _ if codes.contains(&DEFER) => DEFER,
            _ => {
                self.cells.lists.push((column, codes));
                NONE
            }
        }
    }

    /// Appends the hosts of a host list in the notation of batch systems.
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
