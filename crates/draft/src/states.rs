//! Inference of the states of an entity: their order, the final ones, and their reporters.

use std::collections::{BTreeMap, BTreeSet};

use crate::main_entity::MainEntity;
use crate::message::DraftMessage;
use crate::vocabulary::{ENDS, is_at_work};

/// Event that reports a state of an instance.
#[derive(Clone, Debug)]
pub(crate) struct ReportedState {
    /// Reported state.
    pub(crate) state: String,
    /// Whether the event has the level of an error.
    pub(crate) is_error: bool,
    /// Kind of source of the event, by number.
    pub(crate) by: usize,
    /// Message that was assigned the state, by number; `None` if the log names the state.
    pub(crate) message: Option<usize>,
}

/// Statistics of a state.
#[derive(Default)]
struct StateSeen {
    /// Sum of its positions in the state sequences of instances.
    places: usize,
    /// Number of instances with the state.
    things: usize,
    /// Number of times that another state followed.
    followed: usize,
    /// Number of times that a non-final state followed.
    went_on: usize,
    /// Number of times that it was the last state of an instance.
    last: usize,
    /// Number of instances that entered it with an error.
    errors: usize,
}

/// Reported states of each instance, in time order.
pub(crate) type Courses = Vec<Vec<ReportedState>>;

/// Renames a state if reporters other than the owner use the same word: a `failed` of a worker may be retried. Returns
/// whether any was renamed.
pub(crate) fn tell_apart(
    messages: &mut [DraftMessage],
    key: &str,
    owner: usize,
    kinds: &[&str],
) -> bool {
    let word = |m: &DraftMessage| m.consts.iter().find(|c| c.0 == key).map(|c| c.1.clone());
    let of_owner = messages.iter().filter(|m| m.kinds.contains(&owner));
    let own: BTreeSet<String> = of_owner.filter_map(word).collect();
    let mut is_new = false;
    for message in messages.iter_mut().filter(|m| !m.kinds.contains(&owner)) {
        let teller = message.kinds.first().and_then(|kind| kinds.get(*kind));
        let told = message.consts.iter_mut().find(|c| c.0 == key);
        if let (Some(teller), Some(told)) = (teller, told.filter(|t| own.contains(&t.1))) {
            told.1 = format!("{teller} {}", told.1);
            is_new = true;
        }
    }
    is_new
}

/// Renames a state if several messages use the same word and one of them is always the last of an instance while the
/// others are not: `failed permanently` beside `failed on attempt 1`. Returns whether any was renamed.
pub(crate) fn tell_last_apart(messages: &mut [DraftMessage], key: &str, courses: &Courses) -> bool {
    let (mut followed, mut last) = (BTreeSet::new(), BTreeSet::new());
    for course in courses {
        for (at, told) in course.iter().enumerate() {
            let next = course[at + 1..].iter().find(|n| n.message != told.message);
            match next {
                Some(_) => followed.extend(told.message),
                None => last.extend(told.message),
            }
        }
    }
    let word = |m: &DraftMessage| m.consts.iter().find(|c| c.0 == key).map(|c| c.1.clone());
    let mut is_new = false;
    for at in last.difference(&followed).copied() {
        let Some(told) = messages.get(at).and_then(word) else {
            continue;
        };
        let is_other = |n: &&usize| messages.get(**n).and_then(word).as_ref() == Some(&told);
        let others: Vec<usize> = followed.iter().filter(is_other).copied().collect();
        let said = |n: &usize| messages[*n].words();
        let theirs: BTreeSet<String> = others.iter().flat_map(said).collect();
        let own = said(&at).into_iter().find(|w| !theirs.contains(w));
        if let Some(own) = own.filter(|_| !others.is_empty())
            && let Some(one) = messages[at].consts.iter_mut().find(|c| c.0 == key)
        {
            one.1 = format!("{told} {own}");
            is_new = true;
        }
    }
    is_new
}

/// Finds the states of an entity, their order, the final ones, and their reporters. `kinds` are the names of the kinds
/// of sources.
pub(crate) fn find_states(thing: &mut MainEntity, courses: &Courses, kinds: &[&str]) {
    let seen = seen(courses);
    let mut order: Vec<(&String, &StateSeen)> = seen.iter().collect();
    order.sort_by(|a, b| (a.1.places * b.1.things).cmp(&(b.1.places * a.1.things)));
    thing.states = order.iter().map(|s| s.0.clone()).collect();
    let Some(owner) = owner(courses) else {
        find_ends(thing, courses);
        thing.executing = at_work(thing);
        return;
    };
    thing.recorders = recorders(courses, owner, kinds);
    let by_owner = only(courses, |told| told.by == owner);
    let others = only(courses, |told| told.by != owner);
    let (own, theirs) = (states_of(&by_owner), states_of(&others));
    // If the owner reports how instances end, an end reported by others is the end of execution only.
    let is_end = |told: &ReportedState| end_of(&told.state).is_some();
    let told_ends = |courses: &Courses| courses.iter().filter(|c| c.iter().any(is_end)).count();
    if told_ends(&by_owner) * 2 > told_ends(courses) {
        find_ends(thing, &by_owner);
        let mut of_work = MainEntity {
            states: thing.states.clone(),
            ..MainEntity::default()
        };
        find_ends(&mut of_work, &others);
        let ends = |s: &String| of_work.last.contains(s) || end_of(s).is_some();
        let ended = thing.states.iter().filter(|s| !own.contains(*s) && ends(s));
        thing.executed = ended.cloned().collect();
    } else {
        find_ends(thing, courses);
    }
    // The owner may report a start when it hands work out; a start by the executing process is more exact.
    let all = at_work(thing);
    let is_theirs = |s: &&String| theirs.contains(*s) && !own.contains(*s);
    thing.executing = all.iter().filter(is_theirs).cloned().collect();
    if thing.executing.is_empty() {
        thing.executing = all;
    }
}

/// States of being executed, by their words.
fn at_work(thing: &MainEntity) -> Vec<String> {
    let is_over = |s: &String| thing.last.contains(s) || thing.executed.contains(s);
    let mut states = thing.states.clone();
    states.retain(|s| is_at_work(s) && !is_over(s));
    states
}

/// Finds final states in state sequences.
fn find_ends(thing: &mut MainEntity, courses: &Courses) {
    let known = seen(courses);
    let things = courses.iter().filter(|c| !c.is_empty()).count();
    for state in thing.states.clone() {
        let Some(seen) = known.get(&state) else {
            continue;
        };
        let sound = end_of(&state);
        // An instance may be retried. A state that none follows is final whatever its name, if many instances remain in
        // it or it is an error. Two final states may follow each other: one reported by the executor, one by the
        // requester.
        let is_error = seen.errors == seen.things;
        let lower = state.to_lowercase();
        let sounds_open = lower.ends_with("ing") || lower.starts_with("start");
        let ends = seen.went_on * 2 <= seen.things && sound.is_some()
            || seen.followed == 0
                && (seen.last * 2 > things || is_error)
                && things > 2
                && !sounds_open
                && known.len() > 1;
        if !ends {
            if sound.is_some() {
                thing.perhaps.push(state);
            }
            continue;
        }
        if seen.followed > 0 {
            thing.goes_on.push(state.clone());
        }
        if is_error || sound == Some(true) {
            thing.failed.push(state.clone());
        }
        thing.last.push(state);
    }
}

/// Computes the statistics of states.
fn seen(courses: &Courses) -> BTreeMap<String, StateSeen> {
    let mut known: BTreeMap<String, StateSeen> = BTreeMap::new();
    for told in courses {
        let mut course: Vec<&ReportedState> = told.iter().collect();
        course.dedup_by(|a, b| a.state == b.state);
        for (at, one) in course.iter().enumerate() {
            let seen = known.entry(one.state.clone()).or_default();
            let next = course.get(at + 1);
            let goes_on = next.is_some_and(|n| end_of(&n.state).is_none());
            seen.followed += usize::from(next.is_some());
            seen.went_on += usize::from(goes_on);
            seen.last += usize::from(next.is_none());
            if course.iter().position(|s| s.state == one.state) == Some(at) {
                seen.places += at;
                seen.things += 1;
                seen.errors += usize::from(one.is_error);
            }
        }
    }
    known
}

/// Whether a state sounds final, and if so, whether it sounds like a failure.
fn end_of(state: &str) -> Option<bool> {
    let lower = state.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let sound = words.find_map(|w| ENDS.iter().find(|(end, _)| w.starts_with(end)));
    sound.map(|s| s.1)
}

/// Kind of source that reports nearly all instances first, if other kinds report them too.
pub(crate) fn owner(courses: &Courses) -> Option<usize> {
    let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
    for first in courses.iter().filter_map(|c| c.first()) {
        *firsts.entry(first.by).or_default() += 1;
    }
    let (owner, first_of) = firsts.iter().max_by_key(|f| f.1)?;
    let all: usize = firsts.values().sum();
    let is_alone = courses.iter().flatten().all(|told| told.by == *owner);
    (first_of * 5 >= all * 4 && !is_alone).then_some(*owner)
}

/// Selects reported states.
fn only(courses: &Courses, is_it: impl Fn(&ReportedState) -> bool) -> Courses {
    let of_one = |told: &Vec<ReportedState>| told.iter().filter(|t| is_it(t)).cloned().collect();
    courses.iter().map(of_one).collect()
}

fn states_of(courses: &Courses) -> Vec<String> {
    let mut out: Vec<String> = courses.iter().flatten().map(|t| t.state.clone()).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Names of the kinds of sources that report states: the owner first, then by number of reports.
fn recorders(courses: &Courses, owner: usize, kinds: &[&str]) -> Vec<String> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for told in courses.iter().flatten() {
        *counts.entry(told.by).or_default() += 1;
    }
    let mut order: Vec<(usize, usize)> = counts.into_iter().collect();
    order.sort_by_key(|(kind, count)| (*kind != owner, std::cmp::Reverse(*count)));
    let names = order.iter().filter_map(|(kind, _)| kinds.get(*kind));
    names.map(|name| (*name).to_owned()).collect()
}
