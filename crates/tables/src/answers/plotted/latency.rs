//! Tables of latency: the steps in the life of instances, and the instances for which a step took longest.

use crate::plots::settings::SlowestSubject;
use crate::plots::spread::LEGEND as SPREAD;
use crate::role::Role;
use crate::table::percent;
use crate::table::{Cell, Column, Cut, PivotValue, Row, RowAction, Table};
use crate::text::{cut, grouped};
use widetui_analysis::latency::{Latency, SMALL_SHARE, StepLatency};
use widetui_analysis::slowest::{MeasuredStep, SlowestInstances};
use widetui_core::words::{last_part, several};
use widetui_ingest::clocks::ClockOffset;
use widetui_query::{Expr, Field};
use widetui_session::plots::{EntityInstances, OpenStep};
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;

use super::longest::{LongInstance, longest};
use super::{clock_note, spread, times};

/// Share of all time from which a step is highlighted.
const STANDS_OUT: f64 = 0.1;
/// Maximum length of a step's name in the title line, characters.
const NAMED: usize = 20;

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

/// Shares of the time of all instances.
struct Shares<'a> {
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
}

impl<'a> Shares<'a> {
    fn of(data: &'a Latency, stuck: &'a [OpenStep]) -> Shares<'a> {
        let place = |stuck: &OpenStep| {
            let is_it = |row: &StepLatency| {
                (&row.template, row.occurrence) == (&stuck.after.0, stuck.after.1)
            };
            data.rows.iter().position(is_it).unwrap_or(data.rows.len())
        };
        let steps = data.rows.iter().enumerate();
        let steps = steps.map(|(at, row)| Line::Step(at, row));
        let stuck_lines = stuck.iter().map(|s| Line::Stuck(place(s), s));
        let longest = data.rows.iter().filter_map(|r| r.step.map(|s| s.max));
        let longest = longest.chain(stuck.iter().map(|s| s.since.max));
        let mut all = Shares {
            data,
            total: 0.0,
            longest: longest.fold(0.0, f64::max),
            least: 0.0,
            greatest: 0.0,
            lines: steps.chain(stuck_lines).collect(),
        };
        let mut parts: Vec<f64> = all.lines.iter().map(|line| all.part(line)).collect();
        parts.sort_by(|a, b| b.total_cmp(a));
        all.total = parts.iter().sum();
        all.greatest = parts.first().copied().unwrap_or(0.0);
        let last = parts.get(FIRST - 1).copied().unwrap_or(0.0);
        all.least = last.max(SMALL_SHARE * all.total);
        // Lines with a relevant share come first, then the others; both in the order of steps.
        let mut lines = std::mem::take(&mut all.lines);
        lines.sort_by_key(|line| (!all.is_relevant(line), line.place()));
        Shares { lines, ..all }
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

    /// Whether a line has a relevant share of the time, or is the first step.
    fn is_relevant(&self, line: &Line<'_>) -> bool {
        line.place() == (0, false) || self.part(line) >= self.least
    }

    /// Index of the line with the most time; `None` if no time passes.
    fn largest(&self) -> Option<usize> {
        let lines = self.lines.iter().enumerate();
        let parts = lines.map(|(at, line)| (at, self.part(line)));
        let most = parts.filter(|p| p.1 > 0.0);
        most.max_by(|a, b| a.1.total_cmp(&b.1)).map(|p| p.0)
    }

    /// Remarks of the title line.
    fn note(&self, title: &str, clocks: Option<&ClockOffset>) -> String {
        let data = self.data;
        let mut note = several(data.instances as usize, title);
        // The line with the most time answers the question in the title.
        let most = self.largest().and_then(|at| self.lines.get(at));
        if let Some(line) = most.filter(|line| self.share(line) >= STANDS_OUT) {
            let share = percent(self.share(line));
            let where_to = match line {
                Line::Step(_, row) => {
                    format!(
                        "before “{}”",
                        cut(&MeasuredStep::from_row(data, row).name(), NAMED)
                    )
                }
                Line::Stuck(_, stuck) => match stuck.instances.len() {
                    1 => "in 1 stuck instance".to_owned(),
                    n => format!("in {} stuck instances", grouped(n as u64)),
                },
            };
            note = format!("{note} · {share} {where_to}");
        }
        if data.omitted_events > 0 {
            let n = grouped(data.omitted_events);
            note = format!("{note} · {n} repeated events left out");
        }
        if data.has_negative_steps() {
            note = match clocks {
                Some(apart) => format!("{note} · negative: {}", clock_note(apart)),
                None => format!("{note} · negative: out of order"),
            };
        }
        let small = self
            .lines
            .iter()
            .filter(|line| !self.is_relevant(line))
            .count();
        if small > 0 {
            let small = several(small, "step");
            let least = percent(self.least / self.total.max(1.0));
            note = format!("{note} · dim: {small} of <{least}, in their order");
        }
        note
    }
}

pub(super) fn table(
    found: &EntityInstances,
    (data, stuck): (&Latency, &[OpenStep]),
    by: Option<&str>,
    clocks: Option<&ClockOffset>,
) -> Table {
    let shares = Shares::of(data, stuck);
    let of = |line: &Line<'_>| match line {
        Line::Step(_, row) => step_row(&shares, row, by, line),
        Line::Stuck(_, stuck) => stuck_row(found, &shares, stuck, line),
    };
    let rows: Vec<Row> = shares.lines.iter().map(of).collect();
    let title = &found.entity.title;
    let apart = by.map_or(String::new(), |by| format!(" by {by}"));
    Table::new(columns(by), rows, "no selected record names an instance")
        .with_title(format!("where the time goes: {title}{apart}"))
        .with_note(shares.note(title, clocks))
        .with_initial_row(shares.largest().unwrap_or(0))
}

fn columns(by: Option<&str>) -> Vec<Column> {
    // Steps with equal names differ in the number at their end.
    let mut columns = vec![Column::text("step").between(18, 90).cut(Cut::Middle)];
    if by.is_some() {
        columns.push(Column::text("of").between(6, 24).role(Role::Value));
    }
    columns.extend([
        Column::number("n").rank(4),
        Column::number("have it").rank(7).role(Role::Muted),
        // The order of steps is visible without this column.
        Column::number("at").rank(2).role(Role::Muted),
        // The duration is the subject of the view, so its mean is never hidden.
        Column::number("mean"),
        Column::number("p50").rank(3),
        Column::number("p95").rank(2),
        Column::number("max").rank(5),
        Column::bar(SPREAD, 50).between(21, 50).rank(8),
        Column::number("of all").rank(1).role(Role::Muted),
        Column::bar("", 14).between(5, 14).rank(4),
    ]);
    columns
}

/// Name of the line of instances that are stuck after a step.
const STUCK: &str = "→ nothing more";

/// Row of the instances stuck after a step, with the time since then.
fn stuck_row(
    found: &EntityInstances,
    shares: &Shares<'_>,
    stuck: &OpenStep,
    line: &Line<'_>,
) -> Row {
    let step = MeasuredStep {
        step: stuck.after.clone(),
        previous: None,
    };
    let [mean, p50, p95, max] = times(Some(&stuck.since));
    let offset = shares.data.rows.get(line.place().0);
    let offset = offset.map(|row| row.offset.mean);
    let n = stuck.instances.len();
    let steps = stuck.instances.iter().take(MOST_STUCK);
    let mut steps: Vec<SelectionStep> = steps.filter_map(|at| found.step(*at)).collect();
    let action = match steps.len() {
        0 => RowAction::Nothing,
        1 => RowAction::Filter(steps.swap_remove(0)),
        shown => {
            let label = several(shown, &found.entity.title);
            let exprs = steps.into_iter().map(|step| step.expr);
            RowAction::Filter(SelectionStep::new(
                format!("{label} that stopped"),
                Expr::any_of(exprs),
            ))
        }
    };
    let name = format!("{} {STUCK}", step.name());
    Row {
        cells: vec![
            Cell::Styled(name.clone(), Role::WarningText),
            Cell::Count(n as u64),
            Cell::Share(n as f64 / shares.data.instances.max(1) as f64),
            offset.map_or(Cell::Unknown, |offset| Cell::Span(offset as i64)),
            mean,
            p50,
            p95,
            max,
            spread(Some(&stuck.since), shares.longest),
            Cell::Share(shares.share(line)),
            Cell::Bar(shares.bar(line)),
        ],
        name,
        action,
        pivots: vec![PivotValue::key(
            Field::Template,
            "template",
            stuck.after.0.clone(),
        )],
        is_faint: false,
    }
}

fn step_row(shares: &Shares<'_>, row: &StepLatency, by: Option<&str>, line: &Line<'_>) -> Row {
    let share = shares.share(line);
    let step = MeasuredStep::from_row(shares.data, row);
    let role = match share {
        s if s >= STANDS_OUT => Role::Strong,
        _ if shares.is_relevant(line) => Role::Text,
        _ => Role::Muted,
    };
    let [mean, p50, p95, max] = times(row.step.as_ref());
    let template = row.template.clone();
    let mut cells = vec![Cell::Styled(step.name(), role)];
    let mut pivots = vec![PivotValue::key(
        Field::Template,
        "template",
        template.clone(),
    )];
    let value = by.map(|by| (by, row.split.first().cloned().unwrap_or_default()));
    if let Some((by, value)) = &value {
        cells.push(Cell::Text(value.clone()));
        if !value.is_empty() {
            pivots.push(PivotValue::key(
                Field::named(by),
                last_part(by),
                value.clone(),
            ));
        }
    }
    cells.extend([
        Cell::Count(row.instances),
        Cell::Share(row.share),
        Cell::Span(row.offset.mean as i64),
        mean,
        p50,
        p95,
        max,
        spread(row.step.as_ref(), shares.longest),
        Cell::Share(share),
        Cell::Bar(shares.bar(line)),
    ]);
    let (split_value, action) = match value {
        // Without a split by key, the row opens the slowest instances of the step.
        None => (
            String::new(),
            RowAction::Slowest(SlowestSubject::Step(step)),
        ),
        Some((by, value)) => {
            let label = format!("{} {value}", last_part(by));
            let template = Expr::equals(Field::Template, template.as_str());
            let own = Expr::equals(Field::named(by), value.as_str());
            let expr = match value.is_empty() {
                true => template,
                false => Expr::all_of([template, own]),
            };
            (value, RowAction::Filter(SelectionStep::new(label, expr)))
        }
    };
    Row {
        name: format!("{} {template} {split_value}", row.occurrence),
        cells,
        action,
        pivots,
        is_faint: false,
    }
}

pub(super) fn slowest(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    data: &SlowestInstances,
) -> Table {
    let list = data.list.iter().map(|slow| LongInstance {
        instance: slow.instance,
        duration: slow.duration,
        time: Some(slow.time),
    });
    let empty_text = "no selected instance has this step";
    let table = longest(snapshot, instances, list.collect(), empty_text);
    let from = match &data.step.previous {
        Some((from, _)) => format!("“{from}”"),
        None => "the first record".to_owned(),
    };
    table
        .with_title(format!("slowest to “{}”", data.step.step.0))
        .with_note(format!("from {from}"))
}
