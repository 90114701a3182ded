//! Lookup of an entity by a typed name: `sys.task`, `task`, `tasks`.

use std::sync::Arc;

use widetui_core::nearest::nearest;
use widetui_format::catalog::keys::KeysView;
use widetui_query::key_resolution::{ResolvedName, UnresolvedName, expansion_note};

use crate::entity::Entity;

/// Whether instances of an entity can occur: records have all keys of one of its ids.
fn can_occur(entity: &Entity, keys: &KeysView) -> bool {
    let is_met = |name: &String| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(|k| k.key.is_present())
    };
    entity.id.iter().any(|id| id.iter().all(is_met))
}

/// Entities that can have instances in records with these keys.
pub fn occurring<'e>(
    entities: &'e [Arc<Entity>],
    keys: &KeysView,
) -> impl Iterator<Item = &'e Arc<Entity>> {
    entities.iter().filter(move |e| can_occur(e, keys))
}

/// Finds an entity by its full name, or else the only entity that can occur and has the typed short
/// name: the last part of its name, its title, or the plural of its title.
///
/// # Errors
/// If several entities match, or none.
pub fn find_entity(
    entities: &[Arc<Entity>],
    keys: &KeysView,
    typed_name: &str,
) -> Result<ResolvedName<Arc<Entity>>, UnresolvedName> {
    if let Some(entity) = entities.iter().find(|e| e.name == typed_name) {
        return Ok(ResolvedName::exact(entity.clone()));
    }
    let matches_name = |e: &&Arc<Entity>| {
        e.name.rsplit('.').next() == Some(typed_name)
            || e.title == typed_name
            || e.plural() == typed_name
    };
    let mut matching: Vec<&Arc<Entity>> = occurring(entities, keys).filter(matches_name).collect();
    if matching.is_empty() {
        // An entity that does not occur can be named if it is the only match; the result is empty
        // then.
        matching = entities.iter().filter(matches_name).collect();
        matching.truncate(usize::from(matching.len() == 1));
    }
    match matching[..] {
        [one] => Ok(ResolvedName {
            item: one.clone(),
            note: Some(expansion_note(typed_name, &one.name)),
        }),
        [] => {
            let there = occurring(entities, keys).map(|e| e.name.as_str());
            Err(UnresolvedName::Unknown(
                nearest(typed_name, there).map(str::to_owned),
            ))
        }
        _ => Err(UnresolvedName::ambiguous(
            matching.iter().map(|e| e.name.as_str()),
        )),
    }
}
