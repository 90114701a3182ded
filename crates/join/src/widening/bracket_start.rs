//! Start of brackets: records in a bracket before the start of its instance belong to other work on that thread.

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::row_walk::each;

/// With what that began of which brackets are.
pub(crate) struct BracketStart<'a> {
    /// The key that brackets give.
    pub given: KeyId,
    /// The events that say whose a bracket is; none: all.
    pub evidence: Option<&'a Selection>,
    /// The events with which such a thing begins.
    pub since: &'a Selection,
    /// The key by which these name it.
    pub named: KeyId,
}

impl BracketStart<'_> {
    /// Takes the records out of brackets that were written before. What is named by several, or began with no record, stays
    /// as it is.
    pub fn cut(&self, snapshot: &Snapshot, copied: &[Vec<u32>], spans: &mut [Option<Box<[Code]>>]) {
        if spans.iter().all(Option::is_none) {
            return;
        }
        let bearers = self.bearers(snapshot, copied, spans);
        let mut first: FxHashMap<(SourceId, Code), i64> =
            bearers.values().map(|bearer| (*bearer, i64::MAX)).collect();
        each(
            snapshot,
            copied,
            &[self.named],
            |segment, row, tuple, time| {
                let fits = { self.since.segment(segment) }.is_some_and(|bits| bits.get(row));
                let source = snapshot.segments[segment].part(row).source;
                if let Some(first) = first.get_mut(&(source, tuple[0])).filter(|_| fits) {
                    *first = (*first).min(time);
                }
            },
        );
        for (segment, codes) in snapshot.segments.iter().zip(spans) {
            for (row, code) in codes
                .iter_mut()
                .flat_map(|codes| codes.iter_mut().enumerate())
            {
                let Some(bearer) = bearers.get(code) else {
                    continue;
                };
                let Some(source) = snapshot.source(bearer.0) else {
                    continue;
                };
                let began = first.get(bearer).filter(|time| **time < i64::MAX);
                let time = segment.utc(source, row);
                if began.is_some_and(|began| time != NO_TIME && time < *began) {
                    *code = NONE;
                }
            }
        }
    }

    /// Of what each bracket is: its file, and the one name that its records tell, as the events name it with which that began.
    fn bearers(
        &self,
        snapshot: &Snapshot,
        copied: &[Vec<u32>],
        spans: &[Option<Box<[Code]>>],
    ) -> FxHashMap<Code, (SourceId, Code)> {
        let mut told: FxHashMap<Code, (SourceId, Code)> = FxHashMap::default();
        each(snapshot, copied, &[self.given], |segment, row, tuple, _| {
            let number = spans[segment].as_ref().map_or(NONE, |codes| codes[row]);
            let speaks = self
                .evidence
                .is_none_or(|evidence| evidence.segment(segment).is_some_and(|bits| bits.get(row)));
            if number == NONE || !speaks {
                return;
            }
            let source = snapshot.segments[segment].part(row).source;
            let known = told.entry(number).or_insert((source, tuple[0]));
            if known.1 != tuple[0] {
                known.1 = NONE;
            }
        });
        told.retain(|_, (_, code)| *code != NONE);
        for (_, code) in told.values_mut() {
            *code = self.renamed(snapshot, *code);
        }
        told
    }

    /// The code under the one key of what has this code under the other.
    fn renamed(&self, snapshot: &Snapshot, code: Code) -> Code {
        if code < ENTRY {
            return code;
        }
        let keys = &snapshot.catalog.keys;
        let spelled = keys.get(self.given).and_then(|key| key.spelling(code));
        let (Some(text), Some(key)) = (spelled, keys.get(self.named)) else {
            return NONE;
        };
        key.dict.canonical(key.key.code(&text))
    }
}
