//! Kinds of sources, as definitions describe them, compiled when they are first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

use widetui_core::ids::KeyId;

use widetui_core::lock;

use crate::catalog::Catalog;
use crate::definitions::message_patterns::Wordings;
use crate::definitions::systems::{System, Systems, full_name};
use crate::definitions::try_order::TryOrder;
use crate::interleaved::quoted_text::Quotes;
use crate::interleaved::{Guest, Guests};
use crate::json::dialect::JsonSpec;
use crate::layout::Layout;
use crate::messages::scope::{Mining, Scope};
use crate::pattern::glob::{GlobIndex, LaterGlob, wildcard};
use crate::pattern::levels::LevelNames;
use crate::pattern::time_within::Within;
use widetui_definition::meaning::{EntityRole, FirstDef};
use widetui_definition::syntax::{Definition, SourceDef};
use widetui_definition::text::Text;

/// A kind of source of a system: which layouts may occur, which messages apply.
#[derive(Debug)]
pub struct SourceKind {
    /// The system.
    pub system: Arc<str>,
    /// Its name within the system: `worker`.
    pub kind: Arc<str>,
    /// Its place among the kinds of all systems.
    pub(crate) slot: usize,
    /// JSON dialects that may occur.
    pub(crate) json: Vec<Arc<JsonSpec>>,
    /// Which messages apply.
    pub(crate) scope: Arc<Scope>,
    /// What it is, when it is listed but not read.
    pub(crate) attachment: Option<String>,
    /// Whether its records were written down at once about what was before.
    pub is_dump: bool,
    /// Header fields and patterns of their values: a record of this kind fits one pattern of each field.
    pub(crate) records: Vec<(String, Vec<String>)>,
}

impl SourceKind {
    /// Whether a record whose header fields `field` looks up is one of this kind.
    pub(crate) fn fits<'a>(&self, field: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.records.iter().all(|(name, values)| {
            field(name).is_some_and(|text| values.iter().any(|v| wildcard(v, text)))
        })
    }
}

/// How the runs of a system are told apart that does not name them.
#[derive(Clone, Debug)]
pub struct RunsRule {
    /// The system.
    pub system: String,
    /// The key that names the run of a log, where several are opened together.
    pub key: String,
    /// Kinds of sources of which a run has its own, in one folder.
    pub kinds: Vec<String>,
}

/// The header field that names who writes a record.
pub(crate) const WRITER: &str = "logger";

/// What a record says, where that tells its kind: its layout may be anybody's.
pub(crate) const MESSAGE: &str = "message";

/// One `[[source]]`.
#[derive(Debug)]
pub(crate) struct SourceEntry {
    pub system: usize,
    source: usize,
    pub(crate) globs: Vec<LaterGlob>,
    pub(crate) layouts: Vec<usize>,
    pub(crate) json: Vec<usize>,
    scope: usize,
    cell: OnceLock<Arc<SourceKind>>,
    pub(crate) order: OnceLock<KindLayouts>,
}

/// The layouts that may occur in a kind of source. Who reads a run of JSON asks for none.
#[derive(Debug)]
pub(crate) struct KindLayouts {
    /// Those that fit least first.
    pub(crate) layouts: Vec<Arc<Layout>>,
    /// For each of them, the places of those that must be tried before it.
    pub(crate) before: Vec<Vec<usize>>,
}

/// A part of a definition, compiled on first use.
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

/// Which messages a scope is made of.
type ScopeKey = (usize, Vec<String>, Mining);

/// All definitions, compiled for one run.
#[derive(Debug, Default)]
pub struct Compiled {
    pub(crate) tables: Arc<Catalog>,
    pub(crate) systems: Arc<[Arc<System>]>,
    pub(crate) slots: Vec<SourceEntry>,
    pub(crate) globs: GlobIndex,
    layouts: Vec<Lazy<Layout>>,
    dialects: Vec<Lazy<JsonSpec>>,
    scopes: Vec<(ScopeKey, OnceLock<Arc<Scope>>)>,
    /// Layouts of lines that may stand in any file, and what reads their messages.
    pub(crate) amid: Vec<(usize, usize)>,
    pub(crate) guests: OnceLock<Arc<Guests>>,
    pub(crate) order: OnceLock<TryOrder>,
    pub(crate) generic: OnceLock<Vec<Arc<Layout>>>,
    pub(crate) generic_json: OnceLock<Vec<Arc<JsonSpec>>>,
    pub(crate) guessed: Mutex<HashMap<String, Arc<Layout>>>,
    pub(crate) mined: Arc<Scope>,
    joint: Mutex<HashMap<u32, Arc<Scope>>>,
    pub(crate) inferred: Mutex<HashMap<String, Arc<JsonSpec>>>,
}

impl Systems {
    /// Tells the tables what is known about keys, and makes ready to choose among kinds of sources. Patterns are
    /// compiled when they are first needed.
    pub fn compile(&self, tables: &Arc<Catalog>) -> Compiled {
        Compiled::new(&self.list, tables)
    }
}

impl Compiled {
    /// Names of the joins that the definitions describe.
    pub fn join_names(&self) -> impl Iterator<Item = String> {
        self.systems.iter().flat_map(|s| s.def.join_names())
    }

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
                    out.amid.push((number, scope));
                }
            }
            for (i, dialect) in system.def.json.iter().enumerate() {
                dialect_of.insert((s, dialect.name.get_ref()), out.dialects.len());
                out.dialects.push(Lazy::new(s, i));
            }
        }
        for system in systems {
            tables.keys.keep(system.def.joined_keys());
        }
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
                        .map(|g| LaterGlob::new(g.get_ref()))
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

    /// Sources with the same messages share a scope, and so their templates.
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

    /// How the runs of systems are told apart that do not name them.
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

    /// The keys that alone identify a run.
    pub fn run_keys(&self) -> Vec<KeyId> {
        let names = self.run_key_names().into_iter();
        let keys = names.filter_map(|name| self.tables.keys.find(name));
        keys.map(|key| key.id).collect()
    }

    /// The names of the keys that alone identify a run, also of those that no record has.
    pub fn run_key_names(&self) -> Vec<&str> {
        let entities = self.systems.iter().flat_map(|s| &s.def.entity);
        let runs = entities.filter(|e| e.role == EntityRole::Run);
        let alone = runs.flat_map(|e| &e.id).filter(|id| id.len() == 1);
        alone
            .flatten()
            .map(|name| name.get_ref().as_str())
            .collect()
    }

    /// Keys by which records name a later run of their file, each with the key of paths under which others have it.
    pub fn later_keys(&self) -> Vec<(KeyId, KeyId)> {
        let firsts = self.systems.iter().flat_map(|s| &s.def.first);
        let find = |name: &Text| Some(self.tables.keys.find(name.get_ref())?.id);
        let later = |first: &FirstDef| {
            let anew = first.anew.as_ref()?;
            Some((find(anew.named.as_ref()?)?, find(anew.path.as_ref()?)?))
        };
        firsts.filter_map(later).collect()
    }

    pub(crate) fn source(&self, slot: &SourceEntry) -> &SourceDef {
        &self.systems[slot.system].def.source[slot.source]
    }

    /// Whether a kind says how its records look.
    pub(crate) fn promises(&self, kind: &SourceKind) -> bool {
        !(self.slots[kind.slot].layouts.is_empty() && kind.json.is_empty())
    }

    /// Whether a layout is one of those that a kind may have.
    pub fn promises_layout(&self, kind: &SourceKind, layout: &Arc<Layout>) -> bool {
        let mut known = self.layouts_of(kind).layouts.iter();
        known.any(|known| Arc::ptr_eq(known, layout))
    }

    pub(crate) fn kind(&self, at: usize) -> Arc<SourceKind> {
        let slot = &self.slots[at];
        slot.cell
            .get_or_init(|| {
                let source = self.source(slot);
                Arc::new(SourceKind {
                    slot: at,
                    system: self.systems[slot.system].name().into(),
                    kind: source.kind.get_ref().as_str().into(),
                    json: slot.json.iter().filter_map(|j| self.dialect(*j)).collect(),
                    scope: self.scope(slot.scope),
                    attachment: source.attachment.clone(),
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
                let times = times.filter_map(|t| Within::compile(t.get_ref()).ok());
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

    pub(crate) fn scope(&self, index: usize) -> Arc<Scope> {
        let ((system, names, mining), cell) = &self.scopes[index];
        let made = || {
            let (wordings, system, names) = (self.wordings(), *system, names.clone());
            let messages = move || wordings.of(system, &names);
            Arc::new(Scope::later(index as u32 + 1, messages, *mining))
        };
        cell.get_or_init(made).clone()
    }

    fn wordings(&self) -> Wordings {
        Wordings {
            systems: self.systems.clone(),
            tables: self.tables.clone(),
        }
    }

    /// The messages of two kinds together: those of what a path claims, and those that its records turn out to be.
    pub(crate) fn joint_scope(&self, claimed: &Arc<Scope>, found: &Arc<Scope>) -> Arc<Scope> {
        if claimed.messages().is_empty() || claimed.id == found.id {
            return found.clone();
        }
        let mut known = lock::hold(&self.joint);
        // Behind those of single kinds, and the same whatever is opened first.
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

    /// What reads the messages of a source that nothing but its records tells: those of its kind, then those of the other
    /// kinds of the system that are told by who writes. Somebody may have put all logs of a run into one file.
    pub(crate) fn family_scope(&self, kind: &SourceKind) -> Arc<Scope> {
        let is_told = |slot: &SourceEntry| self.source(slot).records.contains_key(WRITER);
        let of_system = |slot: &SourceEntry| self.systems[slot.system].name() == &*kind.system;
        let mut scopes = vec![kind.scope.clone()];
        let mut own = None;
        for (index, slot) in self.content_slots().filter(|(_, slot)| of_system(slot)) {
            if *self.source(slot).kind.get_ref() == *kind.kind {
                own = is_told(slot).then_some(index);
            }
            let scope = self.scope(slot.scope);
            if is_told(slot) && scopes.iter().all(|s| s.id != scope.id) {
                scopes.push(scope);
            }
        }
        let Some(own) = own.filter(|_| scopes.len() > 1) else {
            return kind.scope.clone();
        };
        let mut known = lock::hold(&self.joint);
        // Behind those of single kinds and of two, and the same whatever is opened first.
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

    /// Whether the layout with this number is one of that system.
    pub(crate) fn is_layout_of(&self, layout: usize, system: usize) -> bool {
        self.layouts[layout].system == system
    }

    /// Number of the layout with this name in its system.
    pub(crate) fn layout_named(&self, system: usize, name: &str) -> Option<usize> {
        self.layouts.iter().position(|l| {
            l.system == system && self.systems[system].def.layout[l.index].name.get_ref() == name
        })
    }
}

impl Compiled {
    /// What may stand amid the records of any file.
    pub fn guests(&self) -> Arc<Guests> {
        let guest = |(layout, scope): &(usize, usize)| {
            Guest::new(self.layout(*layout)?, self.scope(*scope))
        };
        let made = || {
            let mut guests = Guests::new(self.amid.iter().filter_map(guest).collect());
            guests.quotes = Quotes::of(self.systems.iter().flat_map(|s| &s.def.quote));
            Arc::new(guests)
        };
        self.guests.get_or_init(made).clone()
    }
}
