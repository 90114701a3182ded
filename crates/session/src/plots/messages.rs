//! Messages between actors in a snapshot.

use std::sync::Arc;

use crate::meaning::Meaning;
use crate::selection::SelectionStep;
use widetui_analysis::flow::{Flow, FlowMessage, LatencyRow, collect_flow, kind_of_actor};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::words::name_words;
use widetui_store::{EventRef, Snapshot};

/// Messages of a selection.
#[derive(Clone, Debug)]
pub struct Messages {
    snapshot: Arc<Snapshot>,
    /// Messages with senders and receivers.
    pub flow: Arc<Flow>,
}

impl PartialEq for Messages {
    fn eq(&self, other: &Messages) -> bool {
        Arc::ptr_eq(&self.flow, &other.flow)
    }
}

impl Messages {
    /// Wraps the messages of a snapshot.
    pub fn new(snapshot: &Snapshot, flow: Flow) -> Messages {
        Messages {
            snapshot: Arc::new(snapshot.clone()),
            flow: Arc::new(flow),
        }
    }

    /// Returns the messages of all flows within a scope. `None` if cancelled.
    pub(super) fn find(
        snapshot: &Snapshot,
        meaning: &Meaning,
        scope: &AnalysisScope,
        cancel: &Cancel,
    ) -> Option<Messages> {
        let mut found = collect_flow(snapshot, meaning.flows(), scope.events.as_ref(), cancel)?;
        found.clip(scope.window);
        Some(Messages::new(snapshot, found))
    }

    /// Returns a message by index.
    pub fn get(&self, at: u32) -> Option<&FlowMessage> {
        self.flow.messages.get(at as usize)
    }

    /// Display name of a message: `ping, id 17`.
    pub fn title(&self, message: &FlowMessage) -> String {
        let id = self.flow.id(&self.snapshot, message);
        let (key, value) = id
            .last()
            .map_or(("", ""), |(k, v)| (k.as_str(), v.as_str()));
        let id = format!("{} {value}", name_words(key));
        match self.flow.label(message) {
            "" => id,
            label => format!("{label}, {id}"),
        }
    }

    /// Returns the step that selects the records of a message.
    pub fn step(&self, at: u32) -> Option<SelectionStep> {
        let message = self.get(at)?;
        let records = message.events();
        Some(SelectionStep::of_records(
            self.title(message),
            &self.snapshot,
            &records,
        ))
    }

    /// First record of a message.
    pub fn event(&self, at: u32) -> Option<EventRef<'_>> {
        let first = self.get(at)?.events();
        self.snapshot.event(*first.first()?)
    }

    /// Returns the step that selects the records of all messages of a kind in one flow (index into `Flow::kinds`).
    pub fn step_of(&self, flow: usize, kind: &LatencyRow) -> SelectionStep {
        let found = &self.flow;
        let is_one = |m: &&FlowMessage| {
            usize::from(m.kind) == flow
                && found.label(m) == kind.label
                && kind_of_actor(found, m.sender) == kind.sender_kind
                && kind_of_actor(found, m.receiver) == kind.receiver_kind
        };
        let of_kind = found.messages.iter().filter(is_one);
        let mut records: Vec<EventId> = of_kind.flat_map(FlowMessage::events).collect();
        records.sort_unstable();
        records.dedup();
        let label = match kind.label.as_str() {
            "" => format!("{} → {}", kind.sender_kind, kind.receiver_kind),
            label => format!("{label} {} → {}", kind.sender_kind, kind.receiver_kind),
        };
        SelectionStep::of_records(label, &self.snapshot, &records)
    }
}
