//! Flow: messages between actors, from sending to receiving to the answer.
//!
//! ```text
//! FlowSpec (what a definition says) + Snapshot ──scan──> records by id ──assemble──> Flow: messages, actors ──table──> latencies
//! ```
//!
//! The earliest record of sending counts: some programs write it before they send, some after, some both. Clocks that
//! disagree make latencies negative, which is shown, not hidden.

mod assemble;
mod message_order;
pub mod notes;
mod records;
mod scan;
mod spec;
mod table;

use crate::entity::InstanceId;
use crate::scope::TimeWindow;
use widetui_core::cancel::Cancel;
use widetui_core::ids::{EventId, KeyId};
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::lanes::{Usual, copied_rows};

pub use spec::{FlowSpec, of_definition};
pub use table::{Latencies, kind_of_actor, latencies, latencies_of};

/// The messages of all flows that the data has, of all events or of some (a message belongs to them when one of its
/// records does). `None` when cancelled.
pub fn flow(
    snapshot: &Snapshot,
    specs: &[FlowSpec],
    events: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Flow> {
    let mut out = assemble::FlowBuilder::default();
    let copied = copied_rows(snapshot);
    for spec in specs {
        if let Some(keys) = scan::FlowKeys::of(snapshot, spec) {
            let records = scan::records(snapshot, spec, &keys, &copied, cancel)?;
            out.add(snapshot, spec, keys, records, events);
        }
    }
    Some(out.finish(snapshot))
}

/// Who sends and receives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// Its name: the value of a key, or the tag of a source.
    pub name: String,
    /// What kind of actor it is: `AgentId` of `AgentId<fib>`, the kind of a source, else the last part of the key's name.
    pub kind: String,
}

/// A moment that a record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowMark {
    /// When, UTC ns.
    pub time: i64,
    /// The record.
    pub event: EventId,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageStatus {
    /// Its sender has the answer.
    Answered,
    /// It arrived, and no answer is expected.
    Received,
    /// It was sent; records of this kind of message never tell of its arrival.
    Sent,
    /// It arrived, but its sender has no answer.
    Unanswered,
    /// It was answered, but nobody received the answer.
    AnswerLost,
    /// It was sent and never arrived.
    Lost,
    /// Its sender was told at once that it cannot be delivered, or nothing took it.
    Refused,
    /// It arrived, but nobody sent it.
    Unsent,
}

impl MessageStatus {
    /// For people and programs.
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

    /// Whether something is missing.
    pub fn is_odd(self) -> bool {
        !matches!(
            self,
            MessageStatus::Answered | MessageStatus::Received | MessageStatus::Sent
        )
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowMessage {
    /// Which flow: index into `Flow::kinds`.
    pub kind: u16,
    /// Values of the keys that identify it (see `Flow::id`).
    pub id: InstanceId,
    /// Sender: index into `Flow::actors`; `None` when no record names it.
    pub from: Option<u32>,
    /// Receiver.
    pub to: Option<u32>,
    /// What it is: index into `Flow::labels`.
    pub label: Option<u32>,
    /// When it was sent.
    pub sent: Option<FlowMark>,
    /// When it arrived.
    pub received: Option<FlowMark>,
    /// When its receiver sent an answer.
    pub replied: Option<FlowMark>,
    /// When its sender had the answer.
    pub answered: Option<FlowMark>,
    /// What became of it.
    pub status: MessageStatus,
}

impl FlowMessage {
    /// From sending to arrival, ns; negative where clocks disagree.
    pub fn latency(&self) -> Option<i64> {
        Some(self.received?.time.saturating_sub(self.sent?.time))
    }

    /// From sending to the answer, ns.
    pub fn round_trip(&self) -> Option<i64> {
        Some(self.answered?.time.saturating_sub(self.sent?.time))
    }

    /// The records that tell of it, in the order of its steps; each once.
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

    /// Its first moment, UTC ns.
    pub fn time(&self) -> i64 {
        let marks = [self.sent, self.received, self.replied, self.answered];
        let times = marks.into_iter().flatten().map(|m| m.time);
        self.sent
            .map(|m| m.time)
            .or(times.min())
            .unwrap_or(i64::MAX)
    }
}

/// All messages.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// By time.
    pub messages: Vec<FlowMessage>,
    /// Who sends and receives, in the order of their first message.
    pub actors: Vec<Actor>,
    /// What messages are.
    pub labels: Vec<String>,
    /// The flows that have messages: names.
    pub kinds: Vec<String>,
    keys: Vec<Vec<KeyId>>,
    usual: Usual,
}

/// An arrow of a sequence diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Index into `Flow::messages`.
    pub message: u32,
    /// From whom: index into `Flow::actors`.
    pub from: Option<u32>,
    /// To whom.
    pub to: Option<u32>,
    /// When it leaves, UTC ns; `None`: no record says so.
    pub leaves: Option<i64>,
    /// When it arrives; `None`: it does not, or no record says so.
    pub arrives: Option<i64>,
    /// Whether it carries the answer.
    pub is_answer: bool,
}

impl Arrow {
    /// The moment by which arrows are sorted, UTC ns.
    pub fn time(&self) -> i64 {
        self.leaves.or(self.arrives).unwrap_or(i64::MAX)
    }

    /// Whether it goes astray: it leaves and never arrives, though records of its kind would say that it does.
    pub fn is_lost(&self, message: &FlowMessage) -> bool {
        let gone: &[MessageStatus] = match self.is_answer {
            true => &[MessageStatus::AnswerLost],
            false => &[MessageStatus::Lost, MessageStatus::Refused],
        };
        self.arrives.is_none() && gone.contains(&message.status)
    }
}

impl Flow {
    /// Keys and values that identify a message, spelled.
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

    /// Leaves out messages that were on their way outside of a stretch of time only.
    pub fn clip(&mut self, window: TimeWindow) {
        self.messages.retain(|m| {
            let last = [m.received, m.answered].into_iter().flatten();
            let last = last.map(|m| m.time).max().unwrap_or(m.time());
            window.touches(m.time(), last.max(m.time()))
        });
    }

    /// The name of an actor; `?` when nobody names it.
    pub fn actor(&self, at: Option<u32>) -> &str {
        let actor = at.and_then(|at| self.actors.get(at as usize));
        actor.map_or("?", |a| &a.name)
    }

    /// What a message is; empty when no record says so.
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
                    from: m.from,
                    to: m.to,
                    leaves: time(m.sent),
                    arrives: time(m.received),
                    is_answer: false,
                });
            }
            if m.replied.is_some() || m.answered.is_some() {
                out.push(Arrow {
                    message: at as u32,
                    from: m.to,
                    to: m.from,
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
