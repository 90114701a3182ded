//! Reader of the records of a text that goes on where it stopped: a load is a resume from 0, following is a resume.

use std::io;
use std::ops::Range;

use widetui_core::ids::SourceId;
use widetui_format::catalog::Catalog;
use widetui_format::load::lines::{Chunk, Growth, MAX_LINE};
use widetui_format::messages::continuation_lines::AHEAD;
use widetui_source::head::HEAD;
use widetui_source::text::{Text, read_range};

use crate::chunk::{PIECE, PartNumber, PieceReader, pieces, whole_lines};
use crate::detector::Log;
use crate::worker::Worker;

/// Maximum length of the unfinished end that is shown: a last line without a line feed, or a last record to which
/// continuation lines may be added.
const REST: usize = AHEAD + (16 << 10);

/// Reading state of a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordReader {
    /// Reader of its records; `None` while there is no whole line, and for a source that is no log.
    pub(crate) log: Option<Log>,
    /// Length of the text when the reader was last detected.
    pub(crate) sampled: u64,
    /// Byte up to which it was read.
    pub(crate) read_to: u64,
    /// Unfinished end of the text, or the start of that.
    pub(crate) rest: Vec<u8>,
    /// True if any records were read.
    pub(crate) has_records: bool,
    /// Number of the last part that was read.
    pub(crate) seq: u32,
}

/// Result of reading on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewLines {
    /// Bytes of whole lines.
    pub(crate) bytes: u64,
    /// Byte up to which the text was examined.
    pub(crate) end: u64,
}

impl RecordReader {
    /// Reads the records of new lines, about `most` bytes, of a text. A last line without its end, and
    /// a last record that may continue, are left for the next time.
    pub(crate) fn resume(
        &mut self,
        (tables, worker): (&Catalog, &mut Worker),
        id: SourceId,
        text: &dyn Text,
        (most, growth): (u64, Growth),
    ) -> io::Result<NewLines> {
        let len = text.len();
        let mut read = NewLines { bytes: 0, end: len };
        if let Some(log) = &self.log {
            self.seq += 1;
            // Holds other text.
            worker.buffer.clear();
            let most = most.max(PIECE);
            let range = self.read_to..len.min(self.read_to.saturating_add(most));
            let part = Part {
                id,
                log,
                seq: PartNumber(self.seq).first_part(),
                range: range.clone(),
                first: !self.has_records,
                growth,
            };
            let to = part.read((tables, worker), text)?.read_to;
            self.has_records |= worker.builder.records() > 0;
            read = NewLines {
                bytes: to - self.read_to,
                end: if range.end < len { to } else { len },
            };
            self.read_to = to;
        }
        self.note_rest(text, read.end)?;
        Ok(read)
    }

    /// Stores the unfinished end of a text of `len` bytes after all whole lines were read.
    fn note_rest(&mut self, text: &dyn Text, len: u64) -> io::Result<()> {
        let is_line_start = match self.read_to.checked_sub(1) {
            Some(last) => read_range(text, last, 1)? == b"\n",
            None => true,
        };
        let len = if is_line_start { len } else { 0 };
        let rest = len.saturating_sub(self.read_to).min(REST as u64) as usize;
        self.rest = read_range(text, self.read_to, rest)?;
        Ok(())
    }

    /// True if the reader should be detected (again) for a text of `len` bytes. Without records detection is repeated
    /// whenever the text grows, since nothing has to be read again.
    pub(crate) fn needs_detection(&self, len: u64) -> bool {
        let again = (self.sampled * 2).min(HEAD as u64);
        len > self.sampled && (!self.has_records || self.sampled < HEAD as u64 && len >= again)
    }

    /// True if only part of the detector's sample was present when the reader was detected.
    pub(crate) fn is_partly_sampled(&self, len: u64) -> bool {
        self.sampled < len.min(HEAD as u64)
    }

    /// Resets the reading position to the start.
    pub(crate) fn restart(&mut self) {
        (self.read_to, self.has_records) = (0, false);
    }

    /// Unfinished end of the text, to be shown.
    pub(crate) fn unfinished(&self) -> Option<(&Log, u32, Chunk<'_>)> {
        let log = self.log.as_ref().filter(|_| !self.rest.is_empty())?;
        let chunk = Chunk {
            text: &self.rest,
            offset: self.read_to,
            first: !self.has_records,
            after: &[],
            growth: Growth::Complete,
        };
        Some((log, PartNumber(self.seq + 1).first_part(), chunk))
    }
}

/// Part of a text whose lines are read.
pub(crate) struct Part<'l> {
    pub(crate) id: SourceId,
    pub(crate) log: &'l Log,
    pub(crate) seq: u32,
    /// Bytes in which the lines start.
    pub(crate) range: Range<u64>,
    /// True if no record precedes the part.
    pub(crate) first: bool,
    /// True if the end of the text may grow.
    pub(crate) growth: Growth,
}

/// End of a part that was read.
pub(crate) struct PartEnd {
    /// Byte up to which the text was read.
    pub(crate) read_to: u64,
    /// True if this is where the text may grow.
    pub(crate) is_growing: bool,
}

impl Part<'_> {
    /// Reads the lines that start in the part; the worker's buffer may hold the first bytes of the text, and holds others then.
    pub(crate) fn read(
        &self,
        (tables, worker): (&Catalog, &mut Worker),
        text: &dyn Text,
    ) -> io::Result<PartEnd> {
        let mut reader = PieceReader::new(text, std::mem::take(&mut worker.buffer));
        let mut first = self.first;
        let mut end = Ok(PartEnd {
            read_to: self.range.start,
            is_growing: false,
        });
        for piece in pieces(self.range.clone()) {
            let (lines, offset) = match reader.lines(piece) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(error) => {
                    end = Err(error);
                    break;
                }
            };
            let all = reader.text();
            let is_growing =
                self.growth == Growth::Growing && offset + lines.len() as u64 >= text.len();
            let mut own = &all[lines.clone()];
            if is_growing {
                let whole = whole_lines(own);
                // The start of an excessively long line becomes the record, the rest is skipped.
                own = match whole.is_empty() && own.len() > MAX_LINE {
                    true => &own[..MAX_LINE],
                    false => whole,
                };
            }
            let chunk = Chunk {
                text: own,
                offset,
                first,
                after: &all[lines.start + own.len()..],
                growth: if is_growing {
                    Growth::Growing
                } else {
                    Growth::Complete
                },
            };
            let to = worker.load(tables, &self.log.reader, self.id, self.seq, chunk);
            first &= worker.builder.records() == 0;
            end = Ok(PartEnd {
                read_to: to,
                is_growing,
            });
        }
        worker.buffer = reader.into_buffer();
        end
    }
}
