//! Inference of the states of an entity: their order, the final ones, and their reporters.

use std::collections::{BTreeMap, BTreeSet};

use widetui_definition::words::WordsDef;

use crate::main_entity::MainEntity;
use crate::message::DraftMessage;
use crate::word_lists::{final_stem, is_executing};

/// Event that reports a state of an instance.
#[derive(Clone, Debug)]
pub(crate) struct ReportedState {
    /// Reported state.
    pub(crate) state: String,
    /// Whether the event has the level of an error.
    pub(crate) is_error: bool,
    /// Kind of source of the event, by number.
    pub(crate) reporter: usize,
    /// Message that was assigned the state, by number; `None` if the log names the state.
    pub(crate) message: Option<usize>,
}

/// Statistics of a state.
#[derive(Default)]
struct StateStatistics {
    /// Sum of its positions in the state sequences of instances.
    positions: usize,
    /// Number of instances with the state.
    instances: usize,
    /// Number of times that another state followed.
    followed: usize,
    /// Number of times that a non-final state followed.
    continued: usize,
    /// Number of times that it was the last state of an instance.
    last: usize,
    /// Number of instances that entered it with an error.
    errors: usize,
}

/// Reported states of each instance, in time order.
pub(crate) type StateSequences = Vec<Vec<ReportedState>>;

/// Renames a state if reporters other than the owner use the same word: a `failed` of a worker may be retried. Returns
/// whether any was renamed.
pub(crate) fn qualify_by_reporter(
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
        let reporter = message.kinds.first().and_then(|kind| kinds.get(*kind));
        let report = message.consts.iter_mut().find(|c| c.0 == key);
        if let (Some(reporter), Some(report)) = (reporter, report.filter(|t| own.contains(&t.1))) {
            report.1 = format!("{reporter} {}", report.1);
            is_new = true;
        }
    }
    is_new
}

/// Renames a state if several messages use the same word and one of them is always the last of an instance while the
/// others are not: `failed permanently` beside `failed on attempt 1`. Returns whether any was renamed.
pub(crate) fn qualify_final_states(
    messages: &mut [DraftMessage],
    key: &str,
    sequences: &StateSequences,
) -> bool {
    let (mut followed, mut last) = (BTreeSet::new(), BTreeSet::new());
    for sequence in sequences {
        for (at, report) in sequence.iter().enumerate() {
            let next = sequence[at + 1..]
                .iter()
                .find(|n| n.message != report.message);
            match next {
                Some(_) => followed.extend(report.message),
                None => last.extend(report.message),
            }
        }
    }
    let word = |m: &DraftMessage| m.consts.iter().find(|c| c.0 == key).map(|c| c.1.clone());
    let mut is_new = false;
    for at in last.difference(&followed).copied() {
        let Some(name) = messages.get(at).and_then(word) else {
            continue;
        };
        let is_other = |n: &&usize| messages.get(**n).and_then(word).as_ref() == Some(&name);
        let others: Vec<usize> = followed.iter().filter(is_other).copied().collect();
        let words_of = |n: &usize| messages[*n].words();
        let of_others: BTreeSet<String> = others.iter().flat_map(words_of).collect();
        let own = words_of(&at).into_iter().find(|w| !of_others.contains(w));
        if let Some(own) = own.filter(|_| !others.is_empty())
            && let Some(one) = messages[at].consts.iter_mut().find(|c| c.0 == key)
        {
            one.1 = format!("{name} {own}");
            is_new = true;
        }
    }
    is_new
}

/// Finds the states of an entity, their order, the final ones, and their reporters. `kinds` are the names of the kinds
/// of sources.
pub(crate) fn find_states(
    words: &WordsDef,
    entity: &mut MainEntity,
    sequences: &StateSequences,
    kinds: &[&str],
) {
    let seen = state_statistics(words, sequences);
    let mut order: Vec<(&String, &StateStatistics)> = seen.iter().collect();
    order.sort_by(|a, b| (a.1.positions * b.1.instances).cmp(&(b.1.positions * a.1.instances)));
    entity.states = order.iter().map(|s| s.0.clone()).collect();
    let Some(owner) = owner(sequences) else {
        find_final_states(words, entity, sequences);
        entity.executing = executing_states(words, entity);
        return;
    };
    entity.reporters = reporters(sequences, owner, kinds);
    let by_owner = select_reports(sequences, |report| report.reporter == owner);
    let others = select_reports(sequences, |report| report.reporter != owner);
    let (own, of_others) = (states_of(&by_owner), states_of(&others));
    // If the owner reports how instances end, an end reported by others is the end of execution only.
    let is_end = |report: &ReportedState| final_stem(words, &report.state).is_some();
    let ended =
        |sequences: &StateSequences| sequences.iter().filter(|c| c.iter().any(is_end)).count();
    if ended(&by_owner) * 2 > ended(sequences) {
        find_final_states(words, entity, &by_owner);
        let mut of_work = MainEntity {
            states: entity.states.clone(),
            ..MainEntity::default()
        };
        find_final_states(words, &mut of_work, &others);
        let ends = |s: &String| of_work.final_states.contains(s) || final_stem(words, s).is_some();
        let ended = entity
            .states
            .iter()
            .filter(|s| !own.contains(*s) && ends(s));
        entity.executed = ended.cloned().collect();
    } else {
        find_final_states(words, entity, sequences);
    }
    // The owner may report a start when it hands work out; a start by the executing process is more exact.
    let all = executing_states(words, entity);
    let is_theirs = |s: &&String| of_others.contains(*s) && !own.contains(*s);
    entity.executing = all.iter().filter(is_theirs).cloned().collect();
    if entity.executing.is_empty() {
        entity.executing = all;
    }
}

/// States of being executed, by their words.
fn executing_states(words: &WordsDef, entity: &MainEntity) -> Vec<String> {
    let is_over = |s: &String| entity.final_states.contains(s) || entity.executed.contains(s);
    let mut states = entity.states.clone();
    states.retain(|s| is_executing(words, s) && !is_over(s));
    states
}

/// Finds final states in state sequences.
fn find_final_states(words: &WordsDef, entity: &mut MainEntity, sequences: &StateSequences) {
    let known = state_statistics(words, sequences);
    let instances = sequences.iter().filter(|c| !c.is_empty()).count();
    for state in entity.states.clone() {
        let Some(seen) = known.get(&state) else {
            continue;
        };
        let sound = final_stem(words, &state);
        // An instance may be retried. A state that none follows is final whatever its name, if many instances remain in
        // it or it is an error. Two final states may follow each other: one reported by the executor, one by the
        // requester.
        let is_error = seen.errors == seen.instances;
        let lower = state.to_lowercase();
        let sounds_open = lower.ends_with("ing") || lower.starts_with("start");
        let ends = seen.continued * 2 <= seen.instances && sound.is_some()
            || seen.followed == 0
                && (seen.last * 2 > instances || is_error)
                && instances > 2
                && !sounds_open
                && known.len() > 1;
        if !ends {
            if sound.is_some() {
                entity.possibly_final.push(state);
            }
            continue;
        }
        if seen.followed > 0 {
            entity.continued.push(state.clone());
        }
        if is_error || sound == Some(true) {
            entity.failed.push(state.clone());
        }
        entity.final_states.push(state);
    }
}

/// Computes the statistics of states.
fn state_statistics(
    words: &WordsDef,
    sequences: &StateSequences,
) -> BTreeMap<String, StateStatistics> {
    let mut known: BTreeMap<String, StateStatistics> = BTreeMap::new();
    for report in sequences {
        let mut sequence: Vec<&ReportedState> = report.iter().collect();
        sequence.dedup_by(|a, b| a.state == b.state);
        for (at, one) in sequence.iter().enumerate() {
            let seen = known.entry(one.state.clone()).or_default();
            let next = sequence.get(at + 1);
            let goes_on = next.is_some_and(|n| final_stem(words, &n.state).is_none());
            seen.followed += usize::from(next.is_some());
            seen.continued += usize::from(goes_on);
            seen.last += usize::from(next.is_none());
            if sequence.iter().position(|s| s.state == one.state) == Some(at) {
                seen.positions += at;
                seen.instances += 1;
                seen.errors += usize::from(one.is_error);
            }
        }
    }
    known
}

/// Kind of source that reports nearly all instances first, if other kinds report them too.
pub(crate) fn owner(sequences: &StateSequences) -> Option<usize> {
    let mut firsts: BTreeMap<usize, usize> = BTreeMap::new();
    for first in sequences.iter().filter_map(|c| c.first()) {
        *firsts.entry(first.reporter).or_default() += 1;
    }
    let (owner, first_of) = firsts.iter().max_by_key(|f| f.1)?;
    let all: usize = firsts.values().sum();
    let is_alone = sequences
        .iter()
        .flatten()
        .all(|report| report.reporter == *owner);
    (first_of * 5 >= all * 4 && !is_alone).then_some(*owner)
}

/// Selects reported states.
fn select_reports(
    sequences: &StateSequences,
    is_it: impl Fn(&ReportedState) -> bool,
) -> StateSequences {
    let of_one =
        |report: &Vec<ReportedState>| report.iter().filter(|t| is_it(t)).cloned().collect();
    sequences.iter().map(of_one).collect()
}

fn states_of(sequences: &StateSequences) -> Vec<String> {
    let mut out: Vec<String> = sequences
        .iter()
        .flatten()
        .map(|t| t.state.clone())
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Names of the kinds of sources that report states: the owner first, then by number of reports.
fn reporters(sequences: &StateSequences, owner: usize, kinds: &[&str]) -> Vec<String> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for report in sequences.iter().flatten() {
        *counts.entry(report.reporter).or_default() += 1;
    }
    let mut order: Vec<(usize, usize)> = counts.into_iter().collect();
    order.sort_by_key(|(kind, count)| (*kind != owner, std::cmp::Reverse(*count)));
    let names = order.iter().filter_map(|(kind, _)| kinds.get(*kind));
    names.map(|name| (*name).to_owned()).collect()
}
