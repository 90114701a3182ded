//! Cache of header regions of one layout: the bytes of a region are matched once and looked up afterwards.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use widetui_core::bytes::starts;
use widetui_core::dict::Code;
use widetui_core::ids::{ContextId, KeyId};
use widetui_core::level::Level;

use crate::catalog::Site;
use crate::layout::Layout;
use crate::pattern::Spans;

/// Values of a header region.
#[derive(Debug, Default)]
pub(crate) struct RegionValue {
    /// Bytes of the region.
    pub(crate) text: Box<[u8]>,
    /// Whether it matches its part of the layout.
    pub(crate) fits: bool,
    /// Level in the region.
    pub(crate) level: Option<Level>,
    /// Keys and values in the region.
    pub(crate) values: Vec<(KeyId, Code)>,
    /// Values that followed this one in the lines read last, last one first.
    next: [u32; 2],
}

/// Regions met so far at one place of a layout.
#[derive(Default)]
pub(crate) struct RegionCache {
    values: Vec<RegionValue>,
    table: HashTable<u32>,
    last: u32,
}

/// Lowest bit of the message's level prefix in a combination of regions.
pub(crate) const LEVEL_BITS: u32 = 56;

/// Maximum number of cached regions; a full cache is cleared.
const MAX_REGIONS: usize = 1 << 16;

impl RegionCache {
    /// Predicted value, if `text` starts with one of those that followed the last value: programs write the same
    /// headers in the same order. A value ends where counting its blanks ends, so no other value can start here.
    #[inline]
    fn predict(&mut self, text: &[u8]) -> Option<u32> {
        let last = self.values.get(self.last as usize)?;
        let [first, second] = last.next;
        let has = |at: u32| {
            let value = self.values.get(at as usize);
            value.is_some_and(|value| starts(text, &value.text))
        };
        if has(first) {
            self.last = first;
            return Some(first);
        }
        if !has(second) {
            return None;
        }
        if let Some(last) = self.values.get_mut(self.last as usize) {
            last.next = [second, first];
        }
        self.last = second;
        Some(second)
    }

    /// Notes the value of a line.
    #[inline]
    fn note_value(&mut self, at: u32) -> u32 {
        if let Some(last) = self.values.get_mut(self.last as usize) {
            last.next = [at, last.next[0]];
        }
        self.last = at;
        at
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "the table holds indices of values, of which there are hardly more than `MAX_REGIONS`"
    )]
    fn find(
        &mut self,
        hasher: &FxBuildHasher,
        layout: &Layout,
        region: usize,
        text: &[u8],
        spans: &mut Spans,
    ) -> u32 {
        let hash = hasher.hash_one(text);
        let values = &self.values;
        if let Some(at) = self
            .table
            .find(hash, |v| *values[*v as usize].text == *text)
        {
            let at = *at;
            return self.note_value(at);
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
        self.note_value(at)
    }
}

/// Regions of one layout, and the sites and contexts that they form.
#[derive(Default)]
pub(crate) struct LayoutCache {
    /// Regions by their place in the layout.
    pub(crate) regions: Vec<RegionCache>,
    /// Indices of code sites by the numbers of their regions' values.
    pub(crate) site_of: FxHashMap<u64, u32>,
    /// Code sites.
    pub(crate) sites: Vec<Arc<Site>>,
    /// Last site: numbers of its regions and its index.
    pub(crate) last_site: (u64, u32),
    /// Contexts by the numbers of their regions' values.
    pub(crate) contexts: FxHashMap<u64, Option<ContextId>>,
    /// Last context: numbers of its regions and its id.
    pub(crate) last_context: (u64, Option<ContextId>),
    /// Whether a region has so many values that the cache should be cleared.
    is_full: bool,
}

impl LayoutCache {
    /// Empty cache for a layout.
    pub(crate) fn new(layout: &Layout) -> LayoutCache {
        let mut cache = LayoutCache {
            last_site: (NO_PARTS, 0),
            last_context: (NO_PARTS, None),
            ..LayoutCache::default()
        };
        cache
            .regions
            .resize_with(layout.regions().len(), RegionCache::default);
        cache
    }

    /// Looks up the regions of a line, the first of which starts at `pos`. Returns the offset after the last one and
    /// the combined numbers of site regions and of context regions; `None` if a region does not match the layout.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "the cache has the regions of the layout, and a number of a region is the index of a value"
    )]
    pub(crate) fn read(
        &mut self,
        layout: &Layout,
        (line, mut pos): (&[u8], usize),
        hasher: &FxBuildHasher,
        spans: &mut Spans,
    ) -> Option<(usize, [u64; 2])> {
        if self.is_full {
            *self = LayoutCache::new(layout);
        }
        let mut parts = [0, 0];
        for (region, spec) in layout.regions().iter().enumerate() {
            let text = line.get(pos..)?;
            let known = &mut self.regions[region];
            let at = match known.predict(text) {
                Some(at) => at,
                None => {
                    let text = text.get(..spec.len_in(text)?)?;
                    let at = known.find(hasher, layout, region, text, spans);
                    self.is_full |= known.values.len() > MAX_REGIONS;
                    at
                }
            };
            let value = &known.values[at as usize];
            if !value.fits {
                return None;
            }
            pos += value.text.len();
            let part = &mut parts[usize::from(!spec.site)];
            *part = *part << 32 | u64::from(at + 1);
        }
        Some((pos, parts))
    }
}

/// Marks the absence of a combination of regions.
pub(crate) const NO_PARTS: u64 = u64::MAX;

/// Values of the regions of one class in a combined number, in order.
pub(crate) fn values_of<'a>(
    layout: &Layout,
    known: &'a LayoutCache,
    key: u64,
    site: bool,
) -> Vec<&'a RegionValue> {
    let regions: Vec<usize> = (0..layout.regions().len())
        .filter(|r| layout.region_is_site(*r) == site)
        .collect();
    let key = key & ((1 << LEVEL_BITS) - 1);
    let numbers = [key >> 32, key & u64::from(u32::MAX)];
    let numbers = numbers
        .into_iter()
        .filter_map(|n| usize::try_from(n).ok()?.checked_sub(1));
    regions
        .into_iter()
        .zip(numbers)
        .filter_map(|(region, at)| known.regions.get(region)?.values.get(at))
        .collect()
}
