//! Stuck things that are told of together.

use std::collections::HashMap;

use super::{Pace, Stuck};

/// What is the same for things that are told together: how far they came, what they are, where they are.
type Looks<'a> = (
    Pace,
    &'a str,
    &'a Option<String>,
    (&'a Option<String>, &'a Option<String>),
    Vec<&'a str>,
    [bool; 4],
    usize,
);

fn looks(one: &Stuck, number: usize) -> Looks<'_> {
    let place = one.place.iter().map(|p| match one.run_name {
        // Over several runs it is the kind of place that is the same.
        Some(_) => p.0.as_str(),
        None => p.1.as_str(),
    });
    (
        one.standing,
        &one.entity,
        &one.label,
        (&one.state, &one.because),
        place.collect(),
        [
            one.begun_there.is_some(),
            one.finished_there.is_some(),
            one.lost_sight().is_some(),
            one.failed_first.is_empty(),
        ],
        // What others wait for is told by itself.
        match one.waiters.is_empty() {
            true => usize::MAX,
            false => number,
        },
    )
}

/// Groups of things that look alike, in the order of the first of each.
pub fn alike<'a>(stuck: &[&'a Stuck]) -> Vec<Vec<&'a Stuck>> {
    let mut groups: Vec<Vec<&Stuck>> = Vec::new();
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
