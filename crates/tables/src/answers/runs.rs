//! Table of runs, one row each; and the comparison of two runs or selections side by side.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::differences::{sentence, sentences};
use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Cut, Row, RowAction, Table};
use crate::text::{cut, cut_middle, width};
use widetui_analysis::Entity;
use widetui_analysis::compare::{ComparedKind, ComparedNumber};
use widetui_analysis::differences::Differences;
use widetui_analysis::run_table::{RunRow, RunStatus};
use widetui_definition::semantics::EntityRole;
use widetui_query::{Expr, Field};
use widetui_report::figure::{Figure, Plot};
use widetui_report::sheet::id_object;
use widetui_session::comparison::{CompareTable, ComparedSide, RunTable};
use widetui_session::instances::InstanceHandle;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;
use widetui_time::timescale::part_of;

/// Run, as a row of the table of runs, and as a store keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Name of the run in the store, if it was read from one.
    #[serde(skip)]
    pub stored_as: Option<String>,
    /// Name: the label, the id, or the name of the folder; empty if runs cannot be separated.
    pub name: String,
    /// Values of its id by key.
    id: Map<String, Json>,
    /// Folder of the log with its first record.
    folder: String,
    /// Time of the first event, UTC ns.
    pub start: Option<i64>,
    /// Time of the last event, UTC ns.
    end: Option<i64>,
    /// Outcome.
    status: RunStatus,
    /// Number of instances by entity.
    entities: BTreeMap<String, u64>,
    /// Numbers of work items in words.
    work_items: String,
    /// Numbers of resources in words.
    resources: String,
    /// Number of failed work items.
    failed: u64,
    /// Number of work items that have not ended.
    unfinished: u64,
    /// Mean duration of ended work items, ns.
    mean: Option<f64>,
    /// 95th percentile of these durations, ns.
    p95: Option<f64>,
    /// Number of events.
    events: u64,
}

impl RunSummary {
    /// Summarises a run of a snapshot.
    pub fn new(snapshot: &Snapshot, entities: &[Arc<Entity>], run: &RunRow) -> RunSummary {
        RunSummary {
            stored_as: None,
            name: run.name.clone(),
            id: id_object(snapshot, &run.id),
            folder: run.folder.clone(),
            start: run.start,
            end: run.end,
            status: run.status,
            entities: run.entities.clone(),
            work_items: run.entity_counts_text(entities, EntityRole::WorkItem),
            resources: run.entity_counts_text(entities, EntityRole::Resource),
            failed: run.work_items.failed,
            unfinished: run.work_items.unfinished,
            mean: run.durations.map(|d| d.mean),
            p95: run.durations.map(|d| d.p95),
            events: run.events,
        }
    }

    /// Time from the first event to the last one, ns.
    fn duration(&self) -> Option<i64> {
        let extent = self.start.zip(self.end);
        extent.map(|(start, end)| end.saturating_sub(start))
    }

    fn entity_counts(&self) -> Map<String, Json> {
        let entities = self.entities.iter();
        entities.map(|(k, n)| (k.clone(), (*n).into())).collect()
    }
}

type Col = SchemaColumn<RunSummary>;

/// Columns of runs, on the screen and in the output of `widetui runs`.
pub fn runs() -> Schema<RunSummary> {
    Schema::from(vec![
        Col::text("run", |run| run.name.clone())
            .cell(|run| {
                Cell::Text(match run.name.as_str() {
                    "" => "all of it".to_owned(),
                    name => name.to_owned(),
                })
            })
            // Names of runs differ at their ends.
            .layout(|c| c.between(5, 40).role(Role::Strong).cut(Cut::Middle)),
        Col::object("id", |run| run.id.clone()).hidden(),
        Col::text("folder", |run| run.folder.clone())
            .layout(|c| c.between(10, 60).rank(7).role(Role::Muted).cut(Cut::Start))
            .on_screen(),
        Col::time("start", |run| run.start).layout(|c| c.rank(2)),
        Col::duration("duration_s", RunSummary::duration).heading("duration"),
        Col::text("status", |run| run.status.to_string())
            .style(|run| match run.status {
                RunStatus::Failed(_) => Role::ErrorText,
                RunStatus::Unfinished(_) | RunStatus::PossiblyFailed(_) => Role::WarningText,
                RunStatus::Unknown => Role::Muted,
                RunStatus::Succeeded => Role::Text,
            })
            .layout(|c| c.between(13, 24).rank(1)),
        Col::counts("entities", RunSummary::entity_counts)
            .heading("what")
            .cell(|run| Cell::Text(run.work_items.clone()))
            .layout(|c| c.between(8, 40)),
        Col::count("failed", |run| run.failed)
            .style(|_| Role::ErrorText)
            .layout(|c| c.rank(1)),
        Col::count("unfinished", |run| run.unfinished)
            .style(|_| Role::WarningText)
            .layout(|c| c.rank(1)),
        Col::drawn(
            Column::text("on").between(8, 48).rank(6).role(Role::Muted),
            |run| Cell::Text(run.resources.clone()),
        ),
        Col::mean("mean_s", |run| run.mean)
            .heading("mean")
            .layout(|c| c.rank(4)),
        Col::mean("p95_s", |run| run.p95)
            .heading("p95")
            .layout(|c| c.rank(5)),
        Col::count("events", |run| run.events)
            .heading("records")
            .layout(|c| c.rank(7).role(Role::Muted))
            .on_screen(),
        Col::time("end", |run| run.end).layout(|c| c.rank(8)),
    ])
}

/// Columns of the runs of a store, in the output of `widetui runs`: those of [`runs`] after the name in the store.
pub fn listed_runs() -> Schema<RunSummary> {
    runs().after(Col::text("stored_as", |run| run.stored_as.clone()))
}

/// Columns of the runs in a store. Their names are no words of SQL.
pub fn stored_runs() -> Schema<RunSummary> {
    Schema::from(vec![
        Col::text("name", |run| run.name.clone()),
        Col::text("folder", |run| run.folder.clone()),
        Col::time("started", |run| run.start),
        Col::time("ended", |run| run.end),
        Col::duration("duration_s", RunSummary::duration),
        Col::text("status", |run| run.status.to_string()),
        Col::count("failed", |run| run.failed),
        Col::count("unfinished", |run| run.unfinished),
        Col::mean("mean_s", |run| run.mean),
        Col::mean("p95_s", |run| run.p95),
        Col::count("events", |run| run.events),
        Col::counts("entities", RunSummary::entity_counts),
        Col::object("keys", |run| run.id.clone()),
    ])
}

/// Lays out the runs, one row each.
pub(crate) fn table(snapshot: &Snapshot, data: RunTable) -> Table {
    let mut schema = runs();
    let times = || data.runs.iter().filter_map(|run| run.start.zip(run.end));
    let range = times().map(|t| t.0).min().zip(times().map(|t| t.1).max());
    if let (Some(range), [_, _, ..]) = (range, &data.runs[..]) {
        let column = Column::spark("when").rank(3);
        schema.push(Col::drawn(column, move |run| presence(run, range)));
    }
    let entities = data.instance_cache.entities();
    let rows = data.runs.iter().map(|run| {
        let summary = RunSummary::new(snapshot, entities, run);
        row(&data, run, schema.cells(&summary))
    });
    let rows = rows.collect();
    let note = match data.is_part {
        true => "named by the selected events",
        false => "",
    };
    let mut columns = schema.columns();
    if data.runs.iter().any(|run| is_name_shared(&data, run))
        && let Some(folder) = columns.iter_mut().find(|c| c.field == "folder")
    {
        *folder = folder.clone().between(24, 60).rank(1);
    }
    Table::new(columns, rows, "the selected events are about no run").with_note(note)
}

/// Parts of the time of all runs in which a run went on.
fn presence(run: &RunSummary, range: (i64, i64)) -> Cell {
    const PARTS: u32 = 60;
    let Some((start, end)) = run.start.zip(run.end) else {
        return Cell::Unknown;
    };
    let (first, last) = (part_of(range, start, PARTS), part_of(range, end, PARTS));
    Cell::Spark(
        (0..PARTS)
            .map(|part| u32::from((first..=last).contains(&part)))
            .collect(),
    )
}

fn row(data: &RunTable, run: &RunRow, cells: Vec<Cell>) -> Row {
    let handle = handle(data, run);
    Row {
        name: match &handle {
            Some(handle) => name(handle),
            None => format!("{} {}", run.folder, run.name),
        },
        cells,
        action: match (handle, &run.condition) {
            (Some(handle), _) => RowAction::Instance(Box::new(handle)),
            (None, Some(only)) => {
                let label = format!("run {}", run.name);
                RowAction::Only(SelectionStep::new(label, only.clone()).into())
            }
            (None, None) => RowAction::Nothing,
        },
        ..Row::default()
    }
}

/// Whether another run has the same name.
fn is_name_shared(data: &RunTable, run: &RunRow) -> bool {
    let same_name = data.runs.iter().filter(|r| r.name == run.name);
    same_name.count() > 1
}

/// Unique name of the row of a run.
fn name(run: &InstanceHandle) -> String {
    format!("{} {:?}", run.entity, run.id)
}

/// The run as an instance; `None` if no key identifies runs.
fn handle(data: &RunTable, run: &RunRow) -> Option<InstanceHandle> {
    (!run.entity.is_empty()).then(|| InstanceHandle {
        instance_cache: data.instance_cache.clone(),
        entity: run.entity.clone(),
        id: run.id.clone(),
        name: format!("{} {}", run.title, run.name),
        // Runs in several folders may have the same name.
        label: is_name_shared(data, run).then(|| run.folder.clone()),
    })
}

/// Maximum width of the names of both sides in the title, terminal columns.
const SIDE_NAMES: usize = 64;

/// Lays out two runs or selections side by side, below the differences in words.
pub(crate) fn compare(_: &Snapshot, data: CompareTable) -> Table {
    let schema = comparison();
    let lines = &data.comparison.lines;
    let rows = compare_lines(lines).map(|line| Row {
        name: format!("{} {}", line.line.kind.name(), line.line.name),
        cells: schema.cells(&line),
        action: line_action(&data, &line.line),
        // A step on one side only has no counterpart to compare with.
        is_faint: line.line.kind == ComparedKind::Step && line.line.difference().is_none(),
        ..Row::default()
    });
    let rows: Vec<Row> = rows.collect();
    let [a, b] = &*data.both;
    // Cut in the middle, long names keep what differs.
    let room = match width(&a.name) + width(&b.name) <= SIDE_NAMES {
        true => SIDE_NAMES,
        false => SIDE_NAMES / 2,
    };
    let name = |side: &ComparedSide| cut_middle(&side.name, room);
    let title = format!("a: {} · b: {}", name(a), name(b));
    let table = Table::new(
        schema.columns(),
        rows,
        "no work was begun in either of them",
    );
    let words = sentences(&data.comparison.differences);
    let table = match words.is_empty() {
        true => table.with_title(title),
        false => table
            .with_figure(Figure::new(title, Plot::Words(words)))
            .with_title("numbers"),
    };
    table.with_note(match side_without(lines) {
        Some(side) => format!("{side}: no work was begun"),
        None => "counts, states, durations, steps: the greatest difference first".to_owned(),
    })
}

/// Name of a side without any number, if the other side has some.
fn side_without(lines: &[ComparedNumber]) -> Option<&'static str> {
    let is_empty = |of: fn(&ComparedNumber) -> Option<f64>| lines.iter().all(|l| of(l).is_none());
    match (
        lines.is_empty(),
        is_empty(|l| l.first),
        is_empty(|l| l.second),
    ) {
        (false, true, _) => Some("a"),
        (false, _, true) => Some("b"),
        _ => None,
    }
}

/// Name of a run, with the word "run" in place of the title of the system's entity.
pub fn run_name(run: &InstanceHandle) -> String {
    let name = run.full_name();
    let entities = run.instance_cache.entities();
    let entity = entities.iter().find(|e| e.name == run.entity);
    match entity.and_then(|e| name.strip_prefix(&e.title)) {
        Some(rest) => format!("run{rest}"),
        None => name,
    }
}

/// Number of both sides of a comparison.
pub struct CompareLine<'a> {
    lines: &'a [ComparedNumber],
    /// Number.
    pub line: Cow<'a, ComparedNumber>,
    /// Sentence about a difference.
    text: Option<String>,
}

/// Rows of the numbers of a comparison.
pub fn compare_lines(lines: &[ComparedNumber]) -> impl Iterator<Item = CompareLine<'_>> {
    lines.iter().map(move |line| CompareLine {
        lines,
        line: Cow::Borrowed(line),
        text: None,
    })
}

/// Rows of the differences that explain most, with their sentences.
pub fn difference_lines(differences: &Differences) -> impl Iterator<Item = CompareLine<'_>> {
    let list = differences.list.iter();
    list.map(|difference| CompareLine {
        lines: &[],
        line: Cow::Owned(ComparedNumber::of_difference(difference, differences.basis)),
        text: Some(sentence(differences, difference)),
    })
}

/// Columns of a comparison, on the screen and in the output of `widetui compare`. Times are in seconds.
pub fn comparison<'a>() -> Schema<CompareLine<'a>> {
    type Col<'a> = SchemaColumn<CompareLine<'a>>;
    let number = |field: &'static str, side: OneSide| {
        Col::number(field, move |line: &CompareLine<'a>| {
            line.scaled(side(&line.line))
        })
        .cell(move |line| match side(&line.line) {
            Some(v) => Cell::Formatted(v, line.line.format(v), Role::Text),
            None => Cell::Unknown,
        })
    };
    let share = |field: &'static str, side: OneSide| {
        Col::share(field, move |line: &CompareLine<'a>| line.share(side))
            .heading("share")
            .cell(move |line| line.share(side).map_or(Cell::Empty, Cell::Share))
            .layout(|c| c.rank(1).role(Role::Muted))
            .on_screen()
    };
    Schema::from(vec![
        Col::text("what", |line| line.line.kind.name().to_owned())
            .layout(|c| c.between(5, 9).role(Role::Muted)),
        Col::text("name", |line| line.line.name.clone())
            .cell(|line| Cell::Text(line.short_name().to_owned()))
            .layout(|c| c.between(10, 110)),
        number("a", |line| line.first),
        share("a_share", |line| line.first),
        number("b", |line| line.second),
        share("b_share", |line| line.second),
        // The reason for a missing difference may use more room if there is any.
        Col::number("difference", |line| line.scaled(line.line.difference()))
            .cell(CompareLine::difference)
            .layout(|c| c.between(1, 12)),
        Col::drawn(
            Column::bar("of the larger", 20).between(13, 20).rank(2),
            |line| match (line.line.difference(), line.line.first, line.line.second) {
                (Some(d), Some(a), Some(b)) => match a.abs().max(b.abs()) {
                    most if most > 0.0 => Cell::Bar(d.abs() / most),
                    _ => Cell::Bar(0.0),
                },
                _ => Cell::Empty,
            },
        ),
        Col::text("why", |line| {
            line.line.incomparable.map(|why| why.text().to_owned())
        })
        .hidden(),
        Col::text("text", |line| line.text.clone()).hidden(),
    ])
}

impl CompareLine<'_> {
    /// Number of a time in seconds, other numbers as they are.
    fn scaled(&self, number: Option<f64>) -> Option<f64> {
        let scale = if self.line.kind.is_time() { 1e9 } else { 1.0 };
        number.map(|number| number / scale)
    }

    /// Name; a step omits its entity if all steps have the same one.
    fn short_name(&self) -> &str {
        let line = &*self.line;
        let mut steps = self.lines.iter().filter(|l| l.kind == ComparedKind::Step);
        match (line.kind, line.name.split_once(": ")) {
            (ComparedKind::Step, Some((kind, step))) => {
                let is_same = |l: &ComparedNumber| {
                    let rest = l.name.strip_prefix(kind);
                    rest.is_some_and(|rest| rest.starts_with(": "))
                };
                if steps.all(is_same) { step } else { &line.name }
            }
            _ => &line.name,
        }
    }

    /// Cell of the difference, or of the reason why there is none.
    fn difference(&self) -> Cell {
        let line = &*self.line;
        match (line.difference(), line.incomparable) {
            (Some(d), _) => {
                let role = match (line.kind, d > 0.0) {
                    _ if d == 0.0 => Role::Muted,
                    (ComparedKind::Duration | ComparedKind::Step, true) => Role::WarningText,
                    _ => Role::Text,
                };
                Cell::Formatted(d, line.format_difference(d), role)
            }
            (None, Some(why)) => Cell::Styled(why.text().to_owned(), Role::Muted),
            (None, None) => Cell::Empty,
        }
    }

    /// Share of a count among all instances of its entity on a side; of a count of instances, among all entities.
    fn share(&self, side: OneSide) -> Option<f64> {
        let counts = || self.lines.iter().filter(|l| l.kind == ComparedKind::Count);
        let entity = |l: &ComparedNumber| l.subject.as_ref().map(|a| a.entity.clone());
        let all: f64 = match self.line.kind {
            ComparedKind::Count if counts().count() > 1 => counts().filter_map(side).sum(),
            ComparedKind::State => {
                let own = entity(&self.line);
                let of = counts().filter(|l| own.is_some() && entity(l) == own);
                of.filter_map(side).sum()
            }
            _ => return None,
        };
        side(&self.line).filter(|_| all > 0.0).map(|n| n / all)
    }
}

/// Accessor of the number of one side.
type OneSide = fn(&ComparedNumber) -> Option<f64>;

/// Action of a line: the records of a step on both sides, or the counted instances.
fn line_action(data: &CompareTable, line: &ComparedNumber) -> RowAction {
    let Some(about) = &line.subject else {
        return RowAction::Nothing;
    };
    let Some(template) = &about.template else {
        return RowAction::Instances(about.entity.clone());
    };
    let is_it = Expr::equals(Field::Template, template.as_str());
    let label = format!("template {}", cut(template, 24));
    let sides: Option<Vec<Expr>> = data.both.iter().map(ComparedSide::expr).collect();
    let of_both = sides.map(Expr::any_of);
    RowAction::Only(
        SelectionStep::new(label, Expr::all_of(of_both.into_iter().chain([is_it]))).into(),
    )
}
