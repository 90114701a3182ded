//! Who did what when.

use crate::analysis::Instances;
use crate::query::Field;
use crate::store::Snapshot;
use crate::ui::plots::Plot;
use crate::ui::plots::gantt::{Bar, Gantt};
use crate::ui::table::{Cell, Column, Goal, Row, Same, Table};
use crate::ui::text::{grouped, width};
use crate::workspace::plots::{Lane, Timeline, ids_step, step_of};

use super::{last_part, plural};

/// Characters of each part of a row's name: identifiers differ at their start.
const PART: usize = 8;

pub(super) fn table(snapshot: &Snapshot, instances: &Instances, data: Timeline) -> Table {
    let (from, to) = data.range.unwrap_or_default();
    let span = to.saturating_sub(from).max(1) as f64;
    let by = data.by.clone().unwrap_or_default();
    let mut rows = Vec::with_capacity(data.lanes.len());
    let mut gantt = Gantt {
        lanes: Vec::with_capacity(data.lanes.len()),
        legend: data.colours,
        names: 0,
    };
    for (at, lane) in data.lanes.into_iter().enumerate() {
        let row = row(&lane, &by, at, span);
        let name = row.cells.first().map_or(0, |c| width(&c.text()));
        gantt.names = gantt.names.max(name as u16);
        rows.push(row);
        let bars = lane.bars.into_iter().filter_map(|bar| {
            let instance = instances.list.get(bar.instance as usize)?;
            Some(Bar {
                start: bar.start,
                end: bar.end,
                is_open: bar.is_open,
                is_lost: bar.is_lost,
                colour: bar.colour,
                step: step_of(snapshot, instances, instance),
            })
        });
        gantt.lanes.push(bars.collect());
    }
    let things = plural(&instances.entity.title);
    let mut note = format!("{} {things}", grouped(data.bars));
    let title = match &data.by {
        Some(by) => format!("{things} by {by}"),
        None => things,
    };
    if data.unstarted > 0 {
        note = format!("{note} · {} never began", grouped(data.unstarted));
    }
    if data.left_out > 0 {
        note = format!("{note} · {} had no room", grouped(data.left_out));
    }
    let columns = vec![Column::text("row"), Column::number("busy")];
    Table::new(columns, rows, "nothing here has a start")
        .titled(title.clone())
        .noted(note)
        .with_plot(title, Plot::Gantt(gantt))
}

fn row(lane: &Lane, by: &str, at: usize, span: f64) -> Row {
    let short = |value: &str| value.chars().take(PART).collect::<String>();
    let name = match lane.of.len() {
        0 => "not known".to_owned(),
        1 => lane.of[0].1.clone(),
        _ => {
            let values: Vec<String> = lane.of.iter().map(|(_, v)| short(v)).collect();
            // The outermost ones are the same for most rows: the last two tell them apart.
            values[values.len() - 2..].join("/")
        }
    };
    let shown = if lane.is_more { String::new() } else { name };
    let label = lane.of.last().map_or(String::new(), |(_, v)| short(v));
    let step = ids_step(format!("{by} {label}").trim().to_owned(), &lane.of);
    let same = lane.of.iter().rev();
    let same = same.map(|(key, value)| Same::key(Field::key(key), last_part(key), value.clone()));
    Row {
        // Rows of one carrier have one name; the place tells them apart.
        name: format!("{at} {shown}"),
        cells: vec![Cell::Text(shown), Cell::Share(lane.busy as f64 / span)],
        goal: Goal::Filter(step),
        same: same.collect(),
        is_faint: false,
    }
}
