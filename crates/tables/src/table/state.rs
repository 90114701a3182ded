//! Where somebody is in a table: cursor, order, filter of the rows, and how fresh it is.

use std::sync::Arc;

use crate::list::List;
use crate::row_search::RowSearch;
use widetui_core::direction::Direction;
use widetui_core::thread::let_go;
use widetui_session::selection::TableOrder;

use super::arrange::{ArrangeWish, Arranged, Sort};
use super::{Row, Table};

/// A table that is shown, and where somebody is in it.
#[derive(Clone, Debug)]
pub struct TableState {
    /// The table as it was answered last; it stays while a newer one is computed.
    pub table: Arc<Table>,
    /// Whether there was an answer.
    pub is_known: bool,
    /// The rows shown, in their order.
    pub shown: Arc<[u32]>,
    /// The cursor among them.
    pub list: List,
    /// The order; none for that of the table.
    pub sort: Option<Sort>,
    /// Rows whose texts do not have all these words are not shown.
    pub filter: String,
    /// What is searched for in the rows shown.
    pub search: RowSearch,
    /// Whether an answer is being computed.
    pub is_asked: bool,
    /// The state of the selection (`Model::epoch`) that was asked about last.
    pub epoch: u64,
    /// Says which rows are waited for.
    ticket: u64,
    /// Whether they are still to be asked for.
    is_due: bool,
    /// The row on which the cursor is put then, and how far it is below the first on the screen.
    row_after: Option<(String, usize)>,
    /// The row on which the cursor is put when the table is known.
    wanted: Option<String>,
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
            is_asked: false,
            epoch: 0,
            ticket: 0,
            is_due: false,
            row_after: None,
            wanted: None,
        }
    }
}

impl TableState {
    /// The row at a place of those shown.
    pub fn row(&self, place: usize) -> Option<&Row> {
        self.table.rows.get(*self.shown.get(place)? as usize)
    }

    /// The row under the cursor.
    pub fn current(&self) -> Option<&Row> {
        self.row(self.list.cursor)
    }

    /// Number of rows shown.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether no row is shown.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Puts the cursor on the row of this name, at once or as soon as the table is known.
    pub fn to_named(&mut self, name: String) {
        match self.is_known {
            true => self.put_cursor(&name, self.list.cursor.saturating_sub(self.list.top)),
            false => self.wanted = Some(name),
        }
    }

    /// Takes a new table; the cursor stays on its row when it is not the first and still there.
    pub fn take(&mut self, table: Arc<Table>) {
        let wanted = self.wanted.take();
        let is_wanted = wanted.is_some();
        let name = wanted.or_else(|| self.current().map(|r| r.name.clone()));
        let distance = self.list.cursor.saturating_sub(self.list.top);
        // Another kind of table has other columns.
        let same = |a: &Table, b: &Table| {
            let titles = |t: &Table| t.columns.iter().map(|c| c.title).collect::<Vec<_>>();
            titles(a) == titles(b)
        };
        if self.is_known && !same(&self.table, &table) {
            self.sort = None;
        }
        let is_first = !std::mem::replace(&mut self.is_known, true);
        let old = std::mem::replace(&mut self.table, table);
        let_go(old, |table| table.rows.len());
        // Numbers of rows mean nothing in another table.
        self.shown = (0..self.table.rows.len() as u32).collect();
        self.arrange();
        if is_first && self.list.cursor == 0 && !is_wanted {
            let start = self.table.start as u32;
            let place = self.shown.iter().position(|row| *row == start);
            self.list.cursor = place.unwrap_or(0);
            return;
        }
        if let Some(name) = name.filter(|_| is_wanted || self.list.cursor > 0) {
            self.put_cursor(&name, distance);
            self.row_after = self.is_due.then_some((name, distance));
        }
        self.list.cursor = self.list.cursor.min(self.len().saturating_sub(1));
    }

    /// Puts the cursor on the row of this name, when it is shown.
    fn put_cursor(&mut self, name: &str, distance: usize) {
        let is_it = |place: &usize| self.row(*place).is_some_and(|r| r.name == name);
        if let Some(place) = (0..self.len()).find(is_it) {
            self.list.cursor = place;
            self.list.top = place.saturating_sub(distance);
        }
    }

    /// Orders and filters the rows anew; of a large table they stay as they are until that is known.
    pub fn arrange(&mut self) {
        self.search.is_known = false;
        self.row_after = None;
        self.ask();
    }

    /// Finds what is searched for in the rows shown.
    pub fn find(&mut self) {
        if !self.search.is_known || self.wish().is_quick() {
            self.ask();
        }
    }

    fn ask(&mut self) {
        self.ticket += 1;
        let wish = self.wish();
        self.is_due = !wish.is_quick();
        if !self.is_due {
            self.put(wish.find());
        }
    }

    fn wish(&self) -> ArrangeWish {
        ArrangeWish {
            table: self.table.clone(),
            sort: self.sort,
            filter: self.filter.clone(),
            search: self.search.clone(),
            ticket: self.ticket,
        }
    }

    /// What is to be worked out beside the loop, once.
    pub fn due(&mut self) -> Option<ArrangeWish> {
        std::mem::take(&mut self.is_due).then(|| self.wish())
    }

    /// Whether what is searched for is still looked for.
    pub fn is_looking(&self) -> bool {
        self.search.matcher.is_some() && !self.search.is_known
    }

    /// Shows the rows that were found; those of an older question are dropped.
    pub fn put(&mut self, found: Arranged) {
        if found.ticket != self.ticket {
            return;
        }
        self.shown = found.shown;
        // Meanwhile somebody may have given it up.
        if self.search.line == found.search.line {
            (self.search.hits, self.search.is_known) = (found.search.hits, true);
        }
        if let Some((name, distance)) = self.row_after.take() {
            self.put_cursor(&name, distance);
        }
        self.list.cursor = self.list.cursor.min(self.len().saturating_sub(1));
    }

    /// Orders by the next column to the right or left of those given (the ones on the screen); beyond the last one
    /// stands the table's own order.
    pub fn sort_beside(&mut self, columns: &[usize], direction: Direction) {
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

    /// Orders by a column; again: the other way round.
    pub fn sort_by(&mut self, column: usize) {
        self.sort = match self.sort {
            Some(sort) if sort.column == column => Some(Sort {
                down: !sort.down,
                ..sort
            }),
            _ if column < self.table.columns.len() => Some(self.first_sort(column)),
            other => other,
        };
        self.arrange();
        self.list = List { cursor: 0, top: 0 };
    }

    /// The order that somebody asked for, as it is kept to go back to it.
    pub fn order(&self) -> TableOrder {
        self.sort.map(|s| (s.column, s.down))
    }

    /// Puts the rows in an order that was there before; one by a column that is not there any more is the table's own.
    pub fn put_in_order(&mut self, order: TableOrder) {
        let columns = self.table.columns.len();
        let order = order.filter(|(column, _)| *column < columns);
        self.sort = order.map(|(column, down)| Sort { column, down });
        self.arrange();
        self.list = List { cursor: 0, top: 0 };
    }

    /// Much comes before little, and a before b.
    fn first_sort(&self, column: usize) -> Sort {
        let is_measure = self.table.columns.get(column).is_some_and(|c| {
            c.align == super::Align::Right
                || c.role == crate::role::Role::Bars && !is_spark(&self.table, column)
        });
        Sort {
            column,
            down: is_measure,
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
        state.take(table(&[("bee", 1), ("ant", 30), ("Antelope", 4)]));
        assert_eq!(names(&state), ["bee", "ant", "Antelope"]);
        state.sort_by(1);
        assert_eq!(names(&state), ["ant", "Antelope", "bee"]);
        state.sort_by(1);
        assert_eq!(names(&state), ["bee", "Antelope", "ant"]);
        state.filter = "ANT".to_owned();
        state.arrange();
        assert_eq!(names(&state), ["Antelope", "ant"]);
        // From column to column, and beyond the last one back to the order of the table.
        state.sort_beside(&[0, 1], Direction::Forward);
        assert_eq!((state.sort, names(&state)), (None, vec!["ant", "Antelope"]));
    }

    #[test]
    fn the_cursor_begins_where_the_table_says() {
        let mut state = TableState::default();
        let told = Table::clone(&table(&[("a", 1), ("b", 9), ("c", 3)])).beginning_at(1);
        state.take(Arc::new(told.clone()));
        assert_eq!(state.current().map(|r| r.name.as_str()), Some("b"));
        // Who goes to the first row stays there.
        state.list.cursor = 0;
        state.take(Arc::new(told));
        assert_eq!(state.list.cursor, 0);
    }

    #[test]
    fn the_cursor_stays_on_its_row() {
        let mut state = TableState::default();
        state.take(table(&[("a", 1), ("b", 2), ("c", 3)]));
        state.list.cursor = 1;
        state.take(table(&[("x", 9), ("y", 8), ("b", 2)]));
        assert_eq!(state.current().map(|r| r.name.as_str()), Some("b"));
        state.take(table(&[("x", 9)]));
        assert_eq!(state.list.cursor, 0);
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
        state.take(large(rows));
        assert!(state.due().is_none(), "its own order is known at once");
        state.list.cursor = 5;
        state.sort_by(1);
        // Until it is known the rows stay as they are.
        assert_eq!(numbers(&state)[..2], [0, 1]);
        let first = state.due().unwrap();
        assert!(state.due().is_none(), "it is asked for once");
        state.filter = "NAME 3".to_owned();
        state.arrange();
        state.put(first.find());
        assert_eq!(state.len(), rows, "what is out of date is dropped");
        let wish = state.due().unwrap();
        state.put(wish.find());
        let wanted: Vec<usize> = (0..rows).rev().filter(|n| n % 7 == 3).collect();
        assert_eq!(numbers(&state), wanted);
        // A newer table is in the same order, with the cursor on the same row.
        state.list.cursor = 4;
        state.take(large(rows + 7));
        let wish = state.due().unwrap();
        state.put(wish.find());
        assert_eq!(state.list.cursor, 5);
    }
}
