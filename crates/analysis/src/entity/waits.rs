//! Dependencies that are reported by the awaited instances.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, NONE};
use widetui_store::Snapshot;

use crate::entity::Instance;
use crate::entity::ids::IdIndex;
use crate::entity::marks::Mark;
use crate::entity::plan::{EntityPlan, InstanceKey, InstanceMark};

/// Dependencies as reported by the awaited instances.
#[derive(Default)]
pub(super) struct ReportedDependencies {
    /// Last id codes of the awaited instances, by index of the waiting instance.
    pub(crate) waiters: FxHashMap<usize, Vec<Code>>,
    /// Number of waiting instances named in reports that do not exist.
    pub(crate) absent: usize,
}

/// Whether a value stands for an empty field: all zeros.
fn is_empty_value(snapshot: &Snapshot, instance_key: Option<&InstanceKey>, code: Code) -> bool {
    let text = || {
        let view = snapshot.catalog.keys.get(instance_key?.0)?;
        view.spelling(code)
            .map(|text| text.trim_matches('0').is_empty())
    };
    code == NONE || text().unwrap_or(false)
}

/// Finds waiting instances from the reports of the awaited ones.
pub(super) fn find_dependencies(
    snapshot: &Snapshot,
    plan: &EntityPlan,
    marked: &[(&Instance, &[Mark])],
    index: &IdIndex,
) -> ReportedDependencies {
    let mut out = ReportedDependencies::default();
    let mut absent: FxHashSet<(u8, Vec<Code>)> = FxHashSet::default();
    for (instance, marks) in marked {
        for mark in *marks {
            let InstanceMark::AwaitedBy(code) = &mark.kind else {
                continue;
            };
            let mut id = instance.id.to_vec();
            let Some(last) = id.last_mut() else { continue };
            let known = id_code(snapshot, plan.awaited_by.as_ref(), *code);
            let own = std::mem::replace(last, known.unwrap_or(*code));
            let waiter = known.and_then(|_| index.get(instance.alternative, &id));
            if waiter.is_none() && !is_empty_value(snapshot, plan.awaited_by.as_ref(), *code) {
                absent.insert((instance.alternative, id));
                continue;
            }
            let Some(waiter) = waiter.filter(|_| known != Some(own)) else {
                continue;
            };
            let known = out.waiters.entry(waiter).or_default();
            if known.last() != Some(&own) {
                known.push(own);
            }
        }
    }
    out.absent = absent.len();
    out
}

/// Code of the id's last key for a value of a key that names other instances.
pub(super) fn id_code(
    snapshot: &Snapshot,
    instance_key: Option<&InstanceKey>,
    code: Code,
) -> Option<Code> {
    let (key, spellings) = instance_key?;
    if code < widetui_core::dict::ENTRY {
        return Some(code);
    }
    let view = snapshot.catalog.keys.get(*key)?;
    spellings.get(&view.spelling(code)?).copied()
}
