//! `widetui entities`: entities of a run and their instances.

use std::io::Write;
use std::sync::Arc;

use serde_json::Value as Json;

use widetui_analysis::entity::names::format_places;
use widetui_analysis::entity::{Entity, Instance, Instances, Standing};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_report::sheet::Sheet;
use widetui_session::instance_table;
use widetui_store::Snapshot;
use widetui_tables::answers::entities::ENTITIES;
use widetui_tables::schema;
use widetui_time::time::format_span;

use super::args::{EntitiesCommand, Format};
use super::no_result::{entities, no_entity, no_instance, unselected};
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::selection::scope;
use super::sheet::{
    PrintedSheet, SheetCell, cell, hidden, id_object, id_text, left, log_text, number, right,
    seconds, time,
};

/// `widetui entities`.
pub fn run(c: &EntitiesCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    let scope = scope(&opened, &c.select)?;
    match &c.of {
        Some(name) => instances(&opened, &opened.entity(name)?, &scope, c),
        None => list_entities(&opened, &scope, c),
    }
}

/// Mask of the instances in scope: with a selected event, and alive at some moment of the time range.
fn in_scope(opened: &Opened, scope: &AnalysisScope, found: &Instances) -> Vec<bool> {
    let mut is_in = scope.contains_instances(found);
    if scope.window != TimeWindow::default() {
        let ends = RunEnds::for_entity(&opened.snapshot, &found.entity, &Cancel::default());
        let over = |instance| {
            let ends = ends.as_ref();
            ends.map_or(i64::MAX, |e| {
                e.end_for_instance(&opened.snapshot, found, instance)
            })
        };
        for (is_in, instance) in is_in.iter_mut().zip(&found.list) {
            let extent = found.lifetime(&opened.snapshot, instance, || over(instance));
            *is_in &= extent.is_some_and(|(start, end)| scope.window.overlaps(start, end));
        }
    }
    is_in
}

/// Lists the entities with their numbers of instances.
fn list_entities(
    opened: &Opened,
    scope: &AnalysisScope,
    c: &EntitiesCommand,
) -> Result<(), Failure> {
    let in_scope = |found: &Instances| in_scope(opened, scope, found);
    let (things, chosen) = (&opened.meaning.instance_cache, scope.events.as_ref());
    let cancel = Cancel::default();
    let table =
        instance_table::entities(&opened.snapshot, things, chosen, Some(&in_scope), &cancel);
    // A command is never cancelled.
    let rows = table.map(|table| table.rows).unwrap_or_default();
    let sheet = schema::sheet(ENTITIES, &rows, |ns| opened.moment(ns));
    let sheet = PrintedSheet::from(sheet);
    sheet.print(c.run.format, || {
        Failure::Absent(match unselected(&c.select) {
            Some(_) => no_entity(&c.select),
            None => entities(opened),
        })
    })
}

/// Lists the instances of an entity.
fn instances(
    opened: &Opened,
    entity: &Arc<Entity>,
    scope: &AnalysisScope,
    c: &EntitiesCommand,
) -> Result<(), Failure> {
    let (snapshot, format) = (&*opened.snapshot, c.run.format);
    let found = opened.instances(entity);
    let is_in = in_scope(opened, scope, &found);
    let chosen = found.list.iter().zip(&is_in).filter(|(_, is_in)| **is_in);
    let mut chosen: Vec<(&Instance, Standing)> = chosen
        .map(|(i, _)| (i, found.standing(snapshot, i)))
        .collect();
    // Text has unfinished instances first, programs receive the order of starts.
    if format == Format::Text && entity.can_end() {
        chosen.sort_by_key(|(_, s)| s.is_final);
    }
    let sheet = PrintedSheet::from(instance_sheet(snapshot, &found, &chosen));
    sheet.print(format, || {
        no_instance(opened, &found, &c.select, "is in scope")
    })?;
    if format == Format::Text && found.undecided_events > 0 {
        let n = usize::try_from(found.undecided_events).unwrap_or(usize::MAX);
        let events = several(n, "event");
        let title = safe(&entity.title);
        write_out(|out| writeln!(out, "\n{events} without an assigned {title}"))?;
    }
    Ok(())
}

/// Table of instances of an entity.
pub fn instance_sheet(
    snapshot: &Snapshot,
    found: &Instances,
    chosen: &[(&Instance, Standing)],
) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("id", "id"),
        left("label", "label"),
        right("events", "events"),
        hidden("first"),
        hidden("last"),
        left("state", "state"),
        hidden("final"),
        hidden("start"),
        hidden("end"),
        right("duration_s", "duration"),
        left("where", "where"),
    ]);
    let ends = RunEnds::for_entity(snapshot, &found.entity, &Cancel::default());
    for (instance, standing) in chosen {
        let end = ends.as_ref();
        let end = end.map(|ends| ends.end_for_instance(snapshot, found, instance));
        sheet.push(row(snapshot, found, instance, standing, end));
    }
    sheet
}

fn row(
    snapshot: &Snapshot,
    found: &Instances,
    instance: &Instance,
    standing: &Standing,
    end: Option<i64>,
) -> Vec<SheetCell> {
    let id = id_object(snapshot, &found.id(snapshot, instance));
    let label = found.label(snapshot, instance);
    let state = standing
        .state
        .and_then(|n| found.states.get(usize::from(n)));
    let places = found.places(snapshot, instance);
    let optional = |text: Option<&str>| text.map_or(cell(Json::Null, ""), log_text);
    vec![
        cell(id, safe(&id_text(found, snapshot, instance))),
        optional(label.as_deref()),
        number(found.event_count(instance) as u64),
        cell(time(instance.range.map(|r| r.0)), ""),
        cell(time(instance.range.map(|r| r.1)), ""),
        optional(state.map(String::as_str)),
        cell(standing.is_final, ""),
        cell(time(standing.start), ""),
        cell(time(standing.end.time()), ""),
        cell(seconds(standing.duration()), lasted(found, standing, end)),
        cell(id_object(snapshot, &places), safe(&format_places(&places))),
    ]
}

/// Duration of an instance; with `+` the time up to `end`, the end of its run, for an unfinished one. UTC ns.
fn lasted(found: &Instances, standing: &Standing, end: Option<i64>) -> String {
    let is_open = found.entity.can_end() && !standing.is_final;
    match (standing.duration(), standing.start.zip(end)) {
        (Some(ns), _) => format_span(ns),
        (None, Some((start, end))) if is_open => {
            format!("{}+", format_span(end.saturating_sub(start)))
        }
        _ => "–".to_owned(),
    }
}
