//! Duplicate records: records that stand in several sources, of whose paths only one is their own.
//!
//! Two Parsl runs (DataFlowKernels) in one process write each other's records into both logs. The
//! paths then only give candidates for the owner of a record. A join among duplicates chooses one
//! of them from evidence, or by exclusion: an operation that an owner executes exactly once and has
//! executed elsewhere was not executed here ([`crate::exactly_once`]).

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;

/// Values of a key in the paths of the sources that hold duplicates of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidates {
    /// Codes of the values, ascending, without repetition.
    pub(crate) codes: Vec<Code>,
}

impl Candidates {
    /// Candidates for an event; `None` if the event stands in one source only.
    pub(crate) fn for_event(snapshot: &Snapshot, event: EventId, key: KeyId) -> Option<Candidates> {
        let copies = &snapshot.duplicates;
        if copies.original_of(event.0).is_none() && copies.duplicates_of(event.0).next().is_none() {
            return None;
        }
        let dict = &snapshot.catalog.keys.get(key)?.dict;
        let mut codes: Vec<Code> = copies
            .group(event.0)
            .filter_map(|id| {
                let source = snapshot.event(EventId(id))?.source();
                let found = source.consts.iter().find(|(k, _)| *k == key)?;
                Some(dict.canonical(found.1))
            })
            .collect();
        codes.sort_unstable();
        codes.dedup();
        Some(Candidates { codes })
    }

    /// The candidate that is in `set`, if exactly one is; otherwise `NONE`.
    pub(crate) fn single_candidate_in(&self, set: &[Code]) -> Code {
        let mut inside = self.codes.iter().filter(|c| set.contains(c));
        match (inside.next(), inside.next()) {
            (Some(one), None) => *one,
            _ => NONE,
        }
    }
}
