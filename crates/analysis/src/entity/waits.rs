//! Dependencies that are reported by the awaited instances.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::entity::Instance;
use crate::entity::ids::IdIndex;
use crate::entity::marks::Mark;
use crate::entity::plan::{EntityPlan, Other};
use crate::entity::segment_instances::InstanceMark;

/// Dependencies as reported by the awaited instances.
#[derive(Default)]
pub(super) struct Awaited {
    /// Last id codes of the awaited instances, by index of the waiting instance.
    pub waiters: FxHashMap<usize, Vec<Code>>,
    /// Number of waiting instances named in reports that do not exist.
    pub absent: usize,
}

/// Whether a value stands for an empty field: all zeros.
fn is_nothing(snapshot: &Snapshot, other: Option<&Other>, code: Code) -> bool {
    let text = || {
        let view = snapshot.catalog.keys.get(other?.0)?;
        view.spelling(code)
            .map(|text| text.trim_matches('0').is_empty())
    };
    code == NONE || text().unwrap_or(false)
}

/// Finds waiting instances from the reports of the awaited ones.
pub(super) fn awaited(
    snapshot: &Snapshot,
    plan: &EntityPlan,
    marked: &[(&Instance, &[Mark])],
    index: &IdIndex,
) -> Awaited {
    let mut out = Awaited::default();
    let mut absent: FxHashSet<(u8, Vec<Code>)> = FxHashSet::default();
    // Earliest begin of instances that `waiter` can depend on.
    let since = |waiter: usize| {
        let (_, marks) = marked.get(waiter)?;
        let last = marks.iter().rfind(|m| m.what == InstanceMark::Since)?.event;
        snapshot.event(EventId(last))?.time()
    };
    for (instance, marks) in marked {
        for mark in *marks {
            let InstanceMark::Awaited(code) = &mark.what else {
                continue;
            };
            let mut id = instance.id.to_vec();
            let Some(last) = id.last_mut() else { continue };
            let known = own_code(snapshot, plan.awaited.as_ref(), *code);
            let own = std::mem::replace(last, known.unwrap_or(*code));
            let waiter = known.and_then(|_| index.get(instance.alternative, &id));
            if waiter.is_none() && !is_nothing(snapshot, plan.awaited.as_ref(), *code) {
                absent.insert((instance.alternative, id));
                continue;
            }
            let Some(waiter) = waiter.filter(|_| known != Some(own)) else {
                continue;
            };
            let is_before = plan.awaited_since.is_some()
                && since(waiter).is_none_or(|t| instance.range.is_none_or(|r| r.0 < t));
            let known = out.waiters.entry(waiter).or_default();
            if !is_before && known.last() != Some(&own) {
                known.push(own);
            }
        }
    }
    out.absent = absent.len();
    out
}

/// Code of the id's last key for a value of a key that names other instances.
pub(super) fn own_code(snapshot: &Snapshot, other: Option<&Other>, code: Code) -> Option<Code> {
    let (key, spellings) = other?;
    if code < widetui_core::dict::ENTRY {
        return Some(code);
    }
    let view = snapshot.catalog.keys.get(*key)?;
    spellings.get(&view.spelling(code)?).copied()
}
