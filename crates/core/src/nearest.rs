//! Suggestions for mistyped names.

/// Returns the name that a mistyped name probably means: a name that ends in `.typed`, else the name with the smallest
/// edit distance, if that is at most a third of the typed characters.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let limit = (typed.chars().count() / 3).max(1);
    names
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let suffix = lower
                .strip_suffix(&typed)
                .is_some_and(|head| head.ends_with('.'));
            let far = if suffix { 0 } else { distance(&typed, &lower) };
            (far <= limit).then_some((far, name.len(), name))
        })
        .min()
        .map(|(_, _, name)| name)
}

/// Edit distance of two words: number of insertions, deletions, substitutions and swaps of adjacent characters.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_knows_typing_errors_and_short_forms() {
        let names = ["parsl.task", "parsl.try", "parsl.executor", "thread"];
        let meant = |typed| nearest(typed, names.into_iter());
        assert_eq!(meant("parsl.tsak"), Some("parsl.task"));
        assert_eq!(meant("task"), Some("parsl.task"));
        assert_eq!(meant("threed"), Some("thread"));
        assert_eq!(meant("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
