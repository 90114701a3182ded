//! Notable work items where none is stuck: those that failed, are open again, or took longest.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use widetui_analysis::entity::{Standing, has_begun, standings};
use widetui_store::Snapshot;

use crate::instances::{InstanceCache, InstanceHandle, InstancePosition, SnapshotInstances};

/// Reason why a work item is notable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Notability {
    /// It failed.
    Failed,
    /// It had ended and is open again.
    OpenAgain,
    /// It is one of those that took longest.
    Slowest,
}

/// Notable work item.
#[derive(Clone, Debug)]
pub struct NotableItem {
    /// Reason.
    pub why: Notability,
    /// The work item.
    pub instance: InstanceHandle,
    /// Its last state.
    pub state: Option<String>,
    /// Time of its last state change, UTC ns.
    pub since: Option<i64>,
    /// Its duration, ns.
    pub took: Option<i64>,
}

/// Maximum number of work items of an entity that are listed for a reason.
const MOST: usize = 20;
/// Number of the slowest work items of an entity.
const SLOWEST: usize = 8;

/// Notable work items.
#[derive(Clone, Debug, Default)]
pub struct NotableWork {
    /// Work items by reason, and within one by entity; of many the first.
    pub items: Vec<NotableItem>,
    /// Numbers of those that are open again, by label and state: `25 load_tile queued`.
    pub again: Vec<String>,
}

impl NotableWork {
    /// Finds the work items.
    pub(crate) fn find(
        snapshot: &Snapshot,
        cache: &InstanceCache,
        seen: &SnapshotInstances,
    ) -> NotableWork {
        let mut out = NotableWork::default();
        let mut again: BTreeMap<String, usize> = BTreeMap::new();
        for (entity, all) in seen.found.occurring.iter().enumerate() {
            if !all.entity.is_work_item() {
                continue;
            }
            let standings = standings(snapshot, all);
            let state_of = |standing: &Standing| {
                let state = standing.state.map(usize::from);
                state.and_then(|at| all.states.get(at)).cloned()
            };
            let (mut failed, mut open, mut ended) = (Vec::new(), Vec::new(), Vec::new());
            for (at, (one, standing)) in all.list.iter().zip(&standings).enumerate() {
                if !has_begun(all, one) {
                    continue;
                }
                if all.is_open_again(standing) {
                    let state = state_of(standing).unwrap_or_default();
                    let label = all.label(snapshot, one).unwrap_or_default();
                    let group = format!("{label} {state}").trim().to_owned();
                    *again.entry(group).or_default() += 1;
                    open.push(at);
                } else if all.has_failed(one, standing) {
                    failed.push(at);
                } else {
                    ended.extend(standing.duration().map(|took| (Reverse(took), at)));
                }
            }
            ended.sort_unstable();
            let slowest = ended.into_iter().take(SLOWEST).map(|(_, at)| at).collect();
            let lists: [(Notability, Vec<usize>); 3] = [
                (Notability::Failed, failed),
                (Notability::OpenAgain, open),
                (Notability::Slowest, slowest),
            ];
            for (why, list) in lists {
                let items = list.into_iter().take(MOST).filter_map(|instance| {
                    let standing = standings.get(instance)?;
                    let at = InstancePosition { entity, instance };
                    Some(NotableItem {
                        why,
                        instance: InstanceHandle::new(cache, snapshot, seen, at)?,
                        state: state_of(standing),
                        since: standing.state_since,
                        took: standing.duration(),
                    })
                });
                out.items.extend(items);
            }
        }
        out.items.sort_by_key(|item| item.why);
        let mut again: Vec<(usize, String)> = again.into_iter().map(|(g, n)| (n, g)).collect();
        again.sort_by_key(|group| Reverse(group.0));
        out.again = { again.into_iter() }
            .map(|(n, group)| format!("{n} {group}"))
            .collect();
        out
    }
}
