//! Fuzzy matching, independent of the crate that implements it.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// Indices of the items that contain the letters of `query` in order, the best first. Earlier items
/// win ties; an empty query returns all items in their order.
pub(crate) fn rank<'a>(query: &str, items: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let query = query.trim();
    if query.is_empty() {
        return items.enumerate().map(|(i, _)| i).collect();
    }
    let matcher = SkimMatcherV2::default().smart_case();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut found: Vec<(i64, usize)> = items
        .enumerate()
        .filter_map(|(i, item)| {
            let scores = words.iter().map(|w| word_score(&matcher, item, w));
            let scores: Option<Vec<i64>> = scores.collect();
            Some((scores?.iter().sum(), i))
        })
        .collect();
    found.sort_by_key(|(score, i)| (-score, *i));
    found.into_iter().map(|(_, i)| i).collect()
}

/// Maximum number of columns between the letters of an abbreviation, such as `vt` for
/// `view-templates`.
const INITIALS: usize = 7;

/// Score of a word; `None` if its letters are scattered over the item.
fn word_score(matcher: &SkimMatcherV2, item: &str, word: &str) -> Option<i64> {
    let (score, at) = matcher.fuzzy_indices(item, word)?;
    let stretch = at
        .last()
        .zip(at.first())
        .map_or(0, |(last, first)| last + 1 - first);
    (stretch <= (2 * word.chars().count() + 1).max(INITIALS)).then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_matches_come_first() {
        let items = ["view-events", "next-error", "previous-error", "help"];
        assert_eq!(rank("error", items.into_iter())[0], 1);
        assert_eq!(rank("", items.into_iter()), [0, 1, 2, 3]);
        assert_eq!(rank("pre err", items.into_iter()), [2]);
        assert_eq!(rank("vev", items.into_iter()), [0]);
        assert_eq!(rank("ve", items.into_iter()), [0, 2]);
        assert!(rank("theme", ["parsl.interchange_message"].into_iter()).is_empty());
        assert!(rank("zzz", items.into_iter()).is_empty());
    }
}
