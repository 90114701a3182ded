//! Graph of the dependencies between instances of an entity: which task waited for which.

mod critical_path;
mod depth_labels;
mod drawing;

use widetui_store::Snapshot;

use crate::Instances;

pub use critical_path::{CriticalPath, CriticalStep, CriticalTotal};
pub use depth_labels::depth_labels;
pub use drawing::{DagDrawing, DagEdge, DagNode, DrawnDag, Folding, MAX_SINGLE};

/// Dependencies between the instances of an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dag {
    /// Dependencies of each instance, as indices into `Instances::list`, ascending.
    pub dependencies: Vec<Vec<usize>>,
    /// Length of the longest chain of dependencies before each instance; 0 without dependencies.
    pub depths: Vec<u32>,
}

impl Dag {
    /// Reads the dependencies of all instances.
    pub fn new(instances: &Instances) -> Dag {
        let index = instances.index();
        let all = instances.list.iter();
        let dependencies = all.map(|instance| instances.dependencies(&index, instance));
        Dag::from_dependencies(dependencies.collect())
    }

    /// Reads the dependencies that began no later than the instance that waits: without inner tasks that a running task
    /// starts and joins.
    fn before(instances: &Instances) -> Dag {
        let mut dependencies = Dag::new(instances).dependencies;
        let begin = |at: usize| Some(instances.list.get(at)?.range?.0);
        for (at, before) in dependencies.iter_mut().enumerate() {
            before.retain(|other| match (begin(*other), begin(at)) {
                (Some(other), Some(own)) => other <= own,
                _ => true,
            });
        }
        Dag::from_dependencies(dependencies)
    }

    /// Orders instances by their dependencies. Those of a cycle count the dependencies outside it alone.
    fn from_dependencies(dependencies: Vec<Vec<usize>>) -> Dag {
        let mut depths = vec![0u32; dependencies.len()];
        let mut open: Vec<usize> = dependencies.iter().map(Vec::len).collect();
        let dependents = dependents(&dependencies);
        let mut ready: Vec<usize> = (0..open.len()).filter(|at| open[*at] == 0).collect();
        while let Some(at) = ready.pop() {
            for next in &dependents[at] {
                depths[*next] = depths[*next].max(depths[at].saturating_add(1));
                open[*next] -= 1;
                if open[*next] == 0 {
                    ready.push(*next);
                }
            }
        }
        Dag {
            dependencies,
            depths,
        }
    }

    /// Instances that depend on each instance, ascending.
    pub fn dependents(&self) -> Vec<Vec<usize>> {
        dependents(&self.dependencies)
    }

    /// Flags of the instances that are among `some`, or connected with one of them by dependencies in one direction.
    pub fn around(&self, some: &[usize]) -> Vec<bool> {
        let mut out = vec![false; self.depths.len()];
        for neighbours in [&self.dependencies, &self.dependents()] {
            let mut seen = vec![false; out.len()];
            let mut open: Vec<usize> = some.to_vec();
            while let Some(at) = open.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    open.extend(&neighbours[at]);
                }
            }
            out.iter_mut()
                .zip(seen)
                .for_each(|(out, seen)| *out |= seen);
        }
        out
    }

    /// True if no instance depends on another one.
    pub fn is_empty(&self) -> bool {
        self.dependencies.iter().all(Vec::is_empty)
    }
}

/// Last state of each instance, as an index into `Instances::states`.
pub fn last_states(snapshot: &Snapshot, instances: &Instances) -> Vec<Option<u16>> {
    let all = instances.list.iter();
    all.map(|instance| instances.standing(snapshot, instance).state)
        .collect()
}

fn dependents(dependencies: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); dependencies.len()];
    for (at, before) in dependencies.iter().enumerate() {
        before.iter().for_each(|other| out[*other].push(at));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_the_longest_chain_also_beside_a_cycle() {
        // 0 <- 1 <- 2, 0 <- 3, 2 and 3 <- 4; 5 and 6 wait for each other, 6 for 1.
        let dependencies = [&[][..], &[0], &[1], &[0], &[2, 3], &[6], &[1, 5]];
        let dag = Dag::from_dependencies(dependencies.map(<[usize]>::to_vec).to_vec());
        assert_eq!(dag.depths, [0, 1, 2, 1, 3, 0, 2]);
        assert_eq!(dag.dependents()[0], [1, 3]);
        assert_eq!(
            dag.around(&[1]),
            [true, true, true, false, true, true, true]
        );
        assert_eq!(
            dag.around(&[3]),
            [true, false, false, true, true, false, false]
        );
    }
}
