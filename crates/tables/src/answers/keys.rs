//! Table of the keys of selected events, with their frequent values.

use std::cmp::Reverse;

use serde_json::{Value as Json, json};

use crate::key_rank::{self, Rank};
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use widetui_core::words::several;
use widetui_query::{Field, KeyRow, KeyTable, NumberSummary};
use widetui_store::{Snapshot, ValueOrigin};

pub(super) fn table(_: &Snapshot, mut data: KeyTable) -> Table {
    sort(&mut data);
    let schema = keys();
    let rows = rows(&data).map(|line| row(&schema, &line)).collect();
    let note = several(data.total as usize, "event");
    Table::new(schema.columns(), rows, "no record here has a key").with_note(note)
}

/// Key, and its share of the records.
pub struct KeyLine<'a> {
    key: &'a KeyRow,
    /// Share of the records that have the key.
    share: f64,
}

/// Sorts keys by the information that they give.
pub fn sort(data: &mut KeyTable) {
    let of = data.total.max(1) as f64;
    data.rows.sort_by_cached_key(|row| {
        let information = Reverse(information(row, of));
        (rank_of_row(row), information, row.key.clone())
    });
}

/// Rows of the table of keys.
pub fn rows(data: &KeyTable) -> impl Iterator<Item = KeyLine<'_>> {
    let of = data.total.max(1) as f64;
    data.rows.iter().map(move |key| KeyLine {
        key,
        share: key.events as f64 / of,
    })
}

type Col<'a> = SchemaColumn<KeyLine<'a>>;

/// Columns of keys, on the screen and in the output of `widetui keys`.
pub fn keys<'a>() -> Schema<KeyLine<'a>> {
    let number = |field, rank, get: fn(&NumberSummary) -> f64| {
        Col::number(field, move |line| line.key.numbers.as_ref().map(get))
            .layout(|c| c.rank(rank))
            .on_screen()
    };
    Schema::from(vec![
        Col::text("key", |line| line.key.key.clone()).layout(|c| c.between(12, 36).role(Role::Key)),
        Col::text("type", |line| line.key.kind.to_owned())
            .layout(|c| c.between(6, 8).rank(4).role(Role::Muted)),
        Col::count("events", |line| line.key.events),
        Col::share("share", |line| line.share)
            .heading("cover")
            .layout(|c| c.rank(5).role(Role::Muted)),
        Col::drawn(Column::bar("", 10).between(5, 10).rank(6), |line| {
            Cell::Bar(line.share)
        }),
        Col::count("distinct", |line| line.key.distinct)
            .heading("values")
            .layout(|c| c.rank(1)),
        Col::nested("top", |line| {
            let top = line.key.top.iter();
            let top = top.map(|(value, n)| json!({"value": value, "events": n}));
            let top = Json::from_iter(top);
            let text = top.to_string();
            (top, text)
        })
        .heading("most frequent")
        .cell(|line| values(line.key))
        .layout(|c| c.between(14, 110).rank(2)),
        Col::drawn(Column::spark("over time").between(12, 48).rank(3), |line| {
            Cell::Spark(line.key.over_time.as_slice().into())
        }),
        number("min", 8, |n| n.min),
        number("median", 7, |n| n.median),
        number("p95", 8, |n| n.p95),
        number("max", 7, |n| n.max),
    ])
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

fn row<'a>(schema: &Schema<KeyLine<'a>>, line: &KeyLine<'a>) -> Row {
    let key = line.key;
    let field = Field::key(&key.key);
    // The row stands for a key, not a value; its most frequent values are offered to pivot on.
    let pivots = |(value, _): &(String, u64)| PivotValue::key(field.clone(), &*key.key, &**value);
    let row = Row::new(key.key.clone(), schema.cells(line)).with_pivots(key.top.iter().map(pivots));
    row.with_action(RowAction::Values(field))
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
