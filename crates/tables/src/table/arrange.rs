//! Order, filter and search of a table's rows: immediate for a small table, in the background for a large one.

use std::cmp::Ordering;
use std::sync::Arc;

use rayon::prelude::*;

use crate::row_search::RowSearch;

use super::cell::CellKey;
use super::{Cell, Row, Table};

/// Number of rows up to which arranging takes no noticeable time.
pub(crate) const SMALL: usize = 1 << 12;

/// Order chosen by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Index of the column.
    pub column: usize,
    /// Whether the order is descending.
    pub is_descending: bool,
}

/// Request to arrange the rows of a table.
#[derive(Clone, Debug)]
pub struct ArrangeRequest {
    /// Table to arrange.
    pub(crate) table: Arc<Table>,
    /// Order; `None` for the order of the table.
    pub(crate) sort: Option<Sort>,
    /// Filter: words that shown rows must contain.
    pub(crate) filter: String,
    /// Search in the shown rows.
    pub(crate) search: RowSearch,
    /// Ticket that identifies the answer.
    pub(crate) ticket: u64,
}

/// Arranged rows.
#[derive(Clone, Debug)]
pub struct Arranged {
    /// Indices of the shown rows, in order.
    pub(crate) shown: Arc<[u32]>,
    /// Search with its matches among the shown rows.
    pub(crate) search: RowSearch,
    /// Ticket of the request.
    pub(crate) ticket: u64,
}

impl ArrangeRequest {
    /// Whether arranging takes no noticeable time.
    pub(crate) fn is_quick(&self) -> bool {
        let is_plain =
            self.sort.is_none() && self.filter.trim().is_empty() && self.search.matcher.is_none();
        is_plain || self.table.rows.len() <= SMALL
    }

    /// Arranges the rows.
    pub fn arrange(self) -> Arranged {
        let rows = &self.table.rows;
        let mut shown = self.filtered_rows();
        if let Some(sort) = self.sort {
            order(rows, sort, &mut shown);
        }
        let mut search = self.search;
        let texts = shown.iter().filter_map(|row| rows.get(*row as usize));
        search.search(texts.map(|row| row.cells.iter().filter_map(Cell::search_text)));
        Arranged {
            shown: shown.into(),
            search,
            ticket: self.ticket,
        }
    }

    /// Indices of the rows that contain all words of the filter.
    fn filtered_rows(&self) -> Vec<u32> {
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

/// Sorts rows by a column, stably.
fn order(rows: &[Row], sort: Sort, shown: &mut [u32]) {
    let all = rows.par_iter().with_min_len(SMALL);
    // Sort keys are computed once per row, not at each comparison.
    let keys = all.map(|row| row.cells.get(sort.column).map(Cell::key));
    let keys: Vec<Option<CellKey<'_>>> = keys.collect();
    let of = |row: &u32| keys.get(*row as usize).and_then(Option::as_ref);
    let compare = |a: &u32, b: &u32| {
        let order = match (of(a), of(b)) {
            (Some(a), Some(b)) => a.order(b),
            _ => Ordering::Equal,
        };
        if sort.is_descending {
            order.reverse()
        } else {
            order
        }
    };
    match shown.len() <= SMALL {
        true => shown.sort_by(compare),
        false => shown.par_sort_by(compare),
    }
}
