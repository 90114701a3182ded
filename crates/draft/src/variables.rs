//! Variables of messages: the kinds of their fields, and names for those without a name in the message.

use widetui_format::pattern::field_kind::FieldKind;

use crate::names;
use crate::templates::SampleMessage;

/// Piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternPiece {
    /// Literal text.
    Text(String),
    /// Field.
    Field {
        /// Key; `None` for an unnamed field.
        key: Option<String>,
        /// Kind: `int`, `word` ...
        kind: &'static str,
    },
}

/// Units after a number, and the keys named after them.
const UNITS: &[(&str, &str)] = &[
    ("s", "seconds"),
    ("sec", "seconds"),
    ("secs", "seconds"),
    ("seconds", "seconds"),
    ("ms", "ms"),
    ("milliseconds", "ms"),
    ("bytes", "bytes"),
    ("kb", "kb"),
    ("mb", "mb"),
    ("gb", "gb"),
];

/// Names fields after their values where the text before them gives no name: `worker-3` is a worker, `2.5 s` are
/// seconds. Returns the keys of identifiers among them.
pub(crate) fn name_by_values(
    system: &str,
    pieces: &mut [PatternPiece],
    samples: &[SampleMessage],
) -> Vec<String> {
    let mut identifiers = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    for piece in pieces.iter() {
        if let PatternPiece::Field { key: Some(key), .. } = piece {
            taken.push(key.clone());
        }
    }
    for at in 0..pieces.len() {
        let after = match pieces.get(at + 1) {
            Some(PatternPiece::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let PatternPiece::Field {
            key: key @ None,
            kind,
        } = &mut pieces[at]
        else {
            continue;
        };
        let found = match *kind {
            // Texts and variables alternate.
            "word" => prefix(samples.iter().filter_map(|s| s.values().nth(at / 2))),
            "int" | "float" => unit(&after),
            _ => None,
        };
        let found = found.map(|name| names::key(system, &name));
        if let Some(name) = found.filter(|name| !taken.contains(name) && name.contains('.')) {
            taken.push(name.clone());
            if *kind == "word" {
                identifiers.push(name.clone());
            }
            *key = Some(name);
        }
    }
    identifiers
}

/// Word with which all values begin, before a number.
fn prefix<'v>(mut values: impl Iterator<Item = &'v str>) -> Option<String> {
    let word_of = |value: &str| {
        let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
        let letters = word.trim_end_matches(['-', '_', '#']);
        let good = word.len() < value.len() && letters.bytes().all(|b| b.is_ascii_alphabetic());
        (good && letters.len() > 2).then(|| letters.to_lowercase())
    };
    let first = word_of(values.next()?)?;
    values
        .all(|v| word_of(v).as_ref() == Some(&first))
        .then_some(first)
}

fn unit(after: &str) -> Option<String> {
    let rest = after.strip_prefix(' ')?;
    let end = rest
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(rest.len());
    let word = rest[..end].to_lowercase();
    let found = UNITS.iter().find(|u| u.0 == word)?;
    Some(found.1.to_owned())
}

/// Narrowest kind of field that accepts all values.
pub(crate) fn kind_of(values: &[&str]) -> &'static str {
    let all = |kind: FieldKind| values.iter().all(|v| kind.accepts(v.as_bytes()));
    let is_list = |v: &&str| {
        v.bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b',' | b' '))
    };
    if all(FieldKind::Int) {
        "int"
    } else if all(FieldKind::Float) {
        "float"
    } else if all(FieldKind::Uuid) {
        "uuid"
    } else if values.iter().all(is_list) {
        "list"
    } else if all(FieldKind::Word) {
        "word"
    } else {
        "text"
    }
}

/// Replaces the word that is the value of a state key by a field, and also the previous state in `from X to Y`. Returns
/// whether the word was found.
pub(crate) fn put_state(
    pieces: &mut Vec<PatternPiece>,
    name: &str,
    key: &str,
    value: &str,
) -> bool {
    let wanted = letters(name.rsplit('_').next().unwrap_or(name));
    for at in 0..pieces.len() {
        let PatternPiece::Text(text) = &pieces[at] else {
            continue;
        };
        let Some(start) = value_position(text, &wanted, value) else {
            continue;
        };
        let (before, after) = (
            text[..start].to_owned(),
            text[start + value.len()..].to_owned(),
        );
        let mut new = Vec::new();
        match previous_state(&before) {
            Some(old) => {
                new.push(PatternPiece::Text(before[..old.start].to_owned()));
                new.push(PatternPiece::Field {
                    key: None,
                    kind: "state",
                });
                new.push(PatternPiece::Text(before[old.end..].to_owned()));
            }
            None => new.push(PatternPiece::Text(before)),
        }
        new.push(PatternPiece::Field {
            key: Some(key.to_owned()),
            kind: "state",
        });
        new.push(PatternPiece::Text(after));
        pieces.splice(at..=at, new);
        return true;
    }
    false
}

/// Position of a value in a text, as a separate word after the last word of its key's name.
fn value_position(text: &str, wanted: &str, value: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(value).filter(|(at, _)| {
        let (before, after) = (&text[..*at], &text[at + value.len()..]);
        let alone =
            !before.ends_with(is_part) && !after.starts_with(|c: char| is_part(c) || c == '-');
        alone && letters(before).contains(wanted)
    });
    found.last().map(|f| f.0)
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Byte range of X if a text ends in `from X to `.
fn previous_state(before: &str) -> Option<std::ops::Range<usize>> {
    let head = before.trim_end_matches(['\'', '"']);
    let head = head.strip_suffix(" to ")?;
    let word = head.trim_end_matches(['\'', '"']);
    let start = word
        .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
        .len();
    let opened = word[..start].trim_end_matches(['\'', '"']);
    (start < word.len() && opened.ends_with("from ")).then_some(start..word.len())
}
