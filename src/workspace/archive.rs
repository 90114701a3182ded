//! Archives read in place: nothing is unpacked to disk, members are sources like any file.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::read::MultiGzDecoder;
use rayon::Scope;

use crate::base::ids::SourceId;
use crate::format::lines::Chunk;
use crate::source::discover::Found;
use crate::source::file::{FileText, open_regular};
use crate::source::sniff::{Sniffed, sniff};
use crate::source::spool::SpoolText;
use crate::source::text::{Memory, Text};

use super::chunk::CHUNK;
use super::detector::{Log, Origin, Verdict};
use super::load::{Embedded, Shared};
use super::rows::{Holder, read_database_stream, read_rows};
use super::stream::Pieces;
use super::streamed::{Counted, read_some, read_stream};
use super::units::{HEAD, attach, enter, finish, sample_of, trouble, unread};

/// An archive may hold this many members.
const MEMBERS: usize = 2_000_000;

/// Beyond this many bytes an archive must not be larger than `RATIO` times its compressed size: logs compress 10 to 60
/// times, bombs a thousand times.
pub(super) const BOMB_BYTES: u64 = 2 << 30;
/// See `BOMB_BYTES`.
pub(super) const RATIO: u64 = 250;

/// What an archive from a pipe is taken to measure, bytes.
const PIPED_BYTES: u64 = 256 << 20;

/// A small member that waits to be parsed.
struct Member {
    id: SourceId,
    log: Log,
    bytes: Vec<u8>,
    /// Where to keep it; `None` when it can be read from the archive's file.
    keep: Option<Arc<SpoolText>>,
}

/// Reads a tar archive, gzip-compressed or `plain`.
pub(super) fn read_tar<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    file: &'s Found,
    next_id: &AtomicUsize,
    plain: bool,
) {
    let opened = match open_regular(&file.path) {
        Ok(opened) => opened,
        Err(error) => return trouble(shared, id, None, format!("cannot be read: {error}")),
    };
    let what = if plain { "tar" } else { "tar.gz" };
    attach(
        shared,
        id,
        &format!("{what} archive (its members are listed)"),
    );
    let stream = std::io::BufReader::with_capacity(256 * 1024, Counted::new(opened, shared));
    let archive = Archive::of(file, plain);
    if plain {
        read_members(scope, shared, id, &archive, next_id, stream);
    } else {
        read_members(
            scope,
            shared,
            id,
            &archive,
            next_id,
            MultiGzDecoder::new(stream),
        );
    }
}

/// Reads an archive that is part of the program.
pub(super) fn read_embedded<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    embedded: Embedded,
    next_id: &AtomicUsize,
) {
    attach(shared, id, "tar.gz archive (its members are listed)");
    let archive = Archive {
        name: embedded.name,
        bytes: embedded.bytes.len() as u64,
        plain: None,
    };
    read_members(
        scope,
        shared,
        id,
        &archive,
        next_id,
        MultiGzDecoder::new(embedded.bytes),
    );
}

/// Reads a tar archive that comes through a pipe.
pub(super) fn read_piped<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    id: SourceId,
    next_id: &AtomicUsize,
    stream: impl Read,
) {
    attach(shared, id, "tar archive (its members are listed)");
    let archive = Archive {
        name: "-",
        // Of a pipe only what came through it is known: bombs are stopped by the number of bytes alone.
        bytes: PIPED_BYTES,
        plain: None,
    };
    read_members(scope, shared, id, &archive, next_id, stream);
}

/// What is being read.
struct Archive<'a> {
    name: &'a str,
    bytes: u64,
    /// The file, when members can be read in it again as they stand.
    plain: Option<&'a std::path::Path>,
}

impl<'a> Archive<'a> {
    fn of(file: &'a Found, plain: bool) -> Archive<'a> {
        Archive {
            name: &file.name,
            bytes: file.bytes,
            plain: plain.then_some(file.path.as_path()),
        }
    }
}

fn read_members<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    archive_id: SourceId,
    archive: &Archive<'_>,
    next_id: &AtomicUsize,
    stream: impl Read,
) {
    let plain = archive.plain.is_some();
    let mut tar = tar::Archive::new(stream);
    let entries = match tar.entries() {
        Ok(entries) => entries,
        Err(error) => {
            return trouble(
                shared,
                archive_id,
                None,
                format!("the archive cannot be read: {error}"),
            );
        }
    };
    let mut batch: Vec<Member> = Vec::new();
    let mut batch_bytes = 0u64;
    let mut total = 0u64;
    let waiting = Arc::new(AtomicUsize::new(0));
    for (count, entry) in entries.enumerate() {
        if shared.cancel.is_cancelled() {
            return;
        }
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                trouble(
                    shared,
                    archive_id,
                    None,
                    format!("the archive is broken, read up to there: {error}"),
                );
                break;
            }
        };
        if count >= MEMBERS {
            trouble(
                shared,
                archive_id,
                None,
                format!("more than {MEMBERS} members; the rest is left out"),
            );
            break;
        }
        let size = entry.size();
        total = total.saturating_add(size);
        if !plain && total > BOMB_BYTES && total / RATIO > archive.bytes {
            trouble(
                shared,
                archive_id,
                None,
                format!("expands to more than {RATIO} times its size; the rest is left out"),
            );
            break;
        }
        let kind = entry.header().entry_type();
        if !kind.is_file() && kind != tar::EntryType::GNUSparse {
            continue;
        }
        let inner = member_name(&entry.path_bytes());
        let name = format!("{}/{inner}", archive.name);
        let modified = entry
            .header()
            .mtime()
            .unwrap_or(0)
            .saturating_mul(1_000_000_000) as i64;
        let id = SourceId(next_id.fetch_add(1, Ordering::Relaxed) as u32);
        let text: Arc<dyn Text> = if let Some(path) = archive.plain {
            Arc::new(FileText::new(
                path.to_owned(),
                shared.pool.clone(),
                entry.raw_file_position(),
                size,
            ))
        } else {
            Arc::<Memory>::default()
        };
        shared.harvest(|h| {
            h.drafts.insert(id.0, unread(id, &name, size, text));
        });
        let mut head = vec![0; (size.min(CHUNK) as usize).max(1)];
        let n = read_some(&mut entry, &mut head);
        head.truncate(n);
        let whole = size <= CHUNK;
        if whole && (n as u64) < size {
            trouble(
                shared,
                id,
                Some(n as u64),
                "the archive ends inside this member".to_owned(),
            );
        }
        match sniff(&head) {
            Sniffed::Binary(what) => attach(shared, id, what),
            Sniffed::Sqlite => {
                let stream = std::io::Cursor::new(head).chain(&mut entry);
                let holder = holder(id, &name, modified, next_id);
                read_database_stream(scope, shared, holder, stream);
            }
            Sniffed::Gzip => attach(shared, id, "gzip inside an archive (unpack it to read it)"),
            Sniffed::Tar => attach(shared, id, "tar inside an archive (unpack it to read it)"),
            Sniffed::Text | Sniffed::Empty => {
                let sample = sample_of(&head);
                match shared
                    .detector
                    .detect(&name, sample, whole && n <= HEAD, modified)
                {
                    Verdict::Attachment(what) => attach(shared, id, &what),
                    Verdict::Rows(rows) => {
                        let stream = std::io::Cursor::new(head).chain(&mut entry);
                        let holder = holder(id, &name, modified, next_id);
                        read_rows(scope, shared, holder, rows, stream);
                    }
                    Verdict::Log(log) if whole => {
                        let keep = (!plain).then(|| Arc::new(SpoolText::new(shared.spool.clone())));
                        enter(shared, id, &log, keep.clone().map(|k| k as Arc<dyn Text>));
                        batch_bytes += n as u64;
                        batch.push(Member {
                            id,
                            log,
                            bytes: head,
                            keep,
                        });
                    }
                    Verdict::Log(log) => {
                        let stream = std::io::Cursor::new(head).chain(&mut entry);
                        if let Err(error) =
                            read_stream(scope, shared, id, &log, Pieces::new(stream))
                        {
                            trouble(
                                shared,
                                id,
                                None,
                                format!("the archive is broken here: {error}"),
                            );
                        }
                    }
                }
            }
        }
        if batch_bytes >= CHUNK || batch.len() >= 256 {
            hand_over(scope, shared, std::mem::take(&mut batch), &waiting);
            batch_bytes = 0;
        }
    }
    hand_over(scope, shared, batch, &waiting);
}

fn holder<'a>(id: SourceId, name: &'a str, modified: i64, next_id: &'a AtomicUsize) -> Holder<'a> {
    Holder {
        id,
        name,
        modified,
        next_id,
        origin: Origin::Run,
    }
}

/// Parses a batch on another thread, or here when enough of them wait already.
fn hand_over<'s>(
    scope: &Scope<'s>,
    shared: &'s Shared,
    batch: Vec<Member>,
    waiting: &Arc<AtomicUsize>,
) {
    if batch.is_empty() {
        return;
    }
    if waiting.load(Ordering::Relaxed) >= 6 {
        return read_batch(shared, batch);
    }
    waiting.fetch_add(1, Ordering::Relaxed);
    let waiting = waiting.clone();
    scope.spawn(move |_| {
        read_batch(shared, batch);
        waiting.fetch_sub(1, Ordering::Relaxed);
    });
}

fn read_batch(shared: &Shared, batch: Vec<Member>) {
    let Some(first) = batch.first().map(|m| m.id.0) else {
        return;
    };
    shared.with_worker(|worker| {
        for member in &batch {
            if let Some(keep) = &member.keep {
                keep.keep(0, &member.bytes);
            }
            let chunk = Chunk {
                text: &member.bytes,
                offset: 0,
                first: true,
            };
            worker.load(&shared.tables, &member.log.reader, member.id, 0, chunk);
        }
        finish(shared, worker, (first, 0));
    });
}

/// The name of a member below its archive: no root, no way up.
fn member_name(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    let parts: Vec<&str> = path
        .split('/')
        .filter(|p| !matches!(*p, "" | "." | ".."))
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members_stay_below_the_archive() {
        assert_eq!(
            member_name(b"./runinfo/000/parsl.log"),
            "runinfo/000/parsl.log"
        );
        assert_eq!(member_name(b"../../etc/passwd"), "etc/passwd");
        assert_eq!(member_name(b"/etc//passwd"), "etc/passwd");
    }
}
