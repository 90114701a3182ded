//! Who did what when.

use crate::analysis::timeline::{Bar, Ending, Row as Carried, Timeline};
use crate::query::Field;
use crate::ui::plots::Plot;
use crate::ui::plots::gantt::Gantt;
use crate::ui::table::{Cell, Column, Goal, Row, Same, Table};
use crate::ui::text::{grouped, width};
use crate::workspace::plots::{Picked, ids_step};

use super::last_part;

/// Characters of each part of a row's name: identifiers differ at their start.
const PART: usize = 8;
/// Parts of a name: the innermost are what tells rows apart.
const PARTS: usize = 2;
/// Rows at most; what has none is counted.
const MOST: usize = 20_000;

pub(super) fn table(found: Picked, data: Timeline, by: Option<String>) -> Table {
    let (from, to) = data.range.unwrap_or_default();
    let span = to.saturating_sub(from).max(1) as f64;
    let names = Names::of(&data);
    let mut rows: Vec<Row> = Vec::new();
    let mut gantt = Gantt {
        legend: legend(&data),
        ..Gantt::default()
    };
    let (mut things, mut left_out) = (0u64, 0u64);
    for carried in &data.rows {
        let shown = names.name(carried);
        gantt.names = gantt.names.max(width(&shown) as u16);
        for (at, lane) in lanes(carried).into_iter().enumerate() {
            let own = lane.bars.iter().filter(|b| b.ending != Ending::Changes);
            let own = own.count() as u64;
            things += own;
            if rows.len() >= MOST {
                left_out += own;
                continue;
            }
            // What has no room in a row stands in the next, which needs no name of its own.
            let shown = if at == 0 { &shown[..] } else { "" };
            let place = rows.len();
            rows.push(row(
                &found,
                (&data.keys, by.as_deref()),
                &lane,
                shown,
                (place, span),
            ));
            gantt.lanes.push(lane);
        }
    }
    let title = match &by {
        Some(by) => format!("{} by {by}", found.entity.plural()),
        None => found.entity.plural(),
    };
    let mut note = format!("{} {}", grouped(things), found.entity.plural());
    if data.unstarted > 0 {
        note = format!("{note} · {} never began", grouped(data.unstarted));
    }
    if left_out > 0 {
        note = format!("{note} · {} had no room", grouped(left_out));
    }
    gantt.of = Some(found);
    let columns = vec![Column::text("row"), Column::number("busy")];
    Table::new(columns, rows, "nothing here has a start")
        .titled(title.clone())
        .noted(note)
        .with_plot(title, Plot::Gantt(gantt))
}

/// What colours stand for, and how many things have it.
fn legend(data: &Timeline) -> Vec<(String, u64)> {
    let mut counts = vec![0u64; data.colours.len()];
    let mut last: Vec<Option<u32>> = vec![None; data.colours.len()];
    for bar in data.rows.iter().flat_map(|r| &r.bars) {
        let at = usize::from(bar.colour);
        // A thing that comes back to a state has it once.
        if let (Some(count), Some(last)) = (counts.get_mut(at), last.get_mut(at))
            && last.replace(bar.of) != Some(bar.of)
        {
            *count += 1;
        }
    }
    let name = |name: &String| match name.as_str() {
        "" => "(none)".to_owned(),
        name => name.to_owned(),
    };
    data.colours.iter().map(name).zip(counts).collect()
}

/// A row for each lane.
fn lanes(carried: &Carried) -> Vec<Carried> {
    let mut out: Vec<Carried> = (0..carried.lanes)
        .map(|_| Carried {
            name: carried.name.clone(),
            values: carried.values.clone(),
            bars: Vec::new(),
            lanes: 1,
        })
        .collect();
    for bar in &carried.bars {
        if let Some(lane) = out.get_mut(bar.lane as usize) {
            lane.bars.push(Bar { lane: 0, ..*bar });
        }
    }
    out
}

/// How rows are named: what is the same for all of them is left out.
struct Names {
    from: usize,
}

impl Names {
    fn of(data: &Timeline) -> Names {
        let same = |at: usize| {
            let mut values = data.rows.iter().map(|r| r.values.get(at));
            let first = values.next().flatten();
            values.all(|v| v == first)
        };
        let keys = data.keys.len();
        let from = (0..keys).find(|at| !same(*at)).unwrap_or(keys);
        Names {
            from: from
                .max(keys.saturating_sub(PARTS))
                .min(keys.saturating_sub(1)),
        }
    }

    fn name(&self, row: &Carried) -> String {
        let parts = row.values.get(self.from..).unwrap_or_default();
        match parts {
            [] if row.name.is_empty() => "not known".to_owned(),
            [] => row.name.clone(),
            _ if row.name.is_empty() => "not known".to_owned(),
            [one] => one.clone(),
            parts => {
                let short = |value: &String| value.chars().take(PART).collect::<String>();
                parts.iter().map(short).collect::<Vec<_>>().join("/")
            }
        }
    }
}

fn row(
    found: &Picked,
    (keys, by): (&[String], Option<&str>),
    lane: &Carried,
    shown: &str,
    (place, span): (usize, f64),
) -> Row {
    let length = |b: &Bar| b.end.saturating_sub(b.start);
    let busy: i64 = lane.bars.iter().map(length).fold(0, i64::saturating_add);
    let (goal, same) = match (keys.is_empty(), lane.bars.first()) {
        (true, Some(bar)) => {
            let at = bar.of as usize;
            let own = found.list.get(at);
            let same = own.map(|one| super::same(found.snapshot(), found, one));
            (found.step(at).map(Goal::Filter), same.unwrap_or_default())
        }
        _ => {
            let known = keys.iter().cloned().zip(lane.values.iter().cloned());
            let known: Vec<(String, String)> = known.filter(|p| !p.1.is_empty()).collect();
            let label: String = known
                .last()
                .map_or("", |p| &p.1)
                .chars()
                .take(PART)
                .collect();
            let label = format!("{} {label}", by.unwrap_or_default());
            let same = known.iter().rev();
            let same = same.map(|(k, v)| Same::key(Field::key(k), last_part(k), v.clone()));
            let same: Vec<Same> = same.collect();
            let step = ids_step(label.trim().to_owned(), &known);
            (Some(Goal::Filter(step)).filter(|_| !known.is_empty()), same)
        }
    };
    Row {
        // Rows of one carrier have one name; the place tells them apart.
        name: format!("{place} {shown}"),
        cells: vec![
            Cell::Text(shown.to_owned()),
            Cell::Share(busy as f64 / span),
        ],
        goal: goal.unwrap_or_default(),
        same,
        is_faint: false,
    }
}
