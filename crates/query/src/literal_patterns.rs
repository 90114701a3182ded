//! Patterns that are alternations of literals, possibly anchored: `^Registered|Terminated$`. Most patterns of
//! definitions have this form, and a substring search is faster than compiling a regular expression.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look, Repetition};

/// Maximum number of alternatives; a regular expression is faster for more.
const MOST: usize = 8;

/// A literal with optional anchors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnchoredLiteral {
    /// Literal text.
    pub(crate) text: String,
    starts: bool,
    ends: bool,
}

impl AnchoredLiteral {
    /// Whether the literal is anchored at the start or the end.
    pub(crate) fn is_anchored(&self) -> bool {
        self.starts || self.ends
    }

    pub(crate) fn is_in(&self, message: &str) -> bool {
        match (self.starts, self.ends) {
            (true, true) => message == self.text,
            (true, false) => message.starts_with(&self.text),
            (false, true) => message.ends_with(&self.text),
            (false, false) => {
                memchr::memmem::find(message.as_bytes(), self.text.as_bytes()).is_some()
            }
        }
    }
}

/// Returns the literals of a pattern; `None` for any other pattern. `{}`, the variable part of a template, is taken
/// literally.
pub(super) fn anchored_literals(pattern: &str) -> Option<Vec<AnchoredLiteral>> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_ -:,'\"{}".contains(&byte);
    let text = |part: &str| {
        let (starts, part) = part.strip_prefix('^').map_or((false, part), |p| (true, p));
        let (ends, part) = part.strip_suffix('$').map_or((false, part), |p| (true, p));
        let is_plain = !part.is_empty() && part.bytes().all(plain);
        let has_braces = part.replace("{}", "").contains(['{', '}']);
        (is_plain && !has_braces).then(|| AnchoredLiteral {
            text: part.to_owned(),
            starts,
            ends,
        })
    };
    let inside = pattern.strip_prefix("^(").and_then(|p| p.strip_suffix(')'));
    let all = inside
        .unwrap_or(pattern)
        .split('|')
        .take(MOST + 1)
        .map(text);
    let mut all = all.collect::<Option<Vec<AnchoredLiteral>>>()?;
    if inside.is_some() {
        if all.iter().any(AnchoredLiteral::is_anchored) {
            return None;
        }
        all.iter_mut().for_each(|text| text.starts = true);
    }
    (all.len() <= MOST).then_some(all)
}

/// True if a pattern matches the same texts if each byte is taken as a character: it refers to non-ASCII characters
/// only by classes with all of them, repeated without an upper bound, and never to two of them in succession, which could
/// be bytes of one.
pub(super) fn is_bytewise(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(Look::Start | Look::End) => true,
        HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.is_ascii(),
        HirKind::Class(class) => class.is_utf8() && is_ascii(class),
        HirKind::Repetition(some) => {
            let is_of_others = repeats_others(some) && some.min <= 1 && some.max.is_none();
            is_of_others || is_bytewise(&some.sub) && !needs_other(&some.sub)
        }
        HirKind::Capture(capture) => is_bytewise(&capture.sub),
        HirKind::Concat(parts) => {
            let mut is_after_other = false;
            parts.iter().all(|part| {
                let needs = needs_other(part);
                let are_two = needs && is_after_other;
                let ends_in_ascii = part.properties().minimum_len() > Some(0) && !needs;
                is_after_other = needs || is_after_other && !ends_in_ascii;
                !are_two && is_bytewise(part)
            })
        }
        HirKind::Alternation(parts) => parts.iter().all(is_bytewise),
    }
}

/// True for a repeated class with every non-ASCII character.
fn repeats_others(some: &Repetition) -> bool {
    matches!(some.sub.kind(), HirKind::Class(Class::Unicode(class)) if has_all_others(class))
}

/// True if a pattern needs a character of such a class.
fn needs_other(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Repetition(some) => {
            some.min > 0 && (repeats_others(some) || needs_other(&some.sub))
        }
        HirKind::Capture(capture) => needs_other(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(needs_other),
        _ => false,
    }
}

fn is_ascii(class: &Class) -> bool {
    match class {
        Class::Unicode(class) => class.is_ascii(),
        Class::Bytes(class) => class.is_ascii(),
    }
}

/// Whether a class contains every non-ASCII character.
fn has_all_others(class: &ClassUnicode) -> bool {
    let last = class.ranges().last();
    last.is_some_and(|range| range.start() <= '\u{80}' && range.end() == char::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn other_patterns_have_no_literals() {
        for other in [
            "", "^", "a|", "a.b", "a+", "(a)", "a{2}", "a{", "a^b", "a$b", r"a\b",
        ] {
            assert_eq!(anchored_literals(other), None, "{other}");
        }
        assert_eq!(anchored_literals(&["a"; MOST + 1].join("|")), None);
        let found = anchored_literals("^Put {} on|b$").unwrap();
        assert!(found[0].is_in("Put {} on it") && !found[0].is_in("I Put {} on"));
        assert!(found[1].is_in("ab") && !found[1].is_in("ba"));
        let found = anchored_literals("^(a|b )").unwrap();
        assert!(found[1].is_in("b c") && !found[1].is_in("ab "));
        assert_eq!(anchored_literals("^(a|^b)"), None);
    }

    #[test]
    fn bytewise_patterns_match_alike_on_bytes() {
        let is = |pattern: &str| is_bytewise(&regex_syntax::parse(pattern).unwrap());
        for same in ["^a.*b$", "[^']+x[^']+", "[0-9{}]+", "(a|b)c.+", "a.*.+b"] {
            assert!(is(same), "{same}");
        }
        for other in [
            "a.b",
            "é",
            r"\w+",
            r"\bx",
            "[^a]{2,}",
            ".?",
            "(?i)k",
            r"\S*",
            "[é-ü]+",
            "[^a]+[^a]+",
            "[^a]+b?(c|.+)",
            "([^a]+){2}",
        ] {
            assert!(!is(other), "{other}");
        }
    }
}
