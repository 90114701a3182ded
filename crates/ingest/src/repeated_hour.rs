//! The hour that clocks show twice when they are set back: which times of a source are in the second one.
//!
//! Civil times alone do not tell. But records stand in the order in which they were written: where their times fall back
//! within such an hour, the second one has begun. A source that begins in such an hour and goes on behind it without falling
//! back began in the second one, or it would have been silent for an hour. Else it is told by when the file was last written,
//! and at last by what lies beside it; when nothing tells, the first is taken, and that is said.

use std::borrow::Borrow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_store::part_stats::PartStats;
use widetui_store::segment::Segment;
use widetui_store::source::{SecondHour, Source, Zoning};
use widetui_time::time::{NO_TIME, NS_PER_SECOND, format_clock, format_date};

use crate::dates::Dated;

/// A file is written that long after the time that its last record tells, at most.
const WRITTEN: i64 = 600 * NS_PER_SECOND;

/// The hours that clocks with these offsets show twice; where the second ones begin is not known yet.
fn shown_twice(offsets: &[(i64, i32)]) -> impl Iterator<Item = SecondHour> {
    let pairs = offsets.windows(2);
    pairs.filter(|w| w[1].1 < w[0].1).map(|w| {
        let (to, offset) = w[1];
        SecondHour {
            from: to.saturating_sub(i64::from(w[0].1 - offset) * NS_PER_SECOND),
            to,
            offset,
            byte: u64::MAX,
            least: i64::MAX,
            most: i64::MIN,
        }
    })
}

/// The hours that are shown twice and in which a source may have times.
fn touched(source: &Source) -> Vec<SecondHour> {
    let (Zoning::Local { offsets, .. }, Some((from, to))) = (&source.zoning, source.stats.range)
    else {
        return Vec::new();
    };
    let twice = shown_twice(offsets);
    twice.filter(|h| from < h.to && to >= h.from).collect()
}

/// Whether a source may have times in an hour that is shown twice.
pub(super) fn is_touched(source: &Source) -> bool {
    !touched(source).is_empty()
}

/// Finds in more records of a source (times as read and first bytes, in the order of the source) which are in the second of
/// two hours, given the counts of what was read `before` them. Gives the hours of which it stays open.
pub(super) fn find(
    source: &mut Source,
    before: &PartStats,
    records: impl Iterator<Item = (i64, u64)>,
) -> Vec<SecondHour> {
    let hours = touched(source);
    let modified = source.modified;
    let Zoning::Local {
        offsets,
        second_passes: again,
        ..
    } = &mut source.zoning
    else {
        return Vec::new();
    };
    if hours.is_empty() {
        return Vec::new();
    }
    let mut last = before.last;
    let mut least = before.range.map_or(i64::MAX, |r| r.0);
    let mut most = before.range.map_or(i64::MIN, |r| r.1);
    let mut first = before.first;
    let mut met: Vec<SecondHour> = Vec::new();
    for (raw, byte) in records.filter(|r| r.0 != NO_TIME) {
        first = first.or(Some(raw));
        if let Some(hour) = hours.iter().find(|h| h.has(raw)) {
            if let Some(known) = again.iter_mut().find(|h| h.from == hour.from) {
                known.most = known.most.max(raw);
            } else if last.is_some_and(|l| hour.has(l) && l - raw >= (hour.to - hour.from) / 2) {
                again.push(SecondHour {
                    byte,
                    least,
                    most: raw,
                    ..*hour
                });
            } else if met.last() != Some(hour) {
                met.push(*hour);
            }
        }
        last = Some(raw);
        least = least.min(raw);
        most = most.max(raw);
    }
    met.retain(|hour| again.iter().all(|h| h.from != hour.from));
    let begins_in = |hour: &SecondHour| first.is_some_and(|raw| hour.has(raw));
    met.retain(|hour| {
        if before.first.is_some() || !begins_in(hour) {
            // What comes after records from before the hour is in the first one, unless it goes on behind it.
            return before.first.is_none() && most >= hour.to;
        }
        let written = last.filter(|raw| hour.has(*raw)).and_then(|raw| {
            let at = offsets.partition_point(|(from, _)| *from <= raw);
            let was = offsets.get(at.max(1) - 1)?.1;
            let is_then = |offset: i32| {
                let since = modified - (raw - i64::from(offset) * NS_PER_SECOND);
                (-NS_PER_SECOND..WRITTEN).contains(&since)
            };
            Some((is_then(was), is_then(hour.offset)))
        });
        match written {
            Some((true, _)) => return false,
            Some((_, true)) => {}
            _ if most >= hour.to => {}
            _ => return true,
        }
        again.push(whole(hour, most));
        false
    });
    met
}

/// All of an hour is the second one.
fn whole(hour: &SecondHour, most: i64) -> SecondHour {
    SecondHour {
        byte: 0,
        most: most.min(hour.to - 1),
        ..*hour
    }
}

/// Finds for the sources of a run which of their times are in the second of two hours.
pub(super) fn settle(sources: &mut [Source], segments: &[Arc<Segment>]) {
    let is_wanted: Vec<bool> = sources.iter().map(is_touched).collect();
    if !is_wanted.contains(&true) {
        return;
    }
    let mut open: FxHashMap<usize, Vec<SecondHour>> = FxHashMap::default();
    for (at, records) in records_of(segments, |at| is_wanted.get(at) == Some(&true)) {
        let left = find(&mut sources[at], &PartStats::default(), records.into_iter());
        if !left.is_empty() {
            open.insert(at, left);
        }
    }
    if open.is_empty() {
        return;
    }
    let beside = Dated::of(sources.iter().filter(|s| !open.contains_key(&s.id.index())));
    for (at, hours) in open {
        for hour in hours {
            let Some(source) = sources.get_mut(at) else {
                continue;
            };
            match half_by(source, &hour, &beside) {
                Some(Half::First) => {}
                Some(Half::Second) => {
                    let most = source.stats.range.map_or(hour.from, |r| r.1);
                    if let Zoning::Local {
                        second_passes: again,
                        ..
                    } = &mut source.zoning
                    {
                        again.push(whole(&hour, most));
                    }
                }
                None => {
                    let (path, text) = (source.path.clone(), words(&hour));
                    let problem = Diagnostic::new(Severity::Warning, path, text);
                    source.problems.push(problem);
                }
            }
        }
    }
}

/// Which of two hours.
enum Half {
    First,
    Second,
}

/// In which of two hours a source begins by what stands beside it: the one in which it lies within that, if it does so in one
/// only.
fn half_by(source: &Source, hour: &SecondHour, beside: &Dated) -> Option<Half> {
    source.stats.first.filter(|raw| hour.has(*raw))?;
    let (own, (from, to)) = (source.range()?, beside.nearest(&source.path)?);
    let lies_there =
        |moved: i64| own.0.saturating_add(moved) >= from && own.1.saturating_add(moved) <= to;
    match (lies_there(0), lies_there(hour.to - hour.from)) {
        (true, false) => Some(Half::First),
        (false, true) => Some(Half::Second),
        _ => None,
    }
}

/// What is told of an hour of which it stays open.
pub(super) fn words(hour: &SecondHour) -> String {
    let clock = |civil| format_clock(civil, 0, 0);
    format!(
        "clocks were set back from {} to {} on {}, and nothing tells whether its times between are from before that or after: \
         before was taken",
        clock(hour.to),
        clock(hour.from),
        format_date(hour.from, 0)
    )
}

/// The records of some sources, in the order of each: times as read, and first bytes.
pub(super) fn records_of<S: Borrow<Segment>>(
    segments: &[S],
    is_wanted: impl Fn(usize) -> bool,
) -> Vec<(usize, Vec<(i64, u64)>)> {
    let mut parts = Vec::new();
    for segment in segments.iter().map(Borrow::borrow) {
        let segment: &Segment = segment;
        let wanted = segment.parts.iter().filter(|p| is_wanted(p.source.index()));
        parts.extend(wanted.map(|part| (part.source.index(), part.seq, segment, part)));
    }
    parts.sort_by_key(|(source, seq, ..)| (*source, *seq));
    let mut all: Vec<(usize, Vec<(i64, u64)>)> = Vec::new();
    for (source, _, segment, part) in parts {
        if all.last().is_none_or(|(last, _)| *last != source) {
            all.push((source, Vec::new()));
        }
        let rows = part.first_row as usize..(part.first_row + part.rows) as usize;
        let records = rows.map(|row| {
            let byte = part.base + u64::from(segment.offsets[row]);
            (segment.times.get(row), byte)
        });
        if let Some((_, list)) = all.last_mut() {
            list.extend(records);
        }
    }
    all
}
