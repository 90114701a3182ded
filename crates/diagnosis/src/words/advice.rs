//! Next steps: by the words of a message, else by the kind of the fact.

use widetui_definition::words::WordsDef;
use widetui_evidence::facts::Statement;

/// Next step of the first advice whose words stand in one of the texts.
pub(super) fn by_words(words: &WordsDef, texts: &[&str]) -> Option<String> {
    let texts: Vec<String> = texts.iter().map(|t| t.to_lowercase()).collect();
    let has = |word: &String| texts.iter().any(|t| t.contains(word.as_str()));
    let known = words.advice.iter().find(|a| a.words.iter().any(has));
    known.map(|a| a.next.clone())
}

/// Next step for a kind of facts about `who`, first shown in the source `tag`.
pub(super) fn by_statement(statement: &Statement, who: &str, tag: &str) -> String {
    match statement {
        Statement::Holds { .. } | Statement::Cycle | Statement::Awaited => format!(
            "Read the last records of {who}; while it runs, dump its stack (py-spy dump, gdb -p, jstack)."
        ),
        Statement::LeftCourse { .. }
        | Statement::NoneWentOn { .. }
        | Statement::EndsWaiting
        | Statement::Unfinished { .. } => format!(
            "Read the last records of {who}, and those of its worker and host at that time."
        ),
        Statement::Slow { .. } => {
            format!("Compare {who} with the others: host, input, and load at that time.")
        }
        Statement::Short { .. } | Statement::Absent { .. } | Statement::Unread { .. } => {
            "Search all sources for the missing name.".to_owned()
        }
        Statement::Odd { .. } | Statement::Differs | Statement::Contrast { .. } => {
            format!("Compare {who} with one of the others.")
        }
        Statement::Limit { .. } => "Raise the limit, or find out why so much is needed.".to_owned(),
        Statement::Trend { .. } => {
            format!("Plot the number over time, and read {tag} where it begins to grow.")
        }
        Statement::SecondWriter => {
            format!("Find out who started the second process that writes {tag}.")
        }
        Statement::Killed | Statement::Lost => format!(
            "Read the logs of the host, the scheduler and the watchdog at the time of the last record of {who}."
        ),
        Statement::Silence { .. } | Statement::ClockStep { .. } => {
            format!("Compare {tag} with the other sources at that time.")
        }
        Statement::Truncated { .. } => {
            "Fetch the file once more, and compare its size with that of the original.".to_owned()
        }
        Statement::Interrupt => {
            "Read the records before it: the run may have stood still.".to_owned()
        }
        _ => format!("Read the records of {tag} before it."),
    }
}
