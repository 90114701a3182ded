//! Scores of facts as causes, and their severity.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_definition::semantics::Severity;

use crate::actors::Records;
use crate::data::Data;
use crate::facts::{Fact, Statement, UNRELATED_LIMIT, ended_well, ends_with_failure};
use crate::graph::{Graph, Kind};

/// Least score of a root that is reported.
const LEAST: f64 = -2.5;
/// Least probability by which an effect goes with its cause.
const EXPLAINED: f64 = 0.45;
/// Most roots; facts that definitions know count apart.
const MOST: usize = 12;
/// Most roots that definitions know.
const MOST_KNOWN: usize = 30;

/// Fact with what it explains.
#[derive(Clone, Debug)]
pub struct Root {
    /// Index of the fact.
    pub fact: usize,
    /// Score.
    pub score: f64,
    /// Severity, from the outcomes that it explains.
    pub severity: Severity,
    /// Indices of the facts that it explains, the surest first.
    pub effects: Vec<usize>,
    /// Fact that probably explains it, with the kind of the edge.
    pub cause: Option<(usize, Kind)>,
}

/// Outcome of the work that definitions know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No work is known.
    Unknown,
    /// All work succeeded.
    Succeeded,
    /// Some failed or did not end.
    Bad,
}

/// Scores all facts and returns the roots, the best first.
pub fn roots(records: &Records, graph: &Graph, outcome: Outcome) -> Vec<Root> {
    let reach = graph.reach();
    let facts = &graph.facts;
    let (first, last) = records.range();
    let data = Data::get();
    // Each outcome is shared between the facts that explain it.
    let mut total = vec![0.0; facts.len()];
    for own in &reach {
        own.iter().for_each(|(to, p)| total[*to] += p);
    }
    let mut into: Vec<Vec<(usize, f64, Kind)>> = vec![Vec::new(); facts.len()];
    for (from, edges) in graph.edges.iter().enumerate() {
        edges
            .iter()
            .for_each(|e| into[e.to].push((from, e.weight, e.kind)));
    }
    let weight_to = |from: usize, to: usize| {
        graph.edges[from]
            .iter()
            .find(|e| e.to == to)
            .map_or(0.0, |e| e.weight)
    };
    // Where outcomes of work are known, a symptom that explains none of them is beside the point.
    let outcomes: Vec<usize> = { facts.iter().enumerate() }
        .filter(|(_, f)| f.statement.is_outcome() && stays_bad(f))
        .map(|(at, _)| at)
        .collect();
    let is_unrelated = |i: usize| {
        let f = &facts[i];
        let explains = |o: &usize| reach[i].get(o).is_some_and(|p| *p >= RELATED);
        f.statement.is_symptom() && !outcomes.is_empty() && !outcomes.iter().any(explains)
    };
    let mut scores = Vec::with_capacity(facts.len());
    for (i, f) in facts.iter().enumerate() {
        let explains: f64 = reach[i]
            .iter()
            .filter(|(j, _)| facts[**j].is_bad)
            .map(|(j, p)| {
                let b = &facts[*j];
                let share = p * p / p.max(total[*j]);
                share * (1.0 + f64::from(b.count.max(1)).ln()) * b.strength * (1.0 - b.recovered)
            })
            .sum();
        let by = into[i].iter().filter(|(k, p, _)| weight_to(i, *k) < *p);
        let unexplained: f64 = by
            .map(|(k, p, _)| 1.0 - p * (facts[*k].strength / f.strength).min(1.0))
            .product();
        let early = match f.time {
            Some(t) if last > first => 1.0 - (t - first) / (last - first),
            _ => 0.5,
        };
        let score = data.kind(f.statement.name())
            + data.feature("strength") * f.strength.ln()
            + data.feature("explains") * explains.ln_1p()
            + data.feature("early") * early
            + data.feature("explained") * (1.0 - unexplained)
            + data.feature("recovered") * f.recovered
            + data.feature("unrelated") * f64::from(u8::from(is_unrelated(i)));
        scores.push(score);
    }
    let well = match outcome {
        Outcome::Bad => false,
        Outcome::Succeeded => !ends_with_failure(records),
        Outcome::Unknown => ended_well(records),
    };
    let mut out = chosen(graph, &reach, &scores, &into, well);
    for root in &mut out {
        // Work that waits is slow, too, and who waits repeats what it does.
        let waits = matches!(
            facts[root.fact].statement,
            Statement::Slow { .. } | Statement::Absent { .. } | Statement::Restarts { .. }
        );
        if is_unrelated(root.fact) && (waits || root.score < DEMOTED) {
            root.severity = Severity::Info;
        }
    }
    out.sort_by_key(|r| r.severity == Severity::Info);
    let mut symptoms = 0;
    out.retain(|r| {
        let is_aside = r.severity == Severity::Info && facts[r.fact].statement.is_symptom();
        symptoms += u32::from(is_aside);
        !is_aside || symptoms <= MOST_SYMPTOMS
    });
    out
}

/// Most symptoms for information.
const MOST_SYMPTOMS: u32 = 3;

/// Score below which a symptom that explains no outcome is for information.
const DEMOTED: f64 = -0.6;

/// Least probability by which a symptom explains an outcome.
const RELATED: f64 = 0.3;

/// Longest time by which clocks of one run differ, s.
const SLACK: f64 = 1.0;

/// True if a fact came later than another one.
fn is_after(a: &Fact, b: &Fact) -> bool {
    matches!((a.time, b.time), (Some(a), Some(b)) if a > b + SLACK)
}

/// True for an outcome that nobody wants and that was not made good.
fn stays_bad(f: &Fact) -> bool {
    f.is_bad && f.recovered < 0.5
}

fn chosen(
    graph: &Graph,
    reach: &[FxHashMap<usize, f64>],
    scores: &[f64],
    into: &[Vec<(usize, f64, Kind)>],
    well: bool,
) -> Vec<Root> {
    let facts = &graph.facts;
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut used: FxHashSet<usize> = FxHashSet::default();
    let mut shown: FxHashSet<u32> = FxHashSet::default();
    let mut out: Vec<Root> = Vec::new();
    for i in order {
        let is_known = facts[i].statement.is_known();
        let own = out
            .iter()
            .filter(|r| facts[r.fact].statement.is_known() == is_known)
            .count();
        let most = if is_known { MOST_KNOWN } else { MOST };
        if used.contains(&i) || scores[i] < LEAST || own >= most {
            continue;
        }
        let f = &facts[i];
        // What the first record of another root shows, is said.
        if f.records.first().is_some_and(|r| shown.contains(r)) && !f.statement.is_known() {
            continue;
        }
        let mut effects: Vec<(usize, f64)> = reach[i]
            .iter()
            .filter(|(j, p)| **p >= EXPLAINED && !used.contains(j) && scores[**j] < scores[i])
            .map(|(j, p)| (*j, *p))
            .collect();
        effects.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let explains_more = |k: usize, p: f64| reach[i].get(&k).is_none_or(|own| *own < p);
        let cause = { into[i].iter() }
            .filter(|(k, p, kind)| {
                *p > 0.3 && !used.contains(k) && *kind != Kind::SameRecords && explains_more(*k, *p)
            })
            .filter(|(k, ..)| facts[*k].statement.can_cause())
            .filter(|(k, ..)| f.statement.is_open() || !is_after(&facts[*k], f))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        shown.extend(f.records.first());
        used.insert(i);
        used.extend(effects.iter().map(|e| e.0));
        out.push(Root {
            fact: i,
            score: scores[i],
            severity: severity(f, effects.iter().map(|e| &facts[e.0]), well),
            effects: effects.into_iter().map(|e| e.0).collect(),
            cause: cause.map(|(k, _, kind)| (*k, *kind)),
        });
    }
    out
}

/// Severity by the outcomes: an error is a cause of something that stayed bad, in a run that did not end well.
fn severity<'f>(f: &Fact, mut effects: impl Iterator<Item = &'f Fact>, well: bool) -> Severity {
    let explains = effects.any(stays_bad);
    let matters = stays_bad(f) || explains;
    match &f.statement {
        Statement::Truncated { is_main: true, .. } => Severity::Error,
        Statement::Truncated { .. } => Severity::Warning,
        Statement::Explained { severity, .. } if !f.is_bad && !well => *severity,
        _ if f.recovered >= 0.9 => Severity::Info,
        Statement::Holds { .. } | Statement::Cycle if stays_bad(f) => Severity::Error,
        // The program called it an error and did not mend it, however the run ended.
        statement if well && statement.is_reported() && f.recovered < 0.5 && f.is_bad => {
            Severity::Warning
        }
        // In a run that ended well only strong deviations and failures count.
        _ if well && (f.strength < 0.7 || !matters && !f.statement.is_contrast()) => Severity::Info,
        statement
            if well && (statement.is_left() || matches!(statement, Statement::Short { .. })) =>
        {
            Severity::Info
        }
        _ if well => Severity::Warning,
        Statement::Interrupt | Statement::Killed if !explains => Severity::Info,
        Statement::Limit { .. } if f.strength <= UNRELATED_LIMIT => Severity::Info,
        Statement::Stopped { .. } => Severity::Warning,
        Statement::Slow { .. }
        | Statement::Trend { .. }
        | Statement::Warning
        | Statement::Quiet
        | Statement::Silence { .. }
        | Statement::Interrupt => Severity::Warning,
        statement if statement.is_left() && f.strength < 0.2 => Severity::Info,
        Statement::LeftCourse { .. }
        | Statement::NoneWentOn { .. }
        | Statement::EndsWaiting
        | Statement::Short { .. }
            if !explains =>
        {
            Severity::Warning
        }
        // The program itself called it an error, and nothing made it good.
        statement if stays_bad(f) && statement.is_reported() => Severity::Error,
        _ if matters && f.strength >= 0.5 => Severity::Error,
        _ => Severity::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};
    use crate::{facts, graph};

    fn first(text: &str) -> (Records, Graph, Vec<Root>) {
        let records = made(text);
        let graph = graph::graph(&records, facts::find(&records, facts::Known::default()));
        let roots = roots(&records, &graph, Outcome::Unknown);
        (records, graph, roots)
    }

    #[test]
    fn the_cause_ranks_before_its_effects() {
        let (records, graph, roots) = first(
            "1 a.log INFO chunk 1 started
             2 a.log INFO chunk 1 written
             3 a.log INFO chunk 2 started
             4 a.log ERROR chunk 2: cannot write: no space left on device
             5 a.log INFO chunk 3 started
             6 a.log INFO chunk 3 written
             9 check.log ERROR chunk 2 is truncated
             9 check.log ERROR 1 of 3 chunks failed",
        );
        let fact = &graph.facts[roots[0].fact];
        assert_eq!(fact.statement, Statement::Reason);
        assert_eq!(records.record(fact.records[0]).event.0, 3);
        assert_eq!(roots[0].severity, Severity::Error);
        assert!(!roots[0].effects.is_empty());
    }

    #[test]
    fn a_holder_ranks_before_those_that_wait() {
        let mut text = String::new();
        for i in 0..4 {
            text += &format!(
                "{i}.1 w.log DEBUG worker {i} wants lock db\n{i}.2 w.log DEBUG worker {i} has lock db\n{i}.3 w.log DEBUG worker {i} drops lock db\n"
            );
        }
        text += "6.1 w.log DEBUG worker 5 wants lock db\n6.2 w.log DEBUG worker 5 has lock db\n7.1 w.log DEBUG worker 6 wants lock db\n7.5 w.log DEBUG worker 7 wants lock db";
        let (records, graph, roots) = first(&text);
        let fact = &graph.facts[roots[0].fact];
        assert_eq!(name(&records, fact.subject.unwrap()), "worker 5");
        assert_eq!(roots[0].severity, Severity::Error);
    }

    #[test]
    fn a_run_that_ended_well_has_no_error() {
        let (_, _, roots) = first(
            "1 a.log INFO download 6 started
             2 a.log ERROR download 6: checksum mismatch
             3 a.log INFO download 6 started
             4 a.log INFO download 6 verified ok
             5 a.log INFO all downloads done, 0 failed",
        );
        assert!(
            roots.iter().all(|r| r.severity < Severity::Error),
            "{roots:?}"
        );
    }
}
