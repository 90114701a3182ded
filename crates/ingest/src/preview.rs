//! Preview: head and tail of every file, read in a fraction of a second for the first screen and discarded after the
//! load.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::SourceId;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::discover::FoundFile;
use widetui_source::file::{open_regular, read_fully};
use widetui_source::head::{Extent, SourceHead, read_start};
use widetui_source::sniff::{Sniffed, sniff};
use widetui_store::Snapshot;

use crate::chunk::PartNumber;
use crate::detector::Verdict;
use crate::files::{Extra, enter_sources};
use crate::load_context::LoadContext;
use crate::options::OpenOptions;
use crate::source_entries::{attach, enter};

/// Bytes read at each end of a file.
const END: u64 = 32 * 1024;

/// Time limit for starting to read a file; the load follows at once.
const LIMIT: Duration = Duration::from_millis(60);

/// Maximum number of files to preview, chosen evenly.
const FILES: usize = 400;

/// Snapshot of head and tail of the files; `None` if cancelled or if nothing could be read.
pub(super) fn preview(
    options: &OpenOptions,
    found: &[FoundFile],
    cancel: &Cancel,
) -> Option<Snapshot> {
    let started = Instant::now();
    let shared = LoadContext::new(options, cancel, &Progress::default()).ok()?;
    shared.update(|h| enter_sources(h, &shared, found, Extra::default()));
    let step = found.len().div_ceil(FILES).max(1);
    let chosen: Vec<usize> = (0..found.len()).step_by(step).collect();
    chosen.par_iter().for_each(|&i| {
        if started.elapsed() > LIMIT || cancel.is_cancelled() {
            return;
        }
        // The load reports read errors.
        let _ = ends(&shared, SourceId(i as u32), &found[i]);
    });
    let mut snapshot = shared.snapshot(false)?;
    // The text between head and tail was not read.
    let gaps: Arc<[_]> = snapshot
        .segments
        .iter()
        .map(|s| s.parts.iter().map(|p| p.end).collect())
        .collect();
    snapshot.part_ends = gaps;
    Some(snapshot)
}

/// Reads head and tail of a file; `None` if it is no log or cannot be read.
fn ends(shared: &LoadContext, id: SourceId, file: &FoundFile) -> Option<()> {
    let opened = open_regular(&file.path).ok()?;
    let mut head = Vec::new();
    let extent = read_start(&opened, file.bytes, &mut head).ok()?;
    if !matches!(sniff(&head), Sniffed::Text) {
        return None;
    }
    let looked_at = SourceHead::of(&head, extent);
    let log = match shared.detector.detect(&file.name, looked_at, file.modified) {
        Verdict::Log(log) => log,
        Verdict::Attachment(what) => {
            attach(shared, id, &what);
            return None;
        }
        Verdict::Rows(_) => return None,
    };
    enter(shared, id, &log, None);
    let tail = match extent {
        Extent::Cut => {
            let tail = tail(&opened, file.bytes, head.len() as u64);
            // The last record of the head may be incomplete.
            head.truncate(END as usize);
            let end = memchr::memrchr(b'\n', &head).map_or(0, |at| at + 1);
            head.truncate(end);
            tail
        }
        Extent::Whole => Tail {
            text: Vec::new(),
            offset: file.bytes,
        },
    };
    let chunk = |text, offset| Chunk {
        text,
        offset,
        first: offset == 0,
        after: &[],
        growth: Growth::Complete,
    };
    shared.with_worker(|worker| {
        worker.load(&shared.tables, &log.reader, id, 0, chunk(&head, 0));
        if !tail.text.is_empty() {
            let seq = PartNumber(1).first_part();
            let last = chunk(&tail.text, tail.offset);
            worker.load(&shared.tables, &log.reader, id, seq, last);
        }
        shared.finish_unit(worker, (id.0, 0));
    });
    Some(())
}

/// Last lines of a file.
struct Tail {
    text: Vec<u8>,
    /// Byte of the file at which the lines start.
    offset: u64,
}

/// Reads the lines that start within the last `END` bytes of a file of `len` bytes, after its head.
fn tail(opened: &File, len: u64, head: u64) -> Tail {
    let from = len.saturating_sub(END).max(head);
    let mut text = vec![0; (len - from) as usize];
    let read = read_fully(opened, &mut text, from).unwrap_or(0);
    text.truncate(read);
    // Drops the incomplete first line.
    let start = memchr::memchr(b'\n', &text).map_or(text.len(), |at| at + 1);
    text.drain(..start);
    Tail {
        text,
        offset: from + start as u64,
    }
}
