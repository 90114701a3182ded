//! Tree documents: read as a whole, then each part with records becomes a source.

use std::io::Read;

use rayon::Scope;

use widetui_format::table::tree::{MAX_SIZE, PartLines};
use widetui_format::table::{TableSyntax, TreeForm};
use widetui_store::SourceTrait;

use crate::detector::Log;
use crate::line_spool::SpooledLines;
use crate::load_context::LoadContext;
use crate::source_entries::attach;
use crate::stream_source::read_text;
use crate::table_source::{Holder, first_of, read_lines};

/// Reads the records of a document and returns problems.
pub(super) fn read<'s>(
    scope: &Scope<'s>,
    shared: &'s LoadContext,
    holder: Holder<'_>,
    form: TreeForm,
    stream: impl Read,
) -> Vec<String> {
    attach(shared, holder.id, form.name());
    let mut bytes = Vec::new();
    let mut problems = Vec::new();
    if let Err(error) = stream.take(MAX_SIZE + 1).read_to_end(&mut bytes) {
        problems.push(format!("breaks off after {} bytes: {error}", bytes.len()));
    }
    if bytes.len() as u64 > MAX_SIZE {
        return vec![format!("is larger than {} MiB, not read", MAX_SIZE >> 20)];
    }
    let tree = match form.read(&bytes) {
        Ok(tree) => tree,
        Err(error) => {
            problems.push(error);
            return problems;
        }
    };
    drop(bytes);
    let specs = shared.detector.documents();
    let parts: Vec<_> = specs.iter().flat_map(|spec| spec.parts(&tree)).collect();
    if !parts.is_empty() {
        let what = format!("{} (its records are listed)", form.name());
        attach(shared, holder.id, &what);
    }
    for part in parts {
        if shared.cancel.is_cancelled() {
            break;
        }
        let (id, name) = holder.table(shared, &part.name);
        let source = Holder {
            id,
            name: &name,
            ..holder
        };
        let mut lines = &part.lines[..];
        match part.holds {
            PartLines::Json => {
                let head = first_of(shared, &mut lines);
                let rows = Some(TableSyntax::Tree(form));
                read_lines(scope, shared, source, rows, (head, &mut lines));
            }
            PartLines::Log => read_log(scope, shared, source, lines),
        }
    }
    problems
}

/// Reads a log within a document as a dump: it was written at once, so its end is no silence.
fn read_log<'s>(scope: &Scope<'s>, shared: &'s LoadContext, source: Holder<'_>, lines: &[u8]) {
    let mut text = SpooledLines::new(&shared.spool);
    text.push(lines);
    text.end();
    shared.change(source.id, |s| s.traits.set(SourceTrait::Synthetic, true));
    read_text(scope, shared, source.id, text.text, |first| {
        let detector = &shared.detector;
        let log = detector.detect_lines(source.name, first.head(), source.modified);
        Log {
            is_dump: true,
            ..log
        }
    });
}
