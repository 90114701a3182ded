//! Records of interleaved lines, and the caches of one loader thread for them.

use std::ops::Range;

use widetui_time::time::NO_TIME;

use crate::catalog::Catalog;
use crate::catalog::encode::Encoder;
use crate::catalog::sink::{Head, RecordSink};
use crate::interleaved::{InterleavedLayouts, LookUp, MAX_LEN};
use crate::layout::{HeaderSpans, whole_site};
use crate::messages::shape_cache::{Cells, Message, ShapeCache};
use crate::pattern::Spans;
use crate::reader::Reader;

/// Caches of one loader thread for the interleaved layouts of one reader.
#[derive(Default)]
pub(crate) struct InterleavedCache {
    spans: Spans,
    shapes: Vec<ShapeCache>,
    cells: Cells,
}

impl InterleavedCache {
    /// Reads a line if an interleaved layout matches it; returns whether one does.
    #[inline]
    pub(crate) fn record(
        &mut self,
        with: (&Catalog, &mut Encoder),
        line: &[u8],
        place: (u64, &Reader),
        look_up: LookUp,
        sink: &mut impl RecordSink,
    ) -> bool {
        let interleaved = &place.1.interleaved;
        let found = match look_up {
            LookUp::BeforeOwnLayouts => interleaved.at_start(line, &mut self.spans),
            LookUp::AfterOwnLayouts => interleaved.after_number(line, &mut self.spans),
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
        let interleaved = &*reader.interleaved;
        if self.shapes.len() < interleaved.list.len() {
            self.shapes
                .resize_with(interleaved.list.len(), ShapeCache::default);
        }
        let (Some(interleaved_layout), Some(shapes)) =
            (interleaved.list.get(at), self.shapes.get_mut(at))
        else {
            return false;
        };
        let layout = &interleaved_layout.layout;
        let time = header.time.filter(|t| reader.can_resolve(t));
        let (site, context) = whole_site(tables, layout, line, &header, &self.spans);
        let message = Message {
            site: &site,
            line: header.message_of(line),
            named: None,
            likely: None,
        };
        let shape = shapes.shape(
            tables,
            &interleaved_layout.scope,
            encoder,
            message,
            &mut self.cells,
        );
        let head = Head {
            offset,
            time: time.map_or(NO_TIME, |t| reader.resolved(t).ns),
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
        interleaved: &InterleavedLayouts,
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
            .get(from..text.len().min(line.end + SEARCH_WINDOW))
            .unwrap_or_default();
        match interleaved.find_words(window) {
            Some(at) if from + at < line.end => {}
            Some(at) => {
                *clear = from + at;
                return (whole, b"");
            }
            None => {
                // Words may begin in the window and end after it.
                *clear = line.end.max((from + window.len()).saturating_sub(MAX_LEN));
                return (whole, b"");
            }
        }
        let at = interleaved.after_text(whole, &mut self.spans);
        whole.split_at(at.unwrap_or(whole.len()))
    }
}

/// Bytes searched beyond the end of a line.
const SEARCH_WINDOW: usize = 1 << 16;
