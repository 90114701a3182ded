//! Table of a contrast: values that are more frequent among some records than among all others.

use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::contrast::DistinguishingValue;
use widetui_query::Field;
use widetui_session::comparison::{ContrastSubject, ContrastTable};
use widetui_store::Snapshot;

pub(super) fn table(snapshot: &Snapshot, data: ContrastTable) -> Table {
    let (inside, outside) = (data.contrast.inside, data.contrast.outside);
    let share = |n: u64, of: u64| n as f64 / of.max(1) as f64;
    let rows = data.contrast.values.iter().map(|found| {
        let field = Field::named(&found.key);
        let keys = &snapshot.catalog.keys;
        let view = keys.find(&found.key).and_then(|id| keys.get(id));
        let label = match (&field, view) {
            (Field::Key(_), Some(view)) => view.key.label.to_string(),
            _ => found.key.clone(),
        };
        let (a, b) = (share(found.inside, inside), share(found.outside, outside));
        Row {
            name: format!("{} {}", found.key, found.value),
            cells: vec![
                Cell::Text(found.key.clone()),
                Cell::Text(found.value.clone()),
                Cell::Count(found.inside),
                Cell::Share(a),
                Cell::Bar(a),
                Cell::Count(found.outside),
                Cell::Share(b),
                Cell::Bar(b),
                Cell::Number(found.score.round()),
                Cell::Text(other_values(found)),
            ],
            action: RowAction::Pivot,
            pivots: vec![PivotValue::key(field, label, found.value.clone())],
            is_faint: false,
        }
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
        ..Table::new(columns(), rows, empty_text)
            .with_title(title)
            .with_note(note)
    }
}

/// Other values that distinguish the same records: `line 580 · func execute`.
fn other_values(found: &DistinguishingValue) -> String {
    let all = found.equivalents.iter();
    let all: Vec<String> = all.map(|v| format!("{} {}", v.key, v.value)).collect();
    all.join(" · ")
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("key").between(8, 28).role(Role::Key),
        Column::text("value").between(12, 90).role(Role::Value),
        Column::number("inside"),
        Column::number("share").rank(1).role(Role::Muted),
        Column::bar("", 16).between(6, 16).rank(5),
        Column::number("outside"),
        Column::number("share").rank(2).role(Role::Muted),
        Column::bar("", 16)
            .between(6, 16)
            .rank(6)
            .role(Role::BarsAll),
        Column::number("score").rank(3).role(Role::Muted),
        Column::text("the same")
            .between(16, 80)
            .rank(4)
            .role(Role::Muted),
    ]
}
