//! Messages of commands without a result: the missing object, and the existing ones.

use widetui_analysis::Instances;
use widetui_core::words::{grouped, several};

use super::args::SelectArgs;
use super::opened::Opened;
use super::output::{Failure, safe};

/// Number of entities in a message.
const NAMED: usize = 12;

/// Message that no event matches the selection; `None` if everything is selected.
pub fn unselected(select: &SelectArgs) -> Option<String> {
    (!select.is_all()).then(|| format!("no event matches {}", as_typed(select)))
}

/// Failure of a command about events: the property that the events lack, and the selection.
pub fn no_event(select: &SelectArgs, lacking: &str) -> Failure {
    let among = match unselected(select) {
        Some(_) => format!(" among those that match {}", as_typed(select)),
        None => String::new(),
    };
    Failure::Absent(format!("{lacking}{among}"))
}

/// Message that no instance has an event that matches the selection.
pub fn no_entity(select: &SelectArgs) -> String {
    format!("no instance matches {}", as_typed(select))
}

/// Failure of a command about an entity: it has no instances, or no selected instance has the property `lacking`, such as
/// `has a state`.
pub fn no_instance(
    opened: &Opened,
    found: &Instances,
    select: &SelectArgs,
    lacking: &str,
) -> Failure {
    let name = safe(&found.entity.name);
    let plural = safe(&found.entity.plural());
    if found.list.is_empty() && found.undecided_events > 0 {
        return Failure::Absent(unassigned(found));
    }
    if found.list.is_empty() {
        let there = entities(opened);
        return Failure::Absent(format!("no {plural} ({name}) in these logs; {there}"));
    }
    let all = grouped(found.list.len() as u64);
    Failure::Absent(match select.is_all() {
        true => format!("none of {all} {plural} ({name}) {lacking}"),
        false => format!(
            "none of {all} {plural} ({name}) {lacking} and matches {}",
            as_typed(select)
        ),
    })
}

/// Message that records name instances of an entity, but not the run that they belong to.
pub fn unassigned(found: &Instances) -> String {
    let n = usize::try_from(found.undecided_events).unwrap_or(usize::MAX);
    let key = found.entity.id.iter().find_map(|id| id.last());
    let key = safe(key.map_or("", String::as_str));
    let (records, name, them) = match n {
        1 => ("1 record".to_owned(), "names", "it"),
        n => (several(n, "record"), "name", "them"),
    };
    let plural = safe(&found.entity.plural());
    format!(
        "{records} {name} {plural} without their run (unassigned); widetui events --where 'has {key}' shows {them}"
    )
}

/// Entities of these logs, in words.
pub fn entities(opened: &Opened) -> String {
    let entities = opened.entities().iter();
    let there: Vec<String> = entities
        .filter(|e| !opened.instances(e).list.is_empty())
        .map(|e| safe(&e.name))
        .collect();
    match there.len() {
        0 => "no definition describes them: `widetui keys` lists the keys of their records, \
              `widetui systems draft` drafts a definition"
            .to_owned(),
        n if n > NAMED => format!(
            "their entities are {} and {} more: `widetui entities` lists them",
            there[..NAMED].join(", "),
            n - NAMED
        ),
        _ => format!("their entities are {}", there.join(", ")),
    }
}

/// Selection as typed.
fn as_typed(select: &SelectArgs) -> String {
    let mut words = Vec::new();
    let options = [
        ("--where", &select.filter),
        ("--since", &select.since),
        ("--until", &select.until),
    ];
    for (name, value) in options {
        words.extend(value.iter().map(|v| format!("{name} '{}'", safe(v))));
    }
    words.extend(select.same.iter().map(|s| format!("--same '{}'", safe(s))));
    if select.unique {
        words.push("--unique".to_owned());
    }
    words.join(" ")
}
