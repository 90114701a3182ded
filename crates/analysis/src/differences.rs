//! Differences between two sides that explain most of the time or of the failures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::words::last_part;
use widetui_store::Snapshot;

use crate::Instances;
use crate::account::{AccountContext, TimeReason, time_account};
use crate::entity::Entity;
use crate::scope::AnalysisScope;

/// Time and number of some instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of instances.
    pub count: u64,
    /// Number of failed instances.
    pub failed: u64,
    /// Number of instances that did not end; only of all instances.
    pub unfinished: u64,
    /// Time, ns.
    pub time: i64,
    /// Number of times that they ran; more than instances if some ran again.
    pub runs: u64,
}

impl Share {
    /// Mean time, ns; 0 without instances.
    pub fn mean(&self) -> f64 {
        self.time as f64 / self.count.max(1) as f64
    }
}

/// Label of an instance, and key and value of a place where it ran.
pub type PlaceOfLabel = (String, String, String);

/// Time and failures of the instances of one entity on a side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideProfile {
    /// Title of the entity, singular.
    pub title: String,
    /// First record of an instance and last end, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Ends of instances, UTC ns, ascending.
    pub ends: Vec<i64>,
    /// Time at which the first instance ran, UTC ns; `None` if the state alone says what an instance does.
    pub first_run: Option<i64>,
    /// All instances, with the time from their first record to their end.
    pub all: Share,
    /// Instances by label, with the time in which they ran.
    pub labels: BTreeMap<String, Share>,
    /// Instances by label and by a place where they ran (key and value), with the time in which they ran.
    pub places: BTreeMap<PlaceOfLabel, Share>,
    /// By label, key and value of the instance that ran longest, with its time.
    pub longest: BTreeMap<String, (String, String, Share)>,
    /// Innermost resources on which they ran, such as workers, by the key of their ids: the ids with all outer ones.
    pub resources: BTreeMap<String, BTreeSet<String>>,
    /// Time in which instances did not run, by the description of the phase.
    pub waits: BTreeMap<String, Wait>,
}

/// Time in which instances did not run for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Reason.
    pub reason: TimeReason,
    /// Time, ns.
    pub time: i64,
}

impl Wait {
    /// True if instances waited because others ran: an effect of how long these ran, and on how many resources.
    fn is_effect(self) -> bool {
        matches!(
            self.reason,
            TimeReason::ResourceBusy | TimeReason::Dependency
        )
    }
}

impl SideProfile {
    /// Reads the time and the failures of the instances in scope. `None` when cancelled.
    pub fn new(
        snapshot: &Snapshot,
        instances: &Instances,
        entities: &[Arc<Entity>],
        scope: &AnalysisScope,
        cancel: &Cancel,
    ) -> Option<SideProfile> {
        let context = AccountContext::new(snapshot, instances, entities, cancel)?;
        let kept = scope.contains_instances(snapshot, instances);
        let mut out = SideProfile {
            title: instances.entity.title.clone(),
            ..SideProfile::default()
        };
        let resource_keys: BTreeSet<&str> = { entities.iter() }
            .filter(|entity| entity.is_resource())
            .flat_map(|entity| entity.id.iter().filter_map(|id| Some(id.last()?.as_str())))
            .collect();
        for (at, instance) in instances.list.iter().enumerate().filter(|i| kept[i.0]) {
            if cancel.is_cancelled() {
                return None;
            }
            let phases = time_account(snapshot, instances, &context, at);
            let standing = instances.standing(snapshot, instance);
            let failed = u64::from(instances.has_failed(instance, &standing));
            let (mut ran, mut lasted, mut runs) = (0i64, 0i64, 0u64);
            for phase in &phases {
                let time = phase.end.saturating_sub(phase.start);
                lasted = lasted.saturating_add(time);
                match phase.reason {
                    TimeReason::PartRuns => {
                        ran = ran.saturating_add(time);
                        runs += 1;
                        let first = out.first_run.get_or_insert(phase.start);
                        *first = phase.start.min(*first);
                    }
                    _ if instances.entity.is_final(&phase.description) => {}
                    // Without known parts the state alone says what an instance does.
                    _ => {
                        let none = Wait {
                            reason: phase.reason,
                            time: 0,
                        };
                        let wait = out.waits.entry(phase.description.clone()).or_insert(none);
                        wait.time = wait.time.saturating_add(time);
                    }
                }
            }
            if let (Some(first), Some(last)) = (phases.first(), phases.last()) {
                let range = out.range.get_or_insert((first.start, last.end));
                *range = (range.0.min(first.start), range.1.max(last.end));
            }
            out.all.add(failed, lasted, runs);
            let has_ended = context.has_ended(instances, &standing, at);
            out.all.unfinished += u64::from(!has_ended);
            out.ends.extend(has_ended.then(|| context.end_of(at)));
            let label = instances.label(snapshot, instance).unwrap_or_default();
            let places = instances.places(snapshot, instance);
            let resources =
                { places.iter() }.filter(|(key, _)| resource_keys.contains(key.as_str()));
            let resources: Vec<&(String, String)> = resources.collect();
            if let Some((key, _)) = resources.last() {
                let ids: Vec<&str> = resources.iter().map(|(_, id)| id.as_str()).collect();
                let known = out.resources.entry(key.clone()).or_default();
                known.insert(ids.join(" "));
            }
            for (key, value) in places {
                let place = (label.clone(), key, value);
                out.places.entry(place).or_default().add(failed, ran, runs);
            }
            let longest = out.longest.get(&label);
            if longest.is_none_or(|known| known.2.time < ran)
                && let Some((key, value)) = instances.id(snapshot, instance).pop()
            {
                let mut own = Share::default();
                own.add(failed, ran, runs);
                out.longest.insert(label.clone(), (key, value, own));
            }
            out.labels.entry(label).or_default().add(failed, ran, runs);
        }
        out.ends.sort_unstable();
        Some(out)
    }

    /// Time from the first record of an instance to the last end, ns.
    fn wall(&self) -> i64 {
        let range = self.range;
        range.map_or(self.all.time, |(from, to)| to.saturating_sub(from))
    }

    /// Instances that had ended a time (ns) after the first record of an instance.
    fn ended_after(&self, time: i64) -> Share {
        let end = self.range.map_or(0, |(from, _)| from.saturating_add(time));
        Share {
            count: self.ends.partition_point(|at| *at <= end) as u64,
            time,
            ..Share::default()
        }
    }

    /// Time from the first record of an instance until one ran, ns.
    fn lead(&self) -> Option<i64> {
        Some(self.first_run?.saturating_sub(self.range?.0))
    }

    /// All instances with the time in which they ran.
    fn running(&self) -> Share {
        let times = self.labels.values().map(|share| share.time);
        Share {
            time: times.fold(0, i64::saturating_add),
            ..self.all.clone()
        }
    }

    /// Place at which instances of a label ran at least twice as long on average as elsewhere, or the one instance that
    /// did: the smallest that accounts for nearly all of the time by which any of them exceeds the others, and for half of
    /// the difference (ns) between the sides.
    fn slow_place(&self, label: &str, difference: f64) -> Option<SlowPlace> {
        let all = self.labels.get(label)?;
        let own = { self.places.iter() }.filter(|(place, here)| place.0 == label && here.count > 1);
        let own = own.map(|((_, key, value), here)| (key, value, here));
        let longest = self.longest.get(label).into_iter();
        let own = own.chain(longest.map(|(key, value, here)| (key, value, here)));
        let slow = own.filter_map(|(key, value, here)| {
            let elsewhere = Share {
                count: all.count.saturating_sub(here.count),
                failed: all.failed.saturating_sub(here.failed),
                time: all.time.saturating_sub(here.time),
                runs: all.runs.saturating_sub(here.runs),
                unfinished: 0,
            };
            let is_slow = here.time > 0
                && elsewhere.time > 0
                && elsewhere.count > 1
                && here.mean() >= 2.0 * elsewhere.mean();
            is_slow.then(|| SlowPlace {
                key: key.clone(),
                value: value.clone(),
                here: here.clone(),
                elsewhere,
            })
        });
        let slow: Vec<SlowPlace> = slow.collect();
        let most = slow.iter().map(SlowPlace::excess).fold(0.0, f64::max);
        let least = (0.8 * most).max(0.5 * difference);
        let slow = slow.into_iter().filter(|s| s.excess() >= least);
        slow.max_by(|a, b| a.here.mean().total_cmp(&b.here.mean()))
    }
}

impl Share {
    fn add(&mut self, failed: u64, time: i64, runs: u64) {
        self.count += 1;
        self.runs += runs;
        self.failed += failed;
        self.time = self.time.saturating_add(time);
    }
}

/// Place at which instances took longer than elsewhere, or a single instance that did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowPlace {
    /// Key of the place, or of the instance.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Instances there.
    pub here: Share,
    /// Instances of the same label elsewhere.
    pub elsewhere: Share,
}

impl SlowPlace {
    /// Time that instances there took beyond the mean of those elsewhere, ns.
    fn excess(&self) -> f64 {
        self.here.time as f64 - self.here.count as f64 * self.elsewhere.mean()
    }
}

/// Subject of a difference between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// Duration of both sides: of the runs, or of all instances.
    Whole,
    /// Instances that had ended at an equal time after the start.
    Progress,
    /// Failed instances of a label.
    Failures,
    /// Time until the first instance ran.
    FirstRun,
    /// Resources on which instances ran, such as workers.
    Resources,
    /// Instances of a label, or at a place, that are more frequent on one side.
    Frequency,
    /// Time in which the instances of a label ran.
    Running,
    /// Time in a phase in which instances did not run.
    Waiting,
}

/// Difference between two sides, with the values on both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Kind.
    pub kind: DifferenceKind,
    /// Label, description of a phase, or key and value of a place; empty if instances have no label.
    pub subject: String,
    /// Instances on both sides: their numbers, and their time in the subject.
    pub sides: [Share; 2],
    /// Place on the slower side where instances of a label took longer.
    pub place: Option<SlowPlace>,
}

/// Measure by which two sides are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// Sums: the sides are runs.
    #[default]
    Sum,
    /// Means: the sides are selections, whose sizes are chosen.
    Mean,
    /// Frequencies, then means: the sides are the succeeded and the failed instances.
    Outcome,
}

/// Differences between two sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Title of the entity, singular.
    pub title: String,
    /// Measure of the comparison.
    pub basis: Basis,
    /// Both sides as a whole, then the differences that explain most of the failures and of the time.
    pub list: Vec<Difference>,
}

/// Number of differences beside that of the whole.
const MOST: usize = 3;

impl Differences {
    /// Finds the differences that explain most of the failures and of the time. Nothing without instances on both sides.
    /// Runs are also compared by their progress at the time `after` their starts, ns; by default when the shorter one ended.
    pub fn find(sides: [&SideProfile; 2], basis: Basis, after: Option<i64>) -> Differences {
        let mut list = Vec::new();
        let mut most = MOST + 1;
        if sides.iter().all(|side| side.all.count > 0) {
            let difference = |kind, subject: &str, sides| Difference {
                kind,
                subject: subject.to_owned(),
                sides,
                place: None,
            };
            list.push(difference(
                DifferenceKind::Whole,
                "",
                sides.map(|side| Share {
                    time: match basis {
                        Basis::Sum => side.wall(),
                        _ => side.all.time,
                    },
                    ..side.all.clone()
                }),
            ));
            let labels = union(sides.map(|side| side.labels.keys()));
            let of_label =
                |label: &String| sides.map(|s| s.labels.get(label).cloned().unwrap_or_default());
            let failures = |label: &&String| {
                let sides = of_label(label);
                difference(DifferenceKind::Failures, label, sides)
            };
            match basis {
                Basis::Sum => {
                    let time = after.unwrap_or(sides[0].wall().min(sides[1].wall()));
                    let progress = sides.map(|side| side.ended_after(time));
                    if after.is_some() || progress[0].count != progress[1].count {
                        list.push(difference(DifferenceKind::Progress, "", progress));
                        most += 1;
                    }
                    let gap = |d: &Difference| d.sides[1].failed.abs_diff(d.sides[0].failed);
                    let worst = labels.iter().map(failures).max_by_key(gap);
                    list.extend(worst.filter(|worst| gap(worst) > 0));
                    let leads = sides.map(|side| (side.lead(), side.wall()));
                    // A later first run explains nothing where the run as a whole was shorter.
                    if let [(Some(a), wall_a), (Some(b), wall_b)] = leads
                        && a.abs_diff(b) as f64 >= 0.1 * wall_a.max(wall_b) as f64
                        && a != b
                        && (a < b) == (wall_a < wall_b)
                    {
                        let shares = [(sides[0], a), (sides[1], b)].map(|(side, time)| Share {
                            time,
                            ..side.all.clone()
                        });
                        list.push(difference(DifferenceKind::FirstRun, "", shares));
                    }
                    list.extend(resources(sides));
                }
                Basis::Mean => {}
                Basis::Outcome => list.extend(most_frequent(sides)),
            }
            let mut times: Vec<(bool, f64, Difference)> = Vec::new();
            let total =
                |time: fn(&SideProfile) -> i64| sides.map(time)[0].max(sides.map(time)[1]) as f64;
            // Less explains nothing.
            let least = 0.01 * total(|side| side.all.time);
            let least_running = least.min(0.05 * total(|side| side.running().time));
            // Selections of different apps are compared as a whole.
            let is_common = |label: &&String| sides.iter().all(|s| s.labels.contains_key(*label));
            let running = match basis == Basis::Sum || labels.iter().any(is_common) {
                true => labels
                    .iter()
                    .map(|label| ((*label).clone(), of_label(label)))
                    .collect(),
                false => vec![(String::new(), sides.map(SideProfile::running))],
            };
            let weight = |[a, b]: &[Share; 2]| match basis {
                Basis::Sum => b.time as f64 - a.time as f64,
                _ => (b.mean() - a.mean()) * a.count.min(b.count) as f64,
            };
            for (label, shares) in running {
                let delta = weight(&shares);
                let place = sides[usize::from(delta > 0.0)].slow_place(&label, delta.abs());
                let found = difference(DifferenceKind::Running, &label, shares);
                if delta.abs() >= least_running {
                    times.push((false, delta, Difference { place, ..found }));
                }
            }
            for phase in union(sides.map(|side| side.waits.keys())) {
                let waits = sides.map(|side| side.waits.get(phase).copied());
                let shares = [0, 1].map(|at| Share {
                    time: waits[at].map_or(0, |wait| wait.time),
                    ..sides[at].all.clone()
                });
                let delta = weight(&shares);
                let is_effect = waits.into_iter().flatten().any(Wait::is_effect);
                if delta.abs() >= least {
                    let found = difference(DifferenceKind::Waiting, phase, shares);
                    times.push((is_effect, delta, found));
                }
            }
            times.retain(|(_, delta, _)| *delta != 0.0);
            // What made the slower side slower comes first, causes before their effects.
            let walls = sides.map(|side| match basis {
                Basis::Sum => side.wall() as f64,
                _ => side.all.mean(),
            });
            let whole = match (walls[1] - walls[0]).abs() >= 0.05 * walls[0].max(walls[1]) {
                true => walls[1] - walls[0],
                false => 0.0,
            };
            let is_contrary = |delta: f64| whole * delta < 0.0;
            times.sort_by(|x, y| {
                let rank =
                    |(is_effect, delta, _): &(bool, f64, _)| (is_contrary(*delta), *is_effect);
                rank(x).cmp(&rank(y)).then(y.1.abs().total_cmp(&x.1.abs()))
            });
            list.extend(times.into_iter().map(|(.., difference)| difference));
            list.truncate(most);
        }
        Differences {
            title: sides[1].title.clone(),
            basis,
            list,
        }
    }
}

/// Number of the innermost resources on both sides, if one side has a quarter more, unless that one took longer.
fn resources(sides: [&SideProfile; 2]) -> Option<Difference> {
    let most = |side: &SideProfile| {
        let by_number = side.resources.iter().max_by_key(|(_, ids)| ids.len());
        by_number.map(|(key, _)| key.clone())
    };
    let key = most(sides[0]).filter(|key| most(sides[1]).as_ref() == Some(key))?;
    let shares = sides.map(|side| Share {
        count: side.resources.get(&key).map_or(0, BTreeSet::len) as u64,
        ..Share::default()
    });
    let (fewer, more) = (
        shares[0].count.min(shares[1].count),
        shares[0].count.max(shares[1].count),
    );
    let [a, b] = sides.map(|side| side.wall() as f64);
    let is_contrary = (b - a) * (shares[1].count as f64 - shares[0].count as f64) > 0.0
        && (b - a).abs() >= 0.05 * a.max(b);
    (more * 4 >= fewer * 5 && !is_contrary).then(|| Difference {
        kind: DifferenceKind::Resources,
        subject: last_part(&key).to_owned(),
        sides: shares,
        place: None,
    })
}

/// Keys of both sides.
fn union<'a, T: Ord + 'a>(sides: [impl Iterator<Item = &'a T>; 2]) -> BTreeSet<&'a T> {
    sides.into_iter().flatten().collect()
}

/// Label, and place, whose share among the instances of the second side exceeds that among those of the first most, by a
/// tenth at least.
fn most_frequent(sides: [&SideProfile; 2]) -> Vec<Difference> {
    let by_label = sides.map(|side| side.labels.clone());
    let by_place = sides.map(|side| {
        let mut all: BTreeMap<String, Share> = BTreeMap::new();
        for ((_, key, value), share) in &side.places {
            let sum = all
                .entry(format!("{} {value}", last_part(key)))
                .or_default();
            sum.count += share.count;
            sum.failed += share.failed;
            sum.time = sum.time.saturating_add(share.time);
        }
        all
    });
    let mut found: Vec<(f64, Difference)> = Vec::new();
    for values in [by_label, by_place] {
        let excess = union([values[0].keys(), values[1].keys()])
            .into_iter()
            .map(|name| {
                let shares = [0, 1].map(|at| values[at].get(name).cloned().unwrap_or_default());
                let part = |at: usize| shares[at].count as f64 / sides[at].all.count.max(1) as f64;
                let excess = part(1) - part(0);
                let difference = Difference {
                    kind: DifferenceKind::Frequency,
                    subject: name.clone(),
                    sides: shares,
                    place: None,
                };
                (excess, difference)
            });
        found.extend(excess.max_by(|x, y| x.0.total_cmp(&y.0)));
    }
    found.retain(|(excess, _)| *excess >= 0.1);
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    found
        .into_iter()
        .map(|(_, difference)| difference)
        .collect()
}
