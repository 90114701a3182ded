//! Table of the instances of an entity: name, state, place, start, end, records.

use rustc_hash::FxHashMap;

use crate::role::Role;
use crate::table::natural::natural;
use crate::table::{Cell, Column, Cut, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::entity::names::{DistinguishingParts, Varies, format_places};
use widetui_analysis::entity::{Instance, Instances, Outcome};
use widetui_core::dict::Code;
use widetui_core::words::{plural, several};
use widetui_store::Snapshot;

use super::plotted::cut_of;
use widetui_session::instance_table::{InstanceRow, InstanceTable};
use widetui_session::instances::{InstanceHandle, InstancePosition};

/// Lays out the instances of an entity.
pub(crate) fn table(snapshot: &Snapshot, data: InstanceTable) -> Table {
    let empty_text = "no selected event names an instance";
    let Some(instances) = data.entity.and_then(|at| data.seen.found.occurring.get(at)) else {
        return Table::new(Vec::new(), Vec::new(), empty_text);
    };
    let shown = || {
        let at = data.rows.iter().map(|r| r.at.instance);
        at.filter_map(|at| instances.list.get(at))
    };
    let names = Names {
        distinguishing: DistinguishingParts::compare(instances, shown()),
        outer: outer_names(snapshot, &data, instances),
    };
    let row = |r: &InstanceRow| Some((r.is_open, row(snapshot, &data, instances, r, &names)?));
    let mut rows: Vec<(bool, Row)> = data.rows.iter().filter_map(row).collect();
    // Unfinished instances come first, as in the output of the command; then natural order of names.
    rows.sort_by_cached_key(|(is_open, row)| {
        let text = |at: usize| row.cells.get(at).map_or(String::new(), Cell::text);
        let outer = match names.distinguishing.outer {
            Varies::Yes => text(1),
            Varies::No => String::new(),
        };
        (!is_open, natural(&text(0)), natural(&outer))
    });
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
        notes.push("named by the selected events".to_owned());
    }
    if instances.undecided_events > 0 {
        let n = usize::try_from(instances.undecided_events).unwrap_or(usize::MAX);
        let text = several(n, "event");
        notes.push(format!("{text} unassigned"));
    }
    notes.extend(Some(instances.states_note()).filter(|n| !n.is_empty()));
    let table = Table::new(columns(names.distinguishing.outer), rows, empty_text)
        .with_title(plural(&instances.entity.title))
        .with_note(notes.join(" · "));
    match data.rows.iter().any(|r| r.is_open) {
        true => table,
        false => table.with_order(0),
    }
}

/// Displayed names of instances.
struct Names {
    distinguishing: DistinguishingParts,
    /// Name of each outermost value of an id, as short as is unique.
    outer: FxHashMap<OuterPart, String>,
}

/// Outermost part of an id: the alternative list of keys, and its value.
type OuterPart = (u8, Code);

/// Outermost part of an instance's id; `None` if the id has one part only.
fn outer_part(one: &Instance) -> Option<OuterPart> {
    let first = one.id.first().filter(|_| one.id.len() > 1)?;
    Some((one.alternative, *first))
}

/// Names the outermost parts of ids: runs as in the table of runs, other values by as many characters as are unique.
fn outer_names(
    snapshot: &Snapshot,
    data: &InstanceTable,
    all: &Instances,
) -> FxHashMap<OuterPart, String> {
    let at = data.rows.iter().map(|r| r.at.instance);
    let mut of: FxHashMap<OuterPart, (String, String)> = FxHashMap::default();
    for one in at.filter_map(|at| all.list.get(at)) {
        if let Some(part) = outer_part(one)
            && !of.contains_key(&part)
            && let Some(pair) = all.id(snapshot, one).into_iter().next()
        {
            of.insert(part, pair);
        }
    }
    let called = |(key, value): &(String, String)| -> Option<String> {
        let is_it = |i: &&Instances| i.entity.id.iter().any(|id| id[..] == [key.clone()]);
        let id = vec![(key.clone(), value.clone())];
        let found = data.seen.found.occurring.iter().find(is_it)?;
        let at = data.seen.find(snapshot, &found.entity.name, &id)?;
        let (found, one) = data.seen.get(at)?;
        found.label(snapshot, one)
    };
    let labels: Vec<Option<String>> = of.values().map(called).collect();
    let mut different: Vec<&str> = labels.iter().flatten().map(String::as_str).collect();
    different.sort_unstable();
    different.dedup();
    if different.len() == of.len() {
        return of.into_keys().zip(labels.into_iter().flatten()).collect();
    }
    let (skipped, shown) = cut_of(of.values().map(|pair| pair.1.as_str()).collect());
    let short = |value: &str| value.chars().skip(skipped).take(shown).collect();
    { of.iter() }
        .map(|(part, (_, value))| (*part, short(value)))
        .collect()
}

fn columns(outer: Varies) -> Vec<Column> {
    // Long ids, such as addresses and numbers, differ at their ends.
    let id = Column::text("id").between(4, 40).role(Role::Strong);
    let id = id.cut(Cut::Middle);
    let mut out = vec![id];
    if outer == Varies::Yes {
        out.push(Column::text("of").between(4, 40).role(Role::Muted));
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
    names: &Names,
) -> Option<Row> {
    let (_, one) = data.seen.get(row.at)?;
    let handle = InstanceHandle::new(&data.instance_cache, snapshot, &data.seen, row.at)?;
    let standing = &row.standing;
    let state = standing.state.and_then(|s| all.states.get(usize::from(s)));
    let state = match state {
        Some(state) => {
            let role = match () {
                () if all.entity.failed_states.contains(state) => Role::ErrorText,
                () if row.is_open && all.entity.is_work_item() => Role::WarningText,
                () => Role::Text,
            };
            Cell::Styled(state.clone(), role)
        }
        None => match all.outcome(one, standing) {
            Some(fate @ (Outcome::Failed | Outcome::Lost)) => {
                Cell::Styled(fate.name().to_owned(), Role::ErrorText)
            }
            _ if all.entity.state_key.is_some() => Cell::Unknown,
            Some(fate) => Cell::Text(fate.name().to_owned()),
            None if row.is_open => Cell::Styled("open".to_owned(), Role::Muted),
            None => Cell::Empty,
        },
    };
    let duration = match (standing.duration(), standing.start, row.over) {
        (Some(d), ..) => Cell::Span(d),
        (None, Some(start), Some(end)) if row.is_open => Cell::OpenSpan(end.saturating_sub(start)),
        _ => Cell::Unknown,
    };
    let mut cells = vec![Cell::Text(names.distinguishing.title(all, snapshot, one))];
    if names.distinguishing.outer == Varies::Yes {
        let outer = outer_part(one).and_then(|part| names.outer.get(&part));
        cells.push(outer.map_or(Cell::Unknown, |name| Cell::Text(name.clone())));
    }
    cells.extend([
        handle.label.clone().map_or(Cell::Empty, Cell::Text),
        state,
        duration,
        Cell::Count(row.events),
        Cell::NonZero(row.errors, Role::ErrorText),
        Cell::time(standing.start),
        match standing.end.time() {
            Some(t) => Cell::Time(t),
            None if row.is_open => Cell::Text("open".to_owned()),
            None => Cell::Unknown,
        },
        Cell::Text(format_places(&all.places(snapshot, one))),
    ]);
    Some(Row {
        name: format!("{:?}", handle.id),
        cells,
        action: RowAction::Instance(Box::new(handle)),
        pivots: Vec::new(),
        is_faint: false,
    })
}

/// Name of an instance in the pivot list: `24 wait_for_file`, `1 of 3619e747ac56`.
pub fn pivot_title(snapshot: &Snapshot, all: &Instances, at: InstancePosition) -> Option<String> {
    let one = all.list.get(at.instance)?;
    let number = all.short_name(snapshot, one);
    if let Some(label) = all.label(snapshot, one) {
        // A number alone is ambiguous: the first try of every task has the number 0.
        let distinguishing = all.distinguishing_parts();
        let name = distinguishing.title(all, snapshot, one);
        return Some(format!("{name} {label}"));
    }
    let id = all.id(snapshot, one);
    let outer: Vec<&str> = id.iter().rev().skip(1).map(|p| p.1.as_str()).collect();
    Some(match outer[..] {
        [] => number,
        _ => format!("{number} of {}", outer.join(", ")),
    })
}
