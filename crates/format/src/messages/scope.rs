//! Scope: the messages that apply to one kind of source, with the keys and levels that they provide.
//!
//! In `parsl.log`, "task 7" is a task of the workflow; in an executor's directory it is a task of the executor. So
//! patterns belong to scopes, not to systems. A pattern is matched once per template; the resulting plan is applied to
//! every later record of that template without matching.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use widetui_core::bytes::starts;
use widetui_core::dict::Code;
use widetui_core::ids::KeyId;
use widetui_core::level::Level;

use crate::catalog::Catalog;
use crate::catalog::keys::Key;
use crate::messages::continuation_lines::ContinuationPattern;
use crate::messages::leading_level;
use crate::messages::mined_keys;
use crate::pattern::{Element, FieldKind, Pattern, Spans, spellings};

mod first_bytes;
mod shaping;

use first_bytes::FirstByteIndex;

pub(crate) use shaping::Matched;

/// Compiled message of a definition.
#[derive(Clone, Debug)]
pub struct MessagePattern {
    /// Pattern of the first line of the message.
    pub pattern: Pattern,
    /// Key of each field; `None` for fields whose value is not kept.
    pub keys: Vec<Option<Arc<Key>>>,
    /// Fields that provide a second key, with the kind by which that key reads them.
    pub same: Vec<(usize, Arc<Key>, FieldKind)>,
    /// Keys with a constant value.
    pub consts: Vec<(KeyId, Code)>,
    /// Level if the header has none.
    pub level: Option<Level>,
    /// Patterns of its continuation lines.
    pub continuation: Vec<ContinuationPattern>,
}

impl MessagePattern {
    #[inline]
    fn may_match(&self, msg: &[u8]) -> bool {
        match self.pattern.elements.first() {
            Some(Element::Literal(literal)) => starts(msg, literal),
            _ => true,
        }
    }

    /// Whether a message with this start can match.
    fn may_begin(&self, start: &[u8]) -> bool {
        match self.pattern.elements.first() {
            Some(Element::Literal(literal)) => {
                literal.starts_with(start) || start.starts_with(literal)
            }
            _ => true,
        }
    }

    /// Fields of a message with their keys; fields with two keys occur twice.
    pub(crate) fn fields<'a>(
        &'a self,
        spans: &'a Spans,
    ) -> impl Iterator<Item = (&'a FieldKind, Option<&'a Arc<Key>>, &'a Range<usize>)> {
        let keys = self.keys.iter().map(Option::as_ref);
        let first = self.pattern.fields.iter().zip(keys).zip(spans);
        let first = first.map(|((field, key), span)| (&field.kind, key, span));
        let again = self.same.iter();
        let again = again.filter_map(|(at, key, kind)| Some((kind, Some(key), spans.get(*at)?)));
        first.chain(again)
    }

    /// Constant keys that are not fields of the record.
    fn consts_beside(&self, fields: &[KeyId]) -> impl Iterator<Item = (KeyId, Code)> {
        self.consts
            .iter()
            .filter(|c| !fields.contains(&c.0))
            .copied()
    }
}

/// Whether keys are mined from messages that no pattern matches: `tries=3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mining {
    /// Keys are mined.
    On,
    /// No keys are mined.
    Off,
}

/// Message patterns for one kind of source. Patterns are matched once per template.
#[derive(Debug)]
pub struct Scope {
    /// Id, unique within a run.
    pub id: u32,
    /// Whether keys are mined from messages that no pattern matches (sources without a definition).
    pub(crate) mine: bool,
    compiled: LazyLock<Messages, Make>,
}

/// Compiled messages of a scope.
#[derive(Debug)]
struct Messages {
    /// Patterns; the first one that matches counts.
    messages: Vec<MessagePattern>,
    /// Indices of the messages with continuation lines.
    with_continuation: Vec<usize>,
    /// Distinct numbers in the literal text of the patterns, each with the index of the first message that has it,
    /// ascending.
    numbers: Vec<(usize, Box<[u8]>)>,
    first_bytes: FirstByteIndex,
}

impl Messages {
    fn new(messages: Vec<MessagePattern>) -> Messages {
        let all = messages.iter().enumerate();
        let with_continuation = all.clone().filter(|(_, m)| !m.continuation.is_empty());
        let mut known = FxHashSet::default();
        let mut numbers: Vec<(usize, Box<[u8]>)> = Vec::new();
        for (at, message) in all.clone() {
            let new = shaping::numbers(&message.pattern).filter(|number| known.insert(*number));
            numbers.extend(new.map(|number| (at, number.into())));
        }
        Messages {
            with_continuation: with_continuation.map(|(at, _)| at).collect(),
            first_bytes: FirstByteIndex::of(messages.iter().map(|m| &m.pattern)),
            numbers,
            messages,
        }
    }
}

type Make = Box<dyn FnOnce() -> Messages + Send>;

impl Default for Scope {
    fn default() -> Scope {
        Scope::new(0, Vec::new(), Mining::Off)
    }
}

impl Scope {
    /// Scope with these messages.
    pub fn new(id: u32, messages: Vec<MessagePattern>, mining: Mining) -> Scope {
        Scope::later(id, || messages, mining)
    }

    /// Scope whose messages are compiled on first use, because most kinds of sources do not occur in a run.
    pub(crate) fn later(
        id: u32,
        messages: impl FnOnce() -> Vec<MessagePattern> + Send + 'static,
        mining: Mining,
    ) -> Scope {
        let compiled = || Messages::new(messages());
        Scope {
            id,
            mine: mining == Mining::On,
            compiled: LazyLock::new(Box::new(compiled)),
        }
    }

    /// Messages; the first one that matches counts.
    pub(crate) fn messages(&self) -> &[MessagePattern] {
        &self.compiled.messages
    }

    /// Patterns of the continuation lines of a message.
    #[inline]
    pub fn continuation_patterns(
        &self,
        msg: &[u8],
        spans: &mut Spans,
    ) -> Option<&[ContinuationPattern]> {
        if self.compiled.with_continuation.is_empty() {
            return None;
        }
        let fits = |at: &&usize| self.fits(**at, msg, spans);
        let at = *self.compiled.with_continuation.iter().find(fits)?;
        let message = self.messages().get(at)?;
        (self.find(msg, spans) == Some(at)).then_some(&*message.continuation)
    }

    /// Index of the first pattern that matches a message (one line); fills `spans` with its fields.
    pub(crate) fn find(&self, msg: &[u8], spans: &mut Spans) -> Option<usize> {
        let mut possible = self.compiled.first_bytes.possible(msg);
        possible.find(|at| self.fits(*at, msg, spans))
    }

    /// True if the pattern with this index matches a message.
    #[inline]
    fn fits(&self, at: usize, msg: &[u8], spans: &mut Spans) -> bool {
        let message = self.messages().get(at);
        message.is_some_and(|m| m.may_match(msg) && m.pattern.matches(msg, spans))
    }

    /// Level of a message whose header has none.
    pub fn level(&self, msg: &[u8]) -> Option<Level> {
        let leading = leading_level::level(msg);
        if self.messages().iter().all(|m| m.level.is_none()) {
            return leading;
        }
        let found = self.find(msg, &mut Spans::new());
        found
            .and_then(|at| self.messages().get(at)?.level)
            .or(leading)
    }

    /// Keys of a message, found by matching patterns one by one; the fast path must agree with them.
    pub(crate) fn read(&self, msg: &[u8], tables: &Catalog) -> Vec<(Arc<Key>, Vec<String>)> {
        let mut spans = Spans::new();
        let mut out: Vec<(Arc<Key>, Vec<String>)> = Vec::new();
        let found = self.find(msg, &mut spans);
        if let Some(message) = found.and_then(|at| self.messages().get(at)) {
            for (id, code) in &message.consts {
                if let Some(key) = tables.keys.by_id(*id)
                    && let Some(text) = spelled(&key, *code)
                {
                    out.push((key, vec![text]));
                }
            }
            for (kind, key, span) in message.fields(&spans) {
                let Some(key) = key else { continue };
                let values = spellings(kind, msg.get(span.clone()).unwrap_or_default());
                out.push((key.clone(), values));
            }
        } else if self.mine {
            mined_keys::read(msg, tables, &mut out);
        }
        out
    }
}

fn spelled(key: &Key, code: Code) -> Option<String> {
    if code < widetui_core::dict::ENTRY {
        Some(code.to_string())
    } else {
        key.freeze().entry(code).map(str::to_owned)
    }
}
