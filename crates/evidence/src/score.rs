//! Scores of facts as causes, and their severity.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_definition::semantics::Severity;

use crate::actors::Records;
use crate::data::Data;
use crate::facts::{Fact, Statement, ended_well};
use crate::graph::{Graph, Kind};

/// Least score of a root that is reported.
const LEAST: f64 = -2.5;
/// Least probability by which an effect goes with its cause.
const EXPLAINED: f64 = 0.45;
/// Most roots.
const MOST: usize = 12;

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

/// Scores all facts and returns the roots, the best first. `may_be_well`: other analyses know of no failed or unfinished work.
pub fn roots(records: &Records, graph: &Graph, may_be_well: bool) -> Vec<Root> {
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
        let rank = match f.statement {
            Statement::Known { finding, .. } => (finding as f64).min(8.0),
            _ => 0.0,
        };
        let score = data.kind(f.statement.name())
            + data.feature("strength") * f.strength.ln()
            + data.feature("explains") * explains.ln_1p()
            + data.feature("early") * early
            + data.feature("explained") * (1.0 - unexplained)
            + data.feature("recovered") * f.recovered
            + data.feature("known_rank") * rank;
        scores.push(score);
    }
    let well = may_be_well && ended_well(records);
    chosen(graph, &reach, &scores, &into, well)
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
        if used.contains(&i) || scores[i] < LEAST || out.len() >= MOST {
            continue;
        }
        let f = &facts[i];
        // What the first record of another root shows, is said.
        if f.records.first().is_some_and(|r| shown.contains(r))
            && !matches!(f.statement, Statement::Known { .. })
        {
            continue;
        }
        let mut effects: Vec<(usize, f64)> = reach[i]
            .iter()
            .filter(|(j, p)| **p >= EXPLAINED && !used.contains(j) && scores[**j] < scores[i])
            .map(|(j, p)| (*j, *p))
            .collect();
        effects.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let cause = into[i]
            .iter()
            .filter(|(k, p, _)| *p > 0.3 && !used.contains(k))
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
    out.sort_by_key(|r| r.severity == Severity::Info);
    out
}

/// Severity by the outcomes: an error is a cause of something that stayed bad, in a run that did not end well.
fn severity<'f>(f: &Fact, effects: impl Iterator<Item = &'f Fact>, well: bool) -> Severity {
    let mut bad = effects.filter(|e| e.is_bad && e.recovered < 0.5);
    let is_outcome = f.is_bad && f.recovered < 0.5;
    let explains = bad.next().is_some();
    let is_weak = f.strength < 0.5;
    let level = match &f.statement {
        Statement::Holds { .. } | Statement::Cycle if is_outcome => Severity::Error,
        _ if f.recovered >= 0.9 => Severity::Info,
        Statement::Known { .. } if !f.is_bad => Severity::Warning,
        _ if well => Severity::Warning,
        Statement::Slow { .. }
        | Statement::Trend { .. }
        | Statement::Warning
        | Statement::Quiet
        | Statement::Silence { .. } => Severity::Warning,
        Statement::LeftCourse { .. }
        | Statement::NoneWentOn { .. }
        | Statement::EndsWaiting
        | Statement::Short { .. }
            if !explains =>
        {
            Severity::Warning
        }
        Statement::Interrupt => Severity::Warning,
        _ if (is_outcome || explains) && !is_weak => Severity::Error,
        _ => Severity::Warning,
    };
    match (level, &f.statement) {
        (Severity::Warning, Statement::Warning | Statement::Quiet) if well && !f.is_bad => {
            Severity::Info
        }
        (Severity::Warning, Statement::LeftCourse { .. } | Statement::OtherWay { .. })
            if f.strength < 0.2 || well && f.strength < 0.7 =>
        {
            Severity::Info
        }
        _ => level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::samples::{made, name};
    use crate::{facts, graph};

    fn first(text: &str) -> (Records, Graph, Vec<Root>) {
        let records = made(text);
        let graph = graph::graph(&records, facts::find(&records, Vec::new()));
        let roots = roots(&records, &graph, true);
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
