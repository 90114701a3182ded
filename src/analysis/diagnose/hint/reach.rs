//! In whose logs a hint is looked for, and of which things it is none.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::base::dict::Code;
use crate::base::ids::{KeyId, SourceId};
use crate::query::select;
use crate::store::Source;

use super::{Hint, code};
use crate::analysis::diagnose::look::Look;

/// In whose logs a hint is looked for. In those that no definition knows, all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In everybody's.
    Anywhere,
    /// In those of its system, and beside them: others may use the same words for something else.
    Own,
}

/// The things, by the keys of a hint's names, of which there is an event with which it is none: who told itself that it ends
/// was not gone without a word. `None` when cancelled.
pub(super) fn cleared(look: &Look<'_>, hint: &Hint) -> Option<FxHashSet<(KeyId, Code)>> {
    let mut out = FxHashSet::default();
    let Some(expr) = &hint.unless_named else {
        return Some(out);
    };
    let keys = &look.snapshot.catalog.keys;
    let keys: Vec<KeyId> = hint.names.iter().filter_map(|k| keys.find(k)).collect();
    for id in select(look.snapshot, expr, look.cancel)?.ids() {
        let Some(event) = look.snapshot.event(id) else {
            continue;
        };
        out.extend(keys.iter().filter_map(|k| Some((*k, code(&event, *k)?))));
    }
    Some(out)
}

/// The sources in which a hint is not looked for: those of other systems that have hints of their own, when none of its own
/// system is there.
pub(super) fn foreign(look: &Look<'_>, hints: &[Hint], hint: &Hint) -> FxHashSet<SourceId> {
    let sources = look.snapshot.sources.iter();
    let is_own = |s: &Arc<Source>| s.system.as_deref() == Some(&*hint.system);
    if hint.reach == Reach::Anywhere || sources.clone().any(is_own) {
        return FxHashSet::default();
    }
    let has_own = |system: &str| {
        let mut all = hints.iter();
        all.any(|h| h.system == system && h.reach == Reach::Own)
    };
    let foreign = sources.filter(|s| s.system.as_deref().is_some_and(has_own));
    foreign.map(|s| s.id).collect()
}
