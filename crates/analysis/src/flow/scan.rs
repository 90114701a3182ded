//! Scan for the records of message steps: one pass over the columns per flow.

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_query::bits::Bits;
use widetui_query::{Expr, Selection, select};
use widetui_store::Snapshot;
use widetui_store::key_column::{
    CellPosition, GroupView, KeyColumn, SegmentView, cells_of_row, usable,
};
use widetui_time::time::NO_TIME;

use crate::flow::records::{FlowRecords, IdStems, MessageRecord, MessageStep, SegmentRecords};
use crate::flow::{FlowMark, FlowSpec};

/// Keys of a flow in a snapshot.
pub(super) struct FlowKeys {
    /// Keys that identify a message.
    pub(crate) id: Vec<KeyId>,
    /// Key of the sender; `None` if the source of the record is the sender.
    pub(crate) sender: Option<KeyId>,
    /// Key of the receiver; `None` if the source of the record is the receiver.
    pub(crate) receiver: Option<KeyId>,
    /// Key of the label.
    pub(crate) label: Option<KeyId>,
}

/// Name in definitions for the source of a record as an actor.
const SOURCE_ACTOR: &str = "source";

impl FlowKeys {
    /// Resolves the keys of a flow; `None` if no event has a message id.
    pub(crate) fn resolve(snapshot: &Snapshot, spec: &FlowSpec) -> Option<FlowKeys> {
        let find = |name: &String| snapshot.catalog.keys.find(name);
        let id: Option<Vec<KeyId>> = spec.id_keys.iter().map(find).collect();
        // A key that does not occur leaves the actors unknown.
        let actor = |name: &String| match name == SOURCE_ACTOR {
            true => None,
            false => Some(find(name).unwrap_or(KeyId(u16::MAX))),
        };
        Some(FlowKeys {
            id: id.filter(|k| !k.is_empty())?,
            sender: actor(&spec.sender_key),
            receiver: actor(&spec.receiver_key),
            label: spec.label_key.as_ref().and_then(find),
        })
    }
}

/// Finds the records of one flow. `None` when cancelled.
pub(super) fn records(
    snapshot: &Snapshot,
    spec: &FlowSpec,
    keys: &FlowKeys,
    duplicated_rows: &[Vec<u32>],
    cancel: &Cancel,
) -> Option<FlowRecords> {
    let sent = select(snapshot, &spec.sent, cancel)?;
    let received = select(snapshot, &spec.received, cancel)?;
    let optional = |expr: &Option<Expr>| match expr {
        Some(expr) => select(snapshot, expr, cancel).map(Some),
        None => Some(None),
    };
    let answered = optional(&spec.answered)?;
    let posted = optional(&spec.posted)?;
    let steps = [
        (MessageStep::Sent, Some(&sent)),
        (MessageStep::Received, Some(&received)),
        (MessageStep::Answered, answered.as_ref()),
        (MessageStep::Posted, posted.as_ref()),
    ];
    let segments = (0..snapshot.segments.len()).into_par_iter();
    let found: Vec<SegmentRecords> = segments
        .map(|index| match cancel.is_cancelled() {
            true => SegmentRecords::default(),
            false => scan_segment(snapshot, keys, steps, index, &duplicated_rows[index]),
        })
        .collect();
    (!cancel.is_cancelled()).then(|| FlowRecords::merge(found))
}

/// Finds the records of message steps in one segment.
fn scan_segment(
    snapshot: &Snapshot,
    keys: &FlowKeys,
    steps: [(MessageStep, Option<&Selection>); 4],
    index: usize,
    duplicated_rows: &[u32],
) -> SegmentRecords {
    let mut found = SegmentRecords::default();
    let steps = steps.iter().filter_map(|(step, events)| {
        let bits = events.and_then(|e| e.segment(index));
        Some((*step, bits.filter(|b| b.any())?))
    });
    let steps: Vec<(MessageStep, &Bits)> = steps.collect();
    let Some(((_, first), others)) = steps.split_first() else {
        return found;
    };
    let mut fitting = (*first).clone();
    others.iter().for_each(|(_, bits)| fitting.or(bits));
    let view = SegmentView::new(snapshot, index, duplicated_rows);
    // Few groups have matching rows: skip all others.
    let mut has_fitting = vec![false; view.segment.groups.len()];
    for row in fitting.ones() {
        has_fitting[view.segment.group_number(row)] = true;
    }
    for at in (0..has_fitting.len()).filter(|at| has_fitting[*at]) {
        let group = view.group(at);
        let Some(key_columns) = FlowColumns::read(&group, keys) else {
            continue;
        };
        let rows = group.group.rows.iter().map(|row| usize::from(*row));
        for (place, row) in rows.enumerate().filter(|(_, row)| fitting.get(*row)) {
            let event = EventId(snapshot.bases[index] + row as u32);
            let source = &snapshot.sources[view.segment.part(row).source.index()];
            let time = view.segment.utc(source, row);
            if time == NO_TIME || snapshot.duplicates.original_of(event.0).is_some() {
                continue;
            }
            let origin = RecordOrigin {
                source: source.id,
                mark: FlowMark { time, event },
            };
            for cell in cells_of_row(place, group.ends, key_columns.is_listed) {
                let cell = CellPosition {
                    row: place,
                    element: key_columns.is_listed.then_some(cell),
                    ends: group.ends,
                };
                let all = steps.iter().filter(|(_, bits)| bits.get(row));
                for (step, _) in all {
                    let stems = &mut found.stems;
                    let record = key_columns.record(cell, &origin, *step, stems);
                    found.list.extend(record);
                }
            }
        }
    }
    found
}

/// Source and time of a record.
struct RecordOrigin {
    source: SourceId,
    mark: FlowMark,
}

/// Key columns of a flow in one group of a segment.
struct FlowColumns<'a> {
    keys: &'a FlowKeys,
    /// Columns of all keys of the id but the last; `last` is that of the last.
    stem: Vec<KeyColumn>,
    last: KeyColumn,
    /// Whether ids are lists, so that a record may concern several messages.
    is_listed: bool,
    sender: KeyColumn,
    receiver: KeyColumn,
    label: KeyColumn,
}

impl<'a> FlowColumns<'a> {
    /// Reads the columns of a group; `None` if its rows have no id.
    fn read(group: &GroupView<'a>, keys: &'a FlowKeys) -> Option<FlowColumns<'a>> {
        let mut id: Vec<KeyColumn> = keys.id.iter().map(|k| group.key_column(*k)).collect();
        if id.iter().any(KeyColumn::is_absent) {
            return None;
        }
        let is_listed = id.iter().any(|l| matches!(l, KeyColumn::Elements(_)));
        let last = id.pop()?;
        let key_column =
            |key: Option<KeyId>| key.map_or(KeyColumn::Absent, |k| group.key_column(k));
        Some(FlowColumns {
            keys,
            stem: id,
            last,
            is_listed,
            sender: key_column(keys.sender),
            receiver: key_column(keys.receiver),
            label: key_column(keys.label),
        })
    }

    /// Record of the message in a cell; `None` if a part of the id is missing.
    fn record(
        &self,
        cell: CellPosition<'_>,
        origin: &RecordOrigin,
        step: MessageStep,
        stems: &mut IdStems,
    ) -> Option<MessageRecord> {
        let code = |key_column: &KeyColumn| usable(key_column.at(cell)).unwrap_or(NONE);
        let stem = self.stem.iter().map(|column| usable(column.at(cell)));
        let stem: Vec<Code> = stem.collect::<Option<_>>()?;
        let actor = |key: Option<KeyId>, key_column: &KeyColumn| match key {
            None => origin.source.0,
            Some(_) => code(key_column),
        };
        Some(MessageRecord {
            last: usable(self.last.at(cell))?,
            stem: stems.number(&stem),
            step,
            mark: origin.mark,
            sender: actor(self.keys.sender, &self.sender),
            receiver: actor(self.keys.receiver, &self.receiver),
            label: code(&self.label),
        })
    }
}
