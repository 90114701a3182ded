//! Choice of a draft's messages, and their order.

use widetui_format::pattern::{Pattern, Spans};
use widetui_format::reader::Syntax;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use crate::key_aliases;
use crate::message::{DraftMessage, literal_length};
use crate::templates::MessageTemplate;

/// Maximum number of messages without keys that comments list.
const MAX_UNKEYED: usize = 5;

/// Number of examined templates per pattern that the draft may have.
const TEMPLATES_PER_PATTERN: usize = 4;

/// A message is omitted if fewer than one in `RARE` records has it and no other message has its keys.
const RARE: u64 = 100;

/// Chosen messages of a draft.
#[derive(Debug, Default)]
pub(crate) struct ChosenMessages {
    /// Messages with keys, and constant messages beside fields, in the order in which they are matched.
    pub(crate) messages: Vec<DraftMessage>,
    /// Frequent messages whose variables have no names.
    pub(crate) unkeyed: Vec<DraftMessage>,
    /// Number of templates with variables that were not chosen.
    pub(crate) omitted: usize,
}

/// Chooses the most frequent messages with keys, at most `most`, in the order of their first records.
pub(crate) fn choose(
    system: &str,
    snapshot: &Snapshot,
    templates: &[MessageTemplate],
    most: usize,
) -> ChosenMessages {
    let mut order: Vec<&MessageTemplate> = templates.iter().collect();
    order.sort_by_key(|w| std::cmp::Reverse(w.records));
    let mut texts = TextReader::default();
    let mut out = ChosenMessages::default();
    let mut fixed = Vec::new();
    let mut looked_at = 0;
    for template in order {
        if looked_at >= most.saturating_mul(TEMPLATES_PER_PATTERN) {
            out.omitted += usize::from(template.literals.len() > 1);
            continue;
        }
        let samples = template.sample_messages(snapshot, &mut texts);
        let Some(message) = DraftMessage::of(system, template, samples) else {
            continue;
        };
        if message.is_constant() {
            // The fields of a structured record make a constant message useful.
            if fixed.len() < most && is_structured(snapshot, &message) {
                fixed.push(message);
            }
            continue;
        }
        looked_at += 1;
        let same = |m: &&mut DraftMessage| m.pieces == message.pieces && m.consts == message.consts;
        if let Some(known) = out.messages.iter_mut().find(same) {
            known.merge(message);
            continue;
        }
        match message.is_keyed() {
            true if out.messages.len() < most => out.messages.push(message),
            false if out.unkeyed.len() < MAX_UNKEYED => out.unkeyed.push(message),
            keyed => out.omitted += usize::from(keyed),
        }
    }
    key_aliases::unify_aliases(&snapshot.catalog.words, &mut out.messages);
    let all: u64 = templates.iter().map(|w| w.records).sum();
    let messages_with = |key: &str| {
        out.messages
            .iter()
            .filter(|m| m.keys().any(|k| k == key))
            .count()
    };
    let is_rare =
        |m: &DraftMessage| m.records <= all / RARE && m.keys().all(|k| messages_with(k) < 2);
    let rare: Vec<bool> = out.messages.iter().map(is_rare).collect();
    let mut rare = rare.into_iter();
    out.messages.retain(|_| !rare.next().unwrap_or(false));
    out.messages.extend(fixed);
    out.messages.sort_by_key(DraftMessage::first_event);
    out.messages = match_order(std::mem::take(&mut out.messages));
    out
}

/// Whether the records of a message have fields beside it.
fn is_structured(snapshot: &Snapshot, message: &DraftMessage) -> bool {
    let source = snapshot.event(message.first_event()).map(|e| e.source());
    let reader = source.and_then(|s| s.reader.as_ref());
    reader.is_some_and(|r| matches!(r.syntax, Syntax::Json(_)))
}

/// Orders messages so that none is matched by an earlier pattern; the first pattern that matches is used. A message
/// that no order separates from another is omitted.
fn match_order(messages: Vec<DraftMessage>) -> Vec<DraftMessage> {
    let compiled = messages
        .into_iter()
        .filter_map(|m| Some((Pattern::compile(&m.pattern()).ok()?, m)));
    let mut all: Vec<(Pattern, DraftMessage)> = compiled.collect();
    let mut at = 0;
    // Bounds the loop: each message moves at most once before each other one.
    let mut moves = all.len() * all.len();
    while at < all.len() {
        let mut spans = Spans::new();
        let taken_by = all[..at].iter().position(|(pattern, other)| {
            let message = &all[at].1;
            let together = message.kinds.iter().any(|k| other.kinds.contains(k));
            let mut samples = message.samples.iter();
            together && samples.any(|s| pattern.matches(s.message.as_bytes(), &mut spans))
        });
        match taken_by {
            Some(before)
                if moves > 0 && literal_length(&all[at].0) >= literal_length(&all[before].0) =>
            {
                moves -= 1;
                let moved = all.remove(at);
                all.insert(before, moved);
                at = before;
            }
            Some(_) => {
                all.remove(at);
            }
            None => at += 1,
        }
    }
    all.into_iter().map(|(_, message)| message).collect()
}
