//! Who waits for whom, as those tell it that are waited for.

use rustc_hash::FxHashMap;

use crate::base::dict::Code;
use crate::base::ids::EventId;
use crate::store::Snapshot;

use super::Instance;
use super::found::InstanceMark;
use super::ids::IdIndex;
use super::plan::{EntityPlan, Other};

/// By number of an instance that waits: the last codes of the ids of those that say that it waits for them.
pub(super) fn awaited(
    snapshot: &Snapshot,
    plan: &EntityPlan,
    marked: &[(&Instance, &[(u32, InstanceMark)])],
    index: &IdIndex,
) -> FxHashMap<usize, Vec<Code>> {
    let mut out: FxHashMap<usize, Vec<Code>> = FxHashMap::default();
    // From when on a waiting one can wait for what begins.
    let since = |waiter: usize| {
        let (_, marks) = marked.get(waiter)?;
        let last = marks.iter().rfind(|m| m.1 == InstanceMark::Since)?.0;
        snapshot.event(EventId(last))?.time()
    };
    for (instance, marks) in marked {
        for (_, mark) in *marks {
            let InstanceMark::Awaited(code) = mark else {
                continue;
            };
            let mut id = instance.id.to_vec();
            let (Some(last), Some(code)) = (
                id.last_mut(),
                own_code(snapshot, plan.awaited.as_ref(), *code),
            ) else {
                continue;
            };
            let own = std::mem::replace(last, code);
            let waiter = index.get(instance.alternative, &id);
            let Some(waiter) = waiter.filter(|_| own != code) else {
                continue;
            };
            let is_before = plan.awaited_since.is_some()
                && since(waiter).is_none_or(|t| instance.range.is_none_or(|r| r.0 < t));
            let known = out.entry(waiter).or_default();
            if !is_before && known.last() != Some(&own) {
                known.push(own);
            }
        }
    }
    out
}

/// The code of the id's last key for a value of a key that names another one.
pub(super) fn own_code(snapshot: &Snapshot, other: Option<&Other>, code: Code) -> Option<Code> {
    let (key, spellings) = other?;
    if code < crate::base::dict::ENTRY {
        return Some(code);
    }
    let view = snapshot.catalog.keys.get(*key)?;
    spellings.get(&view.spelling(code)?).copied()
}
