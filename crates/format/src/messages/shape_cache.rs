//! Maps messages to shapes and cells for one loader thread.
//!
//! Nearly all messages of a code site have one of a few templates, so the most recent ones are tried first
//! (`token::fits` compares literals with memory comparisons). Any other message is tokenised and looked up in the table
//! of this thread, then in the catalog.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use widetui_core::dict::{self, Code, NONE};
use widetui_core::ids::{KeyId, ShapeId};
use widetui_core::level::Level;

use crate::catalog::encode::Encoder;
use crate::catalog::keys::Key;
use crate::catalog::{Catalog, NOT_STORED, Plan, Shape, Site};
use crate::messages::leading_level;
use crate::messages::mine;
use crate::messages::mined_keys::{self, MinedValue};
use crate::messages::scope::{Matched, Scope};
use crate::pattern::{FieldKind, Spans, list_values};
use crate::text::token::{self, Part};
use widetui_definition::key_type::KeyType;

/// Maximum number of recent templates of one code site that are tried one by one.
const MAX_RECENT: usize = 8;

/// Cached shape with the keys of its slots.
#[derive(Debug)]
struct CachedShape {
    shape: Arc<Shape>,
    site: u32,
    /// Keys of the slots, in order; `None` for values that are not kept.
    keys: Vec<Option<Arc<Key>>>,
    named: Option<Box<str>>,
    variants: Vec<TemplateVariant>,
    /// Whether messages of several templates have this shape, so that its literals do not identify it.
    is_shared: bool,
    /// Whether a message may have a clock with seconds: two single colons between its variables, or text that is unknown.
    may_have_clock: bool,
}

impl CachedShape {
    /// Whether the literals of a message identify this shape.
    fn is_identified_by_literals(&self) -> bool {
        !(self.is_shared && self.shape.open)
    }

    /// Whether a message has its literals; fills the variables.
    #[inline]
    fn fits(&self, line: &[u8], variables: &mut Vec<Part>) -> bool {
        token::fits(line, &self.shape.literals, self.shape.open, variables)
    }
}

/// Template variant: shape of messages whose variables do not fit the plan of their usual shape.
#[derive(Debug)]
struct TemplateVariant {
    /// Index of the matching pattern.
    found: Option<usize>,
    /// Values of its fixed fields, which are part of the template.
    words: Vec<Box<[u8]>>,
    /// Keys that were mined, if no pattern matched.
    mined: Vec<KeyId>,
    /// Level in the header part of the message, if messages of several templates have the shape and the record no level
    /// of its own.
    level: Option<Level>,
    shape: Arc<Shape>,
}

/// Maximum number of cached variants per skeleton.
const MAX_VARIANTS: usize = 32;

/// Cells of one record; reused for each record.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// One code per column.
    pub(crate) codes: Vec<Code>,
    /// Columns whose cell holds several values.
    pub(crate) lists: Vec<(usize, Vec<Code>)>,
    /// Level of the record, from its header or its message.
    pub(crate) level: Level,
}

impl Cells {
    /// Clears all cells.
    pub(crate) fn clear(&mut self) {
        self.codes.clear();
        self.lists.clear();
    }

    /// Appends other cells; their codes are copied, their lists moved.
    pub(crate) fn append(&mut self, others: &mut Cells) {
        let width = self.codes.len();
        self.codes.extend_from_slice(&others.codes);
        for (at, list) in others.lists.drain(..) {
            self.lists.push((width + at, list));
        }
    }

    /// Appends the cell of a field.
    pub(crate) fn push(
        &mut self,
        encoder: &mut Encoder,
        key: &Arc<Key>,
        kind: &FieldKind,
        text: &[u8],
    ) {
        // Records of one template may be lists or single values, so each is examined.
        let mined = matches!(kind, FieldKind::Mined).then(|| mine::kind_of(text));
        let kind = mined.as_ref().unwrap_or(kind);
        if !kind.is_list() {
            self.codes.push(encoder.code(key, text));
            return;
        }
        let values = list_values(kind, text).into_iter();
        let mut codes: Vec<Code> = values.map(|v| encoder.code(key, &v)).collect();
        match codes.len() {
            0 => self.codes.push(NONE),
            1 => self.codes.push(codes.swap_remove(0)),
            _ => {
                self.lists.push((self.codes.len(), codes));
                self.codes.push(NONE);
            }
        }
    }
}

/// Templates of one scope that this thread has met.
#[derive(Default)]
pub(crate) struct ShapeCache {
    known: Vec<CachedShape>,
    /// Most recent ones by code site.
    recent: Vec<Vec<u32>>,
    table: HashTable<u32>,
    /// Shapes of several templates.
    shared: FxHashMap<ShapeId, u32>,
    hasher: FxBuildHasher,
    variables: Vec<Part>,
    spans: Spans,
    last: u32,
}

/// Message with its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    /// Code site.
    pub(crate) site: &'a Site,
    /// First line.
    pub(crate) line: &'a [u8],
    /// Template that the record itself names.
    pub(crate) named: Option<&'a str>,
    /// Index, from [`ShapeCache::last`], of the shape that this message probably has.
    pub(crate) likely: Option<u32>,
}

impl ShapeCache {
    /// Shape of a message; fills its cells.
    ///
    /// For cached shapes no reference count is changed: shapes are shared by all threads, and counting would cause
    /// contention.
    #[inline]
    pub(crate) fn shape(
        &mut self,
        tables: &Catalog,
        scope: &Scope,
        encoder: &mut Encoder,
        message: Message<'_>,
        cells: &mut Cells,
    ) -> ShapeId {
        let at = self.find(tables, scope, message);
        self.fill(tables, scope, encoder, (at, message), cells)
    }

    /// Index of the shape of a message.
    #[inline]
    pub(crate) fn find(&mut self, tables: &Catalog, scope: &Scope, message: Message<'_>) -> u32 {
        self.last = self.cached(tables, scope, message);
        self.last
    }

    /// Whether a message of the shape with this index may have a clock with seconds.
    #[inline]
    pub(crate) fn may_have_clock(&self, at: u32) -> bool {
        let known = self.known.get(at as usize);
        known.is_some_and(|known| known.may_have_clock)
    }

    /// Fills the cells of the message for which [`find`](Self::find) was called last, with the index that it returned;
    /// returns its shape.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "`at` is an index that `find` returned, and slots name variables, which are parts of the message"
    )]
    pub(crate) fn fill(
        &mut self,
        tables: &Catalog,
        scope: &Scope,
        encoder: &mut Encoder,
        (at, message): (u32, Message<'_>),
        cells: &mut Cells,
    ) -> ShapeId {
        let cached = &self.known[at as usize];
        let (site, msg) = (message.site, message.line);
        cells.clear();
        if let Plan::Slots(slots) = &cached.shape.plan {
            let mut fits = true;
            for (slot, key) in slots.iter().zip(&cached.keys) {
                let variable = self.variables[slot.variable as usize];
                let end = mined_keys::value_end(msg, variable, slot.unit_len);
                let text = &msg[variable.0 as usize..end];
                match key {
                    // Most slots hold a plain integer, which is its own code.
                    Some(key)
                        if slot.kind == FieldKind::Int
                            && key.kind != KeyType::Bool
                            && push_direct(cells, text) => {}
                    _ if !slot.kind.accepts(text) => {
                        fits = false;
                        break;
                    }
                    Some(key) => cells.push(encoder, key, &slot.kind, text),
                    None => {}
                }
            }
            if fits {
                cells.level = cached.shape.level;
                return cached.shape.id;
            }
            cells.clear();
        }
        self.variant(tables, scope, encoder, (at, site), msg, cells)
    }

    /// Shape of a message whose variables do not fit the plan of `known[at]`; fills its cells.
    #[expect(
        clippy::indexing_slicing,
        reason = "`at` is an index that `find` returned, `known` that of a variant, and spans are parts of the message"
    )]
    fn variant(
        &mut self,
        tables: &Catalog,
        scope: &Scope,
        encoder: &mut Encoder,
        (at, site): (u32, &Site),
        msg: &[u8],
        cells: &mut Cells,
    ) -> ShapeId {
        let spans = &mut self.spans;
        let cached = &mut self.known[at as usize];
        let found = scope.find(msg, spans);
        let message = found.and_then(|index| scope.messages().get(index));
        // Fields of the record take precedence over its message.
        let mut mined = Vec::new();
        if message.is_none() && scope.mine {
            mined = mined_keys::mined_values(msg, tables);
            mined.retain(|(key, _)| !site.fields.contains(&key.id));
        }
        let words = || {
            message
                .map(|m| m.pattern.words(msg, spans))
                .into_iter()
                .flatten()
        };
        let mined_keys = || mined.iter().map(|(key, _)| key.id);
        let level = match cached.is_shared && site.level == Level::Unknown {
            true => leading_level::level(msg),
            false => None,
        };
        let known = cached.variants.iter().position(|variant| {
            variant.found == found
                && variant.words.iter().map(|word| &**word).eq(words())
                && variant.mined.iter().copied().eq(mined_keys())
                && variant.level == level
        });
        let known = match known {
            Some(known) => known,
            None => {
                let keys: Vec<KeyId> = mined_keys().collect();
                let says = found.map_or(Matched::Mined(&keys), |index| {
                    Matched::Pattern(index, spans)
                });
                let shape = scope.variant_shape(tables, site, msg, &cached.shape, says);
                if cached.variants.len() >= MAX_VARIANTS {
                    cached.variants.clear();
                }
                cached.variants.push(TemplateVariant {
                    found,
                    words: words().map(Into::into).collect(),
                    mined: keys,
                    level,
                    shape,
                });
                cached.variants.len() - 1
            }
        };
        if let Some(message) = message {
            for (kind, key, span) in message.fields(spans) {
                if let Some(key) = key.filter(|k| !site.fields.contains(&k.id)) {
                    cells.push(encoder, key, kind, &msg[span.clone()]);
                }
            }
        }
        let shape = &cached.variants[known].shape;
        // Beyond the limit of shapes with mined keys, the shape has no columns for them.
        if shape.plan != Plan::Match(Box::default()) {
            for (key, value) in &mined {
                match value {
                    MinedValue::Word(word) => {
                        cells.push(encoder, key, &FieldKind::Text, word.as_bytes())
                    }
                    MinedValue::Variable((start, end)) => {
                        let text = &msg[*start as usize..*end as usize];
                        cells.push(encoder, key, &FieldKind::Mined, text);
                    }
                }
            }
        }
        cells.level = shape.level;
        shape.id
    }

    /// Index of the shape of the last message, to be passed as `likely` for a similar message.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "`recent` is long enough for the site, and holds indices of known shapes"
    )]
    fn cached(&mut self, tables: &Catalog, scope: &Scope, message: Message<'_>) -> u32 {
        let site = message.site.id as usize;
        if self.recent.len() <= site {
            self.recent.resize_with(site + 16, Vec::new);
        }
        let likely = message
            .likely
            .and_then(|at| Some((at, self.known.get(at as usize)?)));
        if let Some((at, cached)) = likely.filter(|(_, p)| p.is_identified_by_literals())
            && cached.site == message.site.id
            && cached.named.as_deref() == message.named
            && cached.fits(message.line, &mut self.variables)
        {
            return at;
        }
        let recent = &mut self.recent[site];
        for at in 0..recent.len() {
            let index = recent[at];
            let cached = &self.known[index as usize];
            if cached.fits(message.line, &mut self.variables)
                && cached.named.as_deref() == message.named
            {
                if at > 0 {
                    recent.swap(at, at - 1);
                }
                return index;
            }
        }
        self.look_up(tables, scope, message)
    }

    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "the table holds indices of known shapes, fewer than 2^32; `cached` made `recent` long enough for the site"
    )]
    fn look_up(&mut self, tables: &Catalog, scope: &Scope, message: Message<'_>) -> u32 {
        let Message {
            site, line, named, ..
        } = message;
        let open = token::tokenize(line, &mut self.variables);
        let hash = self.hash(site.id, line, named);
        let (variables, known) = (&self.variables, &self.known);
        let found = self.table.find(hash, |at| {
            let p = &known[*at as usize];
            p.site == site.id
                && p.named.as_deref() == named
                && p.shape.open == open
                && p.shape.literals.len() == variables.len() + 1
                && same(&p.shape.literals, line, variables)
        });
        let index = match found {
            Some(at) => *at,
            None => {
                let split = (line, &*self.variables, open);
                let shape = scope.shape(tables, site, split, named);
                let keys = match &shape.plan {
                    Plan::Slots(slots) => slots
                        .iter()
                        .map(|s| {
                            (s.key != NOT_STORED)
                                .then(|| tables.keys.by_id(s.key))
                                .flatten()
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                // Shared shapes are not found by their literals; they are looked up each time.
                let by_literals = shape.open == open
                    && shape.literals.len() == self.variables.len() + 1
                    && same(&shape.literals, line, &self.variables);
                let index = self.known.len() as u32;
                if !by_literals && let Some(at) = self.shared.get(&shape.id) {
                    return *at;
                }
                if !by_literals {
                    self.shared.insert(shape.id, index);
                }
                self.known.push(CachedShape {
                    site: site.id,
                    keys,
                    named: named.map(Into::into),
                    variants: Vec::new(),
                    is_shared: !by_literals,
                    may_have_clock: !by_literals || shape.open || has_clock(&shape.literals),
                    shape,
                });
                if by_literals {
                    let (hasher, known) = (&self.hasher, &self.known);
                    self.table.insert_unique(hash, index, |at| {
                        let p = &known[*at as usize];
                        hash_literals(
                            hasher,
                            p.site,
                            p.shape.literals.iter().map(|l| &**l),
                            p.named.as_deref(),
                        )
                    });
                }
                index
            }
        };
        if self.known[index as usize].is_identified_by_literals() {
            let recent = &mut self.recent[site.id as usize];
            if recent.len() >= MAX_RECENT {
                recent.pop();
            }
            recent.push(index);
        }
        index
    }

    fn hash(&self, site: u32, msg: &[u8], named: Option<&str>) -> u64 {
        let tail = self.variables.iter().map(|v| v.1 as usize);
        let ends = self
            .variables
            .iter()
            .map(|v| v.0 as usize)
            .chain([msg.len()]);
        let starts: Vec<usize> = std::iter::once(0).chain(tail).collect();
        let parts = starts
            .into_iter()
            .zip(ends)
            .map(|(start, end)| msg.get(start..end).unwrap_or_default());
        hash_literals(&self.hasher, site, parts, named)
    }
}

#[inline]
fn push_direct(cells: &mut Cells, text: &[u8]) -> bool {
    match dict::direct(text) {
        Some(code) => {
            cells.codes.push(code);
            true
        }
        None => false,
    }
}

fn hash_literals<'a>(
    hasher: &FxBuildHasher,
    site: u32,
    parts: impl Iterator<Item = &'a [u8]>,
    named: Option<&str>,
) -> u64 {
    let mut state = hasher.build_hasher();
    state.write_u32(site);
    for part in parts {
        state.write(part);
        state.write_u8(0);
    }
    if let Some(name) = named {
        state.write(name.as_bytes());
    }
    state.finish()
}

/// Whether two of the literals between variables in a row are a colon.
fn has_clock(literals: &[Box<[u8]>]) -> bool {
    let between = literals.get(1..literals.len().saturating_sub(1));
    let mut pairs = between.unwrap_or_default().windows(2);
    pairs.any(|pair| pair.iter().all(|literal| **literal == *b":"))
}

fn same(literals: &[Box<[u8]>], msg: &[u8], variables: &[Part]) -> bool {
    let mut pos = 0;
    for (literal, (start, end)) in literals.iter().zip(variables) {
        if msg.get(pos..*start as usize) != Some(literal) {
            return false;
        }
        pos = *end as usize;
    }
    literals.last().map(|l| &**l) == msg.get(pos..)
}
