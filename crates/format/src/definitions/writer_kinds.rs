//! Kinds of sources that are recognised by their loggers in any layout, or by their messages under any file name.

use std::sync::Arc;

use crate::definitions::kinds::{Compiled, MESSAGE, SourceEntry, WRITER};
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::pattern::glob::wildcard;
use widetui_definition::one_or_more::OneOrMore;
use widetui_definition::syntax::SourceDef;

impl Compiled {
    /// Entries of kinds that are recognised by their loggers in any layout.
    pub(crate) fn logger_slots(&self) -> impl Iterator<Item = (usize, &SourceDef)> {
        let sources = self.content_slots();
        let sources = sources.map(|(index, slot)| (index, self.source(slot)));
        sources.filter(|(_, source)| source.any_layout && source.records.contains_key(WRITER))
    }

    /// Whether a definition knows this logger name. Only names with a dot count, since any other word may be a name by
    /// chance.
    pub(crate) fn is_writer(&self, name: &[u8]) -> bool {
        let Ok(name) = std::str::from_utf8(name) else {
            return false;
        };
        let mut sources = self.logger_slots();
        name.contains('.')
            && sources.any(|(_, source)| {
                let names = source.records.get(WRITER).map(OneOrMore::all);
                names.unwrap_or_default().iter().any(|n| wildcard(n, name))
            })
    }

    /// Indices of kinds that are recognised by their messages. Their layouts do not read other sources. A kind that is
    /// only listed (an attachment) has no layouts; its patterns apply to whole lines.
    pub(crate) fn message_slots(&self) -> impl Iterator<Item = usize> {
        let slots = self.slots.iter().enumerate();
        let saying = slots.filter(|(_, slot)| self.source(slot).records.contains_key(MESSAGE));
        saying.map(|(index, _)| index)
    }

    /// Whether a kind declares this layout.
    pub(crate) fn may_have_layout(&self, slot: &SourceEntry, layout: &Arc<Layout>) -> bool {
        let own = |at: &usize| self.layout(*at).is_some_and(|l| Arc::ptr_eq(&l, layout));
        slot.layouts.iter().any(own)
    }

    /// Whether a kind declares this dialect.
    pub(crate) fn may_have_dialect(&self, slot: &SourceEntry, dialect: &Arc<JsonSpec>) -> bool {
        let own = |at: &usize| self.dialect(*at).is_some_and(|d| Arc::ptr_eq(&d, dialect));
        slot.json.iter().any(own)
    }
}
