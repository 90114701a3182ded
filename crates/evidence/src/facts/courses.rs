//! Courses of classes: which steps the instances of a class take, and in which order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::actors::{InstanceIndex, RecordIndex, Records};

/// Most instances of a class that is compared.
const MOST: usize = 20_000;

/// Course of a class.
#[derive(Clone, Debug)]
pub struct Course {
    /// Class.
    pub class: u32,
    /// Instances that share a step with a third of the others.
    pub members: Vec<InstanceIndex>,
    /// Templates of each member.
    pub steps: FxHashMap<InstanceIndex, FxHashSet<u32>>,
    /// Number of members by template.
    pub taken: FxHashMap<u32, u32>,
}

impl Course {
    /// Number of members that took a step.
    pub fn taken_by(&self, template: u32) -> u32 {
        self.taken.get(&template).copied().unwrap_or(0)
    }
}

/// Courses of all classes with at least three instances.
pub fn courses(records: &Records) -> Vec<Course> {
    let mut classes: Vec<u32> = records.classes.keys().copied().collect();
    classes.sort_unstable();
    let found = classes
        .into_iter()
        .filter_map(|class| course(records, class));
    found.collect()
}

fn course(records: &Records, class: u32) -> Option<Course> {
    // Logs are instances of a class if they are made alike.
    let is_alike = |i: &InstanceIndex| {
        let group = |s: u32| records.group_of_source.get(s as usize).copied();
        let own = records.instance(*i).source.and_then(group);
        records
            .group_of_source
            .iter()
            .filter(|g| Some(**g) == own)
            .count()
            >= 3
    };
    let is_log = records.text(class) == "log";
    let all = records.classes.get(&class)?.iter().copied();
    let all = all.filter(|i| records.instance(*i).is_whole);
    let all: Vec<InstanceIndex> = all.filter(|i| !is_log || is_alike(i)).collect();
    let name = records.text(class);
    if !(3..=MOST).contains(&all.len())
        || matches!(
            name,
            "address" | "id" | "name" | "path" | "errno" | "#" | "host" | "hostname" | "logger"
        )
    {
        return None;
    }
    let steps: FxHashMap<InstanceIndex, FxHashSet<u32>> = all
        .iter()
        .map(|i| {
            let templates = records.of(*i).iter().map(|r| records.record(*r).template);
            (*i, templates.collect())
        })
        .collect();
    let mut shared: FxHashMap<u32, u32> = FxHashMap::default();
    for template in steps.values().flatten() {
        *shared.entry(*template).or_default() += 1;
    }
    let is_member = |i: &&InstanceIndex| {
        let own = steps.get(*i);
        own.is_some_and(|s| s.iter().any(|t| 10 * shared[t] as usize >= 3 * all.len()))
    };
    let members: Vec<InstanceIndex> = all.iter().filter(is_member).copied().collect();
    if members.len() < 3 {
        return None;
    }
    let mut taken: FxHashMap<u32, u32> = FxHashMap::default();
    for m in &members {
        for t in &steps[m] {
            *taken.entry(*t).or_default() += 1;
        }
    }
    (taken.len() >= 2 && taken.values().any(|n| *n >= 3)).then_some(Course {
        class,
        members,
        steps,
        taken,
    })
}

/// Last record of an instance in time order; undated ones come last and count only without dated ones.
pub fn last_of(records: &Records, index: InstanceIndex) -> Option<RecordIndex> {
    let all = records.of(index);
    let dated = all
        .iter()
        .rev()
        .find(|r| records.record(**r).time.is_some());
    dated.or(all.last()).copied()
}
