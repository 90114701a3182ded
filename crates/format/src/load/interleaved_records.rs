//! Records of interleaved lines, and the caches of one loader thread for them.

use std::ops::Range;

use widetui_time::time::NO_TIME;

use crate::catalog::Catalog;
use crate::catalog::encode::Encoder;
use crate::catalog::sink::{Head, RecordSink};
use crate::interleaved::{Asked, Guests, LONGEST};
use crate::layout::{HeaderSpans, whole_site};
use crate::messages::shape_cache::{Cells, Message, ShapeCache};
use crate::pattern::Spans;
use crate::reader::Reader;

/// Caches of one loader thread for the interleaved layouts of one reader.
#[derive(Default)]
pub(crate) struct GuestCache {
    spans: Spans,
    shapes: Vec<ShapeCache>,
    cells: Cells,
}

impl GuestCache {
    /// Reads a line if an interleaved layout matches it; returns whether one does.
    #[inline]
    pub(crate) fn record(
        &mut self,
        with: (&Catalog, &mut Encoder),
        line: &[u8],
        place: (u64, &Reader),
        asked: Asked,
        sink: &mut impl RecordSink,
    ) -> bool {
        let guests = &place.1.guests;
        let found = match asked {
            Asked::First => guests.at_start(line, &mut self.spans),
            Asked::Last => guests.numbered(line, &mut self.spans),
        };
        found.is_some_and(|found| self.read(with, line, place, found, sink))
    }

    fn read(
        &mut self,
        (tables, encoder): (&Catalog, &mut Encoder),
        line: &[u8],
        (offset, reader): (u64, &Reader),
        (at, header): (usize, HeaderSpans),
        sink: &mut impl RecordSink,
    ) -> bool {
        let guests = &*reader.guests;
        let time = header.time.filter(|t| reader.can_tell(t));
        let guest = &guests.list[at];
        let (site, context) = whole_site(tables, &guest.layout, line, &header, &self.spans);
        let message = Message {
            site: &site,
            line: &line[header.message..],
            named: None,
            likely: None,
        };
        if self.shapes.len() < guests.list.len() {
            self.shapes
                .resize_with(guests.list.len(), ShapeCache::default);
        }
        let shapes = &mut self.shapes[at];
        let shape = shapes.shape(tables, &guest.scope, encoder, message, &mut self.cells);
        let head = Head {
            offset,
            time: time.map_or(NO_TIME, |t| t.near(reader.reference).ns),
            shape,
            context,
            level: self.cells.level,
        };
        sink.record(head, &self.cells.codes, &self.cells.lists);
        true
    }

    /// Splits the line at `range` into its own text and an interleaved line after it, if there is one. Lines must be
    /// passed in order; `clear` is kept between calls, and 0 before the first one.
    pub(crate) fn split<'a>(
        &mut self,
        guests: &Guests,
        (text, line): (&'a [u8], Range<usize>),
        clear: &mut usize,
    ) -> (&'a [u8], &'a [u8]) {
        let whole = text.get(line.clone()).unwrap_or_default();
        if line.end <= *clear {
            return (whole, b"");
        }
        // Searching far ahead at once costs less than searching each line.
        let from = line.start.max(*clear);
        let window = text
            .get(from..text.len().min(line.end + AHEAD))
            .unwrap_or_default();
        match guests.words(window) {
            Some(at) if from + at < line.end => {}
            Some(at) => {
                *clear = from + at;
                return (whole, b"");
            }
            None => {
                // Words may begin in the window and end after it.
                *clear = line.end.max((from + window.len()).saturating_sub(LONGEST));
                return (whole, b"");
            }
        }
        let at = guests.behind(whole, &mut self.spans);
        whole.split_at(at.unwrap_or(whole.len()))
    }
}

/// Bytes searched beyond the end of a line.
const AHEAD: usize = 1 << 16;
