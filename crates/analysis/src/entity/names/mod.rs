//! Names of keys, entities and instances: the meaning of a typed name, and the displayed name of an instance.
//!
//! | typed | resolved by | to |
//! |---|---|---|
//! | `sys.task`, `task`, `log.worker` | [`Names::key`] | full name of a key of the records |
//! | `sys.task`, `task`, `tasks` | [`Names::entity`] | entity |
//! | `task=24`, `run=000,task=24`, `task 24` | [`Names::instances`] | entity and query for its instances |
//!
//! A short name resolves to the only candidate that occurs in the records, with a note for the user; an ambiguous name
//! is an error with the candidates, an unknown one with the most similar name ([`UnresolvedName`]).
//!
//! | displayed | by |
//! |---|---|
//! | `24` | [`Instances::short_name`]: within its entity and run |
//! | `29 try 0` | [`DistinguishingParts::title`]: among instances of its entity |
//! | `task 29 try 0` | [`Instances::title`]: within its run |
//! | `worker 1, block 0` | [`format_places`] |

mod display;
mod id_keys;
mod instance_query;

use std::sync::Arc;

use widetui_core::nearest::nearest;
use widetui_core::words::last_part;
use widetui_format::catalog::keys::KeysView;
use widetui_query::key_resolution::expansion_note;
use widetui_query::resolve_key_name;

use crate::entity::Entity;
#[cfg(doc)]
use crate::entity::Instances;

pub use display::{DistinguishingParts, Varies, differing_parts, format_places, short_pair};
pub use instance_query::{InstanceQuery, InstanceQueryError};
pub use widetui_query::key_resolution::{ResolvedName, UnresolvedName};

/// Names of a run: its entities and keys.
#[derive(Clone, Copy, Debug)]
pub struct Names<'r> {
    entities: &'r [Arc<Entity>],
    keys: &'r KeysView,
}

/// Whether instances of an entity can occur: records have all keys of one of its ids.
fn can_occur(entity: &Entity, keys: &KeysView) -> bool {
    let is_met = |name: &String| {
        let key = keys.find(name).and_then(|id| keys.get(id));
        key.is_some_and(|k| k.key.is_present())
    };
    entity.id.iter().any(|id| id.iter().all(is_met))
}

impl<'r> Names<'r> {
    /// Names of these entities and of the keys of a run.
    pub fn new(entities: &'r [Arc<Entity>], keys: &'r KeysView) -> Names<'r> {
        Names { entities, keys }
    }

    /// Entities that can have instances in the records.
    fn occurring(self) -> impl Iterator<Item = &'r Arc<Entity>> {
        let keys = self.keys;
        self.entities.iter().filter(move |e| can_occur(e, keys))
    }

    /// Resolves a name to a key or a pseudo-key, by the rules of expressions.
    ///
    /// # Errors
    /// If several keys match, or none.
    pub fn key(self, typed: &str) -> Result<ResolvedName<String>, UnresolvedName> {
        resolve_key_name(self.keys, typed)
    }

    /// Resolves a name to an entity: its full name, or else the short name of the only entity that
    /// can occur: the last part of its name, its title, or the plural of its title.
    ///
    /// # Errors
    /// If several entities match, or none.
    pub fn entity(self, typed: &str) -> Result<ResolvedName<Arc<Entity>>, UnresolvedName> {
        if let Some(entity) = self.entities.iter().find(|e| e.name == typed) {
            return Ok(ResolvedName::exact(entity.clone()));
        }
        let matches_name = |e: &&Arc<Entity>| {
            last_part(&e.name) == typed || e.title == typed || e.plural() == typed
        };
        let mut matching: Vec<&Arc<Entity>> = self.occurring().filter(matches_name).collect();
        if matching.is_empty() {
            // An entity that does not occur can be named if it is the only match; the result is
            // empty then.
            matching = self.entities.iter().filter(matches_name).collect();
            matching.truncate(usize::from(matching.len() == 1));
        }
        match matching[..] {
            [one] => Ok(ResolvedName {
                item: one.clone(),
                note: Some(expansion_note(typed, &one.name)),
            }),
            [] => {
                let there = self.occurring().map(|e| e.name.as_str());
                Err(UnresolvedName::Unknown(
                    nearest(typed, there).map(str::to_owned),
                ))
            }
            _ => Err(UnresolvedName::ambiguous(
                matching.iter().map(|e| e.name.as_str()),
            )),
        }
    }
}
