//! Origin of exported records: source, place in it, and joins of derived keys (`format::exported`).

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Serialize, Serializer};

use widetui_core::diag::Severity;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_format::exports::{
    AT, ATTACHED, COARSE, DERIVED, DUMP, FACTS, LINES, MADE, MAX_EMPTY_SOURCES, ProblemNote,
    SILENT, SOURCE, SourceNote, TABLE, UNTIMED_LINES,
};
use widetui_format::json::dialect::OriginalForm;
use widetui_store::source::Source;
use widetui_store::{EventRef, Snapshot, SourceTrait, ValueOrigin};

use super::event::FullEvent;
use super::jsonl::ObjectLine;

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
    /// Descriptions by the record with which they are written.
    notes: FxHashMap<EventId, SourceNote>,
    /// Places, in a typed table, of the records before which others of their source are written later or missing.
    places: FxHashMap<EventId, u32>,
}

impl Origins {
    /// Origins of these records of a run, in the order of writing.
    #[must_use]
    pub(crate) fn new(snapshot: &Snapshot, ids: &[u32], extent: Extent) -> Origins {
        let mut writers: FxHashMap<SourceId, Vec<KeyId>> = FxHashMap::default();
        for event in (0..snapshot.len() as u32).filter_map(|id| snapshot.event(EventId(id))) {
            for (key, _) in event.context() {
                let known = writers.entry(event.source().id).or_default();
                if !known.contains(key) {
                    known.push(*key);
                }
            }
        }
        let sources = SourceNotes { extent, writers };
        let mut described: FxHashSet<SourceId> = FxHashSet::default();
        let mut notes = FxHashMap::default();
        for event in ids.iter().filter_map(|id| snapshot.event(EventId(*id))) {
            let is_first = described.is_empty();
            if described.insert(event.source().id) {
                let mut note = sources.note(snapshot, event.source());
                if is_first && extent == Extent::Whole {
                    note.empty_sources = sources.without_records(snapshot);
                }
                notes.insert(event.id, note);
            }
        }
        Origins {
            notes,
            places: places(snapshot, ids),
        }
    }

    /// Number of a record in its source, unless it follows the previous record of its source, in a typed table.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(crate) fn place(&self, event: EventId) -> Option<u32> {
        self.places.get(&event).copied()
    }

    /// Description of the source of a record, if it is written with this record.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(crate) fn note(&self, event: EventId) -> Option<&SourceNote> {
        self.notes.get(&event)
    }

    /// Adds the origin of a record to its line.
    pub(crate) fn add(
        &self,
        event: &EventRef<'_>,
        full: &FullEvent<'_>,
        line: &mut ObjectLine<'_>,
    ) {
        match self.notes.get(&event.id) {
            Some(note) => line.field(SOURCE, note),
            None => line.field(SOURCE, &event.source().id.0),
        }
        line.field(AT, &event.span().0);
        let joins = joins(event.snapshot, full);
        if joins.clone().next().is_some() {
            line.field(DERIVED, &Joins(joins));
        }
    }
}

/// Numbers, among the written records of a source in the order of the source, of the records that do not follow the
/// previous one. Most sources are written in their own order, and have none.
fn places(snapshot: &Snapshot, ids: &[u32]) -> FxHashMap<EventId, u32> {
    let events = || ids.iter().filter_map(|id| snapshot.event(EventId(*id)));
    let mut last: FxHashMap<SourceId, u64> = FxHashMap::default();
    let mut rearranged: FxHashMap<SourceId, Vec<(u64, EventId)>> = FxHashMap::default();
    for event in events() {
        let at = event.span().0;
        if last
            .insert(event.source().id, at)
            .is_some_and(|last| at < last)
        {
            rearranged.entry(event.source().id).or_default();
        }
    }
    if rearranged.is_empty() {
        return FxHashMap::default();
    }
    for event in events() {
        if let Some(written) = rearranged.get_mut(&event.source().id) {
            written.push((event.span().0, event.id));
        }
    }
    let mut places = FxHashMap::default();
    for written in rearranged.into_values() {
        let mut in_source: Vec<u32> = (0..written.len() as u32).collect();
        in_source.sort_by_key(|n| written[*n as usize].0);
        let mut numbers = vec![0; written.len()];
        for (number, n) in in_source.into_iter().enumerate() {
            numbers[n as usize] = number as u32;
        }
        let mut expected = 0;
        for ((_, id), number) in written.into_iter().zip(numbers) {
            if number != expected {
                places.insert(id, number);
            }
            expected = number + 1;
        }
    }
    places
}

/// Makes the descriptions of sources.
struct SourceNotes {
    extent: Extent,
    /// Keys of the writers of each source.
    writers: FxHashMap<SourceId, Vec<KeyId>>,
}

impl SourceNotes {
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
            (source.has_trait(SourceTrait::UntimedLines), UNTIMED_LINES),
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

/// Derived keys of an event and the names of their joins.
fn joins<'e>(
    snapshot: &'e Snapshot,
    full: &'e FullEvent<'_>,
) -> impl Iterator<Item = (&'e str, &'e str)> + Clone {
    full.keys.iter().filter_map(|key| match key.origin {
        ValueOrigin::Join(join) => {
            let join = snapshot.derived.joins.get(usize::from(join))?;
            Some((key.name, &*join.name))
        }
        ValueOrigin::Record | ValueOrigin::Path => None,
    })
}

/// Object of derived keys and the names of their joins.
struct Joins<I>(I);

impl<'e, I: Iterator<Item = (&'e str, &'e str)> + Clone> Serialize for Joins<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.clone())
    }
}

/// Names of the joins of the derived keys of an event, by key, as JSON; `None` without derived keys.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) fn derived_json(snapshot: &Snapshot, full: &FullEvent<'_>) -> Option<String> {
    let joins = joins(snapshot, full);
    joins.clone().next()?;
    serde_json::to_string(&Joins(joins)).ok()
}

/// Names of the joins of these derived keys, by key, as JSON; `None` without a known join.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) fn derived_names(snapshot: &Snapshot, keys: &[(&str, u16)]) -> Option<String> {
    let joins = keys.iter().filter_map(|(name, join)| {
        let join = snapshot.derived.joins.get(usize::from(*join))?;
        Some((*name, &*join.name))
    });
    joins.clone().next()?;
    serde_json::to_string(&Joins(joins)).ok()
}

/// Names of the joins of the derived keys of an event, by key.
pub fn derived<'e>(snapshot: &'e Snapshot, full: &'e FullEvent<'_>) -> impl Serialize + 'e {
    Joins(joins(snapshot, full))
}
