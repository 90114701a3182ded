//! Template names that JSON records provide: a field with the format string, or a composed message.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::fields::first_line;
use crate::json::form::Form;
use crate::json::reader::JsonReader;
use crate::text::json_scan::{Raw, nth, text};

/// Maximum number of cached names; others are computed each time.
const MAX_CACHED: usize = 10_000;

/// Template names that one loader thread has met.
#[derive(Default)]
pub(crate) struct TemplateNames {
    /// Templates by format string, as written in the line.
    named: FxHashMap<Box<[u8]>, Option<Arc<str>>>,
    last: (Vec<u8>, Option<Arc<str>>),
    /// Templates by text that is already a template.
    ready: FxHashMap<Box<[u8]>, Arc<str>>,
}

impl TemplateNames {
    /// Template that a record names, if any.
    #[inline]
    pub fn of(
        &mut self,
        json: &JsonReader,
        form: &Form,
        values: &[Raw<'_>],
        scratch: &mut Vec<u8>,
    ) -> Option<Arc<str>> {
        if let Some(composed) = &form.composed {
            composed.template(scratch, |at, out| json.push_text(nth(values, at), out));
            return Some(self.ready(scratch));
        }
        let message = form.message.first().map(|at| nth(values, *at));
        let named = match form.template.first().map(|at| nth(values, *at)) {
            // The text that widetui exported is already a template: braces around a word are literal text.
            Some(template) if form.is_complete => {
                let text = text(template, scratch);
                (!text.is_empty()).then(|| self.ready(text))
            }
            Some(template) if message != Some(template) => self.format_string(template, scratch),
            _ => None,
        };
        match message {
            Some(_) => named,
            None => named.or_else(|| Some(form.summary.clone())),
        }
    }

    /// Name of a text that is already a template.
    fn ready(&mut self, text: &[u8]) -> Arc<str> {
        if let Some(name) = self.ready.get(text) {
            return name.clone();
        }
        let name: Arc<str> = String::from_utf8_lossy(text).into();
        if self.ready.len() < MAX_CACHED {
            self.ready.insert(text.into(), name.clone());
        }
        name
    }

    /// Format string with `{}` for each argument; `None` if it takes no arguments.
    fn format_string(&mut self, raw: Raw<'_>, scratch: &mut Vec<u8>) -> Option<Arc<str>> {
        let (Raw::Text { bytes, .. } | Raw::Bare(bytes)) = raw else {
            return None;
        };
        if self.last.0 == bytes {
            return self.last.1.clone();
        }
        let name = match self.named.get(bytes) {
            Some(name) => name.clone(),
            None => {
                let (line, _) = first_line(text(raw, scratch));
                let name = template_text(&String::from_utf8_lossy(line));
                if self.named.len() < MAX_CACHED {
                    self.named.insert(bytes.into(), name.clone());
                }
                name
            }
        };
        self.last.0.clear();
        self.last.0.extend_from_slice(bytes);
        self.last.1 = name.clone();
        name
    }
}

/// `Task %s took %.2f s` or `Task {} took {x:.2f} s` with `{}` for each argument; `None` if there are none.
fn template_text(text: &str) -> Option<Arc<str>> {
    let mut found = false;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr2(b'%', b'{', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (piece, length) = match argument(rest.as_bytes()) {
            Some(2) if rest.starts_with("%%") => ("%", 2),
            Some(length) => {
                found = true;
                ("{}", length)
            }
            None => (&rest[..1], 1),
        };
        out.push_str(piece);
        rest = &rest[length..];
    }
    out.push_str(rest);
    found.then(|| out.into())
}

/// Length of the argument placeholder at the start of a text, in `%` or brace style, or of an escaped percent sign. A
/// placeholder is ASCII or ends at a brace.
fn argument(text: &[u8]) -> Option<usize> {
    let count = |at: usize, fits: fn(&u8) -> bool| {
        let rest = text.get(at..).unwrap_or_default();
        rest.iter().take_while(|b| fits(b)).count()
    };
    if text.first() == Some(&b'{') {
        let inside = count(1, |b| !b"{}'\" ".contains(b));
        return (text.get(1 + inside) == Some(&b'}')).then_some(inside + 2);
    }
    if text.get(1) == Some(&b'%') {
        return Some(2);
    }
    let mut at = 1;
    if text.get(at) == Some(&b'(') {
        let name = count(at + 1, |b| b.is_ascii_alphanumeric() || *b == b'_');
        at += name + 2;
        if name == 0 || text.get(at - 1) != Some(&b')') {
            return None;
        }
    }
    at += usize::from(text.get(at).is_some_and(|b| b"-+#0".contains(b)));
    at += count(at, |b| b.is_ascii_digit() || *b == b'.');
    let is_kind = text.get(at).is_some_and(|b| b"sdrifgexXuca".contains(b));
    is_kind.then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arguments_are_those_of_the_expression(text in "(%|\\{|\\}|\\(|\\)|[-+#0]|[ab1s.é ']|%\\(a\\)|%-5){0,8}") {
            let argument = regex::Regex::new(r#"%%|%(?:\((?-u:\w+)\))?[-+#0]?[0-9.]*[sdrifgexXuca]|\{[^{}'" ]*\}"#).unwrap();
            let mut found = false;
            let piece = argument.replace_all(&text, |c: &regex::Captures<'_>| {
                let percent = &c[0] == "%%";
                found |= !percent;
                if percent { "%" } else { "{}" }
            });
            let wanted = found.then(|| piece.into_owned());
            prop_assert_eq!(template_text(&text).map(|t| t.to_string()), wanted);
        }
    }

    #[test]
    fn arguments_of_templates_become_braces() {
        let t = |s: &str| template_text(s).map(|t| t.to_string());
        assert_eq!(t("Task %s took %.2f s").unwrap(), "Task {} took {} s");
        assert_eq!(t("100%% of %d").unwrap(), "100% of {}");
        assert_eq!(t("job {job_id} on {host}").unwrap(), "job {} on {}");
        assert_eq!(t("%(name)s done").unwrap(), "{} done");
        assert_eq!(t("nothing to put in"), None);
        assert_eq!(t("a dict {'a': 1} and 5 % of"), None);
    }
}
