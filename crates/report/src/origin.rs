//! Origin of exported records: source, place in it, and joins of derived keys (`format::exported`).

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json};

use widetui_core::diag::Severity;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_format::exports::{
    AT, ATTACHED, COARSE, DERIVED, DUMP, FACTS, LINES, MADE, MAX_EMPTY_SOURCES, ProblemNote,
    SILENT, SOURCE, SourceNote, TABLE,
};
use widetui_format::json::dialect::OriginalForm;
use widetui_store::source::Source;
use widetui_store::{EventRef, Snapshot, SourceTrait, ValueOrigin};

use super::event::FullEvent;

/// Extent of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All records of a run.
    Whole,
    /// Selected records.
    Part,
}

/// Descriptions of sources, each written with the first record of its source.
#[derive(Debug)]
pub(crate) struct Origins {
    extent: Extent,
    described: FxHashSet<SourceId>,
    /// Keys of the writers of each source.
    writers: FxHashMap<SourceId, Vec<KeyId>>,
}

impl Origins {
    /// State before the first record of a run.
    #[must_use]
    pub(crate) fn new(snapshot: &Snapshot, extent: Extent) -> Origins {
        let mut writers: FxHashMap<SourceId, Vec<KeyId>> = FxHashMap::default();
        for event in (0..snapshot.len() as u32).filter_map(|id| snapshot.event(EventId(id))) {
            for (key, _) in event.context() {
                let known = writers.entry(event.source().id).or_default();
                if !known.contains(key) {
                    known.push(*key);
                }
            }
        }
        Origins {
            extent,
            described: FxHashSet::default(),
            writers,
        }
    }

    /// Adds the origin to the object of a record.
    pub(crate) fn add(
        &mut self,
        event: &EventRef<'_>,
        full: &FullEvent,
        object: &mut Map<String, Json>,
    ) {
        let source = event.source();
        let is_first = self.described.is_empty();
        let description = match self.described.insert(source.id) {
            true => {
                let mut note = self.note(event.snapshot, source);
                if is_first && self.extent == Extent::Whole {
                    note.empty_sources = self.without_records(event.snapshot);
                }
                serde_json::to_value(note).ok()
            }
            false => None,
        };
        object.insert(
            SOURCE.into(),
            description.unwrap_or_else(|| source.id.0.into()),
        );
        object.insert(AT.into(), event.span().0.into());
        let derived = derived(event, full);
        if !derived.is_empty() {
            object.insert(DERIVED.into(), Json::Object(derived));
        }
    }

    /// Descriptions of sources without records.
    fn without_records(&self, snapshot: &Snapshot) -> Vec<SourceNote> {
        let sources = snapshot.sources.iter();
        let none = sources.filter(|source| source.stats.records() == 0);
        let notes = none.take(MAX_EMPTY_SOURCES);
        notes.map(|source| self.note(snapshot, source)).collect()
    }

    /// Description of a source.
    fn note(&self, snapshot: &Snapshot, source: &Source) -> SourceNote {
        let names = &snapshot.catalog.keys;
        let writer = self.writers.get(&source.id).into_iter().flatten();
        let keys = source.consts.iter().filter_map(|(key, code)| {
            let view = snapshot.catalog.keys.get(*key)?;
            Some((view.key.name.to_string(), view.spelling(*code)?))
        });
        let original_form = source.reader.as_ref().map(|reader| reader.original_form());
        let is = [
            (source.has_trait(SourceTrait::Table), TABLE),
            (source.has_trait(SourceTrait::Dump), DUMP),
            (source.has_trait(SourceTrait::Synthetic), MADE),
            (source.has_trait(SourceTrait::Facts), FACTS),
            (source.coarse, COARSE),
            (!source.is_log, ATTACHED),
            (original_form == Some(OriginalForm::Silent), SILENT),
            (original_form == Some(OriginalForm::Lines), LINES),
        ];
        let problems = source.problems.iter().map(|problem| ProblemNote {
            severity: match problem.severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            }
            .to_owned(),
            text: problem.text.clone(),
            lines: problem.lines,
            at: problem.offset,
        });
        SourceNote {
            number: source.id.0,
            path: source.path.clone(),
            tag: source.tag.clone(),
            system: source.system.clone(),
            kind: source.kind.clone(),
            layout: source.layout.clone(),
            is: is
                .iter()
                .filter(|(it_is, _)| *it_is)
                .map(|(_, what)| (*what).to_owned())
                .collect(),
            modified: source.modified,
            keys: keys.collect(),
            writer: writer.map(|key| names.name(*key).to_owned()).collect(),
            extras: source
                .reader
                .as_ref()
                .map_or_else(Vec::new, |reader| reader.extras().to_vec()),
            problems: problems.collect(),
            records: (self.extent == Extent::Whole).then(|| source.stats.records()),
            empty_sources: Vec::new(),
        }
    }
}

/// Joins of the derived keys of an event.
pub fn derived(event: &EventRef<'_>, full: &FullEvent) -> Map<String, Json> {
    let snapshot = event.snapshot;
    let of = |(key, _, origin)| match origin {
        ValueOrigin::Join(join) => {
            let giver = snapshot.derived.joins.get(usize::from(join))?;
            Some((snapshot.catalog.keys.name(key).to_owned(), giver))
        }
        ValueOrigin::Record | ValueOrigin::Path => None,
    };
    let given = event.stored().into_iter().filter_map(of);
    given
        .filter(|(name, _)| full.keys.iter().any(|(key, ..)| key == name))
        .map(|(name, giver)| (name, giver.name.to_string().into()))
        .collect()
}
