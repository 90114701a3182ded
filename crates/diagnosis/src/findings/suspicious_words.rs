//! Suspicious words in records without a level: `task 3 failed` reports a problem, `failed_calls=0` and `no task failed` the
//! opposite.

/// Words by which records without a level say that something is wrong.
const TROUBLE: [&str; 24] = [
    "error",
    "fail",
    "fatal",
    "abort",
    "exception",
    "killed",
    "crash",
    "cannot",
    "could not",
    "unable",
    "not found",
    "no such",
    "denied",
    "refused",
    "timed out",
    "does not match",
    "mismatch",
    "segmentation fault",
    "core dumped",
    "out of memory",
    "no space left",
    "died",
    "unreachable",
    "panic",
];

/// Words that take it back wherever they stand: names of options and streams, what stands between two tracebacks.
const HARMLESS: [&str; 3] = ["stderr", "on_error", "the above exception"];

/// Values that say that there is none.
const NOTHING: [&str; 8] = ["none", "null", "nil", "false", "no", "off", "nan", "n/a"];

/// Words before a word of trouble that take it back, and how many words may stand between.
const NO: [&str; 6] = ["no", "without", "zero", "never", "any", "nor"];
const NO_BETWEEN: usize = 1;

/// Words that may stand between a number and the word of trouble that it counts: `0 of 12 jobs failed`.
const BETWEEN: usize = 4;

/// Words of verbs, whose subject the number before them may be: `rank 0 failed`.
const VERBS: [&str; 10] = [
    "fail", "failed", "fails", "aborted", "killed", "crashed", "died", "refused", "denied",
    "panicked",
];

/// What the words say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Says {
    /// Nothing is wrong.
    Well,
    /// A number that is a variable of the template says how many: the record itself has to be read.
    Counted,
    /// Something is wrong.
    Trouble,
}

/// What the text of a template says; its variables are `{}`.
pub(crate) fn template(text: &str) -> Says {
    says(text, Says::Counted)
}

/// Whether a message says that something is wrong. An empty object in it is one.
pub(crate) fn message(text: &str) -> bool {
    says(text, Says::Well) == Says::Trouble
}

/// `variable` is what `{}` in place of a number makes of it.
fn says(text: &str, variable: Says) -> Says {
    let text = without_paths(&text.to_lowercase());
    if HARMLESS.iter().any(|w| text.contains(w)) || names_columns(&text) {
        return Says::Well;
    }
    let mut worst = Says::Well;
    for word in TROUBLE {
        for (at, _) in text.match_indices(word) {
            worst = worst.max(one(&text, at, word.len(), variable));
            if worst == Says::Trouble {
                return worst;
            }
        }
    }
    worst
}

/// Behind a word of trouble, what makes both the name of a thing that is there for when something goes wrong.
const THINGS: [&str; 24] = [
    "dir",
    "directory",
    "handler",
    "handlers",
    "handling",
    "callback",
    "callbacks",
    "stream",
    "setting",
    "settings",
    "rate",
    "rates",
    "bound",
    "bounds",
    "threshold",
    "tolerance",
    "estimate",
    "estimates",
    "norm",
    "budget",
    "bars",
    "mode",
    "dump",
    "dumps",
];

/// Words that contain a word of trouble and name a precaution.
const PRECAUTIONS: [&str; 9] = [
    "failover",
    "fail-over",
    "fail-fast",
    "failfast",
    "failsafe",
    "fail-safe",
    "failback",
    "error-free",
    "crash-safe",
];

/// Words before a word of trouble that say when something would be done: `abort on first failure`.
const CONDITIONS: [&str; 5] = ["on", "upon", "if", "recovered from", "recovering from"];

/// What is not possible any more at the end of a search that went well: `unable to improve the bound`.
const OPTIMAL: [&str; 4] = [
    "to improve",
    "improve",
    "to reduce further",
    "to find a better",
];

/// A line that names so many columns is the head of a table.
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

/// A text without its absolute paths: how somebody called a folder says nothing.
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

/// What one word of trouble says where it stands.
fn one(text: &str, at: usize, len: usize, variable: Says) -> Says {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let start = text[..at].rfind(|c| !is_part(c)).map_or(0, |i| {
        i + text[i..].chars().next().map_or(1, char::len_utf8)
    });
    let behind = &text[at + len..];
    let end = behind.find(|c| !is_part(c)).unwrap_or(behind.len());
    let (name, behind) = (&text[start..at + len + end], &behind[end..]);
    // What a program may write is called by flags: `D_ERROR`.
    if name.chars().nth(1) == Some('_') && !behind.starts_with(['=', ':']) {
        return Says::Well;
    }
    // One of the streams that every program has.
    if name == "error" && text[..start].trim_end().ends_with("standard") {
        return Says::Well;
    }
    let next = behind.trim_start().split(|c| !is_part(c)).next();
    if behind.starts_with(' ') && next.is_some_and(|next| THINGS.contains(&next)) {
        return Says::Well;
    }
    if PRECAUTIONS.iter().any(|word| name.starts_with(word))
        || is_policy(&text[..start], name, behind)
    {
        return Says::Well;
    }
    if name == "error" && is_measured(behind) {
        return Says::Well;
    }
    // A code, or a measured difference: the record itself says which.
    if name == "error" && behind.starts_with(" {}") && variable == Says::Counted {
        return variable;
    }
    let counts = name.contains(['_', '-']) || name.ends_with('s') || name.ends_with("ed");
    let said = after(name, behind, counts, variable);
    said.or_else(|| before(&text[..start], name, behind, counts, variable))
        .unwrap_or(Says::Trouble)
}

/// Whether a word says what would be done, or is over: `abort on first failure`, `recovered from panic`, `unable to improve`.
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

/// Whether a number with a fraction or an exponent follows: a measured difference, `relative error 3.1e-05`, `error: 0.113`.
fn is_measured(behind: &str) -> bool {
    let value = behind.trim_start_matches([' ', ':', '=']);
    let end = value
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')'))
        .unwrap_or(value.len());
    let number = value[..end].trim_end_matches(['.', '%']);
    behind.len() > value.len() && number.contains(['.', 'e']) && number.parse::<f64>().is_ok()
}

/// What the value of a name says: `failed=0`, `"errors": {}`, `errors 0`.
fn after(name: &str, behind: &str, counts: bool, variable: Says) -> Option<Says> {
    let behind = behind.strip_prefix("(s)").unwrap_or(behind);
    let rest = behind
        .trim_start_matches(['"', '\'', ']', ')'])
        .trim_start();
    let (value, is_told) = match (rest.strip_prefix('='), rest.strip_prefix(':')) {
        // Nothing is said of it.
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
        // A plural before a number: `errors 0`. A code of an error: `error code 0`, `error 0`.
        let value = value.strip_prefix("code ").unwrap_or(value);
        let is_noun = name == "error" || (name.ends_with('s') && counts);
        return match first(value, variable) {
            Some(said) if is_noun && behind.starts_with(' ') => said.alone.then_some(said.says),
            _ => None,
        };
    }
    if name == "errors" && rest.starts_with('=') && value.starts_with(char::is_alphabetic) {
        // How a text is decoded: `errors=strict`.
        return Some(Says::Well);
    }
    match first(value, variable) {
        Some(said) if counts || said.alone => Some(said.says),
        _ => None,
    }
}

/// A value that says how many, or that there is none.
struct Said {
    says: Says,
    /// Nothing but another value stands behind it.
    alone: bool,
}

/// What stands first in a text: none at all, or a variable.
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
        word if NOTHING.contains(&word) || is_zero(word) => Says::Well,
        _ => return None,
    };
    Some(Said { says, alone })
}

/// `0`, `0.00`.
fn is_zero(word: &str) -> bool {
    word.starts_with('0') && word.chars().all(|c| matches!(c, '0' | '.'))
}

/// What stands before a word of trouble says: `0 errors`, `no task failed`, `0 of 12 jobs failed`.
fn before(text: &str, name: &str, behind: &str, counts: bool, variable: Says) -> Option<Says> {
    // A clause only.
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
            // `rank 0 failed`: which one, unless nothing stands before the number that it could be a number of.
            None if is_subject => {
                let lead = words[..words.len() - 1].last();
                names_things || lead.is_none_or(|w| LEADS.contains(w))
            }
            None => counts || name.ends_with("(s)") || behind.starts_with("(s)"),
            Some(&"of" | &"out") => true,
            // Not `0 was killed`.
            Some(noun) => (noun.len() > 3 && noun.ends_with('s')) || noun.ends_with("(s)"),
        };
        return counted.then_some(number);
    }
    None
}

/// Words before a number that it is no number of.
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

    #[test]
    fn names_of_things_are_no_trouble() {
        assert!(!message(
            "Task 7: Standard error will not be redirected./log/Launch_0"
        ));
        assert!(!message("Hook Fail Dir:trying to register"));
        assert!(!message("registered the error handler of the pool"));
        assert!(!message(
            "# timestamp workers_connected workers_idle workers_lost tasks_done tasks_failed tasks_aborted"
        ));
        assert!(!message("Daemon Log is logging: D_ALWAYS D_ERROR D_STATUS"));
        assert!(!message("DAGMAN_ABORT_DUPLICATES setting: True"));
        assert!(message("DAG status: 2 (DAG_STATUS_NODE_FAILED)"));
        assert!(message("the task failed, its standard error says why"));
        assert!(message("# the job failed"));
        assert!(message("fail: no such dir"));
        for text in [
            "error rate 0.02 below threshold",
            "relative error 3.1e-05 after 12 iterations",
            "mean squared error: 0.113",
            "fail-fast mode enabled",
            "failover node is nid0003",
            "crash dumps are written to /tmp",
            "recovered from panic mode, continuing",
            "unable to improve bound further, converged",
            "exception handling installed",
            "retrying is disabled, abort on first failure",
            "on error the job is sent again",
        ] {
            assert!(!message(text), "{text}");
        }
        for text in [
            "error 3 while writing",
            "error: 13 permission denied",
            "failed over to nid0003 after a crash",
            "unable to reach the scheduler",
            "abort: no space",
            "the failure was seen on nid0003",
        ] {
            assert!(message(text), "{text}");
        }
    }

    #[test]
    fn words_tell_trouble() {
        let all = [
            "/bin/sh: 1: qsub: not found",
            "Received item size (2) does not match the expected size",
            "task 0 failed",
            "rank 0 failed to start",
            "worker 0: error: 0 nodes available",
            "failed_calls=3",
            "errors: 12 of 400",
            "Error: no test specified",
            "0 tasks done, 3 failed",
            "Job 0 was killed",
            "3 of 10 tasks failed",
            "compute_failed=10",
            "error: x",
            "No such file or directory",
            "no worker could be reached: connection refused",
            "Fatal Python error: Bus error",
            "error code 137",
        ];
        let wrong: Vec<&str> = all.into_iter().filter(|t| !message(t)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn words_with_no_number_behind_them_tell_none() {
        let all = [
            "all is well",
            "finished with 0 errors",
            "failed_calls=0",
            "cmdstat_set:calls=13,usec=106,usec_per_call=8.15,rejected_calls=0,failed_calls=0",
            "compute_failed=0",
            "errors: 0",
            "errors: 0, warnings: 3",
            "0 failed",
            "12 passed, 0 failed in 3 s",
            "0 of 12 jobs failed",
            "0 out of 10 tasks failed",
            "0 jobs failed",
            "no task failed",
            "no errors were found",
            "ended without any error",
            "\"errors\": [], \"failed\": 0}",
            "\"exception\": null",
            "exception=None",
            "error: None",
            "exited with error code 0",
            "failures: 0 (0.00%)",
            "error_rate=0.00%",
            "0 error(s)",
            "0 failed tasks",
            "10 ok and 0 failed",
            "open(path, errors=strict)",
            "failed=False",
            "error= exit_code=1",
            "The above exception was the direct cause of the following exception:",
        ];
        let wrong: Vec<&str> = all.into_iter().filter(|t| message(t)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn numbers_that_vary_are_looked_at() {
        for text in [
            "cmdstat_set:calls={},rejected_calls={},failed_calls={}",
            "{} tasks done, {} failed",
            "errors: {}",
            "finished with {} errors",
            "{} of {} jobs failed",
        ] {
            assert_eq!(template(text), Says::Counted, "{text}");
        }
        for text in [
            "task {} failed",
            "Job {} was killed",
            "error in {}",
            "error: {} of {} gone",
        ] {
            assert_eq!(template(text), Says::Trouble, "{text}");
        }
        assert_eq!(template("all {} done"), Says::Well);
    }
}
