//! Word lists and heuristics for the inference of a draft: entities, state changes, measured numbers.

use crate::message::DraftMessage;

/// Names of work items.
pub(crate) const WORK_ITEMS: &[&str] = &[
    "job",
    "task",
    "step",
    "request",
    "action",
    "workflow",
    "run",
    "trial",
    "item",
    "batch",
    "work",
    "unit",
    "call",
    "query",
    "transfer",
    "experiment",
    "simulation",
    "case",
];

/// Names of resources, which execute work items.
pub(crate) const RESOURCES: &[&str] = &[
    "worker", "node", "host", "server", "agent", "executor", "rank", "slot", "manager", "block",
    "pool", "actor", "device", "gpu", "machine", "process", "thread", "site", "endpoint", "nodes",
    "proc",
];

/// Names of measured numbers, which identify nothing.
pub(crate) const MEASURES: &[&str] = &[
    "s",
    "ms",
    "sec",
    "secs",
    "seconds",
    "time",
    "elapsed",
    "duration",
    "runtime",
    "bytes",
    "size",
    "count",
    "total",
    "memory",
    "mem",
    "load",
    "rss",
    "cores",
    "cpus",
    "retries",
    "retry",
    "attempts",
    "attempt",
    "code",
    "status",
    "port",
    "progress",
    "percent",
    "loss",
    "residual",
    "iteration",
    "iterations",
    "epoch",
    "length",
    "depth",
    "rate",
    "timeout",
    "delay",
    "level",
    "version",
    "state",
    "phase",
    "exit",
    "address",
    "addr",
    "ip",
    "path",
    "file",
    "url",
    "priority",
    "number",
    "heartbeat",
    "max",
    "min",
];

/// Word stems of final states, and whether the state is a failure.
pub(crate) const FINAL_STEMS: &[(&str, bool)] = &[
    ("done", false),
    ("finish", false),
    ("complet", false),
    ("succe", false),
    ("end", false),
    ("exited", false),
    ("closed", false),
    ("stopped", false),
    ("fail", true),
    ("error", true),
    ("abort", true),
    ("kill", true),
    ("cancel", true),
    ("timed", true),
    ("timeout", true),
    ("lost", true),
    ("crash", true),
    ("reject", true),
    ("died", true),
    ("dead", true),
    ("terminated", true),
    ("gave", true),
    ("giving", true),
];

/// Word stems of state changes; matching words end in -ed or -ing, or are in [`CHANGE_WORDS`].
pub(crate) const CHANGE_STEMS: &[&str] = &[
    "submit", "queu", "enqueu", "dequeu", "schedul", "assign", "start", "restart", "launch",
    "dispatch", "receiv", "accept", "reject", "runn", "execut", "perform", "process", "finish",
    "complet", "done", "fail", "cancel", "kill", "sent", "send", "retr", "wait", "pend", "creat",
    "regist", "end", "exit", "lost", "died", "abort", "succe", "paus", "resum", "stop", "skip",
    "timeout", "releas", "suspend", "preempt", "crash", "terminat", "began", "begin", "evict",
    "stag", "ready", "expir", "held", "arriv", "open", "clos", "deploy", "gave", "giv", "timed",
];

/// Words of state changes without the endings -ed and -ing.
pub(crate) const CHANGE_WORDS: &[&str] = &[
    "done", "sent", "lost", "died", "timeout", "began", "begin", "ready", "held", "start", "end",
    "finish", "success", "fail", "submit", "launch", "retry", "gave",
];

/// Verbs that need the particle after them.
const PARTICLE_VERBS: &[&str] = &["gave", "giving", "timed"];

/// Word stems of states of execution with any ending: `started`, `beginning`.
const BEGIN_STEMS: &[&str] = &["start", "begin", "began", "begun"];

/// Word stems of states of execution if they end in -ing: `executed` is the state after it.
const EXECUTION_STEMS: &[&str] = &["runn", "execut", "perform", "process", "work", "comput"];

/// Words of a retry, whatever else the message says.
const RETRY_WORDS: &[&str] = &["retry", "retrying", "retried"];

/// State of an instance that is retried.
const RETRYING: &str = "retrying";

/// Words next to a retry word that negate it.
const RETRY_NEGATIONS: &[&str] = &[
    "not", "no", "without", "never", "limit", "limits", "count", "budget", "policy", "delay",
];

/// Adjectives of counts: `busy=3`.
const COUNT_WORDS: &[&str] = &[
    "done",
    "idle",
    "busy",
    "free",
    "active",
    "ready",
    "left",
    "open",
    "outstanding",
    "alive",
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
pub(crate) fn is_identifier(key: &str, kinds: &[&str]) -> bool {
    let last = key.rsplit(['_', '.']).next().unwrap_or(key);
    // `queued=7 running=2 workers=3` are counts.
    let is_count = || {
        let is_state = COUNT_WORDS.contains(&last) || last.ends_with("ed") || last.ends_with("ing");
        let is_several = last.ends_with('s') && !last.ends_with("ss");
        (is_state || is_several) && !kinds.is_empty() && kinds.iter().all(|k| *k == "int")
    };
    !MEASURES.contains(&last)
        && !kinds.iter().any(|k| matches!(*k, "float" | "state"))
        && !is_count()
}

/// Whether a state is a state of execution.
pub(crate) fn is_executing(state: &str) -> bool {
    let lower = state.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let begins = |with: &[&str]| with.iter().any(|begin| word.starts_with(begin));
        word == "run" || begins(BEGIN_STEMS) || begins(EXECUTION_STEMS) && word.ends_with("ing")
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
pub(crate) fn is_resource(key: &str) -> bool {
    RESOURCES.contains(&entity_word(key))
}

/// Whether a key names states.
pub(crate) fn is_state(key: &str) -> bool {
    let name = key.rsplit(['_', '.']).next().unwrap_or(key);
    matches!(name, "state" | "status" | "phase")
}

/// Verb of a message.
fn verb(message: &DraftMessage) -> Option<String> {
    let words = message.words();
    if is_retry(&words) {
        return Some(RETRYING.to_owned());
    }
    let is_verb = |w: &&String| {
        let form = w.ends_with("ed") || w.ends_with("ing") || w.ends_with("eeds");
        (form || CHANGE_WORDS.contains(&w.as_str()))
            && CHANGE_STEMS.iter().any(|c| w.starts_with(c))
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
pub(crate) fn state_word(message: &DraftMessage, key: &str) -> Option<String> {
    let is_participle = |w: &&str| w.len() >= 5 && w.ends_with("ed") && !w.ends_with("eed");
    let beside = || {
        let words = [message.word_after(key), message.word_before(key)];
        words.into_iter().flatten().find(is_participle)
    };
    verb(message).or_else(|| beside().map(str::to_owned))
}
