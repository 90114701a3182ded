//! Vocabulary of messages in a definition: words by which messages without a level and numbers without a definition are
//! judged.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::text::Text;

/// Vocabulary of the messages of any program, in lower case. The lists of all definitions are joined.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WordsDef {
    /// Words that report a problem, in any part of a message without a level.
    #[schemars(example = json!(["error", "could not"]))]
    pub trouble: Vec<String>,
    /// Words that make a message harmless whatever else it contains: names of options and streams.
    #[schemars(example = json!(["stderr"]))]
    pub harmless: Vec<String>,
    /// Beginnings of names that contain a word of `trouble` and mean a precaution.
    #[schemars(example = json!(["failover"]))]
    pub precautions: Vec<String>,
    /// Nouns that after a word of `trouble` form the name of an object: `error handler`.
    #[schemars(example = json!(["handler"]))]
    pub objects: Vec<String>,
    /// Beginnings of words that a program writes when it ends.
    #[schemars(example = json!(["shutting down", "terminat"]))]
    pub end: Vec<String>,
    /// Words of a message about a stop from outside.
    #[schemars(example = json!(["kill", "timed out"]))]
    pub stop: Vec<String>,
    /// Words of a program that stops because it was asked to, in any part of a message.
    #[schemars(example = json!(["received sigterm"]))]
    pub stop_requests: Vec<String>,
    /// Words of an exception that reports a failure of the other side, in any part of it.
    #[schemars(example = json!(["service unavailable"]))]
    pub other_side: Vec<String>,
    /// Words of a program that pauses, in any part of a message with a duration.
    #[schemars(example = json!(["pause"]))]
    pub pauses: Vec<String>,
    /// Words of a warning that a limit is reached, in any part of it.
    #[schemars(example = json!(["consider raising"]))]
    pub limits: Vec<String>,
    /// Words of a program that recovered from an exception, in any part of a message.
    #[schemars(example = json!(["succeeded in a retry"]))]
    pub recovered: Vec<String>,
    /// Words before the reason of what a program reports, in any part of a message.
    #[schemars(example = json!(["because"]))]
    pub reasons: Vec<String>,
    /// Words of a program that gives up after failed attempts, in any part of a message.
    #[schemars(example = json!(["giving up"]))]
    pub gives_up: Vec<String>,
    /// Beginnings of words that report a wait.
    #[schemars(example = json!(["waiting"]))]
    pub waits: Vec<String>,
    /// Beginnings of words that report the end of a wait.
    #[schemars(example = json!(["acquired"]))]
    pub waited: Vec<String>,
    /// Nouns of locks. Names that end in `Lock` are locks, too.
    #[schemars(example = json!(["mutex"]))]
    pub locks: Vec<String>,
    /// Beginnings of words before the holder of a lock.
    #[schemars(example = json!(["held by"]))]
    pub holds: Vec<String>,
    /// Words of a program that was interrupted by the user (Ctrl-C, `SIGINT`), in any part of a message.
    #[schemars(example = json!(["received sigint"]))]
    pub interrupts: Vec<String>,
    /// Beginnings of words before the address at which a process listens.
    #[schemars(example = json!(["listening"]))]
    pub listens: Vec<String>,
    /// Beginnings of words that report that a resource can work, the end of its start.
    #[schemars(example = json!(["ready"]))]
    pub ready: Vec<String>,
    /// Words of a connection that the other side ended, in any part of a message.
    #[schemars(example = json!(["connection reset"]))]
    pub broken: Vec<String>,
    /// Nouns of a message about a connection, in any part of it.
    #[schemars(example = json!(["connection"]))]
    pub connections: Vec<String>,
    /// Beginnings of two words that report opposite changes of a connection or a membership.
    #[schemars(example = json!([["connect", "disconnect"]]))]
    pub opposites: Vec<[String; 2]>,
    /// Words in names of numbers that hold until the next value.
    #[schemars(example = json!(["queued"]))]
    pub gauges: Vec<String>,
    /// Nouns of work items. Used for drafts.
    #[schemars(example = json!(["job"]))]
    pub work_items: Vec<String>,
    /// Nouns of resources, which execute work items. Used for drafts.
    #[schemars(example = json!(["worker"]))]
    pub resources: Vec<String>,
    /// Nouns of other objects that have names: `user`, `file`.
    #[schemars(example = json!(["user"]))]
    pub named: Vec<String>,
    /// Names of measured numbers, which identify nothing. Used for drafts.
    #[schemars(example = json!(["seconds"]))]
    pub measures: Vec<String>,
    /// Adjectives of counts: `busy=3`. Used for drafts.
    #[schemars(example = json!(["busy"]))]
    pub counts: Vec<String>,
    /// Stems of final states. Used for drafts.
    #[schemars(example = json!(["finish"]))]
    pub final_states: Vec<String>,
    /// Stems of final states that are failures. Used for drafts.
    #[schemars(example = json!(["abort"]))]
    pub failed_states: Vec<String>,
    /// Stems of states of execution, with any ending. Used for drafts.
    #[schemars(example = json!(["start"]))]
    pub begin: Vec<String>,
    /// Stems of states of execution if they end in -ing. Used for drafts.
    #[schemars(example = json!(["comput"]))]
    pub executing: Vec<String>,
    /// Stems of words for a change of state, if they end in -ed or -ing or are in `change_words`. Used for drafts.
    #[schemars(example = json!(["submit"]))]
    pub changes: Vec<String>,
    /// Words for a change of state without these endings. Used for drafts.
    #[schemars(example = json!(["sent"]))]
    pub change_words: Vec<String>,
    /// Next steps after problems of any program, by words of their messages. The first one that applies counts.
    pub advice: Vec<AdviceDef>,
    /// Messages that the lists must judge correctly.
    pub samples: WordSamplesDef,
}

/// Next step after a problem that no hint explains.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdviceDef {
    /// Words of the message or exception, in lower case, in any part of it.
    #[schemars(example = json!(["permission denied"]))]
    pub words: Vec<String>,
    /// Next step.
    #[schemars(example = json!("The owner and the mode of the file."))]
    pub next: String,
}

/// Messages that the lists must judge correctly.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WordSamplesDef {
    /// Messages that report a problem.
    #[schemars(example = json!(["task 0 failed"]))]
    pub trouble: Vec<Text>,
    /// Messages that report none.
    #[schemars(example = json!(["finished with 0 errors"]))]
    pub harmless: Vec<Text>,
    /// Messages of a program that ends.
    #[schemars(example = json!(["exiting on signal 15"]))]
    pub end: Vec<Text>,
    /// Messages of a program that goes on.
    #[schemars(example = json!(["sending heartbeat"]))]
    pub no_end: Vec<Text>,
}

impl WordsDef {
    /// Adds the lists of another definition.
    pub fn join(&mut self, other: &WordsDef) {
        // Without `..`: a new list must be added here, too.
        let WordsDef {
            trouble,
            harmless,
            precautions,
            objects,
            end,
            stop,
            stop_requests,
            other_side,
            limits,
            pauses,
            recovered,
            reasons,
            gives_up,
            waits,
            waited,
            locks,
            holds,
            interrupts,
            listens,
            ready,
            broken,
            connections,
            opposites,
            gauges,
            work_items,
            resources,
            named,
            measures,
            counts,
            final_states,
            failed_states,
            begin,
            executing,
            changes,
            change_words,
            advice,
            samples: _,
        } = other;
        self.trouble.extend_from_slice(trouble);
        self.harmless.extend_from_slice(harmless);
        self.precautions.extend_from_slice(precautions);
        self.objects.extend_from_slice(objects);
        self.end.extend_from_slice(end);
        self.stop.extend_from_slice(stop);
        self.stop_requests.extend_from_slice(stop_requests);
        self.other_side.extend_from_slice(other_side);
        self.limits.extend_from_slice(limits);
        self.recovered.extend_from_slice(recovered);
        self.pauses.extend_from_slice(pauses);
        self.reasons.extend_from_slice(reasons);
        self.gives_up.extend_from_slice(gives_up);
        self.waits.extend_from_slice(waits);
        self.waited.extend_from_slice(waited);
        self.locks.extend_from_slice(locks);
        self.holds.extend_from_slice(holds);
        self.interrupts.extend_from_slice(interrupts);
        self.listens.extend_from_slice(listens);
        self.ready.extend_from_slice(ready);
        self.broken.extend_from_slice(broken);
        self.connections.extend_from_slice(connections);
        self.opposites.extend_from_slice(opposites);
        self.gauges.extend_from_slice(gauges);
        self.work_items.extend_from_slice(work_items);
        self.resources.extend_from_slice(resources);
        self.named.extend_from_slice(named);
        self.measures.extend_from_slice(measures);
        self.counts.extend_from_slice(counts);
        self.final_states.extend_from_slice(final_states);
        self.failed_states.extend_from_slice(failed_states);
        self.begin.extend_from_slice(begin);
        self.executing.extend_from_slice(executing);
        self.changes.extend_from_slice(changes);
        self.change_words.extend_from_slice(change_words);
        self.advice.extend_from_slice(advice);
    }
}
