//! Lines added to a growing text since the last poll.

use std::io;
use std::path::Path;

use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::file::open_regular;
use widetui_source::head::read_start;
use widetui_source::sniff::{SNIFF_LEN, sniff};
use widetui_source::text::Text;

use crate::chunk::PartNumber;
use crate::load_context::LoadContext;
use crate::worker::Worker;

use super::growing::Growing;

/// Result of reading a file at one poll.
pub(super) struct NewLines {
    /// Bytes of whole lines.
    pub(crate) bytes: u64,
    /// Byte up to which the file was examined.
    pub(crate) end: u64,
}

/// Reads new lines, about `most` bytes, of a text of `len` bytes.
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
            let seq = PartNumber(lines.seq).first_part();
            let to = worker.load(tables, &log.reader, lines.id, seq, chunk);
            lines.has_records |= worker.builder.records() > 0;
            if to < end_of_lines {
                // The last record is read again when it is complete.
                lines.read_from(to);
                break;
            }
        }
        if read.bytes >= most {
            // The remaining lines are read at the next poll.
            read.end = end_of_lines;
            break;
        }
    }
    worker.buffer = buffer;
    Ok(read)
}

/// Whether a file is an archive or compressed, so that it does not grow; false if it cannot be read.
pub(super) fn is_packed(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| read_start(&file, SNIFF_LEN as u64, &mut head));
    read.is_ok() && sniff(&head).is_packed()
}
