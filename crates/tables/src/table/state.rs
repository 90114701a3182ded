//! State of a shown table: cursor, order, filter, search, and pending requests.

use std::sync::Arc;

use crate::list::List;
use crate::row_search::RowSearch;
use widetui_core::direction::Direction;
use widetui_core::thread::drop_in_background;
use widetui_session::selection::TableOrder;

use super::arrange::{ArrangeRequest, Arranged, Sort};
use super::{Row, Table};

/// Shown table with its cursor, order, filter and search.
#[derive(Clone, Debug)]
pub struct TableState {
    /// Latest table; it stays until the next one arrives.
    pub table: Arc<Table>,
    /// Whether a table has arrived.
    pub is_known: bool,
    /// Indices of shown rows, in order.
    pub shown: Arc<[u32]>,
    /// Cursor among the shown rows.
    pub list: List,
    /// Order; `None` for the order of the table.
    pub sort: Option<Sort>,
    /// Filter: words that shown rows must contain.
    pub filter: String,
    /// Search in the shown rows.
    pub search: RowSearch,
    /// Whether a newer table is being computed.
    pub is_pending: bool,
    /// State of the selection (`Model::epoch`) of the last request.
    pub epoch: u64,
    /// Ticket of the pending arrangement.
    ticket: u64,
    /// Whether the arrangement is still to be requested.
    is_due: bool,
    /// Row to put the cursor on once the arrangement arrives, and its distance from the first visible row.
    row_after: Option<(String, usize)>,
    /// Row to put the cursor on once the table arrives.
    wanted: Option<(String, usize)>,
}

impl Default for TableState {
    fn default() -> Self {
        TableState {
            table: Arc::default(),
            is_known: false,
            shown: Arc::default(),
            list: List { cursor: 0, top: 0 },
            sort: None,
            filter: String::new(),
            search: RowSearch::default(),
            is_pending: false,
            epoch: 0,
            ticket: 0,
            is_due: false,
            row_after: None,
            wanted: None,
        }
    }
}

impl TableState {
    /// Row at a position among the shown ones.
    pub fn row(&self, place: usize) -> Option<&Row> {
        self.table.rows.get(*self.shown.get(place)? as usize)
    }

    /// Row under the cursor.
    pub fn current(&self) -> Option<&Row> {
        self.row(self.list.cursor)
    }

    /// Number of shown rows.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether no row is shown.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Moves the cursor to the row with a name, now or as soon as the table of an epoch arrives (`None`: a later one).
    pub fn move_to_row(&mut self, name: String, above: usize, epoch: Option<u64>) {
        match self.is_known && !self.is_pending && Some(self.epoch) == epoch {
            true => self.move_cursor(&name, above),
            false => self.wanted = Some((name, above)),
        }
    }

    /// Replaces the table; the cursor stays on its row unless it was the first, or the row is gone.
    pub fn replace_table(&mut self, table: Arc<Table>) {
        let wanted = self.wanted.take();
        let is_wanted = wanted.is_some();
        let distance = self.list.cursor.saturating_sub(self.list.top);
        let wanted = wanted.or_else(|| Some((self.current()?.name.clone(), distance)));
        // A table with other columns is about another subject.
        let has_same_columns = |a: &Table, b: &Table| {
            let titles = |t: &Table| {
                t.columns
                    .iter()
                    .map(|c| c.title.clone())
                    .collect::<Vec<_>>()
            };
            titles(a) == titles(b)
        };
        if self.is_known && !has_same_columns(&self.table, &table) {
            self.sort = None;
        }
        let is_first = !std::mem::replace(&mut self.is_known, true);
        let old = std::mem::replace(&mut self.table, table);
        drop_in_background(old, |table| table.rows.len());
        // Row indices are invalid in another table.
        self.shown = (0..self.table.rows.len() as u32).collect();
        self.arrange();
        if is_first && self.list.cursor == 0 && !is_wanted {
            let start = self.table.initial_row as u32;
            let place = self.shown.iter().position(|row| *row == start);
            self.list.cursor = place.unwrap_or(0);
            return;
        }
        if let Some((name, distance)) = wanted.filter(|_| is_wanted || self.list.cursor > 0) {
            self.move_cursor(&name, distance);
            self.row_after = self.is_due.then_some((name, distance));
        }
        self.list.cursor = self.list.cursor.min(self.len().saturating_sub(1));
    }

    /// Drops the rows, which can be computed again; the cursor returns to its row, and order, filter and search apply,
    /// once the table arrives again.
    pub fn release_rows(&mut self) {
        let name = self.current().map(|row| row.name.clone());
        let above = self.list.cursor.saturating_sub(self.list.top);
        self.wanted = self.wanted.take().or(name.map(|name| (name, above)));
        let columns = self.table.columns.clone();
        let empty = Table::new(columns, Vec::new(), self.table.empty_text);
        let old = std::mem::replace(&mut self.table, Arc::new(empty));
        drop_in_background(old, |table| table.rows.len());
        self.shown = Arc::default();
        self.search.is_known = false;
        (self.is_known, self.is_due, self.epoch) = (false, false, 0);
        self.ticket += 1;
    }

    /// Moves the cursor to the row with a name, if it is shown, and keeps its distance from the first visible row.
    fn move_cursor(&mut self, name: &str, distance: usize) {
        let is_it = |place: &usize| self.row(*place).is_some_and(|r| r.name == name);
        if let Some(place) = (0..self.len()).find(is_it) {
            self.list.cursor = place;
            self.list.top = place.saturating_sub(distance);
        }
    }

    /// Arranges the rows again; the rows of a large table stay until the result arrives.
    pub fn arrange(&mut self) {
        self.search.is_known = false;
        self.row_after = None;
        self.ask();
    }

    /// Searches the shown rows.
    pub fn find(&mut self) {
        if !self.search.is_known || self.request().is_quick() {
            self.ask();
        }
    }

    fn ask(&mut self) {
        self.ticket += 1;
        let request = self.request();
        self.is_due = !request.is_quick();
        if !self.is_due {
            self.apply(request.arrange());
        }
    }

    fn request(&self) -> ArrangeRequest {
        ArrangeRequest {
            table: self.table.clone(),
            sort: self.sort,
            filter: self.filter.clone(),
            search: self.search.clone(),
            ticket: self.ticket,
        }
    }

    /// Takes the pending request for a background job, if there is one.
    pub fn take_request(&mut self) -> Option<ArrangeRequest> {
        std::mem::take(&mut self.is_due).then(|| self.request())
    }

    /// Whether the search is pending.
    pub fn is_searching(&self) -> bool {
        self.search.matcher.is_some() && !self.search.is_known
    }

    /// Takes an arrangement; a result of an older request is dropped.
    pub fn apply(&mut self, found: Arranged) {
        if found.ticket != self.ticket {
            return;
        }
        self.shown = found.shown;
        // The search may have been closed meanwhile.
        if self.search.line == found.search.line {
            (self.search.hits, self.search.is_known) = (found.search.hits, true);
        }
        if let Some((name, distance)) = self.row_after.take() {
            self.move_cursor(&name, distance);
        }
        self.list.cursor = self.list.cursor.min(self.len().saturating_sub(1));
    }

    /// Sorts by the next visible column to the right or left; beyond the last one is the order of the table.
    pub fn sort_by_neighbour(&mut self, columns: &[usize], direction: Direction) {
        let at = self
            .sort
            .and_then(|s| columns.iter().position(|c| *c == s.column));
        let next = match (at, direction) {
            (None, Direction::Forward) => columns.first(),
            (None, Direction::Backward) => columns.last(),
            (Some(at), Direction::Forward) => columns.get(at + 1),
            (Some(at), Direction::Backward) => at.checked_sub(1).and_then(|at| columns.get(at)),
        };
        self.sort = next.map(|column| self.first_sort(*column));
        self.arrange();
        self.list = List { cursor: 0, top: 0 };
    }

    /// Sorts by a column; a second time reverses the order.
    pub fn sort_by(&mut self, column: usize) {
        self.sort = match self.sort {
            Some(sort) if sort.column == column => Some(Sort {
                is_descending: !sort.is_descending,
                ..sort
            }),
            _ if column < self.table.columns.len() => Some(self.first_sort(column)),
            other => other,
        };
        self.arrange();
        self.list = List { cursor: 0, top: 0 };
    }

    /// Returns the current order, to be restored later.
    pub fn order(&self) -> TableOrder {
        self.sort.map(|s| (s.column, s.is_descending))
    }

    /// Restores an order; if its column no longer exists, the order of the table applies.
    pub fn restore_order(&mut self, order: TableOrder) {
        let columns = self.table.columns.len();
        let order = order.filter(|(column, _)| *column < columns || !self.is_known);
        self.sort = order.map(|(column, down)| Sort {
            column,
            is_descending: down,
        });
        self.arrange();
        self.list = List { cursor: 0, top: 0 };
    }

    /// Default direction of a column: numbers descending, texts ascending.
    fn first_sort(&self, column: usize) -> Sort {
        let is_measure = self.table.columns.get(column).is_some_and(|c| {
            c.align == super::Align::Right
                || c.role == crate::role::Role::Bars && !is_spark(&self.table, column)
        });
        Sort {
            column,
            is_descending: is_measure,
        }
    }
}

fn is_spark(table: &Table, column: usize) -> bool {
    let cell = table.rows.first().and_then(|r| r.cells.get(column));
    matches!(cell, Some(super::Cell::Spark(_)))
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Column};
    use super::*;

    fn table(counts: &[(&str, u64)]) -> Arc<Table> {
        let row = |(name, n): &(&str, u64)| Row {
            name: (*name).to_owned(),
            cells: vec![Cell::Text((*name).to_owned()), Cell::Count(*n)],
            ..Row::default()
        };
        let columns = vec![Column::text("name"), Column::number("n")];
        let rows = counts.iter().map(row).collect();
        Arc::new(Table::new(columns, rows, "none"))
    }

    fn names(state: &TableState) -> Vec<&str> {
        (0..state.len())
            .filter_map(|p| state.row(p).map(|r| r.name.as_str()))
            .collect()
    }

    #[test]
    fn rows_are_ordered_and_filtered() {
        let mut state = TableState::default();
        state.replace_table(table(&[("bee", 1), ("ant", 30), ("Antelope", 4)]));
        assert_eq!(names(&state), ["bee", "ant", "Antelope"]);
        state.sort_by(1);
        assert_eq!(names(&state), ["ant", "Antelope", "bee"]);
        state.sort_by(1);
        assert_eq!(names(&state), ["bee", "Antelope", "ant"]);
        state.filter = "ANT".to_owned();
        state.arrange();
        assert_eq!(names(&state), ["Antelope", "ant"]);
        // From column to column, and from the last one back to the order of the table.
        state.sort_by_neighbour(&[0, 1], Direction::Forward);
        assert_eq!((state.sort, names(&state)), (None, vec!["ant", "Antelope"]));
    }

    #[test]
    fn the_cursor_starts_on_the_initial_row() {
        let mut state = TableState::default();
        let first_table = Table::clone(&table(&[("a", 1), ("b", 9), ("c", 3)])).with_initial_row(1);
        state.replace_table(Arc::new(first_table.clone()));
        assert_eq!(state.current().map(|r| r.name.as_str()), Some("b"));
        // A cursor on the first row stays there.
        state.list.cursor = 0;
        state.replace_table(Arc::new(first_table));
        assert_eq!(state.list.cursor, 0);
    }

    #[test]
    fn the_cursor_stays_on_its_row() {
        let mut state = TableState::default();
        state.replace_table(table(&[("a", 1), ("b", 2), ("c", 3)]));
        state.list.cursor = 1;
        state.replace_table(table(&[("x", 9), ("y", 8), ("b", 2)]));
        assert_eq!(state.current().map(|r| r.name.as_str()), Some("b"));
        state.replace_table(table(&[("x", 9)]));
        assert_eq!(state.list.cursor, 0);
    }

    #[test]
    fn released_rows_come_back_as_they_were() {
        let rows = [("a", 1), ("b", 2), ("bc", 3), ("c", 4)];
        let mut state = TableState::default();
        state.replace_table(table(&rows));
        state.sort_by(1);
        state.filter = "b".to_owned();
        state.arrange();
        state.list.cursor = 1;
        state.epoch = 7;
        state.release_rows();
        assert!(state.is_empty() && !state.is_known && state.epoch != 7);
        assert!(state.table.rows.is_empty());
        // The order is of a table with the same columns.
        state.release_rows();
        state.replace_table(table(&rows));
        assert_eq!(names(&state), ["bc", "b"]);
        assert_eq!(state.current().map(|r| r.name.as_str()), Some("b"));
    }

    fn large(rows: usize) -> Arc<Table> {
        let row = |n: usize| Row {
            name: n.to_string(),
            cells: vec![Cell::Text(format!("name {}", n % 7)), Cell::Count(n as u64)],
            ..Row::default()
        };
        let columns = vec![Column::text("name"), Column::number("n")];
        Arc::new(Table::new(columns, (0..rows).map(row).collect(), "none"))
    }

    fn numbers(state: &TableState) -> Vec<usize> {
        let numbers = (0..state.len()).filter_map(|p| state.row(p)?.name.parse().ok());
        numbers.collect()
    }

    #[test]
    fn rows_of_a_large_table_are_found_beside_the_loop() {
        let rows = 3 * super::super::arrange::SMALL;
        let mut state = TableState::default();
        state.replace_table(large(rows));
        assert!(
            state.take_request().is_none(),
            "its own order is known at once"
        );
        state.list.cursor = 5;
        state.sort_by(1);
        // Until the result arrives the rows stay unchanged.
        assert_eq!(numbers(&state)[..2], [0, 1]);
        let first = state.take_request().unwrap();
        assert!(state.take_request().is_none(), "it is asked for once");
        state.filter = "NAME 3".to_owned();
        state.arrange();
        state.apply(first.arrange());
        assert_eq!(state.len(), rows, "what is out of date is dropped");
        let request = state.take_request().unwrap();
        state.apply(request.arrange());
        let wanted: Vec<usize> = (0..rows).rev().filter(|n| n % 7 == 3).collect();
        assert_eq!(numbers(&state), wanted);
        // A newer table has the same order, and the cursor is on the same row.
        state.list.cursor = 4;
        state.replace_table(large(rows + 7));
        let request = state.take_request().unwrap();
        state.apply(request.arrange());
        assert_eq!(state.list.cursor, 5);
    }
}
