//! Second readings as specified: the text that is read again, and the keys that it gives.

use widetui_format::pattern::{Element, FieldKind, Pattern, PatternError, Spans};
use widetui_query::Expr;

/// What is read again, and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingRule {
    /// The key whose value is read; none: the first line of the message.
    pub(crate) of: Option<String>,
    /// Only of events that fit.
    pub(crate) only: Option<Expr>,
    /// The first that fits counts.
    pub(crate) patterns: Vec<Pattern>,
    /// Keys with one value for all these events.
    consts: Vec<(String, String)>,
    /// A key that is made of others, and how.
    pub(crate) made: Option<(String, Composition)>,
    pub(crate) gives: Vec<String>,
}

const NO_KEY: &str = "time, level and message are no keys: choose another name";

fn is_no_key(name: &str) -> bool {
    ["time", "localtime", "level", "message"].contains(&name)
}

impl ReadingRule {
    /// Of the value of a key (none: of the message), for the events that fit `only`.
    ///
    /// # Errors
    /// When it gives no key, a field would have several values, or messages are to be read of all events.
    pub fn new(
        of: Option<String>,
        only: Option<Expr>,
        patterns: Vec<Pattern>,
        consts: Vec<(String, String)>,
    ) -> Result<ReadingRule, &'static str> {
        let fields = patterns.iter().flat_map(|p| &p.fields);
        let has_several = |kind: &FieldKind| {
            matches!(
                kind,
                FieldKind::List | FieldKind::Words | FieldKind::Hosts | FieldKind::Structured
            )
        };
        if fields.clone().any(|f| has_several(&f.kind)) {
            return Err("a second reading gives one value for each name: take {name:text}");
        }
        let mut gives: Vec<String> = Vec::new();
        let named = fields.map(|f| &f.name).filter(|name| !name.is_empty());
        for name in named.chain(consts.iter().map(|(name, _)| name)) {
            if !gives.contains(name) {
                gives.push(name.clone());
            }
        }
        if gives.iter().any(|name| is_no_key(name)) {
            return Err(NO_KEY);
        }
        if gives.is_empty() {
            return Err("it names no key: write {name} in a pattern");
        }
        if of.is_none() && only.is_none() {
            return Err("which messages are read? It takes a condition");
        }
        Ok(ReadingRule {
            of,
            only,
            patterns,
            consts,
            made: None,
            gives,
        })
    }

    /// Of the values of several keys, put together into one; for the events that have all of them and fit `only`.
    ///
    /// # Errors
    /// When what it gives is no key, or one of those that it is made of.
    pub fn composed(
        key: String,
        made: Composition,
        only: Option<Expr>,
        consts: Vec<(String, String)>,
    ) -> Result<ReadingRule, &'static str> {
        let names = consts.iter().map(|(name, _)| name);
        let gives: Vec<String> = std::iter::once(&key).chain(names).cloned().collect();
        if gives.iter().any(|name| is_no_key(name)) {
            return Err(NO_KEY);
        }
        if made.keys().contains(&key) {
            return Err("a key cannot be made of itself: choose another name");
        }
        Ok(ReadingRule {
            of: None,
            only,
            patterns: Vec::new(),
            consts,
            made: Some((key, made)),
            gives,
        })
    }

    /// The keys whose values are read.
    pub fn by(&self) -> &[String] {
        match &self.made {
            Some((_, made)) => made.keys(),
            None => self.of.as_slice(),
        }
    }

    /// The key whose value is taken apart or renamed.
    pub fn of(&self) -> Option<&str> {
        self.of.as_deref()
    }

    /// The key that is made of others, and how.
    pub fn made(&self) -> Option<(&str, &Composition)> {
        let (key, made) = self.made.as_ref()?;
        Some((key, made))
    }

    /// What a group has whose key was put together.
    pub(crate) fn with_constants(&self, value: String) -> Vec<Option<String>> {
        let consts = self.consts.iter().map(|(_, value)| value.clone());
        std::iter::once(value).chain(consts).map(Some).collect()
    }

    /// The keys that it gives.
    pub fn gives(&self) -> &[String] {
        &self.gives
    }

    /// The events that take part; all when there is none.
    pub fn only(&self) -> Option<&Expr> {
        self.only.as_ref()
    }

    /// The patterns, as written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(|p| p.source.as_str())
    }

    /// Constants: keys and values.
    pub fn consts(&self) -> &[(String, String)] {
        &self.consts
    }

    /// What a text says of the keys that it gives, in their order; `None` when no pattern fits.
    pub(crate) fn read<'t>(
        &'t self,
        text: &'t str,
        spans: &mut Spans,
    ) -> Option<Vec<Option<&'t str>>> {
        let fitting = self
            .patterns
            .iter()
            .find(|p| p.matches(text.as_bytes(), spans));
        if fitting.is_none() && !self.patterns.is_empty() {
            return None;
        }
        let value = |name: &String| {
            let field = fitting.and_then(|p| p.field(name));
            let span = field.and_then(|at| spans.get(at).cloned());
            // Fields end between characters: literal text and blanks do.
            let found = span.and_then(|span| text.get(span));
            let constant = || self.consts.iter().find(|(key, _)| key == name);
            found.or_else(|| constant().map(|(_, value)| value.as_str()))
        };
        let values = self.gives.iter().map(value);
        Some(values.map(|v| v.filter(|v| !v.is_empty())).collect())
    }
}

/// A text with places for the values of keys: `{host}:{pid}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    source: String,
    parts: Vec<Part>,
    keys: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// Place of a key among the keys.
    Key(usize),
}

impl Composition {
    /// Reads a text with places; two braces stand for one.
    ///
    /// # Errors
    /// As a pattern; also when a place names no key, says more than its name, or there is none.
    pub fn compile(source: &str) -> Result<Composition, PatternError> {
        let wrong = |text: &str, at: usize| PatternError {
            text: text.to_owned(),
            at,
        };
        let pattern = Pattern::compile(source)?;
        let mut keys: Vec<String> = Vec::new();
        let mut parts = Vec::new();
        for element in &pattern.elements {
            parts.push(match element {
                Element::Literal(text) => Part::Text(String::from_utf8_lossy(text).into_owned()),
                Element::Field(at) => {
                    let name = &pattern.fields[*at].name;
                    let place = format!("{{{name}}}");
                    let Some(start) = source.find(&place).filter(|_| !name.is_empty()) else {
                        let at = source.find(&format!("{{{name}:")).or(source.find("{}"));
                        let text = "a place has the name of a key and nothing else: {host}";
                        return Err(wrong(text, at.unwrap_or(0)));
                    };
                    if ["time", "localtime", "level", "message", "template"]
                        .contains(&name.as_str())
                    {
                        return Err(wrong("this is no key", start));
                    }
                    let known = keys.iter().position(|key| key == name);
                    Part::Key(known.unwrap_or_else(|| {
                        keys.push(name.clone());
                        keys.len() - 1
                    }))
                }
            });
        }
        match keys.is_empty() {
            true => Err(wrong("it names no key: write {host}:{pid}", 0)),
            false => Ok(Composition {
                source: source.to_owned(),
                parts,
                keys,
            }),
        }
    }

    /// As it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The keys whose values it puts together.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The text with these values, one for each key.
    pub(crate) fn filled(&self, values: &[String]) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Key(at) => values[*at].clone(),
        };
        self.parts.iter().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_with_the_values_of_keys() {
        let made = Composition::compile("{{{a.host}}}:{pid}/{a.host}").expect("a text");
        assert_eq!(made.keys(), ["a.host", "pid"]);
        let values = ["n1", "7"].map(str::to_owned);
        assert_eq!(made.filled(&values), "{n1}:7/n1");
    }

    #[test]
    fn what_is_no_place_for_a_key_is_refused() {
        for wrong in [
            "",
            "x",
            "{}",
            "{host}:{}",
            "{host",
            "{pid:int}",
            "{message}",
        ] {
            assert!(Composition::compile(wrong).is_err(), "{wrong}");
        }
    }
}
