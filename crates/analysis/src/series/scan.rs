//! Scan for the points of a series: one pass over the columns, segments in parallel.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::quantity;
use widetui_format::catalog::keys::KeyView;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::key_column::{
    CellPosition, KeyColumn, SegmentView, UNUSABLE, UsualSpellings, cells, disputed_rows, usable,
};
use widetui_store::texts::TextReader;
use widetui_time::time::NO_TIME;

use crate::columns::{EventProperty, PropertyColumn};

use crate::series::{Series, SeriesLine, SeriesPoint};

/// Codes of the properties that split lines.
type Group = Box<[Code]>;

/// Points of one segment by line.
#[derive(Default)]
struct SegmentLines {
    line_numbers: FxHashMap<Group, u32>,
    lines: Vec<Vec<SeriesPoint>>,
    not_numeric: u64,
    untimed: u64,
}

/// Collects the values of a numeric key over time, one line for each combination of values of `split_by`;
/// with `events` only of these. Duplicate records count once. `None` when cancelled.
pub fn series(
    snapshot: &Snapshot,
    key: KeyId,
    split_by: &[EventProperty],
    events: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Series> {
    let Some(view) = snapshot.catalog.keys.get(key) else {
        return Some(Series::default());
    };
    let split_by: Option<Vec<LineProperty>> = split_by
        .iter()
        .map(|b| LineProperty::read(snapshot, b, cancel))
        .collect();
    let split_by = &split_by?[..];
    let numbers = Arc::new(NumericCodes::new(view));
    let duplicated_rows = disputed_rows(snapshot);
    let found: Vec<SegmentLines> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let mut found = SegmentLines::default();
            if !cancel.is_cancelled() {
                let view = SegmentView::new(snapshot, index, &duplicated_rows[index]);
                let scan = Scan {
                    snapshot,
                    key,
                    split_by,
                    events,
                    numbers: &numbers,
                };
                scan.segment(&view, &mut found);
            }
            found
        })
        .collect();
    (!cancel.is_cancelled()).then(|| merge_segments(snapshot, split_by, found))
}

/// Property that splits lines. A key may have several values in a record, one beside each number;
/// others have one.
enum LineProperty {
    Key(KeyId),
    Other(PropertyColumn),
}

impl LineProperty {
    fn read(
        snapshot: &Snapshot,
        split_by: &EventProperty,
        cancel: &Cancel,
    ) -> Option<LineProperty> {
        match split_by {
            EventProperty::Key(key) => Some(LineProperty::Key(*key)),
            split_by => PropertyColumn::read(snapshot, split_by, cancel).map(LineProperty::Other),
        }
    }
}

/// Property that splits lines, in the records of one group.
enum LinePropertyColumn<'a> {
    Key(KeyColumn),
    Labels(&'a PropertyColumn),
}

impl LinePropertyColumn<'_> {
    fn code(&self, cell: CellPosition<'_>, event: u32) -> Code {
        match self {
            LinePropertyColumn::Key(column) => usable(column.at(cell)).unwrap_or(NONE),
            LinePropertyColumn::Labels(labels) => labels.code(EventId(event)),
        }
    }
}

/// Numeric values of codes.
struct NumericCodes {
    table: FxHashMap<Code, f64>,
}

impl NumericCodes {
    fn new(view: &KeyView) -> NumericCodes {
        let entries = view.dict.iter();
        let number = |(code, text): (Code, &str)| Some((code, quantity::number(text)?));
        NumericCodes {
            table: entries.filter_map(number).collect(),
        }
    }

    fn get(&self, code: Code) -> Option<f64> {
        match code < ENTRY {
            true => Some(f64::from(code)),
            false => self.table.get(&code).copied(),
        }
    }
}

/// Parameters of the scan for a series.
struct Scan<'a> {
    snapshot: &'a Snapshot,
    key: KeyId,
    split_by: &'a [LineProperty],
    events: Option<&'a Selection>,
    numbers: &'a NumericCodes,
}

impl Scan<'_> {
    /// Adds the points of a segment.
    fn segment(&self, view: &SegmentView<'_>, found: &mut SegmentLines) {
        let base = self.snapshot.bases[view.index];
        let chosen = self.events.map(|e| e.segment(view.index));
        // Rows whose values must be read from the text: at the end, in the order of the segment.
        let mut deferred: Vec<(u32, i64, Group)> = Vec::new();
        for at in 0..view.segment.groups.len() {
            let group = view.group(at);
            let values = group.key_column(self.key);
            if values.is_absent() {
                continue;
            }
            let split_by = self.split_by.iter().map(|property| match property {
                LineProperty::Key(key) => LinePropertyColumn::Key(group.key_column(*key)),
                LineProperty::Other(labels) => LinePropertyColumn::Labels(labels),
            });
            let split_by: Vec<LinePropertyColumn<'_>> = split_by.collect();
            let mut last: Option<(Group, u32)> = None;
            let is_listed = matches!(values, KeyColumn::Elements(_));
            for cell in cells(group.group.rows.len(), group.ends, is_listed) {
                let row = usize::from(group.group.rows[cell.row]);
                let event = base + row as u32;
                if chosen.is_some_and(|bits| !bits.is_some_and(|b| b.get(row))) {
                    continue;
                }
                let code = values.at(cell);
                if code == NONE || self.snapshot.duplicates.original_of(event).is_some() {
                    continue;
                }
                let source = &self.snapshot.sources[view.segment.part(row).source.index()];
                let time = view.segment.utc(source, row);
                let same = last.as_ref().is_some_and(|(known, _)| {
                    let mut key_columns = split_by.iter().zip(known.iter());
                    key_columns.all(|(l, k)| l.code(cell, event) == *k)
                });
                if !same {
                    let codes: Group = split_by.iter().map(|l| l.code(cell, event)).collect();
                    let line = found.line(&codes);
                    last = Some((codes, line));
                }
                let Some((codes, line)) = &last else {
                    continue;
                };
                if code == UNUSABLE {
                    deferred.push((event, time, codes.clone()));
                    continue;
                }
                found.add(*line, time, event, self.numbers.get(code));
            }
        }
        self.read_deferred(deferred, found);
    }

    /// Reads values that are only in the text.
    fn read_deferred(&self, mut deferred: Vec<(u32, i64, Group)>, found: &mut SegmentLines) {
        deferred.sort_by_key(|d| d.0);
        let mut texts = TextReader::default();
        for (event, time, codes) in deferred {
            let line = found.line(&codes);
            let Some(event_ref) = self.snapshot.event(EventId(event)) else {
                continue;
            };
            let reader = event_ref.source().reader.clone();
            let (Ok(record), Some(reader)) = (texts.record(&event_ref), reader) else {
                continue;
            };
            let is_wanted = |key| key == self.key;
            let fields = reader.wanted_fields(record, &self.snapshot.tables, &is_wanted);
            let pairs = fields.pairs.iter().filter(|(k, _)| k.id == self.key);
            for value in pairs.flat_map(|(_, values)| values) {
                found.add(line, time, event, quantity::number(value));
            }
        }
    }
}

impl SegmentLines {
    /// Index of the line of a group, inserted if missing.
    fn line(&mut self, group: &Group) -> u32 {
        if let Some(at) = self.line_numbers.get(group) {
            return *at;
        }
        let at = self.lines.len() as u32;
        self.line_numbers.insert(group.clone(), at);
        self.lines.push(Vec::new());
        at
    }

    /// Adds a point, or counts a value that is not numeric or has no time.
    fn add(&mut self, line: u32, time: i64, event: u32, value: Option<f64>) {
        match value {
            None => self.not_numeric += 1,
            Some(_) if time == NO_TIME => self.untimed += 1,
            Some(value) => {
                let lines = self.lines.get_mut(line as usize);
                let point = SeriesPoint { time, value, event };
                lines.into_iter().for_each(|l| l.push(point));
            }
        }
    }
}

/// Merges the lines of all segments and names them.
fn merge_segments(
    snapshot: &Snapshot,
    split_by: &[LineProperty],
    found: Vec<SegmentLines>,
) -> Series {
    let mut out = Series::default();
    let mut lines: FxHashMap<Group, Vec<SeriesPoint>> = FxHashMap::default();
    for segment in found {
        out.not_numeric += segment.not_numeric;
        out.untimed += segment.untimed;
        let mut points = segment.lines;
        for (group, at) in segment.line_numbers {
            let points = std::mem::take(&mut points[at as usize]);
            let line = lines.entry(group).or_default();
            match line.is_empty() {
                true => *line = points,
                false => line.extend(points),
            }
        }
    }
    let keys = split_by.iter().filter_map(|property| match property {
        LineProperty::Key(key) => Some(key),
        LineProperty::Other(_) => None,
    });
    let usual = UsualSpellings::new(snapshot, keys);
    let name = |(property, code): (&LineProperty, &Code)| match property {
        LineProperty::Key(key) => usual.text(snapshot, *key, *code),
        LineProperty::Other(labels) => labels.text(snapshot, *code),
    };
    out.lines = lines
        .into_par_iter()
        .filter(|(_, points)| !points.is_empty())
        .map(|(group, mut points)| {
            points.sort_unstable_by_key(|p| (p.time, p.event));
            SeriesLine {
                group: split_by.iter().zip(group.iter()).map(name).collect(),
                points,
                ..SeriesLine::default()
            }
        })
        .collect();
    out.lines.sort_by(|a, b| {
        let longer = b.points.len().cmp(&a.points.len());
        longer.then_with(|| a.group.cmp(&b.group))
    });
    out
}
