//! Findings of resources that were lost, with the work that they took along, and of resources that never joined or failed.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfinished::run_stops::stop;
use widetui_analysis::entity::Id;
use widetui_analysis::entity::names::format_places;
use widetui_analysis::entity::{Instance, InstanceEnd, Instances};
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::several;
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::ended_resources::EndedResources;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::loss_groups::{Loss, with_one, with_one_kind};
use crate::findings::lost_work;
use crate::findings::lost_work::{MAX_REPORT_LAG, Work, work};
use crate::findings::missing_logs;
use crate::findings::missing_logs::Untold;

/// Maximum number of resources that are described one by one.
const TOLD: usize = 5;
/// Maximum number of resources, missed after the end of their container, whose work is looked up.
const ASKED: usize = 20;

/// Findings of lost resources.
pub(crate) fn look(look: &mut Context<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    let over = EndedResources::new(look);
    for carriers in look.found.resources() {
        // A resource missed after the end of its run is no loss.
        let is_told = |id: EventId| {
            let event = look.snapshot.event(id);
            event.is_some_and(|e| !look.is_after_end(&e))
        };
        let mut lost = carriers.losses();
        lost.retain(|(_, id)| is_told(*id));
        lost.sort_by_key(|(_, id)| look.time(*id));
        let mut asked = 0;
        let (away, lost): (Vec<_>, Vec<_>) = lost.into_iter().partition(|(carrier, event)| {
            is_taken_away(look, &over, (carriers, carrier), *event, &mut asked)
        });
        for (carrier, event) in away {
            claim(look, carriers, carrier, event);
        }
        let (near, far) = lost.split_at(lost.len().min(ASKED));
        let each = near
            .iter()
            .filter_map(|(carrier, event)| one(look, carriers, (carrier, *event)));
        let each: Vec<Loss> = each.collect();
        let told = with_one(each, &carriers.entity.title);
        let mut told = with_one_kind(told, &carriers.entity.title, |l| has_other(look, l));
        let untold = told.split_off(told.len().min(TOLD));
        out.extend(told.into_iter().map(|loss| loss.finding));
        // Work on these is reported as failed instead.
        let is_untold = |event: &EventId| untold.iter().any(|loss| loss.event == *event);
        look.taken_along.retain(|_, event| !is_untold(event));
        let untold = untold.iter().map(|loss| loss.event);
        let far = far.iter().map(|(_, event)| *event);
        let more: Vec<EventId> = untold.chain(far).collect();
        if !more.is_empty() {
            let title = several(more.len(), &carriers.entity.title);
            out.push(Finding {
                text: "They were lost later than the ones above.".to_owned(),
                evidence: more.iter().take(EVIDENCE).copied().collect(),
                count: more.len() as u64,
                first: look.time(more[0]),
                events: more,
                ..Finding::new(
                    FindingKind::Lost,
                    Severity::Warning,
                    format!("{title} more were lost"),
                )
            });
        }
    }
    out
}

/// Whether a resource without work was removed on purpose: its container had ended without failing before the resource
/// was missed. `asked` counts the resources whose work was looked up, which is slow; usually none of them had work.
fn is_taken_away(
    look: &Context<'_>,
    over: &EndedResources,
    (carriers, carrier): (&Instances, &Instance),
    event: EventId,
    asked: &mut usize,
) -> bool {
    let at = look.time(event);
    let places = carriers.places(look.snapshot, carrier);
    let is_over = at
        .zip(over.taken_away(&places))
        .is_some_and(|(at, away)| away <= at);
    if !is_over || *asked >= ASKED {
        return is_over;
    }
    *asked += 1;
    work(look, &carriers.id(look.snapshot, carrier), (None, at)).is_empty()
}

/// Claims the complaints of a lost resource and the records of its loss. Returns the source and time of its last own
/// record before.
fn claim(
    look: &mut Context<'_>,
    carriers: &Instances,
    carrier: &Instance,
    event: EventId,
) -> (String, Option<i64>) {
    let (source, time) = last_own_word(look, carriers, carrier, look.time(event));
    for id in carriers.events(carrier) {
        let is_bad = look
            .snapshot
            .event(EventId(*id))
            .is_some_and(|e| e.level() >= Level::Warning && e.time() >= time);
        if is_bad {
            look.claimed.insert(*id);
        }
    }
    look.claimed.insert(event.0);
    (source, time)
}

fn one(
    look: &mut Context<'_>,
    carriers: &Instances,
    (carrier, event): (&Instance, EventId),
) -> Option<Loss> {
    let shown = look.snapshot.event(event)?;
    let id = carriers.id(look.snapshot, carrier);
    let at = shown.time();
    let (source, time) = claim(look, carriers, carrier, event);
    let work = work(look, &id, (time, at));
    for goal in work.iter().filter_map(|w| w.failed.clone()) {
        look.taken_along.entry(goal).or_insert(event);
    }
    let title = &carriers.entity.title;
    let number = carriers.short_name(look.snapshot, carrier);
    let is_made_good = work.iter().all(|w| w.ended_well || w.untold.is_some());
    let where_ = carriers.places(look.snapshot, carrier);
    let mut text = String::new();
    if let Some((time, at)) = time.zip(at) {
        text += &format!(
            "Its last own record is of {} ({source}); its loss was seen at {}. ",
            look.clock.text(time),
            look.clock.text(at)
        );
    }
    if !where_.is_empty() {
        text += &format!("It was at {}. ", format_places(&where_));
    }
    let unmatched = match work.is_empty() {
        true => lost_work::unmatched(look, &id, at),
        false => Vec::new(),
    };
    text += &lost_work::in_words(look, (&work[..], &unmatched[..]), (look.run_of(&shown), at));
    let outer = outer(look, &id, &where_, at);
    for (name, state, _) in &outer {
        text += &format!(" The {name}, in which it ran, ended as {state}.");
    }
    let mut evidence = vec![event];
    evidence.extend(outer.iter().map(|o| o.2));
    evidence.extend(work.iter().filter_map(|w| w.lost).take(EVIDENCE - 1));
    look.claimed.extend(evidence.iter().map(|e| e.0));
    let took = match work.len() {
        0 => String::new(),
        1 => format!(" with {}", work[0].goal),
        n => format!(" with {} and {} more", work[0].goal, n - 1),
    };
    let only = match &work[..] {
        [one] => Some((one.full.clone(), look.run_of(&shown))),
        _ => None,
    };
    let finding = Finding {
        text,
        events: work.iter().filter_map(|w| w.lost).collect(),
        evidence,
        count: 1 + work.len() as u64,
        first: at,
        next: format!(
            "Look at the last records of the {title}, at the output of the job that it ran in, and at its node: memory, \
             time limit, a kill."
        ),
        ..Finding::new(
            FindingKind::Lost,
            match is_made_good {
                true => Severity::Warning,
                false => Severity::Error,
            },
            format!("{title} {number} was lost{took}"),
        )
    };
    Some(Loss {
        finding,
        took: only,
        label: one_kind(&work),
        event,
    })
}

/// Label shared by all the lost work, if none of it succeeded.
fn one_kind(work: &[Work]) -> Option<String> {
    let label = work.first()?.label.as_ref()?;
    let is_same = |w: &Work| !w.ended_well && w.untold.is_none() && w.label.as_ref() == Some(label);
    work.iter().all(is_same).then(|| label.clone())
}

/// Whether a work item with another label ended.
fn has_other(look: &Context<'_>, label: &str) -> bool {
    look.found.work_items().any(|goals| {
        let mut other = goals.list.iter().filter(|goal| goal.label.is_some());
        other.any(|goal| {
            goals.label(look.snapshot, goal).as_deref() != Some(label)
                && goals.standing(look.snapshot, goal).end != InstanceEnd::Unfinished
        })
    })
}

/// Enclosing resources of a lost one that failed at about the same time: their names, states and events. They are
/// reported with it.
fn outer(
    look: &mut Context<'_>,
    id: &Id,
    places: &Id,
    at: Option<i64>,
) -> Vec<(String, String, EventId)> {
    let mut out = Vec::new();
    for carriers in look.found.resources() {
        for carrier in &carriers.list {
            let own = carriers.id(look.snapshot, carrier);
            // Place keys may be a part of the id: the last one must match and no common one may differ.
            let named = own.iter().filter(|p| places.iter().any(|q| q.0 == p.0));
            let fits = own
                .last()
                .is_some_and(|p| places.contains(p) && !id.contains(p))
                && { named }.all(|p| places.contains(p));
            let Some(change) = carriers.changes(carrier).last().filter(|_| fits) else {
                continue;
            };
            let Some(state) = carriers.states.get(usize::from(change.state)) else {
                continue;
            };
            let is_near =
                at.is_some_and(|at| change.time.abs_diff(at) < MAX_REPORT_LAG.unsigned_abs());
            if carriers.entity.failed_states.contains(state) && is_near {
                let name = format!(
                    "{} {}",
                    carriers.entity.title,
                    carriers.short_name(look.snapshot, carrier)
                );
                look.told.insert(change.event.0);
                out.push((name, state.clone(), change.event));
            }
        }
    }
    out
}

/// Last record that a resource wrote itself before it was lost: from a source whose path names the resource,
/// preferring a source that names nothing more specific.
fn last_own_word(
    look: &Context<'_>,
    carriers: &Instances,
    carrier: &Instance,
    before: Option<i64>,
) -> (String, Option<i64>) {
    let keys = carriers.id_keys(carrier);
    let events = carriers.events(carrier).iter().rev();
    let events = events.filter_map(|id| look.snapshot.event(EventId(*id)));
    let own = events.filter(|event| {
        let consts = &event.source().consts;
        let is_own = keys.iter().all(|k| consts.iter().any(|c| c.0 == *k));
        is_own && event.time().is_some() && event.time() <= before
    });
    // The last record of the source with the fewest constants; the iteration begins with the last record.
    let last = own.min_by_key(|event| event.source().consts.len());
    last.map_or((String::new(), None), |event| {
        (event.source().tag.clone(), event.time())
    })
}

/// Findings of resources that never registered, though others of their kind did or a log would report it, and of
/// resources that failed.
pub(crate) fn never_came(look: &mut Context<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    let over = EndedResources::new(look);
    for carriers in look.found.resources() {
        let title = carriers.entity.title.clone();
        let mut failed: FxHashMap<String, Vec<(String, EventId)>> = FxHashMap::default();
        for carrier in &carriers.list {
            let standing = carriers.standing(look.snapshot, carrier);
            let Some(state) = standing.state.map(usize::from) else {
                continue;
            };
            let Some(state) = carriers.states.get(state) else {
                continue;
            };
            let last = carriers.changes(carrier).last().map(|c| c.event);
            // Events that a hint explains are reported by the hint.
            let last = last.filter(|e| !look.told.contains(&e.0) && !look.explained.contains(&e.0));
            let number = carriers.short_name(look.snapshot, carrier);
            if let Some(event) = last.filter(|_| carriers.entity.failed_states.contains(state)) {
                failed
                    .entry(state.clone())
                    .or_default()
                    .push((number, event));
            }
        }
        let mut failed: Vec<_> = failed.into_iter().collect();
        failed.sort();
        for (state, list) in failed {
            let names: Vec<&str> = list.iter().take(8).map(|f| f.0.as_str()).collect();
            let went_well = |e: &(String, EventId)| {
                look.snapshot.event(e.1).is_some_and(|e| look.went_well(&e))
            };
            out.push(Finding {
                text: format!("{title} {}.", names.join(", ")),
                evidence: list.iter().take(EVIDENCE).map(|f| f.1).collect(),
                events: list.iter().map(|f| f.1).collect(),
                count: list.len() as u64,
                first: look.time(list[0].1),
                next: format!(
                    "Read what the {title}'s own script wrote: its standard output and error."
                ),
                ..Finding::new(
                    FindingKind::NeverCame,
                    match list.iter().all(went_well) {
                        true => Severity::Warning,
                        false => Severity::Error,
                    },
                    format!("{} ended as {state}", several(list.len(), &title)),
                )
            });
        }
        out.extend(unstarted(look, &over, carriers));
    }
    out
}

/// Maximum number of events of a resource that are examined to find its own log.
const LOOKED: usize = 100;

/// A resource requested this shortly before the end of its run had no time to connect, ns.
const COMING: i64 = 30_000_000_000;

fn came_at_the_end(look: &Context<'_>, event: EventId) -> bool {
    let Some(event) = look.snapshot.event(event) else {
        return false;
    };
    let run = look.run_of(&event).and_then(|r| look.hung.runs.get(r));
    let end = run.and_then(|run| match run.end_event {
        Some(end) => look.time(end),
        None => stop(look.snapshot, look.hung, run).map(|s| s.time),
    });
    let came = event.time();
    end.zip(came)
        .is_some_and(|(end, came)| end.saturating_sub(came) < COMING)
}

/// Resources known to have no record of their begin; for others the log that would hold it may be missing or
/// truncated.
fn known_to_be_silent<'i>(
    look: &mut Context<'_>,
    carriers: &Instances,
    silent: Vec<(&'i Instance, EventId)>,
) -> Vec<(&'i Instance, EventId)> {
    let mut untold: BTreeMap<Untold, Vec<&Instance>> = BTreeMap::new();
    let mut known = Vec::new();
    for one in silent {
        match missing_logs::of_begin(look, carriers, one, COMING) {
            Some(why) => untold.entry(why).or_default().push(one.0),
            None => known.push(one),
        }
    }
    for (why, which) in untold {
        let told = missing_logs::unconnected(look, carriers, &why, &which);
        look.untold.push(told);
    }
    known
}

fn unstarted(
    look: &mut Context<'_>,
    over: &EndedResources,
    carriers: &Instances,
) -> Option<Finding> {
    carriers.entity.start.as_ref()?;
    let snapshot = look.snapshot;
    // Kinds of sources named like the resource are its own.
    let recorded = [carriers.entity.title.as_str()];
    // Number of resources that each source names: a source that names a single one is its own log.
    let mut named: FxHashMap<u32, FxHashSet<usize>> = FxHashMap::default();
    for (at, carrier) in carriers.list.iter().enumerate() {
        for id in carriers.events(carrier).iter().take(LOOKED) {
            if let Some(event) = snapshot.event(EventId(*id)) {
                named.entry(event.source().id.0).or_default().insert(at);
            }
        }
    }
    let keys_own = |c: &Instance| {
        let keys = carriers.id_keys(c);
        let mut events = carriers.events(c).iter().take(LOOKED);
        events.find(|id| {
            snapshot.event(EventId(**id)).is_some_and(|e| {
                let source = e.source();
                keys.iter().all(|k| source.consts.iter().any(|x| x.0 == *k))
                    || named.get(&source.id.0).is_some_and(|n| n.len() == 1)
                        && recorded.contains(&&*source.kind)
            })
        })
    };
    // It wrote records, so it was alive although no log reports its begin.
    let silent: Vec<(&Instance, EventId)> = carriers
        .list
        .iter()
        .filter(|c| c.start.is_none())
        .filter_map(|c| Some((c, EventId(*keys_own(c)?))))
        .filter(|(_, event)| !came_at_the_end(look, *event))
        // Resources that were removed while they started are left out too.
        .filter(|(c, event)| {
            let away = over.taken_away(&carriers.places(look.snapshot, c));
            let came = look.time(*event);
            away.zip(came)
                .is_none_or(|(t, came)| t.saturating_sub(came) >= COMING)
        })
        .collect();
    let silent = known_to_be_silent(look, carriers, silent);
    let (first, event) = silent.first()?;
    let title = &carriers.entity.title;
    let known = carriers.list.len() - silent.len();
    let others = match (known, &carriers.entity.executor_logs) {
        // Resources whose log is missing are left out here.
        (0, Some(tellers)) => format!("No {title} registered: {} reports none.", tellers.files),
        (0, None) => format!("No {title} registered: the log that would show it may be missing."),
        (1, _) => "1 other of this data did.".to_owned(),
        (n, _) => format!("{n} others of this data did."),
    };
    Some(Finding {
        text: format!(
            "{title} {} wrote records of its own, but no log shows that it registered. {others}",
            carriers.short_name(snapshot, first)
        ),
        evidence: silent.iter().take(EVIDENCE).map(|s| s.1).chain([*event]).take(EVIDENCE).collect(),
        events: silent.iter().map(|s| s.1).collect(),
        count: silent.len() as u64,
        first: look.time(*event),
        next: "Can its node reach the address and ports it was told? Are both sides of the same version?".to_owned(),
        ..Finding::new(FindingKind::NeverCame, Severity::Warning, format!("{} never connected", several(silent.len(), title)))
    })
}
