//! Writers of records (process, thread), if fields name them.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, KeyId};

use crate::catalog::Catalog;
use crate::json::form::Form;
use crate::text::json_scan::{Raw, nth, text};

/// Writers that one loader thread has met.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// Contexts by the values of the writer fields.
    known: FxHashMap<Box<[u8]>, ContextId>,
    encoded: Vec<u8>,
    scratch: Vec<u8>,
}

impl Writers {
    /// Context with the writer of a record; `None` if no field names one.
    pub fn of(&mut self, form: &Form, values: &[Raw<'_>], tables: &Catalog) -> Option<ContextId> {
        if form.writer.is_empty() {
            return None;
        }
        self.encoded.clear();
        for (at, key) in &form.writer {
            self.encoded.extend_from_slice(&key.id.0.to_le_bytes());
            let value = text(nth(values, *at), &mut self.scratch);
            self.encoded.extend_from_slice(value);
            self.encoded.push(0);
        }
        if let Some(context) = self.known.get(&*self.encoded) {
            return Some(*context);
        }
        let mut pairs: Vec<(KeyId, Code)> = Vec::new();
        for (at, key) in &form.writer {
            let value = String::from_utf8_lossy(text(nth(values, *at), &mut self.scratch));
            if !value.is_empty() {
                pairs.push((key.id, key.code(&value)));
            }
        }
        let context = (!pairs.is_empty()).then(|| tables.context(&pairs))?;
        self.known.insert(self.encoded.as_slice().into(), context);
        Some(context)
    }
}
