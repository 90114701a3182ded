//! What the headers of one layout said before: regions of bytes that were matched once are looked up ever after.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::base::bytes::equal;
use crate::base::dict::Code;
use crate::base::ids::{ContextId, KeyId};
use crate::base::level::Level;

use super::catalog::Site;
use super::layout::Layout;
use super::pattern::Spans;

/// What a region of a header says, once it was matched.
#[derive(Debug, Default)]
pub(super) struct RegionValue {
    pub(super) text: Box<[u8]>,
    /// Whether it matches its part of the layout.
    pub(super) fits: bool,
    pub(super) level: Option<Level>,
    pub(super) values: Vec<(KeyId, Code)>,
}

/// Regions met so far at one place of a layout.
#[derive(Default)]
pub(super) struct RegionCache {
    pub(super) values: Vec<RegionValue>,
    pub(super) table: HashTable<u32>,
    pub(super) last: u32,
}

/// Above these bits of a combination of regions stands the level that the message starts with.
pub(super) const LEVEL_BITS: u32 = 56;

/// A cache that grew to this many regions is started anew.
pub(super) const MANY_REGIONS: usize = 1 << 16;

impl RegionCache {
    #[inline]
    pub(super) fn find(
        &mut self,
        hasher: &FxBuildHasher,
        layout: &Layout,
        region: usize,
        text: &[u8],
        spans: &mut Spans,
    ) -> u32 {
        if let Some(last) = self.values.get(self.last as usize)
            && equal(&last.text, text)
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
pub(super) struct LayoutCache {
    pub(super) regions: Vec<RegionCache>,
    /// Code sites by the numbers of their regions' values.
    pub(super) site_of: FxHashMap<u64, u32>,
    pub(super) sites: Vec<Arc<Site>>,
    pub(super) last_site: (u64, u32),
    pub(super) contexts: FxHashMap<u64, Option<ContextId>>,
    pub(super) last_context: (u64, Option<ContextId>),
}

impl LayoutCache {
    pub(super) fn new(layout: &Layout) -> LayoutCache {
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
}

/// Stands for no combination of regions.
pub(super) const NO_PARTS: u64 = u64::MAX;

/// The values of the regions of one class that a key names, in order.
pub(super) fn values_of<'a>(
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
        .filter(|n| *n > 0)
        .map(|n| n as usize - 1);
    regions
        .into_iter()
        .zip(numbers)
        .filter_map(|(region, at)| known.regions[region].values.get(at))
        .collect()
}
