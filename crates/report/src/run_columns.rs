//! Columns of keys in files of the records of a run (`format::exports`): those of the keys by which definitions identify
//! instances, whether or not a run has them, so that the files of all runs have the same columns.

use serde::{Deserialize, Serialize};

use widetui_format::exports::{OWN_COLUMNS, RUN, column_of_key};
use widetui_store::Snapshot;

use super::flat::{FlatType, declared};

/// Column of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnOfKey {
    /// Name of the column.
    pub column: String,
    /// Name of the key.
    pub key: String,
    /// Type of the column.
    #[serde(rename = "type")]
    pub kind: FlatType,
}

/// Columns of the keys by which the definitions in force identify instances, by name.
pub fn columns_of_keys(snapshot: &Snapshot) -> Vec<ColumnOfKey> {
    let mut columns: Vec<ColumnOfKey> = { snapshot.tables.keys.identifiers().into_iter() }
        .map(|(key, kind)| ColumnOfKey {
            column: column_of_key(&key),
            key,
            kind: declared(kind).unwrap_or(FlatType::Text),
        })
        .collect();
    columns.sort_by(|a, b| a.key.cmp(&b.key));
    // A key whose column has the name of another one is in the map of all keys.
    let mut names: Vec<String> = { OWN_COLUMNS.into_iter().chain([RUN]) }
        .map(str::to_owned)
        .collect();
    columns.retain(|column| {
        let is_new = !names.contains(&column.column);
        names.push(column.column.clone());
        is_new
    });
    columns
}
