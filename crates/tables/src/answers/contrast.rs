//! Table of a contrast: values that are more frequent among some records than among all others.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, Table};
use crate::text::grouped;
use widetui_analysis::contrast::{Contrast, DistinguishingValue};
use widetui_core::words::listed;
use widetui_query::Field;
use widetui_session::comparison::{ContrastSubject, ContrastTable};
use widetui_store::Snapshot;

pub(super) fn table(snapshot: &Snapshot, data: ContrastTable) -> Table {
    let schema = values();
    let lines: Vec<ContrastLine<'_>> = lines(&data.contrast).collect();
    let rows = lines
        .chunk_by(|a, b| is_alike(a.found, b.found))
        .map(|alike| {
            let line = &alike[0];
            let found = line.found;
            let field = Field::named(&found.key);
            let keys = &snapshot.catalog.keys;
            let view = keys.find(&found.key).and_then(|id| keys.get(id));
            let label = match (&field, view) {
                (Field::Key(_), Some(view)) => view.key.label.to_string(),
                _ => found.key.clone(),
            };
            let mut cells = schema.cells(line);
            let values = alike.iter().map(|line| line.found.value.as_str());
            if alike.len() > 1
                && let Some(cell) = cells.get_mut(1)
            {
                *cell = Cell::Text(joined(&values.clone().collect::<Vec<_>>()));
            }
            let row = Row::new(format!("{} {}", found.key, found.value), cells);
            let value =
                |value: &str| PivotValue::key(field.clone(), label.clone(), value.to_owned());
            row.pivoting(values.map(value))
        });
    let rows: Vec<Row> = rows.collect();
    let (title, empty_text) = match data.of {
        ContrastSubject::Selected => (
            "what is different about the records selected",
            "no value is more frequent among the records selected than among the others",
        ),
        ContrastSubject::Errors => (
            "errors against the rest",
            "no value is more frequent among errors than among the rest",
        ),
        ContrastSubject::Warnings => (
            "warnings against the rest",
            "no value is more frequent among warnings than among the rest",
        ),
        ContrastSubject::Latest => (
            "the last quarter against what was before",
            "no value is more frequent in the last quarter of the run than before",
        ),
    };
    let mut note = data.contrast.summary();
    if data.more > 0 {
        note = format!(
            "{note} · {} more with lower scores",
            grouped(data.more as u64)
        );
    }
    Table {
        default_condition: data.usual,
        ..Table::new(schema.columns(), rows, empty_text)
            .with_title(title)
            .with_note(note)
    }
}

/// True if two values of a key are equally frequent, and no others come with them.
fn is_alike(a: &DistinguishingValue, b: &DistinguishingValue) -> bool {
    let frequency = |of: &DistinguishingValue| (of.inside, of.outside, of.equivalents.is_empty());
    // Sentences have too little in common.
    let is_word = |of: &DistinguishingValue| !of.value.contains(char::is_whitespace);
    let is_same = a.key == b.key && frequency(a) == frequency(b);
    is_same && a.equivalents.is_empty() && is_word(a) && is_word(b)
}

/// Number of values that are named one by one.
const NAMED: usize = 3;

/// Values with equal numbers: `err/* 6`, or the first of them.
fn joined(values: &[&str]) -> String {
    let first = values.first().copied().unwrap_or_default();
    let common = values.iter().fold(first.len(), |common, value| {
        let same = first.bytes().zip(value.bytes()).take_while(|(a, b)| a == b);
        same.count().min(common)
    });
    let prefix = first.get(..common).and_then(|prefix| {
        let end = prefix.rfind(|c: char| !c.is_alphanumeric())?;
        prefix.get(..=end)
    });
    match prefix {
        Some(prefix) => format!("{prefix}* {}", values.len()),
        None => {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            listed(&values, NAMED)
        }
    }
}

/// Value that distinguishes some records from the others.
pub struct ContrastLine<'a> {
    found: &'a DistinguishingValue,
    /// Share of the records with the value, inside and outside.
    shares: [f64; 2],
}

/// Rows of the distinguishing values.
pub fn lines(contrast: &Contrast) -> impl Iterator<Item = ContrastLine<'_>> {
    let share = |n: u64, of: u64| n as f64 / of.max(1) as f64;
    contrast.values.iter().map(move |found| ContrastLine {
        found,
        shares: [
            share(found.inside, contrast.inside),
            share(found.outside, contrast.outside),
        ],
    })
}

/// Columns of distinguishing values, on the screen and in the output of `widetui contrast`.
pub fn values<'a>() -> Schema<ContrastLine<'a>> {
    type Col<'a> = SchemaColumn<ContrastLine<'a>>;
    let bar = |rank, role| Column::bar("", 16).between(6, 16).rank(rank).role(role);
    Schema::from(vec![
        Col::text("key", |line| line.found.key.clone())
            .layout(|c| c.between(8, 28).role(Role::Key)),
        Col::text("value", |line| line.found.value.clone())
            .layout(|c| c.between(12, 90).role(Role::Value)),
        Col::count("inside", |line| line.found.inside),
        Col::share("inside_share", |line| line.shares[0])
            .heading("share")
            .layout(|c| c.rank(1).role(Role::Muted)),
        Col::drawn(bar(5, Role::Bars), |line| Cell::Bar(line.shares[0])),
        Col::count("outside", |line| line.found.outside),
        Col::share("outside_share", |line| line.shares[1])
            .heading("share")
            .layout(|c| c.rank(2).role(Role::Muted)),
        Col::drawn(bar(6, Role::BarsAll), |line| Cell::Bar(line.shares[1])),
        Col::number("score", |line| line.found.score)
            .cell(|line| Cell::Number(line.found.score.round()))
            .layout(|c| c.rank(3).role(Role::Muted)),
        // Other values that distinguish the same records, in the order of keys in JSON.
        Col::texts("also", |line| {
            let all = line.found.equivalents.iter();
            let mut all: Vec<String> = all.map(|v| format!("{}={}", v.key, v.value)).collect();
            all.sort();
            all
        })
        .heading("the same")
        .cell(|line| {
            let all = line.found.equivalents.iter();
            let all: Vec<String> = all.map(|v| format!("{} {}", v.key, v.value)).collect();
            Cell::Text(all.join(" · "))
        })
        .layout(|c| c.between(16, 80).rank(4).role(Role::Muted)),
    ])
}
