//! Error recovery: all syntax errors of a definition, not only the first. An erroneous part is cut out of the text, and
//! the rest is parsed.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{DefError, FileText};
use crate::syntax;

/// Maximum number of reported errors per file.
const MOST: usize = 40;

/// Result of parsing a definition with error recovery.
#[derive(Debug, Default)]
pub struct PartialDefinition {
    /// Definition without the erroneous parts; `None` if nothing could be parsed.
    pub def: Option<syntax::Definition>,
    /// Errors, by position.
    pub errors: Vec<DefError>,
    /// Parts that were cut out.
    pub cut: CutParts,
}

/// Parts of a text that were cut out. Errors that only follow from their absence must not be reported.
#[derive(Debug, Default)]
pub struct CutParts {
    texts: Vec<String>,
    sections: Vec<Range<usize>>,
}

impl CutParts {
    /// Whether a name occurs in a part that was cut out.
    pub fn names(&self, name: &str) -> bool {
        self.texts.iter().any(|text| text.contains(name))
    }

    /// Whether something was cut out of the section that contains a byte of the file.
    pub fn touches(&self, at: usize) -> bool {
        self.sections.iter().any(|section| section.contains(&at))
    }
}

/// Parses a definition as far as possible.
pub fn read(file: &str, text: &str) -> PartialDefinition {
    let origin = FileText { file, text };
    let mut out = PartialDefinition::default();
    let (_, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        let errors = syntax.iter().take(MOST);
        out.errors = errors.map(|e| origin.toml_error(e)).collect();
        // One mistake may cause several errors in its line.
        out.errors.dedup_by_key(|e| e.line);
        return out;
    }
    let mut body = text.to_owned();
    while out.errors.len() < MOST {
        let error = match syntax::parse(&body) {
            Ok(def) => {
                out.def = Some(def);
                break;
            }
            Err(error) => error,
        };
        let lacking = error.message.strip_prefix("missing field `");
        let lacking = lacking.and_then(|rest| rest.split('`').next());
        let reported = origin.syntax_error(&error);
        // A missing field that was cut out, or misspelt, is reported already.
        let at = error.span.as_ref().map_or(0, |span| span.start);
        let is_cut = lacking.is_some_and(|name| out.cut.names(name) && out.cut.touches(at));
        let meant = reported.text.split("did you mean '").nth(1);
        let meant = meant.and_then(|rest| rest.split('\'').next());
        out.cut.texts.extend(meant.map(str::to_owned));
        if !is_cut && !out.errors.contains(&reported) {
            out.errors.push(reported);
        }
        let Some(range) = error.span.and_then(|span| part(&body, span.start)) else {
            break;
        };
        out.cut.sections.push(section(&body, range.start));
        out.cut.texts.push(body[range.clone()].to_owned());
        // Spaces keep the positions of the rest.
        let blank = |c: char| match c {
            '\n' => "\n".to_owned(),
            c => " ".repeat(c.len_utf8()),
        };
        let blanks: String = body[range.clone()].chars().map(blank).collect();
        if blanks == body[range.clone()] {
            break;
        }
        body.replace_range(range, &blanks);
        if DeTable::parse(&body).is_err() {
            break;
        }
    }
    out.errors.sort_by_key(|e| (e.line, e.column));
    out
}

/// Smallest part of a text around a byte that can be cut out: a line, an item of a list, a section.
fn part(body: &str, at: usize) -> Option<Range<usize>> {
    let table = DeTable::parse(body).ok()?;
    let mut parts = Vec::new();
    in_table(body, table.get_ref(), &mut parts);
    let around = parts.into_iter().filter(|part| part.contains(&at));
    around.min_by_key(|part| part.len())
}

/// Adds the parts of a table, and returns the end of its text.
fn in_table(body: &str, table: &DeTable<'_>, parts: &mut Vec<Range<usize>>) -> usize {
    let mut end = 0;
    for (key, value) in table {
        end = end.max(in_value(body, value, Some(key.span()), parts));
    }
    end
}

/// Adds a value, under a key or in a list, and its parts, and returns the end of its text.
fn in_value(
    body: &str,
    value: &Spanned<DeValue<'_>>,
    key: Option<Range<usize>>,
    parts: &mut Vec<Range<usize>>,
) -> usize {
    let span = value.span();
    let text = body.get(span.clone()).unwrap_or_default();
    let is_section = text.starts_with('[') && matches!(value.get_ref(), DeValue::Table(_));
    let sections = match value.get_ref() {
        DeValue::Array(items) => items.iter().all(|item| {
            let text = body.get(item.span()).unwrap_or_default();
            text.starts_with("[[")
        }),
        _ => false,
    };
    match value.get_ref() {
        DeValue::Table(table) if is_section => {
            let end = in_table(body, table, parts).max(span.end);
            parts.push(span.start..end);
            end
        }
        // Dotted keys: the table has no text of its own.
        DeValue::Table(table) if !text.starts_with('{') => in_table(body, table, parts),
        DeValue::Array(items) if sections => {
            let ends = items.iter().map(|item| in_value(body, item, None, parts));
            ends.max().unwrap_or(span.end)
        }
        other => {
            if let DeValue::Array(items) = other {
                for item in items.iter() {
                    parts.push(with_comma(body, item.span()));
                }
            }
            if let Some(key) = key {
                let line = body[..key.start].rfind('\n').map_or(0, |n| n + 1);
                parts.push(line..span.end);
            }
            span.end
        }
    }
}

/// Range of an item of a list with the comma after it.
fn with_comma(body: &str, item: Range<usize>) -> Range<usize> {
    let rest = &body[item.end..];
    let blanks = rest.len() - rest.trim_start().len();
    match rest[blanks..].starts_with(',') {
        true => item.start..item.end + blanks + 1,
        false => item,
    }
}

/// Range of the section around the start of a part, from its heading to the next.
fn section(body: &str, at: usize) -> Range<usize> {
    let (before, rest) = body.split_at_checked(at).unwrap_or((body, ""));
    let start = match rest.starts_with('[') {
        true => at,
        false => before.rfind("\n[").map_or(0, |n| n + 1),
    };
    let end = rest.find("\n[").map_or(body.len(), |n| at + n + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let read = read("x", text);
        read.errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_invalid_line_is_reported() {
        let found = errors("name = \"x\"\na = = 1\n[[source]]\nkind = \"k\nglob = []\n");
        let lines: Vec<&str> = found.iter().map(|e| &e[..4]).collect();
        assert_eq!(lines, ["x:2:", "x:4:"], "{found:?}");
    }

    #[test]
    fn a_line_after_a_byte_order_mark_is_cut_out() {
        for text in [
            "\u{feff}nme = \"x\"\n[[source]]\n",
            "\u{feff}# x\nnme = 1\n",
            "\u{feff}a = = 1\n",
            "\u{feff}[[layuot]]\nname = 1\n",
        ] {
            let found = errors(text);
            assert!(!found.is_empty(), "{text}");
        }
    }

    #[test]
    fn parts_cut_out_are_not_reported_as_missing() {
        let text = "name = \"x\"\n[[layout]]\nname = \"l\"\npatern = \"{rest:message}\"\n\n\
                    [[source]]\nkind = \"k\"\nglob = [1, \"a\", 2]\nlayouts = [\"l\"]\n";
        let found = errors(text);
        let places: Vec<&str> = found.iter().map(|e| &e[..5]).collect();
        assert_eq!(
            places,
            ["x:4:1", "x:8:9", "x:8:17"].map(|p| &p[..5]),
            "{found:?}"
        );
        assert!(read("x", text).def.is_some());
    }
}
