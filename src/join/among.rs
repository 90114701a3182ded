//! What joins did for some events.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::dict::Code;
use crate::base::ids::KeyId;
use crate::query::Selection;
use crate::store::{EventRef, Snapshot, ValueOrigin};

use super::{Conflict, Report};

/// Most groups of which one event may be a part: the values of lists multiply.
const GROUPS: usize = 4_096;

/// The reports of joins, as far as they are about some events: how many of these received a value, of how many groups they are, and
/// the conflicts of those, of the ones that a report spells out. Joins that did nothing for them are left out.
#[must_use]
pub fn among(snapshot: &Snapshot, reports: &[Report], events: &Selection) -> Vec<Report> {
    let keys = &snapshot.catalog.keys;
    let ids =
        |names: &[String]| -> Option<Vec<KeyId>> { names.iter().map(|n| keys.find(n)).collect() };
    let mut counted: Vec<Counted> = Vec::new();
    for report in reports {
        counted.push(Counted {
            by: ids(&report.by).unwrap_or_default(),
            giver: snapshot
                .derived
                .joins
                .iter()
                .position(|j| *j.name == *report.join),
            ..Counted::default()
        });
    }
    for event in events.ids().filter_map(|id| snapshot.event(id)) {
        let (has, given) = values(&event);
        for join in &mut counted {
            join.widened += usize::from(join.giver.is_some_and(|at| given.contains(&at)));
            join.count(snapshot, &has);
        }
    }
    let about = |(report, join): (&Report, Counted)| {
        let said: FxHashSet<Vec<String>> = join
            .groups
            .iter()
            .map(|group| spelled(snapshot, &join.by, group))
            .collect();
        let is_here = |conflict: &&Conflict| {
            let values = conflict.group.iter().map(|(_, value)| value.clone());
            said.contains(&values.collect::<Vec<String>>())
        };
        let examples: Vec<Conflict> = report.examples.iter().filter(is_here).cloned().collect();
        Report {
            groups: join.groups.len(),
            widened: join.widened,
            conflicts: examples.len(),
            examples,
            ..report.clone()
        }
    };
    let all = reports.iter().zip(counted).map(about);
    all.filter(|r| r.groups + r.widened > 0).collect()
}

/// What is known of one join.
#[derive(Default)]
struct Counted {
    /// Its left keys; none where the run lacks one of them.
    by: Vec<KeyId>,
    /// Its number among those that gave something.
    giver: Option<usize>,
    groups: FxHashSet<Vec<Code>>,
    widened: usize,
}

impl Counted {
    /// Adds the groups of which an event is a part.
    fn count(&mut self, snapshot: &Snapshot, has: &FxHashMap<KeyId, Vec<Code>>) {
        if self.by.is_empty() {
            return;
        }
        let mut tuples: Vec<Vec<Code>> = vec![Vec::new()];
        for key in &self.by {
            let (Some(codes), Some(view)) = (has.get(key), snapshot.catalog.keys.get(*key)) else {
                return;
            };
            let more = tuples.iter().flat_map(|tuple| {
                codes.iter().map(|code| {
                    let mut tuple = tuple.clone();
                    tuple.push(view.dict.canonical(*code));
                    tuple
                })
            });
            tuples = more.take(GROUPS).collect();
        }
        self.groups.extend(tuples);
    }
}

/// The values of an event, and which joins gave it one.
fn values(event: &EventRef<'_>) -> (FxHashMap<KeyId, Vec<Code>>, FxHashSet<usize>) {
    let mut has: FxHashMap<KeyId, Vec<Code>> = FxHashMap::default();
    let mut given = FxHashSet::default();
    event.for_each_code(|key, codes, origin| {
        if let ValueOrigin::Join(join) = origin {
            given.insert(usize::from(join));
        }
        // Its own values come first.
        has.entry(key).or_insert_with(|| codes.to_vec());
    });
    (has, given)
}

fn spelled(snapshot: &Snapshot, by: &[KeyId], group: &[Code]) -> Vec<String> {
    let one = |(key, code): (&KeyId, &Code)| {
        let view = snapshot.catalog.keys.get(*key)?;
        view.spelling(*code)
    };
    let all = by.iter().zip(group).map(one);
    all.map(Option::unwrap_or_default).collect()
}
