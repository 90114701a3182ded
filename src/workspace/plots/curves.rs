//! The small curves under the strip of the first screen: how many things are in a state, how many are running, numbers.

use std::sync::Arc;

use crate::analysis::Instances;
use crate::analysis::scope::Scope;
use crate::analysis::spans::{LostEnds, spans};
use crate::analysis::states::{Recorder, States, states};
use crate::base::cancel::Cancel;
use crate::store::Snapshot;
use crate::workspace::ask::Rows;
use crate::workspace::meaning::Meaning;

use super::{pick, series};

/// What a curve shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CurveOf {
    /// How many things of a kind (dotted name) are in a state.
    State(String, String),
    /// How many things of a kind (dotted name) run at once.
    Running(String),
    /// The number in a key.
    Number(String),
}

impl CurveOf {
    /// As it is written: `parsl.task:launched`, `parsl.try`, `parsl.active_tasks`. What names an entity is one.
    pub fn parse(text: &str, meaning: &Meaning) -> CurveOf {
        let text = text.trim();
        let is_entity = |name: &str| meaning.entities.iter().any(|e| e.name == name);
        match text.split_once(':') {
            Some((entity, state)) if is_entity(entity) => {
                CurveOf::State(entity.to_owned(), state.trim().to_owned())
            }
            _ if is_entity(text) => CurveOf::Running(text.to_owned()),
            _ => CurveOf::Number(text.to_owned()),
        }
    }

    /// As it is written.
    pub fn text(&self) -> String {
        match self {
            CurveOf::State(entity, state) => format!("{entity}:{state}"),
            CurveOf::Running(name) | CurveOf::Number(name) => name.clone(),
        }
    }

    /// In a word.
    pub fn title(&self) -> &str {
        match self {
            CurveOf::State(_, state) => state,
            CurveOf::Running(name) | CurveOf::Number(name) => {
                name.rsplit('.').next().unwrap_or(name)
            }
        }
    }
}

/// A curve: its number holds from one point to the next; before the first nothing is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub of: CurveOf,
    /// Time (UTC ns) and number.
    pub points: Arc<[(i64, f64)]>,
    /// The greatest number.
    pub max: f64,
}

impl Curve {
    fn new(of: CurveOf, points: Vec<(i64, f64)>) -> Curve {
        let max = points.iter().map(|p| p.1).fold(0.0, f64::max);
        Curve {
            of,
            points: points.into(),
            max,
        }
    }

    /// The number at a moment; `None` before the first.
    pub fn at(&self, time: i64) -> Option<f64> {
        let after = self.points.partition_point(|p| p.0 <= time);
        self.points.get(after.checked_sub(1)?).map(|p| p.1)
    }
}

/// Curves chosen when nobody chose.
const USUAL: usize = 2;

/// These curves, or if there are none those that say most about the run: the states in which things wait and run. What is
/// not in the data is left out. `None` when cancelled.
pub fn curves(
    snapshot: &Snapshot,
    rows: &Rows,
    meaning: &Meaning,
    of: Option<&[CurveOf]>,
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let scope = Scope {
        events: rows.selection(snapshot),
        ..Scope::default()
    };
    let Some(of) = of else {
        return usual(snapshot, meaning, &scope, cancel);
    };
    let mut out = Vec::new();
    for of in of {
        let points = match of {
            CurveOf::State(entity, state) => {
                match counted(snapshot, meaning, Some(entity), &scope, cancel)? {
                    Some((_, states)) => points_of(&states, state),
                    None => Vec::new(),
                }
            }
            CurveOf::Running(entity) => running(snapshot, meaning, entity, &scope, cancel)?,
            CurveOf::Number(key) => {
                let data = series::series(snapshot, &scope, key, None, cancel)?;
                let group = data.groups.into_iter().next();
                group.map_or(Vec::new(), |g| g.points)
            }
        };
        out.push(Curve::new(of.clone(), points));
    }
    Some(out)
}

fn counted(
    snapshot: &Snapshot,
    meaning: &Meaning,
    entity: Option<&str>,
    scope: &Scope,
    cancel: &Cancel,
) -> Option<Option<(Instances, States)>> {
    let found = pick::instances(
        snapshot,
        &meaning.entities,
        entity,
        pick::with_states,
        cancel,
    )?;
    let Some(found) = found else {
        return Some(None);
    };
    let states = states(&found, scope, &Recorder::Usual, cancel)?;
    Some(Some((found, states)))
}

fn points_of(states: &States, state: &str) -> Vec<(i64, f64)> {
    let at = states.names.iter().position(|n| n == state);
    let steps = at.and_then(|at| states.series.get(at));
    steps.map_or(Vec::new(), |s| {
        s.points.iter().map(|(t, n)| (*t, *n as f64)).collect()
    })
}

fn running(
    snapshot: &Snapshot,
    meaning: &Meaning,
    entity: &str,
    scope: &Scope,
    cancel: &Cancel,
) -> Option<Vec<(i64, f64)>> {
    let found = pick::instances(snapshot, &meaning.entities, Some(entity), |_| 1, cancel)?;
    let Some(found) = found else {
        return Some(Vec::new());
    };
    let steps =
        spans(snapshot, &found, scope, None, cancel)?.concurrency(scope, LostEnds::WhenSeen);
    Some(steps.points.iter().map(|(t, n)| (*t, *n as f64)).collect())
}

/// The states that are not final, those in which most time is spent; in the order of the entity.
fn usual(
    snapshot: &Snapshot,
    meaning: &Meaning,
    scope: &Scope,
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let Some((found, states)) = counted(snapshot, meaning, None, scope, cancel)? else {
        return Some(Vec::new());
    };
    let (from, to) = snapshot.range().unwrap_or_default();
    let entity = &found.entity;
    let mut ranked: Vec<(usize, f64)> = (0..states.names.len())
        .filter(|at| !entity.is_final(&states.names[*at]))
        .map(|at| (at, states.series[at].integral(from, to)))
        .filter(|(_, area)| *area > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.truncate(USUAL);
    ranked.sort_by_key(|(at, _)| *at);
    let curve = |(at, _): (usize, f64)| {
        let name = states.names[at].clone();
        let points = points_of(&states, &name);
        Curve::new(CurveOf::State(entity.name.clone(), name), points)
    };
    Some(ranked.into_iter().map(curve).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_holds_its_number_until_the_next() {
        let of = CurveOf::Number("queue.length".to_owned());
        assert_eq!(of.title(), "length");
        let curve = Curve::new(of, vec![(10, 3.0), (20, 1.0)]);
        assert_eq!(
            [9, 10, 19, 20, 99].map(|t| curve.at(t)),
            [None, Some(3.0), Some(3.0), Some(1.0), Some(1.0)]
        );
        assert_eq!(curve.max, 3.0);
    }

    #[test]
    fn what_names_an_entity_is_one() {
        let meaning = Meaning::new(&[]);
        let entity = meaning.entities[0].name.clone();
        let state = CurveOf::parse(&format!("{entity}:running"), &meaning);
        assert_eq!(state, CurveOf::State(entity.clone(), "running".to_owned()));
        assert_eq!(state.text(), format!("{entity}:running"));
        assert_eq!(CurveOf::parse(&entity, &meaning), CurveOf::Running(entity));
        let number = CurveOf::parse("a:b", &meaning);
        assert_eq!(number, CurveOf::Number("a:b".to_owned()));
    }
}
