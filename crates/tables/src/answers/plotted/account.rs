//! Table of the phases that the time of instances was spent in: waiting for others, for a slot, for the network,
//! execution.

use crate::plots::settings::SlowestSubject;
use crate::plots::spread::LEGEND as SPREAD;
use crate::role::Role;
use crate::table::{Cell, Column, Row, RowAction, Table};
use widetui_analysis::Instances;
use widetui_analysis::account::PhaseTotal;
use widetui_core::words::several;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;

use super::longest::{LongInstance, longest};
use super::{spread, times};

/// Share of all time from which a phase is highlighted.
const STANDS_OUT: f64 = 0.1;

pub(super) fn table(instances: &Instances, instance_count: usize, sums: &[PhaseTotal]) -> Table {
    let longest = sums.iter().map(|s| s.per_instance.max).fold(0.0, f64::max);
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
        Column::bar(SPREAD, 40).between(21, 40).rank(6),
        Column::number("sum").rank(1).role(Role::Muted),
    ];
    Table::new(columns, rows, "no selected record names an instance")
        .with_title(format!("what the time went to: {title}"))
        .with_note(format!(
            "{}, from first event to end",
            several(instance_count, title)
        ))
}

fn row(sum: &PhaseTotal, longest: f64) -> Row {
    let role = match sum.share {
        s if s >= STANDS_OUT => Role::Strong,
        _ => Role::Text,
    };
    let [mean, p50, p95, max] = times(Some(&sum.per_instance));
    Row {
        name: format!("{} {}", sum.reason.name(), sum.description),
        cells: vec![
            Cell::Styled(sum.description.clone(), role),
            Cell::Share(sum.share),
            Cell::Bar(sum.share),
            Cell::Count(sum.instances),
            mean,
            p50,
            p95,
            max,
            spread(Some(&sum.per_instance), longest),
            Cell::Span(sum.per_instance.total as i64),
        ],
        action: RowAction::Slowest(SlowestSubject::Phase(sum.reason, sum.description.clone())),
        pivots: Vec::new(),
        is_faint: false,
    }
}

/// Table of the instances that spent time in a phase, the longest first.
pub(super) fn spent(
    snapshot: &Snapshot,
    found: &EntityInstances,
    sum: Option<&PhaseTotal>,
) -> Table {
    let list = sum.iter().flat_map(|s| &s.longest);
    let list = list.map(|(instance, duration)| LongInstance {
        instance: *instance,
        duration: *duration,
        time: None,
    });
    let empty_text = "no selected instance has this phase";
    let table = longest(snapshot, found, list.collect(), empty_text);
    let what = sum.map_or("", |s| s.description.as_str());
    let shown = table.rows.len();
    let table = table.with_title(format!("longest: {what}"));
    match sum.map_or(0, |s| s.instances as usize) {
        all if all > shown => table.with_note(format!("of {}", several(all, &found.entity.title))),
        _ => table,
    }
}
