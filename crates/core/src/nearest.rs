//! Suggestions for mistyped names: one rule for keys, entities, commands, options, files and definitions.

use strsim::osa_distance;

/// Minimum length in characters of a word that suggests a name by their common start.
const START: usize = 3;

/// Returns the name that a mistyped name probably means: the name with the smallest edit distance (insertions, deletions,
/// substitutions, swaps of adjacent characters) from the name or from its last parts (`task` of `parsl.task`), if that is
/// at most a third of the typed characters; else a name that starts with the typed one, or the reverse. An abbreviation of more
/// than three characters counts as one edit, and goes before other edits. Shorter names win ties.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let limit = (length / 3).max(1);
    let distance = |name: &str| {
        let parts = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        let distances = parts.map(|part| osa_distance(&typed, part));
        distances.fold(osa_distance(&typed, name), usize::min)
    };
    let is_start = |name: &str| {
        length >= START && name.starts_with(&typed)
            || name.chars().count() >= START && typed.starts_with(name)
    };
    let candidates = names.filter(|name| !name.is_empty() && !typed.is_empty());
    let candidates = candidates.filter_map(|name| {
        let lower = name.to_lowercase();
        let is_abbreviation = length > START && lower.starts_with(&typed);
        let near = Some(distance(&lower)).filter(|d| *d <= limit);
        let near = near.or(is_abbreviation.then_some(1));
        let rank = near.or_else(|| is_start(&lower).then_some(limit + 1))?;
        Some((rank, !is_abbreviation, name.len(), name))
    });
    candidates.min().map(|(.., name)| name)
}

/// Returns the end of a message about an unknown name: ``; did you mean `name`?``, or nothing.
pub fn did_you_mean<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> String {
    suggestion(nearest(typed, names))
}

/// Returns the end of a message that suggests a name, or nothing.
pub fn suggestion(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_knows_typing_errors_and_short_forms() {
        let names = ["parsl.task", "parsl.try", "parsl.executor", "thread", "int"];
        let meant = |typed| nearest(typed, names.into_iter());
        assert_eq!(meant("parsl.tsak"), Some("parsl.task"));
        assert_eq!(meant("task"), Some("parsl.task"));
        assert_eq!(meant("tsak"), Some("parsl.task"));
        assert_eq!(meant("threed"), Some("thread"));
        assert_eq!(meant("colour"), None);
        // Common starts.
        assert_eq!(meant("integer"), Some("int"));
        assert_eq!(meant("parsl.exec"), Some("parsl.executor"));
        assert_eq!(meant("in"), Some("int"));
        assert_eq!(
            nearest("diag", ["dag", "diagnose"].into_iter()),
            Some("diagnose")
        );
        assert_eq!(meant("th"), None);
        assert_eq!(nearest("", names.into_iter()), None);
        assert_eq!(
            did_you_mean("inr", names.into_iter()),
            "; did you mean `int`?"
        );
    }
}
