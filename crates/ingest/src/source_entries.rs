//! Entries of sources in the load state: unread, then logs, attachments or unreadable.

use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_source::spool::Spool;
use widetui_source::text::Text;
use widetui_store::SourceTrait;

use crate::detector::Log;
use crate::load_context::LoadContext;

/// Enters the detected properties of a log.
pub(super) fn enter(shared: &LoadContext, id: SourceId, log: &Log, text: Option<Arc<dyn Text>>) {
    shared.update(|h| {
        let Some(draft) = h.drafts.get_mut(&id.0) else {
            return;
        };
        draft.local = log.clock.local;
        draft.gap = log.clock.gap;
        draft.zones.clone_from(&log.zones);
        draft.is_made = text.is_some();
        if shared.follows {
            draft.reader.log = Some(log.clone());
            draft.reader.read_to = draft.source.bytes;
        }
        let source = Arc::make_mut(&mut draft.source);
        source.layout.clone_from(&log.layout);
        source.system.clone_from(&log.system);
        source.kind.clone_from(&log.kind);
        source.coarse = log.clock.coarse;
        source.stated_offset = log.stated_offset;
        for note in &log.notes {
            if source.problems.iter().all(|known| known.text != *note) {
                let note = Diagnostic::new(Severity::Note, source.path.clone(), note.clone());
                source.problems.push(note);
            }
        }
        source.is_log = true;
        source.traits.set(SourceTrait::Dump, log.is_dump);
        source
            .traits
            .set(SourceTrait::UntimedLines, log.clock.untimed_lines);
        source
            .traits
            .set(SourceTrait::Exported, log.reader.is_complete());
        source.reader = Some(log.reader.clone());
        source.consts = log.consts.as_slice().into();
        shared.tables.mark_present(log.consts.iter().map(|c| c.0));
        if !log.tag.is_empty() {
            source.tag.clone_from(&log.tag);
        }
        if let Some(text) = text {
            source.text = text;
        }
        let named = |part: &str| source.path.contains(part) || source.tag == part;
        let by_option = || {
            let own = shared.shifts.iter().filter(|(part, _)| named(part));
            own.fold(0, |sum: i64, (_, ns)| sum.saturating_add(*ns))
        };
        let by_user = h.shifts.iter().find(|(other, _)| *other == id);
        source.shift = by_user.map_or_else(by_option, |(_, ns)| *ns);
        h.version += 1;
    });
}

/// Sets the length of a source, bytes.
pub(super) fn measured(shared: &LoadContext, id: SourceId, bytes: u64) {
    shared.change(id, |source| source.bytes = bytes);
}

/// Enters a source as an attachment, with its description.
pub(super) fn attach(shared: &LoadContext, id: SourceId, what: &str) {
    shared.update(|h| {
        // A source that is followed may have had records of its own.
        if shared.growth.is_some() && h.source(id).is_some_and(|source| source.is_log) {
            h.drop_records(id);
        }
        h.change(id, |source| what.clone_into(&mut source.layout));
    });
}

/// Adds an error to a source; with an offset, nothing after that byte could be read.
pub(super) fn trouble(shared: &LoadContext, id: SourceId, offset: Option<u64>, text: String) {
    shared.change(id, |source| {
        let mut problem = Diagnostic::new(Severity::Error, source.path.clone(), text);
        problem.offset = offset;
        if !source.is_log {
            source.layout = "unreadable".to_owned();
        }
        source.problems.push(problem);
    });
}

/// Adds a problem to a source, unless it has the same one.
pub(super) fn problem(
    shared: &LoadContext,
    id: SourceId,
    severity: Severity,
    text: impl Into<String>,
) {
    let text = text.into();
    shared.change(id, |source| {
        if source.problems.iter().all(|known| known.text != text) {
            let problem = Diagnostic::new(severity, source.path.clone(), text);
            source.problems.push(problem);
        }
    });
}

/// Problem of text that could not be kept.
pub(super) fn not_kept_problem(spool: &Spool) -> String {
    format!(
        "a part of its text could not be kept, and is not shown: {}",
        spool.loss()
    )
}

/// Adds the problem that `bytes` bytes of the text of a source cannot be read again.
pub(super) fn not_kept(shared: &LoadContext, id: SourceId, bytes: u64) {
    if bytes > 0 {
        problem(
            shared,
            id,
            Severity::Warning,
            not_kept_problem(&shared.spool),
        );
    }
}
