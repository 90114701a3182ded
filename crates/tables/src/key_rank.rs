//! Relevance of keys: the order of the record pane and of the pivot list.

use widetui_core::ids::KeyId;
use widetui_format::catalog::keys::Key;
use widetui_format::catalog::keys::WRITER;
use widetui_store::{EventRef, Value, ValueOrigin};

/// Relevance of a key for its record, the most relevant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Identifies an instance: a task, a worker.
    Identity,
    /// Stated by the record itself, or derived by a join.
    Stated,
    /// Stated by the path of the source.
    Path,
    /// Describes the writer of the record: code location, thread. Rarely of interest.
    Writer,
}

/// Key of a record with its relevance.
#[derive(Clone, Debug)]
pub struct RankedKey {
    /// Relevance.
    pub rank: Rank,
    /// Key id.
    pub id: KeyId,
    /// Full name.
    pub name: String,
    /// Short label.
    pub label: String,
    /// Value in the record.
    pub value: Value,
    /// Origin of the value.
    pub origin: ValueOrigin,
}

/// Key of a database's row number: it is a position, not content.
const ROW: &str = "rowid";

/// Returns the stored keys of a record, the most relevant first.
pub fn ranked_keys(event: &EventRef<'_>) -> Vec<RankedKey> {
    let mut out: Vec<RankedKey> = event
        .stored()
        .into_iter()
        .filter_map(|(id, value, origin)| {
            let view = event.snapshot.catalog.keys.get(id)?;
            let key: &Key = &view.key;
            Some(RankedKey {
                rank: rank(&key.name, key.identifier, origin),
                id,
                name: key.name.to_string(),
                label: key.label.to_string(),
                value,
                origin,
            })
        })
        .collect();
    // The sort is stable: within a rank the order of the record is kept, with its own values before those of the path.
    out.sort_by_key(|k| {
        (
            k.rank,
            k.origin != ValueOrigin::Record,
            writer_index(&k.name),
        )
    });
    out
}

/// Relevance of a key, from its name, whether it identifies instances, and the origin of its value.
pub fn rank(name: &str, identifier: bool, origin: ValueOrigin) -> Rank {
    match origin {
        _ if identifier => Rank::Identity,
        _ if writer_index(name).is_some() || name == ROW => Rank::Writer,
        ValueOrigin::Record | ValueOrigin::Join(_) => Rank::Stated,
        ValueOrigin::Path => Rank::Path,
    }
}

/// Index of a key among those that describe the writer of a record; `None` for all others.
pub fn writer_index(name: &str) -> Option<usize> {
    WRITER.iter().position(|n| *n == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_come_first_and_the_writer_last() {
        let ranks = [
            rank("run.task", true, ValueOrigin::Path),
            rank("seconds", false, ValueOrigin::Record),
            rank("run.dir", false, ValueOrigin::Path),
            rank("thread", false, ValueOrigin::Record),
        ];
        assert!(ranks.is_sorted());
        // The definition of a system whose threads are instances declares the key an identifier.
        assert_eq!(rank("thread", true, ValueOrigin::Record), Rank::Identity);
    }
}
