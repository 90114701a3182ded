//! Letters of the pivot and copy lists: each concept has one letter, on all records of all runs. Rows of other keys have
//! digits.

/// Concept with a letter of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Concept {
    /// Letter, which no other concept has.
    pub letter: char,
    /// Name in messages.
    pub name: &'static str,
    /// Labels of entities and keys, as a whole or as their last words, the preferred first.
    labels: &'static [&'static str],
}

const fn concept(letter: char, name: &'static str, labels: &'static [&'static str]) -> Concept {
    Concept {
        letter,
        name,
        labels,
    }
}

/// Label that stands for all entities with the role of a run.
pub(crate) const RUN: &str = "run";

/// Letters that run commands in the lists, so that no concept has them.
pub(crate) const COMMAND_LETTERS: &str = "AgGioOqyY";

/// All concepts.
pub static CONCEPTS: [Concept; 19] = [
    concept('t', "task", &["task"]),
    concept('T', "try", &["try", "attempt"]),
    concept('w', "worker", &["worker"]),
    concept('m', "manager", &["manager"]),
    concept('b', "block", &["block"]),
    concept('j', "batch job", &["batch job", "job"]),
    concept('n', "node", &["node", "host", "hostname"]),
    concept('N', "near", &["near"]),
    concept('x', "process", &["pid", "process"]),
    concept('a', "agent", &["agent", "actor"]),
    concept('c', "call", &["call", "action"]),
    concept('e', "executor", &["executor"]),
    concept('r', "run", &[RUN]),
    concept('k', "rank", &["rank"]),
    concept('f', "function", &["app", "function", "func"]),
    concept('h', "thread", &["thread"]),
    concept('l', "logger", &["logger"]),
    concept('s', "source", &["source"]),
    concept('p', "message template", &["template"]),
];

/// Digits for rows without a concept, in the order of the list.
const DIGITS: &str = "123456789";

/// Concept with this letter.
pub(crate) fn concept_of(letter: char) -> Option<&'static Concept> {
    CONCEPTS.iter().find(|concept| concept.letter == letter)
}

/// Concept of an entity or key with this label.
pub(crate) fn concept_of_label(label: &str) -> Option<&'static Concept> {
    let (_, concept) = match_of(label)?;
    Some(concept)
}

/// Concept that a label ends with, and the preference of the label, 0 for the preferred one.
fn match_of(label: &str) -> Option<(usize, &'static Concept)> {
    let ends_with = |word: &str| {
        let before = label.strip_suffix(word);
        before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    CONCEPTS.iter().find_map(|concept| {
        let preference = concept.labels.iter().position(|word| ends_with(word))?;
        Some((preference, concept))
    })
}

/// Shortcuts of the rows with these labels: of the rows of a concept the one with the preferred label has the letter, the
/// first of equals; all other rows have digits as far as there are digits.
pub(crate) fn assign<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<Option<char>> {
    let matches: Vec<_> = labels.map(match_of).collect();
    let row_of = |concept: &Concept| {
        let rows = matches.iter().enumerate();
        let rows = rows.filter_map(|(row, found)| Some((row, (*found)?)));
        let of_concept = rows.filter(|(_, (_, found))| *found == concept);
        let best = of_concept.min_by_key(|(row, (preference, _))| (*preference, *row));
        best.map(|(row, _)| row)
    };
    let mut letters: Vec<Option<char>> = vec![None; matches.len()];
    for concept in &CONCEPTS {
        if let Some(row) = row_of(concept) {
            letters[row] = Some(concept.letter);
        }
    }
    let mut digits = DIGITS.chars();
    let others = letters.iter_mut().filter(|letter| letter.is_none());
    others.for_each(|letter| *letter = digits.next());
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(labels: &[&str]) -> String {
        let given = assign(labels.iter().copied()).into_iter();
        given.map(|letter| letter.unwrap_or('-')).collect()
    }

    #[test]
    fn a_concept_has_its_letter_whatever_else_is_in_the_list() {
        assert_eq!(
            letters(&["task", "executor task", "worker", "line"]),
            "t1w2"
        );
        assert_eq!(letters(&["executor task", "line", "worker"]), "t1w");
        assert_eq!(letters(&["worker", "worker"]), "w1");
        assert_eq!(letters(&["process", "pid", "host"]), "1xn");
        assert_eq!(letters(&["Slurm job", "Balsam batch job"]), "1j");
        assert_eq!(letters(&["multitask", "task in any role"]), "12");
    }

    #[test]
    fn rows_beyond_the_digits_have_none() {
        assert_eq!(letters(&["line"; 11]), "123456789--");
    }

    #[test]
    fn no_letter_has_two_concepts_or_runs_a_command() {
        for (at, concept) in CONCEPTS.iter().enumerate() {
            assert!(!COMMAND_LETTERS.contains(concept.letter), "{concept:?}");
            let later = &CONCEPTS[at + 1..];
            assert!(later.iter().all(|other| other.letter != concept.letter));
        }
    }
}
