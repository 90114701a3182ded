//! Findings of flapping connections: a log that reports one peer as connected and disconnected again and again, with
//! nothing else between.

use std::collections::BTreeMap;

use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_core::words::{begins_a_word, cut};
use widetui_definition::semantics::Severity;
use widetui_definition::words::WordsDef;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::suspicious_words::{self, Says};

/// Number of times that a peer is lost for a finding.
const TIMES: usize = 3;
/// Maximum number of losses of one template that are read.
const READ: usize = 2_000;

/// Two records in a row, the first of which reports that a peer came and the second that it went.
type Cycle = (EventId, EventId);

/// Findings of flapping connections; `None` when cancelled.
pub(crate) fn find(context: &mut Context<'_>) -> Option<Vec<Finding>> {
    let cycles = cycles(context)?;
    let findings = cycles
        .into_values()
        .filter_map(|cycles| finding(context, &cycles));
    Some(findings.collect())
}

/// Which of the opposites a template has, a bit each: those of coming, and those of going.
fn opposites(words: &WordsDef, text: &str) -> (u64, u64) {
    let text = text.to_lowercase();
    let bits = |side: usize| {
        // A bit for each pair.
        let all = words.opposites.iter().take(64).enumerate();
        let found = all.filter(|(_, pair)| begins_a_word(&text, &pair[side]));
        found.fold(0, |bits, (at, _)| bits | 1 << at)
    };
    (bits(0), bits(1))
}

/// Records that report the loss of a peer directly after its arrival, by source and template of the loss; at most `READ` of
/// each. `None` when cancelled.
fn cycles(context: &Context<'_>) -> Option<BTreeMap<(SourceId, TemplateId), Vec<Cycle>>> {
    let snapshot = context.snapshot;
    let catalog = &snapshot.catalog;
    let known: Vec<(u64, u64)> = catalog
        .templates
        .iter()
        .map(|t| opposites(&catalog.words, &t.text))
        .collect();
    let mut out: BTreeMap<(SourceId, TemplateId), Vec<Cycle>> = BTreeMap::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        if context.cancel.is_cancelled() {
            return None;
        }
        for group in &segment.groups {
            let Some(shape) = catalog.shapes.get(group.shape.index()) else {
                continue;
            };
            let (_, went) = known
                .get(shape.template.index())
                .copied()
                .unwrap_or_default();
            if went == 0 {
                continue;
            }
            for row in group.rows.iter() {
                let id = EventId(base + u32::from(*row));
                let Some(before) = id.0.checked_sub(1).map(EventId) else {
                    continue;
                };
                let (Some(event), Some(arrival)) = (snapshot.event(id), snapshot.event(before))
                else {
                    continue;
                };
                let is_arrival = arrival.template().is_some_and(|template| {
                    let (came, lost) = known.get(template.id.index()).copied().unwrap_or_default();
                    // `connection to 127.0.0.1 failed` reports no connection.
                    came & !lost & went != 0
                        && suspicious_words::template(&catalog.words, &template.text) == Says::Well
                });
                let source = event.source().id;
                if is_arrival
                    && arrival.source().id == source
                    && snapshot.duplicates.original_of(id.0).is_none()
                {
                    let cycles = out.entry((source, shape.template)).or_default();
                    if cycles.len() < READ {
                        cycles.push((before, id));
                    }
                }
            }
        }
    }
    out.values_mut().for_each(|cycles| cycles.sort_unstable());
    Some(out)
}

/// Finding about the peer that most of these records name, if it came and went several times.
fn finding(context: &mut Context<'_>, cycles: &[Cycle]) -> Option<Finding> {
    if cycles.len() < TIMES {
        return None;
    }
    let mut by_peer: BTreeMap<String, Vec<Cycle>> = BTreeMap::new();
    for (arrival, loss) in cycles {
        let named = values(&context.line(*arrival));
        let peer = values(&context.line(*loss))
            .into_iter()
            .find(|v| named.contains(v));
        if let Some(peer) = peer {
            by_peer.entry(peer).or_default().push((*arrival, *loss));
        }
    }
    let (peer, own) = by_peer.into_iter().max_by_key(|(_, own)| own.len())?;
    if own.len() < TIMES || own.len() * 2 < cycles.len() {
        return None;
    }
    let (first, last) = (*own.first()?, *own.last()?);
    let events: Vec<EventId> = own.iter().flat_map(|(a, b)| [*a, *b]).collect();
    Some(Finding {
        text: format!(
            "{} reports \"{}\" and directly after it \"{}\", again and again: the connection is closed as soon as it is made.",
            context.tag(first.0),
            cut(&context.line(first.0), 80),
            cut(&context.line(first.1), 80)
        ),
        evidence: events.iter().take(EVIDENCE - 1).copied().chain([last.1]).collect(),
        count: own.len() as u64,
        first: context.time(first.0),
        last: context.time(last.1),
        events,
        next: "Look at the log of the other side at these times: it may refuse the peer (a version, a password, a limit of connections), \
               or the network between them closes idle connections."
            .to_owned(),
        ..Finding::new(
            FindingKind::Flapping,
            Severity::Warning,
            format!("Flapping: {peer} came and went {} times", own.len()),
        )
    })
}

/// Words of a message that are names or addresses.
fn values(line: &str) -> Vec<String> {
    let words = line
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_value = |w: &&str| w.contains(|c: char| c.is_ascii_digit());
    words.filter(is_value).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_words_with_digits() {
        assert_eq!(
            values("connected to manager n0001:1024 via x"),
            ["n0001:1024"]
        );
    }
}
