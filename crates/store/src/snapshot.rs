//! Immutable view of everything that was read so far.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId, SourceId};
use widetui_format::catalog::{Catalog, CatalogView};
use widetui_time::time::NO_TIME;

use super::derived::Derived;
use super::display_names;
use super::duplicates::Duplicates;
use super::id_limit::{self, NO_EVENT};
use super::id_list::IdList;
use super::order::time_order;
use super::read_failures::ReadFailures;
use super::segment::Segment;
use super::source::{Source, effective_time};

/// Immutable view of a run: cheap to clone, readable from any thread, never changed.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// All sources, logs and attachments, by number.
    pub sources: Arc<[Arc<Source>]>,
    /// Segments; event ids number their rows consecutively.
    pub segments: Arc<[Arc<Segment>]>,
    /// First event id of each segment.
    pub bases: Arc<[u32]>,
    /// Event ids in time order.
    pub order: IdList,
    /// Positions at which records of several sources may be equal (see `TimeOrder::ties`); empty once the snapshot has
    /// grown.
    pub ties: Arc<[u32]>,
    /// Byte offset at which the last record of each part ends, by segment and part.
    pub part_ends: Arc<[Arc<[u64]>]>,
    /// Effective time of the first records of each part that have no time, UTC ns, by segment and part: the time of the
    /// record before them in their source. The end of time if no earlier record has a time.
    pub part_carries: Arc<[Arc<[i64]>]>,
    /// Last settled event of each source; `NO_EVENT` without one.
    pub last_events: Arc<[u32]>,
    /// Load that made the snapshot; see [`snapshot_diff`](super::snapshot_diff). 0 if it will not grow.
    pub lineage: u64,
    /// Number of settled events. Later ones are unfinished last lines of growing sources, which the next snapshot may
    /// replace; settled events never change their ids.
    pub settled: u32,
    /// Keys, templates, shapes, contexts.
    pub catalog: CatalogView,
    /// Live tables behind `catalog`, for reading records again.
    pub tables: Arc<Catalog>,
    /// Duplicate records.
    pub duplicates: Arc<Duplicates>,
    /// Values derived by joins.
    pub derived: Arc<Derived>,
    /// Whether the whole run was read.
    pub complete: bool,
    /// Sources whose records could not be read again; a property of queries, not of the run.
    pub read_failures: Arc<ReadFailures>,
}

impl Snapshot {
    /// Builds a snapshot and its time order. `None` if cancelled.
    pub fn build<S: Into<Arc<Source>>>(
        sources: Vec<S>,
        segments: Vec<Arc<Segment>>,
        tables: Arc<Catalog>,
        complete: bool,
        cancel: &Cancel,
    ) -> Option<Snapshot> {
        let sources = sources.into_iter().map(Into::into).collect();
        Snapshot::assembled(sources, segments, tables, complete, cancel)
    }

    /// As `build`, with sources shared with other snapshots.
    pub(super) fn assembled(
        sources: Arc<[Arc<Source>]>,
        segments: Vec<Arc<Segment>>,
        tables: Arc<Catalog>,
        complete: bool,
        cancel: &Cancel,
    ) -> Option<Snapshot> {
        let (segments, sources) = id_limit::within_id_limit(0, segments, sources);
        let mut bases = Vec::with_capacity(segments.len());
        let mut next = 0u32;
        for segment in &segments {
            bases.push(next);
            next = next.checked_add(segment.len() as u32)?;
        }
        let order = time_order(&segments, &bases, &sources, cancel)?;
        Some(Snapshot {
            part_ends: part_ends(&segments, &sources),
            part_carries: order.carries,
            last_events: last_events(&segments, &bases, sources.len()),
            lineage: 0,
            settled: next,
            sources,
            segments: segments.into(),
            bases: bases.into(),
            order: order.ids,
            ties: order.ties.into(),
            catalog: tables.freeze(),
            tables,
            duplicates: Arc::default(),
            derived: Arc::default(),
            complete,
            read_failures: Arc::default(),
        })
    }

    /// Snapshot without the values derived by joins.
    #[must_use]
    pub fn without_derived(&self) -> Snapshot {
        Snapshot {
            derived: Arc::default(),
            ..self.clone()
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Resolution of all times, ns; `None` without events.
    pub fn time_unit(&self) -> Option<i64> {
        self.segments.iter().map(|s| s.times.unit()).min()
    }

    /// Event by id.
    pub fn event(&self, id: EventId) -> Option<EventRef<'_>> {
        let after = self.bases.partition_point(|b| *b <= id.0);
        let index = after.checked_sub(1)?;
        let segment = self.segments.get(index)?;
        let row = (id.0 - self.bases[index]) as usize;
        (row < segment.len()).then_some(EventRef {
            snapshot: self,
            segment,
            index,
            row,
            id,
        })
    }

    /// Event at a position in the time order.
    pub fn at(&self, place: usize) -> Option<EventRef<'_>> {
        self.event(EventId(*self.order.get(place)?))
    }

    /// First position in the time order whose event is not before `time` (UTC ns); events without a time come last.
    pub fn place_of_time(&self, time: i64) -> usize {
        self.order
            .partition_point(|id| match self.event(EventId(*id)) {
                Some(event) => event.order_time() < time,
                None => false,
            })
    }

    /// Event of a source whose record starts at this byte offset; stable across reloads.
    pub fn event_at(&self, source: SourceId, offset: u64) -> Option<EventId> {
        for (segment, base) in self.segments.iter().zip(self.bases.iter()) {
            for part in segment
                .parts
                .iter()
                .filter(|p| p.source == source && p.base <= offset)
            {
                let rows = &segment.offsets
                    [part.first_row as usize..(part.first_row + part.rows) as usize];
                let Ok(rel) = u32::try_from(offset - part.base) else {
                    continue;
                };
                if let Ok(at) = rows.binary_search(&rel) {
                    return Some(EventId(base + part.first_row + at as u32));
                }
            }
        }
        None
    }

    /// Source by number.
    pub fn source(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.index()).map(|s| &**s)
    }

    /// Display name of a source: its tag, after what distinguishes it from others with the same tag.
    pub fn source_name(&self, source: &Source) -> String {
        display_names::display_name(&self.sources, source)
    }

    /// Earliest and latest time of all events, UTC ns.
    pub fn range(&self) -> Option<(i64, i64)> {
        self.sources
            .iter()
            .filter_map(|s| s.range())
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Heap size of the store, bytes, by purpose.
    pub fn memory(&self) -> MemoryUse {
        MemoryUse {
            segments: self.segments.iter().map(|s| s.bytes()).sum(),
            order: 4 * self.order.len(),
            tables: self.tables.bytes(),
            sources: self
                .sources
                .iter()
                .map(|s| {
                    size_of::<Source>() + s.path.len() + s.tag.len() + 16 * s.consts.len() + 100
                })
                .sum(),
        }
    }
}

/// End of the last record of each part: the first record of the next part, else the end of the source.
fn part_ends(segments: &[Arc<Segment>], sources: &[Arc<Source>]) -> Arc<[Arc<[u64]>]> {
    let mut ends: Vec<Vec<u64>> = segments
        .iter()
        .map(|s| s.parts.iter().map(|p| p.end).collect())
        .collect();
    let mut all: Vec<(u32, u32, usize, usize)> = Vec::new();
    for (s, segment) in segments.iter().enumerate() {
        all.extend(
            segment
                .parts
                .iter()
                .enumerate()
                .map(|(p, part)| (part.source.0, part.seq, s, p)),
        );
    }
    all.sort_unstable();
    for (i, (source, _, s, p)) in all.iter().enumerate() {
        ends[*s][*p] = match all.get(i + 1) {
            Some((next, _, s2, p2)) if next == source => {
                let part = &segments[*s2].parts[*p2];
                part.base + u64::from(segments[*s2].offsets[part.first_row as usize])
            }
            _ => sources
                .get(*source as usize)
                .map_or(0, |s| s.bytes)
                .max(ends[*s][*p]),
        };
    }
    ends.into_iter().map(Arc::from).collect()
}

/// Last event of each source, by number.
fn last_events(segments: &[Arc<Segment>], bases: &[u32], sources: usize) -> Arc<[u32]> {
    let mut last = vec![(0, NO_EVENT); sources];
    for (segment, base) in segments.iter().zip(bases) {
        for part in segment.parts.iter().filter(|p| p.rows > 0) {
            if let Some(known) = last.get_mut(part.source.index())
                && (known.1 == NO_EVENT || known.0 <= part.seq)
            {
                *known = (part.seq, base + part.first_row + part.rows - 1);
            }
        }
    }
    last.into_iter().map(|l| l.1).collect()
}

/// Heap size of the store, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Columns.
    pub segments: usize,
    /// Time order.
    pub order: usize,
    /// Keys, values, templates, contexts.
    pub tables: usize,
    /// Sources.
    pub sources: usize,
}

impl MemoryUse {
    /// Sum of all parts.
    pub fn total(&self) -> usize {
        self.segments + self.order + self.tables + self.sources
    }
}

/// Value of an event, as spelled in the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// One value.
    One(String),
    /// Several values, in the order of the record.
    Many(Vec<String>),
}

impl Value {
    /// Value with these spellings; `None` without any.
    pub fn of(mut values: Vec<String>) -> Option<Value> {
        match values.len() {
            0 => None,
            1 => values.pop().map(Value::One),
            _ => Some(Value::Many(values)),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::One(value) => f.write_str(value),
            Value::Many(values) => f.write_str(&values.join(", ")),
        }
    }
}

/// Origin of an event's value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    /// The record itself.
    Record,
    /// A join, as an index into `Derived::joins`.
    Join(u16),
    /// The path of the source.
    Path,
}

/// Event of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct EventRef<'a> {
    /// Snapshot of the event.
    pub snapshot: &'a Snapshot,
    /// Segment of the event.
    pub segment: &'a Segment,
    /// Number of the segment.
    pub index: usize,
    /// Row in the segment.
    pub row: usize,
    /// Id of the event.
    pub id: EventId,
}

impl<'a> EventRef<'a> {
    /// Source of the event.
    pub fn source(&self) -> &'a Source {
        &self.snapshot.sources[self.segment.part(self.row).source.index()]
    }

    /// Time of the event, UTC ns; `None` if the record has none.
    pub fn time(&self) -> Option<i64> {
        let t = self.segment.utc(self.source(), self.row);
        (t != NO_TIME).then_some(t)
    }

    /// Effective time by which the event is ordered: its own time, else the time of the record before it in its source;
    /// the end of time in a source without times.
    pub fn order_time(&self) -> i64 {
        let source = self.source();
        let part = self.segment.part(self.row);
        let own = self.segment.utc(source, self.row);
        let kept = source.kept_step_back();
        if own != NO_TIME && kept == 0 {
            return own;
        }
        // A source without any time need not be searched.
        let Some(first) = source.first() else {
            return i64::MAX;
        };
        let carries = self.snapshot.part_carries.get(self.index);
        let index = self.segment.part_index(self.row);
        let carry = carries.and_then(|c| c.get(index)).copied();
        let carry = carry.filter(|t| *t != i64::MAX);
        let times = (part.first_row as usize..=self.row).map(|row| self.segment.utc(source, row));
        if kept > 0 {
            let before = carry.unwrap_or(first);
            return times.fold(before, |before, own| effective_time(before, own, kept));
        }
        let found = times.rev().find(|t| *t != NO_TIME).or(carry);
        found.unwrap_or(first)
    }

    /// True if the record may have continuation lines.
    pub fn may_have_continuation(&self) -> bool {
        self.segment.may_have_continuation(self.row)
    }

    /// Severity.
    pub fn level(&self) -> widetui_core::level::Level {
        self.shape().map(|s| s.level).unwrap_or_default()
    }

    /// Shape, which lays out its cells.
    pub fn shape(&self) -> Option<&'a widetui_format::catalog::Shape> {
        // The group number is a table look-up; the row in the group would need a search.
        let group = &self.segment.groups[self.segment.group_number(self.row)];
        self.snapshot
            .catalog
            .shapes
            .get(group.shape.index())
            .map(|s| &**s)
    }

    /// Template of the message.
    pub fn template(&self) -> Option<&'a widetui_format::catalog::Template> {
        let id = self.shape()?.template;
        self.snapshot
            .catalog
            .templates
            .get(id.index())
            .map(|t| &**t)
    }

    /// Start of the record in the source, and its length, bytes.
    pub fn span(&self) -> (u64, usize) {
        let part = self.segment.part_index(self.row);
        let part_end = self
            .snapshot
            .part_ends
            .get(self.index)
            .and_then(|e| e.get(part))
            .copied();
        let (start, end) = self.segment.span(self.row, part_end);
        (start, (end - start) as usize)
    }

    /// Values of the header that name the writer: process, thread.
    pub fn context(&self) -> &'a [(KeyId, Code)] {
        let context = self.segment.context(self.row);
        let values = context.and_then(|c| self.snapshot.catalog.contexts.get(c.index()));
        values.map_or(&[], |values| values)
    }

    /// Calls `f` with each stored key and its codes (several for a list): first the record's own, then derived ones,
    /// then those of the path, which count only where the others have none, and not for a doubtful record. Keys whose values are read on demand have
    /// no codes.
    pub fn for_each_code(&self, mut f: impl FnMut(KeyId, &[Code], ValueOrigin)) {
        use super::column::Cell;
        let (group, place) = self.segment.group(self.row);
        for (key, column) in &group.columns {
            match column.cell(place) {
                Cell::Absent => {}
                Cell::One(code) => f(*key, &[code], ValueOrigin::Record),
                Cell::Many(codes) => f(*key, codes, ValueOrigin::Record),
                Cell::Deferred => f(*key, &[], ValueOrigin::Record),
            }
        }
        if let Some(shape) = self.shape() {
            shape
                .consts
                .iter()
                .for_each(|(key, code)| f(*key, &[*code], ValueOrigin::Record));
        }
        self.context()
            .iter()
            .for_each(|(key, code)| f(*key, &[*code], ValueOrigin::Record));
        let number = self.segment.group_number(self.row);
        for column in self.snapshot.derived.columns(self.index, number) {
            let Cell::One(join) = column.joins.cell(place) else {
                continue;
            };
            let origin = ValueOrigin::Join(join as u16);
            match column.cells.cell(place) {
                Cell::Absent | Cell::Deferred => {}
                Cell::One(code) => f(column.key, &[code], origin),
                Cell::Many(codes) => f(column.key, codes, origin),
            }
        }
        if self.is_doubtful() {
            return;
        }
        for (key, code) in self.source().consts.iter() {
            f(*key, &[*code], ValueOrigin::Path);
        }
    }

    /// True if the path does not decide to which instance the record belongs.
    pub fn is_doubtful(&self) -> bool {
        self.snapshot.derived.is_doubtful(self.index, self.row)
    }

    /// Whether some values must be read from the text.
    pub fn has_deferred(&self) -> bool {
        let mut found = false;
        self.for_each_code(|_, codes, _| found |= codes.is_empty());
        found
    }

    /// Stored keys with their spellings, each key once; the record's own value takes precedence over the path.
    pub fn stored(&self) -> Vec<(KeyId, Value, ValueOrigin)> {
        let mut out: Vec<(KeyId, Value, ValueOrigin)> = Vec::new();
        self.for_each_code(|key, codes, origin| {
            if codes.is_empty() || out.iter().any(|(k, ..)| *k == key) {
                return;
            }
            let Some(view) = self.snapshot.catalog.keys.get(key) else {
                return;
            };
            let value = match codes {
                [one] => view.spelling(*one).map(Value::One),
                _ => Value::of(codes.iter().filter_map(|c| view.spelling(*c)).collect()),
            };
            out.extend(value.map(|value| (key, value, origin)));
        });
        out
    }
}
