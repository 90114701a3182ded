//! `widetui entities`: the things that a run is about.

use std::io::Write;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::analysis::entity::{Entity, Instance, Instances, Standing, scan};
use crate::analysis::scope::Scope;
use crate::base::cancel::Cancel;
use crate::base::time::format_span;
use crate::export::{csv, jsonl};

use super::args::{Format, SelectArgs};
use super::open::{Opened, selection};
pub use crate::export::sheet::{id_object, id_text, seconds, time};

use super::output::{Align, Failure, count, did_you_mean, safe, stdout, table};

/// The entities of the definitions in force.
pub fn known(opened: &Opened) -> &[Arc<Entity>] {
    &opened.meaning.entities
}

/// The entity with this name, or the title of only one.
///
/// # Errors
/// There is none: names one that is near.
pub fn named(opened: &Opened, name: &str) -> Result<Arc<Entity>, Failure> {
    let all = known(opened);
    let by_title = || {
        let mut found = all.iter().filter(|e| e.title == name);
        found.next().filter(|_| found.next().is_none())
    };
    if let Some(entity) = all.iter().find(|e| e.name == name).or_else(by_title) {
        return Ok(entity.clone());
    }
    let hint = did_you_mean(name, all.iter().map(|e| e.name.as_str()));
    Err(Failure::Message(format!(
        "there is no entity '{name}'{hint}"
    )))
}

/// Lists the entities, or the instances of one.
pub fn print(
    opened: &Opened,
    of: Option<&str>,
    select: &SelectArgs,
    format: Format,
) -> Result<(), Failure> {
    // All events that are asked for count, those in the stretch of time too: a thing is listed that one of them is about.
    let scope = Scope {
        events: selection(opened, select)?,
        ..Scope::default()
    };
    match of {
        Some(name) => instances(opened, &named(opened, name)?, &scope, format),
        None => types(opened, &scope, format),
    }
}

/// All instances of an entity.
pub fn find(opened: &Opened, entity: &Arc<Entity>) -> Instances {
    // Nobody cancels here.
    scan(&opened.snapshot, entity, &Cancel::default()).unwrap_or_else(|| Instances::none(entity))
}

fn types(opened: &Opened, scope: &Scope, format: Format) -> Result<(), Failure> {
    let mut rows: Vec<(Arc<Entity>, usize, u64)> = Vec::new();
    for entity in known(opened) {
        let found = find(opened, entity);
        let n = scope.instances(&found).into_iter().filter(|is_in| *is_in);
        let n = n.count();
        if n > 0 {
            rows.push((entity.clone(), n, found.undecided));
        }
    }
    let mut out = stdout();
    match format {
        Format::Jsonl => {
            for (entity, n, undecided) in &rows {
                let line = json!({"entity": entity.name, "keys": entity.id[0], "instances": n, "undecided": undecided});
                writeln!(out, "{}", jsonl::line(&line))?;
            }
        }
        Format::Csv => {
            writeln!(out, "entity,keys,instances")?;
            for (entity, n, _) in &rows {
                let keys = entity.id[0].join(" ");
                let n = n.to_string();
                writeln!(out, "{}", csv::row([entity.name.as_str(), &keys, &n]))?;
            }
        }
        Format::Text => {
            let cells: Vec<Vec<String>> = rows
                .iter()
                .map(|(e, n, _)| vec![safe(&e.name), safe(&e.id[0].join(", ")), count(*n as u64)])
                .collect();
            let columns = [
                ("entity", Align::Left),
                ("keys", Align::Left),
                ("instances", Align::Right),
            ];
            table(&mut out, &columns, &cells)?;
        }
    }
    out.flush()?;
    if rows.is_empty() {
        Err(Failure::Nothing)
    } else {
        Ok(())
    }
}

fn instances(
    opened: &Opened,
    entity: &Arc<Entity>,
    scope: &Scope,
    format: Format,
) -> Result<(), Failure> {
    let snapshot = &*opened.snapshot;
    let found = find(opened, entity);
    let is_in = scope.instances(&found);
    let chosen = found.list.iter().zip(&is_in).filter(|(_, is_in)| **is_in);
    let chosen: Vec<(&Instance, Standing)> = chosen
        .map(|(i, _)| (i, found.standing(snapshot, i)))
        .collect();
    let mut out = stdout();
    let state = |s: &Standing| {
        s.state
            .and_then(|n| found.states.get(usize::from(n)))
            .cloned()
    };
    let all = || chosen.iter().map(|(i, s)| (*i, s));
    match format {
        Format::Jsonl => {
            for (instance, s) in all() {
                let line = json!({
                    "id": id_object(snapshot, &found.id(snapshot, instance)),
                    "label": found.label(snapshot, instance),
                    "events": found.count(instance),
                    "first": time(instance.range.map(|r| r.0)),
                    "last": time(instance.range.map(|r| r.1)),
                    "state": state(s), "final": s.is_final,
                    "start": time(s.start), "end": time(s.end.time()),
                    "duration_s": seconds(s.duration()),
                    "where": id_object(snapshot, &found.places(snapshot, instance)),
                });
                writeln!(out, "{}", jsonl::line(&line))?;
            }
        }
        Format::Csv => {
            writeln!(out, "id,label,events,state,final,start,end,duration_s")?;
            for (instance, s) in all() {
                let text = |json: Json| json.as_str().unwrap_or_default().to_owned();
                let cells = [
                    id_text(&found, snapshot, instance),
                    found.label(snapshot, instance).unwrap_or_default(),
                    found.count(instance).to_string(),
                    state(s).unwrap_or_default(),
                    s.is_final.to_string(),
                    text(time(s.start)),
                    text(time(s.end.time())),
                    s.duration()
                        .map(|d| (d as f64 / 1e9).to_string())
                        .unwrap_or_default(),
                ];
                writeln!(out, "{}", csv::row(cells.iter().map(String::as_str)))?;
            }
        }
        Format::Text => {
            let mut rows: Vec<(bool, Vec<String>)> = all()
                .map(|(instance, s)| {
                    let places = found.places(snapshot, instance);
                    let places: Vec<&str> = places.iter().map(|p| p.1.as_str()).collect();
                    let cells = vec![
                        safe(&id_text(&found, snapshot, instance)),
                        safe(&found.label(snapshot, instance).unwrap_or_default()),
                        safe(&state(s).unwrap_or_default()),
                        count(found.count(instance) as u64),
                        s.duration().map_or_else(|| "–".to_owned(), format_span),
                        safe(&places.join(" · ")),
                    ];
                    (s.is_final, cells)
                })
                .collect();
            // Unfinished first: they are what one looks for.
            if entity.can_end() {
                rows.sort_by_key(|r| r.0);
            }
            let rows: Vec<Vec<String>> = rows.into_iter().map(|r| r.1).collect();
            let columns = [
                ("id", Align::Left),
                ("label", Align::Left),
                ("state", Align::Left),
                ("events", Align::Right),
                ("duration", Align::Right),
                ("where", Align::Left),
            ];
            table(&mut out, &columns, &rows)?;
            if found.undecided > 0 {
                let n = count(found.undecided);
                writeln!(
                    out,
                    "\n{n} events name a {} of which it is not known whose it is",
                    safe(&entity.title)
                )?;
            }
        }
    }
    out.flush()?;
    if chosen.is_empty() {
        Err(Failure::Nothing)
    } else {
        Ok(())
    }
}
