//! Logs that end otherwise than those of their peers: a rank that leaves a loop in which the others wait for it.

use std::collections::BTreeMap;

use widetui_analysis::runs::last_events;
use widetui_core::ids::{EventId, TemplateId};
use widetui_core::words::{begins_a_word, cut};
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};

/// Minimum number of peers that end alike.
const ALIKE: usize = 2;
/// Maximum length of a quoted line, characters.
const LINE: usize = 100;

/// Findings of the logs that end otherwise than their peers, of which most end alike and none reports its end.
pub(crate) fn find(look: &mut Context<'_>) -> Vec<Finding> {
    let snapshot = look.snapshot;
    let words = &snapshot.catalog.words;
    let mut peers: BTreeMap<String, Vec<(EventId, TemplateId)>> = BTreeMap::new();
    for id in last_events(snapshot).into_iter().flatten() {
        let event = snapshot
            .event(id)
            .filter(|e| e.source().is_log && e.time().is_some());
        let Some((event, template)) = event.and_then(|e| Some((e, e.template()?.id))) else {
            continue;
        };
        let tag = &event.source().tag;
        let name: String = tag.chars().filter(|c| !c.is_ascii_digit()).collect();
        if name.len() < tag.len() {
            peers.entry(name).or_default().push((id, template));
        }
    }
    let mut out = Vec::new();
    for members in peers.into_values() {
        let count = |template| members.iter().filter(|m| m.1 == template).count();
        let Some(usual) = { members.iter() }
            .map(|m| m.1)
            .max_by_key(|template| (count(*template), *template))
        else {
            continue;
        };
        let (alike, others): (Vec<EventId>, Vec<EventId>) = {
            let of = |is_usual: bool| {
                let own = members.iter().filter(|m| (m.1 == usual) == is_usual);
                own.map(|m| m.0).collect()
            };
            (of(true), of(false))
        };
        let is_end = |text: &str| {
            let text = text.to_lowercase();
            words.end.iter().any(|word| begins_a_word(&text, word))
        };
        let [other] = others[..] else { continue };
        let line = look.line(alike[0]);
        if alike.len() < ALIKE || is_end(&line) || look.went_well_at(other) {
            continue;
        }
        let own = look.line(other);
        let tag = look.tag(other);
        let events: Vec<EventId> = [other].into_iter().chain(alike.iter().copied()).collect();
        out.push(Finding {
            text: format!(
                "{} others end with \"{}\": they may wait for {tag}, which went another way.",
                alike.len(),
                cut(&line, LINE)
            ),
            evidence: events.iter().take(EVIDENCE).copied().collect(),
            count: 1,
            first: look.time(other),
            events,
            next: format!(
                "What does {tag} skip that the others do then: a collective call such as a barrier or a reduction, an answer, a lock?"
            ),
            ..Finding::new(
                FindingKind::Hung,
                Severity::Warning,
                format!("One peer ends otherwise than the others: {tag}: \"{}\"", cut(&own, LINE)),
            )
        });
    }
    out
}
