//! What the time of things went to: waiting for others, for a place, for the network, being carried out.

use crate::analysis::Instances;
use crate::analysis::account::Sum;
use crate::base::words::several;
use crate::ui::table::{Cell, Column, Row, RowGoal, Table};
use crate::ui::theme::Role;

use super::{spread, times};

/// From this share of all time on a phase stands out.
const STANDS_OUT: f64 = 0.1;

pub(super) fn table(instances: &Instances, sums: &[Sum]) -> Table {
    let longest = sums.iter().map(|s| s.each.max).fold(0.0, f64::max);
    let rows: Vec<Row> = sums.iter().map(|sum| row(sum, longest)).collect();
    let title = &instances.entity.title;
    let columns = vec![
        Column::text("what it went to").between(20, 70),
        Column::number("of all"),
        Column::bar("", 24).between(6, 24).rank(2),
        Column::number("have it").role(Role::Muted).rank(4),
        Column::number("mean"),
        Column::number("p50").rank(3),
        Column::number("p95").rank(1),
        Column::number("max").rank(5),
        Column::bar("p50 · p95 · max", 40).between(15, 40).rank(6),
        Column::number("sum").rank(1).role(Role::Muted),
    ];
    Table::new(columns, rows, "no selected record is about one")
        .titled(format!("what the time went to: {title}"))
        .noted(format!(
            "{}, from first event to end",
            several(instances.list.len(), title)
        ))
}

fn row(sum: &Sum, longest: f64) -> Row {
    let role = match sum.share {
        s if s >= STANDS_OUT => Role::Strong,
        _ => Role::Text,
    };
    let [mean, p50, p95, max] = times(Some(&sum.each));
    Row {
        name: format!("{} {}", sum.why.name(), sum.what),
        cells: vec![
            Cell::Styled(sum.what.clone(), role),
            Cell::Share(sum.share),
            Cell::Bar(sum.share),
            Cell::Count(sum.instances),
            mean,
            p50,
            p95,
            max,
            spread(Some(&sum.each), longest),
            Cell::Span(sum.each.total as i64),
        ],
        goal: RowGoal::Nothing,
        same: Vec::new(),
        is_faint: false,
    }
}
