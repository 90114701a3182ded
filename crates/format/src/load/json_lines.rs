//! Reads JSON lines into records at full speed: a record with the fields of the previous one needs no look-up of names.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::bytes::equal;
use widetui_core::bytes::{leading_nuls, leading_separators};
use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, KeyId};
use widetui_core::level::Level;
use widetui_time::time::NO_TIME;

use crate::catalog::encode::Encoder;
use crate::catalog::sink::{Head, RecordSink};
use crate::catalog::{Catalog, Site};
use crate::interleaved::LookUp;
use crate::json::reader::JsonReader;
use crate::json::record_lists::{self, RecordPath};
use crate::json::template_names::TemplateNames;
use crate::json::writers::Writers;
use crate::layout::whole_site;
use crate::load::interleaved_records::InterleavedCache;
use crate::load::json_forms::{Formed, Forms};
use crate::load::line_predictor::LinePredictor;
use crate::load::lines::{Chunk, examined, plain_record};
use crate::messages::shape_cache::{Cells, Message, ShapeCache};
use crate::pattern::Spans;
use crate::reader::Reader;
use crate::text::json_scan::{Raw, first_object};

/// Caches of one loader thread for one JSON reader.
#[derive(Default)]
pub struct JsonCache {
    /// Forms of the records.
    pub(crate) forms: Forms,
    /// Previous lines, by form and shape.
    pub(crate) predictor: LinePredictor,
    /// Byte ranges of the values of the current line.
    pub(crate) spans: Vec<Range<usize>>,
    /// Ranges of the fields of a pattern.
    pub(crate) fields: Spans,
    /// Code sites by form and level.
    pub(crate) sites: FxHashMap<(u32, Level), Arc<Site>>,
    /// Shapes of the messages.
    pub(crate) shapes: ShapeCache,
    /// Cells of the message.
    pub(crate) cells: Cells,
    /// Cells of the record.
    pub(crate) own: Cells,
    /// Template names that the records provide.
    pub(crate) names: TemplateNames,
    /// Writers of the records.
    pub(crate) writers: Writers,
    /// Buffer for unescaped text.
    pub(crate) scratch: Vec<u8>,
    /// Buffer for the message.
    pub(crate) message: Vec<u8>,
    /// Caches for interleaved lines.
    pub(crate) interleaved: InterleavedCache,
}

/// Reader of JSON lines for one thread.
pub struct JsonLoader<'a> {
    /// Tables of the run.
    pub tables: &'a Catalog,
    /// Dictionaries of this thread.
    pub encoder: &'a mut Encoder,
    /// Caches of this thread for `reader`.
    pub cache: &'a mut JsonCache,
    /// Reader of the source.
    pub reader: &'a Reader,
    /// Dialect.
    pub json: &'a JsonReader,
}

/// How a line was read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadBy {
    /// By comparison with the last line of this step.
    Comparison(usize),
    /// By walking; the positions of its values were recorded.
    Walk,
    /// By walking; the positions of its values are unknown.
    WalkWithoutPositions,
}

/// Position of a record.
#[derive(Clone, Copy)]
pub(crate) struct RecordPosition {
    /// Offset of its start in the source, bytes.
    pub offset: u64,
    /// Context of the objects around it.
    pub(crate) context: Option<ContextId>,
}

impl JsonLoader<'_> {
    /// Reads all lines of a chunk; a line that is not a JSON object becomes a record without a time and is counted as
    /// unreadable.
    pub fn load<'t>(&mut self, chunk: Chunk<'t>, sink: &mut impl RecordSink) {
        let text = chunk.text;
        let mut values: Vec<Raw<'t>> = Vec::with_capacity(64);
        let mut pos = 0;
        while let Some(rest @ [_, ..]) = text.get(pos..) {
            let nuls = leading_nuls(rest);
            if nuls > 0 {
                sink.nul_run(chunk.offset + pos as u64, nuls);
                pos += nuls;
                continue;
            }
            let separators = leading_separators(rest);
            pos += separators;
            let rest = rest.get(separators..).unwrap_or_default();
            // A hole ends the line that it cut off.
            let end = memchr::memchr2(b'\n', 0, rest).unwrap_or(rest.len());
            let (line, after) = rest.split_at_checked(end).unwrap_or_default();
            let line = examined(line.strip_suffix(b"\r").unwrap_or(line));
            let offset = chunk.offset + pos as u64;
            pos += end + usize::from(after.first() != Some(&0));
            if line.trim_ascii().is_empty() {
                continue;
            }
            let with = (self.tables, &mut *self.encoder);
            let place = (offset, self.reader);
            if self
                .cache
                .interleaved
                .record(with, line, place, LookUp::BeforeOwnLayouts, sink)
            {
                continue;
            }
            match &self.json.spec.records {
                None => {
                    let context = None;
                    self.object(line, RecordPosition { offset, context }, &mut values, sink);
                }
                Some(path) => self.records(path, line, offset, &mut values, sink),
            }
        }
    }

    /// Reads the records in a line that holds many.
    fn records<'t>(
        &mut self,
        path: &RecordPath,
        line: &'t [u8],
        offset: u64,
        values: &mut Vec<Raw<'t>>,
        sink: &mut impl RecordSink,
    ) {
        let mut around: Vec<(usize, Vec<(KeyId, Code)>)> = Vec::new();
        let mut context = None;
        let mut count = 0;
        let whole = path.walk(line, &mut |found| {
            match found {
                record_lists::PathMatch::Around(depth, range) => {
                    around.retain(|(d, _)| *d > depth);
                    let object = line.get(range).unwrap_or_default();
                    around.push((depth, self.json.enclosing_values(object, self.tables)));
                    let mut all: Vec<(KeyId, Code)> = Vec::new();
                    // The innermost object takes precedence.
                    for (key, code) in around.iter().rev().flat_map(|(_, v)| v) {
                        if all.iter().all(|(k, _)| k != key) {
                            all.push((*key, *code));
                        }
                    }
                    context = (!all.is_empty()).then(|| self.tables.context(&all));
                }
                record_lists::PathMatch::Record(range) => {
                    // The first record includes the start of the line.
                    let at = if count == 0 { 0 } else { range.start as u64 };
                    let offset = offset + at;
                    self.object(
                        line.get(range).unwrap_or_default(),
                        RecordPosition { offset, context },
                        values,
                        sink,
                    );
                    count += 1;
                }
            }
            true
        });
        if whole.is_none() {
            sink.unreadable(offset);
            if count == 0 {
                self.plain(line, offset, sink);
            }
        } else if count == 0 && !path.is_in(line) {
            // Lines of another kind are reported and kept as records.
            sink.unreadable(offset);
            let context = None;
            self.object(line, RecordPosition { offset, context }, values, sink);
        }
    }

    /// Reads the object of a line, or several if the line ends between them are missing.
    fn object<'t>(
        &mut self,
        mut line: &'t [u8],
        mut place: RecordPosition,
        values: &mut Vec<Raw<'t>>,
        sink: &mut impl RecordSink,
    ) {
        while !self.is_read(line, place, values, sink) {
            let Some(end) = first_object(line) else {
                if self.stray(line, place.offset, sink) {
                    return;
                }
                sink.unreadable(place.offset);
                self.plain(line, place.offset, sink);
                return;
            };
            let (first, next) = line.split_at(end);
            self.is_read(first, place, values, sink);
            line = next;
            place.offset += end as u64;
        }
    }

    /// Reads a line that is an object; returns whether it is one.
    fn is_read<'t>(
        &mut self,
        line: &'t [u8],
        place: RecordPosition,
        values: &mut Vec<Raw<'t>>,
        sink: &mut impl RecordSink,
    ) -> bool {
        if let Some(at) = self.cache.predictor.predict(line, values) {
            let form = self.cache.predictor.form(at);
            self.kept(line, (form, ReadBy::Comparison(at)), values, place, sink);
            return true;
        }
        match self.form(line, values) {
            Some((Formed::Kept(form), read_by)) => {
                self.kept(line, (form, read_by), values, place, sink);
            }
            Some((Formed::Own(form), _)) => {
                self.record(&form, values, None, place, sink);
            }
            None => return false,
        }
        true
    }

    /// Form of a line; fills its values and records their positions. `None` if the line is not a JSON object.
    #[inline]
    fn form<'t>(&mut self, line: &'t [u8], values: &mut Vec<Raw<'t>>) -> Option<(Formed, ReadBy)> {
        let spec = &self.json.spec;
        let JsonCache {
            forms,
            predictor,
            spans,
            ..
        } = &mut *self.cache;
        if !spec.has_gaps()
            && let Some(same) = forms.same(|fields| {
                values.clear();
                let mut same = true;
                let walked = spec.walk(line, |key, raw| {
                    same &= fields.get(values.len()).is_some_and(|f| equal(f, key));
                    values.push(raw);
                });
                walked.is_some() && same && values.len() == fields.len()
            })
        {
            return Some((same, ReadBy::WalkWithoutPositions));
        }
        values.clear();
        spans.clear();
        forms.begin();
        spec.walk_at(line, |key, raw, span| {
            forms.name(key);
            values.push(raw);
            spans.extend(span);
        })?;
        let form = match forms.known() {
            Some(known) => known,
            None => {
                let mut fields: Vec<Box<[u8]>> = Vec::with_capacity(values.len());
                spec.walk(line, |key, _| fields.push(key.into()))?;
                forms.add(self.json, self.tables, fields)
            }
        };
        if spans.len() != values.len() {
            return Some((form, ReadBy::WalkWithoutPositions));
        }
        predictor.reading.note(values, spans);
        Some((form, ReadBy::Walk))
    }

    /// Reads a dated line of another form; returns whether the line is one.
    fn stray(&mut self, line: &[u8], offset: u64, sink: &mut impl RecordSink) -> bool {
        let cache = &mut *self.cache;
        let Some((layout, header)) = self.reader.stray_header(line, &mut cache.fields) else {
            return false;
        };
        let (site, context) = whole_site(self.tables, layout, line, &header, &cache.fields);
        let message = Message {
            site: &site,
            line: header.message_of(line),
            named: None,
            likely: None,
        };
        let (scope, cells) = (&self.reader.scope, &mut cache.cells);
        let shape = cache
            .shapes
            .shape(self.tables, scope, self.encoder, message, cells);
        let time = header.time.filter(|t| self.reader.can_resolve(t));
        let head = Head {
            offset,
            time: time.map_or(NO_TIME, |t| self.reader.resolved(t).ns),
            shape,
            context,
            level: cells.level,
        };
        sink.record(head, &cells.codes, &cells.lists);
        true
    }

    fn plain(&mut self, line: &[u8], offset: u64, sink: &mut impl RecordSink) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let cache = &mut *self.cache;
        plain_record(
            (self.tables, &self.reader.scope, self.encoder),
            (&mut cache.shapes, &mut cache.cells),
            line,
            offset,
            sink,
        );
    }
}
