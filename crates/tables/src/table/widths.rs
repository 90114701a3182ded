//! How the columns of a table share the screen.

use crate::role::Role;

use super::{Align, Column, Table};

/// Blank columns between two columns of a table.
const GAP: u16 = 2;

/// A column of a table that has room on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedColumn {
    /// Which one.
    pub column: usize,
    /// Columns of the screen before it, from the left end of the table.
    pub x: u16,
    /// Columns of the screen that it has.
    pub width: u16,
}

/// Shares `room` among the columns: those that fit are shown, the important ones first; each gets what its cells want as
/// long as there is room, again the important ones first, and what is left goes to those that grow. Columns of times want
/// `time`.
pub fn place(table: &Table, room: u16, time: u16) -> Vec<PlacedColumn> {
    let needs = Needs::of(table, time);
    let shown = needs.shown(room);
    let widths = needs.widths(&shown, room);
    let mut x = 0;
    let mut out = Vec::with_capacity(shown.len());
    for (column, width) in shown.into_iter().zip(widths) {
        out.push(PlacedColumn { column, x, width });
        x += width + GAP;
    }
    out
}

/// The columns of the screen that the columns of a table need.
struct Needs<'a> {
    table: &'a Table,
    /// What the cells of each want, as far as it may have that.
    wanted: Vec<u16>,
}

/// The columns of the screen between `n` columns.
fn gaps(n: usize) -> u32 {
    u32::from(GAP) * n.saturating_sub(1) as u32
}

impl Needs<'_> {
    fn of(table: &Table, time: u16) -> Needs<'_> {
        let wants = |i: usize, column: &Column| -> u16 {
            let natural = table.natural.get(i).copied().unwrap_or(0);
            // Words may stand there for some rows (`open`); the others are times all the same.
            let is_time = column.role == Role::Time;
            let natural = if is_time { natural.max(time) } else { natural };
            let own = if column.grows { column.least } else { natural };
            // The sign of the order stands behind the heading.
            let heading = column.title.chars().count() as u16 + 1;
            own.max(natural).max(heading).min(column.most.max(1))
        };
        let wanted = (0..).zip(&table.columns).map(|(i, c)| wants(i, c));
        Needs {
            table,
            wanted: wanted.collect(),
        }
    }

    fn column(&self, i: usize) -> &Column {
        &self.table.columns[i]
    }

    /// Columns of the screen that the longest cell has.
    fn natural(&self, i: usize) -> u16 {
        self.table.natural.get(i).copied().unwrap_or(0)
    }

    /// Half a number or half a time is a wrong one; texts can be cut.
    fn is_whole(&self, i: usize) -> bool {
        self.column(i).align == Align::Right || self.column(i).role == Role::Time
    }

    fn least(&self, i: usize) -> u16 {
        match self.is_whole(i) {
            true => self.wanted[i],
            false => self.wanted[i].min(self.column(i).least).max(1),
        }
    }

    /// A column is not worth showing at the cost of cutting more important ones to pieces.
    fn at_ease(&self, i: usize) -> u16 {
        match self.is_whole(i) {
            true => self.wanted[i],
            false => self.wanted[i].min(self.column(i).least.saturating_mul(2)),
        }
    }

    /// What no row has anything to say about is not worth a heading.
    fn is_blank(&self, i: usize) -> bool {
        let column = self.column(i);
        // That a number is nowhere is told by an important column; texts that are nowhere tell nothing.
        let can_go = column.rank > 0 || i > 0 && column.align == Align::Left;
        let is_empty = self.natural(i) == 0 && !column.grows && column.role != Role::Time;
        can_go && is_empty && !self.table.rows.is_empty()
    }

    /// Which columns fit.
    fn shown(&self, room: u16) -> Vec<usize> {
        let all = 0..self.table.columns.len();
        let mut by_rank: Vec<usize> = all.filter(|i| !self.is_blank(*i)).collect();
        by_rank.sort_by_key(|i| self.column(*i).rank);
        // Where those that are always there must be cut to pieces to stand side by side, there is room for no other.
        let needed = by_rank.iter().filter(|i| self.column(**i).rank == 0);
        let eased: u32 = needed.clone().map(|i| u32::from(self.at_ease(*i))).sum();
        let is_tight = eased + gaps(needed.count()) > u32::from(room);
        let mut shown: Vec<usize> = Vec::new();
        let mut taken = 0u32;
        for i in by_rank {
            let width = match (is_tight, self.column(i).rank) {
                (false, _) => self.at_ease(i),
                (true, 0) => self.least(i),
                (true, _) => continue,
            };
            let gap = if shown.is_empty() { 0 } else { u32::from(GAP) };
            let more = taken + gap + u32::from(width);
            if shown.is_empty() || more <= u32::from(room) {
                taken = more;
                shown.push(i);
            }
        }
        shown.sort_unstable();
        shown
    }

    /// How wide those that are shown are.
    fn widths(&self, shown: &[usize], room: u16) -> Vec<u16> {
        let least: u32 = shown.iter().map(|i| u32::from(self.least(*i))).sum();
        let needed = u16::try_from(least + gaps(shown.len()));
        let mut left = room.saturating_sub(needed.unwrap_or(u16::MAX));
        let mut widths: Vec<u16> = shown.iter().map(|i| self.least(*i).min(room)).collect();
        let rank = |at: &usize| self.column(shown[*at]).rank;
        let mut order: Vec<usize> = (0..shown.len()).collect();
        order.sort_by_key(rank);
        for alike in order.chunk_by(|a, b| rank(a) == rank(b)) {
            share(alike, |at| self.wanted[shown[at]], &mut widths, &mut left);
        }
        // Before room is left empty or filled by bars, what is cut has more than its most.
        let all = |at: usize| match self.column(shown[at]) {
            column if column.grows => widths_of_bars(column),
            _ => self.natural(shown[at]),
        };
        share(&order, all, &mut widths, &mut left);
        // The narrowest first, so that those that grow end up alike.
        while left > 0 {
            let grows = |at: &usize| {
                let column = self.column(shown[*at]);
                column.grows && widths[*at] < column.most
            };
            let growing = (0..shown.len()).filter(grows);
            let Some(at) = growing.min_by_key(|at| widths[*at]) else {
                break;
            };
            widths[at] += 1;
            left -= 1;
        }
        widths
    }
}

/// Gives columns what they want, as far as there is room: the narrowest first, so that no long one takes what short ones need.
fn share(columns: &[usize], wanted: impl Fn(usize) -> u16, widths: &mut [u16], left: &mut u16) {
    while *left > 0 {
        let lacking = columns
            .iter()
            .copied()
            .filter(|at| widths[*at] < wanted(*at));
        let Some(at) = lacking.min_by_key(|at| widths[*at]) else {
            return;
        };
        widths[at] += 1;
        *left -= 1;
    }
}

/// What bars and curves take before texts that are cut get more than their most.
fn widths_of_bars(column: &Column) -> u16 {
    column.most.min(16)
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Row};
    use super::*;
    use proptest::prelude::*;

    fn table() -> Table {
        let columns = vec![
            Column::text("name").between(6, 30),
            Column::number("events").rank(1),
            Column::spark("over time").rank(3),
            Column::time("first").rank(2),
        ];
        let cells = vec![
            Cell::Text("a name of twenty-two c".into()),
            Cell::Count(1_234_567),
            Cell::Spark([1, 2].into()),
            Cell::Time(0),
        ];
        let row = Row {
            cells,
            ..Row::default()
        };
        Table::new(columns, vec![row], "nothing")
    }

    #[test]
    fn the_least_important_columns_give_way() {
        let shown =
            |room| -> Vec<usize> { place(&table(), room, 12).iter().map(|p| p.column).collect() };
        assert_eq!(shown(120), [0, 1, 2, 3]);
        assert_eq!(shown(50), [0, 1, 3]);
        assert_eq!(shown(24), [0, 1]);
        assert_eq!(shown(8), [0]);
        let wide = place(&table(), 200, 12);
        assert_eq!((wide[0].width, wide[1].width, wide[2].width), (22, 9, 60));
    }

    #[test]
    fn what_is_always_there_comes_before_the_ease_of_a_text_and_all_else_after_it() {
        let columns = vec![
            Column::text("step").between(18, 90),
            Column::number("n").rank(1),
            Column::number("mean"),
        ];
        let cells = vec![
            Cell::Text("a name of forty columns, more or less ..".into()),
            Cell::Count(37),
            Cell::Text("10.7 s".into()),
        ];
        let row = Row {
            cells,
            ..Row::default()
        };
        let table = Table::new(columns, vec![row], "nothing");
        let shown = |room| -> Vec<(usize, u16)> {
            let placed = place(&table, room, 12);
            placed.iter().map(|p| (p.column, p.width)).collect()
        };
        assert_eq!(shown(56), [(0, 40), (1, 2), (2, 6)]);
        // The number gives way before the name is cut to pieces, the time does not.
        assert_eq!(shown(46), [(0, 38), (2, 6)]);
        assert_eq!(shown(37), [(0, 29), (2, 6)]);
        assert_eq!(shown(20), [(0, 20)]);
    }

    #[test]
    fn a_column_of_times_has_room_for_a_time_whatever_else_stands_in_it() {
        let row = |cell: Cell| Row {
            cells: vec![cell],
            ..Row::default()
        };
        let open = Cell::Styled("open".to_owned(), Role::WarningText);
        let rows = vec![row(open), row(Cell::Time(0))];
        let table = Table::new(vec![Column::time("end")], rows, "nothing");
        assert_eq!(place(&table, 80, 12)[0].width, 12);
    }

    proptest! {
        #[test]
        fn columns_stand_side_by_side_within_the_room(room in 0u16..300) {
            let placed = place(&table(), room, 12);
            let mut end = 0;
            for (i, p) in placed.iter().enumerate() {
                prop_assert_eq!(p.x, if i == 0 { 0 } else { end + GAP });
                end = p.x + p.width;
            }
            prop_assert!(end <= room);
        }
    }
}
