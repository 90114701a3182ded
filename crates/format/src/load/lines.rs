//! Reads text lines into records; the speed of this module decides how long a run takes to open.
//!
//! A chunk is a part of a source that starts at a line start. It owns the records whose first line starts in it; lines
//! before its first record belong to the previous record, wherever that was read. So chunks can be read in any order by
//! any thread, and the positions of the cuts do not change the result (except for quoted text in long files, see
//! `interleaved::quoted_text`).

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use widetui_core::bytes::{is_clock, leading_nuls, leading_separators};
use widetui_core::ids::{ContextId, KeyId};
use widetui_core::level::Level;
use widetui_time::time::NO_TIME;
use widetui_time::timeparse::StampZone;

use crate::catalog::encode::Encoder;
use crate::catalog::sink::{self, Head, RecordSink};
use crate::catalog::{Catalog, Site};
pub use crate::chunk::{Chunk, Growth};
use crate::chunk::{FollowingText, Outcome};
use crate::interleaved::LookUp;
use crate::interleaved::quoted_text::Quotation;
use crate::layout::{HeaderSpans, Layout, whole_site};
use crate::load::interleaved_records::InterleavedCache;
use crate::load::region_cache::{LEVEL_BITS, LayoutCache, RegionValue, values_of};
use crate::messages::continuation_lines::{self, AHEAD, ContinuationPattern, LineValue};
use crate::messages::crash_heads;
use crate::messages::leading_level;
use crate::messages::scope::Scope;
use crate::messages::shape_cache::{Cells, Message, ShapeCache};
use crate::pattern::Spans;
use crate::reader::{Reader, message_lines};

/// The local time next to an epoch time is read for the first record of a chunk and then once per this many records.
const ZONE_EVERY: u32 = 512;

/// Maximum length of the part of a line that is examined, bytes; the rest belongs to the record but provides no keys.
pub const MAX_LINE: usize = 8 << 20;

/// Part of a line that is examined.
pub(crate) fn examined(line: &[u8]) -> &[u8] {
    line.get(..MAX_LINE).unwrap_or(line)
}

/// How a header was read: by its regions, or by matching the whole layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Fast,
    Slow,
}

/// Caches of one loader thread for one reader.
#[derive(Default)]
pub struct LineCache {
    layouts: Vec<LayoutCache>,
    shapes: ShapeCache,
    spans: Spans,
    header: HeaderSpans,
    /// Combined numbers of the values of the site regions, and of the context regions.
    parts: [u64; 2],
    cells: Cells,
    hasher: FxBuildHasher,
    interleaved: InterleavedCache,
}

/// Reader of text chunks for one thread.
pub struct LineLoader<'a> {
    /// Tables of the run.
    pub tables: &'a Catalog,
    /// Dictionaries of this thread.
    pub encoder: &'a mut Encoder,
    /// Caches of this thread for `reader`.
    pub cache: &'a mut LineCache,
    /// Reader of the source.
    pub reader: &'a Reader,
    /// Layouts, most frequent first.
    pub layouts: &'a [Arc<Layout>],
}

impl LineLoader<'_> {
    /// Reads all records that start in a chunk. Returns the offset of a record that it left out because lines yet to be
    /// written may complete it (see `Growth::Growing`).
    pub fn load(&mut self, chunk: Chunk<'_>, sink: &mut impl RecordSink) -> Option<u64> {
        let text = chunk.text;
        if self.cache.layouts.is_empty() {
            self.cache.layouts = self.layouts.iter().map(|l| LayoutCache::new(l)).collect();
        }
        let mut pos = 0;
        let mut count: u32 = 0;
        let mut has_preamble = false;
        let mut clear = 0;
        // End of the current line, and where the next record begins in it if several stand in one line.
        let (mut end, mut next_in_line) = (0, None);
        while let Some(rest @ [_, ..]) = text.get(pos..) {
            let nuls = leading_nuls(rest);
            if nuls > 0 {
                sink.nul_run(chunk.offset + pos as u64, nuls);
                pos += nuls;
                continue;
            }
            let is_rest = next_in_line.take() == Some(pos);
            if !is_rest {
                let separators = leading_separators(rest);
                pos += separators;
                let rest = rest.get(separators..).unwrap_or_default();
                // A hole ends the line that it cut off.
                end = memchr::memchr2(b'\n', 0, rest).map_or(text.len(), |n| pos + n);
            }
            let line = text.get(pos..end).unwrap_or_default();
            let line = examined(without_return(line));
            let offset = chunk.offset + pos as u64;
            let range = pos..pos + line.len();
            pos = end + usize::from(text.get(end) != Some(&0));
            if self.read_interleaved(line, offset, LookUp::BeforeOwnLayouts, sink) {
                count += 1;
                continue;
            }
            let header = match self.layouts.is_empty() {
                true => None,
                false => self.header(line, count.is_multiple_of(ZONE_EVERY)),
            };
            let Some((layout, path)) = header else {
                let (line, range) = match self.header_within(line, 0) {
                    None => (line, range),
                    Some(at) => {
                        pos = range.start + at;
                        next_in_line = Some(pos);
                        (line.get(..at).unwrap_or(line), range.start..pos)
                    }
                };
                let quoted_texts = &self.reader.interleaved.quoted_texts;
                let rest = text.get(range.start..).unwrap_or_default();
                match quoted_texts.at(rest, chunk.growth) {
                    Quotation::None => {}
                    Quotation::Incomplete => return Some(offset),
                    Quotation::Complete(len) => {
                        self.plain_record(line, offset, sink);
                        let quoted = text.get(pos..range.start + len);
                        let quoted = quoted.unwrap_or_default();
                        let lines = quoted.split_inclusive(|byte| *byte == b'\n');
                        lines.for_each(|_| sink.continuation());
                        pos = range.start + len;
                        continue;
                    }
                }
                if self.read_interleaved(line, offset, LookUp::AfterOwnLayouts, sink) {
                    count += 1;
                    continue;
                }
                let (line, interleaved_line) = self.split_interleaved(text, range, &mut clear);
                // Lines before the first record of a source form a record of their own.
                let is_first = chunk.first && count == 0;
                let begins = match self.layouts.is_empty() {
                    true => {
                        starts_plain_record(line)
                            || is_first && !line.is_empty()
                            || leading_level::is_report(line)
                    }
                    false => is_first && !has_preamble && !line.trim_ascii().is_empty(),
                };
                let is_crash = self.is_record_without_header(line);
                match begins || is_crash {
                    true => self.plain_record(line, offset, sink),
                    false => sink.continuation(),
                }
                match self.layouts.is_empty() {
                    true => count += u32::from(begins || is_crash),
                    false => {
                        count += u32::from(is_crash);
                        has_preamble |= begins;
                    }
                }
                count += u32::from(self.read_interleaved(
                    interleaved_line,
                    offset + line.len() as u64,
                    LookUp::BeforeOwnLayouts,
                    sink,
                ));
                continue;
            };
            count += 1;
            let (mut line, mut header) = (line, (layout, path));
            // Before the words of all records in the rest of the line are read for each of them.
            let mut other = match is_rest {
                true => self.header_within(line, self.cache.header.message),
                false => None,
            };
            // The only call of `record`, which is inlined.
            let outcome = loop {
                if let Some(at) = other {
                    pos = range.start + at;
                    next_in_line = Some(pos);
                    line = without_return(line.get(..at).unwrap_or(line));
                    match self.any_header(line) {
                        Some(shorter) => header = shorter,
                        // Without the text of the other record the line has no header.
                        None => {
                            self.plain_record(line, offset, sink);
                            break Outcome::Read;
                        }
                    }
                }
                let following = FollowingText {
                    lines: text.get(pos..).unwrap_or_default(),
                    after: chunk.after,
                    growth: chunk.growth,
                };
                match self.record(header, line, following, offset, sink) {
                    Outcome::TwoRecords(at) => other = Some(at),
                    outcome => break outcome,
                }
            };
            if outcome == Outcome::Incomplete {
                return Some(offset);
            }
        }
        None
    }

    /// Layout whose header the line has; fills `cache.header` and the parts of site and context.
    #[inline]
    fn header(&mut self, line: &[u8], want_local: bool) -> Option<(usize, Path)> {
        for (index, layout) in self.layouts.iter().enumerate() {
            let cache = &mut *self.cache;
            if let Some(known) = cache.layouts.get_mut(index)
                && let Some(pos) = layout.times(line, want_local, &mut cache.header)
                && let Some((pos, parts)) =
                    known.read(layout, (line, pos), &cache.hasher, &mut cache.spans)
            {
                cache.parts = parts;
                layout.message_from(pos, line, &mut cache.header);
                return Some((index, Path::Fast));
            }
            let cache = &mut *self.cache;
            if let Some(header) = layout.matches(line, &mut cache.spans) {
                cache.header = header;
                return Some((index, Path::Slow));
            }
        }
        None
    }

    /// As [`header`](Self::header), where no record is read.
    #[inline(never)]
    fn any_header(&mut self, line: &[u8]) -> Option<(usize, Path)> {
        self.header(line, false)
    }

    /// Offset at or after `from` at which the header of another record begins: several processes wrote to one file, and
    /// the line end of the text before is missing.
    #[inline]
    fn header_within(&mut self, line: &[u8], from: usize) -> Option<usize> {
        let clocks = memchr::memchr_iter(b':', line.get(from..)?);
        let mut clocks = clocks.filter(|at| is_clock(line, from + at)).peekable();
        match clocks.peek().is_some() && !self.layouts.is_empty() {
            true => {
                let clocks = clocks.take(MAX_CLOCKS).map(|at| from + at).collect();
                self.header_at_clocks(line, from, clocks)
            }
            false => None,
        }
    }

    /// Offset of the first header with a date before one of the clocks, see [`Self::header_within`].
    #[cold]
    fn header_at_clocks(&mut self, line: &[u8], from: usize, clocks: Vec<usize>) -> Option<usize> {
        // Checking a place overwrites the current header.
        let cache = &mut *self.cache;
        let current = (cache.header.clone(), cache.parts, cache.spans.clone());
        let mut places = clocks.into_iter().flat_map(|clock| {
            let first = clock.saturating_sub(MAX_BEFORE_CLOCK).max(from).max(1);
            (first..clock).filter(|at| may_begin_header(line, *at))
        });
        let found = places.find(|at| {
            let header = self.any_header(line.get(*at..).unwrap_or_default());
            header.is_some() && self.cache.header.time.is_some_and(|time| time.date)
        });
        let cache = &mut *self.cache;
        (cache.header, cache.parts, cache.spans) = current;
        found
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`index` is that of a layout, each of which has a cache"
    )]
    fn record(
        &mut self,
        (index, path): (usize, Path),
        line: &[u8],
        following: FollowingText<'_>,
        offset: u64,
        sink: &mut impl RecordSink,
    ) -> Outcome {
        let reader = self.reader;
        let time = match self.cache.header.time {
            Some(time) if time.date && time.year && time.zone == StampZone::Known => time.ns,
            Some(time) => reader.resolved(time).ns,
            None => NO_TIME,
        };
        if let (Some(time), Some(local)) = (self.cache.header.time, self.cache.header.local) {
            sink::zone_evidence(time, local, sink);
        }
        let mut message = self.cache.header.message_of(line);
        let alone;
        if message.trim_ascii_start().is_empty() {
            let rest = following.ahead();
            let is_there = rest.len() >= AHEAD || rest.contains(&b'\n');
            if following.growth == Growth::Growing && !is_there {
                return Outcome::Incomplete;
            }
            alone = self.message_below_header(&self.layouts[index].clone(), message, &rest);
            message = &alone;
        }
        let slow;
        let (site, context) = if path == Path::Slow {
            let cache = &self.cache;
            let layout = &self.layouts[index];
            let (site, context) =
                whole_site(self.tables, layout, line, &cache.header, &cache.spans);
            slow = site;
            (Err(&slow), context)
        } else {
            let site = self.fast_site(index);
            (Ok(site as usize), self.fast_context(index))
        };
        let cache = &mut *self.cache;
        if let Some(patterns) = reader
            .scope
            .continuation_patterns(message, &mut cache.spans)
        {
            if let Some(at) = self.header_within(line, self.cache.header.message) {
                return Outcome::TwoRecords(at);
            }
            let cache = &mut *self.cache;
            let site = site_in(&cache.layouts[index], site).clone();
            let head = (time, context, offset);
            return self.continued((&site, message), head, patterns, following, sink);
        }
        let text = Message {
            site: site_in(&cache.layouts[index], site),
            line: message,
            named: None,
            likely: None,
        };
        let at = cache.shapes.find(self.tables, &reader.scope, text);
        if cache.shapes.may_have_clock(at)
            && let Some(other) = self.header_within(line, self.cache.header.message)
        {
            return Outcome::TwoRecords(other);
        }
        let cache = &mut *self.cache;
        let text = Message {
            site: site_in(&cache.layouts[index], site),
            line: message,
            named: None,
            likely: None,
        };
        let shape = cache.shapes.fill(
            self.tables,
            &reader.scope,
            self.encoder,
            (at, text),
            &mut cache.cells,
        );
        let head = Head {
            offset,
            time,
            shape,
            context,
            level: cache.cells.level,
        };
        sink.record(head, &cache.cells.codes, &cache.cells.lists);
        Outcome::Read
    }

    /// Message of a header that stands alone on its line: the next line, if it belongs to the record. A level at its
    /// start becomes the level of the header.
    #[cold]
    fn message_below_header(&mut self, layout: &Layout, blank: &[u8], rest: &[u8]) -> Vec<u8> {
        let (message, _) = message_lines(blank, rest);
        // Checking whether the next line is a header overwrites the current header.
        let header = self.cache.header.clone();
        let parts = self.cache.parts;
        let spans = self.cache.spans.clone();
        let own = self.ends_in(message).unwrap_or(message.len());
        self.cache.header = header;
        self.cache.parts = parts;
        self.cache.spans = spans;
        let mut own = match own {
            0 => return blank.to_vec(),
            own => message.get(..own).unwrap_or(message),
        };
        if let Some((level, len)) = layout.prefix_of(own) {
            self.cache.header.level = Some(level);
            own = own.get(len..).unwrap_or_default();
        }
        own.to_vec()
    }

    /// Whether a line without a header begins a record all the same: a crash, or a record with a time that does not exist.
    fn is_record_without_header(&self, line: &[u8]) -> bool {
        crash_heads::is_head(line)
            || self
                .layouts
                .iter()
                .any(|layout| layout.has_impossible_time(line))
    }

    /// Offset in a continuation line at which the record ends; `None` if it does not end in this line.
    fn ends_in(&mut self, line: &[u8]) -> Option<usize> {
        let interleaved = &self.reader.interleaved;
        let is_interleaved = interleaved.find(line, &mut self.cache.spans).is_some();
        if is_interleaved || self.any_header(line).is_some() || self.is_record_without_header(line)
        {
            return Some(0);
        }
        if let Some(at) = self.header_within(line, 0) {
            return Some(at);
        }
        let (own, interleaved_line) = self.split_interleaved(line, 0..line.len(), &mut 0);
        (!interleaved_line.is_empty()).then_some(own.len())
    }

    /// Reads a record whose continuation lines provide keys.
    fn continued(
        &mut self,
        (site, message): (&Site, &[u8]),
        (time, context, offset): (i64, Option<ContextId>, u64),
        patterns: &[ContinuationPattern],
        following: FollowingText<'_>,
        sink: &mut impl RecordSink,
    ) -> Outcome {
        let rest = following.ahead();
        if following.growth == Growth::Growing
            && !continuation_lines::is_complete(&rest, |line| self.ends_in(line))
        {
            return Outcome::Incomplete;
        }
        let mut line_values = continuation_lines::read(patterns, &rest, |line| self.ends_in(line));
        let keys: Vec<KeyId> = line_values.iter().map(|s| s.key.id).collect();
        let wider = self.tables.continuation_site(site, &keys);
        if wider.is_none() {
            line_values.clear();
            sink.fields_left_out(offset);
        }
        let site = wider.as_deref().unwrap_or(site);
        let mut own = Cells::default();
        for LineValue { key, kind, span } in &line_values {
            let text = rest.get(span.clone()).unwrap_or_default();
            own.push(self.encoder, key, kind, text);
        }
        let cache = &mut *self.cache;
        let message = Message {
            site,
            line: message,
            named: None,
            likely: None,
        };
        let scope = &self.reader.scope;
        let (tables, cells) = (self.tables, &mut cache.cells);
        let shape = cache
            .shapes
            .shape(tables, scope, self.encoder, message, cells);
        own.append(cells);
        let head = Head {
            offset,
            time,
            shape,
            context,
            level: cells.level,
        };
        sink.record(head, &own.codes, &own.lists);
        Outcome::Read
    }

    /// Code site of the regions, as an index into the cache.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "`index` is that of a layout, each of which has a cache; there are fewer than 2^32 sites"
    )]
    fn fast_site(&mut self, index: usize) -> u32 {
        let prefix = self.cache.header.level;
        // Region numbers do not use the highest bits.
        let key = self.cache.parts[0] | (prefix.map_or(0, |l| l as u64 + 1) << LEVEL_BITS);
        let known = &mut self.cache.layouts[index];
        if known.last_site.0 == key {
            return known.last_site.1;
        }
        let at = match known.site_of.get(&key) {
            Some(at) => *at,
            None => {
                let values: Vec<&RegionValue> = values_of(&self.layouts[index], known, key, true);
                let level = prefix.or_else(|| values.iter().find_map(|v| v.level));
                let consts: Vec<_> = values
                    .iter()
                    .flat_map(|v| v.values.iter().copied())
                    .collect();
                let site = self.tables.site(level.unwrap_or_default(), &consts);
                let at = known.sites.len() as u32;
                known.sites.push(site);
                known.site_of.insert(key, at);
                at
            }
        };
        known.last_site = (key, at);
        at
    }

    /// Context of the regions.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "`index` is that of a layout, each of which has a cache"
    )]
    fn fast_context(&mut self, index: usize) -> Option<ContextId> {
        let key = self.cache.parts[1];
        let known = &mut self.cache.layouts[index];
        if known.last_context.0 == key {
            return known.last_context.1;
        }
        let context = match known.contexts.get(&key) {
            Some(context) => *context,
            None => {
                let values = values_of(&self.layouts[index], known, key, false);
                let values: Vec<_> = values
                    .iter()
                    .flat_map(|v| v.values.iter().copied())
                    .collect();
                let context = (!values.is_empty()).then(|| self.tables.context(&values));
                known.contexts.insert(key, context);
                context
            }
        };
        known.last_context = (key, context);
        context
    }

    /// Reads an interleaved line; returns whether it is one.
    #[inline]
    fn read_interleaved(
        &mut self,
        line: &[u8],
        offset: u64,
        look_up: LookUp,
        sink: &mut impl RecordSink,
    ) -> bool {
        if look_up == LookUp::BeforeOwnLayouts && !self.reader.interleaved.may_start(line) {
            return false;
        }
        let place = (offset, self.reader);
        let with = (self.tables, &mut *self.encoder);
        self.cache
            .interleaved
            .record(with, line, place, look_up, sink)
    }

    /// Splits a line into its own text and an interleaved line after it, if there is one.
    fn split_interleaved<'a>(
        &mut self,
        text: &'a [u8],
        line: Range<usize>,
        clear: &mut usize,
    ) -> (&'a [u8], &'a [u8]) {
        let interleaved = &self.reader.interleaved;
        self.cache
            .interleaved
            .split(interleaved, (text, line), clear)
    }

    fn plain_record(&mut self, line: &[u8], offset: u64, sink: &mut impl RecordSink) {
        let cache = &mut *self.cache;
        plain_record(
            (self.tables, &self.reader.scope, self.encoder),
            (&mut cache.shapes, &mut cache.cells),
            without_return(line),
            offset,
            sink,
        );
    }
}

/// A line without the carriage return of its end.
fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Code site of a header: one of the layout's, by index, or the one that was read.
#[expect(
    clippy::indexing_slicing,
    reason = "`fast_site` returns the index of a site"
)]
fn site_in<'s>(layout: &'s LayoutCache, site: Result<usize, &'s Arc<Site>>) -> &'s Arc<Site> {
    match site {
        Ok(at) => &layout.sites[at],
        Err(site) => site,
    }
}

/// Reads a line as a record without a header: no time, no level, only its words.
pub(crate) fn plain_record(
    (tables, scope, encoder): (&Catalog, &Scope, &mut Encoder),
    (shapes, cells): (&mut ShapeCache, &mut Cells),
    line: &[u8],
    offset: u64,
    sink: &mut impl RecordSink,
) {
    let level = match crash_heads::is_head(line) {
        true => Level::Error,
        false => Level::Unknown,
    };
    let site = tables.site(level, &[]);
    let message = Message {
        site: &site,
        line,
        named: None,
        likely: None,
    };
    let shape = shapes.shape(tables, scope, encoder, message, cells);
    let head = Head {
        offset,
        time: NO_TIME,
        shape,
        context: None,
        level: cells.level,
    };
    sink.record(head, &cells.codes, &cells.lists);
}

/// Maximum number of clocks in a line before which headers are looked for.
const MAX_CLOCKS: usize = 8;

/// Maximum distance from the start of a header to the first colon of its time, bytes: `[INFO] [2026-11-21 10:`.
const MAX_BEFORE_CLOCK: usize = 32;

/// Minimum length of the beginning of a header that is recognised before the whole header, bytes.
const MIN_TORN: usize = 4;

/// Whether a header may begin at an offset of a line, directly after the text of another record. After a blank, a quote or
/// a sign it is a part of that text: a quoted record, a value, a file name; except after a header that was torn off.
fn may_begin_header(line: &[u8], at: usize) -> bool {
    let (Some(before), Some(first)) = (line.get(at - 1), line.get(at)) else {
        return false;
    };
    let is_end = before.is_ascii_alphanumeric()
        || !before.is_ascii()
        || matches!(
            before,
            b'.' | b',' | b';' | b'!' | b'?' | b'%' | b'|' | b')' | b']' | b'}' | b'>' | b'\r'
        );
    let is_start = match first {
        b'[' | b'<' => true,
        digit if digit.is_ascii_digit() => !before.is_ascii_digit(),
        letter => letter.is_ascii_uppercase() && !before.is_ascii_uppercase(),
    };
    let is_torn = || {
        let parts = line.split_at_checked(at).filter(|_| at >= MIN_TORN);
        parts.is_some_and(|(head, rest)| rest.starts_with(head))
    };
    is_start && (is_end || is_torn())
}

/// Whether a line starts a record in text without a layout. Lines that start with a blank, empty lines, and lines that
/// only mark a part of the previous one (`^^^^`, which lose their indentation in forwarded tracebacks) continue the
/// record above.
pub(crate) fn starts_plain_record(line: &[u8]) -> bool {
    let is_mark = |byte: &u8| matches!(byte, b'^' | b'~' | b' ' | b'\r');
    match line.first() {
        None | Some(b' ' | b'\t' | b'\r') => false,
        // Edge of a box around a record: `│`, `└`.
        Some(0xe2) => !line.starts_with("│".as_bytes()) && !line.starts_with("└".as_bytes()),
        Some(b'^' | b'~') => !line.iter().all(is_mark),
        Some(_) => true,
    }
}
