//! Which rows of a table are shown, and in which order: found at once where the table is small, beside the loop where it is large.

use std::cmp::Ordering;
use std::sync::Arc;

use rayon::prelude::*;

use crate::row_search::RowSearch;

use super::cell::CellKey;
use super::{Cell, Row, Table};

/// Rows up to which nobody notices how long it takes.
pub(crate) const SMALL: usize = 1 << 12;

/// The order that somebody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// By this column.
    pub column: usize,
    /// The greatest first.
    pub down: bool,
}

/// What is to be found.
#[derive(Clone, Debug)]
pub struct ArrangeWish {
    /// Of this table.
    pub(crate) table: Arc<Table>,
    /// The order; none for that of the table.
    pub(crate) sort: Option<Sort>,
    /// Words that the rows must have.
    pub(crate) filter: String,
    /// What is searched for in them.
    pub(crate) search: RowSearch,
    /// Says which question it is, to know the answer by.
    pub(crate) ticket: u64,
}

/// The rows that are shown.
#[derive(Clone, Debug)]
pub struct Arranged {
    /// Their numbers, in their order.
    pub(crate) shown: Arc<[u32]>,
    /// What was searched for, and where it is among them.
    pub(crate) search: RowSearch,
    /// That of the wish.
    pub(crate) ticket: u64,
}

impl ArrangeWish {
    /// Whether it is found in no time.
    pub(crate) fn is_quick(&self) -> bool {
        let is_plain =
            self.sort.is_none() && self.filter.trim().is_empty() && self.search.matcher.is_none();
        is_plain || self.table.rows.len() <= SMALL
    }

    /// Finds them.
    pub fn find(self) -> Arranged {
        let rows = &self.table.rows;
        let mut shown = self.fitting();
        if let Some(sort) = self.sort {
            order(rows, sort, &mut shown);
        }
        let mut search = self.search;
        let texts = shown.iter().filter_map(|row| rows.get(*row as usize));
        search.look(texts.map(|row| row.cells.iter().filter_map(Cell::searched)));
        Arranged {
            shown: shown.into(),
            search,
            ticket: self.ticket,
        }
    }

    /// The rows whose texts have all the words.
    fn fitting(&self) -> Vec<u32> {
        let lower = self.filter.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let rows = &self.table.rows;
        if words.is_empty() {
            return (0..rows.len() as u32).collect();
        }
        let has = |row: &Row, word: &str| row.cells.iter().any(|cell| cell.contains(word));
        let all = rows.par_iter().enumerate().with_min_len(SMALL);
        let fitting = all.filter(|(_, row)| words.iter().all(|word| has(row, word)));
        fitting.map(|(at, _)| at as u32).collect()
    }
}

/// Orders rows by a column; what is alike stays as it stands in the table.
fn order(rows: &[Row], sort: Sort, shown: &mut [u32]) {
    let all = rows.par_iter().with_min_len(SMALL);
    // Texts are read as numbers once, not at each comparison.
    let keys = all.map(|row| row.cells.get(sort.column).map(Cell::key));
    let keys: Vec<Option<CellKey<'_>>> = keys.collect();
    let of = |row: &u32| keys.get(*row as usize).and_then(Option::as_ref);
    let compare = |a: &u32, b: &u32| {
        let order = match (of(a), of(b)) {
            (Some(a), Some(b)) => a.order(b),
            _ => Ordering::Equal,
        };
        if sort.down { order.reverse() } else { order }
    };
    match shown.len() <= SMALL {
        true => shown.sort_by(compare),
        false => shown.par_sort_by(compare),
    }
}
