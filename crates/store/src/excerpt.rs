//! Copies of rows of sealed segments: small segments joined into larger ones, and selected rows as a separate snapshot.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId, ShapeId};
use widetui_format::catalog::encode::DEFER;

use super::column::{Cell, Column};
use super::derived::{Derived, DerivedColumn, DerivedSegment};
use super::duplicates::Duplicates;
use super::id_list::IdList;
use super::order_keys::OrderKeys;
use super::segment::{Group, GroupOfRow, MAX_ROWS, Part, Segment, Times, context_code};
use super::snapshot::Snapshot;

/// Column under construction.
#[derive(Debug, Default)]
struct Cells {
    codes: Vec<Code>,
    /// End of each row's values; allocated at the first row that does not have exactly one value.
    ends: Option<Vec<u32>>,
}

impl Cells {
    fn push(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Absent => self.codes.push(NONE),
            Cell::Deferred => self.codes.push(DEFER),
            Cell::One(code) => self.codes.push(code),
            Cell::Many(many) => {
                let rows = self.codes.len() as u32;
                self.ends.get_or_insert_with(|| (1..=rows).collect());
                self.codes.extend_from_slice(many);
            }
        }
        let end = self.codes.len() as u32;
        if let Some(ends) = &mut self.ends {
            ends.push(end);
        }
    }

    /// Copies a cell of a column. Lists are copied unchanged, because the lists of several keys are aligned with each
    /// other.
    fn copy(&mut self, column: &Column, row: usize) {
        match column {
            Column::Lists { ends, codes } => {
                let end = ends[row] as usize;
                let start = row.checked_sub(1).map_or(0, |r| ends[r] as usize);
                self.push(Cell::Many(&codes[start..end]));
            }
            column => self.push(column.cell(row)),
        }
    }

    /// Adds absent cells up to a number of rows.
    fn fill(&mut self, rows: usize) {
        let own = self.ends.as_ref().map_or(self.codes.len(), Vec::len);
        (own..rows).for_each(|_| self.push(Cell::Absent));
    }

    fn seal(self) -> Column {
        match self.ends {
            None => Column::pack(&self.codes),
            Some(ends) => Column::Lists {
                ends: ends.into(),
                codes: self.codes.into(),
            },
        }
    }
}

#[derive(Debug)]
struct OpenGroup {
    shape: ShapeId,
    rows: Vec<u16>,
    columns: Vec<(KeyId, Cells)>,
    derived: Vec<OpenDerivedColumn>,
}

/// Derived column under construction; the last rows are missing while they have no value.
#[derive(Debug)]
struct OpenDerivedColumn {
    key: KeyId,
    cells: Cells,
    joins: Cells,
}

/// Collector of rows into a segment, at most `MAX_ROWS`.
#[derive(Debug, Default)]
struct Collector {
    parts: Vec<Part>,
    times: Vec<i64>,
    offsets: Vec<u32>,
    contexts: Vec<Code>,
    further: Vec<u16>,
    group_of_row: Vec<u16>,
    groups: Vec<OpenGroup>,
    group_of_shape: FxHashMap<u32, u16>,
}

impl Collector {
    /// Begins a part without rows.
    fn begin(&mut self, part: &Part) {
        self.parts.push(Part {
            first_row: self.offsets.len() as u32,
            rows: 0,
            ..part.clone()
        });
    }

    /// Adds a row to the current part. `offset` counts from the base of that part.
    fn row(&mut self, segment: &Segment, row: usize, offset: u32) {
        let at = self.offsets.len();
        self.offsets.push(offset);
        self.times.push(segment.times.get(row));
        self.contexts.push(context_code(segment.context(row)));
        if segment.may_have_continuation(row) {
            self.further.push(at as u16);
        }
        if let Some(part) = self.parts.last_mut() {
            part.rows += 1;
        }
        let (group, place) = segment.group(row);
        let next = self.groups.len() as u16;
        let index = *self.group_of_shape.entry(group.shape.0).or_insert(next);
        if index == next {
            self.groups.push(OpenGroup {
                shape: group.shape,
                rows: Vec::new(),
                columns: group
                    .columns
                    .iter()
                    .map(|(k, _)| (*k, Cells::default()))
                    .collect(),
                derived: Vec::new(),
            });
        }
        self.group_of_row.push(index);
        let open = &mut self.groups[index as usize];
        open.rows.push(at as u16);
        for ((_, cells), (_, column)) in open.columns.iter_mut().zip(&group.columns) {
            cells.copy(column, place);
        }
    }

    /// Adds the derived values of the last row; `columns` are those of its group, where it is at `place`.
    fn derived_values(&mut self, columns: &[DerivedColumn], place: usize) {
        let last = self.group_of_row.last();
        let Some(open) = last.and_then(|group| self.groups.get_mut(usize::from(*group))) else {
            return;
        };
        let before = open.rows.len() - 1;
        for column in columns {
            let known = open.derived.iter().position(|c| c.key == column.key);
            let at = known.unwrap_or(open.derived.len());
            if known.is_none() {
                open.derived.push(OpenDerivedColumn {
                    key: column.key,
                    cells: Cells::default(),
                    joins: Cells::default(),
                });
            }
            let own = &mut open.derived[at];
            own.cells.fill(before);
            own.cells.copy(&column.cells, place);
            own.joins.fill(before);
            own.joins.copy(&column.joins, place);
        }
    }

    /// Removes the derived columns of all groups.
    fn take_derived(&mut self) -> DerivedSegment {
        let groups = self.groups.iter_mut().map(|open| {
            let columns = std::mem::take(&mut open.derived).into_iter();
            let sealed = columns.map(|mut column| {
                column.cells.fill(open.rows.len());
                column.joins.fill(open.rows.len());
                DerivedColumn {
                    key: column.key,
                    cells: column.cells.seal(),
                    joins: column.joins.seal(),
                }
            });
            sealed.collect()
        });
        DerivedSegment::new(groups.collect(), Vec::new())
    }

    fn seal(self) -> Segment {
        let groups: Vec<Group> = self
            .groups
            .into_iter()
            .map(|open| Group {
                shape: open.shape,
                rows: open.rows.into(),
                columns: open
                    .columns
                    .into_iter()
                    .map(|(key, cells)| (key, cells.seal()))
                    .collect(),
            })
            .collect();
        Segment {
            parts: self.parts.into(),
            times: Times::pack(&self.times),
            offsets: self.offsets.into(),
            group_of_row: if groups.len() <= 256 {
                GroupOfRow::Byte(self.group_of_row.iter().map(|g| *g as u8).collect())
            } else {
                GroupOfRow::Short(self.group_of_row.into())
            },
            groups: groups.into(),
            contexts: Column::pack(&self.contexts),
            continued_rows: self.further.into(),
        }
    }
}

/// Segment with the properties of its parts that depend on neighbouring segments.
#[derive(Clone, Debug)]
pub(super) struct PlacedSegment {
    pub(crate) segment: Arc<Segment>,
    /// End of the last record of each part, byte offset in its source.
    pub(crate) ends: Arc<[u64]>,
    /// Time that each part takes over from earlier parts of its source, UTC ns.
    pub(crate) carries: Arc<[i64]>,
}

/// Joins the rows of two segments in order, so that event ids are unchanged. `None` if the result would exceed the
/// limits of a segment.
pub(super) fn join(a: &PlacedSegment, b: &PlacedSegment) -> Option<PlacedSegment> {
    if a.segment.len() + b.segment.len() > MAX_ROWS {
        return None;
    }
    let mut collector = Collector::default();
    let (mut ends, mut carries): (Vec<u64>, Vec<i64>) = (Vec::new(), Vec::new());
    for placed in [a, b] {
        let segment = &*placed.segment;
        for (at, part) in segment.parts.iter().enumerate() {
            let first = part.first_row as usize;
            let rows = first..first + part.rows as usize;
            let start = |row: usize| part.base + u64::from(segment.offsets[row]);
            // A part that begins at the end of the previous one continues it.
            let before = collector.parts.last().filter(|p| {
                let room = part.end.saturating_sub(p.base) <= u64::from(u32::MAX);
                p.source == part.source && p.base <= part.base && room
            });
            let base = match before.map(|p| p.base) {
                Some(base) => {
                    if let (Some(end), Some(last)) = (ends.last_mut(), collector.parts.last_mut()) {
                        *end = placed.ends[at];
                        last.end = part.end;
                    }
                    base
                }
                None => {
                    collector.begin(part);
                    ends.push(placed.ends[at]);
                    carries.push(placed.carries[at]);
                    part.base
                }
            };
            for row in rows {
                collector.row(segment, row, (start(row) - base) as u32);
            }
        }
    }
    Some(PlacedSegment {
        segment: Arc::new(collector.seal()),
        ends: ends.into(),
        carries: carries.into(),
    })
}

/// Copies a segment without the parts that `drop` selects; `None` if no row is left.
pub(super) fn without(segment: &Segment, drop: impl Fn(&Part) -> bool) -> Option<Segment> {
    let mut collector = Collector::default();
    for part in segment.parts.iter().filter(|p| !drop(p)) {
        collector.begin(part);
        let first = part.first_row as usize;
        for row in first..first + part.rows as usize {
            collector.row(segment, row, segment.offsets[row]);
        }
    }
    (!collector.offsets.is_empty()).then(|| collector.seal())
}

impl Snapshot {
    /// Returns a snapshot of some events only: event `i` is `ids[i]`, and the time order is the order of `ids`. Lets
    /// functions that take a whole snapshot examine a few events. Duplicates are empty.
    pub fn excerpt(&self, ids: &[u32]) -> Snapshot {
        let (mut segments, mut all_ends, mut all_carries) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bases, mut derived) = (Vec::new(), Vec::new());
        let mut done = 0u32;
        let keys = OrderKeys::new(self);
        for piece in ids.chunks(MAX_ROWS) {
            let mut collector = Collector::default();
            let (mut ends, mut carries): (Vec<u64>, Vec<i64>) = (Vec::new(), Vec::new());
            for event in piece.iter().filter_map(|id| self.event(EventId(*id))) {
                let part = event.segment.part(event.row);
                let (start, len) = event.span();
                collector.begin(&Part {
                    base: start,
                    end: start + len as u64,
                    // Parts keep their position in the source, whatever their order in `ids`.
                    seq: part.seq,
                    ..part.clone()
                });
                collector.row(event.segment, event.row, 0);
                let group = event.segment.group_number(event.row);
                let columns = self.derived.columns(event.index, group);
                if !columns.is_empty() {
                    collector.derived_values(columns, event.segment.group(event.row).1);
                }
                ends.push(start + len as u64);
                carries.push(keys.of(event.id.0).0);
            }
            bases.push(done);
            done += collector.offsets.len() as u32;
            derived.push(Arc::new(collector.take_derived()));
            segments.push(Arc::new(collector.seal()));
            all_ends.push(Arc::from(ends));
            all_carries.push(Arc::from(carries));
        }
        Snapshot {
            segments: segments.into(),
            bases: bases.into(),
            order: (0..done).collect::<IdList>(),
            ties: Arc::default(),
            part_ends: all_ends.into(),
            part_carries: all_carries.into(),
            last_events: Arc::default(),
            duplicates: Arc::<Duplicates>::default(),
            derived: Arc::new(Derived {
                joins: self.derived.joins.clone(),
                segments: derived,
            }),
            lineage: 0,
            settled: done,
            ..self.clone()
        }
    }
}
