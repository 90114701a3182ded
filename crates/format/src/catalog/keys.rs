//! The keys of a run: names, types, dictionaries.
//!
//! A key exists from the moment a definition, a layout, a JSON record or a mined template names it. Its type decides
//! the canonical form in which its values are compared; the original spelling is what is shown.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

use rustc_hash::FxHashMap;

use widetui_core::dict::{self, Code, Dict, Frozen, NONE};
use widetui_core::ids::KeyId;
use widetui_core::lock;
use widetui_definition::key_type::KeyType;
use widetui_definition::syntax::KeyDef;

/// Names of keys that say who wrote a record, rather than what it is about, in the order in which they are shown.
pub const WRITER: &[&str] = &[
    "logger",
    "component",
    "subsystem",
    "module",
    "file",
    "line",
    "func",
    "host",
    "hostname",
    "process",
    "process_name",
    "pid",
    "thread",
    "thread_name",
    "thread_id",
    "tid",
];

/// One key: its name, its type and its dictionary. Shared by loaders and readers.
#[derive(Debug)]
pub struct Key {
    /// Index in the table.
    pub id: KeyId,
    /// Dotted name, prefixed by its system: `parsl.task`.
    pub name: Box<str>,
    /// How its values compare.
    pub kind: KeyType,
    /// Whether a definition says that its values identify things (and are therefore always stored).
    pub identifier: bool,
    /// Whether a definition says what it is; else it is a field that records have by themselves.
    defined: bool,
    /// Whether its values are always stored, as near-unique as they may be.
    kept: bool,
    /// The key that each host has of whose list this key's value is.
    hosts: Option<Box<str>>,
    /// Word before the value in short lists (`task 24`); the last part of the name when a definition gives none.
    pub label: Box<str>,
    /// Values are not stored but read again from the text when asked for (near-unique or long ones).
    deferred: AtomicBool,
    /// Some values were not stored: they were too long, or too many in one record.
    lacking: AtomicBool,
    /// Values looked up in the dictionary so far and those that were new, to find the near-unique ones.
    calls: AtomicU32,
    /// Whether anything that was read has it: definitions know many that a run does not have.
    met: AtomicBool,
    dict: Dict,
}

/// Values that are longer than this are not stored, bytes, unless their key is always stored.
pub const MAX_STORED: usize = 120;

/// Values that are longer than this are never stored, bytes.
pub const MAX_KEPT: usize = 4096;

impl Key {
    /// Whether its values, when they are numbers, can be an amount of something: what names a thing, a thread or a line
    /// has no median.
    pub fn can_measure(&self) -> bool {
        let last = self.name.rsplit('.').next().unwrap_or(&self.name);
        let names = WRITER.contains(&last)
            || ["id", "rowid", "lineno"].contains(&last)
            || last.ends_with("_id");
        self.kind != KeyType::Text && !self.identifier && !names
    }

    /// Whether a definition says what it is; else it is a field that records have by themselves.
    pub fn is_defined(&self) -> bool {
        self.defined
    }

    /// Whether people may mean it by a short name: the last part of its own, or its label.
    pub fn is_called(&self, name: &str) -> bool {
        let last = self.name.rsplit('.').next();
        last == Some(name) || &*self.label == name
    }

    /// The code of a value's spelling; adds it to the dictionary when new.
    pub fn code(&self, text: &str) -> Code {
        if self.kind != KeyType::Bool
            && let Some(code) = dict::direct(text.as_bytes())
        {
            return code;
        }
        self.dict.intern(text, |t| self.kind.canonical(t))
    }

    /// Something that was read has this key.
    pub fn meet(&self) {
        self.met.store(true, Ordering::Relaxed);
    }

    /// Whether anything that was read has this key.
    pub fn is_met(&self) -> bool {
        self.met.load(Ordering::Relaxed)
    }

    /// Whether its values are always stored, as near-unique as they may be: they name things, or joins go by them.
    pub(crate) fn is_kept(&self) -> bool {
        self.identifier || self.kept || self.kind == KeyType::Uuid
    }

    /// Values that are longer than this are not stored, bytes.
    #[inline]
    pub fn longest(&self) -> usize {
        if self.is_kept() { MAX_KEPT } else { MAX_STORED }
    }

    /// A value was not stored.
    #[inline]
    pub(crate) fn lack(&self) {
        // Written once only: loader threads share it.
        if !self.lacking.load(Ordering::Relaxed) {
            self.lacking.store(true, Ordering::Relaxed);
        }
    }

    /// Whether some values are in the text only, so that neither joins nor entities go by them.
    pub fn lacks_values(&self) -> bool {
        self.is_deferred() || self.lacking.load(Ordering::Relaxed)
    }

    /// Whether values are read on demand instead of stored.
    pub fn is_deferred(&self) -> bool {
        self.deferred.load(Ordering::Relaxed)
    }

    /// From now on read values on demand.
    pub(crate) fn defer(&self) {
        self.deferred.store(true, Ordering::Relaxed);
    }

    /// Counts values; tells the key to defer when nearly all of many were new, unless they identify things.
    pub(crate) fn note_use(&self, values: u32) {
        let calls = self
            .calls
            .fetch_add(values, Ordering::Relaxed)
            .saturating_add(values);
        let distinct = self.dict.len() as u32;
        if !self.is_kept() && distinct > 8192 && distinct > calls / 2 {
            self.defer();
        }
    }

    /// A reader's copy of the dictionary.
    pub fn freeze(&self) -> Frozen {
        self.dict.freeze()
    }
}

/// What a definition says about a key before any value was seen.
#[derive(Clone, Debug, Default)]
pub struct KeySpec {
    /// Type.
    pub kind: KeyType,
    /// Values identify things.
    pub identifier: bool,
    /// Values are always stored, however many there are.
    pub kept: bool,
    /// Its values are lists of hosts, each of which is a value of this key.
    pub hosts: Option<String>,
    /// Short label.
    pub label: Option<String>,
    /// Read values on demand, never store them.
    pub deferred: bool,
}

impl From<&KeyDef> for KeySpec {
    fn from(def: &KeyDef) -> KeySpec {
        KeySpec {
            kind: def.kind,
            identifier: def.identifier,
            kept: def.stored,
            hosts: def.hosts.as_ref().map(|h| h.get_ref().clone()),
            label: def.label.clone(),
            deferred: def.deferred,
        }
    }
}

/// All keys of a run. Append-only; shared by all loader threads.
#[derive(Debug, Default)]
pub struct Keys {
    inner: RwLock<KeysInner>,
}

#[derive(Debug, Default)]
struct KeysInner {
    list: Vec<Arc<Key>>,
    by_name: FxHashMap<Box<str>, KeyId>,
    specs: FxHashMap<String, KeySpec>,
    aliases: FxHashMap<String, String>,
    /// Names of keys whose values are always stored.
    kept: HashSet<String>,
}

/// No run may create more keys than this; what a hostile record names beyond them stands in its text only, which is told.
const MAX_KEYS: usize = 20_000;

impl Keys {
    /// Says what is known of a key and its other spellings, before it is used.
    pub fn define(&self, name: &str, spec: KeySpec, aliases: &[String]) {
        let mut inner = lock::write(&self.inner);
        for alias in aliases {
            inner.aliases.insert(alias.clone(), name.to_owned());
        }
        inner.specs.insert(name.to_owned(), spec);
    }

    /// From now on, keys that are made under these names or aliases always store their values.
    pub(crate) fn keep<'n>(&self, names: impl IntoIterator<Item = &'n str>) {
        let mut inner = lock::write(&self.inner);
        for name in names {
            let name = inner.aliases.get(name).map_or(name, String::as_str);
            let name = name.to_owned();
            inner.kept.insert(name);
        }
    }

    /// The key of this name or alias, if it exists.
    pub fn find(&self, name: &str) -> Option<Arc<Key>> {
        let inner = lock::read(&self.inner);
        let name = inner.aliases.get(name).map_or(name, String::as_str);
        let id = inner.by_name.get(name)?;
        inner.list.get(id.index()).cloned()
    }

    /// The key of this name or alias, made when it is new; `None` when there are too many keys.
    pub fn get(&self, name: &str) -> Option<Arc<Key>> {
        if let Some(key) = self.find(name) {
            return Some(key);
        }
        let mut inner = lock::write(&self.inner);
        let name = inner
            .aliases
            .get(name)
            .cloned()
            .unwrap_or_else(|| name.to_owned());
        if let Some(id) = inner.by_name.get(name.as_str()) {
            return inner.list.get(id.index()).cloned();
        }
        if inner.list.len() >= MAX_KEYS {
            return None;
        }
        let id = KeyId(inner.list.len() as u16);
        let defined = inner.specs.contains_key(&name);
        let spec = inner.specs.get(&name).cloned().unwrap_or_default();
        let kept = spec.kept || inner.kept.contains(&name);
        let label = spec
            .label
            .unwrap_or_else(|| name.rsplit('.').next().unwrap_or(&name).replace('_', " "));
        let key = Arc::new(Key {
            id,
            name: name.as_str().into(),
            kind: spec.kind,
            identifier: spec.identifier,
            defined,
            kept,
            hosts: spec.hosts.map(Into::into),
            label: label.into(),
            deferred: AtomicBool::new(spec.deferred && !kept),
            lacking: AtomicBool::new(false),
            calls: AtomicU32::new(0),
            met: AtomicBool::new(false),
            dict: Dict::default(),
        });
        inner.by_name.insert(name.into(), id);
        inner.list.push(key.clone());
        Some(key)
    }

    /// The key that each host has of whose list this key's value is.
    pub(crate) fn hosts_of(&self, key: &Key) -> Option<Arc<Key>> {
        self.get(key.hosts.as_deref()?)
    }

    /// The key with this number.
    pub fn by_id(&self, id: KeyId) -> Option<Arc<Key>> {
        lock::read(&self.inner).list.get(id.index()).cloned()
    }

    /// A reader's copy.
    pub fn freeze(&self) -> KeysView {
        let inner = lock::read(&self.inner);
        KeysView {
            keys: inner
                .list
                .iter()
                .map(|key| KeyView {
                    key: key.clone(),
                    dict: key.freeze(),
                })
                .collect(),
            by_name: Arc::new(inner.by_name.clone()),
            aliases: Arc::new(inner.aliases.clone()),
        }
    }

    /// Heap bytes in use, about.
    pub(crate) fn bytes(&self) -> usize {
        let inner = lock::read(&self.inner);
        inner.list.iter().map(|k| k.dict.bytes() + 200).sum()
    }
}

/// A reader's copy of one key.
#[derive(Clone, Debug)]
pub struct KeyView {
    /// The key.
    pub key: Arc<Key>,
    /// Its dictionary at the time of the copy.
    pub dict: Frozen,
}

impl KeyView {
    /// The original spelling of a code's value; `None` for `NONE`.
    pub fn spelling(&self, code: Code) -> Option<String> {
        if code == NONE {
            None
        } else if code < dict::ENTRY {
            Some(code.to_string())
        } else {
            self.dict.entry(code).map(str::to_owned)
        }
    }
}

/// A reader's copy of all keys.
#[derive(Clone, Debug, Default)]
pub struct KeysView {
    keys: Arc<[KeyView]>,
    by_name: Arc<FxHashMap<Box<str>, KeyId>>,
    aliases: Arc<FxHashMap<String, String>>,
}

impl KeysView {
    /// The key with this number.
    pub fn get(&self, id: KeyId) -> Option<&KeyView> {
        self.keys.get(id.index())
    }

    /// The number of the key of this name or alias.
    pub fn find(&self, name: &str) -> Option<KeyId> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.by_name.get(name).copied()
    }

    /// Name of a key; empty for an unknown number.
    pub fn name(&self, id: KeyId) -> &str {
        self.get(id).map_or("", |k| &k.key.name)
    }

    /// All keys, in the order in which they were met.
    pub fn iter(&self) -> impl Iterator<Item = &KeyView> {
        self.keys.iter()
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

#[cfg(test)]
mod tests;
