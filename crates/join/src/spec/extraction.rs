//! Extraction rules (`[[reading]]`): keys extracted from a record's own message, from the value of
//! another key, or composed of several keys.

use std::sync::Arc;

use widetui_format::pattern::{Element, FieldKind, Pattern, PatternError, Spans};
use widetui_query::Expr;

/// Rule that extracts keys from the message of a record or from the value of one of its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtractionRule {
    /// Key whose value is parsed; `None` for the first line of the message.
    pub(crate) source_key: Option<String>,
    /// Condition of the events that take part; `None` for all.
    pub(crate) condition: Option<Expr>,
    /// Patterns of the text; the first that matches counts.
    pub(crate) patterns: Vec<Pattern>,
    /// Keys with a constant value for all matching events.
    constants: Vec<(String, String)>,
    /// Key composed of other keys, and its template.
    pub(crate) composition: Option<(String, Composition)>,
    /// Keys that the rule extracts.
    pub(crate) extracted_keys: Vec<String>,
    /// Identity space that the rule is for: with one key alone there is nothing to identify.
    pub(crate) space: Option<Arc<Space>>,
    /// True if a value is used only if another of these keys has it, too.
    pub(crate) is_if_known: bool,
}

/// Keys of an identity space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    /// Key of the space.
    pub(crate) key: String,
    /// Keys by which the instances' own systems identify them.
    pub(crate) issuer_keys: Vec<String>,
    /// Keys by which other systems name the instances.
    pub(crate) member_keys: Vec<String>,
}

/// Error for names that cannot be keys.
const RESERVED_NAME: &str = "time, level and message cannot be keys: choose another name";

/// Whether a name is a property of every record and cannot be a key.
fn is_reserved_name(name: &str) -> bool {
    ["time", "localtime", "level", "message"].contains(&name)
}

impl ExtractionRule {
    /// Rule that parses the value of a key, or the message if `of` is `None`, of the events that
    /// fit `condition`.
    ///
    /// # Errors
    /// If the rule extracts no key, if a field has several values, or if messages are parsed
    /// without a condition.
    pub fn new(
        source_key: Option<String>,
        condition: Option<Expr>,
        patterns: Vec<Pattern>,
        constants: Vec<(String, String)>,
    ) -> Result<ExtractionRule, &'static str> {
        let fields = patterns.iter().flat_map(|p| &p.fields);
        let has_several = |kind: &FieldKind| {
            matches!(
                kind,
                FieldKind::List | FieldKind::Words | FieldKind::Hosts | FieldKind::Structured
            )
        };
        if fields.clone().any(|f| has_several(&f.kind)) {
            return Err("a reading extracts one value for each name: use {name:text}");
        }
        let mut extracted_keys: Vec<String> = Vec::new();
        let named = fields.map(|f| &f.name).filter(|name| !name.is_empty());
        for name in named.chain(constants.iter().map(|(name, _)| name)) {
            if !extracted_keys.contains(name) {
                extracted_keys.push(name.clone());
            }
        }
        if extracted_keys.iter().any(|name| is_reserved_name(name)) {
            return Err(RESERVED_NAME);
        }
        if extracted_keys.is_empty() {
            return Err("no key is extracted: write {name} in a pattern");
        }
        if source_key.is_none() && condition.is_none() && !patterns.is_empty() {
            return Err("a reading of messages needs a condition");
        }
        Ok(ExtractionRule {
            source_key,
            condition,
            patterns,
            constants,
            extracted_keys,
            ..ExtractionRule::default()
        })
    }

    /// Rule that composes `key` from the values of several other keys, for events that have all of
    /// them and fit `condition`.
    ///
    /// # Errors
    /// If an extracted name cannot be a key (time, level, message), or `key` is part of its own
    /// template.
    pub fn composed(
        key: String,
        composition: Composition,
        condition: Option<Expr>,
        constants: Vec<(String, String)>,
    ) -> Result<ExtractionRule, &'static str> {
        let names = constants.iter().map(|(name, _)| name);
        let extracted_keys: Vec<String> = std::iter::once(&key).chain(names).cloned().collect();
        if extracted_keys.iter().any(|name| is_reserved_name(name)) {
            return Err(RESERVED_NAME);
        }
        if composition.keys().contains(&key) {
            return Err("a key cannot be composed of itself: choose another name");
        }
        Ok(ExtractionRule {
            condition,
            constants,
            composition: Some((key, composition)),
            extracted_keys,
            ..ExtractionRule::default()
        })
    }

    /// Keys whose values the rule reads; empty if it reads the message.
    pub fn input_keys(&self) -> &[String] {
        match &self.composition {
            Some((_, composition)) => composition.keys(),
            None => self.source_key.as_slice(),
        }
    }

    /// Key whose value is parsed or renamed.
    pub fn source_key(&self) -> Option<&str> {
        self.source_key.as_deref()
    }

    /// Composed key and its template, if the rule composes one.
    pub fn composition(&self) -> Option<(&str, &Composition)> {
        let (key, composition) = self.composition.as_ref()?;
        Some((key, composition))
    }

    /// Values of all extracted keys for a composed value: the value itself, then the constants.
    pub(crate) fn with_constants(&self, value: String) -> Vec<Option<String>> {
        let constants = self.constants.iter().map(|(_, value)| value.clone());
        std::iter::once(value).chain(constants).map(Some).collect()
    }

    /// Keys that the rule extracts.
    pub fn extracted_keys(&self) -> &[String] {
        &self.extracted_keys
    }

    /// Condition of the events that take part; `None` for all.
    pub fn condition(&self) -> Option<&Expr> {
        self.condition.as_ref()
    }

    /// Source text of the patterns.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(|p| p.source.as_str())
    }

    /// Keys with constant values, and these values.
    pub fn constants(&self) -> &[(String, String)] {
        &self.constants
    }

    /// Values of the extracted keys in `text`, in the order of `extracted_keys`; `None` if no pattern
    /// matches.
    pub(crate) fn extract<'t>(
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
            // Spans lie on character boundaries, because literal text and blanks end fields.
            let found = span.and_then(|span| text.get(span));
            let constant = || self.constants.iter().find(|(key, _)| key == name);
            found.or_else(|| constant().map(|(_, value)| value.as_str()))
        };
        let values = self.extracted_keys.iter().map(value);
        Some(values.map(|v| v.filter(|v| !v.is_empty())).collect())
    }
}

/// Template of a composed value, with keys in braces: `{host}:{pid}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    source: String,
    parts: Vec<TemplatePart>,
    keys: Vec<String>,
}

/// Literal text or placeholder of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    /// Index into `Composition::keys`.
    Key(usize),
}

impl Composition {
    /// Parses a template; doubled braces stand for one brace.
    ///
    /// # Errors
    /// If the text is not a pattern, contains no key, or has a placeholder that is not just the
    /// name of a key.
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
                Element::Literal(text) => {
                    TemplatePart::Text(String::from_utf8_lossy(text).into_owned())
                }
                Element::Field(at) => {
                    let name = &pattern.fields[*at].name;
                    let place = format!("{{{name}}}");
                    let Some(start) = source.find(&place).filter(|_| !name.is_empty()) else {
                        let at = source.find(&format!("{{{name}:")).or(source.find("{}"));
                        let text = "a placeholder contains only the name of a key: {host}";
                        return Err(wrong(text, at.unwrap_or(0)));
                    };
                    if ["time", "localtime", "level", "message", "template"]
                        .contains(&name.as_str())
                    {
                        return Err(wrong(
                            "time, level, message and template cannot be composed",
                            start,
                        ));
                    }
                    let known = keys.iter().position(|key| key == name);
                    TemplatePart::Key(known.unwrap_or_else(|| {
                        keys.push(name.clone());
                        keys.len() - 1
                    }))
                }
            });
        }
        match keys.is_empty() {
            true => Err(wrong("the text contains no key: write {host}:{pid}", 0)),
            false => Ok(Composition {
                source: source.to_owned(),
                parts,
                keys,
            }),
        }
    }

    /// Source text of the template.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Keys whose values the template contains, each once.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Text of the template with these values, one for each of `keys`.
    pub(crate) fn fill(&self, values: &[String]) -> String {
        let part = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Key(at) => values[*at].clone(),
        };
        self.parts.iter().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_with_values_of_keys() {
        let composition = Composition::compile("{{{a.host}}}:{pid}/{a.host}").expect("a text");
        assert_eq!(composition.keys(), ["a.host", "pid"]);
        let values = ["n1", "7"].map(str::to_owned);
        assert_eq!(composition.fill(&values), "{n1}:7/n1");
    }

    #[test]
    fn invalid_placeholders_are_rejected() {
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
