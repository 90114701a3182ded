//! Keys of a run: names, types, dictionaries.
//!
//! A key exists from the moment a definition, a layout, a JSON record or a mined template names it. Its type decides the
//! canonical form in which values are compared; the original spelling is displayed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::FxHashMap;

use widetui_core::dict::{self, Code, Dict, Frozen, NONE};
use widetui_core::ids::KeyId;
use widetui_core::lock;
use widetui_core::words::{last_part, name_words};
use widetui_definition::key_type::KeyType;
use widetui_definition::syntax::KeyDef;

/// Names of keys that identify the writer of a record (and not its subject), in display order.
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

/// Key with its name, type and dictionary. Shared by loaders and readers.
#[derive(Debug)]
pub struct Key {
    /// Index in the table.
    pub id: KeyId,
    /// Dotted name, prefixed with its system: `parsl.task`.
    pub name: Box<str>,
    /// Type, which decides how values compare.
    pub kind: KeyType,
    /// Whether a definition declares that its values identify entities (and are therefore always stored).
    pub identifier: bool,
    /// Whether a definition declares the key; false for a field that only records name.
    defined: bool,
    /// Whether its values are always stored, even if nearly all are distinct.
    always_stored: bool,
    /// Name of the key of a single host, if the values of this key are host lists.
    hosts: Option<Box<str>>,
    /// Name of the key of its identity space, under which records with a value have it, too.
    space: Option<Box<str>>,
    /// Word before the value in short lists (`task 24`); the last part of the name if no definition gives one.
    pub label: Box<str>,
    /// Values are not stored but read from the text on demand (nearly all distinct, or long).
    deferred: AtomicBool,
    /// Some values were not stored: too long, or too many in one record.
    has_unstored: AtomicBool,
    /// Number of values looked up in the dictionary so far; compared with the number of distinct ones to find high
    /// cardinality.
    calls: AtomicU32,
    /// Whether any record, path or context has the key; definitions declare many keys that a run does not use.
    present: AtomicBool,
    dict: Dict,
}

/// Maximum size of a stored value, bytes, unless the key is always stored.
pub const MAX_STORED: usize = 120;

/// Maximum size of a stored value of a key that is always stored, bytes.
pub const MAX_ALWAYS_STORED: usize = 4096;

impl Key {
    /// Whether its numeric values can be measurements. An identifier, a thread number or a line number has no median.
    pub fn can_measure(&self) -> bool {
        let last = last_part(&self.name);
        let names = WRITER.contains(&last)
            || ["id", "rowid", "lineno"].contains(&last)
            || last.ends_with("_id");
        !matches!(self.kind, KeyType::Text | KeyType::Path) && !self.identifier && !names
    }

    /// Whether a definition declares the key; false for a field that only records name.
    pub fn is_defined(&self) -> bool {
        self.defined
    }

    /// True if records with the key have its values under `name`, too, the key of its space.
    pub fn is_in_space(&self, name: &str) -> bool {
        self.space.as_deref() == Some(name)
    }

    /// Whether `name` is a short name of the key: the last part of its name, or its label.
    pub fn has_short_name(&self, name: &str) -> bool {
        last_part(&self.name) == name || &*self.label == name
    }

    /// Value as all outputs show it: whole numbers without zeros in front, all else as it was written.
    pub(crate) fn shown<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        let is_number = self.kind == KeyType::Int && dict::direct(text.as_bytes()).is_none();
        let number = is_number.then(|| text.trim().parse::<i64>().ok()).flatten();
        number.map_or(text, |number| number.to_string().into())
    }

    /// Code of a value's spelling; adds it to the dictionary if new.
    pub fn code(&self, text: &str) -> Code {
        if self.kind != KeyType::Bool
            && let Some(code) = dict::direct(text.as_bytes())
        {
            return code;
        }
        self.dict.intern(text, |t| self.kind.canonical(t))
    }

    /// Marks the key as present in the data.
    pub fn mark_present(&self) {
        self.present.store(true, Ordering::Relaxed);
    }

    /// Whether the key is present in the data.
    pub fn is_present(&self) -> bool {
        self.present.load(Ordering::Relaxed)
    }

    /// Whether its values are always stored, even if nearly all are distinct: identifiers, and keys that joins use.
    pub(crate) fn is_always_stored(&self) -> bool {
        self.identifier || self.always_stored || matches!(self.kind, KeyType::Uuid | KeyType::Path)
    }

    /// Maximum size of a stored value, bytes.
    #[inline]
    pub fn longest(&self) -> usize {
        if self.is_always_stored() {
            MAX_ALWAYS_STORED
        } else {
            MAX_STORED
        }
    }

    /// Notes that a value was not stored.
    #[inline]
    pub(crate) fn note_unstored(&self) {
        // Stored only once, because loader threads share the cache line.
        if !self.has_unstored.load(Ordering::Relaxed) {
            self.has_unstored.store(true, Ordering::Relaxed);
        }
    }

    /// Whether some values exist only in the text, so that neither joins nor entities can use the key.
    pub fn has_unstored_values(&self) -> bool {
        self.is_deferred() || self.has_unstored.load(Ordering::Relaxed)
    }

    /// Whether values are read on demand instead of stored.
    pub fn is_deferred(&self) -> bool {
        self.deferred.load(Ordering::Relaxed)
    }

    /// Stops storing values; from now on they are read on demand.
    pub(crate) fn defer(&self) {
        self.deferred.store(true, Ordering::Relaxed);
    }

    /// Counts values, and defers the key if it has many and nearly all are distinct, unless its values are always
    /// stored.
    pub(crate) fn note_use(&self, values: u32) {
        let calls = self
            .calls
            .fetch_add(values, Ordering::Relaxed)
            .saturating_add(values);
        let distinct = u32::try_from(self.dict.len()).unwrap_or(u32::MAX);
        if !self.is_always_stored() && distinct > 8192 && distinct > calls / 2 {
            self.defer();
        }
    }

    /// Immutable snapshot of the dictionary.
    pub fn freeze(&self) -> Frozen {
        self.dict.freeze()
    }
}

/// Properties of a key that a definition declares before any value is read.
#[derive(Clone, Debug, Default)]
pub struct KeySpec {
    /// Type.
    pub kind: KeyType,
    /// Values identify entities.
    pub identifier: bool,
    /// Values are always stored, however many there are.
    pub always_stored: bool,
    /// Key of a single host, if the values are host lists.
    pub hosts: Option<String>,
    /// Key of its identity space, under which records with a value have it, too.
    pub space: Option<String>,
    /// Short label.
    pub label: Option<String>,
    /// Values are read on demand and never stored.
    pub deferred: bool,
}

impl From<&KeyDef> for KeySpec {
    fn from(def: &KeyDef) -> KeySpec {
        KeySpec {
            kind: def.kind,
            identifier: def.identifier,
            always_stored: def.stored,
            hosts: def.hosts.as_ref().map(|h| h.get_ref().clone()),
            space: def.space.clone().filter(|_| def.is_member()),
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
    always_stored: HashSet<String>,
}

/// Maximum number of keys of a run. Further fields of a hostile source remain in the text only, and the source reports
/// this.
const MAX_KEYS: usize = 20_000;

impl Keys {
    /// Declares a key and its aliases before it is used.
    pub fn define(&self, name: &str, spec: KeySpec, aliases: &[String]) {
        let mut inner = lock::write(&self.inner);
        for alias in aliases {
            inner.aliases.insert(alias.clone(), name.to_owned());
        }
        inner.specs.insert(name.to_owned(), spec);
    }

    /// Sets keys to be created later under these names or aliases to always store their values.
    pub(crate) fn store_always<'n>(&self, names: impl IntoIterator<Item = &'n str>) {
        let mut inner = lock::write(&self.inner);
        for name in names {
            let name = inner.aliases.get(name).map_or(name, String::as_str);
            let name = name.to_owned();
            inner.always_stored.insert(name);
        }
    }

    /// Key with this name or alias, if it exists.
    pub fn find(&self, name: &str) -> Option<Arc<Key>> {
        let inner = lock::read(&self.inner);
        let name = inner.aliases.get(name).map_or(name, String::as_str);
        let id = inner.by_name.get(name)?;
        inner.list.get(id.index()).cloned()
    }

    /// Key with this name or alias; adds it if new. `None` beyond `MAX_KEYS` keys.
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
        let id = KeyId(u16::try_from(inner.list.len()).ok()?);
        let defined = inner.specs.contains_key(&name);
        let spec = inner.specs.get(&name).cloned().unwrap_or_default();
        let always_stored = spec.always_stored || inner.always_stored.contains(&name);
        let label = spec.label.unwrap_or_else(|| name_words(&name));
        let key = Arc::new(Key {
            id,
            name: name.as_str().into(),
            kind: spec.kind,
            identifier: spec.identifier,
            defined,
            always_stored,
            hosts: spec.hosts.map(Into::into),
            space: spec.space.map(Into::into),
            label: label.into(),
            deferred: AtomicBool::new(spec.deferred && !always_stored),
            has_unstored: AtomicBool::new(false),
            calls: AtomicU32::new(0),
            present: AtomicBool::new(false),
            dict: Dict::default(),
        });
        inner.by_name.insert(name.into(), id);
        inner.list.push(key.clone());
        Some(key)
    }

    /// Names and types of the keys by which definitions identify instances, whether or not a record has them.
    pub fn identifiers(&self) -> Vec<(String, KeyType)> {
        let inner = lock::read(&self.inner);
        let specs = inner.specs.iter().filter(|(_, spec)| spec.identifier);
        specs
            .map(|(name, spec)| (name.clone(), spec.kind))
            .collect()
    }

    /// Key of a single host, if the values of `key` are host lists.
    pub(crate) fn host_key(&self, key: &Key) -> Option<Arc<Key>> {
        self.get(key.hosts.as_deref()?)
    }

    /// Key with this id.
    pub fn by_id(&self, id: KeyId) -> Option<Arc<Key>> {
        lock::read(&self.inner).list.get(id.index()).cloned()
    }

    /// Immutable snapshot of all keys.
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
            ranks: Arc::default(),
        }
    }

    /// Approximate heap size, bytes.
    pub(crate) fn bytes(&self) -> usize {
        let inner = lock::read(&self.inner);
        inner.list.iter().map(|k| k.dict.bytes() + 200).sum()
    }
}

/// Immutable snapshot of one key.
#[derive(Clone, Debug)]
pub struct KeyView {
    /// The key.
    pub key: Arc<Key>,
    /// Dictionary at the time of the snapshot.
    pub dict: Frozen,
}

impl KeyView {
    /// Value of a code as all outputs show it (see [`Key::shown`]); `None` for `NONE`.
    pub fn spelling(&self, code: Code) -> Option<String> {
        self.spelled(code).map(Cow::into_owned)
    }

    /// The same, borrowed where it is as written.
    pub fn spelled(&self, code: Code) -> Option<Cow<'_, str>> {
        if code == NONE {
            None
        } else if code < dict::ENTRY {
            Some(code.to_string().into())
        } else {
            Some(self.key.shown(self.dict.entry(code)?.into()))
        }
    }
}

/// Immutable snapshot of all keys.
#[derive(Clone, Debug, Default)]
pub struct KeysView {
    keys: Arc<[KeyView]>,
    by_name: Arc<FxHashMap<Box<str>, KeyId>>,
    aliases: Arc<FxHashMap<String, String>>,
    ranks: Arc<OnceLock<Box<[usize]>>>,
}

impl KeysView {
    /// Key with this id.
    pub fn get(&self, id: KeyId) -> Option<&KeyView> {
        self.keys.get(id.index())
    }

    /// Id of the key with this name or alias.
    pub fn find(&self, name: &str) -> Option<KeyId> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.by_name.get(name).copied()
    }

    /// Name of a key; empty for an unknown id.
    pub fn name(&self, id: KeyId) -> &str {
        self.get(id).map_or("", |k| &k.key.name)
    }

    /// Position of a key among all by name.
    pub fn rank(&self, id: KeyId) -> usize {
        let ranks = self.ranks.get_or_init(|| {
            let mut by_name: Vec<(&str, usize)> = { self.keys.iter().enumerate() }
                .map(|(at, view)| (&*view.key.name, at))
                .collect();
            by_name.sort_unstable();
            let mut ranks: Vec<(usize, usize)> = { by_name.iter().enumerate() }
                .map(|(rank, (_, at))| (*at, rank))
                .collect();
            ranks.sort_unstable();
            ranks.into_iter().map(|(_, rank)| rank).collect()
        });
        ranks.get(id.index()).copied().unwrap_or(usize::MAX)
    }

    /// All keys, in order of creation.
    pub fn iter(&self) -> impl Iterator<Item = &KeyView> {
        self.keys.iter()
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

#[cfg(test)]
mod tests;
