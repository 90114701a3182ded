//! Messages composed of fields, as definitions specify, for records without a message.

use std::sync::Arc;

use crate::pattern::{Element, FieldKind, Pattern, PatternError};

/// Message with placeholders for fields: `task {task_id} is {task_status_name:state}`. With `:state`, the value becomes
/// part of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compose {
    parts: Vec<Part<Arc<str>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<F> {
    Text(Arc<str>),
    Field {
        field: F,
        placeholder: PlaceholderUse,
    },
}

/// Use of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceholderUse {
    /// Value; long fractions are rounded.
    Value,
    /// Value as written.
    Text,
    /// Value that is part of the template.
    Fixed,
}

/// Message for records with known fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Composed {
    parts: Vec<Part<Option<usize>>>,
}

/// Text in place of a missing value.
const MISSING: &[u8] = b"-";

impl Compose {
    /// Parses a message with placeholders.
    ///
    /// # Errors
    /// Those of a pattern; a placeholder without the name of a field.
    pub(crate) fn compile(source: &str) -> Result<Compose, PatternError> {
        let pattern = Pattern::compile(source)?;
        let mut parts = Vec::new();
        for element in &pattern.elements {
            parts.push(match element {
                Element::Literal(text) => Part::Text(String::from_utf8_lossy(text).into()),
                Element::Field(at) => {
                    let named = pattern.fields.get(*at).filter(|f| !f.name.is_empty());
                    let field = named.ok_or_else(|| PatternError {
                        text: "a placeholder needs the name of a field".to_owned(),
                        at: 0,
                    })?;
                    Part::Field {
                        field: field.name.as_str().into(),
                        placeholder: match &field.kind {
                            kind if kind.is_fixed() => PlaceholderUse::Fixed,
                            FieldKind::Text => PlaceholderUse::Text,
                            _ => PlaceholderUse::Value,
                        },
                    }
                }
            });
        }
        Ok(Compose { parts })
    }

    /// The message for records whose fields have known positions.
    pub(crate) fn resolve(&self, position: impl Fn(&str) -> Option<usize>) -> Composed {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => Part::Text(text.clone()),
            Part::Field { field, placeholder } => Part::Field {
                field: position(field),
                placeholder: *placeholder,
            },
        });
        Composed {
            parts: parts.collect(),
        }
    }
}

impl Composed {
    /// Writes the message to `out`; `value` appends the value of a field, or nothing if it is missing.
    pub(crate) fn message(&self, out: &mut Vec<u8>, mut value: impl FnMut(usize, &mut Vec<u8>)) {
        out.clear();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Field { field, placeholder } => push(out, (*field, *placeholder), &mut value),
            }
        }
    }

    /// Writes the template of a message: `{}` for each placeholder, except for values that are part of the template.
    pub(crate) fn template(&self, out: &mut Vec<u8>, mut value: impl FnMut(usize, &mut Vec<u8>)) {
        out.clear();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Field {
                    field,
                    placeholder: PlaceholderUse::Fixed,
                } => push(out, (*field, PlaceholderUse::Fixed), &mut value),
                Part::Field { .. } => out.extend_from_slice(b"{}"),
            }
        }
    }
}

fn push(
    out: &mut Vec<u8>,
    (field, placeholder): (Option<usize>, PlaceholderUse),
    value: &mut impl FnMut(usize, &mut Vec<u8>),
) {
    let start = out.len();
    if let Some(at) = field {
        value(at, out);
    }
    if out.len() == start {
        out.extend_from_slice(MISSING);
    } else if placeholder != PlaceholderUse::Text
        && let Some(short) = shorter(out.get(start..).unwrap_or_default())
    {
        out.truncate(start);
        out.extend_from_slice(short.as_bytes());
    }
}

/// Maximum number of decimals in a message.
const MAX_DECIMALS: usize = 6;

/// Number with a fraction in short form: `1.11` for `1.1099999999999999`, `7` for `7.0`; `None` for other text. Keys
/// keep the value as recorded.
fn shorter(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    let (whole, fraction) = text.strip_prefix('-').unwrap_or(text).split_once('.')?;
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_long = fraction.len() > MAX_DECIMALS || fraction.bytes().all(|b| b == b'0');
    // More digits than a 64-bit number holds are not a measurement.
    if !is_digits(whole) || !is_digits(fraction) || !is_long || whole.len() > 15 {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    let rounded = format!("{number:.MAX_DECIMALS$}");
    let rounded = rounded.trim_end_matches('0').trim_end_matches('.');
    // A non-zero number must not become zero.
    let is_lost = number != 0.0 && matches!(rounded, "0" | "-0");
    (!is_lost).then(|| rounded.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_templates() {
        let compose = Compose::compile("task {id} is {s:state} {{on}} {host}").unwrap();
        let composed = compose.resolve(|name| ["id", "s"].iter().position(|n| *n == name));
        let values = ["7", ""];
        let mut out = Vec::new();
        let value = |at: usize, out: &mut Vec<u8>| out.extend_from_slice(values[at].as_bytes());
        composed.message(&mut out, value);
        assert_eq!(out, b"task 7 is - {on} -");
        composed.template(&mut out, value);
        assert_eq!(out, b"task {} is - {on} {}");
        assert!(Compose::compile("a {} b").is_err());
        let compose = Compose::compile("{step:text} of {size}").unwrap();
        let composed = compose.resolve(|_| Some(0));
        composed.message(&mut out, |_, out| out.extend_from_slice(b"3.0"));
        assert_eq!(out, b"3.0 of 3");
        composed.template(&mut out, |_, out| out.extend_from_slice(b"3.0"));
        assert_eq!(out, b"{} of {}");
    }

    #[test]
    fn fractions_are_short_in_messages() {
        for (value, short) in [
            ("1.1099999999999999", Some("1.11")),
            ("122265600.0", Some("122265600")),
            ("-0.25", None),
            ("1.25", None),
            ("1.2.3", None),
            ("10.0.2.97", None),
            ("7", None),
            ("0.00000001", None),
            ("1e5", None),
        ] {
            assert_eq!(shorter(value.as_bytes()).as_deref(), short, "{value}");
        }
    }

    #[test]
    fn a_place_that_is_not_closed_is_refused() {
        assert!(Compose::compile("a {b").is_err());
    }
}
