//! Text lines into records, at the speed that decides how long a run takes to open.
//!
//! A chunk is a stretch of a source that starts at a line start. It owns the records whose first line starts in it; lines
//! before its first record belong to the record before, wherever that was read. So chunks can be read in any order
//! by any thread, and where a source is cut changes nothing.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::base::dict::Code;
use crate::base::ids::{ContextId, KeyId};
use crate::base::level::Level;
use crate::base::time::NO_TIME;
use crate::base::timeparse::{Stamp, StampZone};

use super::catalog::{Catalog, Site};
use super::encode::Encoder;
use super::layout::{HeaderSpans, Layout};
use super::pattern::Spans;
use super::reader::Reader;
use super::shapes::{Cells, ShapeCache};
use super::sink::{Head, RecordSink};

/// The local time beside an epoch is read at the first record of a chunk and every so many records.
const ZONE_EVERY: u32 = 512;

/// What a region of a header says, once it was matched.
#[derive(Debug, Default)]
struct RegionValue {
    text: Box<[u8]>,
    /// Whether it matches its part of the layout.
    fits: bool,
    level: Option<Level>,
    values: Vec<(KeyId, Code)>,
}

/// Regions met so far at one place of a layout.
#[derive(Default)]
struct RegionCache {
    values: Vec<RegionValue>,
    table: HashTable<u32>,
    last: u32,
}

/// A cache that grew to this many regions is started anew.
const MANY_REGIONS: usize = 1 << 16;

impl RegionCache {
    #[inline]
    fn find(
        &mut self,
        hasher: &FxBuildHasher,
        layout: &Layout,
        region: usize,
        text: &[u8],
        spans: &mut Spans,
    ) -> u32 {
        if let Some(last) = self.values.get(self.last as usize)
            && *last.text == *text
        {
            return self.last;
        }
        let hash = hasher.hash_one(text);
        let values = &self.values;
        if let Some(at) = self
            .table
            .find(hash, |v| *values[*v as usize].text == *text)
        {
            self.last = *at;
            return *at;
        }
        let spec = &layout.regions()[region];
        let fits = layout
            .pattern
            .matches_elements(spec.elements.clone(), text, spans);
        let mut value = RegionValue {
            text: text.into(),
            fits,
            ..RegionValue::default()
        };
        if fits {
            for site in [true, false] {
                let (level, values) = layout.values(spec.elements.clone(), site, text, spans);
                value.level = value.level.or(level);
                value.values.extend(values);
            }
        }
        let at = self.values.len() as u32;
        self.values.push(value);
        let values = &self.values;
        self.table
            .insert_unique(hash, at, |v| hasher.hash_one(&*values[*v as usize].text));
        self.last = at;
        at
    }
}

/// Regions and what they make together, for one layout.
#[derive(Default)]
struct LayoutCache {
    regions: Vec<RegionCache>,
    sites: FxHashMap<Vec<u32>, Arc<Site>>,
    contexts: FxHashMap<Vec<u32>, Option<ContextId>>,
    last_site: Option<(Vec<u32>, Arc<Site>)>,
    last_context: Option<(Vec<u32>, Option<ContextId>)>,
}

/// One loader thread's caches for one reader.
#[derive(Default)]
pub struct LineCache {
    layouts: Vec<LayoutCache>,
    shapes: ShapeCache,
    spans: Spans,
    header: HeaderSpans,
    site_parts: Vec<u32>,
    context_parts: Vec<u32>,
    cells: Cells,
    hasher: FxBuildHasher,
}

/// What a chunk is and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Whole lines (the last may lack its end at the end of the source).
    pub text: &'a [u8],
    /// Byte of the source at which `text` starts.
    pub offset: u64,
    /// Whether this is the start of the source.
    pub first: bool,
}

/// Reads text chunks for one thread.
pub struct LineLoader<'a> {
    /// Keys, templates, contexts.
    pub tables: &'a Catalog,
    /// This thread's dictionaries.
    pub encoder: &'a mut Encoder,
    /// This thread's caches for `reader`.
    pub cache: &'a mut LineCache,
    /// How the records of the source look.
    pub reader: &'a Reader,
    /// Layouts, the usual one first.
    pub layouts: &'a [Arc<Layout>],
}

impl LineLoader<'_> {
    /// Reads all records that start in a chunk. Says whether the reader met a record at all.
    pub fn load(&mut self, chunk: Chunk<'_>, sink: &mut impl RecordSink) -> bool {
        let text = chunk.text;
        if self.cache.layouts.len() < self.layouts.len() {
            self.cache
                .layouts
                .resize_with(self.layouts.len(), LayoutCache::default);
        }
        let mut pos = 0;
        let mut count: u32 = 0;
        let mut preamble = None;
        while pos < text.len() {
            let end = memchr::memchr(b'\n', &text[pos..]).map_or(text.len(), |n| pos + n);
            let line = &text[pos..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let offset = chunk.offset + pos as u64;
            pos = end + 1;
            if self.layouts.is_empty() {
                if starts_plain_record(line) || (chunk.first && count == 0 && !line.is_empty()) {
                    count += 1;
                    self.plain_record(line, offset, sink);
                }
                continue;
            }
            let Some(layout) = self.header(line, count.is_multiple_of(ZONE_EVERY)) else {
                if chunk.first && count == 0 && preamble.is_none() && !line.trim_ascii().is_empty()
                {
                    // Lines before the first record of a source are a record of their own.
                    preamble = Some(offset);
                    self.plain_record(line, offset, sink);
                }
                continue;
            };
            count += 1;
            self.record(layout, line, offset, sink);
        }
        count > 0
    }

    /// The layout whose header this line has; fills `cache.header` and the parts of site and context.
    #[inline]
    fn header(&mut self, line: &[u8], want_local: bool) -> Option<usize> {
        for (index, layout) in self.layouts.iter().enumerate() {
            if layout.rejects(line) {
                continue;
            }
            let cache = &mut *self.cache;
            if layout.split(line, want_local, &mut cache.header).is_some()
                && self.regions(index, layout, line)
            {
                return Some(index);
            }
            let cache = &mut *self.cache;
            if let Some(header) = layout.matches(line, &mut cache.spans) {
                cache.header = header;
                return Some(index);
            }
        }
        None
    }

    /// Looks up the regions that `split` found; says whether all of them fit the layout.
    #[inline]
    fn regions(&mut self, index: usize, layout: &Layout, line: &[u8]) -> bool {
        let cache = &mut *self.cache;
        let known = &mut cache.layouts[index];
        if known.regions.len() < layout.regions().len() {
            known
                .regions
                .resize_with(layout.regions().len(), RegionCache::default);
        }
        if known.regions.iter().any(|r| r.values.len() > MANY_REGIONS) {
            *known = LayoutCache::default();
            known
                .regions
                .resize_with(layout.regions().len(), RegionCache::default);
        }
        cache.site_parts.clear();
        cache.context_parts.clear();
        for (region, range) in cache.header.regions.iter().enumerate() {
            let text = &line[range.clone()];
            let known = &mut known.regions[region];
            let at = known.find(&cache.hasher, layout, region, text, &mut cache.spans);
            if !known.values[at as usize].fits {
                return false;
            }
            let parts = if layout.region_is_site(region) {
                &mut cache.site_parts
            } else {
                &mut cache.context_parts
            };
            parts.push(region as u32);
            parts.push(at);
        }
        true
    }

    fn record(&mut self, index: usize, line: &[u8], offset: u64, sink: &mut impl RecordSink) {
        let layout = &self.layouts[index];
        let (site, context) = if self.cache.header.regions.is_empty() {
            self.slow_site(layout, line)
        } else {
            self.fast_site(index)
        };
        let Some(site) = site else { return };
        let header = &self.cache.header;
        let time = header
            .time
            .map_or(NO_TIME, |t| t.near(self.reader.reference).ns);
        if let (Some(time), Some(local)) = (header.time, header.local) {
            zone_evidence(time, local, sink);
        }
        let msg = &line[header.message..];
        let cache = &mut *self.cache;
        let shape = cache.shapes.shape(
            self.tables,
            &self.reader.scope,
            self.encoder,
            &site,
            msg,
            None,
            &mut cache.cells,
        );
        let Some(shape) = shape else { return };
        let head = Head {
            offset,
            time,
            shape: shape.id,
            context,
            level: site.level,
        };
        sink.record(head, &cache.cells.codes, &cache.cells.lists);
    }

    /// Site and context from the regions looked up.
    #[inline]
    fn fast_site(&mut self, index: usize) -> (Option<Arc<Site>>, Option<ContextId>) {
        let cache = &mut *self.cache;
        let known = &mut cache.layouts[index];
        let site = match &known.last_site {
            Some((parts, site)) if *parts == cache.site_parts => Some(site.clone()),
            _ => {
                let site = match known.sites.get(&cache.site_parts) {
                    Some(site) => Some(site.clone()),
                    None => {
                        let mut level = None;
                        let mut consts = Vec::new();
                        for part in cache.site_parts.chunks_exact(2) {
                            let value = &known.regions[part[0] as usize].values[part[1] as usize];
                            level = level.or(value.level);
                            consts.extend_from_slice(&value.values);
                        }
                        let site = self.tables.site(level.unwrap_or_default(), &consts);
                        if let Some(site) = &site {
                            known.sites.insert(cache.site_parts.clone(), site.clone());
                        }
                        site
                    }
                };
                known.last_site = site.clone().map(|s| (cache.site_parts.clone(), s));
                site
            }
        };
        let context = match &known.last_context {
            Some((parts, context)) if *parts == cache.context_parts => *context,
            _ => {
                let context = match known.contexts.get(&cache.context_parts) {
                    Some(context) => *context,
                    None => {
                        let mut values = Vec::new();
                        for part in cache.context_parts.chunks_exact(2) {
                            values.extend_from_slice(
                                &known.regions[part[0] as usize].values[part[1] as usize].values,
                            );
                        }
                        let context = (!values.is_empty()).then(|| self.tables.context(&values));
                        known.contexts.insert(cache.context_parts.clone(), context);
                        context
                    }
                };
                known.last_context = Some((cache.context_parts.clone(), context));
                context
            }
        };
        (site, context)
    }

    /// Site and context of a header that was matched by the whole pattern.
    fn slow_site(
        &mut self,
        layout: &Layout,
        line: &[u8],
    ) -> (Option<Arc<Site>>, Option<ContextId>) {
        let all = 0..layout.pattern.elements.len();
        let spans = &self.cache.spans;
        let (level, consts) = layout.values(all.clone(), true, line, spans);
        let (_, values) = layout.values(all, false, line, spans);
        let context = (!values.is_empty()).then(|| self.tables.context(&values));
        (
            self.tables.site(level.unwrap_or_default(), &consts),
            context,
        )
    }

    fn plain_record(&mut self, line: &[u8], offset: u64, sink: &mut impl RecordSink) {
        let Some(site) = self.tables.site(Level::Unknown, &[]) else {
            return;
        };
        let cache = &mut *self.cache;
        let shape = cache.shapes.shape(
            self.tables,
            &self.reader.scope,
            self.encoder,
            &site,
            line,
            None,
            &mut cache.cells,
        );
        let Some(shape) = shape else { return };
        let head = Head {
            offset,
            time: NO_TIME,
            shape: shape.id,
            context: None,
            level: Level::Unknown,
        };
        sink.record(head, &cache.cells.codes, &cache.cells.lists);
    }
}

/// In text without a layout, lines that start with a blank and empty lines continue the record above.
pub fn starts_plain_record(line: &[u8]) -> bool {
    !matches!(line.first(), None | Some(b' ' | b'\t' | b'\r'))
}

/// Tells the sink the local zone's offset if a record has both times, rounded to the quarter hours that zones have.
fn zone_evidence(time: Stamp, local: Stamp, sink: &mut impl RecordSink) {
    if time.zone != StampZone::Known || local.zone != StampZone::Local {
        return;
    }
    let quarter = 900_000_000_000i64;
    let difference = local.ns.saturating_sub(time.ns);
    let offset = difference
        .saturating_add(quarter / 2)
        .div_euclid(quarter)
        .saturating_mul(900);
    if offset.abs() <= 15 * 3600 {
        sink.zone_seen(time.ns, offset as i32);
    }
}
