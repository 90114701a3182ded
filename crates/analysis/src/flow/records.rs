//! Records of messages, grouped by message: all values of an id but the last are its stem, of which there are few.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;

use crate::flow::FlowMark;

/// Step of a message that a record reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MessageStep {
    Sent,
    Received,
    Answered,
    Posted,
}

/// Record of a step of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    /// Number of the stem of the message's id.
    pub(crate) stem: u32,
    /// Last value of the message's id.
    pub(crate) last: Code,
    /// Step that the record reports.
    pub(crate) step: MessageStep,
    /// Time and id of the record.
    pub(crate) mark: FlowMark,
    /// Sender as stated by the record: a code of its key, or else the record's source.
    pub(crate) sender: Code,
    /// Receiver as stated by the record.
    pub(crate) receiver: Code,
    /// Code of the label; `NONE` without one.
    pub(crate) label: Code,
}

impl MessageRecord {
    /// Identity of the message: stem and last value of its id.
    pub(crate) fn message(&self) -> (u32, Code) {
        (self.stem, self.last)
    }
}

/// Interned stems, numbered in order of occurrence.
#[derive(Debug, Default)]
pub(super) struct IdStems {
    numbers: FxHashMap<Box<[Code]>, u32>,
    list: Vec<Box<[Code]>>,
}

impl IdStems {
    /// Number of a stem.
    pub(crate) fn number(&mut self, stem: &[Code]) -> u32 {
        if let Some(number) = self.numbers.get(stem) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.numbers.insert(stem.into(), number);
        self.list.push(stem.into());
        number
    }
}

/// Records of one segment, with stems numbered in the segment.
#[derive(Debug, Default)]
pub(super) struct SegmentRecords {
    /// Stems of the ids in the segment.
    pub(crate) stems: IdStems,
    /// Records in row order.
    pub(crate) list: Vec<MessageRecord>,
}

/// Records of all messages of a flow, ordered by message id, then time.
#[derive(Debug, Default)]
pub(super) struct FlowRecords {
    /// Stems by number.
    pub(crate) stems: Vec<Box<[Code]>>,
    /// Records by message, then time.
    pub(crate) list: Vec<MessageRecord>,
}

impl FlowRecords {
    /// Merges the records of all segments.
    pub(crate) fn merge(found: Vec<SegmentRecords>) -> FlowRecords {
        let stems = found
            .iter()
            .flat_map(|found| found.stems.list.iter().cloned());
        let stems: BTreeSet<Box<[Code]>> = stems.collect();
        let stems = Vec::from_iter(stems);
        let mut list: Vec<MessageRecord> = Vec::new();
        for SegmentRecords {
            stems: own,
            list: records,
        } in found
        {
            let number = |stem| stems.binary_search(stem).unwrap_or_default() as u32;
            let numbers: Vec<u32> = own.list.iter().map(number).collect();
            list.extend(records.into_iter().map(|record| MessageRecord {
                stem: numbers[record.stem as usize],
                ..record
            }));
        }
        list.sort_by_key(|record| (record.message(), record.mark, record.step));
        FlowRecords { stems, list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_core::dict::NONE;
    use widetui_core::ids::EventId;

    proptest! {
        /// Records are ordered by id, time and step.
        #[test]
        fn records_are_sorted_by_message(
            segments in prop::collection::vec(prop::collection::vec((
                prop::collection::vec(0u32..3, 2), prop_oneof![0u32..9, 1_000_000u32..1_000_005, (0u32..9).prop_map(|l| l << 28)], 0i64..5, any::<bool>(),
            ), 0..12), 0..5),
        ) {
            let (mut found, mut want) = (Vec::new(), Vec::new());
            for (event, records) in segments.iter().enumerate() {
                let mut segment = SegmentRecords::default();
                for (stem, last, time, is_sent) in records {
                    let step = if *is_sent { MessageStep::Sent } else { MessageStep::Received };
                    let mark = FlowMark { time: *time, event: EventId(event as u32) };
                    let number = segment.stems.number(stem);
                    segment.list.push(MessageRecord { stem: number, last: *last, step, mark, sender: NONE, receiver: NONE, label: NONE });
                    want.push((stem.clone(), *last, mark, step));
                }
                found.push(segment);
            }
            want.sort();
            let sorted = FlowRecords::merge(found);
            let seen = sorted.list.iter().map(|r| (sorted.stems[r.stem as usize].to_vec(), r.last, r.mark, r.step));
            prop_assert_eq!(seen.collect::<Vec<_>>(), want);
        }
    }
}
