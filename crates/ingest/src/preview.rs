//! Preview: head and tail of every file, read in a fraction of a second for the first screen and discarded after the
//! load.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::SourceId;
use widetui_format::load::lines::Growth;
use widetui_source::discover::FoundFile;
use widetui_source::file::{OpenText, open_regular};
use widetui_source::head::read_start;
use widetui_store::Snapshot;

use crate::chunk::PartNumber;
use crate::files::{Contents, Extra, classify, enter_sources};
use crate::load_context::LoadContext;
use crate::options::OpenOptions;
use crate::record_reader::Part;
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
    let text = OpenText::new(&opened, file.bytes);
    let mut head = Vec::new();
    let extent = read_start(&text, &mut head).ok()?;
    let log = match classify(shared, (&file.name, file.modified), &head, extent) {
        Contents::Log(log) => log,
        Contents::Attachment(what) => {
            attach(shared, id, &what);
            return None;
        }
        _ => return None,
    };
    enter(shared, id, &log, None);
    let head = 0..END.min(file.bytes);
    let tail = file.bytes.saturating_sub(END).max(head.end)..file.bytes;
    shared.with_worker(|worker| {
        for (number, range) in (0..).zip([head, tail]) {
            let part = Part {
                id,
                log: &log,
                seq: PartNumber(number).first_part(),
                first: range.start == 0,
                range,
                growth: Growth::Complete,
            };
            worker.buffer.clear();
            // The load reports read errors.
            let _ = part.read((&shared.tables, worker), &text);
        }
        shared.finish_unit(worker, (id.0, 0));
    });
    Some(())
}
