//! Table of the instances of an entity: name, state, place, start, end, records.

use rustc_hash::FxHashMap;

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::natural::natural;
use crate::table::{Cell, Column, Cut, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::entity::names::{DistinguishingParts, Varies, format_places};
use widetui_analysis::entity::{Instance, Instances, Outcome};
use widetui_core::dict::Code;
use widetui_core::words::{plural, several};
use widetui_report::sheet::{id_object, id_text};
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
    let names = Names::new(snapshot, &data, instances);
    let outer = names.distinguishing.outer;
    let seen = |row: &InstanceRow| {
        let range = instances.list.get(row.at.instance)?.range?;
        Some(range.1.saturating_sub(range.0))
    };
    let is_news = |row: &InstanceRow| row.standing.duration() != seen(row);
    let schema = match data.rows.iter().any(is_news) {
        true => self::instances(outer),
        false => self::instances(outer).without("seen_s"),
    };
    let rank = |row: &InstanceRow| (!row.has_failed, !row.is_open);
    let mut rows: Vec<((bool, bool), Row)> = lines(snapshot, &data, instances, &names)
        .filter_map(|line| Some((rank(line.row), row(&schema, &data, &line)?)))
        .collect();
    // Failed and unfinished instances come first, as in the output of the command; then natural order of names.
    rows.sort_by_cached_key(|(rank, row)| {
        let text = |at: usize| row.cells.get(at).map_or(String::new(), Cell::text);
        let outer = match outer {
            Varies::Yes => text(1),
            Varies::No => String::new(),
        };
        (*rank, natural(&text(0)), natural(&outer))
    });
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let open = data.rows.iter().filter(|r| r.is_open).count();
    let failed = data.rows.iter().filter(|r| r.has_failed).count();
    let counts = [(failed, "failed"), (open, "unfinished")];
    let counts = counts.into_iter().filter(|(n, _)| *n > 0);
    let mut notes: Vec<String> = counts
        .map(|(n, how)| format!("{} {how}", grouped(n as u64)))
        .collect();
    if notes.is_empty() && instances.entity.can_end() {
        notes.push("all ended".to_owned());
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
    let table = Table::new(schema.columns(), rows, empty_text)
        .with_title(plural(&instances.entity.title))
        .with_note(notes.join(" · "));
    match failed + open {
        0 => table.with_order(0, false),
        _ => table,
    }
}

/// Displayed names of instances.
pub struct Names {
    distinguishing: DistinguishingParts,
    /// Name of each outermost value of an id, as short as is unique.
    outer: FxHashMap<OuterPart, String>,
}

impl Names {
    /// Names of the instances of an entity that are listed.
    pub fn new(snapshot: &Snapshot, data: &InstanceTable, instances: &Instances) -> Names {
        let at = data.rows.iter().map(|r| r.at.instance);
        let shown = at.filter_map(|at| instances.list.get(at));
        Names {
            distinguishing: DistinguishingParts::compare(instances, shown),
            outer: outer_names(snapshot, data, instances),
        }
    }
}

/// Instance, as a row of the table of instances.
pub struct InstanceLine<'a> {
    snapshot: &'a Snapshot,
    all: &'a Instances,
    one: &'a Instance,
    row: &'a InstanceRow,
    names: &'a Names,
}

/// Rows of the table of instances.
pub fn lines<'a>(
    snapshot: &'a Snapshot,
    data: &'a InstanceTable,
    all: &'a Instances,
    names: &'a Names,
) -> impl Iterator<Item = InstanceLine<'a>> {
    data.rows.iter().filter_map(move |row| {
        Some(InstanceLine {
            snapshot,
            all,
            one: all.list.get(row.at.instance)?,
            row,
            names,
        })
    })
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
    let called = |(key, value): &(String, String)| data.seen.label_of(snapshot, key, value);
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

type Col<'a> = SchemaColumn<InstanceLine<'a>>;

/// Columns of the instances of an entity, on the screen and in the output of `widetui entities --of`; with a column for the
/// outermost part of ids on the screen, if it varies.
pub fn instances<'a>(outer: Varies) -> Schema<InstanceLine<'a>> {
    // Long ids, such as addresses and numbers, differ at their ends.
    let id = Column::text("id").between(4, 40).role(Role::Strong);
    let mut columns = vec![
        Col::object("id", |line| {
            id_object(line.snapshot, &line.all.id(line.snapshot, line.one))
        })
        .in_text(),
        Col::drawn(id.cut(Cut::Middle), |line| {
            let names = &line.names.distinguishing;
            Cell::Text(names.title(line.all, line.snapshot, line.one))
        }),
    ];
    if outer == Varies::Yes {
        let of = Column::text("of").between(4, 40).role(Role::Muted);
        columns.push(Col::drawn(of, |line| {
            let outer = outer_part(line.one).and_then(|part| line.names.outer.get(&part));
            outer.map_or(Cell::Unknown, |name| Cell::Text(name.clone()))
        }));
    }
    columns.extend([
        Col::text("label", |line| line.all.label(line.snapshot, line.one))
            .heading("what")
            .layout(|c| c.between(8, 32)),
        Col::text("state", |line| state_name(line).cloned())
            .cell(state)
            .layout(|c| c.between(6, 20)),
        Col::flag("final", |line| line.row.standing.is_final).hidden(),
        Col::duration("duration_s", |line| line.row.standing.duration())
            .heading("duration")
            .cell(
                |line| match (line.row.standing.duration(), line.row.standing.start) {
                    (Some(ns), _) => Cell::Span(ns),
                    (None, Some(start)) => match line.row.over {
                        Some(end) => Cell::OpenSpan(end.saturating_sub(start)),
                        None => Cell::Unknown,
                    },
                    _ => Cell::Unknown,
                },
            ),
        Col::count("events", |line| line.row.events).layout(|c| c.rank(1)),
        Col::count("errors", |line| line.row.errors)
            .style(|_| Role::ErrorText)
            .layout(|c| c.rank(2)),
        // The only duration of instances whose start or end no definition states.
        Col::duration("seen_s", |line| {
            line.one
                .range
                .map(|(first, last)| last.saturating_sub(first))
        })
        .heading("seen")
        .layout(|c| c.rank(3)),
        Col::time("first", |line| line.one.range.map(|r| r.0)).hidden(),
        Col::time("last", |line| line.one.range.map(|r| r.1)).hidden(),
        Col::time("start", |line| line.row.standing.start)
            .layout(|c| c.rank(3))
            .on_screen(),
        Col::time("end", |line| line.row.standing.end.time())
            .cell(|line| match line.row.standing.end.time() {
                Some(t) => Cell::Time(t),
                None if line.row.is_open => Cell::Text("open".to_owned()),
                None => Cell::Unknown,
            })
            .layout(|c| c.rank(5))
            .on_screen(),
        Col::object("where", |line| {
            id_object(line.snapshot, &line.all.places(line.snapshot, line.one))
        })
        .cell(|line| Cell::Text(format_places(&line.all.places(line.snapshot, line.one))))
        .layout(|c| c.between(12, 110).rank(4).role(Role::Muted)),
    ]);
    Schema::from(columns)
}

/// Columns of the instances of all entities, in a store. Their names are no words of SQL.
pub fn stored_instances<'a>() -> Schema<InstanceLine<'a>> {
    Schema::from(vec![
        Col::text("entity", |line| line.all.entity.name.clone()),
        Col::text("id", |line| id_text(line.all, line.snapshot, line.one)),
        Col::text("label", |line| line.all.label(line.snapshot, line.one)),
        Col::text("state", |line| state_name(line).cloned()),
        Col::flag("is_final", |line| line.row.standing.is_final),
        Col::time("started", |line| line.row.standing.start),
        Col::time("ended", |line| line.row.standing.end.time()),
        Col::duration("duration_s", |line| line.row.standing.duration()),
        Col::time("first_seen", |line| line.one.range.map(|r| r.0)),
        Col::time("last_seen", |line| line.one.range.map(|r| r.1)),
        Col::count("events", |line| line.row.events),
        Col::count("errors", |line| line.row.errors),
        Col::object("keys", |line| {
            let places = line.all.places(line.snapshot, line.one);
            let id = line.all.id(line.snapshot, line.one);
            id_object(line.snapshot, &[places, id].concat())
        }),
    ])
}

fn state_name<'a>(line: &InstanceLine<'a>) -> Option<&'a String> {
    let state = line.row.standing.state;
    state.and_then(|s| line.all.states.get(usize::from(s)))
}

/// Cell of the state of an instance, or of its outcome.
fn state(line: &InstanceLine<'_>) -> Cell {
    let (all, row) = (line.all, line.row);
    match state_name(line) {
        Some(state) => {
            let role = match () {
                () if all.entity.failed_states.contains(state) => Role::ErrorText,
                () if row.is_open && all.entity.is_work_item() => Role::WarningText,
                () => Role::Text,
            };
            Cell::Styled(state.clone(), role)
        }
        None => match all.outcome(line.one, &row.standing) {
            Some(fate @ (Outcome::Failed | Outcome::Lost)) => {
                Cell::Styled(fate.name().to_owned(), Role::ErrorText)
            }
            _ if all.entity.state_key.is_some() => Cell::Unknown,
            Some(fate) => Cell::Text(fate.name().to_owned()),
            None if row.is_open => Cell::Styled("open".to_owned(), Role::Muted),
            None => Cell::Empty,
        },
    }
}

fn row<'a>(
    schema: &Schema<InstanceLine<'a>>,
    data: &InstanceTable,
    line: &InstanceLine<'a>,
) -> Option<Row> {
    let at = line.row.at;
    let handle = InstanceHandle::new(&data.instance_cache, line.snapshot, &data.seen, at)?;
    let row = Row::new(format!("{:?}", handle.id), schema.cells(line));
    Some(row.with_action(RowAction::Instance(Box::new(handle))))
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
