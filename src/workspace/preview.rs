//! The first screen: head and tail of every file, read in a fraction of a second and thrown away when the load is done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::base::cancel::{Cancel, Progress};
use crate::base::ids::SourceId;
use crate::format::lines::{Behind, Chunk};
use crate::source::discover::FoundFile;
use crate::source::file::{open_regular, read_fully};
use crate::source::head::{Extent, SourceHead, read_start};
use crate::source::sniff::{Sniffed, sniff};
use crate::store::Snapshot;

use super::chunk::Stretch;
use super::detector::Verdict;
use super::load::{OpenOptions, open, snapshot};
use super::units::{Extra, announce, attach, enter, finish};

/// Bytes read at each end of a file.
const END: u64 = 32 * 1024;

/// No file is begun after this time; the load itself follows at once anyway.
const LIMIT: Duration = Duration::from_millis(60);

/// Files that are looked at, chosen evenly.
const FILES: usize = 400;

/// A snapshot of head and tail of the files. `None` when cancelled or when nothing could be read.
pub(super) fn preview(
    options: &OpenOptions,
    found: &[FoundFile],
    cancel: &Cancel,
) -> Option<Snapshot> {
    let started = Instant::now();
    let shared = open(options, cancel, &Progress::default()).ok()?;
    shared.harvest(|h| announce(h, &shared, found, Extra::default()));
    let step = found.len().div_ceil(FILES).max(1);
    let chosen: Vec<usize> = (0..found.len()).step_by(step).collect();
    chosen.par_iter().for_each(|&i| {
        if started.elapsed() > LIMIT || cancel.is_cancelled() {
            return;
        }
        let (id, file) = (SourceId(i as u32), &found[i]);
        let Ok(opened) = open_regular(&file.path) else {
            return;
        };
        let mut head = Vec::new();
        let Ok(extent) = read_start(&opened, file.bytes, &mut head) else {
            return;
        };
        let n = head.len();
        if !matches!(sniff(&head), Sniffed::Text) {
            return;
        }
        let looked_at = SourceHead::of(&head, extent);
        let log = match shared.detector.detect(&file.name, looked_at, file.modified) {
            Verdict::Attachment(what) => return attach(&shared, id, &what),
            Verdict::Log(log) => log,
            Verdict::Rows(_) => return,
        };
        enter(&shared, id, &log, None);
        let mut tail = Vec::new();
        let mut tail_offset = file.bytes;
        if extent == Extent::Cut {
            let from = file.bytes.saturating_sub(END).max(n as u64);
            tail.resize((file.bytes - from) as usize, 0);
            let m = read_fully(&opened, &mut tail, from).unwrap_or(0);
            tail.truncate(m);
            // From the first line start on.
            let start = memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1);
            tail.drain(..start);
            tail_offset = from + start as u64;
            // The last record of the head may go on beyond it.
            head.truncate(END as usize);
            let end = memchr::memrchr(b'\n', &head).map_or(0, |at| at + 1);
            head.truncate(end);
        }
        shared.with_worker(|worker| {
            let first = Chunk {
                text: &head,
                offset: 0,
                first: true,
                after: &[],
                behind: Behind::Nothing,
            };
            worker.load(&shared.tables, &log.reader, id, 0, first);
            if !tail.is_empty() {
                let last = Chunk {
                    text: &tail,
                    offset: tail_offset,
                    first: false,
                    after: &[],
                    behind: Behind::Nothing,
                };
                let seq = Stretch(1).first_part();
                worker.load(&shared.tables, &log.reader, id, seq, last);
            }
            finish(&shared, worker, (id.0, 0));
        });
    });
    let mut snapshot = snapshot(options, &shared, false)?;
    // What stands between head and tail was not read.
    let gaps: Arc<[_]> = snapshot
        .segments
        .iter()
        .map(|s| s.parts.iter().map(|p| p.end).collect())
        .collect();
    snapshot.part_ends = gaps;
    Some(snapshot)
}
