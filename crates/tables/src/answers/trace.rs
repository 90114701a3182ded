//! Table of all events of one instance, with the time since its first one and the origin of its id in each.

use crate::role::Role;
use crate::table::{Cell, Column, Row, RowAction, Table};
use widetui_analysis::entity::names::format_places;
use widetui_join::Derivation;
use widetui_session::instance_table::TraceTable;
use widetui_session::record_texts::Place;
use widetui_store::Snapshot;
use widetui_store::display_names::display_names;

pub(super) fn table(snapshot: &Snapshot, data: TraceTable) -> Table {
    let found = data.at.and_then(|at| data.seen.get(at));
    let mut notes: Vec<String> = Vec::new();
    if let Some((all, one)) = found {
        let state = data.standing.and_then(|s| s.state);
        let state = state.and_then(|s| all.states.get(usize::from(s)));
        let since = data.standing.and_then(|s| s.state_since);
        let is_final = data.standing.is_some_and(|s| s.is_final);
        match (state, since, data.over) {
            (Some(state), Some(since), Some(until)) if !is_final => {
                let age = Cell::OpenSpan(until.saturating_sub(since)).text();
                notes.push(format!("{state} {age}"));
            }
            (Some(state), ..) => notes.push(state.clone()),
            _ => {}
        }
        let places = all.places(snapshot, one);
        if !places.is_empty() {
            notes.push(format_places(&places));
        }
    }
    let names = display_names(&snapshot.sources);
    let rows = data
        .steps
        .iter()
        .filter_map(|(step, message)| {
            let event = snapshot.event(step.event)?;
            let source = event.source();
            let role = match event.level() {
                widetui_core::level::Level::Warning => Role::WarningText,
                l if l >= widetui_core::level::Level::Error => Role::ErrorText,
                _ => Role::Text,
            };
            let span = |ns: Option<i64>| ns.map_or(Cell::Unknown, Cell::Span);
            let reason = step.reason(snapshot).into_owned();
            let via = match step.derivation {
                Derivation::Direct => Cell::Styled(reason, Role::Faint),
                _ => Cell::Styled(reason, Role::Origin),
            };
            Some(Row {
                name: step.event.0.to_string(),
                cells: vec![
                    Cell::time(event.time()),
                    span(step.offset),
                    step.delta.map_or(Cell::Empty, Cell::Span),
                    Cell::Source(source.id, names.get(source.id.index())?.clone()),
                    Cell::Level(event.level()),
                    via,
                    Cell::Styled(message.clone(), role),
                ],
                action: RowAction::Event(Place::from_event(&event)),
                ..Row::default()
            })
        })
        .collect();
    Table::new(columns(), rows, "no event is about it any more")
        .with_title(format!("about {}", data.instance.full_name()))
        .with_note(notes.join(" · "))
}

fn columns() -> Vec<Column> {
    vec![
        Column::time("time").rank(2),
        Column::number("from start"),
        Column::number("step").rank(3).role(Role::Delta),
        Column::text("source").between(6, 20).rank(1),
        Column::text("L").between(1, 2).rank(4),
        Column::text("via").between(16, 16).rank(5),
        Column::text("message").between(20, 200).growing(),
    ]
}
