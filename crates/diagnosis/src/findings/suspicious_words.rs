//! Suspicious words in records without a level: `task 3 failed` reports a problem, `failed_calls=0` and `no task failed` the
//! opposite. The words stand in the definitions (`[words]`), the grammar around them here.

use widetui_definition::words::WordsDef;

use crate::findings::exit_status::ExitStatus;

/// Values that mean none.
const NOTHING: [&str; 8] = ["none", "null", "nil", "false", "no", "off", "nan", "n/a"];

/// Negations before a suspicious word, and the maximum number of words between.
const NO: [&str; 6] = ["no", "without", "zero", "never", "any", "nor"];
const NO_BETWEEN: usize = 1;

/// Maximum number of words between a number and the suspicious word that it counts: `0 of 12 jobs failed`.
const BETWEEN: usize = 4;

/// Verbs whose subject may be the number before them: `rank 0 failed`.
const VERBS: [&str; 10] = [
    "fail", "failed", "fails", "aborted", "killed", "crashed", "died", "refused", "denied",
    "panicked",
];

/// Meaning of the suspicious words in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Says {
    /// No problem.
    Well,
    /// The number of problems is a variable of the template, so the record itself must be read.
    Counted,
    /// A problem.
    Trouble,
}

/// Meaning of the text of a template; its variables are `{}`.
pub(crate) fn template(words: &WordsDef, text: &str) -> Says {
    says(words, text, Says::Counted)
}

/// Whether a message reports a problem. `{}` in it is an empty object.
pub(crate) fn message(words: &WordsDef, text: &str) -> bool {
    says(words, text, Says::Well) == Says::Trouble
}

/// Meaning of a text; `variable` is the result for `{}` in the place of a number.
fn says(words: &WordsDef, original: &str, variable: Says) -> Says {
    let text = without_paths(&original.to_lowercase());
    if words.harmless.iter().any(|w| text.contains(w)) || names_columns(&text) {
        return Says::Well;
    }
    if is_coded(original) || names_code(original) {
        return Says::Trouble;
    }
    let mut worst = exit_status(&text, variable);
    for word in &words.trouble {
        for (at, _) in text.match_indices(word) {
            worst = worst.max(one(words, &text, at, word.len(), variable));
            if worst == Says::Trouble {
                return worst;
            }
        }
    }
    worst
}

/// True if a text names an error by a code: `MPI_ERR_TRUNCATE: message truncated`, `npm error code ERESOLVE`.
pub(crate) fn names_code(text: &str) -> bool {
    let mut before = "";
    text.split_whitespace().any(|word| {
        let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let (first, rest) = name.split_once('_').unwrap_or((name, ""));
        // `D_ERROR` is a kind of output.
        let is_error = first.len() > 1
            && word.ends_with(':')
            && rest
                .split('_')
                .chain([first])
                .any(|part| matches!(part, "ERR" | "ERROR"))
            && !rest.is_empty();
        let follows_code = before.trim_end_matches(':').eq_ignore_ascii_case("code");
        before = word;
        is_code(name) && (is_error || follows_code)
    })
}

/// True if a word has the form of a symbolic code: `ERESOLVE`, `MPI_ERR_TRUNCATE`.
pub(crate) fn is_code(word: &str) -> bool {
    word.len() >= 5 && word.starts_with(|c: char| c.is_ascii_uppercase()) && { word.chars() }
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// True if a tool reports a code with its meaning: `curl: (60) SSL certificate problem`.
fn is_coded(text: &str) -> bool {
    let found = text.split_once(": (").and_then(|(tool, rest)| {
        let (code, meaning) = rest.split_once(") ")?;
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.+".contains(c);
        let is_tool =
            tool.starts_with(|c: char| c.is_ascii_lowercase()) && tool.chars().all(is_part);
        let is_code = code == "{}" || code.parse().is_ok_and(|code: u8| code > 0);
        Some(is_tool && is_code && meaning.starts_with(char::is_uppercase))
    });
    found.unwrap_or(false)
}

/// Meaning of an exit status in a lower-case text: that of a process that failed is not zero.
fn exit_status(text: &str, variable: Says) -> Says {
    let Some(status) = ExitStatus::behind_words(text) else {
        return Says::Well;
    };
    if status.starts_with("{}") {
        return variable;
    }
    let digits = status
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(status.len());
    match status[..digits].parse::<u32>() {
        Ok(1..) => Says::Trouble,
        _ => Says::Well,
    }
}

/// Conditions before a suspicious word: `abort on first failure`.
const CONDITIONS: [&str; 5] = ["on", "upon", "if", "recovered from", "recovering from"];

/// Continuations of `unable` that mean that a search has succeeded: `unable to improve the bound`.
const OPTIMAL: [&str; 4] = [
    "to improve",
    "improve",
    "to reduce further",
    "to find a better",
];

/// Minimum number of columns in the head of a table.
const COLUMNS: usize = 5;

/// Whether a text is the head of a table: `# timestamp workers_idle tasks_failed ...`.
fn names_columns(text: &str) -> bool {
    let Some(names) = text.strip_prefix('#') else {
        return false;
    };
    let is_name = |w: &str| w.chars().all(|c| c.is_alphanumeric() || c == '_');
    let names: Vec<&str> = names.split_whitespace().collect();
    let joined = names.iter().filter(|w| w.contains('_')).count();
    names.len() >= COLUMNS && joined * 2 > names.len() && names.iter().all(|w| is_name(w))
}

/// A text without its absolute paths, because names of directories are arbitrary.
fn without_paths(text: &str) -> String {
    let own = |word: &str| {
        let path = word.match_indices('/').find(|(at, _)| {
            let before = word[..*at].chars().next_back();
            before.is_none_or(|c| "'\"([<=:".contains(c))
        });
        let path = path.filter(|(at, _)| word[at + 1..].contains('/'));
        let path = path.filter(|(at, _)| !word[at + 1..].starts_with('/'));
        let Some((start, _)) = path else {
            return word.to_owned();
        };
        let end = word.trim_end_matches(|c: char| c.is_whitespace() || ":,;.'\")]>".contains(c));
        format!("{}/{}", &word[..start], &word[end.len().max(start)..])
    };
    text.split_inclusive(char::is_whitespace).map(own).collect()
}

/// Meaning of a single suspicious word in its context.
fn one(words: &WordsDef, text: &str, at: usize, len: usize, variable: Says) -> Says {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let start = text[..at].rfind(|c| !is_part(c)).map_or(0, |i| {
        i + text[i..].chars().next().map_or(1, char::len_utf8)
    });
    let behind = &text[at + len..];
    let end = behind.find(|c| !is_part(c)).unwrap_or(behind.len());
    let (name, behind) = (&text[start..at + len + end], &behind[end..]);
    // Flags for kinds of output: `D_ERROR`.
    if name.chars().nth(1) == Some('_') && !behind.starts_with(['=', ':']) {
        return Says::Well;
    }
    // The name of a standard stream.
    if name == "error" && text[..start].trim_end().ends_with("standard") {
        return Says::Well;
    }
    let next = behind.trim_start().split(|c| !is_part(c)).next();
    if behind.starts_with(' ')
        && next.is_some_and(|next| words.objects.iter().any(|word| word == next))
    {
        return Says::Well;
    }
    if words
        .precautions
        .iter()
        .any(|word| name.starts_with(word.as_str()))
        || is_policy(&text[..start], name, behind)
    {
        return Says::Well;
    }
    if name == "error" && is_measured(behind) {
        return Says::Well;
    }
    // An error code or a numeric error: the record itself decides.
    if name == "error" && behind.starts_with(" {}") && variable == Says::Counted {
        return variable;
    }
    let counts = name.contains(['_', '-']) || name.ends_with('s') || name.ends_with("ed");
    let said = after(name, behind, counts, variable);
    said.or_else(|| before(&text[..start], name, behind, counts, variable))
        .unwrap_or(Says::Trouble)
}

/// Whether a word names a condition or something overcome: `abort on first failure`, `recovered from panic`, `unable
/// to improve`.
fn is_policy(before: &str, name: &str, behind: &str) -> bool {
    let before = before.trim_end();
    let before = before
        .strip_suffix(" first")
        .or_else(|| before.strip_suffix(" any"))
        .unwrap_or(before);
    let is_condition = |word: &str| {
        let rest = before.strip_suffix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
    };
    let behind = behind.trim_start();
    match name {
        "abort" | "fail" => behind.starts_with("on "),
        "unable" | "cannot" | "not" => OPTIMAL.iter().any(|end| behind.starts_with(end)),
        "failure" | "error" | "panic" | "crash" => CONDITIONS.iter().any(|word| is_condition(word)),
        _ => false,
    }
}

/// Whether a number with a fraction or an exponent follows, that is a numeric error: `relative error 3.1e-05`, `error:
/// 0.113`.
fn is_measured(behind: &str) -> bool {
    let value = behind.trim_start_matches([' ', ':', '=']);
    let end = value
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')'))
        .unwrap_or(value.len());
    let number = value[..end].trim_end_matches(['.', '%']);
    behind.len() > value.len() && number.contains(['.', 'e']) && number.parse::<f64>().is_ok()
}

/// Meaning of the value after a name: `failed=0`, `"errors": {}`, `errors 0`.
fn after(name: &str, behind: &str, counts: bool, variable: Says) -> Option<Says> {
    let behind = behind.strip_prefix("(s)").unwrap_or(behind);
    let rest = behind
        .trim_start_matches(['"', '\'', ']', ')'])
        .trim_start();
    let (value, is_told) = match (rest.strip_prefix('='), rest.strip_prefix(':')) {
        // The value is empty.
        (Some(value), _)
            if value.is_empty() || value.starts_with([' ', ',', ';', '&', '}', ')']) =>
        {
            return Some(Says::Well);
        }
        (Some(value), _) | (_, Some(value)) => (value.trim_start(), true),
        _ => (rest, false),
    };
    let value = value.trim_start_matches(['"', '\'']);
    if !is_told {
        // A plural before a number is a count (`errors 0`); a singular is a code (`error code 0`, `error 0`).
        let value = value.strip_prefix("code ").unwrap_or(value);
        let is_noun = name == "error" || (name.ends_with('s') && counts);
        return match first(value, variable) {
            Some(said) if is_noun && behind.starts_with(' ') => said.alone.then_some(said.says),
            _ => None,
        };
    }
    if name == "errors" && rest.starts_with('=') && value.starts_with(char::is_alphabetic) {
        // Error handler of a text codec: `errors=strict`.
        return Some(Says::Well);
    }
    match first(value, variable) {
        Some(said) if counts || said.alone => Some(said.says),
        _ => None,
    }
}

/// A value that is a count or means none.
struct Said {
    says: Says,
    /// Whether no word follows it.
    alone: bool,
}

/// Value at the beginning of a text, if it means none or is a variable.
fn first(value: &str, variable: Says) -> Option<Said> {
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
    let end = match value.starts_with("{}") {
        true => 2,
        false => value.find(is_end).unwrap_or(value.len()),
    };
    let rest = value[end..].trim_start();
    let alone = !rest.starts_with(char::is_alphabetic);
    let says = match value[..end].trim_end_matches(['.', '/']) {
        "{}" => variable,
        // An empty list.
        "" if value.starts_with("[]") => Says::Well,
        "-" if alone => Says::Well,
        word if NOTHING.contains(&word) || is_zero(word) => Says::Well,
        _ => return None,
    };
    Some(Said { says, alone })
}

/// Whether a number is zero: `0`, `0.00`.
fn is_zero(word: &str) -> bool {
    word.starts_with('0') && word.chars().all(|c| matches!(c, '0' | '.'))
}

/// Meaning of the words before a suspicious word: `0 errors`, `no task failed`, `0 of 12 jobs failed`.
fn before(text: &str, name: &str, behind: &str, counts: bool, variable: Says) -> Option<Says> {
    // Only the clause of the word.
    let from = text.rfind([',', ';', ':', '(', '[', '|', '=', '"', '\'']);
    let clause = &text[from.map_or(0, |i| i + 1)..];
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_subject = VERBS.contains(&name);
    let next = behind.split_whitespace().next().unwrap_or_default();
    let names_things = next.ends_with('s') && behind.starts_with(' ');
    for (between, word) in words.iter().rev().take(BETWEEN + 1).enumerate() {
        let rest = &words[words.len() - between..];
        if NO.contains(word) && between <= NO_BETWEEN {
            return Some(Says::Well);
        }
        let number = match *word {
            "{}" => variable,
            word if is_zero(word) => Says::Well,
            _ => continue,
        };
        let counted = match rest.first() {
            // In `rank 0 failed` the number is an id, unless no noun precedes it.
            None if is_subject => {
                let lead = words[..words.len() - 1].last();
                names_things || lead.is_none_or(|w| LEADS.contains(w))
            }
            None => counts || name.ends_with("(s)") || behind.starts_with("(s)"),
            Some(&"of" | &"out") => true,
            // Excludes `0 was killed`.
            Some(noun) => (noun.len() > 3 && noun.ends_with('s')) || noun.ends_with("(s)"),
        };
        return counted.then_some(number);
    }
    None
}

/// Words before a number that show that it is no id.
const LEADS: [&str; 16] = [
    "and",
    "with",
    "had",
    "has",
    "have",
    "are",
    "were",
    "ok",
    "passed",
    "succeeded",
    "done",
    "finished",
    "completed",
    "but",
    "successful",
    "-",
];

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_format::definitions::systems::Systems;

    #[test]
    fn numbers_that_vary_are_looked_at() {
        let words = Systems::builtin().words();
        for text in [
            "cmdstat_set:calls={},rejected_calls={},failed_calls={}",
            "{} tasks done, {} failed",
            "errors: {}",
            "finished with {} errors",
            "{} of {} jobs failed",
        ] {
            assert_eq!(template(&words, text), Says::Counted, "{text}");
        }
        for text in [
            "task {} failed",
            "Job {} was killed",
            "error in {}",
            "error: {} of {} gone",
            "curl: ({}) SSL certificate problem: certificate has expired",
            "[node:{}] *** MPI_ERR_TRUNCATE: message truncated",
        ] {
            assert_eq!(template(&words, text), Says::Trouble, "{text}");
        }
        assert_eq!(template(&words, "all {} done"), Says::Well);
    }

    #[test]
    fn errors_are_named_by_codes() {
        for text in [
            "*** MPI_ERR_TRUNCATE: message truncated",
            "npm error code ERESOLVE",
            "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
            "code: 'ERR_MODULE_NOT_FOUND'",
        ] {
            assert!(names_code(text), "{text}");
        }
        for text in [
            "ERROR: no such file",
            "Daemon Log is logging: D_ALWAYS D_ERROR D_STATUS",
            "D_ERROR: 3",
            "MPI_ERRORS_ARE_FATAL (processes will abort)",
            "exit code 3",
        ] {
            assert!(!names_code(text), "{text}");
        }
    }
}
