//! Recognises sources that no path claims, by the layouts and dialects of kinds that need no path.

use std::sync::Arc;

use crate::definitions::kinds::{Compiled, MESSAGE, SourceEntry};
use crate::definitions::try_order::TryOrder;
use crate::detect::layout_order::order;
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;

impl Compiled {
    /// Entries of kinds that are recognised by content: kinds without a glob, and kinds with conditions on their
    /// records.
    pub(crate) fn content_slots(&self) -> impl Iterator<Item = (usize, &SourceEntry)> {
        self.slots.iter().enumerate().filter(|(_, slot)| {
            let source = self.source(slot);
            source.attachment.is_none()
                && !source.records.contains_key(MESSAGE)
                && (source.glob.is_empty() || !source.records.is_empty())
        })
    }

    /// Indices of the layouts by which a source can be recognised without its path, without repetition.
    pub(crate) fn content_layouts(&self) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        for layout in self.content_slots().flat_map(|(_, slot)| &slot.layouts) {
            if !all.contains(layout) {
                all.push(*layout);
            }
        }
        all
    }

    /// The layouts of [`content_layouts`](Self::content_layouts), narrowest first.
    pub(crate) fn content_order(&self) -> &TryOrder {
        self.order.get_or_init(|| order(self))
    }

    /// Layouts for sources that no path claims, in the order in which they are tried.
    pub fn generic_layouts(&self) -> &[Arc<Layout>] {
        self.generic.get_or_init(|| {
            self.content_order()
                .numbers
                .iter()
                .filter_map(|l| self.layout(*l))
                .collect()
        })
    }

    /// JSON dialects for sources that no path claims.
    pub(crate) fn generic_json(&self) -> &[Arc<JsonSpec>] {
        self.generic_json.get_or_init(|| {
            let mut seen = Vec::new();
            for (_, slot) in self.content_slots() {
                for json in &slot.json {
                    if !seen.contains(json) {
                        seen.push(*json);
                    }
                }
            }
            seen.into_iter().filter_map(|j| self.dialect(j)).collect()
        })
    }
}
