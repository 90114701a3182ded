//! Kinds of sources as definitions describe them, compiled on first use.

#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "entries, layouts, dialects and scopes name their systems and each other by the index in lists that never change"
)]

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

use widetui_core::ids::KeyId;

use widetui_core::lock;

use crate::catalog::Catalog;
use crate::definitions::message_patterns::ScopeMessages;
use crate::definitions::systems::{System, Systems, full_name};
use crate::definitions::try_order::TryOrder;
use crate::interleaved::quoted_text::QuotedTexts;
use crate::interleaved::{InterleavedLayout, InterleavedLayouts};
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::messages::scope::{Mining, Scope};
use crate::pattern::glob::{GlobIndex, LazyGlob, wildcard};
use crate::pattern::levels::LevelNames;
use crate::pattern::message_time::MessageTime;
use widetui_definition::semantics::{EntityRole, FirstRecordDef};
use widetui_definition::syntax::{Definition, SourceDef};
use widetui_definition::text::Text;
use widetui_definition::words::WordsDef;

/// Kind of source of a system: its possible layouts and dialects, and the messages that apply.
#[derive(Debug)]
pub struct SourceKind {
    /// System that defines the kind.
    pub system: Arc<str>,
    /// Name within the system: `worker`.
    pub kind: Arc<str>,
    /// Index among the kinds of all systems.
    pub(crate) slot: usize,
    /// Possible JSON dialects.
    pub(crate) json: Vec<Arc<JsonSpec>>,
    /// Messages that apply.
    pub(crate) scope: Arc<Scope>,
    /// Description of a source that is listed but not read.
    pub(crate) attachment: Option<String>,
    /// True if the kind has only keys of paths, for files of any kind.
    pub(crate) has_only_keys: bool,
    /// Whether its records were all written at once, after the fact.
    pub is_dump: bool,
    /// Header fields with patterns of their values: a record is of this kind only if each field matches one of its
    /// patterns.
    pub(crate) records: Vec<(String, Vec<String>)>,
}

impl SourceKind {
    /// Whether a record is of this kind, given a function that looks up its header fields.
    pub(crate) fn fits<'a>(&self, field: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.records.iter().all(|(name, values)| {
            field(name).is_some_and(|text| values.iter().any(|v| wildcard(v, text)))
        })
    }
}

/// How to distinguish the runs of a system whose logs do not name their run.
#[derive(Clone, Debug)]
pub struct RunsRule {
    /// System.
    pub system: String,
    /// Key that names the run of a log if several runs are opened together.
    pub key: String,
    /// Kinds of sources of which each run has one, in one folder.
    pub kinds: Vec<String>,
}

/// Header field that names the writer of a record.
pub(crate) const WRITER: &str = "logger";

/// Pseudo-field for the message, used by kinds that are recognised by their messages in any layout.
pub(crate) const MESSAGE: &str = "message";

/// One `[[source]]` entry of a definition.
#[derive(Debug)]
pub(crate) struct SourceEntry {
    /// Index of its system.
    pub system: usize,
    source: usize,
    /// Path globs, compiled on first use.
    pub(crate) globs: Vec<LazyGlob>,
    /// Indices of its layouts.
    pub(crate) layouts: Vec<usize>,
    /// Indices of its JSON dialects.
    pub(crate) json: Vec<usize>,
    scope: usize,
    cell: OnceLock<Arc<SourceKind>>,
    /// Its layouts in the order in which they are tried, computed on first use.
    pub(crate) order: OnceLock<KindLayouts>,
}

/// Layouts that may occur in a kind of source. Compiled on demand, because a run of JSON logs needs none.
#[derive(Debug)]
pub(crate) struct KindLayouts {
    /// Layouts, narrowest first.
    pub(crate) layouts: Vec<Arc<Layout>>,
    /// For each layout, the indices of the layouts that must be tried before it.
    pub(crate) before: Vec<Vec<usize>>,
}

/// Part of a definition, compiled on first use.
#[derive(Debug)]
struct Lazy<T> {
    system: usize,
    index: usize,
    cell: OnceLock<Option<Arc<T>>>,
}

impl<T> Lazy<T> {
    fn new(system: usize, index: usize) -> Lazy<T> {
        Lazy {
            system,
            index,
            cell: OnceLock::new(),
        }
    }
}

/// System index, names of the message scopes, and whether keys are mined.
type ScopeKey = (usize, Vec<String>, Mining);

/// All definitions, compiled for one run.
#[derive(Debug, Default)]
pub struct Compiled {
    /// Tables of the run.
    pub(crate) tables: Arc<Catalog>,
    /// Definitions.
    pub(crate) systems: Arc<[Arc<System>]>,
    /// `[[source]]` entries of all definitions.
    pub(crate) slots: Vec<SourceEntry>,
    /// Index of all globs by file name.
    pub(crate) globs: GlobIndex,
    layouts: Vec<Lazy<Layout>>,
    dialects: Vec<Lazy<JsonSpec>>,
    scopes: Vec<(ScopeKey, OnceLock<Arc<Scope>>)>,
    /// Layouts of lines that other programs write into any file, each with the scope of their messages (indices).
    pub(crate) interleaved_layouts: Vec<(usize, usize)>,
    /// Interleaved lines and quoted texts, compiled on first use.
    pub(crate) interleaved: OnceLock<Arc<InterleavedLayouts>>,
    /// Layouts recognised by content, in the order in which they are tried.
    pub(crate) order: OnceLock<TryOrder>,
    /// The same layouts, compiled.
    pub(crate) generic: OnceLock<Vec<Arc<Layout>>>,
    /// Index of the one of them that the last source had: files of a run are mostly alike.
    pub(crate) recent: AtomicUsize,
    /// JSON dialects of kinds that are recognised by content.
    pub(crate) generic_json: OnceLock<Vec<Arc<JsonSpec>>>,
    /// Guessed layouts by their pattern.
    pub(crate) guessed: Mutex<HashMap<String, Arc<Layout>>>,
    /// Scope of sources without a definition: no messages, only mined keys.
    pub(crate) mined: Arc<Scope>,
    joint: Mutex<HashMap<u32, Arc<Scope>>>,
    /// Inferred and derived dialects by their settings.
    pub(crate) inferred: Mutex<HashMap<String, Arc<JsonSpec>>>,
}

impl Systems {
    /// Vocabulary of all definitions.
    pub fn words(&self) -> WordsDef {
        vocabulary(&self.list)
    }

    /// Declares the keys in the tables and prepares the choice among kinds of sources. Patterns are compiled on first
    /// use.
    pub fn compile(&self, tables: &Arc<Catalog>) -> Compiled {
        Compiled::new(&self.list, tables)
    }
}

/// Vocabulary of all definitions.
fn vocabulary(systems: &[Arc<System>]) -> WordsDef {
    let mut words = WordsDef::default();
    let all = systems
        .iter()
        .filter_map(|system| system.def.words.as_ref());
    all.for_each(|own| words.join(own));
    words
}

impl Compiled {
    /// Names of all joins in the definitions.
    pub fn join_names(&self) -> impl Iterator<Item = String> {
        self.systems.iter().flat_map(|s| s.def.join_names())
    }

    /// Compiles these definitions for the tables of a run.
    pub(crate) fn new(systems: &[Arc<System>], tables: &Arc<Catalog>) -> Compiled {
        let mut out = Compiled {
            tables: tables.clone(),
            systems: systems.into(),
            mined: Arc::new(Scope::new(0, Vec::new(), Mining::On)),
            ..Compiled::default()
        };
        let mut layout_of: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut dialect_of: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        for (s, system) in systems.iter().enumerate() {
            for (name, key) in &system.def.keys {
                tables.keys.define(name, key.into(), &key.aliases);
            }
            for (i, layout) in system.def.layout.iter().enumerate() {
                let number = out.layouts.len();
                layout_of.insert((s, layout.name.get_ref()), number);
                out.layouts.push(Lazy::new(s, i));
                if !layout.amid.is_empty() {
                    let scope = out.scope_slot(s, &layout.amid, Some(true));
                    out.interleaved_layouts.push((number, scope));
                }
            }
            for (i, dialect) in system.def.json.iter().enumerate() {
                dialect_of.insert((s, dialect.name.get_ref()), out.dialects.len());
                out.dialects.push(Lazy::new(s, i));
            }
        }
        for system in systems {
            tables.keys.store_always(system.def.joined_keys());
        }
        tables.set_words(vocabulary(systems));
        for (s, system) in systems.iter().enumerate() {
            for (i, source) in system.def.source.iter().enumerate() {
                let find = |of: &FxHashMap<(usize, &str), usize>, name: &str| {
                    of.get(&(s, name)).copied().or_else(|| {
                        let (other, name) = name.split_once('.')?;
                        let other = systems.iter().position(|x| x.name() == other)?;
                        of.get(&(other, name)).copied()
                    })
                };
                let scope = out.scope_slot(s, &source.messages, source.mine);
                out.slots.push(SourceEntry {
                    system: s,
                    source: i,
                    globs: source
                        .glob
                        .iter()
                        .map(|g| LazyGlob::new(g.get_ref()))
                        .collect(),
                    layouts: source
                        .layouts
                        .iter()
                        .filter_map(|n| find(&layout_of, n.get_ref()))
                        .collect(),
                    json: source
                        .json
                        .iter()
                        .filter_map(|n| find(&dialect_of, n.get_ref()))
                        .collect(),
                    scope,
                    cell: OnceLock::new(),
                    order: OnceLock::new(),
                });
            }
        }
        out.globs = GlobIndex::of(out.slots.iter().map(|s| &*s.globs));
        out
    }

    /// Index of the scope with these messages; sources with the same messages share a scope and thus their templates.
    fn scope_slot(&mut self, system: usize, messages: &[Text], mine: Option<bool>) -> usize {
        let names: Vec<String> = messages.iter().map(|m| m.get_ref().clone()).collect();
        let mining = match mine.unwrap_or(names.is_empty()) {
            true => Mining::On,
            false => Mining::Off,
        };
        let key = (system, names, mining);
        self.scopes
            .iter()
            .position(|s| s.0 == key)
            .unwrap_or_else(|| {
                self.scopes.push((key, OnceLock::new()));
                self.scopes.len() - 1
            })
    }

    /// How to distinguish the runs of systems whose logs do not name their run.
    pub fn runs_rules(&self) -> Vec<RunsRule> {
        let defs = self.systems.iter().map(|s| &s.def);
        let rule = |def: &Definition| {
            let runs = def.runs.as_ref()?;
            Some(RunsRule {
                system: def.name.get_ref().clone(),
                key: runs.key.get_ref().clone(),
                kinds: runs.kinds.clone(),
            })
        };
        defs.filter_map(rule).collect()
    }

    /// Keys that identify a run on their own.
    pub fn run_keys(&self) -> Vec<KeyId> {
        let names = self.run_key_names().into_iter();
        let keys = names.filter_map(|name| self.tables.keys.find(name));
        keys.map(|key| key.id).collect()
    }

    /// Names of the keys that identify a run on their own, including keys that no record has.
    pub fn run_key_names(&self) -> Vec<&str> {
        let entities = self.systems.iter().flat_map(|s| &s.def.entity);
        let runs = entities.filter(|e| e.role == EntityRole::Run);
        let alone = runs.flat_map(|e| &e.id).filter(|id| id.len() == 1);
        alone
            .flatten()
            .map(|name| name.get_ref().as_str())
            .collect()
    }

    /// Keys by which records name a later run in the same file, each with the path key that holds the same value
    /// elsewhere.
    pub fn later_run_keys(&self) -> Vec<(KeyId, KeyId)> {
        let firsts = self.systems.iter().flat_map(|s| &s.def.first);
        let find = |name: &Text| Some(self.tables.keys.find(name.get_ref())?.id);
        let later = |first: &FirstRecordDef| {
            let anew = first.anew.as_ref()?;
            Some((find(anew.named.as_ref()?)?, find(anew.path.as_ref()?)?))
        };
        firsts.filter_map(later).collect()
    }

    /// System of a `[[source]]` entry.
    pub(crate) fn system_of(&self, slot: &SourceEntry) -> &System {
        &self.systems[slot.system]
    }

    /// Definition of a `[[source]]` entry.
    pub(crate) fn source(&self, slot: &SourceEntry) -> &SourceDef {
        &self.system_of(slot).def.source[slot.source]
    }

    /// Whether a kind declares layouts or dialects.
    pub(crate) fn declares_form(&self, kind: &SourceKind) -> bool {
        !(self.slots[kind.slot].layouts.is_empty() && kind.json.is_empty())
    }

    /// Whether a layout is one of those that a kind declares.
    pub fn declares_layout(&self, kind: &SourceKind, layout: &Arc<Layout>) -> bool {
        let mut known = self.layouts_of(kind).layouts.iter();
        known.any(|known| Arc::ptr_eq(known, layout))
    }

    /// Compiled kind of the `[[source]]` entry with this index.
    pub(crate) fn kind(&self, at: usize) -> Arc<SourceKind> {
        let slot = &self.slots[at];
        slot.cell
            .get_or_init(|| {
                let source = self.source(slot);
                Arc::new(SourceKind {
                    slot: at,
                    system: self.system_of(slot).name().into(),
                    kind: source.kind.get_ref().as_str().into(),
                    json: slot.json.iter().filter_map(|j| self.dialect(*j)).collect(),
                    scope: self.scope(slot.scope),
                    attachment: source.attachment.clone(),
                    has_only_keys: source.only_keys,
                    is_dump: source.dump,
                    records: source
                        .records
                        .iter()
                        .map(|(name, values)| (name.clone(), values.all().to_vec()))
                        .collect(),
                })
            })
            .clone()
    }

    /// Compiled layout with this index; `None` if its pattern is invalid.
    pub(crate) fn layout(&self, index: usize) -> Option<Arc<Layout>> {
        let lazy = &self.layouts[index];
        lazy.cell
            .get_or_init(|| {
                let system = &self.systems[lazy.system];
                let def = &system.def.layout[lazy.index];
                let name = full_name(system.name(), def.name.get_ref());
                let layout =
                    Layout::compile(&name, def.pattern.get_ref(), &self.tables.keys).ok()?;
                let times = def.times.iter();
                let times = times.filter_map(|t| MessageTime::compile(t.get_ref()).ok());
                let layout = layout.with_times(times.collect());
                let prefix = format!("{}.", system.name());
                let keys = system.def.keys.keys().filter(|_| def.extras);
                let names = keys.filter_map(|key| key.strip_prefix(&prefix));
                let layout = layout.with_extras(names.map(str::to_owned).collect());
                Some(Arc::new(layout.with_levels(
                    LevelNames::new(&def.levels),
                    LevelNames::new(&def.prefixes),
                )))
            })
            .clone()
    }

    /// Compiled dialect with this index.
    pub(crate) fn dialect(&self, index: usize) -> Option<Arc<JsonSpec>> {
        let lazy = &self.dialects[index];
        lazy.cell
            .get_or_init(|| {
                let system = &self.systems[lazy.system];
                let def = &system.def.json[lazy.index];
                let name = full_name(system.name(), def.name.get_ref());
                Some(Arc::new(JsonSpec::of(name, def)))
            })
            .clone()
    }

    /// Compiled scope with this index.
    pub(crate) fn scope(&self, index: usize) -> Arc<Scope> {
        let ((system, names, mining), cell) = &self.scopes[index];
        let made = || {
            let (scope_messages, system, names) = (self.scope_messages(), *system, names.clone());
            let messages = move || scope_messages.of(system, &names);
            Arc::new(Scope::later(index as u32 + 1, messages, *mining))
        };
        cell.get_or_init(made).clone()
    }

    fn scope_messages(&self) -> ScopeMessages {
        ScopeMessages {
            systems: self.systems.clone(),
            tables: self.tables.clone(),
        }
    }

    /// Scope with the messages of two kinds: the kind that the path claims and the kind found by content.
    pub(crate) fn joint_scope(&self, claimed: &Arc<Scope>, found: &Arc<Scope>) -> Arc<Scope> {
        if claimed.messages().is_empty() || claimed.id == found.id {
            return found.clone();
        }
        let mut known = lock::hold(&self.joint);
        // Ids after those of single kinds; independent of the order in which sources are opened.
        let all = self.scopes.len() as u32 + 1;
        let id = all + claimed.id * all + found.id;
        let joint = known.entry(id).or_insert_with(|| {
            let messages = found.messages().iter().chain(claimed.messages());
            let messages = messages.cloned().collect();
            let mining = match claimed.mine || found.mine {
                true => Mining::On,
                false => Mining::Off,
            };
            Arc::new(Scope::new(id, messages, mining))
        });
        joint.clone()
    }

    /// Scope for a source that was recognised by content alone: the messages of its kind, then those of the system's
    /// other kinds with a `logger` condition, because all logs of a run may have been concatenated into one file.
    pub(crate) fn family_scope(&self, kind: &SourceKind) -> Arc<Scope> {
        let has_logger = |slot: &SourceEntry| self.source(slot).records.contains_key(WRITER);
        let of_system = |slot: &SourceEntry| self.system_of(slot).name() == &*kind.system;
        let mut scopes = vec![kind.scope.clone()];
        let mut own = None;
        for (index, slot) in self.content_slots().filter(|(_, slot)| of_system(slot)) {
            if *self.source(slot).kind.get_ref() == *kind.kind {
                own = has_logger(slot).then_some(index);
            }
            let scope = self.scope(slot.scope);
            if has_logger(slot) && scopes.iter().all(|s| s.id != scope.id) {
                scopes.push(scope);
            }
        }
        let Some(own) = own.filter(|_| scopes.len() > 1) else {
            return kind.scope.clone();
        };
        let mut known = lock::hold(&self.joint);
        // Ids after those of single and joint scopes; independent of the order in which sources are opened.
        let all = self.scopes.len() as u32 + 1;
        let id = all + all * all + own as u32;
        let joint = known.entry(id).or_insert_with(|| {
            let mining = match kind.scope.mine {
                true => Mining::On,
                false => Mining::Off,
            };
            let make = move || {
                let messages = scopes.iter().flat_map(|s| s.messages());
                messages.cloned().collect()
            };
            Arc::new(Scope::later(id, make, mining))
        });
        joint.clone()
    }

    /// Whether the layout with this index belongs to the system with this index.
    pub(crate) fn is_layout_of(&self, layout: usize, system: usize) -> bool {
        self.layouts[layout].system == system
    }

    /// Index of the layout with this name in its system.
    pub(crate) fn layout_named(&self, system: usize, name: &str) -> Option<usize> {
        self.layouts.iter().position(|l| {
            l.system == system && self.systems[system].def.layout[l.index].name.get_ref() == name
        })
    }
}

impl Compiled {
    /// Interleaved lines and quoted texts that may occur in any file.
    pub fn interleaved(&self) -> Arc<InterleavedLayouts> {
        let interleaved_layout = |(layout, scope): &(usize, usize)| {
            InterleavedLayout::new(self.layout(*layout)?, self.scope(*scope))
        };
        let made = || {
            let mut interleaved = InterleavedLayouts::new(
                self.interleaved_layouts
                    .iter()
                    .filter_map(interleaved_layout)
                    .collect(),
            );
            interleaved.quoted_texts =
                QuotedTexts::of(self.systems.iter().flat_map(|s| &s.def.quote));
            Arc::new(interleaved)
        };
        self.interleaved.get_or_init(made).clone()
    }
}
