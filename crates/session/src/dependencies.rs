//! Graph of dependencies between instances, arranged for drawing, and its critical path.

use std::sync::Arc;

use widetui_analysis::account::AccountContext;
use widetui_analysis::columns::EventProperty;
use widetui_analysis::dag::{CriticalPath, Dag, DagDrawing, DrawnDag, Folding, last_states};
use widetui_analysis::instance_groups::group_instances;
use widetui_analysis::{Entity, Instances};
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

/// Graph as it is drawn, with its critical path.
#[derive(Clone, Debug, Default)]
pub struct DependencyGraph {
    /// Nodes and edges.
    pub drawn: DrawnDag,
    /// Critical path.
    pub path: CriticalPath,
}

/// Instances with their dependencies, and those that are drawn.
#[derive(Clone, Copy)]
pub struct DependentInstances<'a> {
    /// Instances.
    pub found: &'a Instances,
    /// Their dependencies.
    pub dag: &'a Dag,
    /// Flags of the instances among which the critical path is found.
    pub scope: &'a [bool],
    /// Flags of the instances that are drawn; `None` for those of the critical path.
    pub kept: Option<&'a [bool]>,
}

impl DependencyGraph {
    /// Arranges instances. `by` is the property by which a large graph is folded: the label (app) if `None`. `None` when
    /// cancelled.
    pub fn arrange(
        snapshot: &Snapshot,
        entities: &[Arc<Entity>],
        instances: DependentInstances<'_>,
        (by, folding): (Option<&EventProperty>, Folding),
        cancel: &Cancel,
    ) -> Option<DependencyGraph> {
        let DependentInstances { found, dag, .. } = instances;
        let context = AccountContext::new(snapshot, found, entities, cancel)?;
        let path = CriticalPath::find(snapshot, (found, dag), &context, instances.scope);
        let critical: Vec<usize> = path.steps.iter().map(|step| step.instance).collect();
        let kept = instances.kept.map_or_else(
            || {
                let mut kept = vec![false; found.list.len()];
                critical.iter().for_each(|at| kept[*at] = true);
                kept
            },
            <[bool]>::to_vec,
        );
        let groups = match by {
            Some(by) => values(snapshot, found, by, cancel)?,
            None => {
                let label = |i| found.label(snapshot, i).unwrap_or_default();
                found.list.iter().map(label).collect()
            }
        };
        let name = |at: usize| {
            let instance = &found.list[at];
            let number = found.short_name(snapshot, instance);
            match found.label(snapshot, instance) {
                Some(label) => format!("{label} {number}"),
                None => format!("{} {number}", found.entity.title),
            }
        };
        let drawing = DagDrawing {
            kept: &kept,
            groups: &groups,
            names: &name,
            states: &last_states(snapshot, found),
            critical: &critical,
            folding,
        };
        Some(DependencyGraph {
            drawn: DrawnDag::new(found, dag, &drawing),
            path,
        })
    }
}

/// Value of a property for each instance; empty without one. `None` when cancelled.
fn values(
    snapshot: &Snapshot,
    found: &Instances,
    by: &EventProperty,
    cancel: &Cancel,
) -> Option<Vec<String>> {
    let mut out = vec![String::new(); found.list.len()];
    let all = vec![true; found.list.len()];
    for group in group_instances(snapshot, found, &all, by, cancel)? {
        for at in group.members {
            out[at].clone_from(&group.name);
        }
    }
    Some(out)
}
