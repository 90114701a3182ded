//! Latencies of messages by kinds of sender and receiver and by label.

use std::collections::BTreeMap;

use crate::summary::Summary;

use crate::flow::{Flow, FlowMessage, MessageStatus};

/// Statistics of messages with one label between two kinds of actors. Times in ns.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyRow {
    /// Kind of the senders; `?` if unknown.
    pub sender_kind: String,
    /// Kind of the receivers; `?` if unknown.
    pub receiver_kind: String,
    /// Label of the messages.
    pub label: String,
    /// Number of messages.
    pub count: u64,
    /// Number of messages sent that never arrived.
    pub lost: u64,
    /// Number of messages that arrived without an answer reaching the sender.
    pub unanswered: u64,
    /// Number of messages that arrived without a record of sending.
    pub(crate) unsent: u64,
    /// Number of messages that arrived before they were sent, because clocks disagree.
    pub(crate) negative: u64,
    /// Latency from sending to arrival, ns.
    pub latency: Option<Summary>,
    /// Round trip from sending to the arrival of the answer, ns.
    pub round_trip: Option<Summary>,
}

/// Kind of an actor; `?` if unknown.
pub fn kind_of_actor(flow: &Flow, at: Option<u32>) -> &str {
    let actor = at.and_then(|at| flow.actors.get(at as usize));
    actor.map_or("?", |a| a.kind.as_str())
}

/// Puts actors of one kind side by side: kinds in the order of their first actor, a kind's actors by name.
pub fn group_by_kind(flow: &Flow, actors: &mut [Option<u32>]) {
    let mut kinds: Vec<&str> = Vec::new();
    for actor in actors.iter() {
        let kind = kind_of_actor(flow, *actor);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    actors.sort_by_key(|actor| {
        let (kind, name) = (kind_of_actor(flow, *actor), flow.actor(*actor));
        // Shorter names first, so that 9 precedes 10.
        (
            kinds.iter().position(|known| *known == kind),
            name.len(),
            name,
        )
    });
}

/// Statistics per kind of sender, kind of receiver and label; most messages first.
pub fn latencies<'m>(
    flow: &Flow,
    messages: impl Iterator<Item = &'m FlowMessage>,
) -> Vec<LatencyRow> {
    let mut groups: BTreeMap<(&str, &str, &str), Vec<&FlowMessage>> = BTreeMap::new();
    let kind = |at: Option<u32>| kind_of_actor(flow, at);
    for message in messages {
        let key = (
            kind(message.sender),
            kind(message.receiver),
            flow.label(message),
        );
        groups.entry(key).or_default().push(message);
    }
    let mut out: Vec<LatencyRow> = groups
        .into_iter()
        .map(|((from, to, label), list)| {
            let number =
                |f: &dyn Fn(&FlowMessage) -> bool| list.iter().filter(|m| f(m)).count() as u64;
            let mut latency: Vec<i64> = list.iter().filter_map(|m| m.latency()).collect();
            let mut round: Vec<i64> = list.iter().filter_map(|m| m.round_trip()).collect();
            LatencyRow {
                sender_kind: from.to_owned(),
                receiver_kind: to.to_owned(),
                label: label.to_owned(),
                count: list.len() as u64,
                lost: number(&|m| m.status == MessageStatus::Lost),
                unanswered: number(&|m| {
                    matches!(
                        m.status,
                        MessageStatus::Unanswered | MessageStatus::AnswerLost
                    )
                }),
                unsent: number(&|m| m.status == MessageStatus::Unsent),
                negative: number(&|m| m.latency().is_some_and(|l| l < 0)),
                latency: Summary::from_values(&mut latency),
                round_trip: Summary::from_values(&mut round),
            }
        })
        .collect();
    out.sort_by_key(|row| std::cmp::Reverse(row.count));
    out
}

/// Same as [`latencies`] for one flow, an index into `Flow::kinds`.
pub fn flow_latencies(flow: &Flow, kind: usize) -> Vec<LatencyRow> {
    let of_kind = flow.messages.iter();
    latencies(flow, of_kind.filter(|m| usize::from(m.kind) == kind))
}
