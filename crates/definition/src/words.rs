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
    /// Beginnings of words that a program writes when it ends.
    #[schemars(example = json!(["shutting down", "terminat"]))]
    pub end: Vec<String>,
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
            end,
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
        self.end.extend_from_slice(end);
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
