//! Quoted text: text that a program includes in a log and that is not a record, such as the script of a task above its
//! output.
//!
//! Text between two known lines, including both, is one record, whatever its lines look like. If a long file is read in
//! chunks and a quotation spans two of them, its second part is read as ordinary lines.

use crate::chunk::Growth;
use widetui_definition::syntax::QuoteDef;
use widetui_definition::text::Text;

/// Maximum size of a quotation, bytes; without an end within this limit it does not count as one.
const MAX_QUOTATION: usize = 64 << 10;

/// Quotation at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotation {
    /// No quotation.
    None,
    /// Quotation of this many bytes, including its last line.
    Complete(usize),
    /// Quotation whose end may not have been written yet.
    Incomplete,
}

/// Quotation delimiters of all definitions.
#[derive(Debug, Default)]
pub(crate) struct QuotedTexts {
    list: Vec<QuoteDelimiters>,
}

/// First and last line of a quotation.
#[derive(Debug)]
struct QuoteDelimiters {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl QuotedTexts {
    /// Quotation delimiters of these definitions.
    pub fn of<'a>(defs: impl Iterator<Item = &'a QuoteDef>) -> QuotedTexts {
        let line = |text: &Text| text.get_ref().as_bytes().to_vec();
        let is_said =
            |def: &&QuoteDef| ![&def.from, &def.to].iter().any(|t| t.get_ref().is_empty());
        let list = defs.filter(is_said);
        let list = list.map(|def| QuoteDelimiters {
            from: line(&def.from),
            to: line(&def.to),
        });
        QuotedTexts {
            list: list.collect(),
        }
    }

    /// Quotation that starts at the first line of `text`.
    pub(crate) fn at(&self, text: &[u8], growth: Growth) -> Quotation {
        let found = self.list.iter().find(|one| {
            let rest = text.strip_prefix(&*one.from);
            rest.is_some_and(|rest| matches!(rest.first(), Some(b'\r' | b'\n') | None))
        });
        let Some(QuoteDelimiters { from, to }) = found else {
            return Quotation::None;
        };
        let text = text.get(..MAX_QUOTATION).unwrap_or(text);
        let ends = memchr::memmem::find_iter(text.get(from.len()..).unwrap_or_default(), to);
        let ends = ends.map(|at| from.len() + at);
        // Text after the words at the end of the quotation, if they are a line.
        let after_line = |start: usize| {
            let (before, rest) = text.split_at_checked(start)?;
            let rest = rest.get(to.len()..).filter(|_| before.ends_with(b"\n"))?;
            matches!(rest, [b'\r', b'\n', ..] | [b'\n', ..] | [b'\r'] | []).then_some(rest)
        };
        match { ends }.find_map(after_line) {
            Some(rest) => {
                let line_end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
                Quotation::Complete(text.len() - rest.len() + line_end)
            }
            None if growth == Growth::Growing && text.len() < MAX_QUOTATION => {
                Quotation::Incomplete
            }
            None => Quotation::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, growth: Growth) -> Quotation {
        let toml = "from = '--> follows <--'\nto = '--> end <--'";
        let def: QuoteDef = toml::from_str(toml).unwrap();
        QuotedTexts::of([def].iter()).at(text.as_bytes(), growth)
    }

    #[test]
    fn whole_lines_begin_and_end_a_quotation() {
        let quoted = "--> follows <--\necho ' --> end <--'\n--> end <-- of it\n--> end <--\n";
        let text = format!("{quoted}more\n");
        assert_eq!(
            at(&text, Growth::Complete),
            Quotation::Complete(quoted.len())
        );
        let dos = text.replace('\n', "\r\n");
        let end = quoted.len() + 4;
        assert_eq!(at(&dos, Growth::Complete), Quotation::Complete(end));
        let last = quoted.trim_end();
        assert_eq!(at(last, Growth::Complete), Quotation::Complete(last.len()));
        for none in [
            "",
            "x\n",
            "--> follows <-- it\n--> end <--\n",
            "--> end <--\n",
        ] {
            assert_eq!(at(none, Growth::Growing), Quotation::None, "{none}");
        }
    }

    #[test]
    fn unfinished_quotations_are_incomplete_in_growing_sources() {
        let text = "--> follows <--\necho hello\n";
        assert_eq!(at(text, Growth::Complete), Quotation::None);
        assert_eq!(at(text, Growth::Growing), Quotation::Incomplete);
        let long = format!("{text}{}", "x\n".repeat(MAX_QUOTATION));
        assert_eq!(at(&long, Growth::Growing), Quotation::None);
    }
}
