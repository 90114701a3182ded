//! Comparison of two runs or selections: counts, states, durations, and latencies of steps.

use std::collections::BTreeMap;

use widetui_core::cancel::Cancel;
use widetui_core::words::grouped;
use widetui_store::Snapshot;
use widetui_time::time::{format_delta, format_span};

use crate::Instances;
use crate::differences::{Basis, Difference, DifferenceKind};
use crate::latency::latency;
use crate::scope::AnalysisScope;
use crate::spans::spans;
use crate::states::{ReporterChoice, states};

/// Kind of a compared number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComparedKind {
    /// Difference that explains the time or the failures; times in ns.
    Difference(DifferenceKind),
    /// Number of instances.
    Count,
    /// Number of instances in a state at the end.
    State,
    /// Duration of instances, ns.
    Duration,
    /// Mean latency of a step, ns.
    Step,
}

impl ComparedKind {
    /// Name of the kind in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            ComparedKind::Difference(DifferenceKind::Whole) => "whole",
            ComparedKind::Difference(DifferenceKind::Progress) => "progress",
            ComparedKind::Difference(DifferenceKind::Failures) => "failures",
            ComparedKind::Difference(DifferenceKind::FirstRun) => "first run",
            ComparedKind::Difference(DifferenceKind::Resources) => "resources",
            ComparedKind::Difference(DifferenceKind::Frequency) => "frequency",
            ComparedKind::Difference(DifferenceKind::Running) => "running",
            ComparedKind::Difference(DifferenceKind::Waiting) => "waiting",
            ComparedKind::Count => "count",
            ComparedKind::State => "state",
            ComparedKind::Duration => "duration",
            ComparedKind::Step => "latency",
        }
    }

    /// Whether the numbers are durations in ns.
    pub fn is_time(self) -> bool {
        use DifferenceKind::{FirstRun, Running, Waiting, Whole};
        matches!(
            self,
            ComparedKind::Duration
                | ComparedKind::Step
                | ComparedKind::Difference(Whole | FirstRun | Running | Waiting)
        )
    }
}

/// Numbers of one side of a comparison, by kind and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonSide {
    /// Values by kind and name.
    pub(crate) numbers: BTreeMap<(ComparedKind, String), f64>,
    /// Order of durations and latencies, by name.
    order: BTreeMap<String, usize>,
    /// Previous step of each latency, by name.
    previous_steps: BTreeMap<String, String>,
    /// Entity and template of each number, by kind and name.
    subjects: BTreeMap<(ComparedKind, String), NumberSubject>,
}

/// Subject of a number, for opening its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberSubject {
    /// Dotted name of the entity.
    pub entity: String,
    /// Template of the step; `None` for other numbers.
    pub template: Option<String>,
}

/// Number on both sides of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedNumber {
    /// Kind of the compared number.
    pub kind: ComparedKind,
    /// Name: the entity with a state, a percentile or the template of a step.
    pub name: String,
    /// Value on the first side (a).
    pub first: Option<f64>,
    /// Value on the second side (b).
    pub second: Option<f64>,
    /// Entity and template that the number is about, for opening its records.
    pub subject: Option<NumberSubject>,
    /// Reason why the values cannot be compared, if they cannot.
    pub incomparable: Option<Incomparable>,
}

/// Reason why two numbers cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// The first side has no such instances.
    NotInFirst,
    /// The second side has no such instances.
    NotInSecond,
    /// No instance on the first side has ended.
    NoneEndedInFirst,
    /// No instance on the second side has ended.
    NoneEndedInSecond,
    /// The previous step, from which the latency is measured, differs between the sides.
    OtherPreviousStep,
}

impl Incomparable {
    /// Short explanation of the reason, for tables.
    pub fn text(self) -> &'static str {
        match self {
            Incomparable::NotInFirst => "not in a",
            Incomparable::NotInSecond => "not in b",
            Incomparable::NoneEndedInFirst => "none ended in a",
            Incomparable::NoneEndedInSecond => "none ended in b",
            Incomparable::OtherPreviousStep => "previous step is another one in b",
        }
    }

    /// Reason why a number is missing on one side.
    fn missing_side(kind: ComparedKind, a: Option<f64>, b: Option<f64>) -> Option<Incomparable> {
        match (a, b, kind) {
            (None, _, ComparedKind::Duration) => Some(Incomparable::NoneEndedInFirst),
            (_, None, ComparedKind::Duration) => Some(Incomparable::NoneEndedInSecond),
            (None, ..) => Some(Incomparable::NotInFirst),
            (_, None, _) => Some(Incomparable::NotInSecond),
            (Some(_), Some(_), _) => None,
        }
    }
}

impl ComparedNumber {
    /// Number of a difference: instances, or their time (its sum or mean, by the basis).
    pub fn of_difference(difference: &Difference, basis: Basis) -> ComparedNumber {
        use DifferenceKind::{Failures, Frequency, Progress, Resources};
        let kind = ComparedKind::Difference(difference.kind);
        let [first, second] = [0, 1].map(|side| {
            let share = &difference.sides[side];
            Some(match (difference.kind, basis) {
                (Failures, _) => share.failed as f64,
                (Progress | Frequency | Resources, _) => share.count as f64,
                (_, Basis::Sum) => share.time as f64,
                _ => share.mean(),
            })
        });
        ComparedNumber {
            kind,
            name: difference.subject.clone(),
            first,
            second,
            subject: None,
            incomparable: None,
        }
    }

    /// Formats a value as a duration or a count.
    pub fn format(&self, number: f64) -> String {
        match self.kind.is_time() {
            true => format_span(number.round() as i64),
            false => grouped(number as u64),
        }
    }

    /// Formats a difference with its sign.
    pub fn format_difference(&self, difference: f64) -> String {
        match self.kind.is_time() {
            true => format_delta(difference.round() as i64),
            false => {
                let sign = if difference < 0.0 { '-' } else { '+' };
                format!("{sign}{}", grouped(difference.abs().round() as u64))
            }
        }
    }

    /// True for a step that says nothing: with a negative duration, as the order of records varies, or without any.
    fn is_void_step(&self) -> bool {
        let mut sides = [self.first, self.second].into_iter().flatten();
        let is_void = sides.clone().all(|value| value.round() == 0.0);
        self.kind == ComparedKind::Step && (is_void || sides.any(|value| value < 0.0))
    }

    /// Second value minus the first; `None` if they cannot be compared.
    pub fn difference(&self) -> Option<f64> {
        match self.incomparable {
            Some(_) => None,
            None => Some(self.second? - self.first?),
        }
    }
}

impl ComparisonSide {
    /// Adds the numbers of an entity's instances in scope. `None` when cancelled.
    pub fn add_instances(
        &mut self,
        snapshot: &Snapshot,
        instances: &Instances,
        scope: &AnalysisScope,
        cancel: &Cancel,
    ) -> Option<()> {
        let entity = &instances.entity.name;
        let kept = scope.contains_instances(snapshot, instances);
        let count = kept.iter().filter(|k| **k).count();
        if count == 0 {
            return Some(());
        }
        let subject = NumberSubject {
            entity: entity.clone(),
            template: None,
        };
        self.insert(ComparedKind::Count, entity.clone(), count as f64, &subject);
        let found = states(
            snapshot,
            instances,
            scope,
            &ReporterChoice::MostTrusted,
            cancel,
        )?;
        for (state, n) in found.names.iter().zip(&found.final_counts) {
            if *n > 0 {
                self.insert(
                    ComparedKind::State,
                    format!("{entity} {state}"),
                    *n as f64,
                    &subject,
                );
            }
        }
        let spans = spans(snapshot, instances, scope, None, cancel)?;
        if let Some(d) = spans.summary().first().and_then(|d| d.durations) {
            let numbers = [
                ("mean", d.mean),
                ("p50", d.p50),
                ("p95", d.p95),
                ("max", d.max),
            ];
            for (at, (name, value)) in numbers.into_iter().enumerate() {
                let name = format!("{entity} {name}");
                self.order.insert(name.clone(), at);
                self.insert(ComparedKind::Duration, name, value, &subject);
            }
        }
        let rows = latency(snapshot, instances, scope, &[], cancel)?.rows;
        for (at, row) in rows.iter().enumerate() {
            let Some(step) = row.step else {
                continue;
            };
            let name = format!("{entity}: {}", row.name());
            self.order.entry(name.clone()).or_insert(at);
            let before = row.previous.and_then(|before| rows.get(before));
            let before = before.map(|row| format!("{} ({})", row.template, row.occurrence));
            self.previous_steps
                .insert(name.clone(), before.unwrap_or_default());
            let subject = NumberSubject {
                template: Some(row.template.to_string()),
                ..subject.clone()
            };
            self.insert(ComparedKind::Step, name, step.mean, &subject);
        }
        Some(())
    }

    /// Value of a number; 0 for a state without instances if the side has instances of the entity.
    fn get(&self, key: &(ComparedKind, String), subject: Option<&NumberSubject>) -> Option<f64> {
        let has_instances = || {
            let all = |subject: &NumberSubject| (ComparedKind::Count, subject.entity.clone());
            subject.is_some_and(|subject| self.numbers.contains_key(&all(subject)))
        };
        match self.numbers.get(key) {
            Some(number) => Some(*number),
            None => (key.0 == ComparedKind::State && has_instances()).then_some(0.0),
        }
    }

    /// Adds a number with its subject.
    fn insert(&mut self, kind: ComparedKind, name: String, value: f64, subject: &NumberSubject) {
        let key = (kind, name.clone());
        self.subjects.insert(key, subject.clone());
        self.numbers.insert((kind, name), value);
    }
}

/// Joins the numbers of both sides: counts, states, durations, then latencies; all but durations by the size of their
/// difference, descending; numbers that cannot be compared come last.
pub fn compare(a: &ComparisonSide, b: &ComparisonSide) -> Vec<ComparedNumber> {
    let names: std::collections::BTreeSet<&(ComparedKind, String)> =
        a.numbers.keys().chain(b.numbers.keys()).collect();
    // Latencies with different previous steps are not comparable.
    let is_same = |key: &(ComparedKind, String)| match (
        a.previous_steps.get(&key.1),
        b.previous_steps.get(&key.1),
    ) {
        (Some(one), Some(other)) => key.0 != ComparedKind::Step || one == other,
        _ => true,
    };
    let line = |key: &(ComparedKind, String)| {
        let subject = a.subjects.get(key).or_else(|| b.subjects.get(key));
        let numbers = (a.get(key, subject), b.get(key, subject));
        let lacks = Incomparable::missing_side(key.0, numbers.0, numbers.1);
        ComparedNumber {
            kind: key.0,
            name: key.1.clone(),
            first: numbers.0,
            second: numbers.1,
            subject: subject.cloned(),
            incomparable: lacks.or((!is_same(key)).then_some(Incomparable::OtherPreviousStep)),
        }
    };
    let lines = names.into_iter().map(line);
    let mut out: Vec<ComparedNumber> = lines.filter(|l| !l.is_void_step()).collect();
    let place = |l: &ComparedNumber| {
        let order = [a, b].into_iter().find_map(|s| s.order.get(&l.name));
        let size = l.difference().map_or(0.0, |d| -d.abs());
        let by_difference = l.kind != ComparedKind::Duration;
        (
            if by_difference { size } else { 0.0 },
            order.copied().unwrap_or(0),
        )
    };
    let is_apart = |l: &ComparedNumber| l.difference().is_none();
    out.sort_by(|x, y| {
        let (p, q) = (place(x), place(y));
        (is_apart(x), x.kind)
            .cmp(&(is_apart(y), y.kind))
            .then(p.0.total_cmp(&q.0))
            .then(p.1.cmp(&q.1))
    });
    out
}
