//! Reports of joins for a selection of events.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_store::lanes::Usual;
use widetui_store::{EventRef, Snapshot, ValueOrigin};

use crate::conflicts;
use crate::report::Report;

/// Most groups of which one event may be a part: the values of lists multiply.
const GROUPS: usize = 4_096;

/// The reports of joins, as far as they are about some events: how many of these received a value, of how many groups they are, and
/// the conflicts of those. Joins that did nothing for them are left out.
#[must_use]
pub fn among(snapshot: &Snapshot, reports: &[Report], events: &Selection) -> Vec<Report> {
    let keys = &snapshot.catalog.keys;
    let ids =
        |names: &[String]| -> Option<Vec<KeyId>> { names.iter().map(|n| keys.find(n)).collect() };
    let mut counted: Vec<Counted> = Vec::new();
    for report in reports {
        let mut givers = snapshot.derived.joins.iter();
        let giver = givers.position(|j| *j.name == *report.join);
        // What it is computed by is more where several runs are opened together.
        let by = giver.map(|at| snapshot.derived.joins[at].by.to_vec());
        counted.push(Counted {
            by: by.or_else(|| ids(&report.by)).unwrap_or_default(),
            giver,
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
        let blocked = { report.blocked.0.iter() }.filter(|b| join.groups.contains(&b.group[..]));
        let gives = ids(&report.gives).unwrap_or_default();
        let usual = Usual::new(snapshot, join.by.iter().chain(&gives));
        Report {
            groups: join.groups.len(),
            widened: join.widened,
            conflicts: blocked.clone().count(),
            examples: conflicts::examples(snapshot, &join.by, blocked, &usual),
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
