//! Heuristics on words for the inference of a draft: entities, state changes, measured numbers. The words stand in the
//! definitions (`[words]`).

use widetui_definition::words::WordsDef;

use crate::message::DraftMessage;
use crate::names;

/// Verbs that need the particle after them.
const PARTICLE_VERBS: &[&str] = &["gave", "giving", "timed"];

/// Words of a retry, whatever else the message says.
const RETRY_WORDS: &[&str] = &["retry", "retrying", "retried"];

/// State of an instance that is retried.
const RETRYING: &str = "retrying";

/// Words next to a retry word that negate it.
const RETRY_NEGATIONS: &[&str] = &[
    "not", "no", "without", "never", "limit", "limits", "count", "budget", "policy", "delay",
];

/// Last word of a key's name, without id suffixes: `my.job_id` is about `job`.
pub(crate) fn entity_word(key: &str) -> &str {
    let name = key.split_once('.').map_or(key, |(_, name)| name);
    let name = ["_id", "_ids", "_no", "_uuid", "_name", "_number"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    name.rsplit(['_', '.']).next().unwrap_or(name)
}

/// Whether the values of a key identify instances, judged by its name and the kinds of its fields.
pub(crate) fn is_identifier(words: &WordsDef, key: &str, kinds: &[&str]) -> bool {
    let last = key.rsplit(['_', '.']).next().unwrap_or(key);
    // `queued=7 running=2 workers=3` are counts.
    let is_count = || {
        let is_state = has(&words.counts, last) || last.ends_with("ed") || last.ends_with("ing");
        let is_several = last.ends_with('s') && !last.ends_with("ss");
        (is_state || is_several) && !kinds.is_empty() && kinds.iter().all(|k| *k == "int")
    };
    !has(&words.measures, last)
        && !kinds
            .iter()
            .any(|k| matches!(*k, "float" | "quantity" | "state"))
        && !is_count()
}

/// Whether a state is a state of execution.
pub(crate) fn is_executing(vocabulary: &WordsDef, state: &str) -> bool {
    names::words(state).iter().any(|word| {
        let begins = |with: &[String]| with.iter().any(|begin| word.starts_with(begin.as_str()));
        word == "run"
            || begins(&vocabulary.begin)
            || begins(&vocabulary.executing) && word.ends_with("ing")
    })
}

/// Whether a key names machines, which contain other resources.
pub(crate) fn is_machine(key: &str) -> bool {
    matches!(
        entity_word(key),
        "site" | "host" | "node" | "machine" | "server"
    )
}

/// Whether a key names resources.
pub(crate) fn is_resource(words: &WordsDef, key: &str) -> bool {
    has(&words.resources, entity_word(key))
}

/// Whether a key names work items.
pub(crate) fn is_work_item(words: &WordsDef, key: &str) -> bool {
    has(&words.work_items, entity_word(key))
}

/// Whether a list has a word.
fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|one| one == word)
}

/// Whether a key names states.
pub(crate) fn is_state(key: &str) -> bool {
    let name = key.rsplit(['_', '.']).next().unwrap_or(key);
    matches!(name, "state" | "status" | "phase")
}

/// Whether values are states by their words, final ones and others: `job.started`, `TaskFinished`.
pub(crate) fn are_states<'v>(
    words: &WordsDef,
    values: impl ExactSizeIterator<Item = &'v str>,
) -> bool {
    let (all, mut last, mut others) = (values.len(), 0, 0);
    let is_change = |word: &String| {
        let mut stems = words.changes.iter();
        stems.any(|stem| word.starts_with(stem.as_str()))
    };
    for value in values {
        if final_stem(words, value).is_some() {
            last += 1;
        } else if names::words(value).iter().any(is_change) {
            others += 1;
        }
    }
    last > 0 && others > 0 && (last + others) * 2 >= all
}

/// Verb of a message.
fn verb(vocabulary: &WordsDef, message: &DraftMessage) -> Option<String> {
    let words = message.words();
    if is_retry(&words) {
        return Some(RETRYING.to_owned());
    }
    let is_verb = |w: &&String| {
        let form = w.ends_with("ed") || w.ends_with("ing") || w.ends_with("eeds");
        // A message of one word is no sentence in which the word could be a noun.
        let form = form || words.len() == 1 || has(&vocabulary.change_words, w);
        form && { vocabulary.changes.iter() }.any(|c| w.starts_with(c.as_str()))
    };
    let at = words.iter().take(12).position(|w| is_verb(&w))?;
    // `gave up`, `timed out`: the verb alone is ambiguous.
    let particle = words
        .get(at + 1)
        .filter(|w| matches!(w.as_str(), "up" | "out"));
    Some(
        match particle.filter(|_| PARTICLE_VERBS.contains(&words[at].as_str())) {
            Some(particle) => format!("{} {particle}", words[at]),
            None => words[at].clone(),
        },
    )
}

/// Whether a message reports a retry: `failed, retrying in 5 s`.
fn is_retry(words: &[String]) -> bool {
    let is_not = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.is_some_and(|w| RETRY_NEGATIONS.contains(&w.as_str()))
    };
    let says_it = |(at, word): (usize, &String)| {
        RETRY_WORDS.contains(&word.as_str()) && !is_not(at.checked_sub(1)) && !is_not(Some(at + 1))
    };
    words.iter().enumerate().any(says_it)
}

/// Word of a message that describes the state change of a key's instance: a known verb, else a participle beside the
/// key (`batch 7 bottled`, `dropped task 7`, `task dropped task_id=7`), or at the end of a message if the key is a
/// field of the record.
pub(crate) fn state_word(words: &WordsDef, message: &DraftMessage, key: &str) -> Option<String> {
    let is_participle = |w: &&str| w.len() >= 5 && w.ends_with("ed") && !w.ends_with("eed");
    let beside = || {
        let words = [message.word_after(key), message.word_before(key)];
        words.into_iter().flatten().find(is_participle)
    };
    verb(words, message).or_else(|| beside().map(str::to_owned))
}

/// Whether a state sounds final, and if so, whether it sounds like a failure.
pub(crate) fn final_stem(words: &WordsDef, state: &str) -> Option<bool> {
    let begins = |word: &str, with: &[String]| with.iter().any(|b| word.starts_with(b.as_str()));
    let sound = |word: &String| {
        let is_failed = begins(word, &words.failed_states);
        (is_failed || begins(word, &words.final_states)).then_some(is_failed)
    };
    names::words(state).iter().find_map(sound)
}
