//! `widetui entities`: entities of a run and their instances.

use std::io::Write;
use std::sync::Arc;

use widetui_analysis::entity::names::Varies;
use widetui_analysis::entity::{Entity, Instances};
use widetui_analysis::runs::RunEnds;
use widetui_analysis::scope::{AnalysisScope, TimeWindow};
use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_session::instance_table;
use widetui_tables::answers::entities;
use widetui_tables::answers::instances::{self as answers, Names};

use super::args::{EntitiesCommand, Format};
use super::no_result::{self, no_entity, no_instance, unselected};
use super::open;
use super::opened::Opened;
use super::output::{Failure, safe, write_out};
use super::selection::scope;

/// `widetui entities`.
pub fn run(c: &EntitiesCommand) -> Result<(), Failure> {
    let opened = open::load_run(&c.run)?;
    let scope = scope(&opened, &c.select)?;
    match c.entity.given() {
        Some(name) => instances(&opened, &opened.entity(name)?, &scope, c),
        None => list_entities(&opened, &scope, c),
    }
}

/// Mask of the instances in scope: with a selected event, and alive at some moment of the time range.
fn in_scope(opened: &Opened, scope: &AnalysisScope, found: &Instances) -> Vec<bool> {
    let mut is_in = scope.contains_instances(&opened.snapshot, found);
    if scope.window != TimeWindow::default() {
        let ends = RunEnds::of(&opened.snapshot, [&found.entity], &Cancel::default());
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
    let sheet = opened.sheet(&entities::entities(), &rows);
    sheet.print(c.run.format, || {
        Failure::Absent(match unselected(&c.select) {
            Some(_) => no_entity(&c.select),
            None => no_result::entities(opened),
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
    let (snapshot, format, cancel) = (&*opened.snapshot, c.run.format, Cancel::default());
    let in_scope = |found: &Instances| in_scope(opened, scope, found);
    let (things, name) = (&opened.meaning.instance_cache, &entity.name);
    let table = instance_table::instances(snapshot, things, name, None, Some(&in_scope), &cancel);
    // A command is never cancelled.
    let Some(mut table) = table else {
        return Ok(());
    };
    // Text has unfinished instances first, programs receive the order of starts.
    if format != Format::Text {
        table.rows.sort_by_key(|row| row.at.instance);
    }
    let unlisted;
    let found = match table
        .entity
        .and_then(|at| table.seen.found.occurring.get(at))
    {
        Some(found) => found,
        None => {
            unlisted = opened.instances(entity);
            &unlisted
        }
    };
    let names = Names::new(snapshot, &table, found);
    let lines = answers::lines(snapshot, &table, found, &names);
    let sheet = opened.sheet(&answers::instances(Varies::No), lines);
    sheet.print(format, || {
        no_instance(opened, found, &c.select, "is in scope")
    })?;
    if format == Format::Text && found.undecided_events > 0 {
        let n = usize::try_from(found.undecided_events).unwrap_or(usize::MAX);
        let events = several(n, "event");
        let title = safe(&entity.title);
        write_out(|out| writeln!(out, "\n{events} without an assigned {title}"))?;
    }
    Ok(())
}
