//! Entity identified by a typed name: `sys.task`, `task`, `tasks`.

use std::sync::Arc;

use widetui_core::nearest::nearest;
use widetui_format::keys::KeysView;
use widetui_query::key_name::{Meant, Unclear, short_for};

use crate::entity::Entity;

/// Whether there can be any: records have all keys of one of its ids.
fn may_be(entity: &Entity, keys: &KeysView) -> bool {
    let is_met = |name: &String| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(|k| k.key.is_met())
    };
    entity.id.iter().any(|id| id.iter().all(is_met))
}

/// Those of which there can be one among records with these keys.
pub fn present<'e>(
    entities: &'e [Arc<Entity>],
    keys: &KeysView,
) -> impl Iterator<Item = &'e Arc<Entity>> {
    entities.iter().filter(move |e| may_be(e, keys))
}

/// The entity with this name; else the only one that there can be and that is called so: by the last part of its name, by
/// its title, or by several of it.
///
/// # Errors
/// Several are called so, or none.
pub fn entity_named(
    entities: &[Arc<Entity>],
    keys: &KeysView,
    typed: &str,
) -> Result<Meant<Arc<Entity>>, Unclear> {
    if let Some(entity) = entities.iter().find(|e| e.name == typed) {
        return Ok(Meant::plainly(entity.clone()));
    }
    let is_called = |e: &&Arc<Entity>| {
        e.name.rsplit('.').next() == Some(typed) || e.title == typed || e.plural() == typed
    };
    let mut called: Vec<&Arc<Entity>> = present(entities, keys).filter(is_called).collect();
    if called.is_empty() {
        // What is not there can still be asked for where only one is known: the answer is that there is none.
        called = entities.iter().filter(is_called).collect();
        called.truncate(usize::from(called.len() == 1));
    }
    match called[..] {
        [one] => Ok(Meant {
            what: one.clone(),
            note: Some(short_for(typed, &one.name)),
        }),
        [] => {
            let there = present(entities, keys).map(|e| e.name.as_str());
            Err(Unclear::Unknown(nearest(typed, there).map(str::to_owned)))
        }
        _ => Err(Unclear::several(called.iter().map(|e| e.name.as_str()))),
    }
}
