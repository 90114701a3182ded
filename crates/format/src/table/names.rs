//! Column names of a table whose header may lack some or repeat one.

use std::collections::HashSet;

/// Distinct column names; equal ones would become the same key.
#[derive(Debug, Default)]
pub(super) struct ColumnNames {
    /// Names so far.
    pub(crate) all: Vec<String>,
    /// Names of the header that occur further on.
    ahead: HashSet<String>,
    taken: HashSet<String>,
}

impl ColumnNames {
    /// Names of the header, with generated names for missing and repeated ones.
    pub fn of(header: Vec<String>) -> ColumnNames {
        let mut names = ColumnNames {
            ahead: header.iter().cloned().collect(),
            ..ColumnNames::default()
        };
        for (at, cell) in header.into_iter().enumerate() {
            match cell.as_str() {
                // pandas writes the index as a first column without a name.
                "" if at == 0 => names.push("index".to_owned()),
                "" => names.add(),
                _ => {
                    let is_first = names.ahead.remove(&cell);
                    names.push(if is_first {
                        cell
                    } else {
                        format!("{cell}.{}", at + 1)
                    });
                }
            }
        }
        names
    }

    /// Appends a generated name for a column that the header does not have.
    pub(crate) fn add(&mut self) {
        self.push(format!("column_{}", self.all.len() + 1));
    }

    fn push(&mut self, wanted: String) {
        let is_taken = |n: &String| self.taken.contains(n) || self.ahead.contains(n);
        let name = match is_taken(&wanted) {
            true => (2..)
                .map(|n| format!("{wanted}.{n}"))
                .find(|n| !is_taken(n))
                .unwrap_or_default(),
            false => wanted,
        };
        self.taken.insert(name.clone());
        self.all.push(name);
    }
}
