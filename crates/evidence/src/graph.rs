//! Graph of causes: which fact explains which.

use rustc_hash::{FxHashMap, FxHashSet};
use widetui_definition::semantics::Severity;

use crate::actors::{InstanceIndex, RecordIndex, Records};
use crate::data::{Data, Word};
use crate::facts::{Fact, Statement};

/// Most facts of a graph; the strongest ones.
const MOST: usize = 300;
/// Records of a fact that are compared.
const RECORDS: usize = 30;
/// Longest distance of records that a tool printed one after the other.
const ADJACENT: u32 = 4;

/// Kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Both are about one instance, and the cause is earlier or says more.
    SameInstance,
    /// Both are shown by the same records.
    SameRecords,
    /// The effect stands directly behind the cause in the same source.
    Adjacent,
    /// The effect quotes the exception of the cause.
    Quoted,
    /// The cause used up a resource, and the effect found data incomplete.
    Exhausted,
    /// The cause ended a process, which the effect misses.
    Killed,
    /// The effect waits for the cause.
    Holds,
    /// The effect is that the limit was reached.
    Limit,
    /// The effect came after the interrupt.
    Interrupt,
    /// The effect is the count that the cause is missing in.
    PartOf,
    /// The cause differs from its peers, and the effect came later.
    Odd,
    /// The effect stands in a log with two writers.
    Writer,
    /// The effect came later in the same source, and says less.
    Precedes,
    /// As above, and the cause states a reason of the system.
    Reason,
    /// The effect was carried by a resource that was lost or stands still.
    Resource,
    /// The effect is an end that the truncated source does not show.
    Truncated,
}

impl Kind {
    /// Name in the data.
    pub fn name(self) -> &'static str {
        match self {
            Kind::SameInstance => "same_instance",
            Kind::SameRecords => "same_records",
            Kind::Adjacent => "adjacent",
            Kind::Quoted => "quoted",
            Kind::Exhausted => "exhausted",
            Kind::Killed => "killed",
            Kind::Holds => "holds",
            Kind::Limit => "limit",
            Kind::Interrupt => "interrupt",
            Kind::PartOf => "part_of",
            Kind::Odd => "odd",
            Kind::Writer => "writer",
            Kind::Precedes => "precedes",
            Kind::Reason => "reason",
            Kind::Resource => "resource",
            Kind::Truncated => "truncated",
        }
    }
}

/// Edge from a cause to an effect.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Index of the effect.
    pub to: usize,
    /// Strongest kind.
    pub kind: Kind,
    /// Probability that the cause explains the effect.
    pub weight: f64,
}

/// Facts and the edges between them.
#[derive(Debug, Default)]
pub struct Graph {
    /// Facts.
    pub facts: Vec<Fact>,
    /// Edges of each fact.
    pub edges: Vec<Vec<Edge>>,
}

/// Properties of a fact by which it is related to others.
struct Node {
    own: FxHashSet<InstanceIndex>,
    named: FxHashSet<InstanceIndex>,
    affected: FxHashSet<InstanceIndex>,
    sources: FxHashSet<u32>,
    records: Vec<RecordIndex>,
    says: u8,
    has: [bool; 5],
    /// True if an interrupt by the user began one of its tracebacks.
    is_interrupted: bool,
}

impl Node {
    fn new(records: &Records, fact: &Fact) -> Node {
        let specific = |i: &InstanceIndex| {
            !records.is_place(*i)
                && records.class(*i) != "log"
                && records.of(*i).len() * 2 <= records.list.len().max(20)
        };
        let shown: Vec<RecordIndex> = fact.records.iter().copied().take(RECORDS).collect();
        let named = shown
            .iter()
            .flat_map(|r| records.named(records.record(*r)).iter().copied());
        let word = |word: Word| {
            shown.iter().any(|r| {
                let r = records.record(*r);
                r.meanings.has(word) || r.exception.as_ref().is_some_and(|e| e.meanings.has(word))
            })
        };
        Node {
            own: fact.instances.iter().copied().filter(specific).collect(),
            named: named.filter(specific).collect(),
            affected: fact.affected.iter().copied().collect(),
            sources: shown.iter().map(|r| records.record(*r).source).collect(),
            says: says(&fact.statement),
            has: [
                word(Word::Exhausted),
                word(Word::Cut),
                word(Word::Late),
                word(Word::Effect),
                word(Word::Hard),
            ],
            is_interrupted: shown.iter().any(|r| records.record(*r).is_interrupted),
            records: shown,
        }
    }
}

/// Weight of a kind of facts as a cause.
fn says(statement: &Statement) -> u8 {
    match statement {
        Statement::Holds { .. } | Statement::Cycle | Statement::Killed => 5,
        Statement::Exception | Statement::Reason => 4,
        Statement::Explained {
            severity: Severity::Info,
            ..
        } => 1,
        Statement::Explained { .. } | Statement::Lost => 4,
        Statement::SecondWriter | Statement::Limit { .. } => 4,
        // A reason that another failure brings about says little: `cancelled by its agent`.
        Statement::Failed {
            reason: Some(reason),
            ..
        } if !Data::get().meanings(reason).has(Word::Effect) => 4,
        Statement::Failed { .. } | Statement::Unfinished { .. } => 2,
        Statement::Quiet | Statement::Unread { .. } => 3,
        Statement::Error
        | Statement::Odd { .. }
        | Statement::Absent { .. }
        | Statement::Differs => 2,
        Statement::LeftCourse { .. } | Statement::Slow { .. } | Statement::Restarts { .. } => 2,
        _ => 1,
    }
}

/// Relates all facts.
pub fn graph(records: &Records, mut facts: Vec<Fact>) -> Graph {
    if facts.len() > MOST {
        let mut order: Vec<f64> = facts.iter().map(|f| f.strength).collect();
        order.sort_by(|a, b| b.total_cmp(a));
        let least = order[MOST - 1];
        let mut kept = 0;
        facts.retain(|f| {
            let keeps = f.statement.is_known() || f.strength >= least && kept < MOST;
            kept += usize::from(keeps);
            keeps
        });
    }
    let mut nodes: Vec<Node> = facts.iter().map(|f| Node::new(records, f)).collect();
    let reporters = reporters(&facts, &nodes);
    for node in &mut nodes {
        node.own.retain(|i| !reporters.contains(i));
        node.named.retain(|i| !reporters.contains(i));
    }
    let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(facts.len());
    for (i, a) in facts.iter().enumerate() {
        let mut own = Vec::new();
        for (j, b) in facts.iter().enumerate().filter(|(j, _)| *j != i) {
            let mut kinds = kinds(records, (a, &nodes[i]), (b, &nodes[j]));
            kinds.sort_by(|x, y| weight(*y).total_cmp(&weight(*x)));
            let Some(kind) = kinds.first().copied() else {
                continue;
            };
            let miss: f64 = kinds.iter().map(|k| 1.0 - weight(*k)).product();
            let weight = (1.0 - miss) * a.strength.sqrt() * (1.0 - 0.8 * a.recovered);
            own.push(Edge {
                to: j,
                kind,
                weight,
            });
        }
        edges.push(own);
    }
    Graph { facts, edges }
}

/// Instances that many facts share and few are about: processes that report, hosts, logs.
fn reporters(facts: &[Fact], nodes: &[Node]) -> FxHashSet<InstanceIndex> {
    let mut uses: FxHashMap<InstanceIndex, (u32, u32)> = FxHashMap::default();
    for (fact, node) in facts.iter().zip(nodes) {
        for i in &node.own {
            let of = uses.entry(*i).or_default();
            of.0 += 1;
            of.1 += u32::from(fact.subject == Some(*i));
        }
    }
    let uses = uses.into_iter();
    let shared = uses.filter(|(_, (all, subject))| *all >= 4 && 3 * subject < *all);
    shared.map(|(i, _)| i).collect()
}

fn weight(kind: Kind) -> f64 {
    Data::get().edge(kind.name())
}

/// Kinds of edges from one fact to another.
fn kinds(records: &Records, (a, x): (&Fact, &Node), (b, y): (&Fact, &Node)) -> Vec<Kind> {
    let mut out = Vec::new();
    if are_siblings(a, b) && !is_quoted(records, x, y) {
        return out;
    }
    let strictly = matches!((a.time, b.time), (Some(a), Some(b)) if a < b - 1e-6);
    let after = matches!((a.time, b.time), (Some(a), Some(b)) if a > b + 1e-6);
    let undated = a.time.is_none() || b.time.is_none();
    let shares = !x.own.is_disjoint(&y.own);
    let touches = shares || !x.own.is_disjoint(&y.named);
    let says_more = x.says > y.says;
    // What a finding of other analyses shows, it explains.
    let covers = |f: &Fact, n: &Node, other: &Node| {
        f.statement.is_explanation() && other.records.first().is_some_and(|r| n.records.contains(r))
    };
    if covers(a, x, y) && y.says <= 4 && !b.statement.is_known() {
        out.push(Kind::SameRecords);
        return out;
    }
    if covers(b, y, x) && x.says <= 4 && !a.statement.is_known() {
        return out;
    }
    if !x.records.is_empty() && x.records.first() == y.records.first() {
        if says_more || x.says == y.says && a.strength > b.strength {
            out.push(Kind::SameRecords);
        }
        return out;
    }
    let hits = !x.affected.is_disjoint(&y.own)
        || b.statement.is_left() && !x.affected.is_disjoint(&y.named);
    match &a.statement {
        Statement::Holds { .. }
        | Statement::Cycle
        | Statement::Awaited
        | Statement::Unfinished { .. }
            if hits =>
        {
            out.push(Kind::Holds)
        }
        // Failed work that states its reason needs no contrast.
        Statement::Contrast { .. }
            if (hits || !x.affected.is_disjoint(&y.named)) && !b.statement.is_known() =>
        {
            out.push(Kind::Holds)
        }
        Statement::Lost | Statement::Killed | Statement::Stopped { .. }
            if carries(a, b, y) && is_soon(a, b) =>
        {
            out.push(Kind::Resource)
        }
        Statement::Truncated { is_main, .. }
            if b.statement.is_open() && (*is_main || !x.sources.is_disjoint(&y.sources)) =>
        {
            out.push(Kind::Truncated)
        }
        Statement::Killed if touches || hits => out.push(Kind::Killed),
        Statement::Killed if y.has[3] && !after => out.push(Kind::Killed),
        Statement::Limit { .. } if y.has[2] && b.is_bad || touches && b.is_bad && !after => {
            out.push(Kind::Limit)
        }
        Statement::Interrupt if y.is_interrupted => out.push(Kind::Interrupt),
        Statement::Interrupt
            if !after
                && (!undated
                    || !x.sources.is_disjoint(&y.sources)
                    || is_at_end(records, b)
                    || b.statement.is_open())
                && !matches!(b.statement, Statement::Interrupt) =>
        {
            out.push(Kind::Interrupt)
        }
        Statement::SecondWriter if !x.sources.is_disjoint(&y.sources) && b.is_bad && !after => {
            out.push(Kind::Writer)
        }
        Statement::Odd { .. }
        | Statement::Differs
        | Statement::Absent { .. }
        | Statement::Unread { .. }
        | Statement::Trend { .. }
            if b.is_bad && !after && (touches || !b.statement.is_known()) =>
        {
            out.push(Kind::Odd);
        }
        Statement::LeftCourse { .. } if matches!(b.statement, Statement::Short { .. }) => {
            out.push(Kind::PartOf)
        }
        Statement::Slow { .. } if touches && !after && b.is_bad => out.push(Kind::SameInstance),
        _ => {}
    }
    // The cycle is the reason why its members hold what they hold.
    let is_member = |cycle: &Fact, holds: &Fact| {
        cycle.statement == Statement::Cycle
            && matches!(holds.statement, Statement::Holds { .. })
            && holds.subject.is_some_and(|s| cycle.instances.contains(&s))
    };
    if is_member(b, a) {
        return Vec::new();
    }
    if is_member(a, b) {
        out.push(Kind::Holds);
    }
    let is_event = |f: &Fact| {
        !matches!(
            f.statement,
            Statement::Slow { .. }
                | Statement::Trend { .. }
                | Statement::Silence { .. }
                | Statement::Stopped { .. }
                | Statement::Interrupt
                | Statement::Short { .. }
        )
    };
    if is_event(a) && (b.is_bad || is_event(b)) {
        let are_outcomes = a.statement.is_outcome() && b.statement.is_outcome();
        if shares
            && !(are_outcomes && a.subject != b.subject)
            && !(a.statement.is_left() && b.statement.is_outcome())
            && (strictly && x.says + 1 >= y.says
                || !after && says_more
                || undated && x.says >= y.says)
        {
            out.push(Kind::SameInstance);
        }
        if x.has[0] && y.has[1] && !y.has[0] && (!after || undated) {
            out.push(Kind::Exhausted);
        }
        if b.is_bad && !after && x.says >= y.says && is_adjacent(records, x, y) {
            out.push(Kind::Adjacent);
        }
        // A line that introduces an exception: `Unable to load the application.`
        let introduces = || x.has[4] && !y.has[4] && says_more && is_adjacent(records, y, x);
        if b.is_bad && matches!(a.statement, Statement::Exception) && introduces() {
            out.push(Kind::Adjacent);
        }
        if is_quoted(records, x, y) {
            out.push(Kind::Quoted);
        }
        let is_near = !x.sources.is_disjoint(&y.sources);
        if out.is_empty() && strictly && b.is_bad {
            match x.has[4] && !x.has[3] && !y.has[4] {
                true if is_near => out.push(Kind::Reason),
                true => out.push(Kind::Precedes),
                false if is_near && x.says + 1 >= y.says => out.push(Kind::Precedes),
                false => {}
            }
        }
    }
    out
}

/// Longest time before the last record in which an interrupt without a time may have come, s.
const LATE: f64 = 10.0;

/// True if a fact came shortly before the last record, or has no time either.
fn is_at_end(records: &Records, b: &Fact) -> bool {
    b.time.is_none_or(|t| records.range().1 - t <= LATE)
}

/// True if the effect names the subject of the cause.
fn carries(a: &Fact, b: &Fact, y: &Node) -> bool {
    let is_work = matches!(
        b.statement,
        Statement::Failed { .. } | Statement::Unfinished { .. } | Statement::Exception
    );
    is_work
        && a.subject
            .is_some_and(|s| y.named.contains(&s) || y.own.contains(&s))
}

/// True if the effect came at most a moment before the cause was reported.
fn is_soon(a: &Fact, b: &Fact) -> bool {
    match (a.time, b.time) {
        (Some(a), Some(b)) => b >= a - 1.0,
        _ => true,
    }
}

/// True for facts of one kind about different instances, none of which is a cause of the other.
fn are_siblings(a: &Fact, b: &Fact) -> bool {
    let are_alike = match (&a.statement, &b.statement) {
        (Statement::Explained { hint, .. }, Statement::Explained { hint: other, .. }) => {
            hint == other
        }
        (Statement::Failed { .. }, Statement::Failed { reason, .. }) => reason.is_some(),
        (Statement::Lost, Statement::Lost) => true,
        _ => false,
    };
    are_alike && a.subject != b.subject
}

/// True if a record of the effect stands directly behind one of the cause.
fn is_adjacent(records: &Records, x: &Node, y: &Node) -> bool {
    x.records.iter().take(10).any(|a| {
        let source = records.record(*a).source;
        let own = &records.of_source[source as usize];
        let at = own.partition_point(|r| r < a);
        let near = own.iter().skip(at + 1).take(ADJACENT as usize);
        { near }.any(|r| y.records.contains(r))
    })
}

/// True if the last exception of the effect is the root of the cause, or wraps it.
fn is_quoted(records: &Records, x: &Node, y: &Node) -> bool {
    let of = |n: &Node| {
        let mut exceptions = n
            .records
            .iter()
            .take(3)
            .filter_map(|r| records.record(*r).exception.as_deref());
        exceptions.next().cloned()
    };
    let (Some(a), Some(b)) = (of(x), of(y)) else {
        return false;
    };
    let is_long = a.root.len() > 15;
    is_long && a.root != b.root && b.last.contains(&a.root)
}

impl Graph {
    /// Probability by which each fact explains others, along at most three edges.
    pub fn reach(&self) -> Vec<FxHashMap<usize, f64>> {
        let all = 0..self.facts.len();
        all.map(|from| {
            let mut best: FxHashMap<usize, f64> = FxHashMap::default();
            best.insert(from, 1.0);
            let mut front = vec![from];
            for _ in 0..3 {
                let mut next = Vec::new();
                for at in front {
                    let base = best.get(&at).copied().unwrap_or(0.0);
                    for edge in &self.edges[at] {
                        let p = base * edge.weight;
                        if p > best.get(&edge.to).copied().unwrap_or(0.05) {
                            best.insert(edge.to, p);
                            next.push(edge.to);
                        }
                    }
                }
                front = next;
            }
            best.remove(&from);
            best
        })
        .collect()
    }
}
