//! Pattern language of definitions, for layouts and messages.
//!
//! ```text
//! Task {parsl.task:int} changing state from {:state} to {parsl.task_state:state}
//! {time:%Y-%m-%d %H:%M:%S%.f} {logger}:{line:int} [{level}]  {message:rest}
//! ```
//!
//! A pattern consists of literal text and `{name:kind}` fields; the value of `{}` or `{:kind}` is not kept. `{{` and
//! `}}` are braces. Fields take as little text as possible and the matcher backtracks, so names may contain the
//! delimiter that ends them (`HTEX-Worker-1-10959` is `{process}-{pid:int}`).

pub mod field_kind;
pub mod glob;
pub mod levels;
pub mod message_time;
pub mod parts;
pub(crate) mod source_tag;

use std::ops::Range;

use widetui_core::bytes::{is_blank, starts};
use widetui_time::timeparse::TimePattern;

pub use crate::pattern::field_kind::{FieldKind, list_values, spellings};

/// Field of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name; empty if its value is not kept.
    pub name: String,
    /// Kind of text.
    pub kind: FieldKind,
}

/// Element of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// Literal bytes.
    Literal(Box<[u8]>),
    /// Field with this index.
    Field(usize),
}

/// Compiled pattern: literal text and fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Source text.
    pub source: String,
    /// Elements, in order.
    pub elements: Vec<Element>,
    /// Fields, in order.
    pub fields: Vec<Field>,
}

/// Byte ranges of the fields of a pattern in a matched text, by field index.
pub type Spans = Vec<Range<usize>>;

/// Error in a pattern, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct PatternError {
    /// Description of the error and of what is allowed.
    pub text: String,
    /// Offset in the pattern, bytes.
    pub at: usize,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// An unclosed brace, an unknown kind of field, or an invalid time format.
    pub fn compile(source: &str) -> Result<Pattern, PatternError> {
        let bytes = source.as_bytes();
        // There are hundreds of patterns; exact capacities avoid reallocation.
        let most = memchr::memchr_iter(b'{', bytes).count();
        let mut elements = Vec::with_capacity(2 * most + 1);
        let mut fields = Vec::with_capacity(most);
        let mut literal: Vec<u8> = Vec::new();
        let mut i = 0;
        while let Some(rest @ [b, after @ ..]) = bytes.get(i..) {
            if matches!(b, b'{' | b'}') && after.first() == Some(b) {
                literal.push(*b);
                i += 2;
            } else if *b == b'{' {
                let spec = source.get(i + 1..).and_then(|rest| rest.split_once('}'));
                let (spec, _) = spec.ok_or_else(|| PatternError {
                    text: "unclosed brace ('{{' stands for a brace)".into(),
                    at: i,
                })?;
                let (name, kind) = spec
                    .split_once(':')
                    .unwrap_or((spec, if spec.is_empty() { "text" } else { "" }));
                if !literal.is_empty() {
                    elements.push(Element::Literal(std::mem::take(&mut literal).into()));
                }
                elements.push(Element::Field(fields.len()));
                let at = i + 1 + name.len() + 1;
                let kind = if name == "time" || name == "localtime" {
                    TimePattern::compile(kind)
                        .map(|t| FieldKind::Time(Box::new(t)))
                        .map_err(|e| PatternError {
                            text: e.to_string(),
                            at,
                        })?
                } else if kind.is_empty() && name == "level" {
                    FieldKind::Level
                } else if kind.is_empty() && name == "message" {
                    FieldKind::Rest
                } else {
                    FieldKind::parse(kind).map_err(|text| PatternError { text, at })?
                };
                fields.push(Field {
                    name: name.to_owned(),
                    kind,
                });
                i += 1 + spec.len() + 1;
            } else if *b == b'}' {
                return Err(PatternError {
                    text: "unmatched closing brace ('}}' stands for a brace)".into(),
                    at: i,
                });
            } else {
                let end = memchr::memchr2(b'{', b'}', rest);
                let plain = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
                literal.reserve_exact(plain.len());
                literal.extend_from_slice(plain);
                i += plain.len();
            }
        }
        if !literal.is_empty() {
            elements.push(Element::Literal(literal.into()));
        }
        Ok(Pattern {
            source: source.to_owned(),
            elements,
            fields,
        })
    }

    /// Index of the field with this name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| f.name == name)
    }

    /// Matches the whole of `text`; fills `spans` (one per field) and returns whether it matches.
    pub fn matches(&self, text: &[u8], spans: &mut Spans) -> bool {
        self.matches_elements(0..self.elements.len(), text, spans)
    }

    /// Matches the whole of `text` with a range of elements only; the other spans stay empty.
    pub(crate) fn matches_elements(
        &self,
        elements: Range<usize>,
        text: &[u8],
        spans: &mut Spans,
    ) -> bool {
        spans.clear();
        spans.resize(self.fields.len(), 0..0);
        let mut budget = Budget::of(text);
        self.step(elements.start, elements.end, text, 0, spans, &mut budget)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "elements name fields of the pattern, each with a span, and `pos` and `to` do not exceed `limit`, which \
                  does not exceed the text"
    )]
    fn step(
        &self,
        at: usize,
        end: usize,
        text: &[u8],
        pos: usize,
        spans: &mut Spans,
        budget: &mut Budget,
    ) -> bool {
        if !budget.spend(1) {
            return false;
        }
        if at == end {
            return pos == text.len();
        }
        let field = match &self.elements[at] {
            Element::Literal(bytes) => {
                return starts(&text[pos..], bytes)
                    && self.step(at + 1, end, text, pos + bytes.len(), spans, budget);
            }
            Element::Field(i) => *i,
        };
        let kind = &self.fields[field].kind;
        if !kind.is_lazy() {
            let to = kind.greedy_end(text, pos);
            return budget.spend(kind.examined(text, pos, to))
                && to.is_some_and(|to| {
                    spans[field] = pos..to;
                    self.step(at + 1, end, text, to, spans, budget)
                });
        }
        let word = matches!(kind, FieldKind::Word | FieldKind::State);
        let limit = if word {
            let len = text[pos..].iter().take_while(|b| !is_blank(**b)).count();
            if !budget.spend(len) {
                return false;
            }
            pos + len
        } else {
            text.len()
        };
        let next = match self.elements.get(at + 1) {
            Some(Element::Literal(bytes)) if at + 1 < end => Some(bytes),
            _ => None,
        };
        if at + 1 == end {
            // The last field takes the rest.
            spans[field] = pos..text.len();
            return limit == text.len() && (!word || pos < limit);
        }
        let mut to = pos + usize::from(word);
        while to <= limit {
            if let Some(literal) = next {
                let last = text.len().min(limit + literal.len());
                let Some(skip) = find(&text[to..last], literal) else {
                    let _ = budget.spend(last - to);
                    return false;
                };
                to += skip;
                if !budget.spend(skip) {
                    return false;
                }
            }
            spans[field] = pos..to;
            if self.step(at + 1, end, text, to, spans, budget) {
                return true;
            }
            to += 1;
        }
        false
    }

    /// Values of the fixed fields of a matched message, which are part of its template.
    pub(crate) fn words<'a>(
        &'a self,
        text: &'a [u8],
        spans: &'a Spans,
    ) -> impl Iterator<Item = &'a [u8]> + 'a {
        let fields = self.fields.iter().zip(spans);
        fields
            .filter(|(field, _)| field.kind.is_fixed())
            .filter_map(|(_, span)| text.get(span.clone()))
    }

    /// Template of a matched message: `{}` for fields, values for fixed fields.
    pub(crate) fn template(&self, text: &[u8], spans: &Spans) -> String {
        let mut out = String::new();
        let last = self.elements.len().saturating_sub(1);
        for (at, element) in self.elements.iter().enumerate() {
            match element {
                Element::Literal(bytes) => out.push_str(&String::from_utf8_lossy(bytes)),
                Element::Field(i) => match self.fields.get(*i).map(|field| &field.kind) {
                    Some(kind) if kind.is_fixed() => {
                        let word = field_text(text, spans, *i);
                        out.push_str(&String::from_utf8_lossy(word));
                    }
                    // Blanks around a message are not significant.
                    Some(FieldKind::Pad) if at == 0 || at == last => {}
                    Some(FieldKind::Colour) => {}
                    Some(FieldKind::Pad) => out.push(' '),
                    _ => out.push_str("{}"),
                },
            }
        }
        out
    }
}

/// Text of a field of a matched text.
#[inline]
pub(crate) fn field_text<'t>(text: &'t [u8], spans: &Spans, field: usize) -> &'t [u8] {
    let span = spans.get(field).and_then(|span| text.get(span.clone()));
    span.unwrap_or_default()
}

/// Remaining work of a match, bytes that are examined and steps: enough for any real line, and linear in its length
/// however often a pattern backtracks.
struct Budget(usize);

impl Budget {
    fn of(text: &[u8]) -> Budget {
        Budget((1 << 17) + 4 * text.len())
    }

    /// Whether this much work is left.
    #[inline]
    fn spend(&mut self, work: usize) -> bool {
        let left = self.0.checked_sub(work);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// Offset of the first occurrence of a non-empty literal. Both texts are short, so preparing a searcher would cost more
/// than it saves.
#[inline]
fn find(text: &[u8], literal: &[u8]) -> Option<usize> {
    let (first, rest) = literal.split_first()?;
    let mut starting = memchr::memchr_iter(*first, text);
    match rest {
        [] => starting.next(),
        _ => starting.find(|at| {
            let after = text.get(at + 1..);
            after.is_some_and(|after| starts(after, rest))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
        let pattern = Pattern::compile(pattern).unwrap();
        let mut spans = Spans::new();
        pattern
            .matches(text.as_bytes(), &mut spans)
            .then(|| spans.iter().map(|s| &text[s.clone()]).collect())
    }

    #[test]
    fn phrases_stay_in_the_template_and_have_no_digits() {
        let pattern = Pattern::compile("call {name:phrase}").unwrap();
        let mut spans = Spans::new();
        assert!(pattern.matches(b"call write the file", &mut spans));
        let template = pattern.template(b"call write the file", &spans);
        assert_eq!(template, "call write the file");
        for other in ["call ", "call file 7", &format!("call {}", "x".repeat(81))] {
            assert!(!pattern.matches(other.as_bytes(), &mut spans), "{other}");
        }
    }

    #[test]
    fn names_may_hold_their_delimiter() {
        assert_eq!(
            fields("{process}-{pid:int} {thread:text}-{tid:int} {logger:name}:{line:int} {func} {level}: {message}",
                   "HTEX-Worker-1-10959 Thread-3 (func)-140 parsl.x:12 <lambda> INFO: Task 3: INFO: x").unwrap(),
            ["HTEX-Worker-1", "10959", "Thread-3 (func)", "140", "parsl.x", "12", "<lambda>", "INFO", "Task 3: INFO: x"]
        );
    }

    /// Bytes that are examined again and again count as work, not the steps alone.
    #[test]
    fn the_work_of_a_match_is_linear_in_its_text() {
        for (pattern, unit) in [
            ("{a:text}{b:int}:", "7"),
            ("{a:text}{b:name} x", "a"),
            ("{a:text}{b:angled} x", "a<"),
            ("{a:text}x{b:text}y", "x"),
        ] {
            let compiled = Pattern::compile(pattern).unwrap();
            let text = unit.repeat(1_000_000 / unit.len()).into_bytes();
            let mut spans = vec![0..0; compiled.fields.len()];
            let mut budget = Budget::of(&text);
            let end = compiled.elements.len();
            assert!(!compiled.step(0, end, &text, 0, &mut spans, &mut budget));
            assert_eq!(budget.0, 0, "{pattern}");
        }
    }

    #[test]
    fn whole_messages_match() {
        let p = "Task {parsl.task:int} submitted for App {app}, waiting on {dep:list}";
        assert_eq!(
            fields(p, "Task 7 submitted for App f, waiting on task 0, task 24").unwrap(),
            ["7", "f", "task 0, task 24"]
        );
        assert_eq!(
            fields(p, "Task 7 submitted for App f g, waiting on task 0"),
            None
        );
        assert_eq!(fields("Task {n:int} done", "Task 7 done."), None);
        assert_eq!(fields("{{{n:int}}}", "{5}").unwrap(), ["5"]);
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(Pattern::compile("a {b").unwrap_err().at, 2);
        assert_eq!(Pattern::compile("a} b").unwrap_err().at, 1);
        assert_eq!(Pattern::compile("a {b:nix} c").unwrap_err().at, 5);
    }

    #[test]
    fn a_pattern_that_goes_back_without_end_gives_up() {
        let text = "a".repeat(400);
        assert_eq!(
            fields("{a:text}a{b:text}a{c:text}a{d:text}a{e:text}b", &text),
            None
        );
    }

    proptest! {
        #[test]
        fn the_first_occurrence_of_a_literal_is_found(text in "[ab]{0,12}", literal in "[ab]{1,3}") {
            let found = find(text.as_bytes(), literal.as_bytes());
            prop_assert_eq!(found, text.find(&literal));
        }
    }
}
