//! Which keys of a record say most: the order of the record pane and of the pivot list.

use widetui_core::ids::KeyId;
use widetui_format::catalog::keys::Key;
use widetui_format::catalog::keys::WRITER;
use widetui_store::{EventRef, Value, ValueOrigin};

/// How telling a key is for the record that has it, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Identifies something: a task, a worker.
    Identity,
    /// Said by the record itself.
    Said,
    /// Said by the path of its source.
    Path,
    /// Where in the code it was written, and by which thread: of use when nothing else is.
    Writer,
}

/// A key of a record.
#[derive(Clone, Debug)]
pub struct Telling {
    /// How telling it is.
    pub rank: Rank,
    /// Its number.
    pub id: KeyId,
    /// Its name.
    pub name: String,
    /// Word for it in short lists.
    pub label: String,
    /// What the record has.
    pub value: Value,
    /// Where it comes from.
    pub origin: ValueOrigin,
}

/// The number of a row of a database: it says where the record stands, and nothing of what it says.
const ROW: &str = "rowid";

/// The stored keys of a record, the most telling first.
pub fn keys(event: &EventRef<'_>) -> Vec<Telling> {
    let mut out: Vec<Telling> = event
        .stored()
        .into_iter()
        .filter_map(|(id, value, origin)| {
            let view = event.snapshot.catalog.keys.get(id)?;
            let key: &Key = &view.key;
            Some(Telling {
                rank: rank(&key.name, key.identifier, origin),
                id,
                name: key.name.to_string(),
                label: key.label.to_string(),
                value,
                origin,
            })
        })
        .collect();
    // Stable: within a rank the order of the record counts. What the record says of itself comes before its path.
    out.sort_by_key(|k| (k.rank, k.origin != ValueOrigin::Record, writer(&k.name)));
    out
}

/// How telling a key of this name is, given whether it identifies things and where it comes from.
pub fn rank(name: &str, identifier: bool, origin: ValueOrigin) -> Rank {
    match origin {
        _ if identifier => Rank::Identity,
        _ if writer(name).is_some() || name == ROW => Rank::Writer,
        ValueOrigin::Record | ValueOrigin::Join(_) => Rank::Said,
        ValueOrigin::Path => Rank::Path,
    }
}

/// Place among the names of loggers; none for all others.
pub fn writer(name: &str) -> Option<usize> {
    WRITER.iter().position(|n| *n == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_identifies_comes_first_and_the_writer_last() {
        let ranks = [
            rank("run.task", true, ValueOrigin::Path),
            rank("seconds", false, ValueOrigin::Record),
            rank("run.dir", false, ValueOrigin::Path),
            rank("thread", false, ValueOrigin::Record),
        ];
        assert!(ranks.is_sorted());
        // A system whose threads are what it is about says so in its definition.
        assert_eq!(rank("thread", true, ValueOrigin::Record), Rank::Identity);
    }
}
