//! Work that a lost resource took along: its unfinished attempts, the work items that failed with it, and their dependents.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfinished::model::UnfinishedItem;
use widetui_analysis::entity::Id;
use widetui_analysis::entity::{Instance, InstanceEnd, Instances};
use widetui_core::dict::Code;
use widetui_core::ids::EventId;
use widetui_core::words::several;
use widetui_definition::semantics::EntityRole;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind};
use crate::findings::missing_logs;
use crate::findings::missing_logs::Untold;

/// Maximum time by which the owner of work may report its loss before the loss of the resource is reported, ns.
const MAX_REPORT_LEAD: i64 = 1_000_000_000;
/// Maximum time by which the owner of work may report its loss after the loss of the resource, ns.
pub(crate) const MAX_REPORT_LAG: i64 = 60_000_000_000;

/// Work on a resource: an attempt that was unfinished when the resource was lost.
pub(crate) struct Work {
    /// Name of its work item: `task 24`.
    pub(crate) goal: String,
    /// Name with label: `task 24 (wait_for_file)`.
    pub(crate) full: String,
    /// Label, such as the name of the app.
    pub(crate) label: Option<String>,
    /// Whether the work item succeeded in the end.
    pub(crate) ended_well: bool,
    /// Reason why its result is not known.
    pub(crate) untold: Option<Untold>,
    pub(crate) lost: Option<EventId>,
    /// Entity and index of the work item, if it failed without a later attempt.
    pub(crate) failed: Option<(String, usize)>,
}

/// Attempts that were unfinished on a resource when it was lost: after its last own record (UTC ns), because the loss
/// is detected later.
pub(crate) fn work(
    look: &Context<'_>,
    carrier: &Id,
    (last_word, at): (Option<i64>, Option<i64>),
) -> Vec<Work> {
    let Some(at) = at else {
        return Vec::new();
    };
    let snapshot = look.snapshot;
    let mut out = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    for goals in look.found.work_items() {
        let goal_of: FxHashMap<_, usize> = { goals.list.iter().enumerate() }
            .map(|(at, g)| ((goals.id_keys(g), &g.id[..]), at))
            .collect();
        for tries in look.found.occurring.iter().filter(|i| extends(i, goals)) {
            let last = last_tries(tries);
            for (number, attempt) in tries.list.iter().enumerate() {
                if !was_open(look, tries, attempt, (last_word, at)) {
                    continue;
                }
                let places = tries.places(snapshot, attempt);
                if !carrier.iter().all(|p| places.contains(p)) {
                    continue;
                }
                let keys = tries.id_keys(attempt);
                let n = keys.len().saturating_sub(1);
                let Some(goal) = goal_of.get(&(&keys[..n], &attempt.id[..n])) else {
                    continue;
                };
                let is_last = last.get(&attempt.id[..n]) == Some(&number);
                let work = Work::of(look, goals, *goal, (attempt, is_last));
                if seen.insert(work.goal.clone()) {
                    out.push(work);
                }
            }
        }
    }
    out
}

/// Whether instances are attempts of work items: their id extends the id of a work item.
fn extends(tries: &Instances, goals: &Instances) -> bool {
    let is_part = |of_goal: &Vec<String>, of_try: &Vec<String>| {
        of_goal.len() < of_try.len() && of_try.starts_with(of_goal)
    };
    let extends = |id: &Vec<String>| goals.entity.id.iter().any(|of_goal| is_part(of_goal, id));
    tries.entity.start.is_some()
        && !tries.entity.is_work_item()
        && tries.entity.id.iter().any(extends)
}

/// Whether an attempt was unfinished when its resource was lost, after the last own record of the resource (UTC ns).
/// Includes attempts that the resource completed without delivering the result.
fn was_open(
    look: &Context<'_>,
    tries: &Instances,
    attempt: &Instance,
    (last_word, at): (Option<i64>, i64),
) -> bool {
    let standing = tries.standing(look.snapshot, attempt);
    // An attempt that was sent but not begun is lost too.
    let there = standing.start.or(attempt.range.map(|r| r.0));
    let told = attempt.lost.and_then(|e| look.time(e));
    let window = at.saturating_sub(MAX_REPORT_LEAD)..at.saturating_add(MAX_REPORT_LAG);
    // The owner gave it up after the resource's last record and before the loss was detected.
    let given_up = |t: i64| last_word.is_some_and(|w| w < t && t < at);
    there.is_some_and(|s| s <= at)
        && match (standing.end, told) {
            // The owner has a result from before the loss was detected, so the completed attempt had been delivered.
            (InstanceEnd::Ended(done), Some(t)) if done <= at => {
                t >= at && window.contains(&t) || t < done && given_up(t)
            }
            (InstanceEnd::Lost(_), Some(t)) if standing.start.is_some() => {
                window.contains(&t) || given_up(t)
            }
            (_, Some(t)) => window.contains(&t),
            (InstanceEnd::Unfinished, _) => standing.start.is_some(),
            (InstanceEnd::Ended(t) | InstanceEnd::Lost(t), _) => t > at && standing.start.is_some(),
        }
}

impl Work {
    /// Describes an attempt of a work item, and whether it was the last one.
    fn of(
        look: &Context<'_>,
        goals: &Instances,
        at: usize,
        (attempt, is_last): (&Instance, bool),
    ) -> Work {
        let snapshot = look.snapshot;
        let goal = &goals.list[at];
        let standing = goals.standing(snapshot, goal);
        let is_failed = standing.state.is_some_and(|s| goals.is_failure(s));
        let name = format!(
            "{} {}",
            goals.entity.title,
            goals.short_name(snapshot, goal)
        );
        let label = goals.label(snapshot, goal).filter(|l| !l.is_empty());
        Work {
            full: match &label {
                Some(label) => format!("{name} ({label})"),
                None => name.clone(),
            },
            label,
            goal: name,
            ended_well: standing.is_final && !is_failed,
            untold: untold(look, goals, at),
            lost: attempt.lost,
            failed: (is_failed && is_last && attempt.lost.is_some())
                .then(|| (goals.entity.name.clone(), at)),
        }
    }
}

/// Maximum number of attempts listed by name.
const NAMED: usize = 8;

/// Reason why the end of a work item is unknown: the log that would report it is truncated.
fn untold(look: &Context<'_>, goals: &Instances, at: usize) -> Option<Untold> {
    let is_it = |s: &&UnfinishedItem| s.instance == at && s.entity == goals.entity.name;
    let stuck = look.hung.stuck.iter().find(is_it)?;
    let (tag, last) = stuck.known.cut.clone()?;
    Some(Untold::Cut(tag, last))
}

/// Work that a resource had when it was lost (UTC ns), by the numbers that its processes use, for logs that do not state
/// which work items these are.
pub(crate) fn unmatched(look: &Context<'_>, carrier: &Id, at: Option<i64>) -> Vec<String> {
    let Some(at) = at else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let is_stand_in = |all: &&Instances| all.entity.role == EntityRole::StandIn;
    for all in look.found.occurring.iter().filter(is_stand_in) {
        for instance in &all.list {
            let places = all.places(look.snapshot, instance);
            let standing = all.standing(look.snapshot, instance);
            let is_before = instance.range.is_some_and(|range| range.0 <= at);
            let is_over = standing.end.time().is_some_and(|end| end <= at);
            if is_over || !is_before || !carrier.iter().all(|part| places.contains(part)) {
                continue;
            }
            let state = match standing.start {
                Some(_) => "begun there",
                None => "not begun",
            };
            let name = all.short_name(look.snapshot, instance);
            out.push(format!("{} {name} ({state})", all.entity.title));
        }
    }
    out.truncate(NAMED);
    out
}

/// Describes the work that a resource lost at a time (UTC ns) took along, and its results. `unmatched` describes work
/// without a known work item.
pub(crate) fn in_words(
    look: &Context<'_>,
    (work, unmatched): (&[Work], &[String]),
    (run, at): (Option<usize>, Option<i64>),
) -> String {
    let named = |wanted: &dyn Fn(&Work) -> bool| {
        let all = work.iter().filter(|w| wanted(w));
        let names: Vec<&str> = all.clone().take(NAMED).map(|w| w.full.as_str()).collect();
        let more = if all.count() > NAMED { " ..." } else { "" };
        format!("{}{more}", names.join(", "))
    };
    let all = named(&|_| true);
    let well = work.iter().filter(|w| w.ended_well).count();
    let untold = work
        .iter()
        .filter_map(|w| w.untold.as_ref())
        .collect::<Vec<_>>();
    if let Some(why) = untold.first() {
        let teller = why.teller(look);
        let badly = |w: &Work| !w.ended_well && w.untold.is_none();
        let bad = match work.iter().any(badly) {
            true => format!("; failed: {}", named(&badly)),
            false => String::new(),
        };
        let rest = match untold.len() == work.len() {
            true if work.len() == 1 => "that".to_owned(),
            true => "they".to_owned(),
            false => named(&|w| w.untold.is_some()),
        };
        return format!("It took along {all}{bad}. Only {teller} would show how {rest} ended.");
    }
    match (work.len(), well) {
        (0, _) => match missing_logs::of_work(look, run, at) {
            Some(why) => format!("Only {} would show what it took along.", why.teller(look)),
            None if !unmatched.is_empty() => format!("It had {}.", unmatched.join(", ")),
            None => format!(
                "No {} could be matched to it.",
                look.hung.goals.first().map_or("work", |g| &*g.title)
            ),
        },
        (1, 0) => format!("It took along {all}, which failed."),
        (1, _) => format!("It took along {all}, which succeeded later."),
        (_, 0) => format!("It took along {all}: none of them succeeded."),
        (n, well) if n == well => format!("It took along {all}: all of them succeeded later."),
        _ => format!(
            "It took along {all}; failed: {}.",
            named(&|w| !w.ended_well)
        ),
    }
}

/// Index of the attempt that began last, by id of its work item.
fn last_tries(tries: &Instances) -> FxHashMap<&[Code], usize> {
    let mut last: FxHashMap<&[Code], usize> = FxHashMap::default();
    for (number, attempt) in tries.list.iter().enumerate() {
        let goal = &attempt.id[..attempt.id.len().saturating_sub(1)];
        let known = last.entry(goal).or_insert(number);
        if tries.list[*known].range < attempt.range {
            *known = number;
        }
    }
    last
}

/// Adds the dependents that failed with the lost work to the findings of lost resources.
pub(crate) fn tell_dependents(look: &Context<'_>, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|f| f.kind == FindingKind::Lost) {
        // A finding of several losses reports the loss of the last attempt.
        let mut losses = finding.evidence.iter().chain(&finding.events);
        let told = losses.find_map(|loss| look.dependents.get(loss));
        let Some((title, events)) = told.filter(|(_, events)| !events.is_empty()) else {
            continue;
        };
        finding.text += &format!(
            " {} failed only because of that.",
            several(events.len(), title)
        );
        finding.evidence.truncate(EVIDENCE - 1);
        finding.evidence.push(events[0]);
        finding.events.extend(events);
        finding.count += events.len() as u64;
    }
}
