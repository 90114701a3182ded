//! Table of the timeline: bars of instances in rows of the resources that executed them.

use std::collections::HashMap;

use crate::plots::PlotCurve;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::Entity;
use widetui_analysis::colour;
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::timeline::{Bar, Ending, Progress, Timeline, TimelineRow};
use widetui_core::words::last_part;
use widetui_core::words::several;
use widetui_query::Field;
use widetui_report::figure::{ColourDurations, Figure, Gantt, Plot};
use widetui_session::plots::{EntityInstances, TimelineData, ids_step};

use super::row_names::{Names, PART, cut_of, short_numbers};
use super::{InstanceName, instance_columns};

/// Number of lanes up to which each has a row; where there are more, each resource has one.
const MAX_LANES: usize = 24;
/// Maximum number of rows; instances beyond it are counted.
const MOST: usize = 20_000;

pub(super) fn table(answer: TimelineData) -> Table {
    let (found, mut data) = (answer.of, answer.timeline);
    let resource = answer.resource.map(|of| (of, answer.capacity));
    let by = resource.as_ref().map(|(of, _)| of.title.clone());
    if data.keys.is_empty() {
        name_each(&found, &mut data);
    }
    let work = Work::of(&found.entity, &data);
    let names = Names::of(&data);
    let mut rows: Vec<Row> = Vec::new();
    let mut gantt = Gantt {
        legend: legend(&data),
        durations: colour_durations(&data),
        tones: colour::timeline_tones(&found, &data),
        unknown: data
            .colours
            .iter()
            .position(String::is_empty)
            .map(|at| at as u16),
        ..Gantt::default()
    };
    let (mut instances, mut left_out) = (0u64, 0u64);
    let all_lanes: u32 = data.rows.iter().map(|row| row.lanes).sum();
    let has_lanes = all_lanes as usize <= MAX_LANES;
    for row in &data.rows {
        let shown = match row.name.is_empty() {
            true => without_resource(&found, row, by.as_deref().unwrap_or("place")),
            false => names.name(row),
        };
        let mut busy = work.share(row);
        let lanes = match has_lanes {
            true => lanes(row),
            false => vec![TimelineRow {
                lanes: 1,
                bars: row.bars.iter().map(|bar| Bar { lane: 0, ..*bar }).collect(),
                ..row.clone()
            }],
        };
        if !has_lanes && row.lanes > 1 && busy == Cell::Empty {
            busy = Cell::Text(format!("{} at once", grouped(u64::from(row.lanes))));
        }
        for (at, mut lane) in lanes.into_iter().enumerate() {
            let own = lane.bars.iter().filter(|b| b.ending != Ending::Continues);
            let own = own.count() as u64;
            instances += own;
            if rows.len() >= MOST {
                left_out += own;
                continue;
            }
            // Overlapping bars continue in the next row, which needs no name of its own.
            let shown = if at == 0 { &shown[..] } else { "" };
            let place = rows.len();
            rows.push(lane_row(
                &found,
                (&data.keys, by.as_deref()),
                &lane,
                shown,
                (place, std::mem::take(&mut busy)),
            ));
            lane.name = shown.to_owned();
            gantt.lanes.push(lane);
        }
    }
    if rows.len() <= SEEN_AT_ONCE {
        gantt.concurrency = concurrency(&gantt);
        gantt.capacity = resource.and_then(|(of, steps)| Some(capacity(&of, &steps?)));
    }
    let title = match &by {
        Some(by) => format!("{} by {by}", found.entity.plural()),
        None => found.entity.plural(),
    };
    let mut note = several(instances as usize, &found.entity.title);
    if let Some(by) = &by {
        // Of resources, each may have several rows.
        let known = data.rows.iter().filter(|row| !row.name.is_empty());
        note = format!("{} · {note}", several(known.count(), by));
    }
    // Rows may be in another order, so the remark depends on the actual starts.
    let start = |r: &TimelineRow| r.bars.first().map(|b| b.start).or(r.lifetime.map(|l| l.0));
    let starts = data.rows.iter().map(start);
    if data.rows.len() > 1 && starts.is_sorted() {
        note = format!("{note} · in the order of their starts");
    }
    if data.unstarted > 0 {
        note = format!("{note} · {} with no known start", grouped(data.unstarted));
    }
    if data.in_other_places > 0 {
        note = format!("{note} · {} ran elsewhere", grouped(data.in_other_places));
    }
    if left_out > 0 {
        note = format!("{note} · {} had no room", grouped(left_out));
    }
    let bars = { gantt.lanes.iter().enumerate() }
        .flat_map(|(at, lane)| lane.bars.iter().map(move |bar| (at, bar)));
    let rank = |ending| match ending {
        Ending::Unfinished => 0,
        Ending::Failed | Ending::Lost => 1,
        Ending::Ended | Ending::Continues => 2,
    };
    // The longest open bar, else the first failed one, else the first.
    let first = bars.min_by_key(|(at, bar)| (rank(bar.ending), bar.start, *at));
    let (initial_row, initial_time) = first.map_or((0, None), |(at, bar)| (at, Some(bar.start)));
    let is_share = |row: &Row| matches!(row.cells.get(1), Some(Cell::Share(_)));
    let busy = if rows.iter().any(is_share) {
        "busy"
    } else {
        ""
    };
    let columns = vec![Column::text("row"), Column::number(busy)];
    let figure = Figure {
        note: note.clone(),
        range: data.range,
        ..Figure::new(title.clone(), Plot::Gantt(Box::new(gantt)))
    };
    Table {
        instances: Some(found),
        figure: Some(figure),
        initial_time,
        ..Table::new(columns, rows, "no instance here has a start")
    }
    .with_title(title)
    .with_note(note)
    .with_initial_row(initial_row)
}

/// Name of a row of instances without a resource `by`: with the innermost place that all have in common.
fn without_resource(found: &EntityInstances, row: &TimelineRow, by: &str) -> String {
    let places = row.bars.iter().filter_map(|bar| {
        let one = found.list.get(bar.instance as usize)?;
        Some(found.places(found.snapshot(), one))
    });
    let common = places.reduce(|mut all, other| {
        all.retain(|place| other.contains(place));
        all
    });
    match common.and_then(|mut common| common.pop()) {
        Some((_, place)) => format!("no {by}: {place}"),
        None => format!("no {by} known"),
    }
}

/// Bar of a timeline.
pub struct BarLine<'a> {
    name: InstanceName,
    row: &'a str,
    colour: &'a str,
    bar: &'a Bar,
}

/// Bars of a timeline, by row and start.
pub(super) fn bars<'a>(
    found: &'a EntityInstances,
    data: &'a Timeline,
) -> impl Iterator<Item = BarLine<'a>> {
    let bars = data
        .rows
        .iter()
        .flat_map(|row| row.bars.iter().map(move |bar| (row, bar)));
    bars.filter_map(|(row, bar)| {
        let colour = data.colours.get(usize::from(bar.colour));
        Some(BarLine {
            name: InstanceName::new(found.snapshot(), found, bar.instance as usize)?,
            row: &row.name,
            colour: colour.map_or("", |colour| colour),
            bar,
        })
    })
}

/// Columns of the bars of a timeline in exported CSV.
pub fn bar_columns<'a>() -> Schema<BarLine<'a>> {
    type Col<'a> = SchemaColumn<BarLine<'a>>;
    let is_open = |line: &BarLine<'a>| line.bar.ending == Ending::Unfinished;
    let [id, _, label] = instance_columns(|line: &BarLine<'a>| &line.name);
    Schema::from(vec![
        Col::text("row", |line| line.row.to_owned()),
        id,
        label,
        Col::text("what", |line| line.colour.to_owned()),
        Col::time("start", |line| line.bar.start),
        Col::time("end", move |line| (!is_open(line)).then_some(line.bar.end)),
        Col::duration("duration_s", move |line| {
            (!is_open(line)).then(|| line.bar.end.saturating_sub(line.bar.start))
        }),
        Col::text("ending", |line| {
            let ending = match line.bar.ending {
                Ending::Ended => "ended",
                Ending::Lost => "lost",
                Ending::Failed => "failed",
                Ending::Unfinished => "open",
                Ending::Continues => "changes",
            };
            ending.to_owned()
        }),
    ])
}

/// Names rows of one instance each: the parts of its id that differ between rows (the run, if there are several), and its
/// label. Rows of one run or enclosing instance stand together, the first begun first.
fn name_each(found: &EntityInstances, data: &mut Timeline) {
    let snapshot = found.snapshot();
    let one = |row: &TimelineRow| found.list.get(row.bars.first()?.instance as usize);
    // Values around the last one of the id, the innermost first.
    let outer = |row: &TimelineRow| -> Vec<String> {
        let one = one(row);
        let id = one.map_or(Vec::new(), |one| found.id(snapshot, one));
        let mut values: Vec<String> = id.into_iter().rev().skip(1).map(|p| p.1).collect();
        let name = one.and_then(|one| found.outer_name(one));
        let outermost = values.iter_mut().rev().take(1);
        outermost.zip(name).for_each(|(value, name)| *value = name);
        values
    };
    let mut rows: Vec<(Vec<String>, TimelineRow)> = { data.rows.drain(..) }
        .map(|row| (outer(&row), row))
        .collect();
    let start = |row: &TimelineRow| row.bars.first().map_or(i64::MAX, |bar| bar.start);
    let mut begun: HashMap<Vec<String>, i64> = HashMap::new();
    for (outer, row) in &rows {
        let first = begun.entry(outer.clone()).or_insert(i64::MAX);
        *first = start(row).min(*first);
    }
    rows.sort_by_cached_key(|(outer, _)| (begun.get(outer).copied(), outer.clone()));
    let label = |row: &TimelineRow| one(row).and_then(|one| found.label(snapshot, one));
    let labels: Vec<Option<String>> = rows.iter().map(|(_, row)| label(row)).collect();
    let numbers = short_numbers(rows.iter().map(|(_, row)| row.name.as_str()), &labels);
    let depth = rows.iter().map(|(outer, _)| outer.len()).max().unwrap_or(0);
    let value =
        |outer: &'_ [String], at: usize| outer.get(at).map_or("", String::as_str).to_owned();
    let cuts: Vec<Option<(usize, usize)>> = (0..depth)
        .map(|at| {
            let values: Vec<String> = rows.iter().map(|(outer, _)| value(outer, at)).collect();
            let differ = values.windows(2).any(|pair| pair[0] != pair[1]);
            differ.then(|| cut_of(values.iter().map(String::as_str).collect()))
        })
        .collect();
    for (((outer, mut row), label), number) in rows.into_iter().zip(labels).zip(numbers) {
        let parts = cuts.iter().enumerate().rev().filter_map(|(at, cut)| {
            let (skipped, shown) = (*cut)?;
            Some(
                value(&outer, at)
                    .chars()
                    .skip(skipped)
                    .take(shown)
                    .collect(),
            )
        });
        let parts: Vec<String> = parts.chain([number]).collect();
        row.name = parts.join("/");
        if let Some(label) = label {
            row.name = format!("{} {label}", row.name);
        }
        data.rows.push(row);
    }
}

/// Bars that count as work for the busy share of a resource; instances that only wait do not.
struct Work {
    /// Whether a bar of each colour counts as work, by colour number.
    colours: Vec<bool>,
}

impl Work {
    fn of(entity: &Entity, data: &Timeline) -> Work {
        // If a definition states a start, execution begins there; otherwise the states decide.
        let is_work = |colour: &String| match entity.start {
            Some(_) => true,
            None => entity.executing_states.contains(colour),
        };
        let has_resources = !data.keys.is_empty();
        let colours = data.colours.iter();
        Work {
            colours: colours.map(|c| has_resources && is_work(c)).collect(),
        }
    }

    /// Cell of the share of a resource's lifetime in which it executed something; empty if the lifetime is unknown.
    fn share(&self, row: &TimelineRow) -> Cell {
        if row.name.is_empty() || !self.colours.contains(&true) {
            return Cell::Empty;
        }
        let is_work = |bar: &&Bar| self.colours.get(usize::from(bar.colour)) == Some(&true);
        let Some((start, end)) = row.lifetime else {
            return Cell::Empty;
        };
        // Bars are sorted by start, so that overlapping time counts once.
        let (mut busy, mut until) = (0i64, start);
        for bar in row.bars.iter().filter(is_work) {
            let (from, to) = (bar.start.max(until), bar.end.min(end));
            busy = busy.saturating_add(to.saturating_sub(from).max(0));
            until = until.max(to);
        }
        Cell::Share(busy as f64 / end.saturating_sub(start).max(1) as f64)
    }
}

/// Legend: the name of each colour and the number of its instances.
fn legend(data: &Timeline) -> Vec<(String, u64)> {
    let mut counts = vec![0u64; data.colours.len()];
    let mut last: Vec<Option<u32>> = vec![None; data.colours.len()];
    for bar in data.rows.iter().flat_map(|r| &r.bars) {
        let at = usize::from(bar.colour);
        // An instance that returns to a state counts once.
        if let (Some(count), Some(last)) = (counts.get_mut(at), last.get_mut(at))
            && last.replace(bar.instance) != Some(bar.instance)
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

/// Durations of the instances of each colour.
fn colour_durations(data: &Timeline) -> Vec<ColourDurations> {
    let mut out = vec![ColourDurations::default(); data.colours.len()];
    let bars = data.rows.iter().flat_map(|r| &r.bars);
    for bar in bars {
        if let Some(durations) = out.get_mut(usize::from(bar.colour)) {
            let length = bar.end.saturating_sub(bar.start);
            durations.total = durations.total.saturating_add(length);
            durations.longest = durations.longest.max(length);
        }
    }
    out
}

/// Number of rows up to which a plot of concurrency may fit below them.
const SEEN_AT_ONCE: usize = 60;

/// Number of bars of each colour over time, without bars of waiting instances.
fn concurrency(gantt: &Gantt) -> Vec<PlotCurve> {
    let mut steps: Vec<Vec<(i64, f64)>> = vec![Vec::new(); gantt.legend.len()];
    let bars = gantt.lanes.iter().flat_map(|lane| &lane.bars);
    for bar in bars.filter(|bar| bar.progress == Progress::Begun) {
        if let Some(steps) = steps.get_mut(usize::from(bar.colour)) {
            steps.extend([(bar.start, 1.0), (bar.end, -1.0)]);
        }
    }
    let curves = steps.into_iter().enumerate().map(|(at, mut steps)| {
        // At equal times, an end comes before a start.
        steps.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut sum = 0.0;
        let points = steps.into_iter().map(|(time, step)| {
            sum += step;
            (time, sum)
        });
        PlotCurve {
            name: gantt.legend[at].0.clone(),
            points: points.collect(),
            tone: gantt.tones.get(at).copied().unwrap_or_default(),
            ..PlotCurve::default()
        }
    });
    curves.collect()
}

/// Number of existing resources over time, as a curve.
fn capacity(of: &Entity, steps: &StepFunction) -> PlotCurve {
    let points = steps.points.iter();
    PlotCurve {
        name: of.plural(),
        points: points.map(|(time, n)| (*time, *n as f64)).collect(),
        ..PlotCurve::default()
    }
}

/// Splits a row into one row per lane.
fn lanes(row: &TimelineRow) -> Vec<TimelineRow> {
    let mut out: Vec<TimelineRow> = (0..row.lanes)
        .map(|lane| TimelineRow {
            name: row.name.clone(),
            values: row.values.clone(),
            bars: Vec::new(),
            lanes: 1,
            lifetime: row.lifetime.filter(|_| lane == 0),
        })
        .collect();
    for bar in &row.bars {
        if let Some(lane) = out.get_mut(bar.lane as usize) {
            lane.bars.push(Bar { lane: 0, ..*bar });
        }
    }
    out
}

fn lane_row(
    found: &EntityInstances,
    (keys, by): (&[String], Option<&str>),
    lane: &TimelineRow,
    shown: &str,
    (place, busy): (usize, Cell),
) -> Row {
    let (action, pivots) = match (keys.is_empty(), lane.bars.first()) {
        (true, Some(bar)) => {
            let at = bar.instance as usize;
            let own = found.list.get(at);
            let pivots = own.map(|one| super::instance_pivots(found.snapshot(), found, one));
            (
                found.step(at).map(|step| RowAction::Filter(step.into())),
                pivots.unwrap_or_default(),
            )
        }
        _ => {
            let known = keys.iter().cloned().zip(lane.values.iter().cloned());
            let known: Vec<(String, String)> = known.filter(|p| !p.1.is_empty()).collect();
            let label: String = known
                .last()
                .map_or("", |p| &p.1)
                .chars()
                .take(PART.1)
                .collect();
            let label = format!("{} {label}", by.unwrap_or_default());
            let pivots = known.iter().rev();
            let pivots =
                pivots.map(|(k, v)| PivotValue::key(Field::key(k), last_part(k), v.clone()));
            let pivots: Vec<PivotValue> = pivots.collect();
            let step = ids_step(label.trim().to_owned(), &known);
            (
                Some(RowAction::Filter(step.into())).filter(|_| !known.is_empty()),
                pivots,
            )
        }
    };
    // Lanes of one resource have the same name; the row number makes it unique.
    let name = format!("{place} {shown}");
    let row = Row::new(name, vec![Cell::Text(shown.to_owned()), busy]);
    row.with_action(action).with_pivots(pivots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busy_share_refers_to_the_lifetime_of_the_resource() {
        let bar = |start, end| Bar {
            start,
            end,
            ending: Ending::Ended,
            lane: 0,
            instance: 0,
            colour: 0,
            progress: Progress::Begun,
        };
        let mut row = TimelineRow {
            name: "w".to_owned(),
            bars: vec![bar(50, 120), bar(110, 130), bar(190, 300)],
            lifetime: Some((100, 200)),
            ..TimelineRow::default()
        };
        let work = Work {
            colours: vec![true],
        };
        assert_eq!(work.share(&row), Cell::Share(0.4));
        row.lifetime = None;
        assert_eq!(work.share(&row), Cell::Empty);
    }
}
