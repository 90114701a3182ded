//! Texts of records that were read again for the screen.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_session::record_texts::{Place, Record};

/// Texts read again, by where their records stand.
#[derive(Clone, Debug, Default)]
pub struct TextCache {
    map: FxHashMap<Place, Arc<Record>>,
}

/// Records kept; a screen shows at most a few hundred.
const MAX_TEXTS: usize = 4096;

impl TextCache {
    /// A record, when it was read.
    pub fn get(&self, place: Place) -> Option<&Arc<Record>> {
        self.map.get(&place)
    }

    /// Forgets records whose text is not what it was.
    pub fn forget(&mut self, places: &[Place]) {
        for place in places {
            self.map.remove(place);
        }
    }

    /// Adds what was read.
    pub fn add(&mut self, fetched: Vec<(Place, Arc<Record>)>) {
        if self.map.len() > MAX_TEXTS {
            self.map.clear();
        }
        self.map.extend(fetched);
    }
}
