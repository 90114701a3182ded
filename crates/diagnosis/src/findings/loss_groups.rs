//! Losses of resources with one thing in common: the work that ran on all of them may have caused the losses.

use widetui_core::ids::EventId;
use widetui_core::words::several;

use crate::findings::finding::Finding;

/// Maximum number of events in a finding of several losses.
const MOST_SHOWN: usize = 8;

/// A lost resource.
pub(crate) struct Loss {
    /// Finding of this loss.
    pub(crate) finding: Finding,
    /// Name and run of the work that it took along, if that was a single item.
    pub(crate) took: Option<(String, Option<usize>)>,
    /// Label of that work, if all of it has one label and none succeeded.
    pub(crate) label: Option<String>,
    /// Event of the loss.
    pub(crate) event: EventId,
}

/// Merges losses of resources with work of a single label, if other work ended: work with that label may cause the
/// losses.
pub(crate) fn with_one_kind(
    losses: Vec<Loss>,
    title: &str,
    has_other: impl Fn(&str) -> bool,
) -> Vec<Loss> {
    let label = losses.first().and_then(|loss| loss.label.clone());
    let is_one = |label: &String| losses.iter().all(|l| l.label.as_ref() == Some(label));
    let Some(label) = label.filter(|l| losses.len() > 1 && is_one(l) && has_other(l)) else {
        return losses;
    };
    let times = losses.len();
    let mut all = losses.into_iter();
    let Some(mut out) = all.next() else {
        return Vec::new();
    };
    let own = std::mem::take(&mut out.finding.text);
    let names: Vec<String> = all
        .map(|loss| join(&mut out.finding, loss.finding))
        .collect();
    out.finding.title = format!(
        "{} were lost, each at work on {label}",
        several(times, title)
    );
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    let names: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    out.finding.text = format!(
        "None was lost with other work, and other work ended: what {label} does may be what ends them (a crash of native \
         code, memory, a call that ends the process). Of the first: {own} Also: {}{more}.",
        names.join("; ")
    );
    vec![out]
}

/// Maximum number of other resources listed by name.
const NAMED: usize = 4;

/// Merges a finding into a similar one; returns the title of the merged one.
fn join(into: &mut Finding, other: Finding) -> String {
    into.count += other.count;
    into.severity = into.severity.max(other.severity);
    let room = MOST_SHOWN.saturating_sub(into.evidence.len());
    into.evidence.extend(other.evidence.iter().take(room));
    into.events.extend(other.events);
    into.events.extend(other.evidence);
    other.title
}

/// Merges losses of resources that each executed the same work item, which may cause the losses. `title` is the title
/// of the resources.
pub(crate) fn with_one(losses: Vec<Loss>, title: &str) -> Vec<Loss> {
    let mut out: Vec<(Loss, usize)> = Vec::new();
    for loss in losses {
        let is_same = |known: &&mut (Loss, usize)| known.0.took == loss.took;
        match out.iter_mut().find(is_same).filter(|_| loss.took.is_some()) {
            None => out.push((loss, 1)),
            Some((known, times)) => {
                *times += 1;
                let count = known.finding.count + 1;
                join(&mut known.finding, loss.finding);
                known.finding.count = count;
            }
        }
    }
    let name = |(mut loss, times): (Loss, usize)| {
        if let Some((took, _)) = loss.took.as_ref().filter(|_| times > 1) {
            let finding = &mut loss.finding;
            let all = several(times, title);
            finding.title = format!("{all} were lost, each with {took}");
            let first = std::mem::take(&mut finding.text);
            finding.text = format!("It may be what ends them. The first: {first}");
        }
        loss
    };
    out.into_iter().map(name).collect()
}
