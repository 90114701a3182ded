//! Losses that have one thing in common: what ran on each of the carriers may be what ended them.

use crate::base::ids::EventId;
use crate::base::words::several;

use super::Finding;

/// Events that a finding about several shows.
const MOST_SHOWN: usize = 8;

/// A lost carrier.
pub(super) struct Loss {
    /// What is told of it.
    pub finding: Finding,
    /// What it took along, where that was one thing: in words, and the run that it is of.
    pub took: Option<(String, Option<usize>)>,
    /// By which it is known.
    pub event: EventId,
}

/// Carriers of which each was lost with the same one thing are told once: that may be what ends them. What was lost is called
/// `title`.
pub(super) fn with_one(losses: Vec<Loss>, title: &str) -> Vec<Loss> {
    let mut out: Vec<(Loss, usize)> = Vec::new();
    for loss in losses {
        let is_same = |known: &&mut (Loss, usize)| known.0.took == loss.took;
        match out.iter_mut().find(is_same).filter(|_| loss.took.is_some()) {
            None => out.push((loss, 1)),
            Some((known, times)) => {
                *times += 1;
                let into = &mut known.finding;
                into.count += 1;
                into.severity = into.severity.max(loss.finding.severity);
                let room = MOST_SHOWN.saturating_sub(into.evidence.len());
                into.evidence
                    .extend(loss.finding.evidence.iter().take(room));
                into.events.extend(loss.finding.events);
                into.events.extend(loss.finding.evidence);
            }
        }
    }
    let name = |(mut loss, times): (Loss, usize)| {
        if let Some((took, _)) = loss.took.as_ref().filter(|_| times > 1) {
            let finding = &mut loss.finding;
            let all = several(times, title);
            finding.title = format!("{all} were lost, each with {took}");
            let first = std::mem::take(&mut finding.text);
            finding.text = format!("What it does may be what ends them. Of the first: {first}");
        }
        loss
    };
    out.into_iter().map(name).collect()
}
