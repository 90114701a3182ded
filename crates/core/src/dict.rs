//! Dictionary encoding of values.
//!
//! A `Code` stands for one value of one key. A small non-negative integer in plain spelling *is* its own code and needs
//! no table (task ids, line numbers, pids); any other value is an entry of the key's `Dict`, marked by the top bit. An
//! entry stores the original spelling and the code of the canonical form, so that `03` is shown as written and equals
//! `3`.
//!
//! A `Dict` is append-only: writers add under a lock, readers take a `Frozen` copy of the chunk pointers and never
//! lock.

use std::hash::BuildHasher;
use std::sync::{Arc, RwLock};

use hashbrown::{DefaultHashBuilder, HashTable};
use rustc_hash::FxHashMap;

use super::lock;

/// Code of one value of one key (see the module documentation); [`NONE`] means "no value".
pub type Code = u32;

/// Code for "no value".
pub const NONE: Code = u32::MAX;

/// Bit that marks a code as a dictionary entry.
pub const ENTRY: Code = 1 << 31;

/// Largest integer that is its own code.
pub const MAX_DIRECT: u32 = ENTRY - 1;

const CHUNK: usize = 1024;

/// Maximum number of entries: the last two codes are [`NONE`] and that of values that are not stored.
const MAX_ENTRIES: u32 = MAX_DIRECT - 1;

/// Returns the code of an integer in plain spelling (digits without a leading zero, at most 2^31-1), else `None`.
#[inline]
pub fn direct(bytes: &[u8]) -> Option<Code> {
    if matches!(bytes, [] | [b'0', _, ..]) || bytes.len() > 10 {
        return None;
    }
    let mut n: u64 = 0;
    for &b in bytes {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        n = n * 10 + u64::from(digit);
    }
    Code::try_from(n).ok().filter(|code| *code <= MAX_DIRECT)
}

#[derive(Clone, Debug, Default)]
struct Chunk {
    text: String,
    ends: Vec<u32>,
    canonical: Vec<Code>,
}

impl Chunk {
    #[inline]
    fn get(&self, i: usize) -> Option<&str> {
        let end = *self.ends.get(i)? as usize;
        let start = match i.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.text.get(start..end)
    }
}

#[derive(Debug, Default)]
struct Inner {
    chunks: Vec<Arc<Chunk>>,
    tail: Chunk,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Inner {
    fn len(&self) -> usize {
        self.chunks.len() * CHUNK + self.tail.ends.len()
    }

    fn text(&self, entry: u32) -> &str {
        let (chunk, i) = (entry as usize / CHUNK, entry as usize % CHUNK);
        match self.chunks.get(chunk) {
            Some(full) => full.get(i),
            None => self.tail.get(i),
        }
        .unwrap_or("")
    }

    fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |&e| self.text(e) == text).copied()
    }

    fn push(&mut self, text: &str, canonical: Option<Code>) -> Code {
        let end = u32::try_from(self.tail.text.len() + text.len());
        let (entry, end) = match (u32::try_from(self.len()), end) {
            (Ok(entry), Ok(end)) if entry < MAX_ENTRIES => (entry, end),
            _ => return NONE,
        };
        let code = ENTRY | entry;
        self.tail.text.push_str(text);
        self.tail.ends.push(end);
        self.tail.canonical.push(canonical.unwrap_or(code));
        if self.tail.ends.len() == CHUNK {
            let mut full = std::mem::take(&mut self.tail);
            full.text.shrink_to_fit();
            self.chunks.push(Arc::new(full));
        }
        let hash = self.hasher.hash_one(text);
        let Inner {
            chunks,
            tail,
            table,
            hasher,
        } = self;
        table.insert_unique(hash, entry, |&e| {
            let (chunk, i) = (e as usize / CHUNK, e as usize % CHUNK);
            let text = match chunks.get(chunk) {
                Some(full) => full.get(i),
                None => tail.get(i),
            };
            hasher.hash_one(text.unwrap_or(""))
        });
        code
    }
}

/// Append-only dictionary of one key, shared by loader threads.
#[derive(Debug, Default)]
pub struct Dict {
    inner: RwLock<Inner>,
}

impl Dict {
    /// Returns the code of a spelling and adds it if new. `canonical` is called for new spellings only and returns the
    /// canonical form, or `None` if the spelling is canonical. The code is [`NONE`] if there are already 2^31 - 2 entries.
    pub fn intern(&self, text: &str, canonical: impl FnOnce(&str) -> Option<String>) -> Code {
        if let Some(entry) = lock::read(&self.inner).find(text) {
            return ENTRY | entry;
        }
        let mut inner = lock::write(&self.inner);
        if let Some(entry) = inner.find(text) {
            return ENTRY | entry;
        }
        let canonical = canonical(text).map(|form| match direct(form.as_bytes()) {
            Some(code) => code,
            None => match inner.find(&form) {
                Some(entry) => ENTRY | entry,
                None => inner.push(&form, None),
            },
        });
        inner.push(text, canonical)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        lock::read(&self.inner).len()
    }

    /// Whether the dictionary has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a read-only copy without the entries added later.
    pub fn freeze(&self) -> Frozen {
        let inner = lock::read(&self.inner);
        let mut chunks = inner.chunks.clone();
        if !inner.tail.ends.is_empty() {
            chunks.push(Arc::new(inner.tail.clone()));
        }
        Frozen {
            chunks: chunks.into(),
        }
    }

    /// Approximate heap use in bytes.
    pub fn bytes(&self) -> usize {
        let inner = lock::read(&self.inner);
        let chunk =
            |c: &Chunk| c.text.capacity() + 4 * (c.ends.capacity() + c.canonical.capacity());
        inner.chunks.iter().map(|c| chunk(c)).sum::<usize>()
            + chunk(&inner.tail)
            + 5 * inner.table.capacity()
    }
}

/// Read-only copy of a `Dict`.
#[derive(Clone, Debug, Default)]
pub struct Frozen {
    chunks: Arc<[Arc<Chunk>]>,
}

impl Frozen {
    /// Spelling of a dictionary entry; `None` for integers that are their own code and for unknown codes.
    #[inline]
    pub fn entry(&self, code: Code) -> Option<&str> {
        if code < ENTRY || code == NONE {
            return None;
        }
        let entry = (code & !ENTRY) as usize;
        self.chunks.get(entry / CHUNK)?.get(entry % CHUNK)
    }

    /// Maps each canonical code that was read in other spellings to the first of those spellings in alphabetical order:
    /// the spelling to show where only the canonical code is known.
    pub fn usual(&self) -> FxHashMap<Code, Code> {
        let mut usual: FxHashMap<Code, Code> = FxHashMap::default();
        let all = self.chunks.iter().flat_map(|chunk| &chunk.canonical);
        let entries = (ENTRY..NONE).zip(all.copied());
        for (code, canonical) in entries.filter(|(code, canonical)| code != canonical) {
            let known = usual.entry(canonical).or_insert(code);
            if self.entry(code) < self.entry(*known) {
                *known = code;
            }
        }
        usual
    }

    /// Returns the code of the canonical form of a value.
    #[inline]
    pub fn canonical(&self, code: Code) -> Code {
        if code < ENTRY || code == NONE {
            return code;
        }
        let entry = (code & !ENTRY) as usize;
        self.chunks
            .get(entry / CHUNK)
            .and_then(|c| c.canonical.get(entry % CHUNK))
            .copied()
            .unwrap_or(code)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, full)) => full.len() * CHUNK + last.ends.len(),
            None => 0,
        }
    }

    /// Whether the copy has no entries.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Iterates over all entries with their codes, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (Code, &str)> {
        let codes = (ENTRY..NONE).take(self.len());
        codes.filter_map(|code| Some((code, self.entry(code)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_integers_are_their_own_code() {
        assert_eq!(direct(b"0"), Some(0));
        assert_eq!(direct(b"2147483647"), Some(MAX_DIRECT));
        assert_eq!(direct(b"2147483648"), None);
        for other in [&b""[..], b"007", b"-1", b"1.5", b"4x", b"99999999999"] {
            assert_eq!(direct(other), None);
        }
    }

    #[test]
    fn a_thread_that_panics_does_not_lose_values() {
        let dict = Dict::default();
        let a = dict.intern("a", |_| None);
        let broken = std::thread::scope(|scope| {
            let work = || dict.intern("b", |_| panic!("of a test"));
            scope.spawn(work).join()
        });
        assert!(broken.is_err() && dict.inner.is_poisoned());
        assert_eq!(dict.intern("a", |_| None), a);
        let c = dict.intern("c", |_| None);
        assert_eq!(dict.freeze().entry(c), Some("c"));
    }

    #[test]
    fn entries_keep_their_spelling_and_know_their_canonical_form() {
        let dict = Dict::default();
        let padded = dict.intern("03", |_| Some("3".into()));
        let a = dict.intern("A-B", |_| Some("ab".into()));
        let b = dict.intern("ab", |_| None);
        assert_eq!(dict.intern("03", |_| unreachable!()), padded);
        let frozen = dict.freeze();
        assert_eq!(frozen.canonical(padded), 3);
        assert_eq!(frozen.entry(padded), Some("03"));
        assert_eq!(frozen.canonical(a), frozen.canonical(b));
        for i in 0..5000 {
            dict.intern(&format!("x{i}"), |_| None);
        }
        assert_eq!(frozen.len(), 3, "a frozen copy does not grow");
        let later = dict.freeze();
        assert_eq!(later.len(), 5003);
        assert!(
            later
                .iter()
                .all(|(code, text)| dict.intern(text, |_| None) == code)
        );
    }
}
