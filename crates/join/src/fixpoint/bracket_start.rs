//! Start of brackets: records in a bracket before the start of its instance belong to other work on that thread.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::row_walk::for_each_row_with;

/// Parameters for removing records from a bracket that precede the start of its instance.
pub(crate) struct BracketStart<'a> {
    /// Key that brackets derive.
    pub(crate) instance_key: KeyId,
    /// Events that start an instance.
    pub(crate) starts: &'a Selection,
    /// Key by which the starting events name the instance.
    pub(crate) name_key: KeyId,
}

impl BracketStart<'_> {
    /// Removes from brackets the records written before the start of the instance. A bracket with
    /// several instances, or of a file without any starting event, is unchanged; where the start of its
    /// instance alone is missing, as it is cut off, the bracket is removed.
    pub(crate) fn remove_earlier(
        &self,
        snapshot: &Snapshot,
        duplicated_rows: &[Vec<u32>],
        spans: &mut [Option<Box<[Code]>>],
    ) {
        if spans.iter().all(Option::is_none) {
            return;
        }
        let instances = self.instances(snapshot, duplicated_rows, spans);
        let mut first: FxHashMap<(SourceId, Code), i64> = instances
            .values()
            .map(|instance| (*instance, i64::MAX))
            .collect();
        let mut with_starts: FxHashSet<SourceId> = FxHashSet::default();
        for_each_row_with(
            snapshot,
            duplicated_rows,
            &[self.name_key],
            |segment, row, tuple, time| {
                if !{ self.starts.segment(segment) }.is_some_and(|bits| bits.get(row)) {
                    return;
                }
                let source = snapshot.segments[segment].part(row).source;
                with_starts.insert(source);
                if let Some(first) = first.get_mut(&(source, tuple[0])) {
                    *first = (*first).min(time);
                }
            },
        );
        for (segment, codes) in snapshot.segments.iter().zip(spans) {
            for (row, code) in codes
                .iter_mut()
                .flat_map(|codes| codes.iter_mut().enumerate())
            {
                let Some(instance) = instances.get(code) else {
                    continue;
                };
                let Some(source) = snapshot.source(instance.0) else {
                    continue;
                };
                let start = first.get(instance).filter(|time| **time < i64::MAX);
                let time = segment.utc(source, row);
                let is_earlier = match start {
                    Some(start) => time != NO_TIME && time < *start,
                    None => with_starts.contains(&instance.0),
                };
                if is_earlier {
                    *code = NONE;
                }
            }
        }
    }

    /// File and instance of each bracket whose records name one instance, as a code of `name_key`.
    fn instances(
        &self,
        snapshot: &Snapshot,
        duplicated_rows: &[Vec<u32>],
        spans: &[Option<Box<[Code]>>],
    ) -> FxHashMap<Code, (SourceId, Code)> {
        let mut found: FxHashMap<Code, (SourceId, Code)> = FxHashMap::default();
        for_each_row_with(
            snapshot,
            duplicated_rows,
            &[self.instance_key],
            |segment, row, tuple, _| {
                let number = spans[segment].as_ref().map_or(NONE, |codes| codes[row]);
                if number == NONE {
                    return;
                }
                let source = snapshot.segments[segment].part(row).source;
                let known = found.entry(number).or_insert((source, tuple[0]));
                if known.1 != tuple[0] {
                    known.1 = NONE;
                }
            },
        );
        found.retain(|_, (_, code)| *code != NONE);
        for (_, code) in found.values_mut() {
            *code = self.translate(snapshot, *code);
        }
        found
    }

    /// Translates a code of `instance_key` to the code of `name_key` with the same spelling.
    fn translate(&self, snapshot: &Snapshot, code: Code) -> Code {
        if code < ENTRY {
            return code;
        }
        let keys = &snapshot.catalog.keys;
        let spelled = keys
            .get(self.instance_key)
            .and_then(|key| key.spelling(code));
        let (Some(text), Some(key)) = (spelled, keys.get(self.name_key)) else {
            return NONE;
        };
        key.dict.canonical(key.key.code(&text))
    }
}
