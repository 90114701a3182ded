//! Findings of failed work items: dependents are counted under the item that failed first, similar failures are one finding.

mod findings;

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_core::words::cut;

use crate::findings::context::Context;
use crate::findings::failure_groups::{FailureGroup, one_cause};
use crate::findings::failure_reasons::{codes, why};
use crate::findings::finding::Finding;
use crate::findings::joint_failures::JointFailures;
use crate::findings::retries::retried;
use findings::{finding, others};

/// Maximum number of failed work items whose messages are read.
const READ: usize = 3_000;

/// Maximum number of kinds of failures with a finding each.
const TOLD: usize = 8;

/// Minimum length of a name in a line of output that is unlikely to mean anything else, bytes.
const LONG: usize = 8;
/// Minimum length of such a name as a whole value, bytes.
const SHORT: usize = 4;
/// Maximum number of names of failed work items that are kept.
const NAMES: usize = 10_000;

/// A failed work item.
pub(crate) struct Failed {
    /// Its index among the instances of its entity.
    pub(crate) at: usize,
    /// Event at which it failed.
    pub(crate) event: EventId,
    /// Root of its chain of failed dependencies: index among the failed items.
    because: Option<usize>,
    /// Events at which its dependents failed.
    pub(crate) folded: Vec<EventId>,
}

fn is_inconclusive(goals: &Instances, goal: &Instance) -> bool {
    let Some(recorder) = goals.reporter_of(goal) else {
        return false;
    };
    let changes = goals.changes_by(goal, recorder);
    let state = changes
        .last()
        .and_then(|c| goals.states.get(usize::from(c.state)));
    state.is_some_and(|s| goals.entity.inconclusive_states.contains(s))
}

/// Findings of all failed work items.
pub(crate) fn look(look: &mut Context<'_>) -> Option<Vec<Finding>> {
    let mut out = Vec::new();
    for goals in look.found.work_items() {
        if look.cancel.is_cancelled() {
            return None;
        }
        of_goals(look, goals, &mut out);
    }
    Some(out)
}

/// Event at which a work item failed, if it did.
pub(crate) fn failing_event(goals: &Instances, goal: &Instance) -> Option<EventId> {
    let recorder = goals.reporter_of(goal)?;
    let changes = goals.changes_by(goal, recorder);
    let last = goals.decisive_change(&changes)?;
    let state = goals.states.get(usize::from(last.state))?;
    goals
        .entity
        .failed_states
        .contains(state)
        .then_some(last.event)
}

fn of_goals(look: &mut Context<'_>, goals: &Instances, out: &mut Vec<Finding>) {
    let mut failed = failed_goals(look, goals);
    if failed.is_empty() {
        retried(look, goals, &[], out);
        return;
    }
    let mut good = Vec::new();
    let for_good: Vec<usize> = failed.iter().map(|f| f.at).collect();
    retried(look, goals, &for_good, &mut good);
    fold(look, goals, &mut failed);
    let mut groups = one_cause(alike(look, goals, &failed));
    groups.sort_by_key(|g| {
        let folded: usize = g.members.iter().map(|f| failed[*f].folded.len()).sum();
        std::cmp::Reverse(g.members.len() + folded)
    });
    tell_among(look, goals, &failed, &mut groups);
    let rest = groups.split_off(groups.len().min(TOLD));
    for mut group in groups {
        // The first failure is the one to examine.
        group.members.sort_by_key(|m| {
            let event = failed[*m].event;
            (look.time(event).unwrap_or(i64::MAX), *m)
        });
        out.push(finding(look, goals, &failed, &group));
    }
    out.extend(others(goals, &failed, &rest));
    out.extend(good);
}

/// Failed work items of an entity; notes their names.
fn failed_goals(look: &mut Context<'_>, goals: &Instances) -> Vec<Failed> {
    let mut failed: Vec<Failed> = Vec::new();
    for (at, goal) in goals.list.iter().enumerate() {
        let Some(event) = failing_event(goals, goal) else {
            continue;
        };
        let id = goals.id(look.snapshot, goal).pop();
        let name = id.map(|(_, name)| name);
        let is_name = |n: &&String| n.len() >= SHORT && !n.bytes().all(|b| b.is_ascii_digit());
        look.failed_ids.extend(name.iter().filter(is_name).cloned());
        look.failed_names
            .extend(name.filter(|n| n.len() >= LONG && failed.len() < NAMES));
        failed.push(Failed {
            at,
            event,
            because: None,
            folded: Vec::new(),
        });
    }
    failed
}

/// Assigns dependents that failed to the first failure of their chain.
fn fold(look: &mut Context<'_>, goals: &Instances, failed: &mut [Failed]) {
    let numbers = failed.iter().enumerate();
    let numbers: FxHashMap<usize, usize> = numbers.map(|(one, f)| (f.at, one)).collect();
    let index = goals.index();
    let together = JointFailures::of(look, goals, failed.iter().map(|f| (f.at, f.event)));
    let cause = |at: usize| {
        let mut waits = goals.dependencies(&index, &goals.list[at]).into_iter();
        let named = waits.find_map(|w| numbers.get(&w).copied().filter(|_| w != at));
        named.or_else(|| numbers.get(&together.cause(at)?).copied())
    };
    // Follows the chain to its root, with a limit on the steps because a chain may be a cycle.
    let causes: Vec<Option<usize>> = failed.iter().map(|f| cause(f.at)).collect();
    let root = |mut one: usize| {
        for _ in 0..failed.len() {
            match causes[one] {
                Some(next) => one = next,
                None => break,
            }
        }
        one
    };
    let roots: Vec<usize> = (0..failed.len()).map(root).collect();
    for (one, root) in roots.into_iter().enumerate() {
        let Failed { at, event, .. } = failed[one];
        look.claimed.insert(event.0);
        if root != one {
            failed[root].folded.push(event);
            failed[one].because = Some(root);
            claim_errors(look, goals, &goals.list[at]);
        }
    }
}

/// Groups of independent failures with the same reason. Work that a lost resource took along is reported with the
/// loss.
fn alike(look: &mut Context<'_>, goals: &Instances, failed: &[Failed]) -> Vec<FailureGroup> {
    let mut groups: Vec<FailureGroup> = Vec::new();
    let mut of: FxHashMap<(String, String, bool), usize> = FxHashMap::default();
    for (one, this) in failed.iter().enumerate().take(READ) {
        if this.because.is_some() {
            continue;
        }
        let goal = &goals.list[this.at];
        let label = goals.label(look.snapshot, goal).unwrap_or_default();
        let why = why(look, goals, goal, this.event);
        let taken_along = (goals.entity.name.clone(), this.at);
        if let Some(loss) = look.taken_along.get(&taken_along).copied() {
            // Dependents of lost work are reported with the loss too.
            let title = goals.entity.title.clone();
            let of = look.dependents.entry(loss);
            let (_, events) = of.or_insert_with(|| (title, Vec::new()));
            events.extend(&this.folded);
            continue;
        }
        // Numbers in the message do not distinguish reasons, but exit codes do.
        let codes = codes(look, goals, goal, this.event);
        let kind: String = why.chars().filter(|c| !c.is_ascii_digit()).collect();
        let kind = codes + &kind;
        let is_unsure = is_inconclusive(goals, goal);
        let at = *of
            .entry((label.clone(), cut(&kind, 60), is_unsure))
            .or_insert_with(|| {
                groups.push(FailureGroup {
                    members: Vec::new(),
                    label,
                    why: why.clone(),
                    others: Vec::new(),
                    is_unsure,
                });
                groups.len() - 1
            });
        groups[at].add(one, why);
    }
    groups
}

/// Restricts each group to members that have, or whose dependents have, a record in the selection; a group without any
/// is left out and counted.
fn tell_among(
    look: &Context<'_>,
    goals: &Instances,
    failed: &[Failed],
    groups: &mut [FailureGroup],
) {
    let Some(among) = look.among else {
        return;
    };
    let is_meant = |event: EventId| {
        let mut copies = look.snapshot.duplicates.group(event.0);
        copies.any(|id| among.contains(EventId(id)))
    };
    let own = goals.having_event(is_meant);
    let is_told = |one: &usize| {
        let one = &failed[*one];
        own[one.at] || one.folded.iter().any(|event| is_meant(*event))
    };
    for group in groups {
        if group.members.iter().any(is_told) {
            group.members.retain(is_told);
        }
    }
}

/// Claims the errors of a dependent that failed: they are reported with its cause.
fn claim_errors(look: &mut Context<'_>, goals: &Instances, goal: &Instance) {
    for id in goals.events(goal) {
        let level = look.snapshot.event(EventId(*id)).map(|e| e.level());
        if level >= Some(Level::Error) {
            look.claimed.insert(*id);
        }
    }
}
