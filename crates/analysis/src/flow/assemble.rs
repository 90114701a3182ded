//! Assembly of messages from their records.

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{KeyId, SourceId};
use widetui_core::words::last_part;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;

use crate::flow::records::{FlowRecords, MessageRecord, MessageStep};
use crate::flow::scan::FlowKeys;
use crate::flow::{Actor, Flow, FlowMark, FlowMessage, FlowSpec, MessageStatus};

/// Builder of messages, to which flows are added one by one.
#[derive(Default)]
pub(super) struct FlowBuilder {
    flow: Flow,
    /// Actor index by name and by whether actors are the sources of records.
    actors: FxHashMap<(bool, String), u32>,
    labels: FxHashMap<String, u32>,
    actor_codes: FxHashMap<(u16, bool, Code), u32>,
    usual: UsualSpellings,
}

/// Records of one message by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MessageSteps {
    sender: Option<Code>,
    receiver: Option<Code>,
    label: Option<Code>,
    sent: Option<FlowMark>,
    received: Option<FlowMark>,
    replied: Option<FlowMark>,
    answered: Option<FlowMark>,
    posted: Option<FlowMark>,
}

/// Steps that records of a kind of message ever report.
#[derive(Clone, Copy, Debug, Default)]
struct ReportedSteps {
    arrival: bool,
    answers: bool,
    posting: bool,
}

impl ReportedSteps {
    /// Reported steps by the stem of message ids: the logs of one executor say nothing about
    /// another one whose logs are missing.
    fn collect(
        list: &[(&[MessageRecord], MessageSteps)],
        has_answers: bool,
    ) -> FxHashMap<u32, ReportedSteps> {
        let mut out: FxHashMap<u32, ReportedSteps> = FxHashMap::default();
        for (records, parts) in list {
            let reported = out.entry(records[0].stem).or_default();
            reported.arrival |= parts.received.is_some();
            reported.answers |= has_answers || parts.answered.is_some();
            reported.posting |= parts.posted.is_some();
        }
        out
    }
}

impl FlowBuilder {
    /// Adds the messages of a flow; with `events`, only those with a record among them.
    pub(crate) fn add(
        &mut self,
        snapshot: &Snapshot,
        spec: &FlowSpec,
        keys: FlowKeys,
        mut found: FlowRecords,
        events: Option<&Selection>,
    ) {
        if found.list.is_empty() {
            return;
        }
        let kind = self.flow.kinds.len() as u16;
        let key_list = [keys.sender, keys.receiver, keys.label]
            .into_iter()
            .flatten();
        let key_list: Vec<KeyId> = key_list.chain(keys.id.iter().copied()).collect();
        self.usual = UsualSpellings::new(snapshot, key_list.iter());
        let has_writers = keys.sender.is_none() || keys.receiver.is_none();
        // Codes are per key, so actors of two keys are compared by text.
        for record in &mut found.list {
            record.sender = self.actor(snapshot, kind, keys.sender, true, record.sender);
            record.receiver = self.actor(snapshot, kind, keys.receiver, false, record.receiver);
        }
        let mut list: Vec<(&[MessageRecord], MessageSteps)> = Vec::new();
        for records in found.list.chunk_by(|a, b| a.message() == b.message()) {
            list.push((records, assign_steps(records, has_writers)));
        }
        let reported = ReportedSteps::collect(&list, spec.answered.is_some());
        let mut labels: FxHashMap<Code, u32> = FxHashMap::default();
        let mut id: Vec<Code> = Vec::new();
        self.flow.messages.reserve(list.len());
        for (records, parts) in list {
            let wanted = |f: &MessageRecord| events.is_none_or(|e| e.contains(f.mark.event));
            if !records.iter().any(wanted) {
                continue;
            }
            let label = parts.label.zip(keys.label);
            let label = label.map(|(code, key)| {
                let text = || self.label(self.usual.text(snapshot, key, code));
                *labels.entry(code).or_insert_with(text)
            });
            let (stem, last) = records[0].message();
            id.clear();
            id.extend_from_slice(&found.stems[stem as usize]);
            id.push(last);
            let reported = reported.get(&stem).copied().unwrap_or_default();
            self.flow.messages.push(FlowMessage {
                kind,
                id: id[..].into(),
                sender: parts.sender,
                receiver: parts.receiver,
                label,
                sent: parts.sent,
                received: parts.received,
                replied: parts.replied,
                answered: parts.answered,
                status: status(&parts, reported, || has_later_records(snapshot, parts.sent)),
            });
        }
        self.flow.kinds.push(spec.name.clone());
        self.flow.keys.push(keys.id);
    }

    /// Finishes the flow: messages by time, actors in the order of their first message.
    pub(crate) fn finish(mut self, snapshot: &Snapshot) -> Flow {
        self.flow.messages.sort_by_key(FlowMessage::time);
        let mut order: Vec<u32> = Vec::new();
        let mut place: Vec<Option<u32>> = vec![None; self.flow.actors.len()];
        for message in &mut self.flow.messages {
            for at in [&mut message.sender, &mut message.receiver]
                .into_iter()
                .flatten()
            {
                let new = *place[*at as usize].get_or_insert_with(|| {
                    order.push(*at);
                    order.len() as u32 - 1
                });
                *at = new;
            }
        }
        let actors = std::mem::take(&mut self.flow.actors);
        let actors = order.iter().filter_map(|at| actors.get(*at as usize));
        self.flow.actors = actors.cloned().collect();
        let keys = self.flow.keys.iter().flatten();
        self.flow.usual = UsualSpellings::new(snapshot, keys);
        self.flow
    }

    /// Index of an actor by code; `NONE` stays `NONE`.
    fn actor(
        &mut self,
        snapshot: &Snapshot,
        kind: u16,
        key: Option<KeyId>,
        is_sender: bool,
        code: Code,
    ) -> u32 {
        if code == NONE {
            return NONE;
        }
        if let Some(at) = self.actor_codes.get(&(kind, is_sender, code)) {
            return *at;
        }
        let actor = match key {
            None => source_actor(snapshot, code),
            Some(key) => {
                let name = self.usual.text(snapshot, key, code);
                let key = snapshot.catalog.keys.name(key);
                let kind = actor_kind(&name, key);
                Actor { name, kind }
            }
        };
        let actors = &mut self.flow.actors;
        let id = (key.is_none(), actor.name.clone());
        let at = *self.actors.entry(id).or_insert_with(|| {
            actors.push(actor);
            actors.len() as u32 - 1
        });
        self.actor_codes.insert((kind, is_sender, code), at);
        at
    }

    /// Index of a label, inserted if missing.
    fn label(&mut self, text: String) -> u32 {
        let labels = &mut self.flow.labels;
        *self.labels.entry(text).or_insert_with_key(|text| {
            labels.push(text.clone());
            labels.len() as u32 - 1
        })
    }
}

/// Actor that stands for the source of a record.
fn source_actor(snapshot: &Snapshot, code: Code) -> Actor {
    let source = snapshot.source(SourceId(code));
    let (tag, kind) = source.map_or(("", ""), |s| (s.tag.as_str(), s.kind.as_str()));
    Actor {
        name: source.map_or_else(String::new, |source| snapshot.source_name(source)),
        kind: if kind.is_empty() { tag } else { kind }.to_owned(),
    }
}

/// Kind of an actor: `AgentId` for `AgentId<fib>`, otherwise the last part of its key's name.
fn actor_kind(name: &str, key: &str) -> String {
    let word = name.split(['<', '(', '[']).next().unwrap_or_default();
    let is_word = |w: &str| !w.is_empty() && w.chars().all(char::is_alphabetic);
    match word.len() < name.len() && is_word(word) {
        true => word.to_owned(),
        false => last_part(key).to_owned(),
    }
}

/// Assigns the records of a message, in time order, to its steps. Records in the opposite direction
/// belong to the answer. If actors are the sources of records (`has_writers`), no record names the
/// other side.
fn assign_steps(records: &[MessageRecord], has_writers: bool) -> MessageSteps {
    let mut parts = MessageSteps::default();
    let known = |code: Code| (code != NONE).then_some(code);
    // The earliest record determines the direction: some programs log the sending late.
    let main = records.iter().find(|r| r.step != MessageStep::Answered);
    let main = main.or(records.first());
    let Some(main) = main else {
        return parts;
    };
    let is_reverse = |r: &MessageRecord| {
        let same = |a: Code, b: Code| a != NONE && a == b;
        !has_writers
            && (same(r.sender, main.receiver) || same(r.receiver, main.sender))
            && !same(r.sender, main.sender)
            && !same(r.receiver, main.receiver)
    };
    for record in records {
        let reverse = is_reverse(record);
        let place = match (record.step, reverse) {
            (MessageStep::Sent, false) => &mut parts.sent,
            (MessageStep::Received, false) => &mut parts.received,
            (MessageStep::Sent, true) => &mut parts.replied,
            (MessageStep::Received, true) | (MessageStep::Answered, _) => &mut parts.answered,
            (MessageStep::Posted, false) => &mut parts.posted,
            (MessageStep::Posted, true) => continue,
        };
        place.get_or_insert(record.mark);
        parts.label = parts.label.or(known(record.label));
        let is_ours = match has_writers {
            // The source of a sending record is the sender, that of a receiving record the
            // receiver.
            true => [
                record.step == MessageStep::Sent,
                record.step == MessageStep::Received,
            ],
            false => [!reverse && record.step != MessageStep::Answered; 2],
        };
        if is_ours[0] {
            parts.sender = parts.sender.or(known(record.sender));
        }
        if is_ours[1] {
            parts.receiver = parts.receiver.or(known(record.receiver));
        }
    }
    if !has_writers && main.step == MessageStep::Answered {
        (parts.sender, parts.receiver) = (known(main.sender), known(main.receiver));
    }
    parts
}

/// Whether the source of a record has later records, so that missing records mean that nothing
/// happened.
fn has_later_records(snapshot: &Snapshot, mark: Option<FlowMark>) -> bool {
    let last = |mark: FlowMark| {
        let event = snapshot.event(mark.event)?;
        let source = event.source();
        Some(source.utc(source.stats.range?.1) > mark.time)
    };
    mark.and_then(last).unwrap_or(false)
}

/// Status of a message; `has_later_records` returns whether the sender's log has later records.
fn status(
    parts: &MessageSteps,
    reported: ReportedSteps,
    has_later_records: impl FnOnce() -> bool,
) -> MessageStatus {
    let (reports_arrival, reports_answers) = (reported.arrival, reported.answers);
    let was_taken = !reported.posting || parts.posted.is_some();
    match (parts.sent, parts.received, parts.answered) {
        (Some(_), _, Some(_)) => MessageStatus::Answered,
        (Some(_), None, None) if !was_taken && parts.replied.is_none() && has_later_records() => {
            MessageStatus::Refused
        }
        (None, ..) => MessageStatus::Unsent,
        (Some(_), _, None) if parts.replied.is_some() => MessageStatus::AnswerLost,
        (Some(_), Some(_), None) if reports_answers => MessageStatus::Unanswered,
        (Some(_), Some(_), None) => MessageStatus::Received,
        (Some(_), None, None) if reports_arrival => MessageStatus::Lost,
        (Some(_), None, None) if reports_answers => MessageStatus::Unanswered,
        (Some(_), None, None) => MessageStatus::Sent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_core::ids::EventId;

    fn record(step: MessageStep, time: i64, from: Code, to: Code) -> MessageRecord {
        MessageRecord {
            stem: 0,
            last: 7,
            step,
            mark: FlowMark {
                time,
                event: EventId(time as u32),
            },
            sender: from,
            receiver: to,
            label: NONE,
        }
    }

    fn times(parts: &MessageSteps) -> [Option<i64>; 4] {
        [parts.sent, parts.received, parts.replied, parts.answered].map(|m| m.map(|m| m.time))
    }

    #[test]
    fn records_in_the_opposite_direction_are_the_answer() {
        let records = [
            record(MessageStep::Sent, 1, 10, 20),
            record(MessageStep::Received, 2, 10, 20),
            record(MessageStep::Sent, 3, 10, 20),
            // The answer is received before its sender logs it.
            record(MessageStep::Received, 5, 20, 10),
            record(MessageStep::Sent, 6, NONE, 10),
        ];
        let parts = assign_steps(&records, false);
        assert_eq!(times(&parts), [Some(1), Some(2), Some(6), Some(5)]);
        assert_eq!((parts.sender, parts.receiver), (Some(10), Some(20)));
        let reported = ReportedSteps {
            arrival: true,
            answers: true,
            posting: false,
        };
        assert_eq!(status(&parts, reported, || true), MessageStatus::Answered);
    }

    #[test]
    fn a_sender_that_logs_late_is_still_the_sender() {
        let records = [
            record(MessageStep::Received, 2, 10, 20),
            record(MessageStep::Sent, 3, 20, 10),
            record(MessageStep::Sent, 4, 10, 20),
            record(MessageStep::Received, 5, 20, 10),
        ];
        let parts = assign_steps(&records, false);
        assert_eq!(times(&parts), [Some(4), Some(2), Some(3), Some(5)]);
        assert_eq!((parts.sender, parts.receiver), (Some(10), Some(20)));
    }

    #[test]
    fn missing_steps_determine_the_status() {
        let sent = record(MessageStep::Sent, 1, 10, 20);
        let received = record(MessageStep::Received, 2, 10, 20);
        let replied = record(MessageStep::Sent, 3, 20, 10);
        let of = |records: &[MessageRecord], arrival, answers| {
            let reported = ReportedSteps {
                arrival,
                answers,
                posting: false,
            };
            status(&assign_steps(records, false), reported, || true)
        };
        let lost = std::slice::from_ref(&sent);
        assert_eq!(of(lost, true, true), MessageStatus::Lost);
        assert_eq!(of(lost, false, true), MessageStatus::Unanswered);
        assert_eq!(of(lost, false, false), MessageStatus::Sent);
        let both = [sent, received];
        assert_eq!(of(&both, true, true), MessageStatus::Unanswered);
        assert_eq!(of(&both, true, false), MessageStatus::Received);
        let [sent, _] = both;
        assert_eq!(
            of(&[sent, received, replied], true, true),
            MessageStatus::AnswerLost
        );
        assert_eq!(of(&[received], true, true), MessageStatus::Unsent);
    }

    #[test]
    fn steps_of_one_executor_do_not_apply_to_another() {
        let record = |executor: Code, task: Code, step, time| MessageRecord {
            stem: executor,
            last: task,
            ..record(step, time, 10, 20)
        };
        let told = [
            vec![
                record(1, 1, MessageStep::Sent, 1),
                record(1, 1, MessageStep::Received, 2),
            ],
            vec![record(1, 2, MessageStep::Sent, 3)],
            vec![record(2, 3, MessageStep::Sent, 4)],
        ];
        let list: Vec<(&[MessageRecord], MessageSteps)> = told
            .iter()
            .map(|r| (&r[..], assign_steps(r, true)))
            .collect();
        let reported = ReportedSteps::collect(&list, false);
        let of = |at: usize| {
            let (records, parts) = &list[at];
            status(parts, reported[&records[0].stem], || true)
        };
        assert_eq!(of(1), MessageStatus::Lost);
        assert_eq!(of(2), MessageStatus::Sent);
    }

    #[test]
    fn messages_never_posted_are_refused() {
        let sent = record(MessageStep::Sent, 1, 10, 20);
        let posted = record(MessageStep::Posted, 2, 10, 20);
        let reported = ReportedSteps {
            arrival: true,
            answers: true,
            posting: true,
        };
        let of = |records: &[MessageRecord], has_later_records: bool| {
            status(&assign_steps(records, false), reported, || {
                has_later_records
            })
        };
        assert_eq!(
            of(std::slice::from_ref(&sent), true),
            MessageStatus::Refused
        );
        // The sender may have died before the message was posted.
        assert_eq!(of(std::slice::from_ref(&sent), false), MessageStatus::Lost);
        assert_eq!(of(&[sent, posted], true), MessageStatus::Lost);
    }

    #[test]
    fn sources_are_actors_without_keys() {
        let records = [
            record(MessageStep::Sent, 1, 10, 10),
            record(MessageStep::Received, 2, 20, 20),
        ];
        let parts = assign_steps(&records, true);
        assert_eq!((parts.sender, parts.receiver), (Some(10), Some(20)));
        assert_eq!(times(&parts), [Some(1), Some(2), None, None]);
    }

    #[test]
    fn actor_kind_comes_from_the_name_or_the_key() {
        assert_eq!(actor_kind("AgentId<fib-a>", "academy.src"), "AgentId");
        assert_eq!(actor_kind("5aa6", "x.endpoint"), "endpoint");
    }
}
