//! Source whose records come from a table: a file that holds tables, and its tables as streams of JSON lines.

use std::io::{Cursor, Read};
use std::sync::Arc;

use rayon::Scope;

use widetui_core::diag::Severity;
use widetui_core::ids::SourceId;
use widetui_format::table::TableSyntax;
use widetui_source::head::FirstBytes;
use widetui_source::spool::SpoolText;
use widetui_source::text::MemoryText;
use widetui_store::SourceTrait;

use crate::detector::{DocumentPart, Log, RecordOwner};
use crate::load_context::LoadContext;
use crate::load_state::short_name;
use crate::source_entries::{attach, problem};
use crate::stream_pieces::Pieces;
use crate::stream_source::{Retain, read_stream, read_text};

/// File that holds tables, or one of its tables.
#[derive(Clone, Copy)]
pub(super) struct Holder<'a> {
    pub(crate) id: SourceId,
    /// Path; the paths of tables begin with it.
    pub(crate) name: &'a str,
    /// Time of its last change, ns.
    pub(crate) modified: i64,
    /// Owner of the records: the run, or facts of the user.
    pub(crate) origin: RecordOwner,
}

impl Holder<'_> {
    /// Whether a part of this document is read: an array, or the fields besides arrays.
    pub(super) fn is_for_reading(
        &self,
        shared: &LoadContext,
        array: &str,
        head: &FirstBytes,
        part: DocumentPart,
    ) -> bool {
        let path = match array {
            "" => self.name.to_owned(),
            array => format!("{}/{array}", self.name),
        };
        let document = (self.name, self.origin);
        let head = head.head();
        shared.detector.is_for_reading(document, &path, head, part)
    }

    /// Enters a source of an export with this path.
    pub(super) fn exported(&self, shared: &LoadContext, path: &str) -> (SourceId, String) {
        let name = format!("{}/{}", self.name, path);
        let text = Arc::<MemoryText>::default();
        let id = shared.update(|h| h.add_child(&name, 0, text));
        (id, name)
    }

    /// Enters a table as a source; returns its number and path.
    pub(super) fn table(&self, shared: &LoadContext, table: &str) -> (SourceId, String) {
        let name = self.name.strip_suffix(".gz").unwrap_or(self.name);
        let (id, name) = Holder { name, ..*self }.exported(shared, table);
        shared.change(id, |source| {
            source.tag = format!("{}/{table}", short_name(self.name));
            let is_facts = self.origin == RecordOwner::Facts;
            source.traits.set(SourceTrait::Facts, is_facts);
        });
        (id, name)
    }
}

/// First lines of a stream.
pub(super) fn first_of(shared: &LoadContext, lines: &mut impl Read) -> FirstBytes {
    FirstBytes::read(lines, 0, &shared.cancel)
}

/// Reads JSON lines as one source; the first lines were read before.
pub(super) fn read_lines<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    source: Holder<'_>,
    rows: Option<TableSyntax>,
    (head, lines): (FirstBytes, &mut impl Read),
) {
    let id = source.id;
    shared.change(id, |s| s.traits.set(SourceTrait::Synthetic, true));
    if head.bytes.is_empty() {
        let what = rows.map_or("table", TableSyntax::name);
        attach(shared, id, &format!("{what} without rows"));
    } else {
        let of = (rows, source.origin);
        let log: Log = (shared.detector).detect_rows(source.name, head.head(), source.modified, of);
        // The head was consumed from the stream, so it is chained before the rest.
        let mut stream = Cursor::new(head.bytes).chain(lines);
        let failed = match shared.growth {
            None => {
                let pieces = Pieces::new(stream);
                read_stream(scope, shared, (id, &log), pieces, Retain::Text).failed
            }
            Some(_) => {
                let text = Arc::new(SpoolText::new(shared.spool.clone()));
                let failed = text.fill(&mut stream).err();
                read_text(scope, shared, id, text, |_| log);
                failed
            }
        };
        if let Some(error) = failed {
            note(shared, id, format!("breaks off, read up to there: {error}"));
        }
    }
    if let Some(error) = head.failed {
        note(shared, id, format!("breaks off, read up to there: {error}"));
    }
}

/// Adds the warning that a part of a source is missing.
pub(super) fn note(shared: &LoadContext, id: SourceId, text: String) {
    problem(shared, id, Severity::Warning, text);
}
