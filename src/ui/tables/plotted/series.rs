//! A number over time.

use crate::query::Field;
use crate::ui::plots::{Course, Plot};
use crate::ui::table::{Cell, Column, Goal, Row, Same, Table};
use crate::ui::text::grouped;
use crate::ui::theme::Role;
use crate::workspace::plots::{SeriesData, SeriesGroup};

use super::last_part;

pub(super) fn table(data: &SeriesData) -> Table {
    let rows = data.groups.iter().map(|group| row(data, group));
    let rows: Vec<Row> = rows.collect();
    let course = |group: &SeriesGroup| Course {
        name: name(data, group),
        points: group.points.clone(),
        is_bad: false,
    };
    let courses = data.groups.iter().map(course).collect();
    let points: usize = data.groups.iter().map(|g| g.points.len()).sum();
    let mut note = format!("{} values", grouped(points as u64));
    if data.no_numbers > 0 {
        note = format!("{note} · {} are no numbers", grouped(data.no_numbers));
    }
    if data.left_out > 0 {
        note = format!("{note} · {} groups more", grouped(data.left_out as u64));
    }
    let by = data.by.as_ref();
    let title = by.map_or(String::new(), |by| format!("by {by}"));
    let nothing = "no selected record has a number under this key";
    Table::new(columns(), rows, nothing)
        .titled(title)
        .noted(note)
        .with_plot(data.key.clone(), Plot::Lines(courses))
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("line").between(8, 60).role(Role::Value),
        Column::number("values"),
        Column::number("last"),
        Column::number("mean").rank(1),
        Column::number("least").rank(2),
        Column::number("most"),
        Column::time("first").rank(3),
        Column::time("until").rank(4),
    ]
}

fn name(data: &SeriesData, group: &SeriesGroup) -> String {
    match (&data.by, group.name.as_str()) {
        (None, _) => data.key.clone(),
        (Some(_), "") => "(none)".to_owned(),
        (Some(_), name) => name.to_owned(),
    }
}

fn row(data: &SeriesData, group: &SeriesGroup) -> Row {
    let values = || group.points.iter().map(|p| p.1);
    let (first, last) = (group.points.first(), group.points.last());
    let mean = values().sum::<f64>() / group.points.len().max(1) as f64;
    let by = data.by.iter().filter(|_| !group.name.is_empty());
    let same = by.map(|by| Same::key(Field::key(by), last_part(by), group.name.clone()));
    let same: Vec<Same> = same.collect();
    Row {
        name: name(data, group),
        cells: vec![
            Cell::Text(name(data, group)),
            Cell::Count(group.points.len() as u64),
            Cell::number(last.map(|p| p.1)),
            Cell::Number(mean),
            Cell::number(values().reduce(f64::min)),
            Cell::number(values().reduce(f64::max)),
            Cell::time(first.map(|p| p.0)),
            Cell::time(last.map(|p| p.0)),
        ],
        goal: match same.is_empty() {
            true => Goal::Nothing,
            false => Goal::Pivot,
        },
        same,
        is_faint: false,
    }
}
