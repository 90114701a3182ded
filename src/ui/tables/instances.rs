//! The things of one kind: what each is, how it stands, where it runs, when it began and ended.

use crate::analysis::entity::place::in_words;
use rustc_hash::FxHashSet;

use crate::analysis::entity::{Instance, Instances};
use crate::base::words::{plural, several};
use crate::store::Snapshot;
use crate::ui::table::natural::natural;
use crate::ui::table::{Cell, Column, Row, RowGoal, Table};
use crate::ui::text::grouped;
use crate::ui::theme::Role;
use crate::workspace::things::{InstanceAt, Thing};
use crate::workspace::thingtable::{InstanceRow, InstanceTable};

pub(super) fn table(snapshot: &Snapshot, data: InstanceTable) -> Table {
    let nothing = "the selected events are about none of these";
    let Some(instances) = data.entity.and_then(|at| data.seen.found.all.get(at)) else {
        return Table::new(Vec::new(), Vec::new(), nothing);
    };
    let several_runs = {
        let outer = |i: &Instance| i.id.get(..i.id.len().saturating_sub(1)).map(<[_]>::to_vec);
        let all: FxHashSet<_> = instances.list.iter().map(outer).collect();
        all.len() > 1
    };
    // Things without an end of their own reach to the end of the data.
    let end = snapshot.range().map(|r| r.1);
    let row = |r: &InstanceRow| {
        Some((
            r.is_open,
            row(snapshot, &data, instances, r, several_runs, end)?,
        ))
    };
    let mut rows: Vec<(bool, Row)> = data.rows.iter().filter_map(row).collect();
    // As people count them; the cursor begins on the first that is unfinished.
    rows.sort_by_cached_key(|(_, row)| {
        let text = |at: usize| row.cells.get(at).map_or(String::new(), Cell::text);
        let outer = if several_runs { text(1) } else { String::new() };
        (natural(&text(0)), natural(&outer))
    });
    let start = rows.iter().position(|(is_open, _)| *is_open).unwrap_or(0);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let open = data.rows.iter().filter(|r| r.is_open).count();
    let mut notes = Vec::new();
    if instances.entity.can_end() {
        notes.push(match open {
            0 => "all ended".to_owned(),
            n => format!("{} unfinished", grouped(n as u64)),
        });
    }
    if data.is_part {
        notes.push("those that the selected events are about".to_owned());
    }
    if instances.undecided > 0 {
        let n = usize::try_from(instances.undecided).unwrap_or(usize::MAX);
        let text = several(n, "event");
        notes.push(format!("{text} of which it is not known whose they are"));
    }
    notes.extend(Some(instances.states_note()).filter(|n| !n.is_empty()));
    let table = Table::new(columns(several_runs), rows, nothing)
        .titled(plural(&instances.entity.title))
        .ordered_by(0)
        .noted(notes.join(" · "));
    table.beginning_at(start)
}

fn columns(several_runs: bool) -> Vec<Column> {
    let id = Column::text("id").between(4, 40).role(Role::Strong);
    let mut out = vec![id];
    if several_runs {
        out.push(Column::text("of").between(6, 40).rank(6).role(Role::Muted));
    }
    out.extend([
        Column::text("what").between(8, 32),
        Column::text("state").between(6, 20),
        Column::number("duration"),
        Column::number("events").rank(1),
        Column::number("errors").rank(2),
        Column::time("start").rank(3),
        Column::time("end").rank(5),
        Column::text("where")
            .between(12, 110)
            .rank(4)
            .role(Role::Muted),
    ]);
    out
}

fn row(
    snapshot: &Snapshot,
    data: &InstanceTable,
    all: &Instances,
    row: &InstanceRow,
    several_runs: bool,
    end: Option<i64>,
) -> Option<Row> {
    let (_, one) = data.seen.get(row.at)?;
    let thing = Thing::of(&data.things, snapshot, &data.seen, row.at)?;
    let standing = &row.standing;
    let state = standing.state.and_then(|s| all.states.get(usize::from(s)));
    let state = match state {
        Some(state) => {
            let role = match () {
                () if all.entity.failed.contains(state) => Role::ErrorText,
                () if row.is_open && all.entity.is_goal() => Role::WarningText,
                () => Role::Text,
            };
            Cell::Styled(state.clone(), role)
        }
        None if all.entity.state.is_some() => Cell::Unknown,
        None => Cell::Empty,
    };
    let duration = match (standing.duration(), standing.start, end) {
        (Some(d), ..) => Cell::Span(d),
        (None, Some(start), Some(end)) if row.is_open => Cell::OpenSpan(end.saturating_sub(start)),
        _ => Cell::Unknown,
    };
    let mut cells = vec![Cell::Text(all.number(snapshot, one))];
    if several_runs {
        let outer = thing.id.split_last().map_or(&[][..], |(_, outer)| outer);
        let outer: Vec<&str> = outer.iter().map(|(_, value)| value.as_str()).collect();
        cells.push(Cell::Text(outer.join(" · ")));
    }
    cells.extend([
        thing.label.clone().map_or(Cell::Empty, Cell::Text),
        state,
        duration,
        Cell::Count(all.count(one) as u64),
        Cell::Some(row.errors, Role::ErrorText),
        Cell::time(standing.start),
        match standing.end.time() {
            Some(t) => Cell::Time(t),
            None if row.is_open => Cell::Text("open".to_owned()),
            None => Cell::Unknown,
        },
        Cell::Text(in_words(&all.places(snapshot, one))),
    ]);
    Some(Row {
        name: format!("{:?}", thing.id),
        cells,
        goal: RowGoal::Thing(Box::new(thing)),
        same: Vec::new(),
        is_faint: false,
    })
}

/// What the pivot list says of a thing: `24 wait_for_file`, `1 of 3619e747ac56`.
pub(crate) fn told(snapshot: &Snapshot, all: &Instances, at: InstanceAt) -> Option<String> {
    let one = all.list.get(at.instance)?;
    let number = all.number(snapshot, one);
    if let Some(label) = all.label(snapshot, one) {
        return Some(format!("{number} {label}"));
    }
    let id = all.id(snapshot, one);
    let outer: Vec<&str> = id.iter().rev().skip(1).map(|p| p.1.as_str()).collect();
    Some(match outer[..] {
        [] => number,
        _ => format!("{number} of {}", outer.join(", ")),
    })
}
