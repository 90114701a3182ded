//! Options of a timeline: its rows and colours.

use std::sync::Arc;

use crate::columns::By;
use crate::entity::Entity;
use crate::resources::carriers_of;
use widetui_core::ids::KeyId;
use widetui_store::Snapshot;

/// What a bar's colour says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The state: a bar for each. Of an entity without states how it ended.
    #[default]
    State,
    /// What the instance is: its label, the name of an app for one.
    Label,
    /// The value of a key, a source, a level: the first that the instance's events name.
    By(By),
}

/// What the rows are: the keys whose values name a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// The keys; none: each instance is a row of its own.
    pub keys: Vec<KeyId>,
}

impl Grouping {
    /// By the innermost of what carries an entity, as far as the data knows of it; with that carrier. `None`: of none.
    pub fn innermost<'e>(
        snapshot: &Snapshot,
        entity: &Entity,
        all: &'e [Arc<Entity>],
    ) -> Option<(&'e Arc<Entity>, Grouping)> {
        let carriers = carriers_of(entity, all).into_iter().rev();
        let mut known = carriers.filter_map(|c| Some((c, Grouping::by_entity(snapshot, c)?)));
        known.next()
    }

    /// By another entity: the keys of the longest of its ids that the data has. `None`: it has none of them.
    pub fn by_entity(snapshot: &Snapshot, entity: &Entity) -> Option<Grouping> {
        let keys = |id: &Vec<String>| -> Option<Vec<KeyId>> {
            id.iter().map(|k| snapshot.catalog.keys.find(k)).collect()
        };
        let mut known = entity.id.iter().filter_map(keys);
        known.next().map(|keys| Grouping { keys })
    }
}
