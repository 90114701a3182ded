//! Instances grouped by a property of their events.

use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_store::Snapshot;

use crate::Instances;
use crate::columns::{EventProperty, PropertyColumn};

/// Group of instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceGroup {
    /// Value of the property; empty for instances without one.
    pub name: String,
    /// Members, as indices into `Instances::list`, ascending.
    pub members: Vec<usize>,
}

/// Groups the instances that are `kept` by the first value of a property in their events, in the order of
/// [`group_order`]. `None` when cancelled.
pub fn group_instances(
    snapshot: &Snapshot,
    instances: &Instances,
    kept: &[bool],
    group_by: &EventProperty,
    cancel: &Cancel,
) -> Option<Vec<InstanceGroup>> {
    let labels = PropertyColumn::read(snapshot, group_by, cancel)?;
    let mut groups: FxHashMap<Code, Vec<usize>> = FxHashMap::default();
    for (at, instance) in instances.list.iter().enumerate() {
        if at % 1024 == 0 && cancel.is_cancelled() {
            return None;
        }
        if kept.get(at).copied().unwrap_or_default() {
            let code = labels.first_code(instances.events(instance));
            groups.entry(code).or_default().push(at);
        }
    }
    let group = |(code, members): (Code, Vec<usize>)| InstanceGroup {
        name: labels.text(snapshot, code),
        members,
    };
    let mut out: Vec<InstanceGroup> = groups.into_iter().map(group).collect();
    let order = group_order(out.iter().map(|g| (g.name.as_str(), g.members.len())));
    Some(
        order
            .into_iter()
            .map(|at| std::mem::take(&mut out[at]))
            .collect(),
    )
}

/// Order in which groups with a name and a size are listed, as indices: by number if all names are numbers, else the
/// largest first; the group without a name comes last.
pub fn group_order<'a>(groups: impl Iterator<Item = (&'a str, usize)>) -> Vec<usize> {
    let groups: Vec<(&str, usize)> = groups.collect();
    let numbers: Vec<Option<u64>> = groups.iter().map(|g| g.0.parse().ok()).collect();
    let is_number = |at: &usize| numbers[*at].is_some() || groups[*at].0.is_empty();
    let by_number = (0..groups.len()).all(|at| is_number(&at));
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|at| {
        let (name, size) = groups[*at];
        let rank = match by_number {
            true => numbers[*at].unwrap_or(u64::MAX),
            false => u64::MAX - size as u64,
        };
        (name.is_empty(), rank, name)
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_listed_by_number_or_by_size() {
        let order = |groups: &[(&str, usize)]| group_order(groups.iter().copied());
        assert_eq!(order(&[("10", 5), ("", 9), ("9", 1)]), [2, 0, 1]);
        assert_eq!(
            order(&[("b", 2), ("", 9), ("a", 2), ("7", 3)]),
            [3, 2, 0, 1]
        );
    }
}
