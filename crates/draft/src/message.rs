//! Conversion of a template to a pattern of the definition language: variables become fields, named as mining does.

use widetui_core::ids::EventId;
use widetui_core::quantity::unit_len;
use widetui_format::messages::mine;
use widetui_format::pattern::{Element, Pattern, Spans};
use widetui_store::Snapshot;

use crate::names;
use crate::templates::{MessageTemplate, SampleMessage};
use crate::variables::{PatternPiece, kind_of, name_by_values, put_state};

/// Literal parts of a message, around its variables.
pub(crate) type Literals = Box<[Box<[u8]>]>;

/// Message pattern of the draft, with its evidence.
#[derive(Clone, Debug)]
pub(crate) struct DraftMessage {
    /// Pattern, in pieces.
    pub(crate) pieces: Vec<PatternPiece>,
    /// Keys with a constant value.
    pub(crate) consts: Vec<(String, String)>,
    /// Number of records.
    pub(crate) records: u64,
    /// Kinds of sources with such records.
    pub(crate) kinds: Vec<usize>,
    /// Sample of the records.
    pub(crate) samples: Vec<SampleMessage>,
    /// Keys that are fields of the records besides the message, with their values; all sampled records have them.
    pub(crate) sibling_fields: Vec<(String, Vec<String>)>,
    /// Keys of fields that were named after their values, because mining finds no name.
    pub(crate) guessed_keys: Vec<String>,
}

/// Length of text after the last key from which it is replaced by `{:rest}`, bytes.
const LONG_REST: usize = 60;

/// Length of text after the last key that is always kept, bytes.
const KEPT: usize = 30;

impl DraftMessage {
    /// Converts a template; `None` if it is not UTF-8, or the pattern does not match its own records.
    pub fn of(
        system: &str,
        template: &MessageTemplate,
        samples: Vec<SampleMessage>,
    ) -> Option<DraftMessage> {
        let literals = &template.literals;
        let texts: Option<Vec<&str>> = literals
            .iter()
            .map(|l| std::str::from_utf8(l).ok())
            .collect();
        let texts = texts?;
        if samples.is_empty() {
            return None;
        }
        let names = mine::names(literals, false);
        let constants = mine::constants(literals, &names);
        let mut pieces = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            pieces.push(PatternPiece::Text((*text).to_owned()));
            if at + 1 < texts.len() {
                let mined = names.iter().find(|n| n.1 == at);
                let values: Vec<&str> = samples.iter().filter_map(|s| s.values().nth(at)).collect();
                pieces.push(PatternPiece::Field {
                    key: mined.map(|n| names::key(system, &n.0)),
                    kind: kind_of(&values),
                });
            }
        }
        add_units(&mut pieces);
        let guessed_keys = name_by_values(system, &mut pieces, &samples);
        let mut consts = Vec::new();
        for (name, value) in constants {
            let key = names::key(system, &name);
            if !put_state(&mut pieces, &name, &key, &value) {
                consts.push((key, value));
            }
        }
        replace_long_rest(&mut pieces, consts.is_empty());
        let mut message = DraftMessage {
            pieces,
            consts,
            records: template.records,
            kinds: template.kinds.iter().copied().collect(),
            samples,
            sibling_fields: Vec::new(),
            guessed_keys,
        };
        message.widen_fields().then_some(message)
    }

    /// Widens fields until the pattern matches its own records. Returns whether it does.
    fn widen_fields(&mut self) -> bool {
        if self.matches_samples() {
            return true;
        }
        for piece in &mut self.pieces {
            if let PatternPiece::Field { kind, .. } = piece
                && !matches!(*kind, "state" | "rest" | "list")
            {
                *kind = "text";
            }
        }
        self.matches_samples()
    }

    fn matches_samples(&self) -> bool {
        let Ok(pattern) = Pattern::compile(&self.pattern()) else {
            return false;
        };
        let mut spans = Spans::new();
        self.samples
            .iter()
            .all(|s| pattern.matches(s.message.as_bytes(), &mut spans))
    }

    /// Pattern as written in a definition.
    pub(crate) fn pattern(&self) -> String {
        let texts = self.pieces.iter().map(|piece| match piece {
            PatternPiece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            PatternPiece::Field { key, kind } => {
                match (key.as_deref().unwrap_or_default(), *kind) {
                    ("", "text") => "{}".to_owned(),
                    (key, "word") if !key.is_empty() => format!("{{{key}}}"),
                    (key, kind) => format!("{{{key}:{kind}}}"),
                }
            }
        });
        texts.collect()
    }

    /// Keys of fields, with the kinds of the fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.pieces.iter().filter_map(|piece| match piece {
            PatternPiece::Field {
                key: Some(key),
                kind,
            } => Some((key.as_str(), *kind)),
            _ => None,
        })
    }

    /// All keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let consts = self.consts.iter().map(|c| c.0.as_str());
        self.fields().map(|f| f.0).chain(consts)
    }

    /// Whether the message has a key.
    pub(crate) fn is_keyed(&self) -> bool {
        self.keys().next().is_some()
    }

    /// Whether the message is constant text without keys.
    pub(crate) fn is_constant(&self) -> bool {
        self.consts.is_empty() && matches!(&self.pieces[..], [PatternPiece::Text(_)])
    }

    /// Whether the message, or a field beside it, has the key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys().any(|k| k == key) || self.sibling_fields.iter().any(|b| b.0 == key)
    }

    /// First sampled record.
    pub(crate) fn first_event(&self) -> EventId {
        self.samples.first().map_or(EventId(u32::MAX), |s| s.event)
    }

    /// Literal parts of the records: one pattern may stand for several templates.
    pub(crate) fn literals(&self, snapshot: &Snapshot) -> Vec<Literals> {
        let events = { self.samples.iter() }.filter_map(|sample| snapshot.event(sample.event));
        let mut out: Vec<Literals> = Vec::new();
        for shape in events.filter_map(|event| event.shape()) {
            if !out.contains(&shape.literals) {
                out.push(shape.literals.clone());
            }
        }
        out
    }

    /// Values of a key in the sampled records.
    pub(crate) fn values<'m>(&'m self, key: &str) -> Vec<&'m str> {
        if let Some((_, values)) = self.sibling_fields.iter().find(|b| b.0 == key) {
            return values.iter().map(String::as_str).collect();
        }
        let Ok(pattern) = Pattern::compile(&self.pattern()) else {
            return Vec::new();
        };
        let Some(field) = pattern.fields.iter().position(|f| f.name == key) else {
            return Vec::new();
        };
        let mut spans = Spans::new();
        let values = self.samples.iter().filter_map(|sample| {
            let fits = pattern.matches(sample.message.as_bytes(), &mut spans);
            let span = spans.get(field).filter(|_| fits)?.clone();
            sample.message.get(span)
        });
        values.collect()
    }

    /// Words of the text in lower case; `task_started` is two words. Names before an equals sign are omitted.
    pub(crate) fn words(&self) -> Vec<String> {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            PatternPiece::Text(text) => Some(text.as_str()),
            PatternPiece::Field { .. } => None,
        });
        let is_part = |c: char| c.is_alphabetic() || c == '_';
        let mut out = Vec::new();
        for text in texts {
            let mut rest = text;
            while let Some(start) = rest.find(is_part) {
                let word = &rest[start..];
                let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
                rest = &word[end..];
                if !rest.starts_with('=') {
                    let parts = word[..end].split('_').filter(|w| !w.is_empty());
                    out.extend(parts.map(str::to_lowercase));
                }
            }
        }
        out
    }

    /// Word directly after the field of a key, if it is in lower case.
    pub(crate) fn word_after(&self, key: &str) -> Option<&str> {
        let is_it =
            |p: &PatternPiece| matches!(p, PatternPiece::Field { key: Some(k), .. } if k == key);
        let at = self.pieces.iter().position(is_it)?;
        let Some(PatternPiece::Text(text)) = self.pieces.get(at + 1) else {
            return None;
        };
        let text = text.trim_start_matches([']', ')', '\'', '"']);
        let word = text.strip_prefix(':').unwrap_or(text).strip_prefix(' ')?;
        let word = word.split(|c: char| !c.is_alphabetic()).next()?;
        (!word.is_empty() && word.chars().all(char::is_lowercase)).then_some(word)
    }

    /// Word directly before the name and field of a key, if it is in lower case; the last word of the message if the
    /// key is a field of the record.
    pub(crate) fn word_before(&self, key: &str) -> Option<&str> {
        let is_it =
            |p: &PatternPiece| matches!(p, PatternPiece::Field { key: Some(k), .. } if k == key);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let text = match self.pieces.iter().position(is_it) {
            Some(at) => {
                let Some(PatternPiece::Text(text)) = self.pieces.get(at.checked_sub(1)?) else {
                    return None;
                };
                let named = text.trim_end_matches(|c: char| !is_part(c));
                named.trim_end_matches(is_part)
            }
            None => match self.pieces.last()? {
                PatternPiece::Text(text) if self.has_key(key) => text,
                _ => return None,
            },
        };
        let word = text.trim_end().rsplit(|c: char| !is_part(c)).next()?;
        let word = word.rsplit('_').next()?;
        (!word.is_empty() && word.chars().all(char::is_lowercase)).then_some(word)
    }

    /// Adds the records of another template with the same pattern.
    pub(crate) fn merge(&mut self, other: DraftMessage) {
        self.records += other.records;
        for kind in other.kinds {
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
        }
        self.samples.extend(other.samples);
    }
}

/// Makes the units after numbers of mined keys part of their fields, as they are part of the mined values.
fn add_units(pieces: &mut [PatternPiece]) {
    for at in 1..pieces.len() {
        let (before, after) = pieces.split_at_mut(at);
        if let (Some(PatternPiece::Field { key: Some(_), kind }), [PatternPiece::Text(text), ..]) =
            (before.last_mut(), after)
            && matches!(*kind, "int" | "float")
            && let len @ 1.. = unit_len(text.as_bytes())
        {
            *kind = "quantity";
            text.drain(..len);
        }
    }
}

/// Replaces long text after the last key by `{:rest}`, but keeps the words that distinguish the message from others.
fn replace_long_rest(pieces: &mut Vec<PatternPiece>, may: bool) {
    let keyed = |p: &PatternPiece| matches!(p, PatternPiece::Field { key: Some(_), .. });
    let Some(last) = pieces.iter().rposition(keyed).filter(|_| may) else {
        return;
    };
    let length = |p: &PatternPiece| match p {
        PatternPiece::Text(text) => text.len(),
        PatternPiece::Field { .. } => 0,
    };
    let mut left: usize = pieces[last + 1..].iter().map(length).sum();
    let mut kept = 0;
    for at in last + 1..pieces.len() {
        let PatternPiece::Text(text) = pieces[at].clone() else {
            continue;
        };
        let blanks = text.match_indices(' ').map(|(blank, _)| blank);
        if let Some(blank) = { blanks }.find(|blank| kept + blank >= KEPT)
            && left.saturating_sub(blank) > LONG_REST
        {
            pieces.truncate(at);
            pieces.push(PatternPiece::Text(text[..=blank].to_owned()));
            pieces.push(PatternPiece::Field {
                key: None,
                kind: "rest",
            });
            return;
        }
        kept += text.len();
        left -= text.len();
    }
}

/// Length of a pattern's literal text, bytes: the longer, the more specific.
pub(crate) fn literal_length(pattern: &Pattern) -> usize {
    let elements = pattern.elements.iter();
    elements
        .map(|e| {
            if let Element::Literal(l) = e {
                l.len()
            } else {
                0
            }
        })
        .sum()
}
