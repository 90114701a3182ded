//! Reach of a hint: the logs in which it is searched, and the entities about which it says nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::{KeyId, SourceId};
use widetui_query::select;
use widetui_store::{EventRef, Source};

use crate::findings::context::Context;
use crate::findings::hints::{Hint, code};

/// Logs in which a hint is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Logs of all systems.
    Anywhere,
    /// Logs of its own system, logs without one beside these, and records that name its system, because other systems may
    /// use the same words for other events.
    Own,
}

/// Values of the hint's naming keys in a record.
type Names = Vec<(KeyId, Code)>;

/// Instances for which an event makes the hint harmless: an instance that announced its own end did not disappear
/// unexpectedly.
#[derive(Default)]
pub(crate) struct Cleared {
    keys: Vec<KeyId>,
    /// By name: the names of each record with it.
    of: FxHashMap<(KeyId, Code), FxHashSet<Names>>,
}

impl Cleared {
    /// Collects the instances that `unless_named` matches; `None` when cancelled.
    pub fn of(look: &Context<'_>, hint: &Hint) -> Option<Cleared> {
        let mut out = Cleared::default();
        let Some(expr) = &hint.unless_named else {
            return Some(out);
        };
        let keys = &look.snapshot.catalog.keys;
        out.keys = hint.names.iter().filter_map(|k| keys.find(k)).collect();
        for id in select(look.snapshot, expr, look.cancel)?.ids() {
            let Some(event) = look.snapshot.event(id) else {
                continue;
            };
            let names = out.names(&event);
            for name in &names {
                out.of.entry(*name).or_default().insert(names.clone());
            }
        }
        Some(out)
    }

    /// Whether an event is about one of these instances: they share a name, and no other key differs. A name may be
    /// reused at another address.
    pub(crate) fn has(&self, event: &EventRef<'_>) -> bool {
        if self.of.is_empty() {
            return false;
        }
        let own = self.names(event);
        let mut known = own.iter().filter_map(|name| self.of.get(name)).flatten();
        known.any(|other| {
            let differs =
                |(key, value): &(KeyId, Code)| other.iter().any(|o| o.0 == *key && o.1 != *value);
            !own.iter().any(differs)
        })
    }

    fn names(&self, event: &EventRef<'_>) -> Names {
        let keys = self.keys.iter();
        keys.filter_map(|k| Some((*k, code(event, *k)?))).collect()
    }
}

/// Sources in which a hint is searched only in records that name its system: logs of other systems with hints, and all
/// others unless logs of its own lie beside them.
pub(crate) fn foreign(look: &Context<'_>, hints: &[Hint], hint: &Hint) -> FxHashSet<SourceId> {
    if hint.reach == Reach::Anywhere {
        return FxHashSet::default();
    }
    let has_hints = |system: &str| {
        let mut all = hints.iter();
        all.any(|h| h.system == system && h.reach == Reach::Own)
    };
    let sources = &look.snapshot.sources;
    let is_own = |source: &Source| source.system.as_deref() == Some(hint.system.as_str());
    let is_beside_own = sources.iter().any(|s| is_own(s));
    let is_foreign = |source: &Source| {
        let is_other = source.system.as_deref().is_some_and(has_hints);
        !is_own(source) && (is_other || !is_beside_own)
    };
    let foreign = sources.iter().filter(|s| is_foreign(s));
    foreign.map(|s| s.id).collect()
}

/// Whether a record has a key of a system, or a logger or component that is named after it.
pub(crate) fn names_system(event: &EventRef<'_>, system: &str) -> bool {
    let keys = &event.snapshot.catalog.keys;
    let is_within = |name: &str| {
        let rest = name.strip_prefix(system);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut found = false;
    event.for_each_code(|key, codes, _| {
        let Some(view) = keys.get(key).filter(|_| !found) else {
            return;
        };
        found = is_within(&view.key.name)
            || WRITERS.contains(&&*view.key.name)
                && codes
                    .iter()
                    .any(|code| view.spelling(*code).is_some_and(|name| is_within(&name)));
    });
    found
}

/// Keys of the part of a program that wrote a record.
const WRITERS: [&str; 3] = ["logger", "component", "program"];
