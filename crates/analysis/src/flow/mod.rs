//! Flow: messages between actors, from sending to receiving and the answer.
//!
//! ```text
//! FlowSpec (from a definition) + Snapshot ──scan──> records by id ──assemble──> Flow: messages, actors ──table──> latencies
//! ```
//!
//! The earliest record of sending counts: some programs write it before they send, some after, some
//! both. Clocks that disagree make latencies negative; these are shown.

mod assemble;
mod flow_spec;
pub mod notes;
mod records;
mod scan;
mod table;

use crate::scope::TimeWindow;
use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{UsualSpellings, disputed_rows};

pub use flow_spec::{FlowSpec, from_definition};
pub use table::{LatencyRow, flow_latencies, group_by_kind, kind_of_actor, latencies};

/// Messages of all flows in the data; with `events`, only messages with a record among these.
/// `None` when cancelled.
pub fn collect_flow(
    snapshot: &Snapshot,
    specs: &[FlowSpec],
    events: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Flow> {
    let mut out = assemble::FlowBuilder::default();
    let copied = disputed_rows(snapshot);
    for spec in specs {
        if let Some(keys) = scan::FlowKeys::resolve(snapshot, spec) {
            let records = scan::records(snapshot, spec, &keys, &copied, cancel)?;
            out.add(snapshot, spec, keys, records, events);
        }
    }
    Some(out.finish(snapshot))
}

/// Sender or receiver of messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// Name: the value of a key, or the tag of a source.
    pub name: String,
    /// Kind of the actor: `AgentId` for `AgentId<fib>`, the kind of a source, or else the last part
    /// of the key's name.
    pub kind: String,
}

/// Time of a step of a message, with the record that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowMark {
    /// Time of the step, UTC ns.
    pub time: i64,
    /// Record that states the step.
    pub event: EventId,
}

/// Status of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageStatus {
    /// The sender received the answer.
    Answered,
    /// The message arrived, and no answer is expected.
    Received,
    /// The message was sent; arrivals of this kind of message are never logged.
    Sent,
    /// The message arrived, but the sender received no answer.
    Unanswered,
    /// The answer was sent, but not received.
    AnswerLost,
    /// The message was sent and never arrived.
    Lost,
    /// The message was rejected as undeliverable, or never posted.
    Refused,
    /// The message arrived, but no record of its sending exists.
    Unsent,
}

impl MessageStatus {
    /// Name of the status for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            MessageStatus::Answered => "answered",
            MessageStatus::Received => "received",
            MessageStatus::Sent => "sent",
            MessageStatus::Unanswered => "unanswered",
            MessageStatus::AnswerLost => "answer lost",
            MessageStatus::Lost => "lost",
            MessageStatus::Refused => "refused",
            MessageStatus::Unsent => "unsent",
        }
    }

    /// Whether a step is missing.
    pub fn has_missing_step(self) -> bool {
        !matches!(
            self,
            MessageStatus::Answered | MessageStatus::Received | MessageStatus::Sent
        )
    }
}

/// Message between two actors, with the times of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowMessage {
    /// Flow of the message, as an index into `Flow::kinds`.
    pub kind: u16,
    /// Values of the identifying keys (see `Flow::id`).
    pub id: Box<[Code]>,
    /// Sender, as an index into `Flow::actors`; `None` if no record names it.
    pub sender: Option<u32>,
    /// Receiver, as an index into `Flow::actors`; `None` if no record names it.
    pub receiver: Option<u32>,
    /// Label, as an index into `Flow::labels`.
    pub label: Option<u32>,
    /// Time and record of sending the message.
    pub sent: Option<FlowMark>,
    /// Time and record of the message's arrival.
    pub received: Option<FlowMark>,
    /// Time and record of sending the answer.
    pub replied: Option<FlowMark>,
    /// Time and record of the answer's arrival.
    pub answered: Option<FlowMark>,
    /// Status of the message.
    pub status: MessageStatus,
}

impl FlowMessage {
    /// Latency from sending to arrival, ns; negative if clocks disagree.
    pub fn latency(&self) -> Option<i64> {
        Some(self.received?.time.saturating_sub(self.sent?.time))
    }

    /// Round trip from sending to the arrival of the answer, ns.
    pub fn round_trip(&self) -> Option<i64> {
        Some(self.answered?.time.saturating_sub(self.sent?.time))
    }

    /// Records of the message in the order of its steps, each once.
    pub fn events(&self) -> Vec<EventId> {
        let marks = [self.sent, self.received, self.replied, self.answered];
        let mut out: Vec<EventId> = Vec::new();
        for mark in marks.into_iter().flatten() {
            if !out.contains(&mark.event) {
                out.push(mark.event);
            }
        }
        out
    }

    /// Time of sending, or else of the earliest step, UTC ns.
    pub fn time(&self) -> i64 {
        let marks = [self.sent, self.received, self.replied, self.answered];
        let times = marks.into_iter().flatten().map(|m| m.time);
        self.sent
            .map(|m| m.time)
            .or(times.min())
            .unwrap_or(i64::MAX)
    }
}

/// Messages of all flows, with their actors and labels.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Messages by time.
    pub messages: Vec<FlowMessage>,
    /// Actors in the order of their first message.
    pub actors: Vec<Actor>,
    /// Distinct labels of messages, such as the name of an action.
    pub labels: Vec<String>,
    /// Names of the flows that have messages.
    pub kinds: Vec<String>,
    keys: Vec<Vec<KeyId>>,
    usual: UsualSpellings,
}

/// Arrow of a sequence diagram: a message or an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Message, as an index into `Flow::messages`.
    pub message: u32,
    /// Actor at the tail, as an index into `Flow::actors`.
    pub tail: Option<u32>,
    /// Actor at the head, as an index into `Flow::actors`.
    pub head: Option<u32>,
    /// Time of sending, UTC ns; `None` if no record states it.
    pub leaves: Option<i64>,
    /// Time of arrival, UTC ns; `None` if it did not arrive or no record states it.
    pub arrives: Option<i64>,
    /// Whether the arrow is the answer.
    pub is_answer: bool,
}

impl Arrow {
    /// Time by which arrows are sorted, UTC ns.
    pub fn time(&self) -> i64 {
        self.leaves.or(self.arrives).unwrap_or(i64::MAX)
    }

    /// Whether the arrow was sent and did not arrive although arrivals of its kind are logged.
    pub fn is_lost(&self, message: &FlowMessage) -> bool {
        let gone: &[MessageStatus] = match self.is_answer {
            true => &[MessageStatus::AnswerLost],
            false => &[MessageStatus::Lost, MessageStatus::Refused],
        };
        self.arrives.is_none() && gone.contains(&message.status)
    }
}

impl Flow {
    /// Keys and values that identify a message, as text.
    pub fn id(&self, snapshot: &Snapshot, message: &FlowMessage) -> Vec<(String, String)> {
        let keys = self.keys.get(usize::from(message.kind));
        let pairs = keys.into_iter().flatten().zip(message.id.iter());
        pairs
            .map(|(key, code)| {
                let name = snapshot.catalog.keys.name(*key).to_owned();
                (name, self.usual.text(snapshot, *key, *code))
            })
            .collect()
    }

    /// Removes messages that were in transit only outside of a time window.
    pub fn clip(&mut self, window: TimeWindow) {
        self.messages.retain(|m| {
            let last = [m.received, m.answered].into_iter().flatten();
            let last = last.map(|m| m.time).max().unwrap_or(m.time());
            window.overlaps(m.time(), last.max(m.time()))
        });
    }

    /// Name of an actor; `?` if unknown.
    pub fn actor(&self, at: Option<u32>) -> &str {
        let actor = at.and_then(|at| self.actors.get(at as usize));
        actor.map_or("?", |a| &a.name)
    }

    /// Label of a message; empty without one.
    pub fn label(&self, message: &FlowMessage) -> &str {
        let label = message.label.and_then(|at| self.labels.get(at as usize));
        label.map_or("", String::as_str)
    }

    /// Messages and their answers as arrows, by time.
    pub fn arrows(&self) -> Vec<Arrow> {
        let mut out = Vec::with_capacity(self.messages.len() * 2);
        for (at, m) in self.messages.iter().enumerate() {
            let time = |mark: Option<FlowMark>| mark.map(|m| m.time);
            if m.sent.is_some() || m.received.is_some() {
                out.push(Arrow {
                    message: at as u32,
                    tail: m.sender,
                    head: m.receiver,
                    leaves: time(m.sent),
                    arrives: time(m.received),
                    is_answer: false,
                });
            }
            if m.replied.is_some() || m.answered.is_some() {
                out.push(Arrow {
                    message: at as u32,
                    tail: m.receiver,
                    head: m.sender,
                    leaves: time(m.replied),
                    arrives: time(m.answered),
                    is_answer: true,
                });
            }
        }
        out.sort_by_key(|a| (a.time(), a.message, a.is_answer));
        out
    }
}
