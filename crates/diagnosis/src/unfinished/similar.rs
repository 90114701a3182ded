//! Groups of similar unfinished work items, which are reported together.

use std::collections::HashMap;

use crate::unfinished::model::{UnfinishedItem, WaitState};

/// Common properties of items that are reported together: progress, last records, place, waits. Labels are listed with
/// the numbers of the items.
type Looks<'a> = (
    (WaitState, &'a str),
    (&'a Option<String>, &'a Option<String>),
    (Vec<&'a str>, &'a [u64]),
    [bool; 4],
    (Option<usize>, Option<&'a str>),
    usize,
);

fn looks(one: &UnfinishedItem, number: usize) -> Looks<'_> {
    let is_only_run = one.run_name.is_none();
    let place = one.spot().map(|p| match is_only_run {
        true => p.1.as_str(),
        // Across several runs only the kind of place must agree.
        false => p.0.as_str(),
    });
    let failed = one.failed_first.first();
    (
        (one.standing, &one.entity),
        (&one.state, &one.because),
        (place.collect(), &one.told_last),
        [
            one.begun_there.is_some(),
            one.finished_there.is_some(),
            one.lost_sight().is_some(),
            one.failed_first.is_empty(),
        ],
        // The item that blocks it; across several runs only whether one does.
        (
            Some(one.root).filter(|_| is_only_run && one.standing == WaitState::Waiting),
            failed.map(|f| f.name.as_str()).filter(|_| is_only_run),
        ),
        // An item that others wait for is listed on its own.
        match one.waiters.is_empty() {
            true => usize::MAX,
            false => number,
        },
    )
}

/// Groups of similar items, in the order of the first of each.
pub fn alike<'a>(stuck: &[&'a UnfinishedItem]) -> Vec<Vec<&'a UnfinishedItem>> {
    let mut groups: Vec<Vec<&UnfinishedItem>> = Vec::new();
    let mut of: HashMap<Looks<'_>, usize> = HashMap::new();
    for (number, one) in stuck.iter().enumerate() {
        let group = *of.entry(looks(one, number)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Whether all items of a group have the same label.
pub fn is_of_one_label(group: &[&UnfinishedItem]) -> bool {
    group.iter().all(|s| s.label == group[0].label)
}

/// Label and reason: `job 8 (pi, Resources)`.
pub(crate) fn with_reason(stuck: &UnfinishedItem) -> String {
    let said = stuck.label.iter().chain(&stuck.because);
    let said: Vec<&str> = said.map(String::as_str).collect();
    match said.is_empty() {
        true => stuck.called(),
        false => format!("{} ({})", stuck.called(), said.join(", ")),
    }
}
