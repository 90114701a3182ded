//! Widths of a table's columns on the screen.

use crate::role::Role;

use super::{Align, Column, Table};

/// Blank terminal columns between two columns of a table.
const GAP: u16 = 2;

/// Greatest rank of columns for which headings are shortened.
const IMPORTANT: u8 = 3;

/// Column of a table with its position on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedColumn {
    /// Index of the column.
    pub column: usize,
    /// Offset from the left end of the table, terminal columns.
    pub x: u16,
    /// Width, terminal columns.
    pub width: u16,
    /// True if the short heading is shown.
    pub is_short: bool,
}

/// Distributes `room` terminal columns among the columns of a table: as many columns as fit are shown, by priority;
/// each gets the width of its cells as far as there is room, by priority; spare room goes to columns that grow. Columns
/// of times need `time` terminal columns.
pub fn place(table: &Table, room: u16, time: u16) -> Vec<PlacedColumn> {
    let [whole, short] = [false, true].map(|is_short| {
        let needs = Needs::of(table, time, is_short);
        (needs.shown(room), needs)
    });
    // Short headings only where they make room for another important column.
    let is_more = |i: &usize| table.columns[*i].rank <= IMPORTANT && !whole.0.contains(i);
    let is_short = short.0.iter().any(is_more);
    let (shown, needs) = if is_short { short } else { whole };
    let widths = needs.widths(&shown, room);
    let mut x = 0;
    let mut out = Vec::with_capacity(shown.len());
    for (column, width) in shown.into_iter().zip(widths) {
        out.push(PlacedColumn {
            column,
            x,
            width,
            is_short,
        });
        x += width + GAP;
    }
    out
}

/// Widths that the columns of a table need.
struct Needs<'a> {
    table: &'a Table,
    /// Preferred width of each column within its limits, terminal columns.
    wanted: Vec<u16>,
}

/// Total width of the gaps between `n` columns, terminal columns.
fn gaps(n: usize) -> u32 {
    u32::from(GAP) * n.saturating_sub(1) as u32
}

impl Needs<'_> {
    fn of(table: &Table, time: u16, is_short: bool) -> Needs<'_> {
        let wants = |i: usize, column: &Column| -> u16 {
            let natural = table.natural_widths.get(i).copied().unwrap_or(0);
            // A time column may have words in some rows (`open`).
            let is_time = column.role == Role::Time;
            let natural = if is_time { natural.max(time) } else { natural };
            let own = if column.grows {
                column.min_width
            } else {
                natural
            };
            // The sort indicator follows the heading.
            let heading = column.heading(is_short).chars().count() as u16 + 1;
            own.max(natural).max(heading).min(column.max_width.max(1))
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

    /// Width of the widest cell of a column, terminal columns.
    fn natural(&self, i: usize) -> u16 {
        self.table.natural_widths.get(i).copied().unwrap_or(0)
    }

    /// Whether cells must not be cut: a cut number or time would be wrong.
    fn must_not_be_cut(&self, i: usize) -> bool {
        self.column(i).align == Align::Right || self.column(i).role == Role::Time
    }

    fn least(&self, i: usize) -> u16 {
        match self.must_not_be_cut(i) {
            true => self.wanted[i],
            false => self.wanted[i].min(self.column(i).min_width).max(1),
        }
    }

    /// Width below which a column is hidden rather than cut further.
    fn comfortable_width(&self, i: usize) -> u16 {
        match self.must_not_be_cut(i) {
            true => self.wanted[i],
            false => self.wanted[i].min(self.column(i).min_width.saturating_mul(2)),
        }
    }

    /// Whether a column is hidden because no row has a value.
    fn is_blank(&self, i: usize) -> bool {
        let column = self.column(i);
        // An important numeric column is shown even if blank, because the lack of numbers is informative.
        let can_go = column.rank > 0 || i > 0 && column.align == Align::Left;
        let is_empty = self.natural(i) == 0 && !column.grows && column.role != Role::Time;
        can_go && is_empty && !self.table.rows.is_empty()
    }

    /// Returns the columns that fit, by priority.
    fn shown(&self, room: u16) -> Vec<usize> {
        let all = 0..self.table.columns.len();
        let mut by_rank: Vec<usize> = all.filter(|i| !self.is_blank(*i)).collect();
        by_rank.sort_by_key(|i| self.column(*i).rank);
        // If even the columns that are always shown must be cut, no other column is shown.
        let needed = by_rank.iter().filter(|i| self.column(**i).rank == 0);
        let eased: u32 = needed
            .clone()
            .map(|i| u32::from(self.comfortable_width(*i)))
            .sum();
        let is_tight = eased + gaps(needed.count()) > u32::from(room);
        let mut shown: Vec<usize> = Vec::new();
        let mut taken = 0u32;
        for i in by_rank {
            let width = match (is_tight, self.column(i).rank) {
                (false, _) => self.comfortable_width(i),
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

    /// Widths of the shown columns.
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
        // Before room stays unused or goes to bars, cut cells may exceed the maximum of their column.
        let all = |at: usize| match self.column(shown[at]) {
            column if column.grows => widths_of_bars(column),
            _ => self.natural(shown[at]),
        };
        share(&order, all, &mut widths, &mut left);
        // The narrowest column grows first, so that growing columns end with equal widths.
        while left > 0 {
            let grows = |at: &usize| {
                let column = self.column(shown[*at]);
                column.grows && widths[*at] < column.max_width
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

/// Gives columns their preferred widths as far as there is room, the narrowest first, so that a wide column does not
/// displace narrow ones.
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

/// Width that bars and sparklines take before texts may exceed their maximum.
fn widths_of_bars(column: &Column) -> u16 {
    column.max_width.min(16)
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
    fn required_columns_come_before_comfortable_widths() {
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
        // The number is hidden before the name is cut too short, the time is not.
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
