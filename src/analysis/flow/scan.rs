//! Finds the records of sending, receiving and answering: one pass over the columns for each flow.

use std::ops::Range;

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::dict::{Code, NONE};
use crate::base::ids::{EventId, KeyId, SourceId};
use crate::base::time::NO_TIME;
use crate::query::{Expr, Selection, select};
use crate::store::Snapshot;
use crate::store::lanes::{GroupView, Lane, SegmentView, UNUSABLE, places};

use super::{FlowMark, FlowSpec};

/// What a record tells of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MessageStep {
    Sent,
    Received,
    Answered,
    Posted,
    Refused,
}

/// A record of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    pub id: Box<[Code]>,
    pub step: MessageStep,
    pub mark: FlowMark,
    /// Sender and receiver as the record names them: codes of their keys, else the record's source.
    pub from: Code,
    pub to: Code,
    pub label: Code,
}

/// Keys of a flow in a snapshot.
pub(super) struct FlowKeys {
    pub id: Vec<KeyId>,
    /// `None`: whoever writes.
    pub from: Option<KeyId>,
    pub to: Option<KeyId>,
    pub label: Option<KeyId>,
}

/// The word that stands for whoever writes the record.
const WRITER: &str = "source";

impl FlowKeys {
    /// `None`: no event has what a flow needs.
    pub fn of(snapshot: &Snapshot, spec: &FlowSpec) -> Option<FlowKeys> {
        let find = |name: &String| snapshot.catalog.keys.find(name);
        let id: Option<Vec<KeyId>> = spec.id.iter().map(find).collect();
        // A key that does not occur is one that no record names: everybody stays unknown.
        let actor = |name: &String| match name == WRITER {
            true => None,
            false => Some(find(name).unwrap_or(KeyId(u16::MAX))),
        };
        Some(FlowKeys {
            id: id.filter(|k| !k.is_empty())?,
            from: actor(&spec.from),
            to: actor(&spec.to),
            label: spec.label.as_ref().and_then(find),
        })
    }
}

/// The records of one flow, in the order of the segments. `None` when cancelled.
pub(super) fn records(
    snapshot: &Snapshot,
    spec: &FlowSpec,
    keys: &FlowKeys,
    copied: &[Vec<u32>],
    cancel: &Cancel,
) -> Option<Vec<MessageRecord>> {
    let sent = select(snapshot, &spec.sent, cancel)?;
    let received = select(snapshot, &spec.received, cancel)?;
    let optional = |expr: &Option<Expr>| match expr {
        Some(expr) => select(snapshot, expr, cancel).map(Some),
        None => Some(None),
    };
    let answered = optional(&spec.answered)?;
    let (posted, refused) = (optional(&spec.posted)?, optional(&spec.refused)?);
    let steps = [
        (MessageStep::Sent, Some(&sent)),
        (MessageStep::Received, Some(&received)),
        (MessageStep::Answered, answered.as_ref()),
        (MessageStep::Posted, posted.as_ref()),
        (MessageStep::Refused, refused.as_ref()),
    ];
    let segments = (0..snapshot.segments.len()).into_par_iter();
    let found: Vec<Vec<MessageRecord>> = segments
        .map(|index| match cancel.is_cancelled() {
            true => Vec::new(),
            false => of_segment(snapshot, keys, steps, index, &copied[index]),
        })
        .collect();
    let all = found.into_iter().flatten().collect();
    (!cancel.is_cancelled()).then_some(all)
}

fn of_segment(
    snapshot: &Snapshot,
    keys: &FlowKeys,
    steps: [(MessageStep, Option<&Selection>); 5],
    index: usize,
    copied: &[u32],
) -> Vec<MessageRecord> {
    let bits = steps.map(|(step, events)| (step, events.and_then(|e| e.segment(index))));
    if bits.iter().all(|(_, b)| b.is_none_or(|b| !b.any())) {
        return Vec::new();
    }
    let view = SegmentView::new(snapshot, index, copied);
    let mut out = Vec::new();
    for at in 0..view.segment.groups.len() {
        let group = view.group(at);
        let fits = |row: &u16| {
            let mut all = bits.iter();
            all.any(|(_, b)| b.is_some_and(|b| b.get(usize::from(*row))))
        };
        let rows = &group.group.rows;
        if !rows.iter().any(fits) {
            continue;
        }
        let Some(lanes) = Lanes::of(&group, keys) else {
            continue;
        };
        let fitting = rows.iter().enumerate().filter(|(_, row)| fits(row));
        for (place, row) in fitting {
            let here = usize::from(*row);
            let event = EventId(snapshot.bases[index] + here as u32);
            let source = &snapshot.sources[view.segment.part(here).source.index()];
            let time = view.segment.utc(source, here);
            if time == NO_TIME || snapshot.copies.of(event.0).is_some() {
                continue;
            }
            let mark = FlowMark { time, event };
            for slot in lanes.slots(place) {
                let steps = bits.iter().filter(|(_, b)| b.is_some_and(|b| b.get(here)));
                out.extend(
                    steps
                        .filter_map(|(step, _)| lanes.found((place, slot), source.id, *step, mark)),
                );
            }
        }
    }
    out
}

/// The columns of the keys of a flow, of one group of a segment.
struct Lanes<'a> {
    of: &'a FlowKeys,
    /// Where the values of each row end, in columns of lists.
    ends: Option<&'a [u32]>,
    id: Vec<Lane>,
    from: Lane,
    to: Lane,
    label: Lane,
}

impl<'a> Lanes<'a> {
    /// `None`: its rows have no id.
    fn of(group: &GroupView<'a>, keys: &'a FlowKeys) -> Option<Lanes<'a>> {
        let id: Vec<Lane> = keys.id.iter().map(|k| group.lane(*k)).collect();
        let lane = |key: Option<KeyId>| key.map_or(Lane::Absent, |k| group.lane(k));
        (!id.iter().any(Lane::is_absent)).then(|| Lanes {
            of: keys,
            ends: group.ends,
            id,
            from: lane(keys.from),
            to: lane(keys.to),
            label: lane(keys.label),
        })
    }

    /// The slots of a row: several where its id is a list, for it is about several messages then.
    fn slots(&self, row: usize) -> Range<usize> {
        match self.id.iter().any(|l| matches!(l, Lane::Slots(_))) {
            true => places(self.ends, row),
            false => row..row + 1,
        }
    }

    /// What a row says of the message in one of its slots. `None` where a part of the id is missing.
    fn found(
        &self,
        (row, slot): (usize, usize),
        source: SourceId,
        step: MessageStep,
        mark: FlowMark,
    ) -> Option<MessageRecord> {
        let code = |lane: &Lane| match at_slot(lane, row, slot, self.ends) {
            UNUSABLE => NONE,
            code => code,
        };
        let actor = |key: Option<KeyId>, lane: &Lane| match key {
            None => source.0,
            Some(_) => code(lane),
        };
        let id: Box<[Code]> = self.id.iter().map(code).collect();
        (!id.contains(&NONE)).then(|| MessageRecord {
            id,
            step,
            mark,
            from: actor(self.of.from, &self.from),
            to: actor(self.of.to, &self.to),
            label: code(&self.label),
        })
    }
}

fn at_slot(lane: &Lane, row: usize, slot: usize, ends: Option<&[u32]>) -> Code {
    match lane {
        Lane::Slots(codes) => codes.get(slot).copied().unwrap_or(NONE),
        lane => lane.row(row, ends),
    }
}
