//! Lines that a growing text has gained since the last poll.

use std::io;
use std::path::Path;

use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::file::open_regular;
use widetui_source::head::read_start;
use widetui_source::sniff::{SNIFF_LEN, sniff};
use widetui_source::text::Text;

use crate::chunk::Stretch;
use crate::load_context::LoadContext;
use crate::worker::Worker;

use super::growing::Growing;

/// What was read of a file at one poll.
pub(super) struct NewLines {
    /// Bytes of whole lines.
    pub(crate) bytes: u64,
    /// How far its lines are known.
    pub(crate) end: u64,
}

/// Reads the new lines of a text that has so many bytes, about `most`.
pub(super) fn read_lines(
    shared: &LoadContext,
    worker: &mut Worker,
    lines: &mut Growing,
    (text, len): (&dyn Text, u64),
    most: u64,
) -> io::Result<NewLines> {
    let mut buffer = std::mem::take(&mut worker.buffer);
    let mut read = NewLines { bytes: 0, end: len };
    while let Some(new) = lines.next_lines(text, len, &mut buffer)? {
        let end_of_lines = new.offset + new.len as u64;
        read.bytes += new.len as u64;
        lines.seq += 1;
        let chunk = Chunk {
            text: &buffer[..new.len],
            offset: new.offset,
            first: !lines.has_records,
            after: &buffer[new.len..],
            growth: match new.offset + buffer.len() as u64 >= len {
                true => Growth::Growing,
                false => Growth::Complete,
            },
        };
        if let Some(log) = &lines.log {
            let tables = &shared.tables;
            let seq = Stretch(lines.seq).first_part();
            let to = worker.load(tables, &log.reader, lines.id, seq, chunk);
            lines.has_records |= worker.builder.records() > 0;
            if to < end_of_lines {
                // Its last record is read again when more has come.
                lines.read_from(to);
                break;
            }
        }
        if read.bytes >= most {
            // The rest is read at the next poll.
            read.end = end_of_lines;
            break;
        }
    }
    worker.buffer = buffer;
    Ok(read)
}

/// Whether files are packed in it: it was written at once. One that cannot be read may be anything.
pub(super) fn is_packed(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| read_start(&file, SNIFF_LEN as u64, &mut head));
    read.is_ok() && sniff(&head).is_packed()
}
