//! Table of runs, one row each; and the comparison of two runs or selections side by side.

use crate::role::Role;
use crate::table::{Cell, Column, Cut, Row, RowAction, Table};
use crate::text::cut;
use widetui_analysis::compare::{ComparedKind, ComparedNumber};
use widetui_analysis::run_table::{RunRow, RunStatus};
use widetui_definition::semantics::EntityRole;
use widetui_query::{Expr, Field};
use widetui_session::comparison::{CompareTable, ComparedSide, RunTable};
use widetui_session::instances::InstanceHandle;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;

/// Lays out the runs, one row each.
pub(crate) fn table(_: &Snapshot, data: RunTable) -> Table {
    let rows: Vec<Row> = data.runs.iter().map(|run| row(&data, run)).collect();
    let note = match data.is_part {
        true => "named by the selected events",
        false => "",
    };
    let has_twins = data.runs.iter().any(|run| is_name_shared(&data, run));
    Table::new(
        columns(has_twins),
        rows,
        "the selected events are about no run",
    )
    .with_note(note)
}

fn columns(has_twins: bool) -> Vec<Column> {
    let folder = Column::text("folder").role(Role::Muted).cut(Cut::Start);
    vec![
        Column::text("run").between(5, 40).role(Role::Strong),
        match has_twins {
            true => folder.between(24, 60).rank(1),
            false => folder.between(10, 60).rank(7),
        },
        Column::time("start").rank(1),
        Column::number("duration"),
        Column::text("status").between(13, 24).rank(2),
        Column::text("what").between(8, 40),
        Column::number("failed").rank(1),
        Column::number("unfinished").rank(1),
        Column::text("on").between(8, 48).rank(6).role(Role::Muted),
        Column::number("mean").rank(4),
        Column::number("p95").rank(5),
        Column::number("records").rank(7).role(Role::Muted),
        Column::time("end").rank(8),
    ]
}

fn row(data: &RunTable, run: &RunRow) -> Row {
    let handle = handle(data, run);
    let duration = match (run.start, run.end) {
        (Some(start), Some(end)) => Cell::Span(end.saturating_sub(start)),
        _ => Cell::Unknown,
    };
    let status = match run.status {
        RunStatus::Failed(_) => Role::ErrorText,
        RunStatus::Unfinished(_) | RunStatus::PossiblyFailed(_) => Role::WarningText,
        RunStatus::Unknown => Role::Muted,
        RunStatus::Succeeded => Role::Text,
    };
    let span = |ns: Option<f64>| ns.map_or(Cell::Unknown, |ns| Cell::Span(ns.round() as i64));
    let entities = data.instance_cache.entities();
    Row {
        name: match &handle {
            Some(handle) => name(handle),
            None => format!("{} {}", run.folder, run.name),
        },
        cells: vec![
            Cell::Text(match run.name.as_str() {
                "" => "all of it".to_owned(),
                name => name.to_owned(),
            }),
            Cell::Text(run.folder.clone()),
            Cell::time(run.start),
            duration,
            Cell::Styled(run.status.to_string(), status),
            Cell::Text(run.entity_counts_text(entities, EntityRole::WorkItem)),
            Cell::NonZero(run.work_items.failed, Role::ErrorText),
            Cell::NonZero(run.work_items.unfinished, Role::WarningText),
            Cell::Text(run.entity_counts_text(entities, EntityRole::Resource)),
            span(run.durations.map(|d| d.mean)),
            span(run.durations.map(|d| d.p95)),
            Cell::Count(run.events),
            Cell::time(run.end),
        ],
        action: match (handle, &run.condition) {
            (Some(handle), _) => RowAction::Instance(Box::new(handle)),
            (None, Some(only)) => {
                let label = format!("run {}", run.name);
                RowAction::Only(SelectionStep::new(label, only.clone()))
            }
            (None, None) => RowAction::Nothing,
        },
        pivots: Vec::new(),
        is_faint: false,
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

/// Lays out two runs or selections side by side.
pub(crate) fn compare(_: &Snapshot, data: CompareTable) -> Table {
    let rows: Vec<Row> = data.lines.iter().map(|line| line_of(&data, line)).collect();
    let [a, b] = &*data.both;
    let columns = vec![
        Column::text("what").between(5, 9).role(Role::Muted),
        // Steps with equal names differ in the number at their end.
        Column::text("name").between(10, 110).cut(Cut::Middle),
        Column::number("a"),
        Column::number("share").rank(1).role(Role::Muted),
        Column::number("b"),
        Column::number("share").rank(1).role(Role::Muted),
        // The reason for a missing difference may use more room if there is any.
        Column::number("difference").between(1, 12),
        Column::bar("of the larger", 20).between(13, 20).rank(2),
    ];
    Table::new(columns, rows, "no work was begun in either of them")
        .with_title(format!("a: {} · b: {}", a.name, b.name))
        .with_note(match side_without(&data) {
            Some(side) => format!("{side}: no work was begun"),
            None => {
                "counts, states and durations, then steps: the greatest difference first".to_owned()
            }
        })
}

/// Name of a side without any number, if the other side has some.
fn side_without(data: &CompareTable) -> Option<&'static str> {
    let is_empty =
        |of: fn(&ComparedNumber) -> Option<f64>| data.lines.iter().all(|l| of(l).is_none());
    match (
        data.lines.is_empty(),
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

/// Name of a line; a step omits its entity if all steps have the same one.
fn line_name<'l>(data: &CompareTable, line: &'l ComparedNumber) -> &'l str {
    let mut steps = data.lines.iter().filter(|l| l.kind == ComparedKind::Step);
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

fn line_of(data: &CompareTable, line: &ComparedNumber) -> Row {
    let value = |v: Option<f64>| match v {
        Some(v) => Cell::Formatted(v, line.format(v), Role::Text),
        None => Cell::Unknown,
    };
    let (difference, share) = match (line.difference(), line.first, line.second) {
        (Some(d), Some(a), Some(b)) => {
            let role = match (line.kind, d > 0.0) {
                _ if d == 0.0 => Role::Muted,
                (ComparedKind::Duration | ComparedKind::Step, true) => Role::WarningText,
                _ => Role::Text,
            };
            let most = a.abs().max(b.abs());
            let share = if most > 0.0 { d.abs() / most } else { 0.0 };
            (
                Cell::Formatted(d, line.format_difference(d), role),
                Cell::Bar(share),
            )
        }
        _ => (
            match line.incomparable {
                Some(why) => Cell::Styled(why.text().to_owned(), Role::Muted),
                None => Cell::Empty,
            },
            Cell::Empty,
        ),
    };
    Row {
        name: format!("{} {}", line.kind.name(), line.name),
        cells: vec![
            Cell::Text(line.kind.name().to_owned()),
            Cell::Text(line_name(data, line).to_owned()),
            value(line.first),
            share_of(data, line, |l| l.first),
            value(line.second),
            share_of(data, line, |l| l.second),
            difference,
            share,
        ],
        action: line_action(data, line),
        pivots: Vec::new(),
        // A step on one side only has no counterpart to compare with.
        is_faint: line.kind == ComparedKind::Step && line.difference().is_none(),
    }
}

/// Cell of the share of a count among all instances of its entity on a side; of a count of instances, among all
/// entities.
fn share_of(data: &CompareTable, line: &ComparedNumber, side: OneSide) -> Cell {
    let counts = || data.lines.iter().filter(|l| l.kind == ComparedKind::Count);
    let entity = |l: &ComparedNumber| l.subject.as_ref().map(|a| a.entity.clone());
    let all: f64 = match line.kind {
        ComparedKind::Count if counts().count() > 1 => counts().filter_map(side).sum(),
        ComparedKind::State => {
            let own = counts().filter(|l| entity(l).is_some() && entity(l) == entity(line));
            own.filter_map(side).sum()
        }
        _ => return Cell::Empty,
    };
    match side(line) {
        Some(n) if all > 0.0 => Cell::Share(n / all),
        _ => Cell::Empty,
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
    RowAction::Only(SelectionStep::new(
        label,
        Expr::all_of(of_both.into_iter().chain([is_it])),
    ))
}
