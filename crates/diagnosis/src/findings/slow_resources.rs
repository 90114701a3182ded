//! Findings of resources on which the same work takes much longer than elsewhere: an overloaded, throttled or badly
//! connected host.
//!
//! Work of one label is compared with work of the same label only, and a place with the others of its kind. A place is
//! reported only if chance is unlikely: nearly no work there is as fast as nearly all work elsewhere. With only two
//! places neither is known to be normal; then more work is required on both, of the same run and time.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::unfinished::words::capital;
use widetui_analysis::entity::names::format_places;
use widetui_analysis::entity::standings;
use widetui_analysis::entity::{Instance, Instances};
use widetui_core::dict::{Code, NONE};
use widetui_core::ids::EventId;
use widetui_core::words::several;
use widetui_definition::semantics::Severity;
use widetui_time::time::format_span;

use crate::findings::context::Context;
use crate::findings::finding::{Finding, FindingKind};

/// Minimum factor between the durations.
const TIMES: i64 = 3;
/// Minimum number of executions at a place.
const ENOUGH: usize = 4;
/// Shorter durations are noise, ns.
const SHORT: i64 = 50_000_000;
/// Minimum cost of the slowness: 1/`PART` of the duration of the run.
const PART: i64 = 20;
/// At most 1/`FEW` of the places may be slow, otherwise it is unclear which ones are normal.
const FEW: usize = 3;
/// Minimum number of executions at each of two places.
const ENOUGH_OF_TWO: usize = 8;
/// Maximum number of events in the finding.
const SHOWN: usize = 4;

/// Executions of work with one label, and their durations, ns.
type Took<'i> = Vec<(i64, &'i Instance)>;

/// Executions of work with one label, by place.
type Places<'i> = BTreeMap<&'i [Code], Took<'i>>;

/// A place and the sorted durations there, ns.
type Slow<'p> = (&'p [Code], Vec<i64>);

/// Findings of slow places.
pub(crate) fn look(look: &Context<'_>) -> Vec<Finding> {
    let mut out: Vec<Finding> = Vec::new();
    for work in look.found.occurring.iter().filter(|i| is_work(look, i)) {
        let took = took(look, work);
        // A slow host is reported instead of each of its workers.
        let mut told: FxHashSet<Option<Code>> = FxHashSet::default();
        for depth in 1..=work.place_keys.len() {
            if !is_carrier(look, work, depth) {
                continue;
            }
            for (label, places) in by_place(work, &took, depth) {
                if told.contains(&label) {
                    continue;
                }
                if let Some(finding) = slow(look, work, (label, depth), &places) {
                    told.insert(label);
                    out.push(finding);
                }
            }
        }
    }
    out
}

/// Whether instances are executions, that is attempts of work items.
fn is_work(look: &Context<'_>, work: &Instances) -> bool {
    let extends = |goals: &Instances| {
        work.entity.id.iter().any(|id| {
            let is_part = |g: &Vec<String>| g.len() < id.len() && id.starts_with(g);
            goals.entity.id.iter().any(is_part)
        })
    };
    let entity = &work.entity;
    let is_attempt = entity.start.is_some() && !entity.is_work_item() && !entity.is_resource();
    is_attempt && look.found.work_items().any(extends)
}

/// Whether the place key at this depth identifies a resource.
fn is_carrier(look: &Context<'_>, work: &Instances, depth: usize) -> bool {
    let key = work.place_keys.get(depth - 1);
    let Some(key) = key.map(|key| look.snapshot.catalog.keys.name(*key)) else {
        return false;
    };
    let mut carriers = look.found.resources();
    carriers.any(|c| {
        c.entity
            .id
            .iter()
            .any(|id| id.last().is_some_and(|k| k == key))
    })
}

/// Executions with a known begin and end.
fn took<'i>(look: &Context<'_>, work: &'i Instances) -> Took<'i> {
    let all = standings(look.snapshot, work);
    let all = all.iter().zip(&work.list);
    all.filter(|(_, one)| one.lost.is_none() && one.start.is_some())
        .filter_map(|(standing, one)| Some((standing.duration()?, one)))
        .collect()
}

fn by_place<'i>(
    work: &'i Instances,
    took: &Took<'i>,
    depth: usize,
) -> BTreeMap<Option<Code>, Places<'i>> {
    let mut out: BTreeMap<Option<Code>, Places<'i>> = BTreeMap::new();
    for (took, one) in took {
        let place = work.place_codes(one).get(..depth).unwrap_or_default();
        if place.last().is_some_and(|code| *code != NONE) {
            let of = out.entry(one.label.map(|l| l.1)).or_default();
            let of = of.entry(place).or_default();
            of.push((*took, one));
        }
    }
    out
}

/// Percentile (`hundredths`) of sorted durations, ns.
fn share(sorted: &[i64], hundredths: usize) -> i64 {
    let at = sorted.len().saturating_sub(1) * hundredths / 100;
    sorted.get(at).copied().unwrap_or_default()
}

/// Places at which work of a label takes much longer than elsewhere.
fn slow(
    look: &Context<'_>,
    work: &Instances,
    (label, depth): (Option<Code>, usize),
    places: &Places<'_>,
) -> Option<Finding> {
    let mut known: Vec<Slow<'_>> = Vec::new();
    for (place, took) in places.iter().filter(|(_, took)| took.len() >= ENOUGH) {
        let mut times: Vec<i64> = took.iter().map(|t| t.0).collect();
        times.sort_unstable();
        known.push((*place, times));
    }
    let medians = known.iter().map(|(_, times)| share(times, 50));
    let mut medians: Vec<i64> = medians.collect();
    medians.sort_unstable();
    let usual = share(&medians, 50).max(SHORT);
    let is_slow = |times: &[i64]| share(times, 50) / TIMES >= usual;
    let (slow, others): (Vec<_>, Vec<_>) = known.into_iter().partition(|k| is_slow(&k.1));
    let are_few = slow.len() * FEW <= others.len() + slow.len();
    let is_one_of_two = || match (&slow[..], &others[..]) {
        ([slow], [other]) => side_by_side(look, places, (slow, other)),
        _ => false,
    };
    if slow.is_empty() || !are_few && !is_one_of_two() {
        return None;
    }
    let mut elsewhere: Vec<i64> = others.iter().flat_map(|o| &o.1).copied().collect();
    elsewhere.sort_unstable();
    let apart = slow
        .iter()
        .all(|(_, t)| share(t, 10) > share(&elsewhere, 90));
    let more = |times: &[i64]| -> i64 { times.iter().map(|t| t.saturating_sub(usual)).sum() };
    let cost = slow.iter().map(|(_, times)| more(times)).max()?;
    let (from, to) = look.hung.range?;
    if !apart || cost < to.saturating_sub(from) / PART {
        return None;
    }
    finding(look, work, (label, depth), (&slow, &elsewhere, places))
}

/// Whether exactly two places had much of the same work in one run at the same time, so that only the place
/// distinguishes them.
fn side_by_side(
    look: &Context<'_>,
    places: &Places<'_>,
    (one, other): (&Slow<'_>, &Slow<'_>),
) -> bool {
    let run = |event: EventId| look.run_of(&look.snapshot.event(event)?);
    // Run, first and last begin of the work at a place; `None` if the work belongs to several runs.
    let begun = |place: &Slow<'_>| -> Option<(Option<usize>, i64, i64)> {
        let begins = places.get(place.0)?.iter().filter_map(|(_, one)| one.start);
        let begins: Vec<EventId> = begins.collect();
        let of = run(*begins.first()?);
        let times = || begins.iter().filter_map(|event| look.time(*event));
        let is_one = begins.iter().all(|event| run(*event) == of);
        is_one.then_some((of, times().min()?, times().max()?))
    };
    let Some((a, b)) = begun(one).zip(begun(other)) else {
        return false;
    };
    let both = a.2.min(b.2).saturating_sub(a.1.max(b.1));
    let longer = (a.2.saturating_sub(a.1)).max(b.2.saturating_sub(b.1));
    places.len() == 2
        && [one, other].iter().all(|p| p.1.len() >= ENOUGH_OF_TWO)
        && a.0 == b.0
        && both.saturating_mul(2) > longer
}

fn finding(
    look: &Context<'_>,
    work: &Instances,
    (label, depth): (Option<Code>, usize),
    (slow, elsewhere, places): (&[Slow<'_>], &[i64], &Places<'_>),
) -> Option<Finding> {
    let mut events: Vec<EventId> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut first: Option<&Instance> = None;
    for (place, times) in slow {
        let all = places.get(place)?;
        let one = all.first()?.1;
        first = first.or(Some(one));
        events.extend(all.iter().filter_map(|(_, one)| one.start));
        let at = work.places(look.snapshot, one);
        words.push(format!(
            "at {} {} took {} (median of {})",
            format_places(&at[..depth.min(at.len())]),
            title(look, work, label, one),
            format_span(share(times, 50)),
            times.len(),
        ));
    }
    let first = first?;
    let at = work.places(look.snapshot, first);
    let (key, value) = at.get(depth.min(at.len()).checked_sub(1)?)?;
    let carrier = look.found.occurring.iter().map(|i| &i.entity).find(|e| {
        let mut ends = e.id.iter().filter_map(|id| id.last());
        e.is_resource() && ends.any(|k| k == key)
    })?;
    let name = match slow {
        [_] => format!("{} {value}", carrier.title),
        all => several(all.len(), &carrier.title),
    };
    let usual = share(elsewhere, 50).max(1);
    let most = share(&slow.first()?.1, 50).saturating_add(usual / 2) / usual;
    let others = match places.len() {
        2 => "other one",
        _ => "others",
    };
    Some(Finding {
        text: format!(
            "{}. Elsewhere it took {} (median of {}; nine in ten at most {}).",
            capital(&words.join("; ")),
            format_span(share(elsewhere, 50)),
            elsewhere.len(),
            format_span(share(elsewhere, 90)),
        ),
        evidence: events.iter().take(SHOWN).copied().collect(),
        count: events.len() as u64,
        events,
        next: "Look at that node: its load, its clock rate, its memory and file system, who else works there."
            .to_owned(),
        ..Finding::new(FindingKind::Slow, Severity::Warning, format!("{name} took {most} times as long for the same work as the {others}"))
    })
}

/// Name of the work: its label, if it has one.
fn title(look: &Context<'_>, work: &Instances, label: Option<Code>, one: &Instance) -> String {
    let spelled = label.and_then(|_| work.label(look.snapshot, one));
    spelled.unwrap_or_else(|| {
        several(2, &work.entity.title)
            .trim_start_matches("2 ")
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A percentile is one of the values, for any number of values.
    #[test]
    fn a_share_is_a_value() {
        assert_eq!(share(&[], 50), 0);
        assert_eq!(share(&[7], 90), 7);
        assert_eq!(share(&[1, 2, 3, 4, 5], 50), 3);
        assert_eq!(share(&(0..=100).collect::<Vec<_>>(), 90), 90);
    }
}
