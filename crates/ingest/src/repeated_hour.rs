//! Repeated hour when clocks are set back: finds the times of a source that belong to its second occurrence.
//!
//! Local times are ambiguous, but records are in the order of writing: where times fall back within such an hour, the
//! second occurrence begins. A source that begins in the hour and continues after it without falling back began in the
//! second occurrence, as it would otherwise have been silent for an hour. Else the modification time of the file
//! decides, and finally adjacent sources; without any evidence the first occurrence is assumed, with a problem note.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::diag::{Diagnostic, Severity};
use widetui_store::segment::Segment;
use widetui_store::source::{SecondHour, Source, Zoning};
use widetui_time::time::{NO_TIME, NS_PER_SECOND, format_clock, format_date};

use crate::dates::Dated;

/// Maximum delay from the last record's time to the modification time of the file, ns.
const WRITTEN: i64 = 600 * NS_PER_SECOND;

/// Repeated hours of these offsets; the start of each second occurrence is not known yet.
fn repeated_hours(offsets: &[(i64, i32)]) -> impl Iterator<Item = SecondHour> {
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

/// Repeated hours that overlap the times of a source.
fn touched(source: &Source) -> Vec<SecondHour> {
    let (Zoning::Local { offsets, .. }, Some((from, to))) = (&source.zoning, source.stats.range)
    else {
        return Vec::new();
    };
    let twice = repeated_hours(offsets);
    twice.filter(|h| from < h.to && to >= h.from).collect()
}

/// Finds second occurrences in the records of a source (times as read and first bytes, in order). Returns the hours that
/// remain ambiguous.
fn find(source: &mut Source, records: impl Iterator<Item = (i64, u64)>) -> Vec<SecondHour> {
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
    let (mut first, mut last) = (None, None::<i64>);
    let (mut least, mut most) = (i64::MAX, i64::MIN);
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
        if !begins_in(hour) {
            // Records after earlier ones are in the first occurrence, unless the source continues after the hour.
            return most >= hour.to;
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

/// Second occurrence that covers all records in an hour.
fn whole(hour: &SecondHour, most: i64) -> SecondHour {
    SecondHour {
        byte: 0,
        most: most.min(hour.to - 1),
        ..*hour
    }
}

/// Finds the second occurrences in all sources of a run.
pub(super) fn resolve(sources: &mut [Arc<Source>], segments: &[Arc<Segment>]) {
    let is_wanted: Vec<bool> = { sources.iter() }.map(|s| !touched(s).is_empty()).collect();
    if !is_wanted.contains(&true) {
        return;
    }
    let mut open: FxHashMap<usize, Vec<SecondHour>> = FxHashMap::default();
    for (at, records) in records_of(segments, |at| is_wanted.get(at) == Some(&true)) {
        let left = find(Arc::make_mut(&mut sources[at]), records.into_iter());
        if !left.is_empty() {
            open.insert(at, left);
        }
    }
    if open.is_empty() {
        return;
    }
    let beside = { sources.iter() }.filter(|s| !open.contains_key(&s.id.index()));
    let beside = Dated::of(beside.map(|s| &**s));
    for (at, hours) in open {
        for hour in hours {
            let Some(source) = sources.get_mut(at).map(Arc::make_mut) else {
                continue;
            };
            match occurrence_by(source, &hour, &beside) {
                Some(Occurrence::First) => {}
                Some(Occurrence::Second) => {
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
                    let (path, text) = (source.path.clone(), ambiguity(&hour));
                    let problem = Diagnostic::new(Severity::Warning, path, text);
                    source.problems.push(problem);
                }
            }
        }
    }
}

/// Occurrence of a repeated hour.
enum Occurrence {
    First,
    Second,
}

/// Occurrence in which a source begins, by the time range of adjacent sources: the one that puts the source within that
/// range, if only one does.
fn occurrence_by(source: &Source, hour: &SecondHour, beside: &Dated) -> Option<Occurrence> {
    source.stats.first.filter(|raw| hour.has(*raw))?;
    let (own, (from, to)) = (source.range()?, beside.nearest(&source.path)?);
    let lies_there =
        |moved: i64| own.0.saturating_add(moved) >= from && own.1.saturating_add(moved) <= to;
    match (lies_there(0), lies_there(hour.to - hour.from)) {
        (true, false) => Some(Occurrence::First),
        (false, true) => Some(Occurrence::Second),
        _ => None,
    }
}

/// Problem text for an ambiguous hour.
fn ambiguity(hour: &SecondHour) -> String {
    let clock = |civil| format_clock(civil, 0, 0);
    format!(
        "clocks were set back from {} to {} on {}, and its times within this hour are ambiguous: they are taken to be from \
         before the change",
        clock(hour.to),
        clock(hour.from),
        format_date(hour.from, 0)
    )
}

/// Records of the given sources, in order: times as read, and first bytes.
fn records_of(
    segments: &[Arc<Segment>],
    is_wanted: impl Fn(usize) -> bool,
) -> Vec<(usize, Vec<(i64, u64)>)> {
    let mut parts = Vec::new();
    for segment in segments {
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
