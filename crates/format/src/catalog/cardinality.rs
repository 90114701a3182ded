//! Cardinality limit of templates: what a scope does when its messages vary without bound.
//!
//! A scope has room for [`MANY`] templates. Beyond that, templates that share their first word with many others are
//! merged into one, also for records that were read earlier, so the names do not depend on which file or thread came
//! first. Keys are still read from each record (`catalog::Plan::Search`).

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::ShapeId;

/// Maximum number of templates of one scope before any are merged.
pub(crate) const MANY: usize = 3000;
/// Beyond `MANY` templates: maximum number of templates with the same first word.
pub(crate) const MANY_ALIKE: usize = 32;
/// Beyond both limits: maximum number of first words.
pub(crate) const MANY_WORDS: usize = 1000;
/// Longest first word, bytes; a longer run of letters does not count as a word.
const LONGEST_WORD: usize = 24;
/// Maximum number of shapes per scope that differ only in the keys mined from merged messages.
const MANY_MINED: usize = 20_000;

/// Granularity of the templates of messages with one first word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Apart {
    /// One template per literal text.
    ByText,
    /// One template per first word.
    ByWord,
    /// One template for all messages.
    Not,
}

impl Apart {
    /// Part of the first word that the template keeps.
    pub fn of(self, word: &[u8]) -> &[u8] {
        match self {
            Apart::Not => &[],
            Apart::ByText | Apart::ByWord => word,
        }
    }
}

/// Templates of one scope, counted against the limits.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// Hashes of the texts that have a template of their own, at any code site.
    own: FxHashSet<u64>,
    is_crowded: bool,
    groups: FxHashMap<Box<[u8]>, Group>,
    mined: usize,
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
pub(crate) struct Coarser {
    /// Shapes by the part of their first word that the coarser template keeps.
    pub(crate) shapes: Vec<(Box<[u8]>, Vec<ShapeId>)>,
}

/// First word of the literal text of a message; empty if the text does not start with one.
pub(crate) fn first_word(literals: &[Box<[u8]>]) -> &[u8] {
    let text = literals.first().map_or(&[][..], |l| l);
    let length = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    if length > LONGEST_WORD {
        &[]
    } else {
        &text[..length]
    }
}

impl Crowd {
    /// Current granularity of messages with this first word.
    pub(crate) fn apart(&self, word: &[u8]) -> Apart {
        match self.groups.get(word) {
            _ if !self.is_crowded => Apart::ByText,
            _ if self.groups.len() > MANY_WORDS => Apart::Not,
            Some(group) if group.is_coarse => Apart::ByWord,
            _ => Apart::ByText,
        }
    }

    /// Counts a template (given as the hash of its text). Returns the granularity of its first word afterwards, and the
    /// shapes that have to be renamed.
    pub(crate) fn meet(&mut self, word: &[u8], text: u64) -> (Apart, Coarser) {
        let before = self.apart(word);
        if before != Apart::ByText || !self.own.insert(text) {
            return (before, Coarser::default());
        }
        let group = self.groups.entry(word.into()).or_default();
        group.own += 1;
        let mut coarser = Coarser::default();
        if !self.is_crowded {
            self.is_crowded = self.own.len() > MANY;
            if self.is_crowded {
                let words: Vec<_> = self.groups.keys().cloned().collect();
                words.iter().for_each(|w| self.judge(w, &mut coarser));
            }
        } else {
            self.judge(word, &mut coarser);
        }
        if self.is_crowded && self.groups.len() > MANY_WORDS {
            let all = self.groups.values_mut();
            let all = all.flat_map(|g| std::mem::take(&mut g.named)).collect();
            coarser.shapes.push((Box::default(), all));
        }
        (self.apart(word), coarser)
    }

    /// Merges the templates of a first word if there are more than [`MANY_ALIKE`] of them.
    fn judge(&mut self, word: &[u8], coarser: &mut Coarser) {
        if let Some(group) = self.groups.get_mut(word)
            && group.own > MANY_ALIKE
            && !group.is_coarse
        {
            group.is_coarse = true;
            // They stay in the list because they may lose the first word later, too.
            coarser.shapes.push((word.into(), group.named.clone()));
        }
    }

    /// Registers a shape whose name is its message text, which starts with this word.
    pub(crate) fn name(&mut self, word: &[u8], shape: ShapeId) {
        if self.is_crowded && self.groups.len() > MANY_WORDS {
            return;
        }
        self.groups
            .entry(word.into())
            .or_default()
            .named
            .push(shape);
    }

    /// Whether there is room for one more shape of keys mined from merged messages.
    pub(crate) fn has_room(&self) -> bool {
        self.mined < MANY_MINED
    }

    /// Counts one shape of keys mined from merged messages.
    pub(crate) fn mine(&mut self) {
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
        let mut crowd = Crowd::default();
        let mut names = BTreeMap::new();
        for (i, number) in words.iter().enumerate() {
            let word = number.to_le_bytes();
            let (apart, coarser) = crowd.meet(&word, i as u64);
            names.insert(i, (*number, apart as u8));
            crowd.name(&word, ShapeId(i as u32));
            for (left, shapes) in coarser.shapes {
                let name = if left.is_empty() { 2 } else { 1 };
                for shape in shapes {
                    names
                        .entry(shape.0 as usize)
                        .and_modify(|n| n.1 = n.1.max(name));
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
        let mut crowd = Crowd::default();
        assert!((0..10_000).all(|_| crowd.meet(b"m", 1).0 == Apart::ByText));
    }

    #[test]
    fn words_without_bound_are_not_told_apart() {
        let words: Vec<u16> = (0..4000).collect();
        assert!(sorted(&words).iter().all(|(_, name)| *name == 2));
        let words: Vec<u16> = (0..3000).collect();
        assert!(sorted(&words).iter().all(|(_, name)| *name == 0));
        // One word with many templates, the others with few.
        let words: Vec<u16> = (0..4000)
            .map(|i| if i % 100 == 0 { i } else { 7 })
            .collect();
        assert!(
            sorted(&words)
                .iter()
                .all(|(w, name)| (*name == 1) == (*w == 7))
        );
    }
}
