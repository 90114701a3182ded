//! Builder that collects records into a segment and seals it.

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{ShapeId, SourceId};
use widetui_format::catalog::Catalog;
use widetui_format::catalog::sink::{Head, RecordSink};

use super::column::Column;
use super::part_stats::PartStats;
use super::segment::{Group, GroupOfRow, MAX_ROWS, Part, Segment, Times, context_code};

/// Cells of a column under construction. Most columns have one value per chunk; of such a column only the number of rows is kept.
#[derive(Debug)]
enum Cells {
    Same { code: Code, rows: usize },
    One(Vec<Code>),
    Many { ends: Vec<u32>, codes: Vec<Code> },
}

impl Cells {
    /// Column without cells.
    const EMPTY: Cells = Cells::Same {
        code: NONE,
        rows: 0,
    };

    /// Column of one value; `room` is the number of rows to reserve once values differ.
    #[inline]
    fn push(&mut self, code: Code, room: usize) {
        match self {
            Cells::Same { code: same, rows } if *same == code || *rows == 0 => {
                *same = code;
                *rows += 1;
            }
            Cells::Same { .. } => {
                let mut codes = self.take_codes(room);
                codes.push(code);
                *self = Cells::One(codes);
            }
            Cells::One(codes) => codes.push(code),
            Cells::Many { ends, codes } => {
                codes.push(code);
                ends.push(codes.len() as u32);
            }
        }
    }

    fn push_list(&mut self, list: &[Code], room: usize) {
        if !matches!(self, Cells::Many { .. }) {
            let codes = self.take_codes(room);
            *self = Cells::Many {
                ends: (1..=codes.len() as u32).collect(),
                codes,
            };
        }
        if let Cells::Many { ends, codes } = self {
            codes.extend_from_slice(list);
            ends.push(codes.len() as u32);
        }
    }

    /// Takes the codes of all rows of a column without lists and leaves the column empty.
    fn take_codes(&mut self, room: usize) -> Vec<Code> {
        match std::mem::replace(self, Cells::EMPTY) {
            Cells::Same { code, rows } => {
                let mut codes = Vec::with_capacity(room.max(rows + 1));
                codes.resize(rows, code);
                codes
            }
            Cells::One(codes) | Cells::Many { codes, .. } => codes,
        }
    }

    fn seal(self) -> Column {
        match self {
            Cells::Same { code, .. } => Column::Const(code),
            Cells::One(codes) => Column::pack(&codes),
            Cells::Many { ends, codes } => Column::Lists {
                ends: ends.into(),
                codes: codes.into(),
            },
        }
    }
}

#[derive(Debug)]
struct OpenGroup {
    shape: ShapeId,
    rows: Vec<u16>,
    columns: Vec<Cells>,
}

/// Report of a builder on one part, for its source: record counts, zone evidence and problems.
#[derive(Clone, Debug, Default)]
pub struct PartReport {
    /// Source of the part.
    pub source: SourceId,
    /// Counts of the part's records.
    pub stats: PartStats,
    /// Evidence of the local zone: (epoch ns, offset in seconds), ascending in file order.
    pub zones: Vec<(i64, i32)>,
    /// Lines that violate the syntax of the source: their number, and the byte offset of the first.
    pub unreadable: (u64, u64),
    /// Records with fields that have no column: their number, and the byte offset of the first.
    pub left_out: (u64, u64),
    /// NUL bytes between lines: their number, and the byte offset of the first.
    pub holes: (u64, u64),
}

/// Initial capacity of a group, rows. Growing row by row costs more time than the unused space costs memory.
const FEW_ROWS: usize = 16;

/// Segment under construction: records of consecutive sources, at most `MAX_ROWS`.
#[derive(Debug, Default)]
pub struct SegmentBuilder {
    parts: Vec<Part>,
    reports: Vec<PartReport>,
    times: Vec<i64>,
    offsets: Vec<u32>,
    contexts: Vec<Code>,
    further: Vec<u16>,
    group_of_row: Vec<u16>,
    groups: Vec<OpenGroup>,
    /// Open group of each shape, by shape number; `u32::MAX` for none.
    group_of_shape: Vec<u32>,
    /// Rows of each shape in the previous segment, the expected number in this one.
    rows_of_shape: Vec<u32>,
    sealed: Vec<Segment>,
    source: SourceId,
    base: u64,
    seq: u32,
    /// Sequence number with which the open part began.
    begun: u32,
    /// Source, sequence number and end (byte offset) of the part closed last.
    ended: Option<(SourceId, u32, u64)>,
    /// Number of times already included in the counts.
    counted: usize,
}

impl SegmentBuilder {
    /// Begins a part of a source. Offsets count from `base`, and `seq` orders the parts of the source. The part extends
    /// the previous one if both have the same `seq` and the previous one ends at `base`.
    pub fn begin(&mut self, source: SourceId, base: u64, seq: u32) {
        let place = Some((source, seq, base));
        if place == self.ended.take() {
            return;
        }
        self.count_times();
        self.source = source;
        self.base = base;
        self.begun = seq;
        self.seq = seq;
        self.open_part();
        self.reports.push(PartReport {
            source,
            ..PartReport::default()
        });
    }

    /// Sets the byte at which the last record of the current part ends.
    pub fn end(&mut self, end: u64) {
        if let Some(part) = self.parts.last_mut() {
            part.end = end;
        }
        self.ended = Some((self.source, self.begun, end));
    }

    /// Counts the times added since the last call; one pass is cheaper than counting per record.
    fn count_times(&mut self) {
        let new = self.times.get(self.counted..).unwrap_or_default();
        if let Some(report) = self.reports.last_mut() {
            report.stats.count_times(new);
        }
        self.counted = self.times.len();
    }

    /// Sets the number of rows of the open part.
    fn close_part(&mut self) {
        let rows = self.offsets.len() as u32;
        if let Some(part) = self.parts.last_mut() {
            part.rows = rows - part.first_row;
        }
    }

    fn open_part(&mut self) {
        self.close_part();
        self.parts.push(Part {
            source: self.source,
            first_row: self.offsets.len() as u32,
            rows: 0,
            base: self.base,
            end: self.base,
            seq: self.seq,
        });
    }

    /// Number of records since the last `begin`.
    pub fn records(&self) -> u64 {
        self.reports.last().map_or(0, |r| r.stats.records())
    }

    /// Seals the open segment and returns all segments, with one report per `begin`.
    pub fn finish(&mut self, catalog: &Catalog) -> (Vec<Segment>, Vec<PartReport>) {
        self.seal(catalog);
        self.ended = None;
        (
            std::mem::take(&mut self.sealed),
            std::mem::take(&mut self.reports),
        )
    }

    fn seal(&mut self, catalog: &Catalog) {
        self.count_times();
        self.close_part();
        let mut parts = std::mem::take(&mut self.parts);
        parts.retain(|p| p.rows > 0);
        if self.offsets.is_empty() {
            self.groups.clear();
            return;
        }
        let groups: Vec<Group> = std::mem::take(&mut self.groups)
            .into_iter()
            .map(|open| {
                if let Some(slot) = self.group_of_shape.get_mut(open.shape.index()) {
                    *slot = u32::MAX;
                }
                if let Some(rows) = self.rows_of_shape.get_mut(open.shape.index()) {
                    *rows = open.rows.len() as u32;
                }
                let keys = catalog
                    .shape_by_id(open.shape)
                    .map(|s| s.column_keys())
                    .unwrap_or_default();
                Group {
                    shape: open.shape,
                    rows: open.rows.into(),
                    columns: keys
                        .into_iter()
                        .zip(open.columns.into_iter().map(Cells::seal))
                        .collect(),
                }
            })
            .collect();
        let group_of_row = if groups.len() <= 256 {
            GroupOfRow::Byte(self.group_of_row.iter().map(|g| *g as u8).collect())
        } else {
            GroupOfRow::Short(self.group_of_row.as_slice().into())
        };
        self.sealed.push(Segment {
            parts: parts.into(),
            times: Times::pack(&self.times),
            offsets: self.offsets.as_slice().into(),
            groups: groups.into(),
            group_of_row,
            contexts: Column::pack(&self.contexts),
            continued_rows: std::mem::take(&mut self.further).into(),
        });
        self.times.clear();
        self.counted = 0;
        self.offsets.clear();
        self.contexts.clear();
        self.group_of_row.clear();
    }

    /// Record sink that adds to this builder.
    pub fn sink<'a>(&'a mut self, catalog: &'a Catalog) -> BuilderSink<'a> {
        BuilderSink {
            builder: self,
            catalog,
        }
    }

    fn add(&mut self, catalog: &Catalog, head: Head, cells: &[Code], lists: &[(usize, Vec<Code>)]) {
        let rel = head.offset.saturating_sub(self.base);
        if self.offsets.len() >= MAX_ROWS || rel > u64::from(u32::MAX) {
            self.end(head.offset);
            self.ended = None;
            self.seal(catalog);
            self.base = head.offset;
            self.seq += 1;
            self.open_part();
        }
        let row = self.offsets.len();
        self.offsets.push((head.offset - self.base) as u32);
        self.times.push(head.time);
        self.contexts.push(context_code(head.context));
        if let Some(report) = self.reports.last_mut() {
            report.stats.count(head.level);
        }
        let shape = head.shape.index();
        if self.group_of_shape.len() <= shape {
            self.group_of_shape.resize(shape + 64, u32::MAX);
            self.rows_of_shape.resize(shape + 64, 0);
        }
        if self.group_of_shape[shape] == u32::MAX {
            self.group_of_shape[shape] = self.groups.len() as u32;
            let rows = self.rows_of_shape[shape] as usize;
            let room = (rows + rows / 8).max(FEW_ROWS);
            self.groups.push(OpenGroup {
                shape: head.shape,
                rows: Vec::with_capacity(room),
                columns: cells.iter().map(|_| Cells::EMPTY).collect(),
            });
        }
        let index = self.group_of_shape[shape];
        debug_assert_eq!(cells.len(), self.groups[index as usize].columns.len());
        self.group_of_row.push(index as u16);
        let group = &mut self.groups[index as usize];
        group.rows.push(row as u16);
        let room = group.rows.capacity();
        if lists.is_empty() {
            for (column, code) in group.columns.iter_mut().zip(cells) {
                column.push(*code, room);
            }
            return;
        }
        for (i, (column, code)) in group.columns.iter_mut().zip(cells).enumerate() {
            match lists.iter().find(|(at, _)| *at == i) {
                Some((_, list)) => column.push_list(list, room),
                None => column.push(*code, room),
            }
        }
    }
}

/// `SegmentBuilder` as a record sink.
#[derive(Debug)]
pub struct BuilderSink<'a> {
    builder: &'a mut SegmentBuilder,
    catalog: &'a Catalog,
}

impl RecordSink for BuilderSink<'_> {
    #[inline]
    fn record(&mut self, head: Head, cells: &[Code], lists: &[(usize, Vec<Code>)]) {
        self.builder.add(self.catalog, head, cells, lists);
    }

    fn continuation(&mut self) {
        // Without a row here, the continued record is the last one of an earlier part, which may always have continuation
        // lines (see `Segment::further`).
        let last = self.builder.offsets.len().checked_sub(1);
        let further = &mut self.builder.further;
        further.extend(
            last.map(|row| row as u16)
                .filter(|row| further.last() != Some(row)),
        );
    }

    fn zone_seen(&mut self, epoch: i64, offset: i32) {
        if let Some(report) = self.builder.reports.last_mut()
            && report.zones.last().is_none_or(|z| z.1 != offset)
        {
            report.zones.push((epoch, offset));
        }
    }

    fn unreadable(&mut self, offset: u64) {
        if let Some(report) = self.builder.reports.last_mut() {
            if report.unreadable.0 == 0 {
                report.unreadable.1 = offset;
            }
            report.unreadable.0 += 1;
        }
    }

    fn nul_run(&mut self, offset: u64, len: usize) {
        if let Some(report) = self.builder.reports.last_mut() {
            if report.holes.0 == 0 {
                report.holes.1 = offset;
            }
            report.holes.0 += len as u64;
        }
    }

    fn fields_left_out(&mut self, offset: u64) {
        if let Some(report) = self.builder.reports.last_mut() {
            if report.left_out.0 == 0 {
                report.left_out.1 = offset;
            }
            report.left_out.0 += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use widetui_core::level::Level;

    #[test]
    fn a_part_that_begins_at_the_end_of_another_extends_it() {
        let catalog = Catalog::default();
        let mut builder = SegmentBuilder::default();
        let mut add = |(from, to): (u64, u64), seq: u32| {
            builder.begin(SourceId(3), from, seq);
            let head = Head {
                offset: from,
                time: from as i64,
                shape: ShapeId(0),
                context: None,
                level: Level::Info,
            };
            builder.sink(&catalog).record(head, &[], &[]);
            builder.end(to);
        };
        add((0, 10), 0);
        add((10, 20), 0);
        // Another sequence number, or a gap, starts a new part.
        add((20, 30), 256);
        add((40, 50), 256);
        let (segments, reports) = builder.finish(&catalog);
        let parts = segments.iter().flat_map(|s| &s.parts);
        let parts: Vec<_> = parts.map(|p| (p.base, p.end, p.rows, p.seq)).collect();
        assert_eq!(parts, [(0, 20, 2, 0), (20, 30, 1, 256), (40, 50, 1, 256)]);
        let counts = reports.iter().map(|r| (r.stats.records(), r.stats.range));
        let counts: Vec<_> = counts.collect();
        let expected = [(2, Some((0, 10))), (1, Some((20, 20))), (1, Some((40, 40)))];
        assert_eq!(counts, expected);
        assert_eq!(segments[0].offsets[..], [0, 10, 0, 0]);
    }
}
