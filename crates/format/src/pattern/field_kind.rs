//! Kinds of fields in a pattern: the text that they accept, and where it ends.

use std::borrow::Cow;

use widetui_core::bytes::is_blank;
use widetui_core::level::Level;
use widetui_core::quantity::unit_len;
use widetui_time::timeparse::TimePattern;

use crate::text::hosts::hosts;

/// Level of two words, as Java services write it.
const TWO_WORDS: &[u8] = b"FATAL ERROR";

/// Kind of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// One or more bytes without a blank, as few as possible. The default.
    Word,
    /// Mined variable: a list if it looks like one, else text. Not available in patterns.
    Mined,
    /// As `Word`, from a small closed set: the value is part of the template.
    State,
    /// Digits with an optional sign.
    Int,
    /// Number with optional fraction and exponent.
    Float,
    /// As `Float`, with a unit of size, time or percent after it, if there is one: `5.76 GiB`.
    Quantity,
    /// Hexadecimal digits.
    Hex,
    /// A UUID with dashes.
    Uuid,
    /// Name of a logger or module: letters, digits, `_` and `.`.
    Name,
    /// Name with text in angle brackets, which may contain blanks: `AgentId<a b>`.
    Angled,
    /// Any bytes, possibly none, as few as possible.
    Text,
    /// As `Text`; every integer in it is a value.
    List,
    /// As `Text`; split at commas and without quotes, every part is a value.
    Words,
    /// As `Text`; a host list in the notation of batch systems, every host is a value.
    Hosts,
    /// Name of a level.
    Level,
    /// Syslog priority (facility and severity).
    Priority,
    /// Syslog structured data; each of its names is a key.
    Structured,
    /// Any number of blanks.
    Pad,
    /// Terminal colour sequences, any number of them.
    Colour,
    /// Word at the end of the line, for a header that stands alone on its line.
    Last,
    /// Rest of the text, if it is short and without digits, like the name of an operation; the value is part of the
    /// template.
    Phrase,
    /// Rest of the text.
    Rest,
    /// Time.
    Time(Box<TimePattern>),
}

impl Eq for FieldKind {}

/// Maximum length of a phrase, bytes.
const MAX_PHRASE: usize = 80;

impl FieldKind {
    /// Whether the value is part of the template.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self, FieldKind::State | FieldKind::Phrase)
    }

    /// Kind with this name in a pattern.
    ///
    /// # Errors
    /// There is no such kind.
    pub(crate) fn parse(spec: &str) -> Result<FieldKind, String> {
        Ok(match spec {
            "" | "word" => FieldKind::Word,
            "state" => FieldKind::State,
            "int" => FieldKind::Int,
            "float" => FieldKind::Float,
            "quantity" => FieldKind::Quantity,
            "hex" => FieldKind::Hex,
            "uuid" => FieldKind::Uuid,
            "name" => FieldKind::Name,
            "angled" => FieldKind::Angled,
            "text" => FieldKind::Text,
            "list" => FieldKind::List,
            "words" => FieldKind::Words,
            "hosts" => FieldKind::Hosts,
            "level" => FieldKind::Level,
            "priority" => FieldKind::Priority,
            "structured" => FieldKind::Structured,
            "pad" => FieldKind::Pad,
            "colour" => FieldKind::Colour,
            "last" => FieldKind::Last,
            "phrase" => FieldKind::Phrase,
            "rest" => FieldKind::Rest,
            other => {
                return Err(format!(
                    "unknown kind of field '{other}'; known kinds: word, state, int, float, quantity, hex, uuid, name, angled, text, list, \
                     words, hosts, level, priority, structured, pad, colour, last, phrase, rest"
                ));
            }
        })
    }

    /// Whether the field accepts the whole of `bytes`.
    #[inline]
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        match self {
            FieldKind::Word | FieldKind::State => {
                !bytes.is_empty() && !bytes.iter().any(|b| is_blank(*b))
            }
            FieldKind::Text
            | FieldKind::List
            | FieldKind::Words
            | FieldKind::Hosts
            | FieldKind::Rest
            | FieldKind::Mined => true,
            FieldKind::Pad => bytes.iter().all(|b| is_blank(*b)),
            _ => self.greedy_end(bytes, 0) == Some(bytes.len()),
        }
    }

    /// End of the longest match at `pos`, for kinds that do not backtrack.
    pub(crate) fn greedy_end(&self, text: &[u8], pos: usize) -> Option<usize> {
        let rest = text.get(pos..)?;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
        let len = match self {
            FieldKind::Int => int(rest)?,
            FieldKind::Float => float(rest)?,
            FieldKind::Quantity => {
                let end = float(rest)?;
                end + unit_len(rest.get(end..)?)
            }
            FieldKind::Hex => {
                let end = run(rest, 0, |b| b.is_ascii_hexdigit());
                (end > 0).then_some(end)?
            }
            FieldKind::Uuid => uuid(rest)?,
            FieldKind::Name => {
                let end = run(rest, 0, is_name);
                (end > 0).then_some(end)?
            }
            FieldKind::Angled => {
                let name = run(rest, 0, is_name);
                (name > 0 && rest.get(name) == Some(&b'<')).then_some(())?;
                name + closing(rest.get(name..)?)?
            }
            FieldKind::Level => {
                let end = match rest.get(..TWO_WORDS.len()) {
                    Some(words) if words.eq_ignore_ascii_case(TWO_WORDS) => TWO_WORDS.len(),
                    _ => {
                        // No level is longer.
                        let start = rest.get(..32).unwrap_or(rest);
                        let word = run(start, 0, |b| b.is_ascii_alphabetic());
                        graded(start, word).unwrap_or(word)
                    }
                };
                Level::parse(rest.get(..end)?).map(|_| end)?
            }
            FieldKind::Priority => {
                let end = run(rest.get(..4).unwrap_or(rest), 0, is_digit);
                (end > 0 && end < 4).then_some(end)?
            }
            FieldKind::Structured => crate::text::structured_data::end(rest)?,
            FieldKind::Pad => run(rest, 0, is_blank),
            FieldKind::Colour => crate::text::colours::coloured(rest),
            FieldKind::Last => {
                let is_word = !rest.is_empty() && !rest.iter().any(|b| is_blank(*b));
                is_word.then_some(rest.len())?
            }
            FieldKind::Phrase => {
                let is_short = !rest.is_empty() && rest.len() <= MAX_PHRASE;
                (is_short && !rest.iter().any(u8::is_ascii_digit)).then_some(rest.len())?
            }
            FieldKind::Rest => rest.len(),
            FieldKind::Time(pattern) => pattern.parse_prefix(rest)?.1,
            FieldKind::Word
            | FieldKind::State
            | FieldKind::Text
            | FieldKind::List
            | FieldKind::Words
            | FieldKind::Hosts
            | FieldKind::Mined => {
                return None;
            }
        };
        Some(pos + len)
    }

    /// Number of bytes that [`Self::greedy_end`] examined at `pos` to find `end`, apart from a few.
    pub(crate) fn examined(&self, text: &[u8], pos: usize, end: Option<usize>) -> usize {
        match (self, end) {
            (FieldKind::Rest, _) => 0,
            (_, Some(end)) => end - pos,
            (
                FieldKind::Name | FieldKind::Angled | FieldKind::Structured | FieldKind::Last,
                None,
            ) => text.len() - pos,
            _ => 0,
        }
    }

    /// Whether it takes as little text as possible, and more if the rest does not match.
    pub(crate) fn is_lazy(&self) -> bool {
        matches!(
            self,
            FieldKind::Word
                | FieldKind::State
                | FieldKind::Text
                | FieldKind::List
                | FieldKind::Words
                | FieldKind::Hosts
                | FieldKind::Mined
        )
    }

    /// Whether a text has several values.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self, FieldKind::List | FieldKind::Words | FieldKind::Hosts)
    }
}

/// End of the grade behind a level that ends at `word`: `INFO_2`, `DEBUG2`, `ERROR+2`.
fn graded(text: &[u8], word: usize) -> Option<usize> {
    let sign = usize::from(matches!(text.get(word)?, b'_' | b'+' | b'-'));
    let end = run(text, word + sign, is_digit);
    // `d01` is a name.
    let is_grade =
        word > 3 && end > word + sign && !text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    (is_grade && Level::parse(text.get(..end)?).is_some()).then_some(end)
}

fn is_digit(b: u8) -> bool {
    b.is_ascii_digit()
}

/// End of a run of bytes that `is_it` accepts, from `start` on.
#[inline]
fn run(text: &[u8], start: usize, is_it: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|b| is_it(**b)).count()
}

/// Length of the integer at the start of a text, bytes.
#[inline]
fn int(text: &[u8]) -> Option<usize> {
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let end = run(text, sign, is_digit);
    (end > sign).then_some(end)
}

/// Length of the number at the start of a text, bytes.
fn float(text: &[u8]) -> Option<usize> {
    let mut end = int(text)?;
    if text.get(end) == Some(&b'.') && text.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = run(text, end + 1, is_digit);
    }
    if matches!(text.get(end), Some(b'e' | b'E'))
        && let Some(exponent) = text.get(end + 1..).and_then(int)
    {
        end += 1 + exponent;
    }
    Some(end)
}

/// Length of the UUID at the start of a text, bytes.
fn uuid(text: &[u8]) -> Option<usize> {
    let shape = text.get(..36)?;
    let is_one = shape.iter().enumerate().all(|(i, b)| match i {
        8 | 13 | 18 | 23 => *b == b'-',
        _ => b.is_ascii_hexdigit(),
    });
    is_one.then_some(36)
}

/// Offset of the bracket that closes the one at the start of a text.
fn closing(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, b) in text.iter().enumerate() {
        match b {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Spellings of the values of a field: one, or several for a list kind.
pub fn spellings(kind: &FieldKind, text: &[u8]) -> Vec<String> {
    let spelling = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    match kind.is_list() {
        true => {
            let values = list_values(kind, text);
            values.iter().map(|value| spelling(value)).collect()
        }
        false => vec![spelling(text)],
    }
}

/// Values of a field of a list kind.
pub fn list_values<'t>(kind: &FieldKind, text: &'t [u8]) -> Vec<Cow<'t, [u8]>> {
    if *kind == FieldKind::Hosts {
        return hosts(text).into_iter().map(Cow::Owned).collect();
    }
    let mut values = Vec::new();
    let is_part: fn(u8) -> bool = match kind {
        FieldKind::List => |b| b.is_ascii_digit(),
        _ => |b| {
            !matches!(
                b,
                b',' | b' ' | b'\'' | b'"' | b'[' | b']' | b'(' | b')' | b'{' | b'}'
            )
        },
    };
    let last = memchr::memrchr(b')', text).unwrap_or(0);
    let mut i = 0;
    while let Some(rest @ [byte, ..]) = text.get(i..) {
        let len = if *kind == FieldKind::Words && *byte == b'(' && i < last {
            rest.iter().take_while(|b| **b != b')').count() + 1
        } else {
            rest.iter().take_while(|b| is_part(**b)).count()
        };
        if let Some(value) = rest.get(..len).filter(|value| !value.is_empty()) {
            values.push(Cow::Borrowed(value));
        }
        i += len.max(1);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_angle_brackets_may_hold_blanks() {
        let end = |text: &str| FieldKind::Angled.greedy_end(text.as_bytes(), 0);
        assert_eq!(end("AgentId<a b> task"), Some(12));
        assert_eq!(end("AgentId<a<b>>: x"), Some(13));
        for text in ["executor task", "AgentId<a", "<a>", "a >", ""] {
            assert_eq!(end(text), None, "{text}");
        }
    }

    #[test]
    fn lists_give_their_values() {
        let values = |kind, text: &str| -> Vec<String> {
            list_values(kind, text.as_bytes())
                .into_iter()
                .map(|value| String::from_utf8(value.into_owned()).unwrap())
                .collect()
        };
        assert_eq!(values(&FieldKind::List, "task 0, task 24"), ["0", "24"]);
        assert_eq!(values(&FieldKind::Words, "'a-1', 'b'"), ["a-1", "b"]);
    }
}
