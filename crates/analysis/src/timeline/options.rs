//! Options of a timeline: its rows and colours.

use std::sync::Arc;

use crate::columns::EventProperty;
use crate::entity::Entity;
use crate::resources::resources_of;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;

/// Meaning of the colour of bars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// State, with one bar for each; the outcome for entities without states.
    #[default]
    State,
    /// Label of the instance, such as the name of an app.
    Label,
    /// Property of the instance's events (a key, source or level); the first value counts.
    By(EventProperty),
}

/// Keys whose values name the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// Keys whose values name a row; empty if each instance is a row.
    pub keys: Vec<KeyId>,
}

impl Grouping {
    /// Groups by the innermost resource of an entity that the data has; returns that resource, too.
    /// `None` without one.
    pub fn innermost<'e>(
        snapshot: &Snapshot,
        entity: &Entity,
        all: &'e [Arc<Entity>],
    ) -> Option<(&'e Arc<Entity>, Grouping)> {
        let candidates = resources_of(entity, all).into_iter().rev();
        let mut known = candidates.filter_map(|c| Some((c, Grouping::by_entity(snapshot, c)?)));
        known.next()
    }

    /// Groups by another entity: by the keys of its first id that occurs. `None` if none occurs.
    pub fn by_entity(snapshot: &Snapshot, entity: &Entity) -> Option<Grouping> {
        let keys = |id: &Vec<String>| -> Option<Vec<KeyId>> {
            id.iter().map(|k| snapshot.catalog.keys.find(k)).collect()
        };
        let mut known = entity.id.iter().filter_map(keys);
        known.next().map(|keys| Grouping { keys })
    }
}
