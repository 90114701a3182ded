//! Parser of the two sides of a comparison, with checks of their types: known keys, levels, times, patterns.

use widetui_core::level::Level;
use widetui_core::quantity::unit_len;
use widetui_definition::key_type::KeyType;
use widetui_format::catalog::keys::KeysView;
use widetui_time::time::rfc3339_nanos;
use widetui_time::timeparse::parse_literal;

use widetui_core::nearest::nearest;

use crate::error::QueryError;
use crate::expr::{Field, Op};
use crate::key_resolution::{UnresolvedName, resolve_key_name};
use crate::lex::ValueIn;
use crate::matcher::Matcher;
use crate::parse::{CompletionSlot, Parsed, Parser};
use crate::value::Number;

impl Parser<'_> {
    pub(crate) fn list(&mut self, field: &Field, op: Op) -> Parsed<Vec<String>> {
        let open = self.scan.pos;
        self.scan.pos += 1;
        let mut values = Vec::new();
        loop {
            self.expect(CompletionSlot::Value(field.clone(), op));
            match self.scan.peek() {
                None => return Err(self.error("this list is not closed", open, 1)),
                Some(')') if values.is_empty() => {
                    return Err(self.error("the list is empty", open, self.scan.pos + 1 - open));
                }
                Some(')') => {
                    self.scan.pos += 1;
                    return Ok(values);
                }
                Some(_) => {}
            }
            values.push(self.value(field, op, ValueIn::List)?);
            self.scan.blanks();
            self.scan.take(",");
        }
    }

    pub(crate) fn value(&mut self, field: &Field, op: Op, place: ValueIn) -> Parsed<String> {
        self.expect(CompletionSlot::Value(field.clone(), op));
        let start = self.scan.pos;
        let is_quoted = matches!(self.scan.peek(), Some('"' | '\''));
        let mut text = match self.scan.peek() {
            Some('"' | '\'') => self.scan.quoted().map_err(|u| self.unclosed(u))?,
            Some('/') if matches!(op, Op::Match | Op::NoMatch) => {
                let pattern = self.scan.slashed(place);
                pattern
                    .unwrap_or_else(|| self.scan.bare_value(place))
                    .to_owned()
            }
            _ => self.scan.bare_value(place).to_owned(),
        };
        if self.scan.pos == start {
            let text = format!("a value is missing after `{}`", op.sign());
            return Err(self.error(text, start, 0));
        }
        if *field == Field::Time {
            self.time_of_day(&mut text);
        }
        if matches!(field, Field::Key(_)) && op.is_order() && !is_quoted {
            self.unit(&mut text);
        }
        let len = self.scan.pos - start;
        if !is_quoted && !matches!(op, Op::Match | Op::NoMatch) && opens_more(&text) {
            let wrong =
                "this parenthesis is not closed; quote values with blanks or unmatched parentheses";
            return Err(self.error(wrong, start, len));
        }
        // `task = = 3` is a typing error; the value `=` must be quoted.
        if text.bytes().all(|b| b"=<>!~".contains(&b)) && !is_quoted {
            let wrong = format!("a value is missing after `{}`", op.sign());
            return Err(self.error(wrong, start, len));
        }
        match (field, op) {
            (_, Op::Match | Op::NoMatch) => {
                Matcher::check(&text).map_err(|e| self.error(e, start, len))?;
                Ok(text)
            }
            (Field::Time, _) => {
                let ns = parse_literal(&text, self.time.base_date_ns, &self.time.zone)
                    .map_err(|e| self.error(e.to_string(), start, len))?;
                Ok(rfc3339_nanos(ns))
            }
            (Field::Level, _) => match Level::parse(text.as_bytes()) {
                Some(level) => Ok(level.name().to_owned()),
                None => {
                    let names = Level::ALL.map(Level::name);
                    let meant = nearest(&text, names.into_iter().filter(|n| !n.is_empty()));
                    Err(QueryError {
                        suggestion: meant.map(|m| format!("`{m}`")),
                        ..self.error(format!("`{text}` is not a level"), start, len)
                    })
                }
            },
            (Field::Key(name), op) if op.is_order() && self.has_numbers(name) => {
                if Number::parse(&text).is_none() {
                    let wrong = format!("`{text}` is not a number, but `{name}` is numeric");
                    return Err(self.error(wrong, start, len));
                }
                Ok(text)
            }
            _ => Ok(text),
        }
    }

    /// Consumes a unit that follows a number after a blank: `5 GiB`.
    fn unit(&mut self, text: &mut String) {
        let rest = self.scan.rest();
        let len = unit_len(rest.as_bytes());
        if text.parse::<f64>().is_ok() && rest.starts_with(' ') && len > 0 {
            text.push_str(&rest[..len]);
            self.scan.pos += len;
        }
    }

    /// Whether the declared type of a key is numeric.
    fn has_numbers(&self, name: &str) -> bool {
        let of = |keys: &KeysView| Some(keys.get(crate::resolve(keys, name)?)?.key.kind);
        let kind = self.keys.and_then(of);
        matches!(kind, Some(KeyType::Int | KeyType::Float))
    }

    /// Consumes a time of day that follows a date after a blank.
    fn time_of_day(&mut self, text: &mut String) {
        let is_date = text.len() >= 8
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b'-' || b == b'/');
        let rest = self.scan.rest();
        let word = rest.trim_start();
        let word = word
            .split(|c: char| c.is_whitespace() || matches!(c, ')' | ','))
            .next()
            .unwrap_or("");
        if is_date && word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) {
            self.scan.blanks();
            self.scan.pos += word.len();
            text.push(' ');
            text.push_str(word);
        }
    }

    /// Resolves a key name by [`resolve_key_name`] and records the explanation of a short name.
    pub(crate) fn resolved(&mut self, field: &Field, start: usize, end: usize) -> Parsed<Field> {
        let (Field::Key(name), Some(keys)) = (field, self.keys) else {
            return Ok(field.clone());
        };
        let wrong = |text| self.error(text, start, end - start);
        match resolve_key_name(keys, name) {
            Ok(meant) => {
                if let Some(note) = meant.note.filter(|note| !self.notes.contains(note)) {
                    self.notes.push(note);
                }
                Ok(Field::key(&meant.item))
            }
            Err(several @ UnresolvedName::Ambiguous(_)) => Err(wrong(several.message(name, ""))),
            Err(UnresolvedName::Unknown(meant)) => {
                let hint = match meant {
                    Some(_) => "",
                    None => " (quote a search text that looks like a comparison)",
                };
                Err(QueryError {
                    suggestion: meant.map(|m| format!("`{m}`")),
                    ..wrong(format!("no record has the key `{name}`{hint}"))
                })
            }
        }
    }
}

/// Whether a text has more opening than closing parentheses. Parentheses in a Python bytes literal do not count.
fn opens_more(text: &str) -> bool {
    if text.starts_with("b'") || text.starts_with("b\"") {
        return false;
    }
    let count = |c: char| text.chars().filter(|t| *t == c).count();
    count('(') > count(')')
}
