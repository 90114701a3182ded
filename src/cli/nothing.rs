//! A command that has nothing to print says what it did not find, and what there is instead.

use widetui_analysis::Instances;
use widetui_core::words::{grouped, several};

use super::args::SelectArgs;
use super::opened::Opened;
use super::output::{Failure, safe};

/// Names of entities that are told.
const NAMED: usize = 12;

/// That no event fits the selection; `None` where none was asked for.
pub fn unselected(select: &SelectArgs) -> Option<String> {
    (!select.is_all()).then(|| format!("no event fits {}", as_typed(select)))
}

/// That a command has nothing to print of these events: because there are none, else what they lack.
pub fn no_event(select: &SelectArgs, lacking: &str) -> Failure {
    let among = match unselected(select) {
        Some(_) => format!(" among those that fit {}", as_typed(select)),
        None => String::new(),
    };
    Failure::Absent(format!("{lacking}{among}"))
}

/// That nothing has an event that fits the selection.
pub fn no_thing(select: &SelectArgs) -> String {
    format!("nothing is there that fits {}", as_typed(select))
}

/// That a command has nothing to print of an entity: there is none of it, else all that fit the selection `lack` something, as in
/// `has a state`.
pub fn no_instance(
    opened: &Opened,
    found: &Instances,
    select: &SelectArgs,
    lacking: &str,
) -> Failure {
    let name = safe(&found.entity.name);
    let plural = safe(&found.entity.plural());
    if found.list.is_empty() && found.undecided > 0 {
        return Failure::Absent(of_nobody(found));
    }
    if found.list.is_empty() {
        let there = things(opened);
        return Failure::Absent(format!(
            "there are no {plural} ({name}) in these logs; {there}"
        ));
    }
    let all = grouped(found.list.len() as u64);
    Failure::Absent(match select.is_all() {
        true => format!("none of {all} {plural} ({name}) {lacking}"),
        false => format!(
            "none of {all} {plural} ({name}) {lacking} and fits {}",
            as_typed(select)
        ),
    })
}

/// That records name some of an entity, and none says whose they are.
pub fn of_nobody(found: &Instances) -> String {
    let n = usize::try_from(found.undecided).unwrap_or(usize::MAX);
    let key = found.entity.id.iter().find_map(|id| id.last());
    let key = safe(key.map_or("", String::as_str));
    let (one, name, whose, it) = match n {
        1 => ("1 record".to_owned(), "names", "it was", "it"),
        n => (several(n, "record"), "name", "they were", "them"),
    };
    let plural = safe(&found.entity.plural());
    format!(
        "{one} {name} {plural} without saying in which run {whose}; widetui events --where 'has {key}' shows {it}"
    )
}

/// What these logs are about, as far as definitions tell.
pub fn things(opened: &Opened) -> String {
    let entities = opened.entities().iter();
    let there: Vec<String> = entities
        .filter(|e| !opened.instances(e).list.is_empty())
        .map(|e| safe(&e.name))
        .collect();
    match there.len() {
        0 => "no definition knows what they are about: `widetui keys` lists what their records have, \
              `widetui systems draft` makes a definition"
            .to_owned(),
        n if n > NAMED => format!(
            "they are about {} and {} more: `widetui entities` lists them",
            there[..NAMED].join(", "),
            n - NAMED
        ),
        _ => format!("they are about {}", there.join(", ")),
    }
}

/// The selection, as it was typed.
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
