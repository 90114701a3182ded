//! A draft as data: what its sections say, before it is text.

use crate::layouts::Own;

/// A definition that is being drafted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Name of the system.
    pub name: String,
    /// Lines of comment at the top.
    pub notes: Vec<String>,
    /// Keys, in the order in which they are told.
    pub keys: Vec<KeyPart>,
    /// Layouts.
    pub layouts: Vec<Own>,
    /// Dialects.
    pub dialects: Vec<Own>,
    /// Kinds of sources.
    pub sources: Vec<SourcePart>,
    /// Messages, by scope.
    pub scopes: Vec<ScopePart>,
    /// Things.
    pub entities: Vec<EntityPart>,
    /// Joins that would hold: by, gives, what is known of them.
    pub joins: Vec<(Vec<String>, Vec<String>, String)>,
    /// Lines and what they give.
    pub samples: Vec<SamplePart>,
}

/// A key.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyPart {
    /// Its name.
    pub name: String,
    /// Its type; empty: any.
    pub kind: &'static str,
    /// Whether its values name things.
    pub identifier: bool,
    /// Some of its values.
    pub examples: Vec<String>,
}

/// A kind of source.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourcePart {
    /// Its name.
    pub kind: String,
    /// Which files.
    pub globs: Vec<String>,
    /// Names of layouts; none: by its looks.
    pub layouts: Vec<String>,
    /// Names of dialects.
    pub json: Vec<String>,
    /// Scopes of messages.
    pub messages: Vec<String>,
    /// What it was made of.
    pub note: String,
}

/// Messages of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopePart {
    /// Its name.
    pub name: String,
    /// Its messages.
    pub messages: Vec<MessagePart>,
    /// Patterns that name no key, and how often they occur.
    pub unkeyed: Vec<(String, String)>,
}

/// A message.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessagePart {
    /// The pattern.
    pub pattern: String,
    /// Keys with a constant value.
    pub consts: Vec<(String, String)>,
    /// How often it occurs.
    pub note: String,
}

/// A thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntityPart {
    /// Its key.
    pub key: String,
    /// For people.
    pub title: String,
    /// `goal` or `carrier`.
    pub role: &'static str,
    /// The key of its states.
    pub state: Option<String>,
    /// Its states in order.
    pub states: Vec<String>,
    /// Those that end it.
    pub last: Vec<String>,
    /// Those that sound like it, and are followed by others.
    pub perhaps: Vec<String>,
    /// Of these, failures.
    pub failed: Vec<String>,
    /// Of the final ones, those that others follow.
    pub goes_on: Vec<String>,
    /// Those in which it is carried out.
    pub executing: Vec<String>,
    /// Those in which the work on it is over, and its owner may not know of it.
    pub executed: Vec<String>,
    /// Kinds of sources that tell them, its owner first.
    pub recorders: Vec<String>,
    /// Keys that say where it runs.
    pub places: Vec<String>,
    /// What it was guessed from.
    pub note: String,
}

/// A sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SamplePart {
    /// Path of the source.
    pub path: Option<String>,
    /// Its kind, where the path does not tell it.
    pub kind: Option<String>,
    /// Its layout, where it must be told.
    pub layout: Option<String>,
    /// The line.
    pub line: String,
    /// Names and the TOML of their values.
    pub gives: Vec<(String, String)>,
}
