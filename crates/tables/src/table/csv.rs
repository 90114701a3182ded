//! CSV of a table's shown rows, in their order: plain numbers, times in UTC, durations in seconds.

use widetui_report::csv;

use super::{Cell, TableState};

/// Returns the shown rows as CSV, with a header of column names. Columns of bars and sparklines are omitted: their
/// values are in other columns.
pub fn text(state: &TableState) -> String {
    let table = &state.table;
    let rows = || (0..state.len()).filter_map(|place| state.row(place));
    let cell = |row: &super::Row, at: usize| row.cells.get(at).cloned().unwrap_or_default();
    let says = |at: &usize| rows().any(|row| value(&cell(row, *at)).is_some());
    let columns: Vec<usize> = (0..table.columns.len()).filter(says).collect();
    let name = |at: &usize| {
        let is_span = |c: &Cell| matches!(c, Cell::Span(_) | Cell::OpenSpan(_));
        let unit = match rows().any(|row| is_span(&cell(row, *at))) {
            true => "_s",
            false => "",
        };
        let column = table.columns.get(*at);
        if let Some(column) = column.filter(|c| !c.field.is_empty()) {
            return column.field.to_string();
        }
        match column.map_or("", |c| &*c.title) {
            "" => format!("column_{}{unit}", at + 1),
            title => format!("{}{unit}", title.replace(' ', "_")),
        }
    };
    let names: Vec<String> = columns.iter().map(name).collect();
    let mut out = csv::row(names.iter().map(String::as_str));
    out.push('\n');
    for row in rows() {
        let values = columns.iter().map(|at| value(&cell(row, *at)));
        let values: Vec<String> = values.map(Option::unwrap_or_default).collect();
        out.push_str(&csv::row(values.iter().map(String::as_str)));
        out.push('\n');
    }
    out
}

/// Value of a cell in CSV; `None` if it has none.
fn value(cell: &Cell) -> Option<String> {
    let seconds = |ns: i64| (ns as f64 / 1e9).to_string();
    Some(match cell {
        Cell::Empty | Cell::Unknown | Cell::Bar(_) | Cell::Spread(_) | Cell::Spark(_) => {
            return None;
        }
        Cell::Count(n) | Cell::NonZero(n, _) | Cell::Bytes(n) => n.to_string(),
        Cell::Number(x) | Cell::Share(x) => x.to_string(),
        Cell::Span(ns) | Cell::OpenSpan(ns) => seconds(*ns),
        Cell::Text(_)
        | Cell::Styled(..)
        | Cell::Formatted(..)
        | Cell::Pieces(_)
        | Cell::Source(..)
        | Cell::Level(_)
        | Cell::Time(_) => Some(cell.text()).filter(|t| !t.is_empty())?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Column, Row, Table};
    use super::*;

    #[test]
    fn values_are_for_programs_and_bars_are_left_out() {
        let row = |name: &str, n: u64, ns: i64| Row {
            cells: vec![
                Cell::Text(name.to_owned()),
                Cell::Count(n),
                Cell::Bar(0.5),
                Cell::Span(ns),
                Cell::Share(0.25),
            ],
            ..Row::default()
        };
        let columns = vec![
            Column::text("the name"),
            Column::number("n"),
            Column::bar("", 9),
            Column::number("took"),
            Column::number("share"),
        ];
        let rows = vec![row("a, \"b\"", 12_345, 1_500_000_000), row("c", 1, 0)];
        let mut state = TableState::default();
        state.replace_table(Arc::new(Table::new(columns, rows, "none")));
        state.sort_by(0);
        state.sort_by(0);
        assert_eq!(
            text(&state),
            "the_name,n,took_s,share\nc,1,0,0.25\n\"a, \"\"b\"\"\",12345,1.5,0.25\n"
        );
    }
}
