//! Which templates of a scope are told apart when its messages vary without bound.
//!
//! A scope has room for `MANY` templates. When it has more, those that begin with the same word as many others become
//! one template, also for records that were read before: so the names do not depend on which file, or which thread, was
//! first. What messages say is read all the same, from each record (`catalog::Plan::Search`).

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::ids::ShapeId;

/// Templates of one scope that are told apart, however they begin.
pub(crate) const MANY: usize = 3000;
/// When there are more: those that begin with the same word.
pub(crate) const MANY_ALIKE: usize = 32;
/// When there are more of both: words that they begin with.
pub(crate) const MANY_WORDS: usize = 1000;
/// Longer words are none.
const LONGEST_WORD: usize = 24;
/// Shapes that differ in what was mined from such messages only, in one scope.
const MANY_MINED: usize = 20_000;

/// How messages that begin with one word are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Apart {
    /// By their literal text.
    ByText,
    /// By their first word only.
    ByWord,
    /// Not at all.
    Not,
}

impl Apart {
    /// What is left of the first word of a message.
    pub fn of(self, word: &[u8]) -> &[u8] {
        match self {
            Apart::Not => &[],
            Apart::ByText | Apart::ByWord => word,
        }
    }
}

/// The templates of one scope.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// Hashes of the texts that have a template of their own, at whatever code site.
    own: FxHashSet<u64>,
    is_crowded: bool,
    groups: FxHashMap<Box<[u8]>, Group>,
    mined: usize,
}

/// Those that begin with one word.
#[derive(Debug, Default)]
struct Group {
    own: usize,
    /// The shapes that have their name from the message alone.
    named: Vec<ShapeId>,
    is_coarse: bool,
}

/// What a new template leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Coarser {
    /// Shapes that lose their name, by what is left of the word that they begin with.
    pub(crate) shapes: Vec<(Box<[u8]>, Vec<ShapeId>)>,
}

/// The word that the literal text of a message begins with; empty when it begins with none.
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
    /// How messages that begin with this word are told apart so far.
    pub(crate) fn apart(&self, word: &[u8]) -> Apart {
        match self.groups.get(word) {
            _ if !self.is_crowded => Apart::ByText,
            _ if self.groups.len() > MANY_WORDS => Apart::Not,
            Some(group) if group.is_coarse => Apart::ByWord,
            _ => Apart::ByText,
        }
    }

    /// A template, by the hash of its text: how it is told apart, and which others are not any more.
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

    /// Takes the shapes of a word their names when too many templates begin with it.
    fn judge(&mut self, word: &[u8], coarser: &mut Coarser) {
        if let Some(group) = self.groups.get_mut(word)
            && group.own > MANY_ALIKE
            && !group.is_coarse
        {
            group.is_coarse = true;
            // They may lose the word, too: so they stay listed.
            coarser.shapes.push((word.into(), group.named.clone()));
        }
    }

    /// A shape has its name from its message, which begins with this word.
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

    /// Whether there is room for one more shape of what was mined from messages that are not told apart.
    pub(crate) fn has_room(&self) -> bool {
        self.mined < MANY_MINED
    }

    /// There is one more.
    pub(crate) fn mine(&mut self) {
        self.mined += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Each shape's name in the end: 0 the text, 1 the word, 2 nothing.
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

    /// So many templates of each word.
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
        // One word with many, and others with few.
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
