//! `widetui entities`: the things that a run is about.

use std::io::Write;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::analysis::entity::place::in_words;
use crate::analysis::entity::{Entity, Instance, Instances, Standing, scan};
use crate::analysis::scope::{AnalysisScope, TimeWindow};
use crate::base::cancel::Cancel;
use crate::base::time::format_span;
use crate::base::words::several;
pub use crate::export::sheet::{id_object, id_text, seconds, time};
use crate::store::Snapshot;

use super::args::{EntitiesCommand, Format, SelectArgs};
use super::asked::scope;
use super::naming;
use super::nothing::{no_instance, no_thing, things, unselected};
use super::open::{self, Opened};
use super::output::{Failure, safe, stdout};
use super::sheet::{PrintedSheet, SheetCell, cell, hidden, left, number, right, words};

/// The entities of the definitions in force.
pub fn known(opened: &Opened) -> &[Arc<Entity>] {
    &opened.meaning.entities
}

/// The entity with this name, or the only one that is called so.
///
/// # Errors
/// There is none, or several: names them, or one that is near.
pub fn named(opened: &Opened, name: &str) -> Result<Arc<Entity>, Failure> {
    naming::entity(opened, name)
}

/// `widetui entities`.
pub fn run(c: &EntitiesCommand) -> Result<(), Failure> {
    print(
        &open::run(&c.run)?,
        c.of.as_deref(),
        &c.select,
        c.run.format,
    )
}

/// Lists the entities, or the instances of one.
fn print(
    opened: &Opened,
    of: Option<&str>,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let scope = scope(opened, select)?;
    match of {
        Some(name) => instances(opened, &named(opened, name)?, (&scope, select), format),
        None => types(opened, &scope, select, format),
    }
}

/// For each instance whether it is asked for: one of its events is, and it was there in the stretch of time, whether or not
/// it wrote anything then.
fn asked(opened: &Opened, scope: &AnalysisScope, found: &Instances) -> Vec<bool> {
    let mut is_in = scope.instances(found);
    if scope.window != TimeWindow::default() {
        for (is_in, instance) in is_in.iter_mut().zip(&found.list) {
            let extent = found.extent(&opened.snapshot, instance);
            *is_in &= extent.is_some_and(|(start, end)| scope.window.touches(start, end));
        }
    }
    is_in
}

/// All instances of an entity.
pub fn find(opened: &Opened, entity: &Arc<Entity>) -> Instances {
    // Nobody cancels here.
    scan(&opened.snapshot, entity, &Cancel::default()).unwrap_or_else(|| Instances::none(entity))
}

fn types(
    opened: &Opened,
    scope: &AnalysisScope,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    let mut rows: Vec<(Arc<Entity>, usize, u64)> = Vec::new();
    for entity in known(opened) {
        let found = find(opened, entity);
        let n = asked(opened, scope, &found);
        let n = n.into_iter().filter(|is_in| *is_in).count();
        if n > 0 {
            rows.push((entity.clone(), n, found.undecided));
        }
    }
    let mut sheet = PrintedSheet::new(vec![
        left("entity", "entity"),
        left("keys", "keys"),
        right("instances", "instances"),
        hidden("undecided"),
    ]);
    for (entity, n, undecided) in rows {
        let occurs = |key: &str| opened.snapshot.catalog.keys.find(key).is_some();
        let keys = entity.identifying(occurs).to_vec();
        let shown = safe(&keys.join(", "));
        sheet.push(vec![
            words(&entity.name),
            cell(keys, shown),
            number(n as u64),
            number(undecided),
        ]);
    }
    sheet.print(format, || {
        Failure::Absent(match unselected(select) {
            Some(_) => no_thing(select),
            None => things(opened),
        })
    })
}

fn instances(
    opened: &Opened,
    entity: &Arc<Entity>,
    (scope, select): (&AnalysisScope, &SelectArgs),
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let found = find(opened, entity);
    let is_in = asked(opened, scope, &found);
    let chosen = found.list.iter().zip(&is_in).filter(|(_, is_in)| **is_in);
    let mut chosen: Vec<(&Instance, Standing)> = chosen
        .map(|(i, _)| (i, found.standing(snapshot, i)))
        .collect();
    // Unfinished first for people: they are what one looks for. Programs get them as they began.
    if format == Format::Text && entity.can_end() {
        chosen.sort_by_key(|(_, s)| s.is_final);
    }
    let mut sheet = PrintedSheet::new(vec![
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
    for (instance, standing) in &chosen {
        sheet.push(row(snapshot, &found, instance, standing));
    }
    sheet.print(format, || no_instance(opened, &found, select, "is there"))?;
    if format == Format::Text && found.undecided > 0 {
        let n = usize::try_from(found.undecided).unwrap_or(usize::MAX);
        let events = several(n, "event");
        let title = safe(&entity.title);
        let mut out = stdout();
        writeln!(
            out,
            "\n{events} of which it is not known to which {title} they belong"
        )?;
        out.flush()?;
    }
    Ok(())
}

fn row(
    snapshot: &Snapshot,
    found: &Instances,
    instance: &Instance,
    standing: &Standing,
) -> Vec<SheetCell> {
    let id = id_object(snapshot, &found.id(snapshot, instance));
    let label = found.label(snapshot, instance);
    let state = standing
        .state
        .and_then(|n| found.states.get(usize::from(n)));
    let places = found.places(snapshot, instance);
    let optional = |text: Option<&str>| text.map_or(cell(Json::Null, ""), words);
    vec![
        cell(id, safe(&id_text(found, snapshot, instance))),
        optional(label.as_deref()),
        number(found.count(instance) as u64),
        cell(time(instance.range.map(|r| r.0)), ""),
        cell(time(instance.range.map(|r| r.1)), ""),
        optional(state.map(String::as_str)),
        cell(standing.is_final, ""),
        cell(time(standing.start), ""),
        cell(time(standing.end.time()), ""),
        cell(
            seconds(standing.duration()),
            lasted(snapshot, found, standing),
        ),
        cell(id_object(snapshot, &places), safe(&in_words(&places))),
    ]
}

/// How long it took; how long it is what it is, up to the end of the data, for what has not ended.
fn lasted(snapshot: &Snapshot, found: &Instances, standing: &Standing) -> String {
    let is_open = found.entity.can_end() && !standing.is_final;
    let end = snapshot.range().map(|r| r.1);
    match (standing.duration(), standing.start.zip(end)) {
        (Some(ns), _) => format_span(ns),
        (None, Some((start, end))) if is_open => {
            format!("{}+", format_span(end.saturating_sub(start)))
        }
        _ => "–".to_owned(),
    }
}
