//! Values of one field among selected records, with counts, first and last times and a histogram for each.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use widetui_core::cancel::Cancel;
use widetui_core::dict::Code;
use widetui_core::level::Level;
use widetui_core::quantity;
use widetui_format::catalog::encode::DEFER;
use widetui_format::catalog::keys::KeyView;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::bits::Bits;
use crate::expr::Field;
use crate::number_summary::NumberSummary;
use crate::row_values::{for_each_row, read_each};
use crate::selection::Selection;
use crate::time_histogram::{BINS, EventHistogram, RowTimes};

/// Maximum number of rows of a table (the most frequent values); the number of distinct values is still counted.
const MOST: usize = 100_000;

/// One value of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRow {
    /// Value in its most frequent spelling; the tag of a source, the text of a template.
    pub value: String,
    /// Operand that selects the records with the value: the value itself, or the path of a source.
    pub operand: String,
    /// Histogram of the records with the value.
    pub histogram: EventHistogram,
}

/// Values of a field, most frequent first.
#[derive(Clone, Debug)]
pub struct ValueTable {
    /// Field of the table.
    pub field: Field,
    /// Short label of the field, for the breadcrumb.
    pub label: String,
    /// Number of records examined.
    pub total: u64,
    /// Number of distinct values.
    pub distinct: u64,
    /// Rows, at most 100,000.
    pub rows: Vec<ValueRow>,
    /// Statistics of the values; `None` unless all are numbers.
    pub numbers: Option<NumberSummary>,
    /// Number of values in excess of one per record (a record with several values counts for each).
    pub extra_values: u64,
}

/// Where the values of a field are stored.
enum Origin<'a> {
    Key(&'a KeyView),
    Level,
    Template,
    Source,
}

impl Origin<'_> {
    /// Calls `f` with each selected row and the codes of its values.
    fn each(
        &self,
        snapshot: &Snapshot,
        index: usize,
        chosen: Option<&Bits>,
        mut f: impl FnMut(usize, &[Code]),
    ) {
        let is_chosen = |row: usize| chosen.is_none_or(|c| c.get(row));
        let segment = &*snapshot.segments[index];
        match self {
            Origin::Key(key) => for_each_row(snapshot, index, key, chosen, f),
            Origin::Level | Origin::Template => {
                for group in &segment.groups {
                    let Some(shape) = snapshot.catalog.shapes.get(group.shape.index()) else {
                        continue;
                    };
                    let code = match self {
                        Origin::Level if shape.level == Level::Unknown => continue,
                        Origin::Level => shape.level as Code,
                        _ => shape.template.0,
                    };
                    let rows = group.rows.iter().map(|r| usize::from(*r));
                    rows.filter(|r| is_chosen(*r))
                        .for_each(|row| f(row, &[code]));
                }
            }
            Origin::Source => {
                for part in &segment.parts {
                    let first = part.first_row as usize;
                    (first..first + part.rows as usize)
                        .filter(|r| is_chosen(*r))
                        .for_each(|row| f(row, &[part.source.0]));
                }
            }
        }
    }

    fn canonical(&self, code: Code) -> Code {
        match self {
            Origin::Key(key) => key.dict.canonical(code),
            _ => code,
        }
    }

    /// Returns the value of a code, and the operand that selects it.
    fn spelling(&self, snapshot: &Snapshot, code: Code) -> Option<(String, String)> {
        let value = match self {
            Origin::Key(key) => key.spelling(code)?,
            Origin::Level => Level::from_u8(u8::try_from(code).ok()?).name().to_owned(),
            Origin::Template => {
                let template = snapshot.catalog.templates.get(code as usize)?;
                template.text.to_string()
            }
            Origin::Source => {
                let source = snapshot.sources.get(code as usize)?;
                return Some((snapshot.source_name(source), source.path.clone()));
            }
        };
        Some((value.clone(), value))
    }
}

/// Counts the values of a field among all records or a selection. Equal values are merged under their most frequent
/// spelling; a record with several values counts for each. Values that are not in columns are read from the text.
/// `None` if cancelled.
#[must_use]
pub fn value_table(
    snapshot: &Snapshot,
    field: &Field,
    selection: Option<&Selection>,
    cancel: &Cancel,
) -> Option<ValueTable> {
    let key = match field {
        Field::Key(name) => crate::resolve(&snapshot.catalog.keys, name)
            .and_then(|id| snapshot.catalog.keys.get(id)),
        _ => None,
    };
    let mut table = ValueTable {
        field: field.clone(),
        label: key.map_or(field.name().to_owned(), |k| k.key.label.to_string()),
        total: selection.map_or(snapshot.len(), Selection::len) as u64,
        distinct: 0,
        rows: Vec::new(),
        numbers: None,
        extra_values: 0,
    };
    let origin = match (field, key) {
        (Field::Level, _) => Origin::Level,
        (Field::Template, _) => Origin::Template,
        (Field::Source, _) => Origin::Source,
        (_, Some(key)) => Origin::Key(key),
        _ => return Some(table),
    };
    let scan = Scan {
        snapshot,
        origin,
        selection,
        range: snapshot.range().unwrap_or_default(),
        cancel,
    };
    let (counts, deferred, extra_values) = scan.count();
    table.extra_values = extra_values;
    let mut rows = scan.rows(counts, &mut table.distinct);
    if let Some(key) = key.filter(|_| deferred.iter().any(Option::is_some)) {
        rows = scan.with_read(key, &deferred, rows);
        table.distinct = rows.len() as u64;
    }
    if cancel.is_cancelled() {
        return None;
    }
    rows.sort_unstable_by(|a, b| {
        let by_count = b.histogram.events.cmp(&a.histogram.events);
        by_count.then_with(|| natural(&a.value, &b.value))
    });
    if key.is_some_and(|k| k.key.can_measure()) {
        table.numbers = numbers(&rows);
    }
    rows.truncate(MOST);
    table.rows = rows;
    Some(table)
}

/// Natural order: numbers by value, then everything else alphabetically.
fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    match (quantity::number(a), quantity::number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn numbers(rows: &[ValueRow]) -> Option<NumberSummary> {
    let number = |row: &ValueRow| Some((quantity::number(&row.value)?, row.histogram.events));
    let counted: Option<Vec<(f64, u64)>> = rows.iter().map(number).collect();
    NumberSummary::compute(counted?)
}

type Counts = FxHashMap<Code, u64>;

struct Scan<'a> {
    snapshot: &'a Snapshot,
    origin: Origin<'a>,
    selection: Option<&'a Selection>,
    range: (i64, i64),
    cancel: &'a Cancel,
}

impl Scan<'_> {
    /// Calls `f` with the selected rows of a segment and their codes; does nothing if cancelled.
    fn each(&self, index: usize, f: impl FnMut(usize, &[Code])) {
        let nothing = Bits::none(0);
        let chosen = self.selection.map(|s| s.segment(index).unwrap_or(&nothing));
        if !self.cancel.is_cancelled() && chosen.is_none_or(Bits::any) {
            self.origin.each(self.snapshot, index, chosen, f);
        }
    }

    /// Counts the records of each code. Also returns, per segment, the rows whose values must be read from the text,
    /// and the number of values in excess of one per record.
    fn count(&self) -> (Counts, Vec<Option<Bits>>, u64) {
        let segments = 0..self.snapshot.segments.len();
        let counted: Vec<(Counts, Option<Bits>, u64)> = segments
            .into_par_iter()
            .map(|index| {
                let mut counts = Counts::default();
                let mut deferred: Option<Bits> = None;
                let mut extra_values = 0;
                self.each(index, |row, codes| {
                    if codes.contains(&DEFER) {
                        let len = self.snapshot.segments[index].len();
                        deferred.get_or_insert_with(|| Bits::none(len)).set(row);
                    } else {
                        extra_values += codes.len().saturating_sub(1) as u64;
                        for code in codes {
                            *counts.entry(*code).or_default() += 1;
                        }
                    }
                });
                (counts, deferred, extra_values)
            })
            .collect();
        let mut all = Counts::default();
        let mut deferred = Vec::with_capacity(counted.len());
        let mut all_extra_values = 0;
        for (counts, rows, extra_values) in counted {
            all_extra_values += extra_values;
            for (code, n) in counts {
                *all.entry(code).or_default() += n;
            }
            deferred.push(rows);
        }
        (all, deferred, all_extra_values)
    }

    /// Returns the rows of the most frequent values that columns hold, with their histograms.
    fn rows(&self, counts: Counts, distinct: &mut u64) -> Vec<ValueRow> {
        // Equal values are merged under their most frequent spelling.
        let mut values: FxHashMap<Code, (u64, Code, u64)> = FxHashMap::default();
        for (code, n) in counts {
            let value = values
                .entry(self.origin.canonical(code))
                .or_insert((0, code, 0));
            value.0 += n;
            // Equally frequent spellings: the lexically first one, for a stable result.
            let spelling = |code| self.origin.spelling(self.snapshot, code);
            if n > value.2 || (n == value.2 && spelling(code) < spelling(value.1)) {
                (value.1, value.2) = (code, n);
            }
        }
        *distinct = values.len() as u64;
        let mut list: Vec<(u64, Code, Code)> = values
            .into_iter()
            .map(|(canonical, (n, usual, _))| (n, canonical, usual))
            .collect();
        if list.len() > MOST {
            list.select_nth_unstable_by_key(MOST, |v| (std::cmp::Reverse(v.0), v.1));
            list.truncate(MOST);
        }
        let slots = (0u32..).zip(&list).map(|(slot, v)| (v.1, slot)).collect();
        let shared = self.shared(&slots, list.len());
        let rows = list.into_iter().zip(shared);
        rows.filter_map(|((events, _, usual), slot)| {
            let (value, operand) = self.origin.spelling(self.snapshot, usual)?;
            let histogram = EventHistogram {
                events,
                ..slot.histogram()
            };
            Some(ValueRow {
                value,
                operand,
                histogram,
            })
        })
        .collect()
    }

    /// Computes the histogram of each slot. All threads update the same atomic counters, as a copy per thread would be
    /// too large with many slots.
    fn shared(&self, slots: &FxHashMap<Code, u32>, len: usize) -> Vec<Shared> {
        let mut shared: Vec<Shared> = Vec::new();
        shared.resize_with(len, Shared::default);
        let segments = 0..self.snapshot.segments.len();
        segments.into_par_iter().for_each(|index| {
            let segment = &self.snapshot.segments[index];
            let mut row_times = None;
            self.each(index, |row, codes| {
                let row_times = row_times
                    .get_or_insert_with(|| RowTimes::read(self.snapshot, segment, self.range));
                for code in codes.iter().filter(|c| **c != DEFER) {
                    let slot = slots.get(&self.origin.canonical(*code));
                    if let Some(slot) = slot.and_then(|s| shared.get(*s as usize)) {
                        slot.count(row_times, row);
                    }
                }
            });
        });
        shared
    }

    /// Adds the values that only the text holds to the rows.
    fn with_read(
        &self,
        key: &KeyView,
        deferred: &[Option<Bits>],
        rows: Vec<ValueRow>,
    ) -> Vec<ValueRow> {
        let deferred: Vec<Option<&Bits>> = deferred.iter().map(Option::as_ref).collect();
        type Read = (FxHashMap<String, EventHistogram>, Option<(usize, RowTimes)>);
        let read = read_each(
            self.snapshot,
            &deferred,
            key.key.id,
            self.cancel,
            |(histograms, row_times): &mut Read, value, (index, row)| {
                if row_times.as_ref().is_none_or(|(of, _)| *of != index) {
                    let segment = &self.snapshot.segments[index];
                    *row_times = Some((index, RowTimes::read(self.snapshot, segment, self.range)));
                }
                if let Some((_, row_times)) = row_times {
                    histograms.entry(value).or_default().count(row_times, row);
                }
            },
        );
        // The spellings of all sources are gathered first, because the most frequent one is shown.
        let mut spellings: FxHashMap<String, EventHistogram> = FxHashMap::default();
        let known = rows.into_iter().map(|r| (r.value, r.histogram));
        for (value, histogram) in known.chain(read.into_iter().flat_map(|(c, _)| c)) {
            spellings.entry(value).or_default().add(&histogram);
        }
        let mut equal: FxHashMap<String, (u64, String, EventHistogram)> = FxHashMap::default();
        for (value, histogram) in spellings {
            let canonical = key
                .key
                .kind
                .canonical(&value)
                .unwrap_or_else(|| value.clone());
            let entry = equal.entry(canonical).or_default();
            if (histogram.events, std::cmp::Reverse(&value))
                > (entry.0, std::cmp::Reverse(&entry.1))
            {
                (entry.0, entry.1) = (histogram.events, value);
            }
            entry.2.add(&histogram);
        }
        let rows = equal.into_values().map(|(_, value, histogram)| ValueRow {
            operand: value.clone(),
            value,
            histogram,
        });
        rows.collect()
    }
}

/// An [`EventHistogram`] of atomic counters.
struct Shared {
    first: AtomicI64,
    last: AtomicI64,
    over_time: Box<[AtomicU32; BINS]>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared {
            first: AtomicI64::new(i64::MAX),
            last: AtomicI64::new(NO_TIME),
            over_time: Box::new([const { AtomicU32::new(0) }; BINS]),
        }
    }
}

impl Shared {
    fn count(&self, row_times: &RowTimes, row: usize) {
        if let Some(bin) = row_times.bin(row) {
            let time = row_times.time(row);
            self.over_time[bin].fetch_add(1, Relaxed);
            self.first.fetch_min(time, Relaxed);
            self.last.fetch_max(time, Relaxed);
        }
    }

    fn histogram(self) -> EventHistogram {
        let time = |t: AtomicI64| Some(t.into_inner()).filter(|t| *t != i64::MAX && *t != NO_TIME);
        EventHistogram {
            events: 0,
            first: time(self.first),
            last: time(self.last),
            over_time: Box::new(self.over_time.map(AtomicU32::into_inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::natural;

    proptest! {
        #[test]
        fn the_natural_order_is_total(a in "[019x.+-]{0,3}", b in "[019x.+-]{0,3}", c in "[019x.+-]{0,3}") {
            prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            prop_assert_eq!(natural(&a, &b) == Ordering::Equal, a == b);
            if natural(&a, &b).is_lt() && natural(&b, &c).is_lt() {
                prop_assert!(natural(&a, &c).is_lt(), "{} {} {}", a, b, c);
            }
        }
    }
}
