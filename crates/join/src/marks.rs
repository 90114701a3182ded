//! Starts and ends of instances in the logs that they write.

use widetui_core::dict::Code;
use widetui_core::ids::EventId;
use widetui_query::Selection;
use widetui_store::Snapshot;

use crate::row_walk::PartRows;
use crate::spec::identity::PROCESS_ID;

/// Position in a source: sequence number of the part, and row of its segment.
pub(crate) type SourcePosition = (u32, u32);

/// Time of the first start in a file after all instances have ended, UTC ns. When the file began,
/// `alive_before` other instances may have been alive.
pub(crate) fn next_start(marks: &[Mark], alive_before: u32) -> Option<i64> {
    let mut alive = alive_before;
    for mark in marks {
        if mark.opens && !mark.is_first && alive == 0 {
            return mark.time;
        }
        alive = match mark.opens {
            true => alive + 1,
            false => alive.saturating_sub(1),
        };
    }
    None
}

/// True if an opening record follows the first record of a file.
pub(crate) fn has_later_opening(parts: &[PartRows], open: &Selection) -> bool {
    parts.iter().enumerate().any(|(at, part)| {
        let from = part.first + usize::from(at == 0);
        let opens = open.segment(part.segment);
        opens.is_some_and(|bits| bits.ones_in(from, part.end).next().is_some())
    })
}

/// Start or end of an instance in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) position: SourcePosition,
    /// The first record of the start, or the end.
    pub(crate) event: EventId,
    /// True if an instance starts; otherwise one ends.
    pub(crate) opens: bool,
    /// True if the file begins with this record.
    pub(crate) is_first: bool,
    /// Process that wrote the record.
    pub(crate) process: Option<Code>,
    /// Time of the record, UTC ns.
    pub(crate) time: Option<i64>,
}

/// Starts and ends of instances in file order; consecutive opening records are one start.
pub(crate) fn marks(
    snapshot: &Snapshot,
    parts: &[PartRows],
    open: &Selection,
    close: &Selection,
) -> Vec<Mark> {
    let process_key = snapshot.catalog.keys.find(PROCESS_ID);
    let mut out = Vec::new();
    // Number of rows of the file before this part; the row after the last opening record.
    let (mut before, mut next) = (0, None);
    for PartRows {
        segment,
        first,
        end,
    } in parts
    {
        let seq = snapshot.segments[*segment].part(*first).seq;
        let ones = |of: &Selection| -> Vec<usize> {
            let bits = of.segment(*segment);
            bits.map_or_else(Vec::new, |bits| bits.ones_in(*first, *end).collect())
        };
        let closes = ones(close).into_iter().map(|row| (row, false));
        let mut marks: Vec<(usize, bool)> = closes.collect();
        marks.extend(ones(open).into_iter().map(|row| (row, true)));
        marks.sort_unstable();
        for (row, opens) in marks {
            let at = before + row - first;
            let is_continued = opens && next == Some(at);
            if opens {
                next = Some(at + 1);
            }
            if is_continued {
                continue;
            }
            let id = EventId(snapshot.bases[*segment] + row as u32);
            let event = snapshot.event(id);
            let mut process = None;
            if let Some(event) = &event {
                event.for_each_code(|key, codes, _| {
                    if Some(key) == process_key {
                        process = codes.first().copied();
                    }
                });
            }
            out.push(Mark {
                position: (seq, row as u32),
                event: id,
                opens,
                is_first: opens && at == 0,
                process,
                time: event.and_then(|event| event.time()),
            });
        }
        before += end - first;
    }
    out
}
