//! Reach of a hint: the sources in which it is searched, and the events and instances that make its message harmless.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::{Expr, select};
use widetui_store::{EventRef, Source};

use super::Input;
use crate::hint::{Hint, Reach};

/// Without a run: a record this long after an end belongs to a new execution, ns.
const ANEW: i64 = 600_000_000_000;

/// Keys of the part of a program that wrote a record.
const WRITERS: [&str; 3] = ["logger", "component", "program"];

/// Events of each run, or of each source without one, that make a message harmless, with their times, UTC ns.
#[derive(Default)]
pub(super) struct Moments {
    of_run: FxHashMap<usize, i64>,
    /// Times by source without a run. Such a source may hold several executions, so each keeps all of its ends.
    of_source: FxHashMap<u32, Vec<i64>>,
    of_rest: Vec<i64>,
}

impl Moments {
    /// Moments of the events that fulfil a condition; the first one of each run counts. `None` if cancelled.
    pub(super) fn of(input: &Input<'_>, condition: Option<&Expr>) -> Option<Moments> {
        let mut out = Moments::default();
        let Some(condition) = condition else {
            return Some(out);
        };
        let events = select(input.snapshot, condition, input.cancel)?;
        for event in events.ids().filter_map(|id| input.snapshot.event(id)) {
            // Its presence counts even if it has no time.
            let time = event.time();
            if let Some(run) = input.run_of(&event) {
                let first = out.of_run.entry(run).or_insert(i64::MAX);
                *first = (*first).min(time.unwrap_or(i64::MAX));
            } else {
                out.of_rest.extend(time);
                let source = event.source().id.0;
                out.of_source.entry(source).or_default().extend(time);
            }
        }
        Some(out)
    }

    /// True if the run of an event, or its source if it has no run, has one of the events.
    pub(super) fn concern(&self, input: &Input<'_>, event: &EventRef<'_>) -> bool {
        match input.run_of(event) {
            Some(run) => self.of_run.contains_key(&run),
            None => self.of_source.contains_key(&event.source().id.0),
        }
    }

    /// True if an event came at or after one of the events of its run, or after the end of its run.
    pub(super) fn precede(&self, input: &Input<'_>, event: &EventRef<'_>) -> bool {
        if input.is_after_end(event) {
            return true;
        }
        // A record without a time takes the time of the last one before it.
        let at = event.time().unwrap_or_else(|| event.order_time());
        if at == i64::MAX {
            return false;
        }
        if let Some(run) = input.run_of(event) {
            // Equal times count too: the clocks of some logs are coarse.
            return self.of_run.get(&run).is_some_and(|from| at >= *from);
        }
        let own = self.of_source.get(&event.source().id.0);
        let own = own.filter(|ends| !ends.is_empty());
        let mut ends = own.unwrap_or(&self.of_rest).iter();
        ends.any(|end| at >= *end && at.saturating_sub(*end) < ANEW)
    }
}

/// Values of the hint's naming keys in a record.
type Names = Vec<(KeyId, Code)>;

/// Instances for which an event makes the hint harmless: an instance that announced its own end did not disappear
/// unexpectedly.
#[derive(Default)]
pub(super) struct Cleared {
    keys: Vec<KeyId>,
    /// By name: the names of each record with it.
    of: FxHashMap<(KeyId, Code), FxHashSet<Names>>,
}

impl Cleared {
    /// Instances that `unless_named` matches. `None` if cancelled.
    pub(super) fn of(input: &Input<'_>, hint: &Hint) -> Option<Cleared> {
        let mut out = Cleared::default();
        let Some(expr) = &hint.unless_named else {
            return Some(out);
        };
        let keys = &input.snapshot.catalog.keys;
        out.keys = hint.names.iter().filter_map(|k| keys.find(k)).collect();
        let events = select(input.snapshot, expr, input.cancel)?;
        for event in events.ids().filter_map(|id| input.snapshot.event(id)) {
            let names = out.names(&event);
            for name in &names {
                out.of.entry(*name).or_default().insert(names.clone());
            }
        }
        Some(out)
    }

    /// True if an event is about one of these instances: they share a name, and no other key differs. A name may be reused
    /// at another address.
    pub(super) fn has(&self, event: &EventRef<'_>) -> bool {
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
pub(super) fn foreign(input: &Input<'_>, hint: &Hint) -> FxHashSet<SourceId> {
    if hint.reach == Reach::Anywhere {
        return FxHashSet::default();
    }
    let has_hints = |system: &str| {
        let mut all = input.hints.iter();
        all.any(|h| h.system == system && h.reach == Reach::Own)
    };
    let sources = &input.snapshot.sources;
    let is_own = |source: &Source| source.system.as_deref() == Some(hint.system.as_str());
    let is_beside_own = sources.iter().any(|s| is_own(s));
    let is_foreign = |source: &Source| {
        let is_other = source.system.as_deref().is_some_and(has_hints);
        !is_own(source) && (is_other || !is_beside_own)
    };
    let foreign = sources.iter().filter(|s| is_foreign(s));
    foreign.map(|s| s.id).collect()
}

/// True if a record has a key of a system, or a logger or component that is named after it.
pub(super) fn names_system(event: &EventRef<'_>, system: &str) -> bool {
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

/// First value of `key` in an event.
pub(super) fn code(event: &EventRef<'_>, key: KeyId) -> Option<Code> {
    let mut found = None;
    event.for_each_code(|k, codes, _| {
        if k == key && found.is_none() {
            found = codes.first().copied();
        }
    });
    let view = event.snapshot.catalog.keys.get(key)?;
    found.map(|c| view.dict.canonical(c))
}

/// Events of a duplicate group.
pub(super) fn group(input: &Input<'_>, id: EventId) -> impl Iterator<Item = EventId> {
    input.snapshot.duplicates.group(id.0).map(EventId)
}
