//! Date inference for logs with times of day only, or with dates without a year.
//!
//! Such times are first placed near the modification time of their file. This is wrong for files that were copied or
//! checked out since; sources with dates in the same or an enclosing folder are better evidence.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::folders;
use widetui_format::sample::DateGap;
use widetui_store::source::{Source, Zoning};
use widetui_time::time::{civil_from_days, day_of, days_from_civil, days_in_month};
use widetui_time::timeparse::MONTH;

const DAY: i64 = 86_400_000_000_000;
const HOUR: i64 = DAY / 24;

/// Greatest distance of the last record of a log from the modification time of its file if the file was not copied since,
/// ns: zones differ.
const NEAR_MODIFICATION: u64 = 2 * DAY as u64;

/// Greatest delay between a record and the modification time of its file, ns.
const MOMENT: u64 = 10_000_000_000;
/// Unit of the offsets of zones, ns.
const QUARTER: u64 = DAY as u64 / 96;

/// Greatest shift, years.
const MAX_YEARS: i64 = 60;

/// Shifts sources without complete dates to the time range of the nearest dated sources in the folder tree, unless they are
/// within it. `gaps` is indexed by source.
pub(super) fn date(sources: &mut [Arc<Source>], gaps: &[DateGap]) {
    if gaps.iter().all(|gap| *gap == DateGap::None) {
        return;
    }
    let all = sources.iter().zip(gaps);
    let dated = Dated::of(
        all.filter(|(_, gap)| **gap == DateGap::None)
            .map(|(s, _)| &**s),
    );
    for (source, gap) in sources.iter_mut().zip(gaps) {
        match gap {
            DateGap::None => {}
            DateGap::Year => to_year_of(Arc::make_mut(source), &dated),
            DateGap::Day => to_day_of(Arc::make_mut(source), &dated),
        }
    }
}

/// Time range of the dated sources of each folder, at any depth.
#[derive(Clone, Debug, Default)]
pub(super) struct Dated(FxHashMap<String, DatedRange>);

/// Time range of some dated sources, UTC ns, with the sources at its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatedRange {
    range: (i64, i64),
    /// Path of the source that begins first.
    first: String,
    /// Path of the source that ends last.
    last: String,
    /// First and last modification time of the files that were modified long after their last record, UTC ns: when they were
    /// copied or checked out.
    copied: Option<(i64, i64)>,
}

impl DatedRange {
    fn of_source(path: &str, range: (i64, i64), modified: i64) -> DatedRange {
        let is_copy = modified != 0 && modified.saturating_sub(range.1) > NEAR_MODIFICATION as i64;
        DatedRange {
            range,
            first: path.to_owned(),
            last: path.to_owned(),
            copied: is_copy.then_some((modified, modified)),
        }
    }

    fn add(&mut self, path: &str, own: &DatedRange) {
        let range = own.range;
        self.copied = match (self.copied, own.copied) {
            (Some(known), Some(own)) => Some((known.0.min(own.0), known.1.max(own.1))),
            (known, own) => known.or(own),
        };
        if range.0 < self.range.0 {
            self.range.0 = range.0;
            path.clone_into(&mut self.first);
        }
        if range.1 > self.range.1 {
            self.range.1 = range.1;
            path.clone_into(&mut self.last);
        }
    }

    /// True if a file was modified when others were copied.
    fn is_copy_time(&self, modified: i64) -> bool {
        self.copied.is_some_and(|(first, last)| {
            first.saturating_sub(HOUR) <= modified && modified <= last.saturating_add(HOUR)
        })
    }

    /// Path of the source at the end of the range that is nearer to a time.
    fn nearer_end(&self, time: i64) -> &str {
        match time.abs_diff(self.range.0) < time.abs_diff(self.range.1) {
            true => &self.first,
            false => &self.last,
        }
    }
}

impl Dated {
    /// Collects the ranges of the given sources.
    pub fn of<'s>(sources: impl Iterator<Item = &'s Source>) -> Dated {
        let mut dated = Dated::default();
        sources.for_each(|s| dated.add(s));
        dated
    }

    /// Adds the time range of a source, or extends it if the source was added before.
    pub(crate) fn add(&mut self, source: &Source) {
        if let Some(range) = source.range() {
            self.add_range(&source.path, range, source.modified);
        }
    }

    fn add_range(&mut self, path: &str, range: (i64, i64), modified: i64) {
        let own = DatedRange::of_source(path, range, modified);
        for folder in folders::above(path) {
            match self.0.get_mut(folder) {
                Some(known) => known.add(path, &own),
                None => {
                    self.0.insert(folder.to_owned(), own.clone());
                }
            }
        }
    }

    /// Time range of the sources that share most folders with a path, UTC ns.
    pub(crate) fn nearest(&self, path: &str) -> Option<(i64, i64)> {
        Some(self.nearest_sources(path)?.range)
    }

    fn nearest_sources(&self, path: &str) -> Option<&DatedRange> {
        let mut above = folders::above(path);
        above.find_map(|folder| self.0.get(folder))
    }
}

/// Shifts a source without years by whole years: its last record then is the latest one that is at most a month after the
/// nearest dated sources. A file that was not changed since its last record has its own evidence, unless files with old records
/// were changed at the same time, as if their folder was copied, and not in the moment of this record.
fn to_year_of(source: &mut Source, dated: &Dated) {
    let (Some(own), Some(raw)) = (source.range(), source.stats.range) else {
        return;
    };
    let apart = own.1.abs_diff(source.modified);
    let is_original = source.modified != 0 && apart <= NEAR_MODIFICATION;
    // The zones of both may differ.
    let is_moment = (apart + MOMENT) % QUARTER <= 2 * MOMENT;
    let Some(nearest) = dated.nearest_sources(&source.path) else {
        return;
    };
    if is_original && (is_moment || !nearest.is_copy_time(source.modified)) {
        return;
    }
    let range = nearest.range;
    let is_there = |own: (i64, i64)| {
        own.1 <= range.1.saturating_add(MONTH) && range.0 <= own.1.saturating_add(MONTH)
    };
    if is_there(own) {
        return;
    }
    let shifted = |years: i64| {
        let moved = |raw: i64| Some(i64::from(days_of_years(raw, years)?) * DAY);
        let by = (moved(raw.0)?, moved(raw.1)?);
        Some((own.0.saturating_add(by.0), own.1.saturating_add(by.1)))
    };
    let mut all = (-MAX_YEARS..=MAX_YEARS).rev();
    let Some(years) = all.find(|years| shifted(*years).is_some_and(is_there)) else {
        return;
    };
    let path = nearest.nearer_end(shifted(years).unwrap_or(own).1);
    if let Zoning::Local { days, how, .. } = &mut source.zoning {
        *days = shift_by_years(raw, years);
        *how = format!("{how}; the year as in {path}");
    }
}

/// Days by which a time moves if its year changes by `years`; `None` if there is no such day in that year.
fn days_of_years(raw: i64, years: i64) -> Option<i32> {
    let day = day_of(raw, 0);
    let (year, month, of_month) = civil_from_days(day);
    let exists = of_month <= days_in_month(year + years, month);
    let moved = days_from_civil(year + years, month, of_month) - day;
    exists.then(|| i32::try_from(moved).ok())?
}

/// Days by which the times of a range move if their years change by `years`, each from a time on. They change in March only,
/// after a leap day.
fn shift_by_years(range: (i64, i64), years: i64) -> Vec<(i64, i32)> {
    let (first, ..) = civil_from_days(day_of(range.0, 0));
    let (last, ..) = civil_from_days(day_of(range.1, 0));
    let marches = (first - 1..=last).map(|year| days_from_civil(year, 3, 1).saturating_mul(DAY));
    let pieces = marches.filter_map(|march| Some((march, days_of_years(march, years)?)));
    let mut days: Vec<(i64, i32)> = pieces.collect();
    days.dedup_by_key(|piece| piece.1);
    days
}

/// Shifts an undated source by whole days to the time range of the nearest dated sources.
fn to_day_of(source: &mut Source, dated: &Dated) {
    let Some(own) = source.range() else { return };
    let Some(nearest) = dated.nearest_sources(&source.path) else {
        return;
    };
    let moved = days_to(own, nearest.range);
    let path = nearest.nearer_end(own.0.saturating_add(i64::from(moved) * DAY));
    if let Zoning::Local { days, how, .. } = &mut source.zoning
        && moved != 0
    {
        *days = vec![(i64::MIN, moved)];
        *how = format!("{how}; the day as in {path}");
    }
}

/// Number of days to shift the range `own` so that its middle falls within `range`, or as close as whole days allow; 0
/// if the ranges are less than half a day apart.
fn days_to(own: (i64, i64), range: (i64, i64)) -> i32 {
    let gap = range
        .0
        .saturating_sub(own.1)
        .max(own.0.saturating_sub(range.1));
    if gap < DAY / 2 {
        return 0;
    }
    let middle = own.0.midpoint(own.1);
    let wanted = middle.clamp(range.0, range.1);
    let difference = wanted.saturating_sub(middle);
    let days = difference.saturating_add(DAY / 2).div_euclid(DAY);
    i32::try_from(days).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_comes_to_the_day_of_its_neighbours() {
        let run = (100 * DAY + 20 * HOUR, 100 * DAY + 22 * HOUR);
        assert_eq!(
            days_to((123 * DAY + 21 * HOUR, 123 * DAY + 22 * HOUR), run),
            -23
        );
        assert_eq!(
            days_to((90 * DAY + 21 * HOUR, 90 * DAY + 22 * HOUR), run),
            10
        );
        // Within the range or near it: output may continue for a while.
        assert_eq!(
            days_to((100 * DAY + 21 * HOUR, 100 * DAY + 23 * HOUR), run),
            0
        );
        assert_eq!(
            days_to((101 * DAY + 3 * HOUR, 101 * DAY + 4 * HOUR), run),
            0
        );
        // For a run of several days, the end of the range nearer to the modification time.
        let long = (100 * DAY, 105 * DAY);
        assert_eq!(days_to((110 * DAY + HOUR, 110 * DAY + HOUR), long), -5);
    }

    #[test]
    fn leap_days_change_the_shift_within_a_range() {
        let at = |year, month, day| days_from_civil(year, month, day) * DAY;
        let range = (at(2023, 4, 18), at(2024, 3, 2));
        let days = shift_by_years(range, -5);
        let moved = |raw: i64| {
            let after = days.partition_point(|(from, _)| *from <= raw);
            raw + i64::from(days[after.max(1) - 1].1) * DAY
        };
        assert_eq!(moved(range.0), at(2018, 4, 18));
        assert_eq!(moved(at(2024, 2, 28)), at(2019, 2, 28));
        assert_eq!(moved(range.1), at(2019, 3, 2));
        assert_eq!(days_of_years(at(2024, 2, 29), -5), None);
    }

    #[test]
    fn old_records_show_when_a_folder_was_copied() {
        let mut dated = Dated::default();
        dated.add_range("run/old.log", (DAY, 2 * DAY), 900 * DAY);
        dated.add_range("run/grown.log", (DAY, 3 * DAY), 3 * DAY);
        let range = dated.nearest_sources("run/a.log").unwrap();
        assert!(range.is_copy_time(900 * DAY + HOUR / 2));
        assert!(!range.is_copy_time(3 * DAY) && !range.is_copy_time(901 * DAY));
    }

    #[test]
    fn the_nearest_in_the_tree_count() {
        let mut dated = Dated::default();
        for (path, range) in [
            ("x/000/parsl.log", (1, 2)),
            ("x/001/parsl.log", (10, 20)),
            ("x/001/htex/interchange.log", (5, 15)),
        ] {
            dated.add_range(path, range, 0);
        }
        assert_eq!(dated.nearest("x/001/submit/a.err"), Some((5, 20)));
        assert_eq!(dated.nearest("y.err"), Some((1, 20)));
        assert_eq!(Dated::default().nearest("a"), None);
        let nearest = dated.nearest_sources("y.err").unwrap();
        assert_eq!(nearest.nearer_end(3), "x/000/parsl.log");
        assert_eq!(nearest.nearer_end(19), "x/001/parsl.log");
    }
}
