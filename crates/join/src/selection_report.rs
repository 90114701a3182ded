//! Reports of joins for a selection of events.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_store::key_column::UsualSpellings;
use widetui_store::{EventRef, Snapshot, ValueOrigin};

use crate::conflicts;
use crate::report::Report;

/// Maximum number of groups of one event; the values of several lists multiply.
const MAX_GROUPS_PER_EVENT: usize = 4_096;

/// Restricts reports of joins to some events: how many of these received a value, the number of
/// their groups, and the conflicts of these groups. Joins without effect on the events are omitted.
#[must_use]
pub fn restrict_reports(
    snapshot: &Snapshot,
    reports: &[Report],
    events: &Selection,
) -> Vec<Report> {
    let keys = &snapshot.catalog.keys;
    let ids =
        |names: &[String]| -> Option<Vec<KeyId>> { names.iter().map(|n| keys.find(n)).collect() };
    let mut counts: Vec<SelectionCounts> = Vec::new();
    for report in reports {
        let mut givers = snapshot.derived.joins.iter();
        let giver = givers.position(|j| *j.name == *report.join);
        // With several runs opened together the join also has the run as a left key.
        let by = giver.map(|at| snapshot.derived.joins[at].by.to_vec());
        counts.push(SelectionCounts {
            left_keys: by.or_else(|| ids(&report.left_keys)).unwrap_or_default(),
            giver,
            ..SelectionCounts::default()
        });
    }
    for event in events.ids().filter_map(|id| snapshot.event(id)) {
        let (values, derived_by) = event_values(&event);
        for join in &mut counts {
            join.receiving_events +=
                usize::from(join.giver.is_some_and(|at| derived_by.contains(&at)));
            join.add_groups(snapshot, &values);
        }
    }
    let restricted = |(report, join): (&Report, SelectionCounts)| {
        let blocked = { report.all_conflicts.0.iter() }.filter(|conflict| match &conflict.rival {
            Some(_) => conflict.events().any(|event| events.contains(event)),
            None => join.groups.contains(&conflict.group[..]),
        });
        let gives = ids(&report.right_keys).unwrap_or_default();
        let usual = UsualSpellings::new(snapshot, join.left_keys.iter().chain(&gives));
        Report {
            groups: join.groups.len(),
            receiving_events: join.receiving_events,
            conflicts: blocked.clone().count(),
            examples: conflicts::spell_out(snapshot, &join.left_keys, blocked, &usual),
            ..report.clone()
        }
    };
    let all = reports.iter().zip(counts).map(restricted);
    all.filter(|r| r.groups + r.receiving_events + r.conflicts > 0)
        .collect()
}

/// Counts of one join for the selected events.
#[derive(Default)]
struct SelectionCounts {
    /// Left keys; empty if the run lacks one of them.
    left_keys: Vec<KeyId>,
    /// Index among the joins that derived values.
    giver: Option<usize>,
    groups: FxHashSet<Vec<Code>>,
    receiving_events: usize,
}

impl SelectionCounts {
    /// Adds the groups of an event, given its values.
    fn add_groups(&mut self, snapshot: &Snapshot, values: &FxHashMap<KeyId, Vec<Code>>) {
        if self.left_keys.is_empty() {
            return;
        }
        let mut tuples: Vec<Vec<Code>> = vec![Vec::new()];
        for key in &self.left_keys {
            let (Some(codes), Some(view)) = (values.get(key), snapshot.catalog.keys.get(*key))
            else {
                return;
            };
            let more = tuples.iter().flat_map(|tuple| {
                codes.iter().map(|code| {
                    let mut tuple = tuple.clone();
                    tuple.push(view.dict.canonical(*code));
                    tuple
                })
            });
            tuples = more.take(MAX_GROUPS_PER_EVENT).collect();
        }
        self.groups.extend(tuples);
    }
}

/// Values of an event by key, and the indices of the joins that derived any of them.
fn event_values(event: &EventRef<'_>) -> (FxHashMap<KeyId, Vec<Code>>, FxHashSet<usize>) {
    let mut values: FxHashMap<KeyId, Vec<Code>> = FxHashMap::default();
    let mut derived_by = FxHashSet::default();
    event.for_each_code(|key, codes, origin| {
        if let ValueOrigin::Join(join) = origin {
            derived_by.insert(usize::from(join));
        }
        // The event's own values come before derived ones.
        values.entry(key).or_insert_with(|| codes.to_vec());
    });
    (values, derived_by)
}
