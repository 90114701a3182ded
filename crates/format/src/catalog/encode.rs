//! Converts spellings to codes. Each encoder has its own cache, so that loader threads rarely contend for a dictionary.

use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

use widetui_core::bytes::equal;
use widetui_core::dict::{self, Code, NONE};

use crate::catalog::keys::Key;
use widetui_definition::key_type::KeyType;

/// Code of a value that exists but is not stored: it is read from the text on demand.
pub const DEFER: Code = NONE - 1;

/// Maximum number of cached spellings; a full cache is cleared.
const MAX_CACHED: usize = 1 << 16;

#[derive(Debug, Default)]
struct KeyCache {
    key: Option<Arc<Key>>,
    last: Vec<u8>,
    last_code: Code,
    table: HashTable<(Box<[u8]>, Code)>,
    uses: u32,
}

/// Dictionaries as seen by one loader thread.
#[derive(Default)]
pub struct Encoder {
    caches: Vec<KeyCache>,
    hasher: FxBuildHasher,
}

impl Encoder {
    /// Code of a value's bytes; `DEFER` if the values of the key are not stored or this one is too long.
    #[inline]
    pub(crate) fn code(&mut self, key: &Arc<Key>, bytes: &[u8]) -> Code {
        if key.kind != KeyType::Bool
            && let Some(code) = dict::direct(bytes)
        {
            return code;
        }
        self.entry(key, bytes)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "there is a cache for each key up to this one"
    )]
    fn entry(&mut self, key: &Arc<Key>, bytes: &[u8]) -> Code {
        if bytes.len() > key.longest() || key.is_deferred() {
            key.note_unstored();
            return DEFER;
        }
        let index = key.id.index();
        if self.caches.len() <= index {
            self.caches.resize_with(index + 1, KeyCache::default);
        }
        let cache = &mut self.caches[index];
        if equal(&cache.last, bytes) && cache.key.is_some() {
            return cache.last_code;
        }
        let hash = self.hasher.hash_one(bytes);
        let code = match cache.table.find(hash, |(text, _)| **text == *bytes) {
            Some((_, code)) => *code,
            None => {
                cache.uses += 1;
                if cache.uses.is_multiple_of(1024) {
                    key.note_use(1024);
                }
                if cache.table.len() >= MAX_CACHED {
                    cache.table.clear();
                }
                let code = key.code(&String::from_utf8_lossy(bytes));
                let hasher = &self.hasher;
                cache
                    .table
                    .insert_unique(hash, (bytes.into(), code), |(text, _)| {
                        hasher.hash_one(&**text)
                    });
                code
            }
        };
        cache.key.get_or_insert_with(|| key.clone());
        cache.last.clear();
        cache.last.extend_from_slice(bytes);
        cache.last_code = code;
        code
    }
}
