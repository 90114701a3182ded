//! Records that stand in several sources: which of their paths is theirs.
//!
//! Two kernels in one process write each other's records into both logs. A path alone says nothing about such a record, but
//! it is of one of these paths. A join among copies chooses, from evidence, and by exclusion: what a bearer does once, and
//! did elsewhere, it did not do here ([`crate::exactly_once`]).

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;

/// The values that the paths of a record have for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// Them, ascending.
    pub codes: Vec<Code>,
}

impl Candidates {
    /// Of an event; `None` when it stands in one source only.
    pub fn of(snapshot: &Snapshot, event: EventId, key: KeyId) -> Option<Candidates> {
        let copies = &snapshot.copies;
        if copies.of(event.0).is_none() && copies.copies_of(event.0).next().is_none() {
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

    /// The candidate that is in a set, if exactly one is; else `NONE`.
    pub fn only_one_in(&self, set: &[Code]) -> Code {
        let mut inside = self.codes.iter().filter(|c| set.contains(c));
        match (inside.next(), inside.next()) {
            (Some(one), None) => *one,
            _ => NONE,
        }
    }
}
