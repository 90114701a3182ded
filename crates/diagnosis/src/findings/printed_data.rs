//! Printed data that is no message: documents, table rows, values. Suspicious words in it do not indicate a problem.

use widetui_store::{Snapshot, Source};

/// File name extensions of documents.
const ENDINGS: [&str; 5] = ["md", "markdown", "rst", "adoc", "tex"];

/// Names, without extension and in lower case, of files that come with software and data and are no logs.
const NAMES: [&str; 9] = [
    "readme",
    "index",
    "changelog",
    "changes",
    "license",
    "licence",
    "copying",
    "authors",
    "contributing",
];

/// Separator of columns.
const GAP: &str = "  ";
/// Minimum number of columns of a table row.
const COLUMNS: usize = 4;

/// Keys in a printed value that report a problem.
const TELLING: [&str; 5] = ["error", "exception", "traceback", "fatal", "stderr"];

/// Whether the name of a source is that of a document, and no definition recognises it as a log.
fn is_document(source: &Source) -> bool {
    let name = source.path.rsplit('/').next().unwrap_or(&source.path);
    let name = name.to_lowercase();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let is_text = matches!(ending, "" | "txt") && NAMES.contains(&stem);
    source.system.is_none() && (is_text || ENDINGS.contains(&ending))
}

/// Records of all documents.
pub(crate) fn of_documents(snapshot: &Snapshot) -> Vec<u32> {
    let mut out = Vec::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        for part in segment.parts.iter() {
            if snapshot.source(part.source).is_some_and(is_document) {
                let first = base + part.first_row;
                out.extend(first..first + part.rows);
            }
        }
    }
    out
}

/// Whether a message is a table row or a printed value. `is_timed`: whether its record has a time, which rows do not
/// have.
pub(crate) fn is_printed(message: &str, is_timed: bool) -> bool {
    let line = message.trim();
    is_value(line) || !is_timed && !line.contains('\n') && (is_row(line) || is_field(line))
}

/// Whether the whole text is a printed list or dictionary.
fn is_value(text: &str) -> bool {
    let begins_with = |c: char| c == '"' || c == '\'';
    let rest = match (text.chars().next(), text.chars().next_back()) {
        (Some('{'), Some('}')) | (Some('['), Some(']')) => text[1..].trim_start(),
        _ => return false,
    };
    // `[error] disk is full [sda]` is a message.
    rest.starts_with(begins_with) && !tells(text)
}

/// Whether a value has a key that reports a problem.
fn tells(text: &str) -> bool {
    let lower = text.to_lowercase();
    TELLING.iter().any(|key| {
        let quoted = [format!("\"{key}\":"), format!("'{key}':")];
        quoted.iter().any(|q| lower.contains(q.as_str()))
    })
}

/// Whether a line consists of short columns separated by several blanks.
fn is_row(line: &str) -> bool {
    let columns = line.split(GAP).map(str::trim).filter(|c| !c.is_empty());
    let columns: Vec<&str> = columns.collect();
    let is_short = |c: &&str| c.split_whitespace().count() <= 2 || is_value(c);
    columns.len() >= COLUMNS && columns.iter().all(is_short)
}

/// Whether a line is a name and a state: `to_state: RUN_ERROR`.
fn is_field(line: &str) -> bool {
    let Some((name, value)) = line.split_once(": ") else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let is_state = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.contains("state") && name.chars().all(is_name) && value.trim().chars().all(is_state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_values_are_printed() {
        for text in [
            "5    theta-demo   Sim      sim/004      RUN_ERROR          {'experiment': 'foo'}",
            "{'JobState.job_finished': 6, 'JobState.run_error': 3, 'JobState.failed': 2}",
            "[\"already-aborted\", [\"operation-4e14\", 0], \"memory\", \"steal-1\"]",
            "to_state: RUN_ERROR",
        ] {
            assert!(is_printed(text, false), "{text}");
        }
    }

    #[test]
    fn sentences_and_levels_make_no_row() {
        for text in [
            "error: disk full",
            "[error] cannot open 'a' [sda]",
            "task 3  failed",
            "{\"error\": \"disk full\"}",
            "{'a': 1, 'exception': 'ValueError: no'}",
            "slurmstepd:  error:  the file system  is full and nothing can be written  to it  any more",
            "state: failed to start",
            "Failed to submit job for Qlaunch {   'command': '',",
            "12.5  node7  ERROR  cannot open the file a.dat  (errno 5)",
        ] {
            assert!(!is_printed(text, false), "{text}");
        }
        // A record with a time is no table row.
        assert!(!is_printed("5    theta   Sim   RUN_ERROR   x", true));
    }
}
