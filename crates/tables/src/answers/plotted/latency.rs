//! Tables of latency: the steps in the life of instances, and the instances for which a step took longest.

use crate::plots::settings::SlowestSubject;
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::percent;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::latency::{Latency, SMALL_SHARE, StepLatency, step_name};
use widetui_analysis::slowest::{MeasuredStep, SlowestInstances};
use widetui_analysis::summary::Summary;
use widetui_core::words::{last_part, several};
use widetui_ingest::clocks::ClockOffset;
use widetui_query::{Expr, Field};
use widetui_report::figure::{BarMark, BarRow, Bars, Figure, Plot};
use widetui_session::plots::{EntityInstances, LatencyData, OpenStep};
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

use super::timed::{self, TimedInstance, TimedLine};
use super::{SPREAD, account as phases, clock_note, shares, spread, summary_columns};

/// Share of all time from which a step is highlighted.
const STANDS_OUT: f64 = 0.1;
/// Heading of the column of shares, by which the lines are ordered.
const SHARE: &str = "share of time";

/// Maximum number of stuck instances that a row opens.
const MOST_STUCK: usize = 500;
/// Number of lines with the largest shares that are listed before all others: about one screen.
const FIRST: usize = 15;

/// Line of the table: a step, or the instances stuck after a step.
#[derive(Clone, Copy)]
enum Line<'a> {
    Step(usize, &'a StepLatency),
    Stuck(usize, &'a OpenStep),
}

impl Line<'_> {
    /// Position of the line: the row of its step, then whether it is about stuck instances.
    fn place(&self) -> (usize, bool) {
        match self {
            Line::Step(at, _) => (*at, false),
            Line::Stuck(at, _) => (*at, true),
        }
    }
}

/// Steps in the life of instances, and their shares of the time of all instances.
pub struct LatencySteps<'a> {
    data: &'a Latency,
    /// Sum over all lines of the mean time per instance, ns.
    total: f64,
    /// Longest single time, ns.
    longest: f64,
    /// Largest mean time per instance of any line, ns.
    greatest: f64,
    /// Mean time per instance below which a line is shown dim, ns.
    least: f64,
    lines: Vec<Line<'a>>,
    /// Names of steps, sorted.
    names: Vec<String>,
}

/// Length from which on the part that two names have in common at their beginning is shortened, characters.
const COMMON: usize = 24;
/// Length to which it is shortened.
const KEPT: usize = 10;

/// Number of characters that two names have in common at their beginning.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

impl<'a> LatencySteps<'a> {
    /// Steps of instances, and the instances stuck after a step.
    pub fn new(answer: &'a LatencyData) -> LatencySteps<'a> {
        LatencySteps::of(&answer.latency, &answer.stuck)
    }

    fn of(data: &'a Latency, stuck: &'a [OpenStep]) -> LatencySteps<'a> {
        let place = |stuck: &OpenStep| {
            let is_it = |row: &StepLatency| {
                let numbers = row.occurrence..=row.last_occurrence;
                row.template == stuck.after.0 && numbers.contains(&stuck.after.1)
            };
            data.rows.iter().position(is_it).unwrap_or(data.rows.len())
        };
        let steps = data.rows.iter().enumerate();
        let steps = steps.map(|(at, row)| Line::Step(at, row));
        let stuck_lines = stuck.iter().map(|s| Line::Stuck(place(s), s));
        let longest = data.rows.iter().filter_map(|r| r.step.map(|s| s.max));
        let longest = longest.chain(stuck.iter().map(|s| s.since.max));
        let mut all = LatencySteps {
            data,
            total: 0.0,
            longest: longest.fold(0.0, f64::max),
            least: 0.0,
            greatest: 0.0,
            lines: steps.chain(stuck_lines).collect(),
            names: data.rows.iter().map(StepLatency::name).collect(),
        };
        all.names.sort_unstable();
        let mut parts: Vec<f64> = all.lines.iter().map(|line| all.part(line)).collect();
        parts.sort_by(|a, b| b.total_cmp(a));
        all.total = parts.iter().sum();
        all.greatest = parts.first().copied().unwrap_or(0.0);
        let last = parts.get(FIRST - 1).copied().unwrap_or(0.0);
        all.least = last.max(SMALL_SHARE * all.total);
        let mut lines = std::mem::take(&mut all.lines);
        let part = |line: &Line<'_>| all.part(line);
        lines.sort_by(|a, b| part(b).total_cmp(&part(a)).then(a.place().cmp(&b.place())));
        LatencySteps { lines, ..all }
    }

    /// Lines with a relevant share of the time, the largest first.
    pub fn relevant(&self) -> impl Iterator<Item = LatencyLine<'_>> {
        let all = self.lines.iter().filter(move |line| self.is_relevant(line));
        all.map(move |line| LatencyLine {
            all: self,
            line: *line,
        })
    }

    /// All steps in their order, without the lines about stuck instances.
    pub fn steps(&self) -> impl Iterator<Item = LatencyLine<'_>> {
        let steps = self.data.rows.iter().enumerate();
        steps.map(move |(at, row)| LatencyLine {
            all: self,
            line: Line::Step(at, row),
        })
    }

    /// Number of lines without a relevant share of the time, and the limit of their shares.
    pub fn irrelevant(&self) -> (usize, f64) {
        let small = self.lines.iter().filter(|line| !self.is_relevant(line));
        (small.count(), self.least / self.total.max(1.0))
    }

    /// Name of a step, cut in the middle of the part that it has in common with another one.
    fn distinct(&self, name: &str) -> String {
        let at = self.names.partition_point(|other| other.as_str() < name);
        let before = at.checked_sub(1).and_then(|at| self.names.get(at));
        let mut after = self.names.get(at..).unwrap_or_default().iter();
        let after = after.find(|other| *other != name);
        let same = before
            .into_iter()
            .chain(after)
            .map(|other| common(name, other));
        match same.max() {
            Some(same) if same >= COMMON => {
                let kept: String = name.chars().take(KEPT).collect();
                // The rest begins with a whole word.
                let begin = name.chars().take(same).collect::<String>();
                let word = begin
                    .rsplit(' ')
                    .next()
                    .map_or(0, |word| word.chars().count());
                let rest: String = name.chars().skip((same - word).max(KEPT)).collect();
                format!("{kept}…{rest}")
            }
            _ => name.to_owned(),
        }
    }

    /// Mean time of a line per instance, over all instances, ns.
    fn part(&self, line: &Line<'_>) -> f64 {
        match line {
            Line::Step(_, row) => row.mean_over_all(),
            Line::Stuck(_, stuck) => stuck.since.total / self.data.instances.max(1) as f64,
        }
    }

    /// Length of the line's bar, 0 to 1; the longest bar belongs to the line with the most time.
    fn bar(&self, line: &Line<'_>) -> f64 {
        match self.greatest > 0.0 {
            true => self.part(line) / self.greatest,
            false => 0.0,
        }
    }

    /// Share of a line in all time, 0 to 1.
    fn share(&self, line: &Line<'_>) -> f64 {
        match self.total > 0.0 {
            true => self.part(line) / self.total,
            false => 0.0,
        }
    }

    /// True if a line has a relevant share of the time.
    fn is_relevant(&self, line: &Line<'_>) -> bool {
        self.part(line) >= self.least
    }

    /// Remarks of the title line.
    fn note(&self, title: &str, clocks: Option<&ClockOffset>) -> String {
        let data = self.data;
        let mut note = several(data.instances as usize, title);
        if data.has_negative_steps() {
            note = match clocks {
                Some(apart) => format!("{note} · – where {}", clock_note(apart)),
                None => format!("{note} · – where records are out of order"),
            };
        }
        if data.omitted_events > 0 {
            let n = grouped(data.omitted_events);
            note = format!("{note} · {n} repeated events left out");
        }
        let (small, least) = self.irrelevant();
        if small > 0 {
            let (small, least) = (several(small, "step"), percent(least));
            note = format!("{note} · small: {small} of <{least}");
        }
        note
    }
}

pub(super) fn table(answer: &LatencyData, clocks: Option<&ClockOffset>) -> Table {
    let (found, data, by) = (&answer.of, &answer.latency, &answer.by);
    let shares = LatencySteps::new(answer);
    let schema = columns(answer);
    let rows = shares.lines.iter().map(|line| {
        let cells = schema.cells(&LatencyLine {
            all: &shares,
            line: *line,
        });
        match line {
            Line::Step(_, row) => step_row(&shares, row, by.first().map(String::as_str), cells),
            Line::Stuck(_, stuck) => stuck_row(found, stuck, cells),
        }
    });
    let rows: Vec<Row> = rows.collect();
    let title = &found.entity.title;
    let apart = by.iter().map(|by| format!(" and {by}")).collect::<String>();
    let columns = schema.columns();
    let by_share = columns.iter().position(|c| c.title == SHARE);
    let table = Table::new(columns, rows, "no selected record names an instance")
        .with_title(format!("steps of each {title}{apart}, by share of time"))
        .with_note(shares.note(title, clocks));
    let table = match by_share {
        Some(column) => table.with_order(column, true),
        None => table,
    };
    let whose = several(data.instances as usize, title);
    let figure = phases::figure(&whose, &answer.account, false);
    let steps = format!("steps of {whose}");
    let figure = figure.unwrap_or_else(|| Figure::new(steps.clone(), Plot::Bars(Vec::new())));
    let Plot::Bars(mut groups) = figure.plot else {
        return table;
    };
    let longest = data.rows.iter().filter_map(|row| row.step);
    let longest = longest.map(|step| step.max).fold(1.0, f64::max);
    groups.push(Bars {
        title: Some(steps)
            .filter(|_| !groups.is_empty())
            .unwrap_or_default(),
        rows: shares
            .steps()
            .filter_map(|line| line.bar(longest))
            .collect(),
        longest: Some(longest as i64),
        is_listed: true,
        ..Bars::default()
    });
    table.with_figure(Figure::new(figure.title, Plot::Bars(groups)))
}

/// Line of the table of steps.
pub struct LatencyLine<'a> {
    all: &'a LatencySteps<'a>,
    line: Line<'a>,
}

impl<'a> LatencyLine<'a> {
    /// Step of the line; `None` for stuck instances.
    fn step(&self) -> Option<&'a StepLatency> {
        match self.line {
            Line::Step(_, row) => Some(row),
            Line::Stuck(..) => None,
        }
    }

    fn name(&self) -> String {
        match self.line {
            Line::Step(_, row) => row.name(),
            Line::Stuck(_, stuck) => stuck_name(stuck),
        }
    }

    /// Time since the previous step, or since the last record of stuck instances.
    fn took(&self) -> Option<Summary> {
        match self.line {
            Line::Step(_, row) => row.step,
            Line::Stuck(_, stuck) => Some(stuck.since),
        }
    }

    /// Time since the first record.
    fn offset(&self) -> Option<Summary> {
        Some(self.all.data.rows.get(self.line.place().0)?.offset)
    }

    fn instances(&self) -> u64 {
        match self.line {
            Line::Step(_, row) => row.instances,
            Line::Stuck(_, stuck) => stuck.instances.len() as u64,
        }
    }

    /// Bar in a figure with this full length, ns; `None` without a duration.
    fn bar(&self, longest: f64) -> Option<BarRow> {
        let took = self.took()?;
        // Records out of order, or clocks that differ: no duration.
        let text = |ns: f64| match ns > -1.0 {
            true => format_span(ns as i64),
            false => "–".to_owned(),
        };
        Some(BarRow {
            name: self.name(),
            mark: BarMark::Spread(shares(&took, longest)),
            text: format!("mean {} · max {}", text(took.mean), text(took.max)),
        })
    }

    fn style(&self) -> Role {
        match self.line {
            Line::Stuck(..) => Role::WarningText,
            _ if self.all.share(&self.line) >= STANDS_OUT => Role::Strong,
            _ if self.all.is_relevant(&self.line) => Role::Text,
            _ => Role::Muted,
        }
    }
}

type Col<'a> = SchemaColumn<LatencyLine<'a>>;

/// Columns of the steps of an answer.
pub(super) fn columns<'a>(answer: &LatencyData) -> Schema<LatencyLine<'a>> {
    latency(&answer.by, &answer.of.entity.plural())
}

/// Columns of the steps of instances, on the screen and in the output of `widetui latency`; `split` has the names of the keys
/// that split rows.
pub fn latency<'a>(split: &[String], plural: &str) -> Schema<LatencyLine<'a>> {
    let mut columns = vec![
        Col::text("step", LatencyLine::name)
            .cell(|line| Cell::Styled(line.all.distinct(&line.name()), line.style()))
            .layout(|c| c.between(18, 90)),
        Col::drawn(
            Column::text("since")
                .between(14, 60)
                .rank(9)
                .role(Role::Muted),
            |line| {
                let rows = &line.all.data.rows;
                let before = line.step().and_then(|step| rows.get(step.previous?));
                before.map_or(Cell::Empty, |row| Cell::Text(row.name()))
            },
        ),
        Col::text("template", |line| line.step().map(|s| s.template.clone())).hidden(),
        Col::count("occurrence", |line| {
            line.step().map(|s| u64::from(s.occurrence))
        })
        .hidden(),
    ];
    columns.extend(split.iter().enumerate().map(|(at, name)| {
        Col::text(name.clone(), move |line| {
            line.step()?.split.get(at).cloned()
        })
        .layout(|c| c.between(6, 24).role(Role::Value))
    }));
    columns.extend([
        Col::count("instances", LatencyLine::instances)
            .heading("n")
            .layout(|c| c.rank(3)),
        Col::share("share", |line| match line.line {
            Line::Step(_, row) => row.share,
            Line::Stuck(..) => line.instances() as f64 / line.all.data.instances.max(1) as f64,
        })
        .heading(format!("share of {plural}"))
        .layout(|c| c.rank(7).role(Role::Muted)),
    ]);
    // The order of steps is visible without these columns.
    let [at, p50, p95, max] = summary_columns("offset_", [0; 3], LatencyLine::offset);
    columns.push(
        at.heading("since start")
            .layout(|c| c.rank(3).role(Role::Muted).short("begins")),
    );
    columns.extend([p50, p95, max].map(Col::hidden));
    // The duration is the subject of the view, so its mean is never hidden.
    columns.extend(summary_columns("step_", [5, 2, 6], LatencyLine::took));
    columns.extend([
        Col::drawn(Column::bar(SPREAD, 50).between(21, 50).rank(8), |line| {
            spread(line.took().as_ref(), line.all.longest)
        }),
        Col::share("time_share", |line| line.all.share(&line.line))
            .heading(SHARE)
            .layout(|c| c.rank(1).role(Role::Muted).short("share")),
        Col::drawn(Column::bar("", 14).between(5, 14).rank(4), |line| {
            Cell::Bar(line.all.bar(&line.line))
        }),
    ]);
    Schema::from(columns)
}

/// Name of the line of instances that are stuck after a step.
const STUCK: &str = "→ nothing more";

fn stuck_name(stuck: &OpenStep) -> String {
    let (template, number) = &stuck.after;
    format!("{} {STUCK}", step_name(template, (*number, *number)))
}

/// Row of the instances stuck after a step, with the time since then.
fn stuck_row(found: &EntityInstances, stuck: &OpenStep, cells: Vec<Cell>) -> Row {
    let steps = stuck.instances.iter().take(MOST_STUCK);
    let mut steps: Vec<SelectionStep> = steps.filter_map(|at| found.step(*at)).collect();
    let action = match steps.len() {
        0 => RowAction::Nothing,
        1 => RowAction::Filter(steps.swap_remove(0).into()),
        shown => {
            let label = several(shown, &found.entity.title);
            let exprs = steps.into_iter().map(|step| step.expr);
            RowAction::Filter(
                SelectionStep::new(format!("{label} that stopped"), Expr::any_of(exprs)).into(),
            )
        }
    };
    let template = stuck.after.0.clone();
    let pivot = PivotValue::key(Field::Template, "template", template);
    let row = Row::new(stuck_name(stuck), cells).with_action(action);
    row.with_pivots([pivot])
}

fn step_row(
    shares: &LatencySteps<'_>,
    row: &StepLatency,
    by: Option<&str>,
    cells: Vec<Cell>,
) -> Row {
    let step = MeasuredStep::from_row(shares.data, row);
    let template = row.template.clone();
    let mut pivots = vec![PivotValue::key(
        Field::Template,
        "template",
        template.clone(),
    )];
    let value = by.map(|by| (by, row.split.first().cloned().unwrap_or_default()));
    if let Some((by, value)) = value.as_ref().filter(|(_, value)| !value.is_empty()) {
        pivots.push(PivotValue::key(
            Field::named(by),
            last_part(by),
            value.clone(),
        ));
    }
    let (split_value, action) = match value {
        // Without a split by key, the row opens the slowest instances of the step.
        None => (
            String::new(),
            RowAction::Slowest(SlowestSubject::Step(step).into()),
        ),
        Some((by, value)) => {
            let label = format!("{} {value}", last_part(by));
            let template = Expr::equals(Field::Template, template.as_str());
            let own = Expr::equals(Field::named(by), value.as_str());
            let expr = match value.is_empty() {
                true => template,
                false => Expr::all_of([template, own]),
            };
            (
                value,
                RowAction::Filter(SelectionStep::new(label, expr).into()),
            )
        }
    };
    let name = format!("{} {template} {split_value}", row.occurrence);
    Row::new(name, cells)
        .with_action(action)
        .with_pivots(pivots)
}

/// Rows of the slowest instances of a step.
pub(super) fn slow_steps<'a>(
    snapshot: &'a Snapshot,
    found: &'a EntityInstances,
    data: &'a SlowestInstances,
) -> impl Iterator<Item = TimedLine<'a>> {
    let list = data.list.iter().map(|slow| TimedInstance {
        at: slow.instance,
        took: slow.duration,
        time: Some(slow.time),
    });
    timed::lines(snapshot, found, list, &data.step.step.0)
}

/// Columns of the slowest instances of a step, on the screen and in the output of `widetui latency --slowest`.
pub fn slowest_columns<'a>() -> Schema<TimedLine<'a>> {
    timed::columns("step_s", "template")
}

pub(super) fn slowest(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    data: &SlowestInstances,
) -> Table {
    let lines = slow_steps(snapshot, instances, data);
    let from = match &data.step.previous {
        Some((from, _)) => format!("“{from}”"),
        None => "the first record".to_owned(),
    };
    let (schema, empty_text) = (slowest_columns(), "no selected instance has this step");
    timed::table(snapshot, instances, &schema, lines, empty_text)
        .with_title(format!("slowest to “{}”", data.step.step.0))
        .with_note(format!("from {from}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of one instance that take so many ns.
    fn latency_of(steps: &[f64]) -> Latency {
        let summary = |ns: f64| Summary {
            count: 1,
            mean: ns,
            p50: ns,
            p95: ns,
            max: ns,
            total: ns,
        };
        let rows = steps.iter().enumerate().map(|(at, ns)| StepLatency {
            template: format!("step {at}"),
            split: Vec::new(),
            occurrence: 1,
            last_occurrence: 1,
            instances: 1,
            share: 1.0,
            offset: summary(0.0),
            step: Some(summary(*ns)),
            previous: at.checked_sub(1),
            slowest: 0,
        });
        Latency {
            rows: rows.collect(),
            instances: 1,
            omitted_events: 0,
        }
    }

    #[test]
    fn relevant_steps_come_first_and_the_others_are_counted() {
        let data = latency_of(&[0.0, 5e8, 1e5, 9e8, 2e5]);
        let steps = LatencySteps::of(&data, &[]);
        let names: Vec<String> = steps.relevant().map(|line| line.name()).collect();
        // Those of at least 0.1 % of all time, the largest first.
        assert_eq!(names, ["step 3", "step 1"]);
        assert_eq!(steps.irrelevant().0, 3);
        assert_eq!(steps.steps().count(), 5);
        // Of many equal steps, about one screen.
        let many: Vec<f64> = (1..=100).map(|n| f64::from(n) * 1e6).collect();
        let data = latency_of(&many);
        assert_eq!(LatencySteps::of(&data, &[]).relevant().count(), FIRST);
    }
}
