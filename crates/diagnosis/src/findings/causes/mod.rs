//! Causes and effects among findings: an effect is merged into the finding of its cause.
//!
//! ```text
//! definitions: hints that name other hints as their causes             follows, holds_up
//! records:     shared with the cause, from a lost resource, or in the failed work item's own output
//! exceptions:  the same one, or one that quotes it                     reasons
//! times:       a wait that timed out, for a resource that was lost then; records that always follow others at once
//! ```

mod coincidence;
pub(crate) mod error_groups;
pub(crate) mod exceptions;
pub(crate) mod held_work;
pub(crate) mod interrupts;
pub(crate) mod lost_resources;
pub(crate) mod timeouts;
mod vocabulary;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfinished::missed_peers::Silent;
use widetui_core::ids::EventId;
use widetui_definition::semantics::Severity;

use crate::findings::context::Context;
use crate::findings::finding::{EVIDENCE, Finding, FindingKind, Relation};
use crate::findings::hints::{Hint, causes};
use exceptions::Reasons;
use lost_resources::Broken;

/// Maximum number of records of each effect that are added to the evidence.
const SHOWN: usize = 2;
/// Maximum number of evidence records, effects included.
const MOST_SHOWN: usize = EVIDENCE + 4;

/// Merges each finding into the finding of its cause.
pub(crate) fn fold(look: &mut Context<'_>, hints: &[Hint], findings: &mut Vec<Finding>) {
    held_work::split(look, hints, findings);
    error_groups::split(look, findings);
    let reasons = findings.iter().map(|f| Reasons::of(look, f)).collect();
    let failing = failing(look, findings);
    look.note_goals(failing.into_iter());
    let family = Family {
        carriers: carriers(look, findings),
        broken: Broken::of(look),
        reasons,
        look,
        hints,
        findings,
    };
    let edges: Vec<Option<Edge>> = (0..findings.len()).map(|at| family.cause(at)).collect();
    let causes: Vec<Option<usize>> = edges
        .iter()
        .map(|edge| Some(edge.as_ref()?.cause))
        .collect();
    // An interrupt is no cause of what came before it, whatever lies between.
    let may_be = |at: usize, cause: usize| {
        let (own, cause) = (&findings[at], &findings[cause]);
        cause.kind != FindingKind::Interrupted || interrupts::is_effect(look, own, cause)
    };
    let roots = (0..findings.len()).map(|at| root(&causes, at, may_be));
    let roots: Vec<usize> = roots.collect();
    let mut below: Vec<Vec<Finding>> = vec![Vec::new(); findings.len()];
    for (at, root) in roots.iter().enumerate().filter(|(at, root)| at != *root) {
        below[*root].push(Finding {
            relation: edges[at].as_ref().map(|edge| edge.relation),
            ..findings[at].clone()
        });
    }
    for (finding, mut below) in findings.iter_mut().zip(below) {
        below.sort_by_key(|f| (f.first.is_none(), f.first, f.kind));
        add_effects(look, finding, below);
    }
    let mut kept = roots.iter().enumerate().map(|(at, root)| at == *root);
    findings.retain(|_| kept.next().unwrap_or(true));
}

/// Root of a chain of causes, as far as it may be the cause. A finding in a cycle is its own root.
fn root(causes: &[Option<usize>], at: usize, may_be: impl Fn(usize, usize) -> bool) -> usize {
    let mut seen = vec![at];
    let mut last = at;
    while let Some(next) = causes.get(last).copied().flatten() {
        if !may_be(at, next) {
            return last;
        }
        if seen.contains(&next) {
            return at;
        }
        seen.push(next);
        last = next;
    }
    last
}

/// Events at which work items failed; used to look up other records of these items.
fn failing(look: &Context<'_>, findings: &[Finding]) -> Vec<u32> {
    let failures = findings.iter().filter(|f| f.kind == FindingKind::Failures);
    let events = failures.flat_map(|f| &f.events);
    let own = events.filter(|e| look.why_at.contains_key(e));
    own.map(|e| e.0).collect()
}

/// Records of the lost resources, by index of the finding.
fn carriers(look: &Context<'_>, findings: &[Finding]) -> FxHashMap<usize, FxHashSet<u32>> {
    let lost = findings.iter().enumerate();
    let lost: Vec<(usize, &Finding)> = lost.filter(|(_, f)| f.kind == FindingKind::Lost).collect();
    let mut out: FxHashMap<usize, FxHashSet<u32>> = FxHashMap::default();
    if lost.is_empty() {
        return out;
    }
    for carriers in look.found.resources() {
        for (carrier, event) in carriers.losses() {
            let tells = |f: &&(usize, &Finding)| f.1.evidence.contains(&event);
            if let Some((at, _)) = lost.iter().find(tells) {
                let own = out.entry(*at).or_default();
                own.extend(carriers.events(carrier).iter().copied());
            }
        }
    }
    out
}

/// Edge of the graph of causes, from an effect to its cause.
struct Edge {
    /// Index of the finding that is the cause.
    cause: usize,
    relation: Relation,
}

/// All findings, and the lookup data that decides which share a cause.
struct Family<'f, 'l> {
    look: &'f Context<'l>,
    hints: &'f [Hint],
    findings: &'f [Finding],
    reasons: Vec<Reasons>,
    carriers: FxHashMap<usize, FxHashSet<u32>>,
    broken: Broken,
}

impl Family<'_, '_> {
    /// Relations between two findings, the surest ones first: true if the second finding is the cause of the first one.
    #[expect(clippy::type_complexity, reason = "a table of functions")]
    const RELATIONS: [(Relation, fn(&Self, usize, usize) -> bool); 16] = [
        (Relation::Interrupt, Self::interrupted),
        (Relation::Process, Self::process_killed),
        (Relation::Resource, Self::went_with_owner),
        (Relation::Resource, Self::held_up),
        (Relation::Records, Self::same_records),
        (Relation::Resource, Self::of_lost),
        (Relation::Output, Self::own_output),
        (Relation::Resource, Self::broke_with_place),
        (Relation::Resource, Self::at_silent),
        (Relation::Resource, Self::silent_at),
        (Relation::Definition, Self::raised),
        (Relation::Exception, Self::same_reason),
        (Relation::Exception, Self::described),
        (Relation::TimeOut, Self::timed_out),
        (Relation::Attempt, Self::gave_up),
        (Relation::Time, Self::coincides),
    ];

    /// Cause of finding `at`, by the surest relation that it has to another one.
    fn cause(&self, at: usize) -> Option<Edge> {
        let others = || (0..self.findings.len()).filter(|other| *other != at);
        // Prefers the cause that the definition lists first, then the nearest one.
        let named = others().filter_map(|other| Some((self.follows(at, other)?, other)));
        if let Some((_, cause)) = named.min() {
            return Some(Edge {
                cause,
                relation: Relation::Definition,
            });
        }
        Self::RELATIONS.iter().find_map(|(relation, is_cause)| {
            let cause = others().find(|other| is_cause(self, at, *other))?;
            Some(Edge {
                cause,
                relation: *relation,
            })
        })
    }

    /// Hint behind a finding.
    fn hint(&self, at: usize) -> Option<&Hint> {
        hint_of(self.look, self.hints, self.findings.get(at)?)
    }

    /// Records that show the hint of a finding, including those of findings merged into it.
    fn told(&self, at: usize) -> Vec<EventId> {
        let finding = &self.findings[at];
        let hint = |event: &EventId| self.look.hint_at.get(event);
        let own = finding.evidence.first().and_then(hint);
        let events = finding.events.iter().filter(|e| hint(e) == own);
        events.copied().collect()
    }

    /// Rank of `other` among the causes that the definition of this hint names, and the distance to it, if it came
    /// first. A less severe hint can only lead to this one.
    fn follows(&self, at: usize, other: usize) -> Option<(usize, i64)> {
        let (own, cause) = self.hint(at).zip(self.hint(other))?;
        let place = own.follows.iter().position(|name| *name == cause.name)?;
        let (events, others) = (self.told(at), self.told(other));
        if let Some(comes) = causes::comes_of(self.look, (own, &events), (cause, &others)) {
            return comes.map(|far| (place, far));
        }
        let (this, that) = (&self.findings[at], &self.findings[other]);
        let led_to_it = this.severity < that.severity;
        let is_known_later = { self.first(other).zip(self.last(at)) }.is_some_and(|(a, b)| a > b);
        let is_before = led_to_it || !is_known_later;
        (is_before && self.is_of_one_run(at, other)).then_some((place, 0))
    }

    /// Whether the user's interrupt, the other finding, brought this one about.
    fn interrupted(&self, at: usize, other: usize) -> bool {
        interrupts::is_effect(self.look, &self.findings[at], &self.findings[other])
    }

    /// Whether `other` reports the reason why all the unfinished work is blocked.
    fn held_up(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let stuck = || held_work::stuck_of(self.look, own);
        own.kind == FindingKind::Hung && held_work::holds(self.look, self.hints, that, &stuck())
    }

    /// Whether a missing peer stopped together with the owner of its run, whose stop is the other finding.
    fn went_with_owner(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let hint = self
            .hint(at)
            .filter(|_| that.kind == FindingKind::AbruptEnd);
        let silent = hint.and_then(|hint| held_work::silent(self.look, hint, own));
        // Runs that stopped in the same way share a finding.
        let runs = |f: &Finding| held_work::runs(self.look, &f.events);
        let is_of_these = || {
            let of = runs(that);
            runs(own).iter().all(|run| of.contains(run))
        };
        silent == Some(Silent::WithOwner) && is_of_these()
    }

    /// True if the finding reports that a program gave up after the failed attempt of the other finding.
    fn gave_up(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let mut attempts = own.events.iter().filter_map(|e| self.look.attempts.get(e));
        is_remark(own.kind)
            && that.severity > Severity::Info
            && is_remark(that.kind)
            && attempts.any(|attempt| that.events.contains(attempt))
    }

    /// True if the records of the finding always follow those of the other one at once.
    fn coincides(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        is_remark(own.kind)
            && is_remark(that.kind)
            && that.severity > Severity::Info
            && coincidence::follows(self.look, own, that)
    }

    /// Whether all its records are among those of a finding with more records.
    fn same_records(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        let all = |f: &Finding| f.events.iter().chain(&f.evidence).count();
        let is_in = |e: &EventId| that.events.contains(e) || that.evidence.contains(e);
        // A hint that is the shown reason of a failure stays a finding.
        let is_reason = own.kind == FindingKind::Hint && that.kind == FindingKind::Failures;
        is_remark(own.kind)
            && !is_reason
            && !own.evidence.is_empty()
            && own.severity <= that.severity
            && (all(own), at) < (all(that), other)
            && own.events.iter().chain(&own.evidence).all(is_in)
    }

    /// Whether all its records come from resources whose loss the other finding reports.
    fn of_lost(&self, at: usize, other: usize) -> bool {
        let own = &self.findings[at];
        let Some(records) = self.carriers.get(&other) else {
            return false;
        };
        let is_said = |e: &EventId| records.contains(&e.0);
        own.kind == FindingKind::Hint
            && !own.events.is_empty()
            && self.first(other) <= self.first(at)
            && own.events.iter().all(is_said)
    }

    /// Whether the output of each failed work item contains the message of the hint.
    fn own_output(&self, at: usize, other: usize) -> bool {
        let (own, hint) = (&self.findings[at], &self.findings[other]);
        let is_cause = hint.kind == FindingKind::Hint && hint.severity > Severity::Info;
        if own.kind != FindingKind::Failures || !is_cause || self.last(other) > self.last(at) {
            return false;
        }
        let known: FxHashSet<u32> = hint.events.iter().map(|e| e.0).collect();
        // Failed dependents have no reason of their own.
        let failed = own.events.iter();
        let mut failed = failed
            .filter(|e| self.look.why_at.contains_key(e))
            .peekable();
        let says_it = |event: &EventId| {
            let goal = self.look.goal_of.get(&event.0);
            let goal = goal.and_then(|number| self.look.goal(*number));
            goal.is_some_and(|(goals, goal)| {
                let mut records = goals.events(goal).iter();
                records.any(|id| known.contains(id))
            })
        };
        failed.peek().is_some() && failed.all(says_it)
    }

    /// Whether work failed with an exception that the hint is known to raise.
    fn raised(&self, at: usize, other: usize) -> bool {
        let own = &self.findings[at];
        let Some(hint) = self.hint(other).filter(|hint| !hint.raises.is_empty()) else {
            return false;
        };
        own.kind == FindingKind::Failures
            && self.first(other) <= self.last(at)
            && (self.is_of_one_run(at, other) || self.run(other).is_none())
            && self.reasons[at].are_of(&hint.raises)
    }

    /// Whether its exception is that of the other finding, or quotes it.
    fn same_reason(&self, at: usize, other: usize) -> bool {
        let (own, that) = (&self.findings[at], &self.findings[other]);
        // A loss is independent of any exception that its owner raises for it.
        let is_loss = own.kind == FindingKind::Lost;
        if is_loss || !tells_reason(own.kind) || !tells_reason(that.kind) {
            return false;
        }
        let (of_own, of_other) = (&self.reasons[at], &self.reasons[other]);
        let both = [own.kind, that.kind];
        let is_earlier = (self.first(other), other) < (self.first(at), at);
        match both {
            // Two kinds of work that fail in the same way are two findings.
            [FindingKind::Failures, FindingKind::Failures] => is_earlier && of_own.quotes(of_other),
            [a, b] if rank(a) > rank(b) => of_own.come_of(of_other),
            [a, b] if rank(a) == rank(b) => is_earlier && of_own.come_of(of_other),
            _ => is_earlier && of_own.quotes(of_other) && !of_other.quotes(of_own),
        }
    }

    fn is_of_one_run(&self, at: usize, other: usize) -> bool {
        self.run(at) == self.run(other)
    }

    /// Run of the first record of a finding.
    fn run(&self, at: usize) -> Option<usize> {
        let finding = &self.findings[at];
        let first = finding.evidence.first().or(finding.events.first())?;
        self.look.run_of(&self.look.snapshot.event(*first)?)
    }

    /// First time of finding `at`, UTC ns.
    fn first(&self, at: usize) -> Option<i64> {
        let times = self.times(at).min();
        self.findings[at].first.into_iter().chain(times).min()
    }

    /// Last time of finding `at`, UTC ns.
    fn last(&self, at: usize) -> Option<i64> {
        self.times(at).max().max(self.findings[at].first)
    }

    fn times(&self, at: usize) -> impl Iterator<Item = i64> {
        let finding = &self.findings[at];
        let events = finding.evidence.iter().chain(&finding.events);
        events.filter_map(|e| self.look.time(*e))
    }
}

/// Hint behind a finding.
fn hint_of<'h>(look: &Context<'_>, hints: &'h [Hint], finding: &Finding) -> Option<&'h Hint> {
    let is_hint = finding.kind == FindingKind::Hint;
    let first = finding.evidence.first().filter(|_| is_hint)?;
    hints.get(*look.hint_at.get(first)?)
}

/// Whether findings of this kind only repeat a record.
fn is_remark(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::Hint | FindingKind::Exception | FindingKind::Errors
    )
}

/// Whether findings of this kind may hold the exception that others report.
fn tells_reason(kind: FindingKind) -> bool {
    is_remark(kind) || matches!(kind, FindingKind::Failures | FindingKind::Lost)
}

/// Rank by how specific a kind is about a shared reason; the smaller one is the cause.
fn rank(kind: FindingKind) -> usize {
    match kind {
        FindingKind::Lost => 0,
        FindingKind::Hint => 1,
        FindingKind::Failures => 2,
        FindingKind::Exception => 3,
        _ => 4,
    }
}

/// Adds effects to a finding, with some of their evidence and their severity.
fn add_effects(look: &Context<'_>, finding: &mut Finding, effects: Vec<Finding>) {
    for mut other in effects {
        // An error about the missing owner of a run says nothing about why the owner stopped; what the user stopped is no
        // error.
        let limit = match finding.kind {
            FindingKind::AbruptEnd => finding.severity,
            FindingKind::Interrupted => Severity::Warning,
            _ => Severity::Error,
        };
        finding.severity = finding.severity.max(other.severity.min(limit));
        let room = MOST_SHOWN.saturating_sub(finding.evidence.len()).min(SHOWN);
        let new = { other.evidence.iter() }.filter(|e| !finding.evidence.contains(e));
        let new: Vec<EventId> = new.take(room).copied().collect();
        let tag = other.evidence.first().map(|e| look.tag(*e));
        finding.evidence.extend(new);
        finding.events.append(&mut other.events);
        finding.events.append(&mut other.evidence);
        // Indirect effects move along, or they would not be reported at all.
        let indirect = std::mem::take(&mut other.effects);
        if finding.is_retry_unknown() && other.kind == FindingKind::Exception {
            finding.set_retry_failed(&tag.unwrap_or_default());
        } else {
            finding.effects.push(other);
        }
        finding.effects.extend(indirect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_ends_at_its_first_and_a_circle_is_none() {
        let causes = [Some(1), Some(2), None, Some(4), Some(3), Some(3)];
        let roots: Vec<usize> = { 0..causes.len() }
            .map(|at| root(&causes, at, |_, _| true))
            .collect();
        assert_eq!(roots, [2, 2, 2, 3, 4, 5]);
        assert_eq!(root(&causes, 0, |at, cause| (at, cause) != (0, 2)), 1);
    }
}
