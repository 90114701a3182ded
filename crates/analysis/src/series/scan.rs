//! Scan for the points of a series: one pass over the columns, segments in parallel.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_format::catalog::keys::KeyView;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_store::lanes::{Lane, SegmentView, UNUSABLE, Usual, copied_rows, places};
use widetui_store::texts::TextReader;
use widetui_time::durations;
use widetui_time::time::NO_TIME;

use crate::columns::{By, Labels};

use crate::series::{Point, Series, SeriesLine};

type Group = Box<[Code]>;

/// Points of one segment by line.
#[derive(Default)]
struct Found {
    known: FxHashMap<Group, u32>,
    lines: Vec<Vec<Point>>,
    not_numeric: u64,
    untimed: u64,
}

/// Collects the values of a numeric key over time, one line for each combination of values of `by`;
/// with `events` only of these. Duplicate records count once. `None` when cancelled.
pub fn series(
    snapshot: &Snapshot,
    key: KeyId,
    by: &[By],
    events: Option<&Selection>,
    cancel: &Cancel,
) -> Option<Series> {
    let Some(view) = snapshot.catalog.keys.get(key) else {
        return Some(Series::default());
    };
    let by: Option<Vec<Apart>> = by.iter().map(|b| Apart::of(snapshot, b, cancel)).collect();
    let by = &by?[..];
    let numbers = Arc::new(Numbers::of(view));
    let copied = copied_rows(snapshot);
    let found: Vec<Found> = (0..snapshot.segments.len())
        .into_par_iter()
        .map(|index| {
            let mut found = Found::default();
            if !cancel.is_cancelled() {
                let view = SegmentView::new(snapshot, index, &copied[index]);
                let scan = Scan {
                    snapshot,
                    key,
                    by,
                    events,
                    numbers: &numbers,
                };
                scan.segment(&view, &mut found);
            }
            found
        })
        .collect();
    (!cancel.is_cancelled()).then(|| together(snapshot, by, found))
}

/// Property that splits lines. A key may have several values in a record, one beside each number;
/// others have one.
enum Apart {
    Key(KeyId),
    Other(Labels),
}

impl Apart {
    fn of(snapshot: &Snapshot, by: &By, cancel: &Cancel) -> Option<Apart> {
        match by {
            By::Key(key) => Some(Apart::Key(*key)),
            by => Labels::of(snapshot, by, cancel).map(Apart::Other),
        }
    }
}

/// Property that splits lines, in the records of one group.
enum ApartHere<'a> {
    Lane(Lane),
    Labels(&'a Labels),
}

/// Location of a value: row of the group, list element, event.
#[derive(Clone, Copy)]
struct Spot<'a> {
    place: usize,
    slot: usize,
    ends: Option<&'a [u32]>,
    event: u32,
}

impl ApartHere<'_> {
    fn code(&self, spot: Spot<'_>) -> Code {
        match self {
            ApartHere::Lane(lane) => match at_slot(lane, spot.place, spot.slot, spot.ends) {
                UNUSABLE => NONE,
                code => code,
            },
            ApartHere::Labels(labels) => labels.code(EventId(spot.event)),
        }
    }
}

/// Numeric values of codes.
struct Numbers {
    table: FxHashMap<Code, f64>,
}

impl Numbers {
    fn of(view: &KeyView) -> Numbers {
        let entries = view.dict.iter();
        let number = |(code, text): (Code, &str)| Some((code, number(text)?));
        Numbers {
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

/// Parses a number, or a duration as seconds.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let value: f64 = text.parse().ok().or_else(|| durations::seconds(text))?;
    value.is_finite().then_some(value)
}

struct Scan<'a> {
    snapshot: &'a Snapshot,
    key: KeyId,
    by: &'a [Apart],
    events: Option<&'a Selection>,
    numbers: &'a Numbers,
}

impl Scan<'_> {
    fn segment(&self, view: &SegmentView<'_>, found: &mut Found) {
        let base = self.snapshot.bases[view.index];
        let chosen = self.events.map(|e| e.segment(view.index));
        // Rows whose values must be read from the text: at the end, in the order of the segment.
        let mut deferred: Vec<(u32, i64, Group)> = Vec::new();
        for at in 0..view.segment.groups.len() {
            let group = view.group(at);
            let values = group.lane(self.key);
            if values.is_absent() {
                continue;
            }
            let by = self.by.iter().map(|apart| match apart {
                Apart::Key(key) => ApartHere::Lane(group.lane(*key)),
                Apart::Other(labels) => ApartHere::Labels(labels),
            });
            let by: Vec<ApartHere<'_>> = by.collect();
            let mut last: Option<(Group, u32)> = None;
            for (place, row) in group.group.rows.iter().enumerate() {
                let row = usize::from(*row);
                let event = base + row as u32;
                if chosen.is_some_and(|bits| !bits.is_some_and(|b| b.get(row))) {
                    continue;
                }
                let slots = match &values {
                    Lane::Slots(_) => places(group.ends, place),
                    _ => place..place + 1,
                };
                for slot in slots {
                    let code = at_slot(&values, place, slot, group.ends);
                    if code == NONE || self.snapshot.copies.of(event).is_some() {
                        continue;
                    }
                    let source = &self.snapshot.sources[view.segment.part(row).source.index()];
                    let time = view.segment.utc(source, row);
                    let spot = Spot {
                        place,
                        slot,
                        ends: group.ends,
                        event,
                    };
                    let same = last.as_ref().is_some_and(|(known, _)| {
                        let mut lanes = by.iter().zip(known.iter());
                        lanes.all(|(l, k)| l.code(spot) == *k)
                    });
                    if !same {
                        let codes: Group = by.iter().map(|l| l.code(spot)).collect();
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
        }
        self.read(deferred, found);
    }

    /// Reads values that are only in the text.
    fn read(&self, mut deferred: Vec<(u32, i64, Group)>, found: &mut Found) {
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
            let fields = reader.fields(record, &self.snapshot.tables);
            let pairs = fields.pairs.iter().filter(|(k, _)| k.id == self.key);
            for value in pairs.flat_map(|(_, values)| values) {
                found.add(line, time, event, number(value));
            }
        }
    }
}

fn at_slot(lane: &Lane, row: usize, slot: usize, ends: Option<&[u32]>) -> Code {
    match lane {
        Lane::Slots(codes) => codes.get(slot).copied().unwrap_or(NONE),
        lane => lane.row(row, ends),
    }
}

impl Found {
    fn line(&mut self, group: &Group) -> u32 {
        if let Some(at) = self.known.get(group) {
            return *at;
        }
        let at = self.lines.len() as u32;
        self.known.insert(group.clone(), at);
        self.lines.push(Vec::new());
        at
    }

    fn add(&mut self, line: u32, time: i64, event: u32, value: Option<f64>) {
        match value {
            None => self.not_numeric += 1,
            Some(_) if time == NO_TIME => self.untimed += 1,
            Some(value) => {
                let lines = self.lines.get_mut(line as usize);
                let point = Point { time, value, event };
                lines.into_iter().for_each(|l| l.push(point));
            }
        }
    }
}

fn together(snapshot: &Snapshot, by: &[Apart], found: Vec<Found>) -> Series {
    let mut out = Series::default();
    let mut lines: FxHashMap<Group, Vec<Point>> = FxHashMap::default();
    for segment in found {
        out.not_numeric += segment.not_numeric;
        out.untimed += segment.untimed;
        let mut points = segment.lines;
        for (group, at) in segment.known {
            let points = std::mem::take(&mut points[at as usize]);
            let line = lines.entry(group).or_default();
            match line.is_empty() {
                true => *line = points,
                false => line.extend(points),
            }
        }
    }
    let keys = by.iter().filter_map(|apart| match apart {
        Apart::Key(key) => Some(key),
        Apart::Other(_) => None,
    });
    let usual = Usual::new(snapshot, keys);
    let name = |(apart, code): (&Apart, &Code)| match apart {
        Apart::Key(key) => usual.text(snapshot, *key, *code),
        Apart::Other(labels) => labels.text(snapshot, *code),
    };
    out.lines = lines
        .into_par_iter()
        .filter(|(_, points)| !points.is_empty())
        .map(|(group, mut points)| {
            points.sort_unstable_by_key(|p| (p.time, p.event));
            SeriesLine {
                group: by.iter().zip(group.iter()).map(name).collect(),
                points,
                over: None,
            }
        })
        .collect();
    out.lines.sort_by(|a, b| {
        let longer = b.points.len().cmp(&a.points.len());
        longer.then_with(|| a.group.cmp(&b.group))
    });
    out
}
