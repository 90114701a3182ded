//! A draft as data: what its sections say, before it is text.

use crate::layouts::Own;

/// A definition that is being drafted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Name of the system.
    pub(crate) name: String,
    /// Lines of comment at the top.
    pub(crate) notes: Vec<String>,
    /// Keys, in the order in which they are told.
    pub(crate) keys: Vec<KeyPart>,
    /// Layouts.
    pub(crate) layouts: Vec<Own>,
    /// Dialects.
    pub(crate) dialects: Vec<Own>,
    /// Kinds of sources.
    pub(crate) sources: Vec<SourcePart>,
    /// Messages, by scope.
    pub(crate) scopes: Vec<ScopePart>,
    /// Things.
    pub(crate) entities: Vec<EntityPart>,
    /// Joins that would hold: by, gives, what is known of them.
    pub(crate) joins: Vec<(Vec<String>, Vec<String>, String)>,
    /// Lines and what they give.
    pub(crate) samples: Vec<SamplePart>,
}

/// A key.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyPart {
    /// Its name.
    pub(crate) name: String,
    /// Its type; empty: any.
    pub(crate) kind: &'static str,
    /// Whether its values name things.
    pub(crate) identifier: bool,
    /// Some of its values.
    pub(crate) examples: Vec<String>,
}

/// A kind of source.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourcePart {
    /// Its name.
    pub(crate) kind: String,
    /// Which files.
    pub(crate) globs: Vec<String>,
    /// Names of layouts; none: by its looks.
    pub(crate) layouts: Vec<String>,
    /// Names of dialects.
    pub(crate) json: Vec<String>,
    /// Scopes of messages.
    pub(crate) messages: Vec<String>,
    /// What it was made of.
    pub(crate) note: String,
}

/// Messages of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopePart {
    /// Its name.
    pub(crate) name: String,
    /// Its messages.
    pub(crate) messages: Vec<MessagePart>,
    /// Patterns that name no key, and how often they occur.
    pub(crate) unkeyed: Vec<(String, String)>,
}

/// A message.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessagePart {
    /// The pattern.
    pub(crate) pattern: String,
    /// Keys with a constant value.
    pub(crate) consts: Vec<(String, String)>,
    /// How often it occurs.
    pub(crate) note: String,
}

/// A thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntityPart {
    /// Its key.
    pub(crate) key: String,
    /// For people.
    pub(crate) title: String,
    /// `goal` or `carrier`.
    pub(crate) role: &'static str,
    /// The key of its states.
    pub(crate) state: Option<String>,
    /// Its states in order.
    pub(crate) states: Vec<String>,
    /// Those that end it.
    pub(crate) last: Vec<String>,
    /// Those that sound like it, and are followed by others.
    pub(crate) perhaps: Vec<String>,
    /// Of these, failures.
    pub(crate) failed: Vec<String>,
    /// Of the final ones, those that others follow.
    pub(crate) goes_on: Vec<String>,
    /// Those in which it is carried out.
    pub(crate) executing: Vec<String>,
    /// Those in which the work on it is over, and its owner may not know of it.
    pub(crate) executed: Vec<String>,
    /// Kinds of sources that tell them, its owner first.
    pub(crate) recorders: Vec<String>,
    /// Keys that say where it runs.
    pub(crate) places: Vec<String>,
    /// What it was guessed from.
    pub(crate) note: String,
}

/// A sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SamplePart {
    /// Path of the source.
    pub(crate) path: Option<String>,
    /// Its kind, where the path does not tell it.
    pub(crate) kind: Option<String>,
    /// Its layout, where it must be told.
    pub(crate) layout: Option<String>,
    /// The line.
    pub(crate) line: String,
    /// Names and the TOML of their values.
    pub(crate) gives: Vec<(String, String)>,
}
