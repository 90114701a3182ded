//! Effects of findings as sentences.

use widetui_core::words::{cut, several, truncate_middle};

use crate::findings::finding::{FailedWork, Finding, FindingKind, Retry};
use crate::unfinished::words::capital;

/// Maximum number of titles of effects.
const MOST_TITLES: usize = 6;
/// Maximum length of such a title, characters.
const TITLE: usize = 140;

/// Maximum length of the reason in a title, characters.
const REASON: usize = 160;

/// Title of a finding, with the affected instances and its reason.
pub(crate) fn title(finding: &Finding) -> String {
    let title = with_affected(finding);
    match finding.reason.as_deref().map(without_module) {
        Some(reason) if !title.contains(reason) => {
            format!("{title}: {}", truncate_middle(reason, REASON))
        }
        _ => title,
    }
}

/// Title of a finding, with the affected instances.
fn with_affected(finding: &Finding) -> String {
    match &finding.affected {
        Some(affected) => format!("{} {affected}", finding.title),
        None => finding.title.clone(),
    }
}

/// Line of an exception with its class, without the module of the class and the full stop.
fn without_module(line: &str) -> &str {
    let head = line.split(": ").next().unwrap_or(line);
    let class = head.rfind('.').map_or(0, |at| at + 1);
    line[class..].trim_end_matches('.')
}

/// Text of a finding, with its effects.
pub(crate) fn text(finding: &Finding) -> String {
    let mut text = with_retry(&finding.text, &finding.retry);
    let failures = finding.effects.iter().filter_map(|effect| {
        let failed = effect.failed.as_ref()?;
        Some((failed, with_retry(&effect.text, &effect.retry)))
    });
    text += &failure_sentences(failures);
    if finding.is_first_error {
        text += " It is the first error in these logs.";
    }
    // Titles of effects, without the affected instances.
    let mut known = vec![finding.title.to_lowercase()];
    let mut titles: Vec<String> = Vec::new();
    for effect in finding.effects.iter().filter(|e| e.failed.is_none()) {
        match (finding.kind, effect.kind) {
            (_, FindingKind::Hung) => {
                text += &format!(" {}. {}", capital(&effect.title), capital(&effect.text));
            }
            (FindingKind::Hung, FindingKind::Silence) => {
                text += &format!(" {}: its process may have died of it.", effect.title);
            }
            _ => {
                let title = effect.title.to_lowercase();
                if !known.contains(&title) {
                    known.push(title);
                    titles.push(cut(&within_sentence(effect), TITLE));
                }
            }
        }
    }
    let more = match titles.len().saturating_sub(MOST_TITLES) {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    titles.truncate(MOST_TITLES);
    if !titles.is_empty() {
        text += &format!(" Related: {}{more}.", titles.join("; "));
    }
    text
}

/// Text with a sentence about later attempts.
fn with_retry(text: &str, retry: &Retry) -> String {
    match retry {
        Retry::Known => text.to_owned(),
        Retry::Unknown => format!(
            "{text} These logs do not show whether it was retried: a successful attempt leaves no record in them."
        ),
        Retry::Failed { source } => {
            format!("{text} It surfaced in {source}: no retry succeeded.")
        }
    }
}

/// A sentence for each kind of work that failed, with the texts of the effects.
fn failure_sentences<'e>(failures: impl Iterator<Item = (&'e FailedWork, String)>) -> String {
    let mut kinds: Vec<(FailedWork, Vec<String>)> = Vec::new();
    for (failed, text) in failures {
        let text = text.strip_suffix('.').unwrap_or(&text).to_owned();
        let is_same =
            |known: &FailedWork| (&known.title, &known.label) == (&failed.title, &failed.label);
        match kinds.iter_mut().find(|(known, _)| is_same(known)) {
            Some((known, texts)) => {
                known.count += failed.count;
                texts.push(text);
            }
            None => kinds.push((failed.clone(), vec![text])),
        }
    }
    let sentence = |(nth, (failed, texts)): (usize, &(FailedWork, Vec<String>))| {
        let also = if nth > 0 { " also" } else { "" };
        let what = match &failed.label {
            Some(label) => several(failed.count, &format!("`{label}` {}", failed.title)),
            None => several(failed.count, &failed.title),
        };
        format!(" This{also} caused {what} to fail: {}.", texts.join("; "))
    };
    kinds.iter().enumerate().map(sentence).collect()
}

/// Title for use within a sentence, with the subject if the title does not name it.
fn within_sentence(effect: &Finding) -> String {
    let mut title = with_affected(effect).trim_end_matches('.').to_owned();
    // Quoted log lines stay unchanged.
    if !effect.kind.quotes_records() {
        let mut chars = title.chars();
        title = chars.next().map_or_else(String::new, |first| {
            first.to_lowercase().chain(chars).collect()
        });
    }
    let name = effect.subject.as_ref().and_then(|(_, id)| id.last());
    match name.filter(|(_, name)| !title.contains(name.as_str())) {
        Some((_, name)) => format!("{title} ({name})"),
        None => title,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_definition::semantics::Severity;

    fn failures(count: usize, title: &str, label: &str, text: &str) -> Finding {
        let failed = FailedWork {
            title: title.to_owned(),
            label: Some(label.to_owned()).filter(|label| !label.is_empty()),
            count,
        };
        Finding {
            text: text.to_owned(),
            failed: Some(failed),
            ..Finding::new(FindingKind::Failures, Severity::Error, "failed")
        }
    }

    #[test]
    fn effects_of_one_kind_are_one_sentence() {
        let finding = Finding {
            text: "It broke.".to_owned(),
            effects: vec![
                failures(1, "action", "divide", "action a."),
                failures(2, "task", "hog", "tasks 1, 2."),
                failures(3, "action", "divide", "actions b, c, d."),
            ],
            ..Finding::new(FindingKind::Hint, Severity::Error, "")
        };
        assert_eq!(
            text(&finding),
            "It broke. This caused 4 `divide` actions to fail: action a; actions b, c, d. This also caused 2 `hog` tasks to fail: \
             tasks 1, 2."
        );
    }

    #[test]
    fn other_effects_are_listed_by_title_and_subject() {
        let lost = Finding {
            subject: Some((
                "x.manager".to_owned(),
                vec![("x.manager".to_owned(), "m7".to_owned())],
            )),
            ..Finding::new(FindingKind::Lost, Severity::Error, "A manager was lost.")
        };
        let finding = Finding {
            text: "It broke.".to_owned(),
            effects: vec![
                lost,
                Finding::new(FindingKind::Errors, Severity::Error, "Quoted line"),
            ],
            ..Finding::new(FindingKind::Hint, Severity::Error, "")
        };
        assert_eq!(
            text(&finding),
            "It broke. Related: a manager was lost (m7); Quoted line."
        );
    }
}
