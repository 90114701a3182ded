//! Clocks that do not agree: logs whose stamps name no zone, put by an assumed one to a time at which nothing else
//! happened.
//!
//! Nobody can tell from a stamp without a zone which one it was. But the logs of a run are written together: where those
//! without a zone lie wholly apart from those with one, and some quarters of an hour would bring them together, the zone
//! was another one.

use crate::base::cancel::Cancel;
use crate::base::ids::SourceId;
use crate::base::time::format_span;
use crate::base::words::several;
use crate::base::zone::Zone;
use crate::format::reader::Syntax;
use crate::store::Snapshot;
use crate::store::source::{Basis, Source, Zoning};

mod agreement;

use agreement::ZoneSide;

const SECOND: i64 = 1_000_000_000;
/// Zones differ by multiples of this, ns.
const QUARTER: i64 = 900 * SECOND;
const HOUR: i64 = 4 * QUARTER;
/// How far zones of the world are ahead of UTC: from Baker Island to Kiribati.
const ZONES: std::ops::RangeInclusive<i64> = -12 * HOUR..=14 * HOUR;
/// No two zones differ by more.
const MOST: i64 = 26 * HOUR;
/// How far apart, beyond a twentieth of their length, logs of one run may begin or end, ns.
const ALIKE: u64 = 30_000_000_000;

/// That clocks do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Logs without a zone.
    pub logs: usize,
    /// One of them, and a log that has one.
    pub example: (String, String),
    /// What their times lack, ns.
    pub lack: i64,
    /// The zone that would bring them together, seconds ahead of UTC.
    pub offset: i32,
    /// Whether they begin and end together then, so that there is hardly a doubt.
    pub is_sure: bool,
}

impl Apart {
    /// The zone that would bring them together.
    pub fn zone(&self) -> Zone {
        Zone::Fixed(self.offset)
    }
}

/// From when to when, UTC ns.
type Range = (i64, i64);

/// Whether the clocks of a run do not agree; `None` when they do, or nothing is known of it.
pub fn apart<'s>(sources: impl Iterator<Item = &'s Source>) -> Option<Apart> {
    between(sources, is_assumed)
}

/// Clocks that are proven to be apart by what both groups of logs say about the same things, and the logs without a
/// zone, tables among them; `None` when nothing proves it, or when cancelled. Costs a pass over the columns of all things.
pub fn proven(snapshot: &Snapshot, cancel: &Cancel) -> Option<(Apart, Vec<SourceId>)> {
    let sources = || snapshot.sources.iter().map(|s| &**s);
    let apart = apart(sources()).or_else(|| between(sources(), has_assumed_zone))?;
    let assumed: Vec<(&Source, Range)> = sources()
        .filter(|s| has_assumed_zone(s))
        .filter_map(|s| Some((s, range_of(s)?)))
        .collect();
    let lines = assumed.iter().filter(|(s, _)| is_assumed(s)).copied();
    let (from, to) = hull(&lines.collect::<Vec<_>>()).or_else(|| hull(&assumed))?;
    // Tables that are written by the same clock lie where the logs lie.
    let without: Vec<SourceId> = assumed
        .iter()
        .filter(|(_, own)| own.0 <= to && from <= own.1)
        .map(|(s, _)| s.id)
        .collect();
    let side = |source: &Source| match &source.zoning {
        Zoning::Stated if source.shift == 0 => Some(ZoneSide::With),
        _ => without.contains(&source.id).then_some(ZoneSide::Without),
    };
    let sides: Vec<Option<ZoneSide>> = sources().map(side).collect();
    agreement::agree(snapshot, &sides, apart.lack, cancel).then_some((apart, without))
}

/// Whether the clocks of those chosen and of those that name their zone do not agree.
fn between<'s>(
    sources: impl Iterator<Item = &'s Source>,
    chosen: fn(&Source) -> bool,
) -> Option<Apart> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for source in sources {
        let Some(range) = range_of(source) else {
            continue;
        };
        match &source.zoning {
            Zoning::Local { .. } if chosen(source) => without.push((source, range)),
            Zoning::Stated if source.shift == 0 => with.push((source, range)),
            _ => {}
        }
    }
    let (first, other) = (without.first()?.0, with.first()?.0);
    let (own, others) = (hull(&without)?, hull(&with)?);
    let assumed = match &first.zoning {
        Zoning::Local { offsets, .. } => offsets.last().map_or(0, |o| o.1),
        Zoning::Stated => 0,
    };
    let lack = lack(own, others, i64::from(assumed) * SECOND)?;
    Some(Apart {
        logs: without.len(),
        example: (first.tag.clone(), other.tag.clone()),
        lack,
        offset: assumed - (lack / SECOND) as i32,
        is_sure: are_alike(own, others, lack),
    })
}

/// Whether a log's zone was assumed. Tables and JSON are left out: programs often write UTC there
/// without saying so.
pub fn is_assumed(source: &Source) -> bool {
    let reader = source.reader.as_ref();
    let is_text = reader.is_some_and(|r| matches!(r.syntax, Syntax::Lines(_)));
    is_text && has_assumed_zone(source)
}

/// Whether a zone was assumed. A time of day is put to the day of the others anyway.
fn has_assumed_zone(source: &Source) -> bool {
    let is_assumed = matches!(
        &source.zoning,
        Zoning::Local {
            basis: Basis::Assumed,
            days: 0,
            ..
        }
    );
    is_assumed && source.shift == 0
}

/// From when to when a source goes.
fn range_of(source: &Source) -> Option<Range> {
    let range = source.stats.range?;
    Some((source.utc(range.0), source.utc(range.1)))
}

/// Whether two ranges begin and end together, once the first is moved: what chance hardly does.
fn are_alike(own: Range, other: Range, lack: i64) -> bool {
    let longer = own.1.abs_diff(own.0).max(other.1.abs_diff(other.0));
    let near = |a: i64, b: i64| a.saturating_add(lack).abs_diff(b) <= ALIKE + longer / 20;
    near(own.0, other.0) && near(own.1, other.1)
}

/// From the earliest to the latest of some sources.
fn hull(all: &[(&Source, Range)]) -> Option<Range> {
    let from = all.iter().map(|s| s.1.0).min()?;
    let to = all.iter().map(|s| s.1.1).max()?;
    Some((from, to))
}

/// What must be added to the first range to have both together: whole hours if they do, the one that brings the ends of both
/// nearest. `assumed` is how far ahead of UTC its zone was taken to be. `None` when they are together, or at no zone.
fn lack(own: Range, other: Range, assumed: i64) -> Option<i64> {
    let meets =
        |lack: i64| own.0.saturating_add(lack) <= other.1 && other.0 <= own.1.saturating_add(lack);
    // Within an hour of each other it may be one after the other.
    let near = |lack: &i64| meets(*lack);
    if [-HOUR, 0, HOUR].iter().any(near) {
        return None;
    }
    let distance = |lack: &i64| {
        let off = |a: i64, b: i64| a.saturating_add(*lack).abs_diff(b);
        off(own.0, other.0).saturating_add(off(own.1, other.1))
    };
    let steps = |step: i64| {
        (-MOST / step..=MOST / step)
            .map(move |n| n * step)
            .filter(near)
            .filter(|lack| ZONES.contains(&(assumed - lack)))
    };
    steps(HOUR)
        .min_by_key(distance)
        .or_else(|| steps(QUARTER).min_by_key(distance))
}

/// What it is, and what would help.
pub fn words(apart: &Apart) -> String {
    let side = if apart.lack > 0 { "before" } else { "after" };
    let zone = apart.zone();
    let (own, other) = &apart.example;
    let what = match apart.logs {
        1 => format!("1 log names no zone of its times ({own}): it lies"),
        n => format!(
            "{} name no zone of their times ({own}): they lie",
            several(n, "log")
        ),
    };
    format!(
        "{what} {} {side} those that do ({other}), so ages and durations across them are wrong. With `--tz={zone}` all \
         lie together.",
        format_span(apart.lack.abs()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = QUARTER / 15;

    #[test]
    fn what_lies_hours_apart_is_brought_together() {
        let own = (0, 3 * MINUTE);
        let later = |by: i64| (by + MINUTE, by + 4 * MINUTE);
        assert_eq!(lack(own, later(6 * HOUR), 0), Some(6 * HOUR));
        assert_eq!(lack(own, later(-8 * HOUR), 0), Some(-8 * HOUR));
        assert_eq!(
            lack(own, later(5 * HOUR + 2 * QUARTER), 0),
            Some(5 * HOUR + 2 * QUARTER)
        );
    }

    #[test]
    fn what_is_together_is_left_as_it_is() {
        let own = (0, 3 * MINUTE);
        for by in [0, HOUR, -HOUR, 2 * MINUTE] {
            assert_eq!(lack(own, (by, by + MINUTE), 0), None, "{by}");
        }
        // No zone explains that.
        assert_eq!(
            lack(own, (6 * HOUR + 7 * MINUTE, 6 * HOUR + 9 * MINUTE), 0),
            None
        );
        assert_eq!(lack(own, (40 * HOUR, 41 * HOUR), 0), None);
    }

    #[test]
    fn there_must_be_such_a_zone() {
        let (own, later) = ((0, MINUTE), (20 * HOUR, 20 * HOUR + MINUTE));
        // At UTC-20 nobody lives; whom one took to be at UTC+9 may be at UTC-11.
        assert_eq!(lack(own, later, 0), None);
        assert_eq!(lack(own, later, 9 * HOUR), Some(20 * HOUR));
    }

    #[test]
    fn only_what_begins_and_ends_together_is_sure() {
        let own = (0, 3 * MINUTE);
        let at = |from: i64, to: i64| are_alike(own, (6 * HOUR + from, 6 * HOUR + to), 6 * HOUR);
        assert!(at(MINUTE / 3, 3 * MINUTE + MINUTE / 3));
        assert!(!at(MINUTE, 3 * MINUTE));
        assert!(!at(0, 9 * MINUTE));
    }

    #[test]
    fn long_runs_are_laid_over_each_other() {
        let own = (0, 10 * HOUR);
        assert_eq!(
            lack(own, (12 * HOUR + MINUTE, 22 * HOUR), 0),
            Some(12 * HOUR)
        );
    }
}
