//! One wording as a pattern of the definition language: variables become fields, named as the program mines them.

use widetui_core::ids::EventId;
use widetui_format::messages::mine;
use widetui_format::pattern::{Element, Pattern, Spans};
use widetui_store::Snapshot;

use crate::names;
use crate::templates::{LoggedMessage, MessageTemplate};
use crate::variables::{PatternPiece, kind_of, name_others, put_state};

/// The literal parts of a message: what stands around its variables.
pub(crate) type Literals = Box<[Box<[u8]>]>;

/// A message of the draft.
#[derive(Clone, Debug)]
pub(crate) struct DraftMessage {
    /// Its pattern.
    pub(crate) pieces: Vec<PatternPiece>,
    /// Keys with a constant value.
    pub(crate) consts: Vec<(String, String)>,
    /// Records that it was made of.
    pub(crate) records: u64,
    /// Kinds of sources that have it.
    pub(crate) kinds: Vec<usize>,
    /// Some of them.
    pub(crate) said: Vec<LoggedMessage>,
    /// Keys that fields of its records are, beside the message, with their values: all of the records looked at have them.
    pub(crate) beside: Vec<(String, Vec<String>)>,
    /// Keys of its fields that were named by the looks of their values: the program itself finds none there.
    pub(crate) guessed: Vec<String>,
}

/// What is left of a message behind its last key is read over when it is longer, bytes.
const LONG_REST: usize = 60;

/// Text behind the last key that is never read over, bytes.
const KEPT: usize = 30;

impl DraftMessage {
    /// Of a wording; `None` where it is no text, or says nothing that varies or has a name.
    pub fn of(
        system: &str,
        wording: &MessageTemplate,
        said: Vec<LoggedMessage>,
    ) -> Option<DraftMessage> {
        let literals = &wording.literals;
        let texts: Option<Vec<&str>> = literals
            .iter()
            .map(|l| std::str::from_utf8(l).ok())
            .collect();
        let texts = texts?;
        if said.is_empty() {
            return None;
        }
        let names = mine::names(literals, false);
        let constants = mine::constants(literals, &names);
        let mut pieces = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            pieces.push(PatternPiece::Text((*text).to_owned()));
            if at + 1 < texts.len() {
                let mined = names.iter().find(|n| n.1 == at);
                let values: Vec<&str> = said.iter().filter_map(|s| s.values().nth(at)).collect();
                pieces.push(PatternPiece::Field {
                    key: mined.map(|n| names::key(system, &n.0)),
                    kind: kind_of(&values),
                });
            }
        }
        let guessed = name_others(system, &mut pieces, &said);
        let mut consts = Vec::new();
        for (name, value) in constants {
            let key = names::key(system, &name);
            if !put_state(&mut pieces, &name, &key, &value) {
                consts.push((key, value));
            }
        }
        cut_rest(&mut pieces, consts.is_empty());
        let mut message = DraftMessage {
            pieces,
            consts,
            records: wording.records,
            kinds: wording.kinds.iter().copied().collect(),
            said,
            beside: Vec::new(),
            guessed,
        };
        message.repair().then_some(message)
    }

    /// Makes fields wider until the pattern fits what it was made of. Says whether it does.
    fn repair(&mut self) -> bool {
        if self.fits_own() {
            return true;
        }
        for piece in &mut self.pieces {
            if let PatternPiece::Field { kind, .. } = piece
                && !matches!(*kind, "state" | "rest" | "list")
            {
                *kind = "text";
            }
        }
        self.fits_own()
    }

    fn fits_own(&self) -> bool {
        let Ok(pattern) = Pattern::compile(&self.pattern()) else {
            return false;
        };
        let mut spans = Spans::new();
        self.said
            .iter()
            .all(|s| pattern.matches(s.message.as_bytes(), &mut spans))
    }

    /// As the definition has it.
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

    /// Keys of its fields, with their kinds.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.pieces.iter().filter_map(|piece| match piece {
            PatternPiece::Field {
                key: Some(key),
                kind,
            } => Some((key.as_str(), *kind)),
            _ => None,
        })
    }

    /// All its keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let consts = self.consts.iter().map(|c| c.0.as_str());
        self.fields().map(|f| f.0).chain(consts)
    }

    /// Whether it names a key.
    pub(crate) fn is_keyed(&self) -> bool {
        self.keys().next().is_some()
    }

    /// Whether nothing in it varies or is the value of a key.
    pub(crate) fn is_fixed(&self) -> bool {
        self.consts.is_empty() && matches!(&self.pieces[..], [PatternPiece::Text(_)])
    }

    /// Whether it, or a field beside it, names a key.
    pub(crate) fn is_about(&self, key: &str) -> bool {
        self.keys().any(|k| k == key) || self.beside.iter().any(|b| b.0 == key)
    }

    /// The record that had it first.
    pub(crate) fn first(&self) -> EventId {
        self.said.first().map_or(EventId(u32::MAX), |s| s.event)
    }

    /// The literal parts of its records: one pattern may stand for several wordings.
    pub(crate) fn literals(&self, snapshot: &Snapshot) -> Vec<Literals> {
        let events = { self.said.iter() }.filter_map(|said| snapshot.event(said.event));
        let mut out: Vec<Literals> = Vec::new();
        for shape in events.filter_map(|event| event.shape()) {
            if !out.contains(&shape.literals) {
                out.push(shape.literals.clone());
            }
        }
        out
    }

    /// The values that a key has in its messages.
    pub(crate) fn values<'m>(&'m self, key: &str) -> Vec<&'m str> {
        if let Some((_, values)) = self.beside.iter().find(|b| b.0 == key) {
            return values.iter().map(String::as_str).collect();
        }
        let Ok(pattern) = Pattern::compile(&self.pattern()) else {
            return Vec::new();
        };
        let Some(field) = pattern.fields.iter().position(|f| f.name == key) else {
            return Vec::new();
        };
        let mut spans = Spans::new();
        let values = self.said.iter().filter_map(|said| {
            let fits = pattern.matches(said.message.as_bytes(), &mut spans);
            let span = spans.get(field).filter(|_| fits)?.clone();
            said.message.get(span)
        });
        values.collect()
    }

    /// The words of its text, in small letters, also those of `task_started`. Names before an equals sign are none.
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

    /// The word right behind the field of a key, if it is in small letters.
    pub(crate) fn behind(&self, key: &str) -> Option<&str> {
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

    /// The word right before the name of a key and its field, if it is in small letters; of a key that a field of its records
    /// is, the last word.
    pub(crate) fn before(&self, key: &str) -> Option<&str> {
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
                PatternPiece::Text(text) if self.is_about(key) => text,
                _ => return None,
            },
        };
        let word = text.trim_end().rsplit(|c: char| !is_part(c)).next()?;
        let word = word.rsplit('_').next()?;
        (!word.is_empty() && word.chars().all(char::is_lowercase)).then_some(word)
    }

    /// Adds what another wording of the same pattern says.
    pub(crate) fn merge(&mut self, other: DraftMessage) {
        self.records += other.records;
        for kind in other.kinds {
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
        }
        self.said.extend(other.said);
    }
}

/// Reads over a long rest behind the last key, but for the words that tell the message from others.
fn cut_rest(pieces: &mut Vec<PatternPiece>, may: bool) {
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

/// The literal text of a pattern, bytes: patterns with more of it say more.
pub(crate) fn weight(pattern: &Pattern) -> usize {
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
