//! Which kind of thing a view is about when nobody said, and how its instances are named.

use std::sync::Arc;

use crate::analysis::entity::{Instance, scan};
use crate::analysis::{Entity, Instances};
use crate::base::cancel::Cancel;
use crate::query::{Expr, Field};
use crate::store::Snapshot;
use crate::workspace::selection::Step;

/// The instances of the entity of this name, or of the first one that has some in the order that `rank` says (0: not at
/// all, else the less the better). `Some(None)`: there are none; `None`: cancelled.
pub(super) fn instances(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    name: Option<&str>,
    rank: fn(&Entity) -> u8,
    cancel: &Cancel,
) -> Option<Option<Instances>> {
    let mut order: Vec<(u8, &Arc<Entity>)> = match name {
        Some(name) => entities
            .iter()
            .filter(|e| e.name == name)
            .map(|e| (1, e))
            .collect(),
        None => entities.iter().map(|e| (rank(e), e)).collect(),
    };
    order.retain(|(rank, _)| *rank > 0);
    order.sort_by_key(|(rank, _)| *rank);
    for (_, entity) in order {
        // Without one of its ids in the data there is nothing to look for.
        let keys = &snapshot.catalog.keys;
        let occurs = |id: &Vec<String>| id.iter().all(|key| keys.find(key).is_some());
        if !entity.id.iter().any(occurs) {
            continue;
        }
        let found = scan(snapshot, entity, cancel)?;
        if !found.list.is_empty() {
            return Some(Some(found));
        }
    }
    Some(None)
}

/// What users wait for comes first.
pub(super) fn goals(entity: &Entity) -> u8 {
    match (entity.is_goal(), entity.can_end()) {
        (true, true) => 1,
        (true, false) => 2,
        (false, true) => 3,
        (false, false) => 4,
    }
}

/// Things with states.
pub(super) fn with_states(entity: &Entity) -> u8 {
    let has = entity.state.is_some() || !entity.transitions.is_empty();
    if has { goals(entity) } else { 0 }
}

/// Things whose start and end are said, and where they run; else those that end at all.
pub(super) fn with_length(entity: &Entity) -> u8 {
    let is_said = entity.start.is_some() && entity.end.is_some();
    match (is_said && !entity.runs_in.is_empty(), entity.can_end()) {
        (true, _) => 1,
        (false, true) => 1 + goals(entity),
        (false, false) => 0,
    }
}

/// What an instance is called: `task 24`, `task 24 try 0`.
pub fn title_of(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> String {
    let id = instances.id(snapshot, instance);
    let mut title = String::new();
    // What the first key of three names is the same for most; the others are needed to say which one is meant.
    if id.len() > 2 {
        for (key, value) in &id[1..id.len() - 1] {
            let word = key.rsplit('.').next().unwrap_or(key);
            title.push_str(&format!("{word} {value} "));
        }
    }
    let number = instances.number(snapshot, instance);
    format!("{title}{} {number}", instances.entity.title)
}

/// The step that selects the events of an instance.
pub fn step_of(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> Step {
    let id = instances.id(snapshot, instance);
    ids_step(title_of(snapshot, instances, instance), &id)
}

/// The step that selects events with these keys and values.
pub fn ids_step(label: String, id: &[(String, String)]) -> Step {
    let equals = id
        .iter()
        .map(|(key, value)| Expr::equals(Field::Key(key.clone()), value.as_str()));
    Step {
        label,
        expr: Expr::all_of(equals),
        thing: None,
    }
}
