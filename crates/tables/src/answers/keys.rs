//! Table of the keys of selected events, with their frequent values.

use std::cmp::Reverse;

use crate::key_rank::{self, Rank};
use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use widetui_core::words::several;
use widetui_query::{Field, KeyRow, KeyTable};
use widetui_store::{Snapshot, ValueOrigin};

pub(super) fn table(_: &Snapshot, mut data: KeyTable) -> Table {
    let of = data.total.max(1) as f64;
    data.rows.sort_by_cached_key(|row| {
        (
            rank_of_row(row),
            Reverse(information(row, of)),
            row.key.clone(),
        )
    });
    let rows = data.rows.into_iter().map(|r| row(r, of)).collect();
    let note = several(data.total as usize, "event");
    Table::new(columns(), rows, "no record here has a key").with_note(note)
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("key").between(12, 36).role(Role::Key),
        Column::text("type").between(6, 8).rank(4).role(Role::Muted),
        Column::number("events"),
        Column::number("cover").rank(5).role(Role::Muted),
        Column::bar("", 10).between(5, 10).rank(6),
        Column::number("values").rank(1),
        Column::text("most frequent").between(14, 110).rank(2),
        Column::spark("over time").between(12, 48).rank(3),
        Column::number("min").rank(8),
        Column::number("median").rank(7),
        Column::number("p95").rank(8),
        Column::number("max").rank(7),
    ]
}

/// Sort key of a key's row: identifiers first, constant keys last.
fn rank_of_row(row: &KeyRow) -> (bool, Rank) {
    let origin = match row.only_path {
        true => ValueOrigin::Path,
        false => ValueOrigin::Record,
    };
    let is_constant = row.distinct == Some(1);
    (
        is_constant,
        key_rank::rank(&row.key, row.identifier, origin),
    )
}

/// Information of a key over all events, in thousandths of a bit per event: the entropy of its values times the share
/// of events that have it. A key with another value in every event counts little, as its values group nothing.
fn information(row: &KeyRow, of: f64) -> u64 {
    let unique = row
        .distinct
        .is_some_and(|d| d > 20 && d as f64 > 0.9 * row.events as f64);
    let bits = if unique { 0.1 } else { row.bits.min(8.0) };
    (bits * row.events as f64 / of * 1000.0) as u64
}

fn row(row: KeyRow, of: f64) -> Row {
    let share = row.events as f64 / of;
    let field = Field::key(&row.key);
    let number = |n: Option<f64>| n.map_or(Cell::Empty, Cell::Number);
    let numbers = row.numbers;
    let cells = vec![
        Cell::Text(row.key.clone()),
        Cell::Text(row.kind.to_owned()),
        Cell::Count(row.events),
        Cell::Share(share),
        Cell::Bar(share),
        Cell::count(row.distinct),
        values(&row),
        Cell::Spark(row.over_time.as_slice().into()),
        number(numbers.map(|n| n.min)),
        number(numbers.map(|n| n.median)),
        number(numbers.map(|n| n.p95)),
        number(numbers.map(|n| n.max)),
    ];
    // The row stands for a key, not a value; its most frequent values are offered to pivot on.
    let pivots = |(value, _): &(String, u64)| PivotValue::key(field.clone(), &*row.key, &**value);
    let pivots = row.top.iter().map(pivots).collect();
    Row {
        name: row.key,
        cells,
        action: RowAction::Values(field),
        pivots,
        is_faint: false,
    }
}

/// Cell of the most frequent values with their shares.
fn values(row: &KeyRow) -> Cell {
    if row.top.is_empty() {
        return Cell::Styled("only in the text, Enter reads them".into(), Role::Muted);
    }
    let mut pieces: Vec<(String, Role)> = Vec::new();
    let each = row.distinct == Some(row.events) && row.events > 1;
    for (value, events) in &row.top {
        if !pieces.is_empty() {
            pieces.push(("  ".to_owned(), Role::Muted));
        }
        // For a measured amount the magnitude matters, not the last of 16 digits.
        let amount = row.numbers.and_then(|_| value.parse::<f64>().ok());
        let amount = amount
            .filter(|_| value.contains('.'))
            .map(|x| Cell::Number(x).text());
        let value = amount.as_ref().unwrap_or(value);
        let short: String = value.chars().take(VALUE).collect();
        let cut = if short.len() < value.len() { "…" } else { "" };
        pieces.push((format!("{short}{cut}"), Role::Value));
        if !each && row.distinct != Some(1) {
            let percent = Cell::Share(*events as f64 / row.events.max(1) as f64).text();
            pieces.push((format!(" {}", percent.replace(' ', "")), Role::Muted));
        }
    }
    if row.distinct.is_none_or(|d| d > row.top.len() as u64) {
        pieces.push(("  …".to_owned(), Role::Muted));
    }
    Cell::Pieces(pieces)
}

/// Maximum length of a shown value, characters.
const VALUE: usize = 28;
