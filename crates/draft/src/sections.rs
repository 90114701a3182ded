//! Draft as data: the sections of a definition before they are written as text.

use crate::layouts::OwnFormat;

/// Definition under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Name of the system.
    pub(crate) name: String,
    /// Comment lines at the top.
    pub(crate) notes: Vec<String>,
    /// Keys, in the order in which they are written.
    pub(crate) keys: Vec<KeySection>,
    /// Layouts.
    pub(crate) layouts: Vec<OwnFormat>,
    /// Dialects.
    pub(crate) dialects: Vec<OwnFormat>,
    /// Kinds of sources.
    pub(crate) sources: Vec<SourceSection>,
    /// Messages by scope.
    pub(crate) scopes: Vec<ScopeSection>,
    /// Entities.
    pub(crate) entities: Vec<EntitySection>,
    /// Joins that would hold: left keys, right keys, evidence.
    pub(crate) joins: Vec<(Vec<String>, Vec<String>, String)>,
    /// Sample lines with their expected fields.
    pub(crate) samples: Vec<SampleSection>,
}

/// Section of a key.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySection {
    /// Name.
    pub(crate) name: String,
    /// Type; empty for the default.
    pub(crate) kind: &'static str,
    /// Whether the values identify instances.
    pub(crate) identifier: bool,
    /// Example values.
    pub(crate) examples: Vec<String>,
}

/// Section of a kind of source.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceSection {
    /// Name of the kind.
    pub(crate) kind: String,
    /// Globs of its files.
    pub(crate) globs: Vec<String>,
    /// Names of layouts; empty to detect them by content.
    pub(crate) layouts: Vec<String>,
    /// Names of dialects.
    pub(crate) json: Vec<String>,
    /// Scopes of messages.
    pub(crate) messages: Vec<String>,
    /// Comment on its origin.
    pub(crate) note: String,
}

/// Section of the messages of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopeSection {
    /// Name of the scope.
    pub(crate) name: String,
    /// Messages.
    pub(crate) messages: Vec<MessageEntry>,
    /// Patterns without keys, and their frequencies.
    pub(crate) unkeyed: Vec<(String, String)>,
}

/// Message.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageEntry {
    /// Pattern.
    pub(crate) pattern: String,
    /// Keys with a constant value.
    pub(crate) consts: Vec<(String, String)>,
    /// Comment on its frequency.
    pub(crate) note: String,
}

/// Section of an entity.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntitySection {
    /// Key that identifies the entity.
    pub(crate) key: String,
    /// Title for users.
    pub(crate) title: String,
    /// `work_item` or `resource`.
    pub(crate) role: &'static str,
    /// Key of the states.
    pub(crate) state: Option<String>,
    /// States in their usual order.
    pub(crate) states: Vec<String>,
    /// Final states.
    pub(crate) last: Vec<String>,
    /// States with the name of a final state that other states follow.
    pub(crate) possibly_final: Vec<String>,
    /// Final states that are failures.
    pub(crate) failed: Vec<String>,
    /// Final states that other states follow.
    pub(crate) goes_on: Vec<String>,
    /// States of being executed.
    pub(crate) executing: Vec<String>,
    /// States after execution that the owner may not know yet.
    pub(crate) executed: Vec<String>,
    /// Kinds of sources that report states, the owner first.
    pub(crate) recorders: Vec<String>,
    /// Keys of the place of execution.
    pub(crate) places: Vec<String>,
    /// Comment on the evidence.
    pub(crate) note: String,
}

/// Section of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SampleSection {
    /// Path of the source.
    pub(crate) path: Option<String>,
    /// Kind of source, unless the path determines it.
    pub(crate) kind: Option<String>,
    /// Layout, unless it is determined otherwise.
    pub(crate) layout: Option<String>,
    /// Sample line.
    pub(crate) line: String,
    /// Expected fields: names, and values in TOML.
    pub(crate) gives: Vec<(String, String)>,
}
