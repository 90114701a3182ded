//! Findings of flapping connections: a log that reports one peer as connected and disconnected again and again, with
//! nothing else between.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, SourceId, TemplateId};
use widetui_core::words::cut;
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::suspicious_words::{self, Says};

/// Beginnings of words that report opposite changes of a connection or a membership.
const OPPOSITES: [(&str, &str); 12] = [
    ("connect", "disconnect"),
    ("connect", "connection lost"),
    ("connect", "lost"),
    ("connect", "closed"),
    ("attach", "detach"),
    ("join", "left"),
    ("join", "leav"),
    ("register", "unregister"),
    ("register", "deregister"),
    ("subscrib", "unsubscrib"),
    ("online", "offline"),
    ("up", "down"),
];
/// Number of times that a peer is lost for a finding.
const TIMES: usize = 3;
/// Maximum number of records of a pair of templates that are read.
const READ: usize = 2_000;

/// Findings of flapping connections; `None` when cancelled.
pub(crate) fn look(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let templates = look.snapshot.catalog.templates.iter();
    let texts: Vec<(TemplateId, String)> = templates
        .map(|t| (t.id, t.text.to_lowercase()))
        .filter(|(_, text)| OPPOSITES.iter().any(|(a, b)| has(text, a) || has(text, b)))
        .collect();
    let mut pairs = Vec::new();
    for (gone, gone_text) in &texts {
        for (come, come_text) in &texts {
            let is_pair = |(a, b): &(&str, &str)| {
                has(come_text, a) && has(gone_text, b) && !has(come_text, b) && !has(gone_text, a)
            };
            // `connection to 127.0.0.1 failed` reports no connection.
            if suspicious_words::template(come_text) == Says::Well && OPPOSITES.iter().any(is_pair)
            {
                pairs.push((*come, *gone));
            }
        }
    }
    if pairs.is_empty() {
        return Some(Vec::new());
    }
    let events = events(look, &pairs)?;
    let mut out = Vec::new();
    for (come, gone) in pairs {
        for ((source, template), found) in events.iter().filter(|((_, t), _)| *t == gone) {
            if let Some(come) = events.get(&(*source, come))
                && *template == gone
            {
                out.extend(finding(look, come, found));
            }
        }
    }
    Some(out)
}

/// Whether a word of a text begins so.
fn has(text: &str, start: &str) -> bool {
    let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
    text.match_indices(start).any(|(at, _)| is_start(at))
}

/// Records of the templates, by source and template, in the order of writing.
fn events(
    look: &Context<'_>,
    pairs: &[(TemplateId, TemplateId)],
) -> Option<BTreeMap<(SourceId, TemplateId), Vec<EventId>>> {
    let snapshot = look.snapshot;
    let is_wanted = |template| pairs.iter().any(|(a, b)| *a == template || *b == template);
    let mut out: BTreeMap<(SourceId, TemplateId), Vec<EventId>> = BTreeMap::new();
    for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
        if look.cancel.is_cancelled() {
            return None;
        }
        for group in &segment.groups {
            let shape = snapshot.catalog.shapes.get(group.shape.index());
            let Some(template) = shape.map(|s| s.template).filter(|t| is_wanted(*t)) else {
                continue;
            };
            for id in group.rows.iter().map(|row| EventId(base + u32::from(*row))) {
                let source = snapshot.event(id).map(|e| e.source().id);
                let is_first = snapshot.duplicates.original_of(id.0).is_none();
                if let Some(source) = source.filter(|_| is_first) {
                    out.entry((source, template)).or_default().push(id);
                }
            }
        }
    }
    out.values_mut().for_each(|ids| ids.sort_unstable());
    Some(out)
}

/// Finding about the peer that most records of a pair of templates name, if it was lost several times directly after it
/// came.
fn finding(look: &mut Context<'_>, come: &[EventId], gone: &[EventId]) -> Option<Finding> {
    if gone.len() < TIMES {
        return None;
    }
    // The record directly before each loss, if it reports that the peer came.
    let mut by_peer: FxHashMap<String, Vec<(EventId, EventId)>> = FxHashMap::default();
    for id in gone.iter().take(READ) {
        let before = EventId(id.0.checked_sub(1)?);
        if come.binary_search(&before).is_ok() {
            let named = values(&look.line(before));
            let peer = values(&look.line(*id))
                .into_iter()
                .find(|v| named.contains(v));
            by_peer.entry(peer?).or_default().push((before, *id));
        }
    }
    let (peer, turns) = by_peer
        .into_iter()
        .max_by_key(|(peer, turns)| (turns.len(), peer.clone()))?;
    if turns.len() < TIMES || turns.len() * 2 < gone.len() {
        return None;
    }
    let (first, last) = (*turns.first()?, *turns.last()?);
    let events: Vec<EventId> = turns.iter().flat_map(|(a, b)| [*a, *b]).collect();
    Some(Finding {
        kind: FindingKind::Flapping,
        severity: Severity::Warning,
        title: format!(
            "Flapping: {peer} came and went {} times",
            turns.len()
        ),
        text: format!(
            "{} reports \"{}\" and directly after it \"{}\", again and again: the connection is closed as soon as it is made.",
            look.tag(first.0),
            cut(&look.line(first.0), 80),
            cut(&look.line(first.1), 80)
        ),
        evidence: events.iter().take(EVIDENCE - 1).copied().chain([last.1]).collect(),
        count: turns.len() as u64,
        first: look.time(first.0),
        last: look.time(last.1),
        events,
        thing: None,
        next: "Look at the log of the other side at these times: it may refuse the peer (a version, a password, a limit of connections), or the network between them closes idle connections."
            .to_owned(),
        caused: Vec::new(),
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
    fn words_are_found_at_their_beginnings() {
        assert!(has("peer connected", "connect") && has("(disconnected)", "disconnect"));
        assert!(!has("disconnected", "connect") && !has("setup", "up"));
    }

    #[test]
    fn values_are_words_with_digits() {
        assert_eq!(
            values("connected to manager n0001:1024 via x"),
            ["n0001:1024"]
        );
    }
}
