//! Index of patterns by first byte, which reduces hundreds of candidates for a message to a few.

use crate::pattern::{Element, Pattern};

/// Patterns of a scope by the first byte of their messages, as ascending indices.
#[derive(Debug, Default)]
pub(super) struct FirstByteIndex {
    /// By first byte; empty if no pattern starts with a literal.
    by_byte: Vec<Vec<usize>>,
    /// Patterns that start with a field and may match any message.
    any: Vec<usize>,
}

impl FirstByteIndex {
    /// Index of patterns.
    pub fn of<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> FirstByteIndex {
        let mut out = FirstByteIndex::default();
        for (at, pattern) in patterns.enumerate() {
            match pattern.elements.first() {
                Some(Element::Literal(literal)) => {
                    let Some(byte) = literal.first() else {
                        continue;
                    };
                    out.by_byte.resize_with(256, Vec::new);
                    if let Some(own) = out.by_byte.get_mut(usize::from(*byte)) {
                        own.push(at);
                    }
                }
                _ => out.any.push(at),
            }
        }
        out
    }

    /// Indices of the patterns that a message may match, ascending.
    pub(crate) fn possible(&self, message: &[u8]) -> impl Iterator<Item = usize> + '_ {
        let first = message.first().map(|byte| usize::from(*byte));
        let own = first.and_then(|byte| self.by_byte.get(byte));
        let (mut own, mut any) = (own.map_or(&[][..], Vec::as_slice), self.any.as_slice());
        std::iter::from_fn(move || {
            let next = match (own.first(), any.first()) {
                (Some(a), Some(b)) if b < a => &mut any,
                (Some(_), _) => &mut own,
                (None, _) => &mut any,
            };
            let (at, rest) = next.split_first()?;
            *next = rest;
            Some(*at)
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pattern::Spans;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn none_that_fits_is_left_out(chosen in proptest::collection::vec(0usize..6, 0..8), message in "[ab7 ]{0,5}") {
            let all = ["a{n:int}", "b {m:rest}", "{w:word} b", "{n:int}", "ab", "{:rest}"];
            let patterns = chosen.iter().map(|at| Pattern::compile(all[*at]).unwrap());
            let patterns: Vec<Pattern> = patterns.collect();
            let fits = |at: &usize| patterns[*at].matches(message.as_bytes(), &mut Spans::new());
            let first_bytes = FirstByteIndex::of(patterns.iter());
            let found: Vec<usize> = first_bytes.possible(message.as_bytes()).filter(fits).collect();
            let wanted: Vec<usize> = (0..patterns.len()).filter(fits).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
