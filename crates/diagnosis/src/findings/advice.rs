//! Next steps of findings that have none of their own, by the words of the message and by the place of the exception.

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Adds the next step to a finding that quotes a problem and has none.
pub(crate) fn add(look: &mut Context<'_>, finding: &mut Finding) {
    // The reason of failed work stands in the title, and says more than where to look.
    let is_failure = finding.kind == FindingKind::Failures;
    let quotes = matches!(finding.kind, FindingKind::Errors | FindingKind::Exception);
    let is_general = is_failure && !finding.is_advised;
    if !is_general && (!quotes || !finding.next.is_empty()) {
        return;
    }
    let mut texts = vec![finding.title.to_lowercase()];
    if !is_failure && finding.caller.is_none() {
        let lines = finding.evidence.iter().map(|id| look.line(*id));
        texts.extend(lines.map(|line| line.to_lowercase()));
        texts.push(finding.text.to_lowercase());
    }
    let known = texts.iter().find_map(|text| {
        let mut advice = look.snapshot.catalog.words.advice.iter();
        advice.find(|a| a.words.iter().any(|word| text.contains(word.as_str())))
    });
    finding.next = match (known, &finding.caller) {
        (Some(known), _) => known.next.clone(),
        _ if is_failure => return,
        (None, Some(place)) => format!("Look at {place}, and at what its process did just before."),
        (None, None) => {
            let tag = finding.evidence.first().map(|id| look.tag(*id));
            format!("Read the records of {} before it.", tag.unwrap_or_default())
        }
    };
}
