//! Overview: the few small curves that say most about a run, for the first screen.
//!
//! In this order: measurements that definitions name as such and that change; what waits on its way (sent, not yet received)
//! where nothing logged its length; how many goals are unfinished and in which states; numbers that look like gauges in logs
//! that no definition knows.

mod guess;

use std::sync::Arc;

use rayon::prelude::*;

use crate::base::cancel::Cancel;
use crate::base::ids::KeyId;
use crate::base::time::NO_TIME;
use crate::store::Snapshot;

use super::Instances;
use super::entity::Entity;
use super::flow::Flow;
use super::series::{Pick, Series, SeriesKind, SeriesSpec, bins, holding, series, summed};
use super::steps::{Steps, changes};

/// What a curve shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A numeric key; of several lines their sum, of percentages and durations the greatest.
    Key(String),
    /// Messages sent and not yet received, of a flow.
    Underway(String),
    /// Instances of an entity that began and have not ended.
    Unfinished(String),
    /// Instances of an entity in a state.
    State {
        /// The entity's name.
        entity: String,
        /// The state.
        state: String,
    },
}

/// A small curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub subject: Subject,
    /// For people.
    pub title: String,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// How values go on.
    pub kind: SeriesKind,
    /// One value a column, the greatest in it; `None` before the first.
    pub columns: Vec<Option<f64>>,
    /// The greatest of all.
    pub max: f64,
    /// All points, by time.
    pub points: Arc<[(i64, f64)]>,
}

impl Curve {
    /// Of points: columns over a range of time, UTC ns.
    pub fn new(
        subject: Subject,
        (title, unit): (String, String),
        kind: SeriesKind,
        points: Vec<(i64, f64)>,
        range: (i64, i64),
        columns: usize,
    ) -> Curve {
        let values = bins(&points, kind, Pick::Max, range, columns);
        let max = values.iter().flatten().copied().reduce(f64::max);
        Curve {
            subject,
            title,
            unit,
            kind,
            columns: values,
            max: max.unwrap_or_default(),
            points: points.into(),
        }
    }

    /// The same curve for another range or width.
    #[must_use]
    pub fn over(&self, range: (i64, i64), columns: usize) -> Curve {
        Curve::new(
            self.subject.clone(),
            (self.title.clone(), self.unit.clone()),
            self.kind,
            self.points.to_vec(),
            range,
            columns,
        )
    }

    /// The value at a moment: what was measured last.
    pub fn value_at(&self, time: i64) -> Option<f64> {
        holding(&self.points, time)
    }

    /// Whether it changes at all.
    fn is_informative(&self) -> bool {
        let first = self.points.first().map(|p| p.1);
        self.points.iter().any(|p| Some(p.1) != first)
    }
}

/// What curves are chosen from.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// Measurements of the definitions in force.
    pub series: &'a [SeriesSpec],
    /// Goals (and other things that can end), as found.
    pub instances: &'a [&'a Instances],
    /// Messages, as found.
    pub flow: Option<&'a Flow>,
}

/// For how much room curves are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// From where to where, UTC ns.
    pub range: (i64, i64),
    /// Columns.
    pub columns: usize,
    /// At most so many curves.
    pub most: usize,
}

/// Of an entity no more than this many states get a curve.
const STATES: usize = 3;

/// The curves that say most, best first. `None` when cancelled.
pub fn overview(
    snapshot: &Snapshot,
    material: &Material<'_>,
    room: &Room,
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let mut specs: Vec<&SeriesSpec> = material
        .series
        .iter()
        .filter(|s| s.first.is_some())
        .collect();
    specs.sort_by_key(|s| s.first);
    let mut out: Vec<Curve> = Vec::new();
    let logged: Vec<Option<Option<Curve>>> = specs
        .par_iter()
        .map(|spec| of_key(snapshot, spec, room, cancel))
        .collect();
    for curve in logged {
        out.extend(curve?.filter(Curve::is_informative));
    }
    // Half of the room is for what is logged, the rest for what it means for the goals.
    out.truncate(room.most.div_ceil(2));
    if out.is_empty() {
        let underway = material.flow.map_or_else(Vec::new, |f| underway(f, room));
        out.extend(underway.into_iter().filter(Curve::is_informative).take(1));
    }
    let mut goals: Vec<&&Instances> = material.instances.iter().collect();
    goals.sort_by_key(|i| (!i.entity.is_goal(), std::cmp::Reverse(i.list.len())));
    for instances in goals.into_iter().filter(|i| i.entity.can_end()) {
        if out.len() >= room.most || cancel.is_cancelled() {
            break;
        }
        out.extend(of_instances(snapshot, instances, room, cancel)?);
    }
    if out.len() < room.most {
        let known: Vec<&str> = material.series.iter().map(|s| s.key.as_str()).collect();
        for key in guess::gauges(snapshot, &known, cancel)? {
            let spec = guess::spec(snapshot, key);
            let curve = of_key(snapshot, &spec, room, cancel)?;
            out.extend(curve.filter(Curve::is_informative));
            if out.len() >= room.most {
                break;
            }
        }
    }
    out.truncate(room.most);
    (!cancel.is_cancelled()).then_some(out)
}

/// A key as a curve; `Some(None)`: no event has it. `None` when cancelled.
pub fn of_key(
    snapshot: &Snapshot,
    spec: &SeriesSpec,
    room: &Room,
    cancel: &Cancel,
) -> Option<Option<Curve>> {
    let find = |name: &String| snapshot.catalog.keys.find(name);
    let Some(key) = find(&spec.key) else {
        return Some(None);
    };
    let by: Vec<KeyId> = spec.by.iter().filter_map(find).collect();
    let found = series(snapshot, key, &by, None, cancel)?;
    let points = together(&found, spec);
    let names = (spec.title.clone(), spec.unit.clone());
    let subject = Subject::Key(spec.key.clone());
    let curve = Curve::new(subject, names, spec.kind, points, room.range, room.columns);
    Some((!curve.points.is_empty()).then_some(curve))
}

/// The lines of a series as one: their sum, or where that means nothing all their points.
fn together(found: &Series, spec: &SeriesSpec) -> Vec<(i64, f64)> {
    let plain = |l: &super::series::Line| -> Vec<(i64, f64)> {
        l.points.iter().map(|p| (p.time, p.value)).collect()
    };
    let lines: Vec<Vec<(i64, f64)>> = found.lines.iter().map(plain).collect();
    match (&lines[..], spec.unit.as_str()) {
        ([], _) => Vec::new(),
        ([one], _) => one.clone(),
        (_, "%" | "s" | "ms") => {
            let mut all: Vec<(i64, f64)> = lines.concat();
            all.sort_by_key(|p| p.0);
            all
        }
        _ => summed(lines.iter().map(Vec::as_slice)),
    }
}

fn floats(steps: &Steps, end: i64) -> Vec<(i64, f64)> {
    let points = steps.points.iter().filter(|p| p.0 <= end);
    points.map(|p| (p.0, p.1 as f64)).collect()
}

/// What is on its way, a curve for each flow: most messages first.
fn underway(flow: &Flow, room: &Room) -> Vec<Curve> {
    let mut out: Vec<(usize, Curve)> = Vec::new();
    for (at, name) in flow.kinds.iter().enumerate() {
        let messages = flow.messages.iter().filter(|m| usize::from(m.kind) == at);
        let intervals: Vec<(i64, Option<i64>)> = messages
            .filter(|m| m.received.is_some() || m.status.is_odd())
            .filter_map(|m| Some((m.sent?.time, m.received.map(|r| r.time))))
            .collect();
        let steps = Steps::of_changes(changes(intervals.iter().copied()));
        let points = floats(&steps, room.range.1);
        let title = format!("{} underway", name.rsplit('.').next().unwrap_or(name));
        let subject = Subject::Underway(name.clone());
        let names = (title, String::new());
        let curve = Curve::new(
            subject,
            names,
            SeriesKind::Gauge,
            points,
            room.range,
            room.columns,
        );
        out.push((intervals.len(), curve));
    }
    out.sort_by_key(|o| std::cmp::Reverse(o.0));
    out.into_iter().map(|o| o.1).collect()
}

/// The unfinished instances of an entity and those in each state that is not final, those that fill most time first. `None`
/// when cancelled.
pub fn of_instances(
    snapshot: &Snapshot,
    instances: &Instances,
    room: &Room,
    cancel: &Cancel,
) -> Option<Vec<Curve>> {
    let entity: &Entity = &instances.entity;
    let (from, to) = room.range;
    let is_final: Vec<bool> = instances
        .states
        .iter()
        .map(|s| entity.is_final(s))
        .collect();
    #[allow(clippy::type_complexity, reason = "named only here")]
    let lives: Vec<(Option<(i64, Option<i64>)>, Vec<(u16, i64, Option<i64>)>)> = instances
        .list
        .par_iter()
        .filter(|_| !cancel.is_cancelled())
        .map(|instance| {
            let standing = instances.standing(snapshot, instance);
            let told = instances.recorder_of(instance);
            let mut told = told.map_or_else(Vec::new, |r| instances.changes_by(instance, r));
            told.retain(|c| c.time != NO_TIME);
            let states = told.iter().enumerate().map(|(at, change)| {
                let next = told.get(at + 1).map(|n| n.time);
                (change.state, change.time, next.or(standing.end.time()))
            });
            let whole = standing.start.map(|s| (s, standing.end.time()));
            (whole, states.collect())
        })
        .collect();
    if cancel.is_cancelled() {
        return None;
    }
    let curve = |subject: Subject, title: String, steps: &Steps| {
        let points = floats(steps, to);
        let names = (title, String::new());
        Curve::new(
            subject,
            names,
            SeriesKind::Gauge,
            points,
            room.range,
            room.columns,
        )
    };
    let whole = Steps::of_changes(changes(lives.iter().filter_map(|l| l.0)));
    let subject = Subject::Unfinished(entity.name.clone());
    let mut out = vec![curve(
        subject,
        format!("{} unfinished", entity.plural()),
        &whole,
    )];
    let mut states: Vec<(f64, Curve)> = Vec::new();
    for (at, name) in instances
        .states
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_final[*at])
    {
        let of_state = lives
            .iter()
            .flat_map(|l| &l.1)
            .filter(|s| usize::from(s.0) == at);
        let steps = Steps::of_changes(changes(of_state.map(|s| (s.1, s.2))));
        let area = steps.integral(from, to);
        if area > 0.0 {
            let subject = Subject::State {
                entity: entity.name.clone(),
                state: name.clone(),
            };
            states.push((
                area,
                curve(subject, format!("{} {name}", entity.plural()), &steps),
            ));
        }
    }
    states.sort_by(|a, b| b.0.total_cmp(&a.0));
    // A single state says the same as the whole.
    if states.len() > 1 {
        out.extend(states.into_iter().take(STATES).map(|s| s.1));
    }
    out.retain(Curve::is_informative);
    Some(out)
}
