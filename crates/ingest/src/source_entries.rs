//! Entries of sources in the load state: unread, then logs, attachments or unreadable.

use std::sync::Arc;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::ids::SourceId;
use widetui_format::sample::DateGap;
use widetui_source::codec::without_ending;
use widetui_source::spool::Spool;
use widetui_source::text::Text;
use widetui_store::source::{Source, Zoning};
use widetui_store::{SourceTrait, SourceTraits};

use crate::detector::Log;
use crate::load_context::LoadContext;
use crate::load_state::{Live, LoadedSource};

/// Entry of a source that was not read yet.
pub(super) fn unread(id: SourceId, name: &str, bytes: u64, text: Arc<dyn Text>) -> LoadedSource {
    LoadedSource {
        source: Source {
            id,
            path: name.to_owned(),
            tag: short_name(name),
            kind: String::new(),
            system: None,
            layout: "not read yet".to_owned(),
            is_log: false,
            traits: SourceTraits::default(),
            bytes,
            modified: 0,
            text,
            reader: None,
            consts: Arc::default(),
            zoning: Zoning::Stated,
            shift: 0,
            stated_offset: None,
            coarse: false,
            stats: Default::default(),
            problems: Vec::new(),
        },
        local: false,
        gap: DateGap::None,
        zones: Vec::new(),
        file: None,
        live: Live::Not,
    }
}

/// Tag of a source without a definition: the file's name without its ending, the same whether compressed or not.
pub(super) fn short_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = without_ending(name);
    match name.rsplit_once('.') {
        Some((
            stem,
            "log" | "txt" | "jsonlog" | "jsonl" | "json" | "csv" | "tsv" | "db" | "sqlite"
            | "parquet",
        )) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// Enters the detected properties of a log.
pub(super) fn enter(shared: &LoadContext, id: SourceId, log: &Log, text: Option<Arc<dyn Text>>) {
    shared.update(|h| {
        let Some(draft) = h.drafts.get_mut(&id.0) else {
            return;
        };
        draft.local = log.clock.local;
        draft.gap = log.clock.gap;
        draft.zones.clone_from(&log.zones);
        if shared.follows && text.is_none() {
            draft.live = Live::Read {
                log: log.clone(),
                to: draft.source.bytes,
            };
        }
        let source = &mut draft.source;
        source.layout.clone_from(&log.layout);
        source.system.clone_from(&log.system);
        source.kind.clone_from(&log.kind);
        source.coarse = log.clock.coarse;
        source.stated_offset = log.stated_offset;
        let path = source.path.clone();
        let notes = log.notes.iter();
        source
            .problems
            .extend(notes.map(|note| Diagnostic::new(Severity::Note, path.clone(), note.clone())));
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
        source.shift = shared
            .shifts
            .iter()
            .filter(|(part, _)| named(part))
            .fold(0, |sum, (_, ns)| sum.saturating_add(*ns));
    });
}

/// Sets the length of a source, bytes.
pub(super) fn measured(shared: &LoadContext, id: SourceId, bytes: u64) {
    shared.update(|h| {
        if let Some(draft) = h.drafts.get_mut(&id.0) {
            draft.source.bytes = bytes;
        }
    });
}

/// Enters a source as an attachment, with its description.
pub(super) fn attach(shared: &LoadContext, id: SourceId, what: &str) {
    shared.update(|h| {
        if let Some(draft) = h.drafts.get_mut(&id.0) {
            draft.source.layout = what.to_owned();
        }
    });
}

/// Adds an error to a source; with an offset, nothing after that byte could be read.
pub(super) fn trouble(shared: &LoadContext, id: SourceId, offset: Option<u64>, text: String) {
    shared.update(|h| {
        if let Some(draft) = h.drafts.get_mut(&id.0) {
            let mut problem = Diagnostic::new(Severity::Error, draft.source.path.clone(), text);
            problem.offset = offset;
            if !draft.source.is_log {
                draft.source.layout = "unreadable".to_owned();
            }
            draft.source.problems.push(problem);
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
    if bytes == 0 {
        return;
    }
    shared.update(|h| {
        let text = not_kept_problem(&shared.spool);
        let source = h.drafts.get_mut(&id.0).map(|d| &mut d.source);
        if let Some(source) = source.filter(|s| s.problems.iter().all(|p| p.text != text)) {
            let path = source.path.clone();
            let problem = Diagnostic::new(Severity::Warning, path, text);
            source.problems.push(problem);
        }
    });
}
