//! Names of the columns of a table that may lack some, or have one twice.

use std::collections::HashSet;

/// Names of the columns, no two the same: keys of one name would be one key.
#[derive(Debug, Default)]
pub(super) struct ColumnNames {
    /// Those there are so far.
    pub(crate) all: Vec<String>,
    /// Those that the header gives and that stand further on.
    ahead: HashSet<String>,
    taken: HashSet<String>,
}

impl ColumnNames {
    /// As the header says; where it says nothing, or a name again, another one.
    pub fn of(header: Vec<String>) -> ColumnNames {
        let mut names = ColumnNames {
            ahead: header.iter().cloned().collect(),
            ..ColumnNames::default()
        };
        for (at, cell) in header.into_iter().enumerate() {
            match cell.as_str() {
                // What pandas writes before the first column.
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

    /// Another column, of which the header says nothing.
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
