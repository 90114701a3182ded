//! Grouping of logs by folder for the comparison of clocks.
//!
//! A folder may hold several runs of different systems, days and machines. Logs with a zone in the
//! nearest folder decide; those of outer folders count only if the nearest ones are inconclusive.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use widetui_core::folders;
use widetui_store::source::{Source, Zoning};

use crate::clocks::relative_position::{
    RelativePosition, are_aligned, are_alike, meet, relative_position,
};
use crate::clocks::{ClockOffset, Range, SECOND, hull, range_of};

/// Key of logs without a zone that are judged together: folder and assumed offset (s). Ordered with
/// the innermost folder first.
type Place<'s> = (Reverse<usize>, &'s str, i32);

/// Logs with a zone in a folder, at any depth.
struct Stated<'s> {
    logs: Vec<(&'s Source, Range)>,
}

/// Time ranges further apart than this are of different days, whatever the zone of either, ns.
const OTHER_DAY: i64 = 48 * 3_600 * SECOND;

impl<'s> Stated<'s> {
    /// Returns the logs that can prove the zone of logs with the range `own`: those of about the same day, else all. A
    /// file of another year (a plan, a template, an older run) is no evidence of the zone.
    fn witnesses(&self, own: Range) -> Vec<(&'s Source, Range)> {
        let is_near = |(_, range): &&(&Source, Range)| {
            own.0.saturating_sub(range.1) < OTHER_DAY && range.0.saturating_sub(own.1) < OTHER_DAY
        };
        let near: Vec<_> = self.logs.iter().filter(is_near).copied().collect();
        match near.is_empty() {
            true => self.logs.clone(),
            false => near,
        }
    }
}

/// Finds logs whose clocks disagree with those of their folder, one entry per folder.
pub(super) fn find_offsets<'s>(
    sources: impl Iterator<Item = &'s Source>,
    chosen: fn(&Source) -> bool,
) -> Vec<ClockOffset> {
    let mut stated: FxHashMap<&str, Stated<'_>> = FxHashMap::default();
    let mut without = Vec::new();
    for source in sources {
        let Some(range) = range_of(source) else {
            continue;
        };
        match &source.zoning {
            Zoning::Local { offsets, .. } if chosen(source) => {
                let assumed = offsets.last().map_or(0, |o| o.1);
                without.push((source, range, assumed));
            }
            Zoning::Stated if source.shift == 0 => {
                for folder in folders::above(&source.path) {
                    let known = stated.entry(folder);
                    let known = known.or_insert_with(|| Stated { logs: Vec::new() });
                    known.logs.push((source, range));
                }
            }
            _ => {}
        }
    }
    let mut places: BTreeMap<Place<'_>, Vec<(&Source, Range)>> = BTreeMap::new();
    for (source, range, assumed) in without {
        let mut above = folders::above(&source.path);
        if let Some(folder) = above.find(|folder| stated.contains_key(folder)) {
            let place = (Reverse(folders::depth(folder)), folder, assumed);
            places.entry(place).or_default().push((source, range));
        }
    }
    let mut found = Vec::new();
    while let Some(((_, folder, assumed), mut logs)) = places.pop_first() {
        let Some(stated_here) = stated.get(folder) else {
            continue;
        };
        retain_apart(&mut logs, stated_here, assumed);
        let Some(own) = hull(logs.iter().map(|l| l.1)) else {
            continue;
        };
        let witnesses = stated_here.witnesses(own);
        let (Some((first, _)), Some(others)) =
            (witnesses.first(), hull(witnesses.iter().map(|w| w.1)))
        else {
            continue;
        };
        let position = relative_position(own, others, i64::from(assumed) * SECOND);
        let stated_offset = offset_of_witness(&witnesses, own, (position, assumed));
        let (position, first) = match stated_offset {
            Some((correction, witness)) => (RelativePosition::Offset(correction), witness),
            None => (position, *first),
        };
        match position {
            RelativePosition::Together => {}
            RelativePosition::Offset(correction) => found.push(Judged {
                clock_offset: ClockOffset {
                    logs: logs.iter().map(|(source, _)| source.id).collect(),
                    folder: folder.to_owned(),
                    example: (logs[0].0.tag.clone(), first.tag.clone()),
                    correction,
                    offset: assumed - (correction / SECOND) as i32,
                    is_sure: stated_offset.is_some() || are_alike(own, others, correction),
                    is_stated: stated_offset.is_some(),
                },
                own,
                others,
            }),
            RelativePosition::Unrelated => {
                let tells_more = |outer: &&str| {
                    stated
                        .get(outer)
                        .is_some_and(|s| s.logs.len() > stated_here.logs.len())
                };
                if let Some(outer) = folders::above(folder).find(tells_more) {
                    let place = (Reverse(folders::depth(outer)), outer, assumed);
                    places.entry(place).or_default().extend(logs);
                }
            }
        }
    }
    settle(&mut found);
    found
        .into_iter()
        .map(|judged| judged.clock_offset)
        .collect()
}

/// Leaves out logs of other kinds that lie among those with a zone, if that zone explains why the rest does not: some programs
/// write UTC beside others that write local times.
fn retain_apart(logs: &mut Vec<(&Source, Range)>, stated: &Stated<'_>, assumed: i32) {
    let Some(others) = hull(stated.logs.iter().map(|(_, range)| *range)) else {
        return;
    };
    let position = |range: Range| relative_position(range, others, i64::from(assumed) * SECOND);
    let is_apart = |log: &&(&Source, Range)| position(log.1) != RelativePosition::Together;
    let apart: Vec<(&Source, Range)> = logs.iter().filter(is_apart).copied().collect();
    let Some(own) = hull(apart.iter().map(|log| log.1)).filter(|_| apart.len() < logs.len()) else {
        return;
    };
    let is_alike = |a: &Source, b: &Source| (&a.kind, &a.layout) == (&b.kind, &b.layout);
    let is_of_kind = |source: &Source| apart.iter().any(|(other, _)| is_alike(other, source));
    let are_others = logs.iter().all(|log| is_apart(&log) || !is_of_kind(log.0));
    let witnesses = stated.witnesses(own);
    if are_others && offset_of_witness(&witnesses, own, (position(own), assumed)).is_some() {
        *logs = apart;
    }
}

/// Correction to the zone that a witness states, with the witness: if no other correction makes the logs meet, or if they
/// begin or end together only after this one. Programs that run together on a machine have its zone.
fn offset_of_witness<'s>(
    witnesses: &[(&'s Source, Range)],
    own: Range,
    (position, assumed): (RelativePosition, i32),
) -> Option<(i64, &'s Source)> {
    let mut stated = witnesses.iter().filter_map(|(witness, range)| {
        let correction = i64::from(assumed - witness.stated_offset?) * SECOND;
        Some((correction, *witness, *range))
    });
    let is_settled = witnesses
        .iter()
        .any(|(_, range)| are_aligned(own, *range, 0));
    let found = stated.find(|(correction, _, range)| {
        *correction != 0
            && meet(own, *range, *correction)
            && match position {
                RelativePosition::Together => !is_settled && are_aligned(own, *range, *correction),
                RelativePosition::Offset(_) => true,
                RelativePosition::Unrelated => false,
            }
    });
    found.map(|(correction, witness, _)| (correction, witness))
}

/// Disagreement of a folder, with the time ranges of its logs without and with a zone.
struct Judged {
    clock_offset: ClockOffset,
    own: Range,
    others: Range,
}

/// For a folder with an uncertain zone, adopts the zone of an enclosing or enclosed folder that is
/// certain, if it makes the logs overlap, too: one run has one clock.
fn settle(found: &mut [Judged]) {
    let sure: Vec<ClockOffset> = found
        .iter()
        .filter(|j| j.clock_offset.is_sure)
        .map(|j| j.clock_offset.clone())
        .collect();
    for Judged {
        clock_offset,
        own,
        others,
    } in found.iter_mut().filter(|j| !j.clock_offset.is_sure)
    {
        let is_near = |other: &&ClockOffset| {
            let (a, b) = (&clock_offset.folder, &other.folder);
            a == b || folders::is_in(a, b) || folders::is_in(b, a)
        };
        let nearest = sure.iter().filter(is_near);
        let Some(other) = nearest.max_by_key(|other| folders::depth(&other.folder)) else {
            continue;
        };
        let assumed = i64::from(clock_offset.offset) * SECOND + clock_offset.correction;
        let correction = assumed - i64::from(other.offset) * SECOND;
        if meet(*own, *others, correction) {
            clock_offset.correction = correction;
            clock_offset.offset = other.offset;
            clock_offset.is_sure = true;
        }
    }
}
