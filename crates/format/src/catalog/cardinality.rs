//! Cardinality limit of templates: what a scope does when its messages vary without bound.
//!
//! A scope has room for [`MAX_TEMPLATES`] templates. Beyond that, templates that share their first word with many others are
//! merged into one, also for records that were read earlier, so the names do not depend on which file or thread came
//! first. Keys are still read from each record (`catalog::Plan::Search`).

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::ShapeId;

/// Maximum number of templates of one scope before any are merged.
pub(crate) const MAX_TEMPLATES: usize = 3000;
/// Beyond `MAX_TEMPLATES` templates: maximum number of templates with the same first word.
pub(crate) const MAX_PER_WORD: usize = 32;
/// Beyond both limits: maximum number of first words.
pub(crate) const MAX_WORDS: usize = 1000;
/// Longest first word, bytes; a longer run of letters does not count as a word.
const MAX_WORD_LEN: usize = 24;
/// Maximum number of shapes per scope that differ only in the keys mined from merged messages.
const MAX_MINED: usize = 20_000;

/// Granularity of the templates of messages with one first word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Granularity {
    /// One template per literal text.
    ByText,
    /// One template per first word.
    ByWord,
    /// One template for all messages.
    Single,
}

impl Granularity {
    /// Part of the first word that the template keeps.
    pub fn kept_word(self, word: &[u8]) -> &[u8] {
        match self {
            Granularity::Single => &[],
            Granularity::ByText | Granularity::ByWord => word,
        }
    }
}

/// Templates of one scope, counted against the limits.
#[derive(Debug, Default)]
pub(crate) struct TemplateSet {
    /// Hashes of the texts that have a template of their own, at any code site.
    own: FxHashSet<u64>,
    is_full: bool,
    groups: FxHashMap<Box<[u8]>, Group>,
    mined: usize,
    /// Shapes named by the literal text of their messages.
    texts: Vec<ShapeId>,
    /// Number of them whose templates were merged.
    merged: usize,
}

/// Templates with one first word.
#[derive(Debug, Default)]
struct Group {
    own: usize,
    /// Shapes whose name is their message text.
    named: Vec<ShapeId>,
    is_coarse: bool,
}

/// Shapes to be moved to a coarser template because a new template exceeded a limit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Coarsened {
    /// Shapes by the part of their first word that the coarser template keeps.
    pub(crate) shapes: Vec<(Box<[u8]>, Vec<ShapeId>)>,
}

/// First word of the literal text of a message; empty if the text does not start with one.
pub(crate) fn first_word(literals: &[Box<[u8]>]) -> &[u8] {
    let text = literals.first().map_or(&[][..], |l| l);
    let length = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = text.get(..length).filter(|_| length <= MAX_WORD_LEN);
    word.unwrap_or_default()
}

impl TemplateSet {
    /// Current granularity of messages with this first word.
    pub(crate) fn granularity(&self, word: &[u8]) -> Granularity {
        match self.groups.get(word) {
            _ if !self.is_full => Granularity::ByText,
            _ if self.groups.len() > MAX_WORDS => Granularity::Single,
            Some(group) if group.is_coarse => Granularity::ByWord,
            _ => Granularity::ByText,
        }
    }

    /// Counts a template (given as the hash of its text). Returns the granularity of its first word afterwards, and the
    /// shapes that have to be renamed.
    pub(crate) fn count_template(&mut self, word: &[u8], text: u64) -> (Granularity, Coarsened) {
        let before = self.granularity(word);
        if before != Granularity::ByText || !self.own.insert(text) {
            return (before, Coarsened::default());
        }
        let group = self.groups.entry(word.into()).or_default();
        group.own += 1;
        let mut coarsened = Coarsened::default();
        if !self.is_full {
            self.is_full = self.own.len() > MAX_TEMPLATES;
            if self.is_full {
                let words: Vec<_> = self.groups.keys().cloned().collect();
                words
                    .iter()
                    .for_each(|w| self.merge_if_many(w, &mut coarsened));
            }
        } else {
            self.merge_if_many(word, &mut coarsened);
        }
        if self.is_full && self.groups.len() > MAX_WORDS {
            let all = self.groups.values_mut();
            let all = all.flat_map(|g| std::mem::take(&mut g.named)).collect();
            coarsened.shapes.push((Box::default(), all));
        }
        (self.granularity(word), coarsened)
    }

    /// Merges the templates of a first word if there are more than [`MAX_PER_WORD`] of them.
    fn merge_if_many(&mut self, word: &[u8], coarsened: &mut Coarsened) {
        if let Some(group) = self.groups.get_mut(word)
            && group.own > MAX_PER_WORD
            && !group.is_coarse
        {
            group.is_coarse = true;
            // They stay in the list because they may lose the first word later, too.
            coarsened.shapes.push((word.into(), group.named.clone()));
        }
    }

    /// Registers a shape whose name is its message text, which starts with this word.
    pub(crate) fn add_named(&mut self, word: &[u8], shape: ShapeId) {
        if self.is_full && self.groups.len() > MAX_WORDS {
            return;
        }
        self.groups
            .entry(word.into())
            .or_default()
            .named
            .push(shape);
    }

    /// Registers a shape named by the literal text of its messages, which may be merged with others.
    pub(crate) fn add_text(&mut self, shape: ShapeId) {
        self.texts.push(shape);
    }

    /// Shapes named by the literal text of their messages, if some are new since the last call.
    pub(crate) fn unmerged(&mut self) -> Option<Vec<ShapeId>> {
        let is_new = self.merged < self.texts.len();
        self.merged = self.texts.len();
        is_new.then(|| self.texts.clone())
    }

    /// Whether there is room for one more shape of keys mined from merged messages.
    pub(crate) fn has_room(&self) -> bool {
        self.mined < MAX_MINED
    }

    /// Counts one shape of keys mined from merged messages.
    pub(crate) fn count_mined(&mut self) {
        self.mined += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Final name of each shape: 0 the text, 1 the first word, 2 neither.
    fn names(words: &[u16]) -> BTreeMap<usize, (u16, u8)> {
        let mut set = TemplateSet::default();
        let mut names = BTreeMap::new();
        for (i, number) in words.iter().enumerate() {
            let word = number.to_le_bytes();
            let (granularity, coarsened) = set.count_template(&word, i as u64);
            names.insert(i, (*number, granularity as u8));
            set.add_named(&word, ShapeId(i as u32));
            for (left, shapes) in coarsened.shapes {
                let add_named = if left.is_empty() { 2 } else { 1 };
                for shape in shapes {
                    names
                        .entry(shape.0 as usize)
                        .and_modify(|n| n.1 = n.1.max(add_named));
                }
            }
        }
        names
    }

    /// First words with the number of templates of each.
    fn sorted(words: &[u16]) -> Vec<(u16, u8)> {
        let mut all: Vec<_> = names(words).into_values().collect();
        all.sort_unstable();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn the_names_do_not_depend_on_the_order(
            few in 0..3u16,
            many in proptest::collection::vec((0..1100u16, 1..60usize), 1..200),
            long in 0..3200usize,
            seed in any::<u64>(),
        ) {
            let mut words: Vec<u16> = many.iter().flat_map(|(w, n)| vec![*w; *n]).collect();
            words.extend(vec![few; long]);
            let expected = sorted(&words);
            let mut state = seed | 1;
            for i in (1..words.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                words.swap(i, (state >> 33) as usize % (i + 1));
            }
            prop_assert_eq!(sorted(&words), expected);
        }
    }

    #[test]
    fn one_text_at_many_code_sites_is_one_template() {
        let mut set = TemplateSet::default();
        assert!((0..10_000).all(|_| set.count_template(b"m", 1).0 == Granularity::ByText));
    }

    #[test]
    fn unbounded_words_are_merged() {
        let words: Vec<u16> = (0..4000).collect();
        assert!(sorted(&words).iter().all(|(_, add_named)| *add_named == 2));
        let words: Vec<u16> = (0..3000).collect();
        assert!(sorted(&words).iter().all(|(_, add_named)| *add_named == 0));
        // One word with many templates, the others with few.
        let words: Vec<u16> = (0..4000)
            .map(|i| if i % 100 == 0 { i } else { 7 })
            .collect();
        assert!(
            sorted(&words)
                .iter()
                .all(|(w, add_named)| (*add_named == 1) == (*w == 7))
        );
    }
}
