//! Table of a series: a number over time.

use crate::plots::PlotCurve;
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, PivotValue, Row, Table};
use crate::text::grouped;
use widetui_analysis::overview::Curve;
use widetui_analysis::series::{
    AxisScale, BinAggregate, MEAN_NOTE, Series, SeriesKind, SeriesLine, borders, mean_over,
};
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_report::figure::{CurveStyle, Curves, Figure, Panel};
use widetui_session::plots::SeriesData;
use widetui_store::Snapshot;
use widetui_time::timescale::{CURVE_PARTS, round_length, round_parts};

use super::counts::RowGroups;

/// Maximum number of listed lines.
const MOST: usize = 1000;

pub(super) fn table(data: &SeriesData) -> Table {
    let mut lines = rows(data);
    let left_out = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    let courses = lines.iter().map(|row| row.course.clone()).collect();
    let points: usize = lines.iter().map(|l| l.line.points.len()).sum();
    let mut note = format!("{} values", grouped(points as u64));
    for (count, what) in [
        (data.series.not_numeric, "are no numbers"),
        (data.series.untimed, "without a time"),
        (left_out as u64, "lines more"),
    ] {
        if count > 0 {
            note = format!("{note} · {} {what}", grouped(count));
        }
    }
    note = format!("{note} · in means {MEAN_NOTE}");
    let title = match data.by.is_empty() {
        true => "in numbers".to_owned(),
        false => format!("by {}", data.by.join(", ")),
    };
    let empty_text = "no selected record has a number under this key";
    let style = CurveStyle::Lines(AxisScale::for_series(&data.series, &data.spec));
    let unit = unit(&data.spec.unit, data.spec.kind);
    let curves = Curves::one(style, unit, courses);
    let figure = Figure::of_curves(heading(data), curves, None);
    let row = |line: &SeriesRow<'_>, cells| row(data, line, cells);
    line_columns()
        .table(&lines, row, empty_text)
        .with_title(title)
        .with_note(note)
        .with_figure(figure.over(data.series.range()).with_origin(data.origin))
}

/// Heading of a series: its key, with the title from its definition.
fn heading(data: &SeriesData) -> String {
    let spec = &data.spec;
    let unit = match unit(&spec.unit, spec.kind).as_str() {
        "" => String::new(),
        unit => format!(" [{unit}]"),
    };
    match spec.title == spec.key {
        true => format!("{}{unit}", spec.key),
        false => format!("{}: {}{unit}", spec.key, spec.title),
    }
}

/// Unit of the values as they are drawn: a counter's growth.
fn unit(unit: &str, kind: SeriesKind) -> String {
    match kind {
        SeriesKind::Gauge => unit.to_owned(),
        SeriesKind::Counter => format!("{unit}/s"),
    }
}

/// Figure of small curves, each in its own panel.
pub(super) fn curves(snapshot: &Snapshot, found: &[Curve]) -> Option<Figure> {
    let panel = |curve: &Curve| Panel {
        name: curve.label(),
        unit: unit(&curve.unit, curve.kind),
        curves: vec![PlotCurve {
            name: curve.label(),
            points: curve.points.to_vec(),
            kind: curve.kind,
            ..PlotCurve::default()
        }],
    };
    let title = match found {
        [] => return None,
        [one] => one.label(),
        _ => "Over time".to_owned(),
    };
    let curves = Curves {
        panels: found.iter().map(panel).collect(),
        style: CurveStyle::Lines(AxisScale::FromZero),
    };
    Some(Figure::of_curves(title, curves, None).over(snapshot.range()))
}

/// Lines of a series with their names, the highest first.
pub(super) fn rows<'a>(data: &'a SeriesData) -> Vec<SeriesRow<'a>> {
    let range = data.series.range();
    let end = range.map_or(data.until, |r| r.1.max(data.until));
    let lines = data.series.lines_by_maximum().into_iter();
    let curve = |line: &SeriesLine| PlotCurve {
        name: name(data, line),
        points: line.point_pairs(),
        kind: data.spec.kind,
        end: line.run_end,
        ..PlotCurve::default()
    };
    let drawn = |curve: PlotCurve| match (curve.kind, range) {
        // A counter is shown as its growth, in the table as in the figure.
        (SeriesKind::Counter, Some((from, _))) => {
            let range = (from, end);
            let (range, parts) = round_parts(range, round_length(range, CURVE_PARTS));
            curve.binned(range, parts, BinAggregate::Max)
        }
        _ => curve,
    };
    let row = |line: &'a SeriesLine| SeriesRow {
        course: drawn(curve(line)),
        line,
        end: line.run_end.map_or(end, |run_end| run_end.min(end)),
    };
    lines.map(row).collect()
}

/// Line of a series, with the end of its last value (UTC ns).
pub struct SeriesRow<'a> {
    /// Drawn curve with its name.
    pub course: PlotCurve,
    /// Line.
    pub line: &'a SeriesLine,
    /// End of the last value, UTC ns.
    pub end: i64,
}

impl SeriesRow<'_> {
    fn values(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.course.points.iter().map(|p| p.1)
    }
}

/// Columns of the lines of a series, on the screen and in the text of `widetui series`.
pub fn line_columns<'a>() -> Schema<SeriesRow<'a>> {
    type Col<'a> = SchemaColumn<SeriesRow<'a>>;
    Schema::from(vec![
        Col::text("line", |row| row.course.name.clone())
            .layout(|c| c.between(8, 60).role(Role::Value)),
        Col::count("values", |row| row.line.points.len() as u64),
        Col::number("last", |row| row.values().next_back()),
        Col::number("mean", |row| mean_over(&row.course.points, row.end)).layout(|c| c.rank(1)),
        Col::number("least", |row| row.values().reduce(f64::min)).layout(|c| c.rank(2)),
        Col::number("most", |row| row.values().reduce(f64::max)),
        Col::time("first", |row| row.line.points.first().map(|p| p.time))
            .layout(|c| c.rank(3))
            .on_screen(),
        Col::time("until", |row| row.line.points.last().map(|p| p.time))
            .layout(|c| c.rank(4))
            .on_screen(),
    ])
}

/// Value of a series.
pub struct SeriesValue {
    time: i64,
    /// Time since the start of its run, ns, if times count from there.
    elapsed: Option<i64>,
    /// Value; `None` for a part of the time without one.
    value: Option<f64>,
    group: String,
}

/// Aggregation of the points of a series.
#[derive(Clone, Copy, Debug)]
pub struct SeriesBins {
    /// Time range, UTC ns.
    pub range: (i64, i64),
    /// Interpolation between points.
    pub kind: SeriesKind,
    /// Number of parts of equal length.
    pub columns: usize,
    /// Aggregate of the points in a part.
    pub aggregate: BinAggregate,
}

/// Values of all lines by time: points, or aggregates of parts of the time.
pub fn values(found: &Series, together: Option<SeriesBins>) -> Vec<SeriesValue> {
    let mut rows: Vec<SeriesValue> = Vec::new();
    for line in &found.lines {
        let group = line.name();
        let value = |time: i64, value| SeriesValue {
            time: time.saturating_add(line.start.unwrap_or_default()),
            elapsed: line.start.map(|_| time),
            value,
            group: group.clone(),
        };
        match together {
            Some(t) => {
                let values = line.bins((t.kind, t.aggregate), t.range, t.columns);
                let starts = borders(t.range, t.columns);
                rows.extend(starts.zip(values).map(|(start, x)| value(start, x)));
            }
            None => rows.extend(line.points.iter().map(|p| value(p.time, Some(p.value)))),
        }
    }
    rows.sort_by_key(|row| row.elapsed.unwrap_or(row.time));
    rows
}

/// Columns of the values of a series in the JSON lines and CSV of `widetui series`.
pub fn value_columns(groups: RowGroups) -> Schema<SeriesValue> {
    type Col = SchemaColumn<SeriesValue>;
    let mut columns = vec![
        Col::time("time", |row| row.time),
        Col::number("value", |row| row.value),
        Col::text("group", |row| {
            Some(row.group.clone()).filter(|g| !g.is_empty())
        }),
    ];
    if groups == RowGroups::FromStart {
        columns.push(Col::duration("elapsed_s", |row| row.elapsed));
    }
    Schema::from(columns)
}

fn name(data: &SeriesData, line: &SeriesLine) -> String {
    match (data.by.is_empty(), line.name().trim()) {
        (true, _) => last_part(&data.spec.key).to_owned(),
        (false, "") => "(none)".to_owned(),
        (false, name) => name.to_owned(),
    }
}

fn row(data: &SeriesData, shown: &SeriesRow<'_>, cells: Vec<Cell>) -> Row {
    let known = data.by.iter().zip(&shown.line.group).rev();
    let known = known.filter(|(_, value)| !value.is_empty());
    let pivots =
        known.map(|(by, value)| PivotValue::key(Field::named(by), last_part(by), value.clone()));
    Row::new(shown.course.name.clone(), cells).pivoting(pivots)
}
