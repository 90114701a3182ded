//! Tables of joins: their keys, the number of values that each derived, and conflicts between events.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, Table};
use widetui_core::words::{key_words, several};
use widetui_join::spec::JoinRule;
use widetui_join::{Conflict, Join, Report, omission_messages, undecided_records};
use widetui_session::instance_table::{JoinFrom, JoinSwitch, JoinsTable};
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;
use widetui_store::derived::JoinKind;

pub(super) fn table(snapshot: &Snapshot, data: JoinsTable) -> Table {
    match &data.conflicts_of {
        Some(name) => conflicts(snapshot, &data, name),
        None => list(snapshot, &data),
    }
}

/// Names of keys without their systems, or with them where two would be equal, separated by commas.
fn short(keys: &[String]) -> String {
    let words: Vec<String> = keys.iter().map(|key| key_words(key)).collect();
    let name = |(key, word): (&String, &String)| {
        let is_only = words.iter().filter(|other| *other == word).count() == 1;
        match is_only {
            true => word.clone(),
            false => key.clone(),
        }
    };
    let names: Vec<String> = keys.iter().zip(&words).map(name).collect();
    names.join(", ")
}

/// Left side of a join, as text.
fn left(join: &Join) -> String {
    match &join.rule {
        JoinRule::Keys(_) => short(join.left_keys()),
        JoinRule::Bracket(_) => "between two records of a thread".to_owned(),
        JoinRule::FirstRecord { .. } => "the first record of the file".to_owned(),
        JoinRule::ConsecutiveRuns(_) => "a start in the same logs".to_owned(),
        JoinRule::Extraction(rule) => match rule.input_keys() {
            [] => "text of messages".to_owned(),
            by => short(by),
        },
    }
}

fn list(snapshot: &Snapshot, data: &JoinsTable) -> Table {
    let schema = joins();
    let mut rows = Vec::new();
    let mut absent = 0;
    for (join, switch) in data.joins.iter() {
        let report = data.reports.iter().find(|r| r.join == join.name);
        let is_idle = report.is_none_or(Report::is_idle);
        if is_idle && switch.is_on && switch.from == JoinFrom::System {
            // The join's keys do not occur in this run, or no record lacks the values.
            absent += 1;
            continue;
        }
        let line = JoinLine {
            join,
            switch: *switch,
            report,
        };
        let cells = row(&line, schema.cells(&line));
        rows.push((line, cells));
    }
    let lines = || { rows.iter() }.map(|(line, _): &(JoinLine<'_>, Row)| line);
    let used = || lines().filter(|line| line.switch.is_on);
    let sum = |get: fn(&Report) -> usize| -> usize {
        used().filter_map(|line| line.report.map(get)).sum()
    };
    let in_use = used().count();
    let known = several(sum(|report| report.receiving_events), "value");
    let mut notes = vec![format!("{in_use} in use derive {known}")];
    match sum(|report| report.conflicts) {
        0 => {}
        n => notes.push(several(n, "conflict")),
    }
    match lines()
        .filter(|line| line.switch.from == JoinFrom::Suggested)
        .count()
    {
        0 => {}
        n => notes.push(format!("{n} suggested")),
    }
    notes.extend(omission_messages(&data.reports));
    match undecided_records(snapshot) {
        0 => {}
        number => notes.push(format!(
            "{} that may be of several runs",
            several(number, "record")
        )),
    }
    if absent > 0 {
        notes.push(format!("{absent} more that widen nothing here"));
    }
    let note = notes.join(" · ");
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let disputed = |row: &Row| matches!(row.action, RowAction::Conflicts(_));
    let first = rows.iter().position(disputed).unwrap_or(0);
    Table::new(schema.columns(), rows, "no join is about keys of this run")
        .with_note(note)
        .with_initial_row(first)
}

/// Join, with the number of values that it derived if it is on.
pub struct JoinLine<'a> {
    /// Join.
    pub join: &'a Join,
    /// Status and origin.
    pub switch: JoinSwitch,
    /// Results.
    pub report: Option<&'a Report>,
}

/// Columns of joins, on the screen and in the output of `widetui joins`.
pub fn joins<'a>() -> Schema<JoinLine<'a>> {
    type Col<'a> = SchemaColumn<JoinLine<'a>>;
    let count = |field, get: fn(&Report) -> usize| {
        Col::count(field, move |line: &JoinLine<'a>| {
            line.report.map(|r| get(r) as u64)
        })
    };
    Schema::from(vec![
        Col::text("join", |line| line.join.name.clone()).in_text(),
        Col::texts("by", |line| line.join.left_keys().to_vec()).in_text(),
        Col::texts("gives", |line| line.join.right_keys().to_vec()).in_text(),
        Col::drawn(Column::text("").between(1, 2), |line| {
            match line.switch.is_on {
                true => Cell::Styled("●".to_owned(), Role::Marker),
                false => Cell::Styled("○".to_owned(), Role::Faint),
            }
        }),
        Col::drawn(
            Column::text("same … ⇒ get …").between(20, 90),
            |line| {
                Cell::Pieces(vec![
                    (left(line.join), Role::Key),
                    (" ⇒ ".to_owned(), Role::Faint),
                    (short(line.join.right_keys()), Role::Value),
                ])
            },
        ),
        count("groups", |r| r.groups).layout(|c| c.rank(3)),
        count("widened", |r| r.receiving_events),
        count("conflicts", |r| r.conflicts)
            .style(|_| Role::WarningText)
            .layout(|c| c.rank(1)),
        Col::text("how", |line| {
            let how = match line.join.kind() {
                JoinKind::Keys => "join",
                JoinKind::Bracket => "bracket",
                JoinKind::FirstRecord => "first of file",
                JoinKind::ConsecutiveRuns => "by the clock",
                JoinKind::Extraction => "reading",
            };
            how.to_owned()
        })
        .layout(|c| c.between(13, 14).rank(8).role(Role::Muted)),
        Col::text("system", |line| line.join.system.clone())
            .heading("from")
            .cell(|line| {
                Cell::Text(match line.switch.from {
                    JoinFrom::System => {
                        let system = line.join.system.clone();
                        system.unwrap_or_else(|| "built in".to_owned())
                    }
                    JoinFrom::Own => "own".to_owned(),
                    JoinFrom::Suggested => "suggested".to_owned(),
                })
            })
            .layout(|c| c.between(9, 16).rank(1).role(Role::Muted))
            .on_screen(),
        // The name tells joins with equal keys apart.
        Col::drawn(
            Column::text("name")
                .between(14, 40)
                .rank(1)
                .role(Role::Muted),
            |line| match line.switch.from {
                // Its name says what its keys say.
                JoinFrom::Suggested => Cell::Empty,
                JoinFrom::System | JoinFrom::Own => Cell::Text(line.join.own_name().to_owned()),
            },
        ),
    ])
}

fn row(line: &JoinLine<'_>, cells: Vec<Cell>) -> Row {
    let name = line.join.name.clone();
    let action = match line.report.is_some_and(|r| !r.examples.is_empty()) {
        true => RowAction::Conflicts(name.clone()),
        false => RowAction::Switch(name.clone()),
    };
    let row = Row::new(name, cells).with_action(action);
    let row = row.faint(!line.switch.is_on).with_details([
        ("same", line.join.left_keys().join(", ")),
        ("get", line.join.right_keys().join(", ")),
    ]);
    let Some(report) = line.report else {
        return row;
    };
    let derived = several(report.receiving_events, "record");
    let groups = several(report.groups, "group");
    let row = row.with_details([("derived", format!("{derived} got a value, in {groups}"))]);
    let conflict = |row: Row, conflict: &Conflict| {
        let values: Vec<&str> = conflict.values.iter().map(|v| v.0.as_str()).collect();
        let values = format!("{} {}", key_words(&conflict.key), values.join(" or "));
        row.with_details([("conflict", format!("{}: {values}", conflict.subject()))])
    };
    report.examples.iter().take(EXAMPLES).fold(row, conflict)
}

/// Maximum number of conflicts below the table.
const EXAMPLES: usize = 6;

fn conflicts(snapshot: &Snapshot, data: &JoinsTable, name: &str) -> Table {
    let report = data.reports.iter().find(|r| r.join == name);
    let examples: &[Conflict] = report.map_or(&[], |r| &r.examples);
    let rows = examples
        .iter()
        .flat_map(|c| conflict(snapshot, c))
        .collect();
    let all = report.map_or(0, |r| r.conflicts);
    let note = match all > examples.len() {
        true => format!(
            "first {} of {all} conflicts; their events receive no value",
            examples.len()
        ),
        false => format!(
            "{}; their events receive no value",
            several(all, "conflict")
        ),
    };
    let columns = vec![
        Column::text("events with the same")
            .between(12, 80)
            .role(Role::Key),
        Column::text("disagree about").between(6, 30),
        Column::text("value").between(6, 40).role(Role::Value),
        Column::time("time").rank(2),
        Column::text("source").between(6, 24).rank(1),
    ];
    Table::new(columns, rows, "no group of events disagrees")
        .with_title(format!("conflicts of {name}"))
        .with_note(note)
}

/// Rows of a conflict: one per value, with the first event that states it.
fn conflict(snapshot: &Snapshot, conflict: &Conflict) -> Vec<Row> {
    let group = conflict.subject();
    let row = |(value, event): &(String, Option<widetui_core::ids::EventId>)| {
        let event = event.and_then(|e| snapshot.event(e));
        let source = event.as_ref().map(|e| e.source());
        Row {
            name: format!("{group} {value}"),
            cells: vec![
                Cell::Text(group.clone()),
                Cell::Text(key_words(&conflict.key)),
                Cell::Text(value.clone()),
                Cell::time(event.as_ref().and_then(|e| e.time())),
                match source {
                    Some(source) => Cell::Source(source.id, snapshot.source_name(source)),
                    // The value comes from the first record of a file, or from its path.
                    None => Cell::Unknown,
                },
            ],
            action: event.map_or(RowAction::Nothing, |e| {
                RowAction::Event(Place::from_event(&e))
            }),
            ..Row::default()
        }
    };
    conflict.values.iter().map(row).collect()
}
