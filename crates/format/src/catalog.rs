//! What all records of a run have in common: templates, shapes, contexts, keys. Append-only, shared by loader threads.
//!
//! ```text
//! code site (logger, line, function, level) ┐
//! scope (which messages of which system)    ├─> Shape ──> Template "Task {} changing state from {} to {}"
//! literal parts of the message              ┘     └─> slots: which variable is which key
//! ```
//!
//! A template is what users see and filter by; many shapes (one per code site, scope and wording) may share one. In a
//! snapshot, those that differ only in names are merged.

pub(crate) mod cardinality;
pub mod encode;
pub mod keys;
mod merged_templates;
pub mod sink;

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock, RwLock};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, KeyId, ShapeId, TemplateId};
use widetui_core::level::Level;
use widetui_core::lock;
use widetui_definition::words::WordsDef;

use crate::catalog::cardinality::TemplateSet;
use crate::catalog::keys::{Keys, KeysView};

mod shape_names;

pub(crate) use shape_names::{Naming, Room};

/// Message with its variable parts removed.
#[derive(Debug)]
pub struct Template {
    /// Index in the table.
    pub id: TemplateId,
    /// Hash of the text, identical in every run and on every machine.
    pub hash: u64,
    /// Text, with `{}` for each variable part.
    pub text: Box<str>,
}

/// Where the fast path finds the value of a key when it reads a record of this shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Key of the column, or `NOT_STORED` if the variable is only checked.
    pub(crate) key: KeyId,
    /// Index of the variable of the message that holds the value.
    pub(crate) variable: u16,
    /// Form that the variable must have.
    pub(crate) kind: crate::pattern::FieldKind,
    /// Length of the unit after the variable, which belongs to the value if the variable is a number, bytes.
    pub(crate) unit_len: u8,
}

/// Placeholder for no key: the variable must have the expected form, and its value is not stored.
pub(crate) const NOT_STORED: KeyId = KeyId(u16::MAX);

/// How the keys of a shape's records are found in their messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Variable `slot.variable` holds `slot.key` in every record.
    Slots(Box<[Slot]>),
    /// The values of the variables decide which pattern of the scope matches: the reader searches the patterns for each
    /// record and stores the record under the shape of the pattern that matches.
    Search,
    /// The cells are the captures of the pattern that made this shape, one column per named field.
    Match(Box<[KeyId]>),
}

/// Column layout shared by all records of one code site, scope and wording.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Index in the table.
    pub id: ShapeId,
    /// Template of its records.
    pub template: TemplateId,
    /// Severity of all its records.
    pub level: Level,
    /// Keys with one value for all its records: the code site, and constants of the message's definition.
    pub consts: Box<[(KeyId, Code)]>,
    /// Literal parts of the first line of the message; variables stand between them.
    pub literals: Box<[Box<[u8]>]>,
    /// Whether the last variable takes the rest of the line, whatever it contains.
    pub open: bool,
    /// How keys are found in the message.
    pub(crate) plan: Plan,
    /// Keys that the records name themselves (JSON fields); their columns precede those of the plan.
    pub(crate) fields: Box<[KeyId]>,
}

impl Shape {
    /// Keys of the columns, in column order.
    pub fn column_keys(&self) -> Vec<KeyId> {
        let mut keys = self.fields.to_vec();
        match &self.plan {
            Plan::Slots(slots) => {
                keys.extend(slots.iter().map(|s| s.key).filter(|k| *k != NOT_STORED))
            }
            Plan::Search => {}
            Plan::Match(named) => keys.extend_from_slice(named),
        }
        keys
    }
}

/// Identity of a shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ShapeKey {
    /// Scope number: which messages apply and which reader produced the record. Unique per compiled source kind.
    pub(crate) scope: u32,
    /// Code site, or the key list of a structured record.
    pub(crate) site: u32,
    /// Literal parts of the message, joined by NUL.
    pub(crate) skeleton: Box<[u8]>,
}

/// Shared tables while loaders append to them. Ids, once assigned, never change.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Keys and their values.
    pub keys: Keys,
    /// Vocabulary of the definitions; empty if none was compiled.
    words: OnceLock<Arc<WordsDef>>,
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    templates: Vec<Arc<Template>>,
    template_of: FxHashMap<Box<str>, TemplateId>,
    shapes: Vec<Arc<Shape>>,
    shape_of: FxHashMap<ShapeKey, Arc<Shape>>,
    template_sets: FxHashMap<u32, TemplateSet>,
    /// Templates that stand for all messages with the same first word.
    coarse: Vec<TemplateId>,
    /// Number of snapshots in which shapes of earlier ones have another template.
    renamed: u32,
    /// Whether shapes of the last snapshot got another template since.
    is_renamed: bool,
    /// Number of shapes in the last snapshot.
    frozen: usize,
    contexts: Vec<Context>,
    /// Contexts by hash; a run may have one context per process that it started.
    context_of: HashTable<(u64, ContextId)>,
    /// Keys that occur in contexts.
    context_keys: Vec<KeyId>,
    site_of: FxHashMap<(Level, u32, Context), Arc<Site>>,
    forms: FxHashMap<Box<[u8]>, u32>,
}

/// Number of the entry that is added to a table of this length.
#[expect(
    clippy::cast_possible_truncation,
    reason = "an entry takes more than a hundred bytes, and 2^32 of them more than 400 GiB"
)]
const fn number(len: usize) -> u32 {
    len as u32
}

impl Inner {
    fn template(&mut self, text: &str) -> TemplateId {
        if let Some(id) = self.template_of.get(text) {
            return *id;
        }
        let id = TemplateId(number(self.templates.len()));
        self.templates.push(Arc::new(Template {
            id,
            hash: stable_hash(text),
            text: text.into(),
        }));
        self.template_of.insert(text.into(), id);
        id
    }
}

/// Keys and values of one context.
pub(crate) type Context = Arc<[(KeyId, Code)]>;

/// Keys with one value for all records of a shape.
pub(crate) type Consts = Vec<(KeyId, Code)>;

/// Code site as the header of a record names it.
#[derive(Debug)]
pub(crate) struct Site {
    /// Index in the table.
    pub id: u32,
    /// Severity.
    pub level: Level,
    /// Constant values of the header: logger, line, function ...
    pub consts: Box<[(KeyId, Code)]>,
    /// Keys that the records name themselves.
    pub(crate) fields: Box<[KeyId]>,
}

/// FNV-1a hash of 64 bits; stable across versions and machines.
pub fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Maximum number of different lists of field names per run.
const MAX_FORMS: usize = 20_000;

impl Catalog {
    /// Id of the template with this text; adds it if new.
    pub fn template(&self, text: &str) -> TemplateId {
        if let Some(id) = lock::read(&self.inner).template_of.get(text) {
            return *id;
        }
        lock::write(&self.inner).template(text)
    }

    /// Shape with this key, if one exists.
    pub(crate) fn find_shape(&self, key: &ShapeKey) -> Option<Arc<Shape>> {
        lock::read(&self.inner).shape_of.get(key).cloned()
    }

    /// Shape with this id.
    pub fn shape_by_id(&self, id: ShapeId) -> Option<Arc<Shape>> {
        lock::read(&self.inner).shapes.get(id.index()).cloned()
    }

    /// Shape with this key; if there is none, adds the result of `make`, which receives the new id.
    pub(crate) fn shape(&self, key: ShapeKey, make: impl FnOnce(ShapeId) -> Shape) -> Arc<Shape> {
        if let Some(shape) = self.find_shape(&key) {
            return shape;
        }
        let mut inner = lock::write(&self.inner);
        match inner.shape_of.get(&key) {
            Some(shape) => shape.clone(),
            None => self.insert(&mut inner, key, make),
        }
    }

    fn insert(
        &self,
        inner: &mut Inner,
        key: ShapeKey,
        make: impl FnOnce(ShapeId) -> Shape,
    ) -> Arc<Shape> {
        let id = ShapeId(number(inner.shapes.len()));
        let shape = Arc::new(make(id));
        self.mark_present(shape.column_keys());
        self.mark_present(shape.consts.iter().map(|c| c.0));
        inner.shapes.push(shape.clone());
        inner.shape_of.insert(key, shape.clone());
        shape
    }

    /// Marks keys as present in the data that was read.
    pub fn mark_present(&self, keys: impl IntoIterator<Item = KeyId>) {
        for key in keys.into_iter().filter_map(|id| self.keys.by_id(id)) {
            key.mark_present();
        }
    }

    /// Id of the context with these values; adds it if new.
    pub(crate) fn context(&self, values: &[(KeyId, Code)]) -> ContextId {
        let hash = FxBuildHasher.hash_one(values);
        if let Some(id) = lock::read(&self.inner).context(hash, values) {
            return id;
        }
        let mut inner = lock::write(&self.inner);
        if let Some(id) = inner.context(hash, values) {
            return id;
        }
        let id = ContextId(number(inner.contexts.len()));
        for (key, _) in values {
            if !inner.context_keys.contains(key) {
                self.mark_present([*key]);
                inner.context_keys.push(*key);
            }
        }
        inner.contexts.push(values.into());
        inner
            .context_of
            .insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    /// Code site with this level and these values; adds it if new.
    pub(crate) fn site(&self, level: Level, consts: &[(KeyId, Code)]) -> Arc<Site> {
        self.site_with(level, 0, consts, &[])
    }

    /// Number (from 1) of a list of field names; adds the list if new. `None` beyond [`MAX_FORMS`] lists.
    pub(crate) fn form(&self, name: &[u8]) -> Option<u32> {
        if let Some(id) = lock::read(&self.inner).forms.get(name) {
            return Some(*id);
        }
        let mut inner = lock::write(&self.inner);
        if inner.forms.len() >= MAX_FORMS {
            return inner.forms.get(name).copied();
        }
        let next = number(inner.forms.len()) + 1;
        Some(*inner.forms.entry(name.into()).or_insert(next))
    }

    /// Code site shared by all records with the same fields and level.
    pub(crate) fn form_site(&self, form: u32, level: Level, fields: &[KeyId]) -> Arc<Site> {
        self.site_with(level, form, &[], fields)
    }

    /// Code site of records that have these keys in their continuation lines; `None` beyond [`MAX_FORMS`] field lists.
    pub(crate) fn continuation_site(&self, site: &Site, fields: &[KeyId]) -> Option<Arc<Site>> {
        let mut name = b"\x03further".to_vec();
        // Records with fields of their own have those before the fields of the continuation lines.
        if !site.fields.is_empty() {
            name.extend_from_slice(&site.id.to_le_bytes());
        }
        name.extend(fields.iter().flat_map(|k| k.0.to_le_bytes()));
        let all = [&site.fields, fields].concat();
        Some(self.site_with(site.level, self.form(&name)?, &site.consts, &all))
    }

    fn site_with(
        &self,
        level: Level,
        form: u32,
        consts: &[(KeyId, Code)],
        fields: &[KeyId],
    ) -> Arc<Site> {
        let key: (Level, u32, Context) = (level, form, consts.into());
        if let Some(site) = lock::read(&self.inner).site_of.get(&key) {
            return site.clone();
        }
        let mut inner = lock::write(&self.inner);
        if let Some(site) = inner.site_of.get(&key) {
            return site.clone();
        }
        let id = number(inner.site_of.len());
        let site = Arc::new(Site {
            id,
            level,
            consts: consts.into(),
            fields: fields.into(),
        });
        inner.site_of.insert(key, site.clone());
        site
    }

    /// Immutable snapshot of all tables, with merged templates.
    pub fn freeze(&self) -> CatalogView {
        let keys = self.keys.freeze();
        let words = self.words.get().cloned().unwrap_or_default();
        let line_keys = self.line_keys();
        let mut inner = lock::write(&self.inner);
        inner.merge_templates(&line_keys, &words);
        inner.renamed += u32::from(std::mem::take(&mut inner.is_renamed));
        CatalogView {
            keys,
            words,
            templates: inner.templates.as_slice().into(),
            shapes: inner.shapes.as_slice().into(),
            contexts: inner.contexts.as_slice().into(),
            context_keys: inner.context_keys.as_slice().into(),
            renamed: inner.renamed,
        }
    }

    /// Sets the vocabulary, unless definitions were compiled before.
    pub(crate) fn set_words(&self, words: WordsDef) {
        let _ = self.words.set(Arc::new(words));
    }

    /// Approximate heap size, bytes.
    pub fn bytes(&self) -> usize {
        let inner = lock::read(&self.inner);
        let shape = |s: &Arc<Shape>| 200 + 24 * s.literals.len() + 16 * s.consts.len();
        let shapes: usize = inner.shapes.iter().map(shape).sum();
        let others = inner.templates.len() * 150 + inner.contexts.len() * 100;
        shapes + others + inner.site_of.len() * 250 + self.keys.bytes()
    }
}

impl Inner {
    /// Id of the context with these values and this hash.
    #[inline]
    fn context(&self, hash: u64, values: &[(KeyId, Code)]) -> Option<ContextId> {
        let is_it = |(h, id): &(u64, ContextId)| {
            *h == hash
                && self
                    .contexts
                    .get(id.index())
                    .is_some_and(|c| **c == *values)
        };
        self.context_of.find(hash, is_it).map(|(_, id)| *id)
    }
}

/// Immutable snapshot of the tables.
#[derive(Clone, Debug, Default)]
pub struct CatalogView {
    /// Keys with their dictionaries.
    pub keys: KeysView,
    /// Vocabulary of the definitions.
    pub words: Arc<WordsDef>,
    /// Templates by id.
    pub templates: Arc<[Arc<Template>]>,
    /// Shapes by id.
    pub shapes: Arc<[Arc<Shape>]>,
    /// Contexts by id.
    pub contexts: Arc<[Context]>,
    /// Keys that occur in contexts.
    pub context_keys: Arc<[KeyId]>,
    /// Number of snapshots in which shapes of earlier ones have another template. Counts per template are comparable only
    /// between snapshots with the same number.
    pub renamed: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_panics_does_not_make_others_read_wrong_data() {
        let catalog = Catalog::default();
        let first = catalog.template("first");
        let one = catalog.context(&[(KeyId(0), 1)]);
        let broken = std::thread::scope(|scope| {
            let work = || {
                let _inner = lock::write(&catalog.inner);
                panic!("of a test");
            };
            scope.spawn(work).join()
        });
        assert!(broken.is_err() && catalog.inner.is_poisoned());
        assert_ne!(catalog.template("second"), first);
        assert_eq!(catalog.template("first"), first);
        assert_ne!(catalog.context(&[(KeyId(0), 2)]), one);
        assert_eq!(catalog.freeze().templates.len(), 2);
    }

    #[test]
    fn the_hash_of_a_template_is_fixed() {
        assert_eq!(stable_hash("Task {} done"), 0x9e0d_4293_cdf5_5560);
        assert_eq!(stable_hash(""), 0xcbf2_9ce4_8422_2325);
    }
}
