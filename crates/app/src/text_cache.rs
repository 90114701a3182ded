//! Cache of record texts that were read from the logs for display.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_session::record_texts::{Place, Record};

/// Cached record texts, by record.
#[derive(Clone, Debug, Default)]
pub struct TextCache {
    map: FxHashMap<Place, Arc<Record>>,
}

/// Capacity in records; a screen shows a few hundred at most.
const MAX_TEXTS: usize = 4096;

impl TextCache {
    /// Cached record, if any.
    pub fn get(&self, place: Place) -> Option<&Arc<Record>> {
        self.map.get(&place)
    }

    /// Removes records whose text has changed.
    pub(crate) fn forget(&mut self, places: &[Place]) {
        for place in places {
            self.map.remove(place);
        }
    }

    /// Adds records that were read.
    pub(crate) fn add(&mut self, fetched: Vec<(Place, Arc<Record>)>) {
        if self.map.len() > MAX_TEXTS {
            self.map.clear();
        }
        self.map.extend(fetched);
    }
}
