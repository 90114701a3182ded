//! Records of messages, grouped by message without comparing whole ids: all values of an id but the
//! last are its stem, of which there are few, and the last values mostly count up.

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};

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
    /// Number of the last result: nearby records mostly have the same stem.
    last_number: u32,
    /// Buffer for the stem that is looked up.
    buffer: Vec<Code>,
}

impl IdStems {
    /// Number of a stem; `None` if one of its values is missing.
    pub(crate) fn number(&mut self, stem: impl Iterator<Item = Code>) -> Option<u32> {
        self.buffer.clear();
        self.buffer.extend(stem);
        let last = self.list.get(self.last_number as usize);
        if last.is_some_and(|last| **last == *self.buffer) {
            return Some(self.last_number);
        }
        if self.buffer.contains(&NONE) {
            return None;
        }
        self.last_number = match self.numbers.get(&self.buffer[..]) {
            Some(number) => *number,
            None => self.add(self.buffer[..].into()),
        };
        Some(self.last_number)
    }

    fn add(&mut self, stem: Box<[Code]>) -> u32 {
        let number = self.list.len() as u32;
        self.numbers.insert(stem.clone(), number);
        self.list.push(stem);
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
    pub(crate) fn merge(mut found: Vec<SegmentRecords>) -> FlowRecords {
        let mut all = IdStems::default();
        let mut number = |stem: &[Code]| all.number(stem.iter().copied()).unwrap_or_default();
        let stem_numbers = found.iter().map(|f| f.stems.list.iter());
        let stem_numbers: Vec<Vec<u32>> = stem_numbers
            .map(|stems| stems.map(|stem| number(stem)).collect())
            .collect();
        let mut stems = all.list;
        let mut order: Vec<usize> = (0..stems.len()).collect();
        order.sort_unstable_by(|a, b| stems[*a].cmp(&stems[*b]));
        let mut ranks = vec![0; stems.len()];
        for (rank, number) in order.iter().enumerate() {
            ranks[*number] = rank as u32;
        }
        stems.sort_unstable();
        for (found, stem_numbers) in found.iter_mut().zip(stem_numbers) {
            for record in &mut found.list {
                record.stem = ranks[stem_numbers[record.stem as usize] as usize];
            }
        }
        let found: Vec<Vec<MessageRecord>> = found.into_iter().map(|f| f.list).collect();
        let mut list = sort_by_message(&found, stems.len());
        for records in list.chunk_by_mut(|a, b| a.message() == b.message()) {
            if records.len() > 1 {
                records.sort_by_key(|r| (r.mark, r.step));
            }
        }
        FlowRecords { stems, list }
    }
}

/// Maximum number of slots per record for counting sort; sparser ids are sorted by comparison.
const SLOTS_PER_RECORD: u64 = 4;

/// Sorts records by message, stable.
fn sort_by_message(found: &[Vec<MessageRecord>], stems: usize) -> Vec<MessageRecord> {
    let Some(any) = found.iter().flatten().next() else {
        return Vec::new();
    };
    // Range of the last values of each stem.
    let mut spans = vec![(Code::MAX, Code::MIN); stems];
    let mut records = 0;
    for record in found.iter().flatten() {
        let (least, most) = &mut spans[record.stem as usize];
        *least = (*least).min(record.last);
        *most = (*most).max(record.last);
        records += 1;
    }
    let mut places = 0u64;
    let starts: Vec<u64> = spans
        .iter()
        .map(|(least, most)| {
            let start = places;
            places += u64::from(most.saturating_sub(*least)) + 1;
            start
        })
        .collect();
    if places > SLOTS_PER_RECORD * records as u64 {
        let mut all = found.concat();
        all.sort_by_key(MessageRecord::message);
        return all;
    }
    let place = |record: &MessageRecord| {
        let stem = record.stem as usize;
        starts[stem] as usize + (record.last - spans[stem].0) as usize
    };
    // Start of the records of each message, from their counts.
    let mut next = vec![0u32; places as usize + 1];
    for record in found.iter().flatten() {
        next[place(record) + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut out = vec![*any; records];
    for record in found.iter().flatten() {
        let next = &mut next[place(record)];
        out[*next as usize] = *record;
        *next += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_core::ids::EventId;

    proptest! {
        /// Dense and sparse ids give the same order as sorting by id, time and step.
        #[test]
        fn records_are_sorted_by_message(
            segments in prop::collection::vec(prop::collection::vec((
                prop::collection::vec(0u32..3, 2), prop_oneof![0u32..9, 1_000_000u32..1_000_005, (0u32..9).prop_map(|l| l << 28)], 0i64..5, any::<bool>(),
            ), 0..12), 0..5),
            near in any::<bool>(),
        ) {
            let (mut found, mut want) = (Vec::new(), Vec::new());
            for (event, records) in segments.iter().enumerate() {
                let mut segment = SegmentRecords::default();
                for (stem, last, time, is_sent) in records {
                    let last = if near { last % 16 } else { *last };
                    let step = if *is_sent { MessageStep::Sent } else { MessageStep::Received };
                    let mark = FlowMark { time: *time, event: EventId(event as u32) };
                    let number = segment.stems.number(stem.iter().copied()).unwrap();
                    segment.list.push(MessageRecord { stem: number, last, step, mark, sender: NONE, receiver: NONE, label: NONE });
                    want.push((stem.clone(), last, mark, step));
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
